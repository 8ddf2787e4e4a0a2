//! After the model speaks: validate, decide, record, settle.
//!
//! The modules stand in the order of events. Deciding itself is the table's
//! ([`build::table`](crate::build::table)), because layer 3 asks the same question; asking a
//! person, and running the tool, is the host's.
//!
//! 1. [`schema`] and [`budget`]: a tool's input schema, compiled, and how much a look may cost.
//! 2. [`validate`](mod@validate), and [`faults`] in words for the model.
//! 3. [`canonical`] and [`key`]: what a call and its input are called.
//! 4. [`ledger`]: approval and at-most-once, as one record moved by one function.
//! 5. [`envelope`]: what comes back.

pub mod budget;
pub mod schema;
mod schema_shape;

mod expected;
pub mod faults;
pub mod validate;

pub mod canonical;
pub mod key;

pub mod ledger;

pub mod envelope;
