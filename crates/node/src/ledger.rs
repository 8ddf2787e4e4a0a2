//! Keys, hashes and transitions of the ledger: text in, text out.

use napi_derive::napi;
use toolgate::call::{canonical, key, transition};

/// The next record and what follows from an event; all text is JSON.
#[napi(catch_unwind)]
pub fn transition(record_json: Option<String>, event_json: String) -> String {
    transition::transition_json(record_json.as_deref(), &event_json)
}
