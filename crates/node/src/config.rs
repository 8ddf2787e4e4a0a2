//! Configuration text in, a compiled policy out.

use std::sync::Arc;

use napi::bindgen_prelude::External;
use napi_derive::napi;
use serde::Serialize;
use toolgate::{
    build::policy::Policy,
    config::{Config, Document},
    permission::{layer::CompiledLayer, rule::Condition},
    tool::Effect,
};

use crate::{
    error::{thrown, to_text},
    json_node::NapiJson,
};

/// A configuration, compiled, with what the host wants to know of it.
pub(crate) struct ConfigHandle {
    pub(crate) policy: Arc<Policy<NapiJson>>,
    summary: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    roles: Vec<String>,
    tenants: Vec<String>,
    declare: Vec<Declared>,
    needs_schemas: bool,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Declared {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<Effect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    permission: DeclaredPermission,
    #[serde(skip_serializing_if = "Option::is_none")]
    streaming: Option<bool>,
}

#[derive(Serialize)]
struct DeclaredPermission {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
}

impl Summary {
    fn of(config: &Config) -> Self {
        let declare = config.declare.iter().map(|entry| Declared {
            name: entry.glob.clone(),
            effect: entry.effect,
            category: entry.category.clone(),
            permission: DeclaredPermission {
                name: entry.permission_name.clone(),
                pattern: entry.permission_pattern.clone(),
            },
            streaming: entry.streaming,
        });
        Self {
            roles: config.roles.keys().cloned().collect(),
            tenants: config.tenants.keys().cloned().collect(),
            declare: declare.collect(),
            needs_schemas: false,
            warnings: config.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    fn with_rules(mut self, policy: &Policy<NapiJson>) -> Self {
        let rules = policy.layers().flat_map(CompiledLayer::rules);
        let mut conditions = rules.flat_map(|rule| &rule.when);
        self.needs_schemas = conditions.any(Condition::reads_input);
        self
    }
}

/// Parses and compiles a configuration. `home` may be empty: `~` then stays as it is.
#[napi(catch_unwind)]
pub(crate) fn parse_config(
    text: String,
    file: String,
    is_trusted: bool,
    home: String,
) -> napi::Result<External<ConfigHandle>> {
    let home = Some(home.as_str()).filter(|home| !home.is_empty());
    let document = Document {
        text: &text,
        file: &file,
        is_trusted,
        home,
    };
    let config = Config::parse(&document).map_err(|error| thrown(&error))?;
    let summary = Summary::of(&config);
    let policy =
        Policy::compile(config, home.map(str::to_owned)).map_err(|error| thrown(&error))?;
    let summary = to_text(&summary.with_rules(&policy))?;
    Ok(External::new(ConfigHandle {
        policy: Arc::new(policy),
        summary,
    }))
}

/// What the host wants to know of a configuration.
#[napi(catch_unwind)]
pub(crate) fn config_summary(config: &External<ConfigHandle>) -> String {
    config.summary.clone()
}
