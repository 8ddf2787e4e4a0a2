//! A call that does nothing, or fails as a defect would.
//!
//! Benchmarks compare with it, and a test proves by it that a panic arrives in JavaScript as an
//! error that can be caught.

use napi_derive::napi;

/// Does nothing; panics if asked to.
#[napi(catch_unwind)]
#[expect(clippy::panic, reason = "that is what it is for")]
pub fn probe(panics: Option<bool>) {
    if panics == Some(true) {
        panic!("a probe that was asked to panic");
    }
}
