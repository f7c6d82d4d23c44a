//! Errors of the library as those of driver.proto.

use driver_runtime::contract::Error;
use driver_runtime::{Refusal, coded, described};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

/// Codes up to this one are librdkafka's own (rdkafka.h, `rd_kafka_resp_err_t`).
const LOCAL: i32 = -2;

/// Converts an error: a protocol code where it has one.
pub fn describe(error: &KafkaError) -> Error {
    let retriable = matches!(error, KafkaError::Transaction(one) if one.is_retriable());
    match error.rdkafka_error_code() {
        Some(code) => of_code(code, error, retriable),
        None => described(&class(error), error, retriable),
    }
}

/// Converts a code of librdkafka.
pub fn of_code(code: RDKafkaErrorCode, text: &impl ToString, retriable: bool) -> Error {
    let name = format!("{code:?}");
    match code as i32 {
        ..=LOCAL => described(&name, text, retriable),
        number => coded(number, &name, text, retriable),
    }
}

/// An error while the library is constructed.
pub fn refused(client: &str, error: &KafkaError) -> Refusal {
    match error {
        KafkaError::ClientConfig(_, why, key, _) => Refusal::of(format!("{client}: {key}: {why}")),
        KafkaError::ClientCreation(why) => {
            Refusal::of(format!("{client} rejects these settings together: {why}"))
        }
        other => Refusal::Failed(describe(other)),
    }
}

/// The wrapper's name of an error that is librdkafka's, else what its text begins with.
fn class(error: &KafkaError) -> String {
    match error.rdkafka_error_code() {
        Some(code) => format!("{code:?}"),
        None => error
            .to_string()
            .split(':')
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}
