//! The pure core of toolgate.

pub mod build;
pub mod call;
pub mod config;
pub mod error;
pub mod permission;
pub mod suggest;
pub mod tool;
