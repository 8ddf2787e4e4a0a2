//! The napi boundary of toolgate: converts, decides nothing.
//!
//! TypeScript drives and this crate answers, synchronously: free functions over opaque handles,
//! because a method call and a thrown error each cost many times a plain call. A refusal is a
//! value; what is thrown is a host's mistake, as JSON that `ts/native.ts` turns into a
//! `ToolgateError`. Every export catches panics, so that a defect refuses one call instead of
//! ending the process.

#![expect(
    clippy::needless_pass_by_value,
    reason = "napi hands strings and values over by value"
)]

mod error;
mod json;
mod json_node;

mod config;
mod registry;
mod table;
mod validate;

mod ledger;

mod probe;
