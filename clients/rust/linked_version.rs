//! The build script of every Rust driver: it passes on the version of the library that the lock file names.

use std::env::var;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    println!("cargo:rerun-if-env-changed=PROBE_LOCAL");
    let (folder, package) = (var("CARGO_MANIFEST_DIR").unwrap_or_default(), var("CARGO_PKG_NAME").unwrap_or_default());
    let name = format!("name = \"{}\"", package.trim_end_matches("-driver"));
    let lock = std::fs::read_to_string(Path::new(&folder).join("Cargo.lock")).unwrap_or_default();
    let after = lock.lines().skip_while(|line| *line != name).nth(1);
    let version = after.and_then(|line| line.split('"').nth(1)).unwrap_or("unknown");
    let local = var("PROBE_LOCAL").map(|mark| format!("+local.{mark}")).unwrap_or_default();
    println!("cargo:rustc-env=PROBE_LIBRARY_VERSION={version}{local}");
}
