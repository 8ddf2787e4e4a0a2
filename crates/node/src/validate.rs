//! Validation of an input where it is.
//!
//! One function says yes or no in a number, the other words the faults; a refusal is a value.

use napi::{
    Unknown,
    bindgen_prelude::{Error, External, Result},
};
use napi_derive::napi;
use toolgate::call::{
    faults::{self, Fault},
    schema::CompiledSchema,
    validate,
};

use crate::{
    json::Scope,
    json_node::{NapiJson, NapiNode},
};

/// Whether `value` fits `schema`: 0 it does, 1 it does not, 2 too deep, 3 too many values.
pub(crate) fn validate_value(schema: &CompiledSchema<NapiJson>, value: &Unknown<'_>) -> u32 {
    let scope = Scope::open(value, schema.validity_budget());
    let validity = validate::validate(schema, NapiNode::root(&scope), scope.budget());
    validity as u32
}

/// What is wrong with `value`, as a JSON array of `{ path, expected, got }`.
pub(crate) fn fault_list(schema: &CompiledSchema<NapiJson>, value: &Unknown<'_>) -> Result<String> {
    let scope = Scope::open(value, schema.faults_budget());
    let mut told = faults::faults(schema, &NapiNode::root(&scope), scope.budget());
    if let Some(foreign) = scope.foreign() {
        told = vec![Fault::at(&foreign.pointer, "JSON", foreign.what)];
    }
    serde_json::to_string(&told).map_err(|error| Error::from_reason(error.to_string()))
}

// TEMPORARY, for this part's own tests; the wiring of tools takes their place.

/// Compiles a schema.
#[napi(catch_unwind)]
pub(crate) fn compile_schema_for_test(text: String) -> Result<External<CompiledSchema<NapiJson>>> {
    let schema = serde_json::from_slice(&text.into_bytes())
        .map_err(|e| Error::from_reason(e.to_string()))?;
    let compiled = CompiledSchema::compile(&schema);
    compiled
        .map(External::new)
        .map_err(|e| Error::from_reason(e.to_string()))
}

/// Validates a value.
#[napi(catch_unwind)]
pub(crate) fn validate_for_test(
    schema: &External<CompiledSchema<NapiJson>>,
    value: Unknown<'_>,
) -> u32 {
    validate_value(schema, &value)
}

/// Words the faults of a value.
#[napi(catch_unwind)]
pub(crate) fn faults_for_test(
    schema: &External<CompiledSchema<NapiJson>>,
    value: Unknown<'_>,
) -> Result<String> {
    fault_list(schema, &value)
}

/// Does nothing, for comparison.
#[napi(catch_unwind)]
pub(crate) fn noop_for_test() -> u32 {
    0
}
