//! Errors of the library as those of driver.proto.

use driver_runtime::contract::Error;
use driver_runtime::{Refusal, coded, described};
use krafka::KrafkaError;

/// Converts an error: a protocol code where it has one.
pub fn describe(error: &KrafkaError) -> Error {
    match error {
        KrafkaError::Broker { code, .. } => {
            coded(code.to_i16().into(), "Broker", error, error.is_retriable())
        }
        other => described(&class(other), other, other.is_retriable()),
    }
}

/// An error while the library is constructed.
pub fn refused(error: &KrafkaError) -> Refusal {
    match error {
        KrafkaError::Config { message } => Refusal::of(message.clone()),
        other => Refusal::Failed(describe(other)),
    }
}

/// The variant's name, as its debug form begins.
fn class(error: &KrafkaError) -> String {
    let text = format!("{error:?}");
    text.split(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_owned()
}
