//! A call that does nothing, or fails as a defect would.
//!
//! Benchmarks compare with it, and a test proves by it that a panic arrives in JavaScript as an
//! error that can be caught.

use napi_derive::napi;

/// Does nothing; panics if asked to.
#[napi(catch_unwind)]
pub(crate) fn probe(panics: Option<bool>) {
    assert!(panics != Some(true), "a probe that was asked to panic");
}
