//! Errors of a library as those of driver.proto.

use crate::contract::Error;
use crate::protocol_names::protocol_name;

/// Builds the error of a protocol code; `class` is the library's own constant or type.
pub fn coded(code: i32, class: &str, text: &impl ToString, retriable: bool) -> Error {
    let name = protocol_name(code);
    Error { code, name, r#type: class.to_owned(), text: text.to_string(), retriable }
}

/// Builds an error without a protocol code.
pub fn described(class: &str, text: &impl ToString, retriable: bool) -> Error {
    Error { code: -1, name: String::new(), r#type: class.to_owned(), text: text.to_string(), retriable }
}
