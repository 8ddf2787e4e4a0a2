//! Keys, hashes and transitions of the ledger: JSON text in, text out.
//!
//! They cross as text because they are the free-form part of the boundary, and because only
//! guarded calls, which are asynchronous anyway, take this road.

use napi_derive::napi;
use toolgate::{
    call::{canonical, key, ledger::wire},
    error::{Code, Error},
};

use crate::error::thrown;

/// The next record and what follows from an event.
#[napi(catch_unwind)]
pub(crate) fn transition(record_json: Option<String>, event_json: String) -> String {
    wire::transition_json(record_json.as_deref(), &event_json)
}

/// The hash of a text as it is.
#[napi(catch_unwind)]
pub(crate) fn text_hash(text: String) -> String {
    canonical::sha256_hex(&text)
}

/// The hash of a JSON text, whatever its spelling; `null` for a text that is not canonical JSON.
#[napi(catch_unwind)]
pub(crate) fn canonical_hash(json_text: String) -> Option<String> {
    canonical::canonical_hash(&json_text).ok()
}

/// The name of a call, from `[tenant, session, turn, tool, callId]`.
#[napi(catch_unwind)]
pub(crate) fn call_key(parts_json: String) -> napi::Result<String> {
    key::call_key_json(&parts_json).ok_or_else(|| parts_fault("call"))
}

/// The name of an intent, from `[tenant, session, tool, inputHash]`.
#[napi(catch_unwind)]
pub(crate) fn intent_key(parts_json: String) -> napi::Result<String> {
    key::intent_key_json(&parts_json).ok_or_else(|| parts_fault("intent"))
}

fn parts_fault(what: &str) -> napi::Error {
    thrown(&Error::new(
        Code::InputNotCanonical,
        format!("the parts of a {what} key are not texts"),
        "use session, turn and call ids without lone surrogates",
    ))
}
