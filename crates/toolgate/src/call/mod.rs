//! After the model speaks: validate, decide, ask, record, settle.

pub mod budget;
mod expected;
pub mod faults;
pub mod schema;
mod schema_shape;
pub mod validate;
