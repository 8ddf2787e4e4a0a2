//! Core errors on their way to JavaScript.
//!
//! The message of the thrown error is JSON: napi can carry one string and one status, and a host
//! needs code, help and place as well.

use toolgate::error::Error;

/// `error` as napi throws it.
pub(crate) fn thrown(error: &Error) -> napi::Error {
    let text = serde_json::to_string(error).unwrap_or_else(|_| error.message.clone());
    napi::Error::from_reason(text)
}

/// Text that the TypeScript layer wrote and that does not parse: a defect of ours.
pub(crate) fn malformed(what: &str, error: &serde_json::Error) -> napi::Error {
    thrown(&Error::new(
        toolgate::error::Code::Internal,
        format!("{what} did not cross the boundary: {error}"),
        "please report this",
    ))
}

/// A value as the JSON text that crosses.
pub(crate) fn to_text<T: serde::Serialize>(value: &T) -> napi::Result<String> {
    serde_json::to_string(value).map_err(|error| malformed("an answer", &error))
}
