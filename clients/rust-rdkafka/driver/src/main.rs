//! Drives rdkafka in the roles of driver.proto. One source is compiled with every version.

mod config;
mod context;
mod errors;
mod producer;
mod profiles;
mod readers;
mod transactional;

use std::sync::Arc;

use driver_runtime::{Instance, Library, Opening, Start, run};

pub const FAMILY: &str = "rust-rdkafka";
/// As it was linked; the build reads it from the lock file.
pub const VERSION: &str = env!("PROBE_LIBRARY_VERSION");

fn main() {
    run(Library {
        family: FAMILY,
        version: VERSION.to_owned(),
        roles: &["producer", "consumer", "group", "transactional"],
        profiles: profiles::PROFILES,
        missing: &[],
        open,
    })
}

fn open(start: Arc<Start>, out: Instance) -> Opening {
    Box::pin(async move {
        match start.role.as_str() {
            "producer" => producer::open(&start, &out),
            "transactional" => transactional::open(&start, &out),
            _ => readers::open(start, out),
        }
    })
}
