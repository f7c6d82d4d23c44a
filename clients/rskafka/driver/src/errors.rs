//! Errors of the library as those of driver.proto.

use driver_runtime::contract::Error as Described;
use driver_runtime::{coded, described};
use rskafka::client::error::{Error, ProtocolError};

/// The last code of the protocol that is looked for; the library has no function from its errors to the codes.
const LAST_CODE: i16 = 200;

/// Converts an error: a protocol code where it has one. The library does not say what is retriable.
pub fn describe(error: &Error) -> Described {
    match error {
        Error::ServerError { protocol_error, .. } => {
            coded(code(*protocol_error), "ServerError", error, false)
        }
        other => described(class(other), other, false),
    }
}

fn code(error: ProtocolError) -> i32 {
    (-1..=LAST_CODE)
        .find(|&code| ProtocolError::new(code) == Some(error))
        .map_or(-1, i32::from)
}

fn class(error: &Error) -> &'static str {
    match error {
        Error::Connection(_) => "Connection",
        Error::Request(_) => "Request",
        Error::InvalidResponse(_) => "InvalidResponse",
        Error::RetryFailed(_) => "RetryFailed",
        _ => "Error",
    }
}
