//! Tools in, a registry out.

use std::sync::{Arc, Mutex, PoisonError};

use napi::bindgen_prelude::{Array, External};
use napi_derive::napi;
use toolgate::{
    build::registry::{Definition, Registry},
    call::{
        canonical,
        schema::{CompiledSchema, SchemaCache},
    },
    error::{Code, Error},
    tool::ToolName,
};

use crate::{
    config::ConfigHandle,
    error::{malformed, thrown},
    json_node::NapiJson,
};

/// Compiled schemas of this process, by content.
static SCHEMAS: Mutex<SchemaCache<NapiJson>> = Mutex::new(SchemaCache::new());

/// One tool, checked and compiled.
pub(crate) struct ToolHandle {
    pub(crate) name: ToolName,
    pub(crate) definition: Arc<Definition>,
    /// Absent when the tool parses its input itself.
    pub(crate) schema: Option<Arc<CompiledSchema<NapiJson>>>,
    /// The definition as the host wrote it, which its fingerprint is taken of.
    written: String,
}

/// Checks a tool's name and compiles its schema.
#[napi(catch_unwind)]
pub(crate) fn compile_tool(definition_json: String) -> napi::Result<External<ToolHandle>> {
    let definition: Definition = serde_json::from_str(&definition_json)
        .map_err(|error| malformed("a tool definition", &error))?;
    let name =
        ToolName::parse(&definition.name, &definition.source).map_err(|error| thrown(&error))?;
    let schema = match &definition.input_schema {
        Some(schema) if !definition.has_own_parser => {
            let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
            let compiled = schemas.get_or_compile(schema);
            Some(compiled.map_err(|error| thrown(&definition.at_fault(error)))?)
        }
        Some(_) | None => None,
    };
    Ok(External::new(ToolHandle {
        name,
        definition: Arc::new(definition),
        schema,
        written: definition_json,
    }))
}

/// The hash of a tool's definition: what an approval or a stored result belongs to.
#[napi(catch_unwind)]
pub(crate) fn fingerprint(tool: &External<ToolHandle>) -> napi::Result<String> {
    canonical::fingerprint(&tool.written).map_err(|reason| {
        let error = Error::new(
            Code::SchemaInvalid,
            format!("the definition is not canonical JSON: {reason}"),
            "write the input schema in plain JSON values",
        );
        thrown(&tool.definition.at_fault(error))
    })
}

/// Registers tools under a policy. The position of a tool is its index from here on.
#[napi(catch_unwind)]
pub(crate) fn new_registry(
    tools: Array<'_>,
    config: &External<ConfigHandle>,
) -> napi::Result<External<Arc<Registry<NapiJson>>>> {
    let mut definitions = Vec::with_capacity(tools.len() as usize);
    for index in 0..tools.len() {
        if let Some(tool) = tools.get_ref::<External<ToolHandle>>(index)? {
            definitions.push((tool.name.clone(), Arc::clone(&tool.definition)));
        }
    }
    let registry = Registry::register(definitions, Arc::clone(&config.policy))
        .map_err(|error| thrown(&error))?;
    Ok(External::new(Arc::new(registry)))
}
