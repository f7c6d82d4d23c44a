//! Drives krafka in the roles of driver.proto. One source is compiled with every version.

mod admin;
mod config;
mod errors;
mod member;
mod producer;
mod profiles;
mod readers;
mod security;
mod transactional;

use std::sync::Arc;

use driver_runtime::{Instance, Library, Opening, Start, run};

use crate::config::Config;

pub const FAMILY: &str = "krafka";
/// As it was linked; the build reads it from the lock file.
pub const VERSION: &str = env!("PROBE_LIBRARY_VERSION");

fn main() {
    run(Library {
        family: FAMILY,
        version: VERSION.to_owned(),
        roles: &["producer", "consumer", "group", "transactional", "admin"],
        profiles: profiles::PROFILES,
        missing: &[],
        open,
    })
}

fn open(start: Arc<Start>, out: Instance) -> Opening {
    Box::pin(async move {
        let config = Config::read(&start)?;
        let kafka = config.connect(&start).await?;
        match start.role.as_str() {
            "producer" => producer::open(&config, &kafka, start, out).await,
            "transactional" => transactional::open(&config, &kafka, start, out).await,
            "admin" => Ok(admin::open(&config, &kafka, &start, &out)),
            _ => readers::open(&config, &kafka, start, out).await,
        }
    })
}
