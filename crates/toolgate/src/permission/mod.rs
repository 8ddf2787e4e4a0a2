//! Pure policy: rules, patterns, and the one function that decides a call.
//!
//! It knows nothing of tables or calls; it is told a permission, resources and the facts that
//! conditions ask for. That keeps "what do these rules say" a question that a test can put in one
//! line, and keeps layer 3 and the call from growing two answers.

pub mod action;
pub mod rule;

pub mod glob;
pub mod index;

mod fragment;
pub mod layer;
pub mod when;

pub mod decide;
