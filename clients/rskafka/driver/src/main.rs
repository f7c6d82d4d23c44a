//! Drives rskafka in the roles of driver.proto. One source is compiled with every version.

mod config;
mod consumer;
mod errors;
mod producer;
#[cfg(feature = "secured")]
mod security;

use std::sync::Arc;

use driver_runtime::{Instance, Library, Opening, Start, run};

use crate::config::Config;

pub const FAMILY: &str = "rskafka";
/// As it was linked; the build reads it from the lock file.
pub const VERSION: &str = env!("PROBE_LIBRARY_VERSION");

fn main() {
    run(Library {
        family: FAMILY,
        version: VERSION.to_owned(),
        roles: &["producer", "consumer"],
        profiles: config::profiles(),
        missing: &[(
            "keyed",
            "its calls name the partition, and it has no partitioner",
        )],
        open,
    })
}

fn open(start: Arc<Start>, out: Instance) -> Opening {
    Box::pin(async move {
        let config = Config::read(&start)?;
        let client = Arc::new(config.client(&start).await?);
        if start.role == "consumer" {
            Ok(consumer::open(config, client, start, out))
        } else {
            Ok(producer::open(config, client, start, out))
        }
    })
}
