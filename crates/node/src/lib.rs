//! The napi boundary of toolgate: converts, decides nothing.

mod json;
mod json_node;
mod validate;
