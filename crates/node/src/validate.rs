//! Validation of an input where it is.
//!
//! One function says yes or no in a number, the other words the faults; a refusal is a value.

use napi::{Unknown, bindgen_prelude::External};
use napi_derive::napi;
use toolgate::call::{
    faults::{self, Fault},
    validate::{self, Validity},
};

use crate::{error::to_text, json::Scope, json_node::NapiNode, registry::ToolHandle};

/// Whether `input` fits the schema of `tool`: 0 it does, 1 it does not, 2 it is nested too deeply,
/// 3 it has too many values. A tool that parses its input itself fits everything here.
#[napi(catch_unwind)]
pub(crate) fn validate(tool: &External<ToolHandle>, input: Unknown<'_>) -> u32 {
    let Some(schema) = &tool.schema else {
        return Validity::Valid as u32;
    };
    let scope = Scope::open(&input, schema.validity_budget());
    validate::validate(schema, NapiNode::root(&scope), scope.budget()) as u32
}

/// What is wrong with `input`, as a JSON array of `{ path, expected, got }`, at most ten.
#[napi(catch_unwind)]
pub(crate) fn faults(tool: &External<ToolHandle>, input: Unknown<'_>) -> napi::Result<String> {
    let Some(schema) = &tool.schema else {
        return Ok("[]".to_owned());
    };
    let scope = Scope::open(&input, schema.faults_budget());
    let mut told = faults::faults(schema, &NapiNode::root(&scope), scope.budget());
    if let Some(foreign) = scope.foreign() {
        told = vec![Fault::at(&foreign.pointer, "JSON", foreign.what)];
    }
    to_text(&told)
}
