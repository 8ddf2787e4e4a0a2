//! After the model speaks: validate, decide, ask, record, settle.

pub mod canonical;
pub mod envelope;
pub mod key;
pub mod ledger;
