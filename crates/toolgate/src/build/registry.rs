//! Who may take which name: the tools of an application, with what is known about each.
//!
//! The registry is where candidates from all sources meet, so it is where two sources that offer
//! one name are refused with both of them named. What the operator declares about a tool is
//! settled here, once; and what each layer of rules says about each tool is looked up here, once,
//! because tables are built many times a second on the same registry.

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use jsonschema::json::Json;
use rustc_hash::FxBuildHasher;
use serde::Deserialize;

use super::{conditions, defaults::READ_TOOLS, policy::Policy};
use crate::{
    error::{Code, Error},
    permission::layer::{CompiledLayer, View},
    tool::{Effect, SchemaText, Source, ToolName, fold_permission},
};

/// What a source says about a tool that it offers. Text fields are as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    /// The name that the model calls.
    pub name: String,
    /// Where the tool comes from.
    pub source: Source,
    /// What the model reads; empty when the tool computes it.
    #[serde(default)]
    pub description: Option<String>,
    /// The class that the operator or the tool declared; none is `external-write`.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// Whether `effect` was declared by anybody, or assumed by the host.
    #[serde(default)]
    pub is_effect_declared: bool,
    /// The group that tenants enable.
    #[serde(default)]
    pub category: Option<String>,
    /// The permission name that was declared for it.
    #[serde(default)]
    pub permission: Option<String>,
    /// The JSON Schema of its input, where it is known.
    #[serde(default)]
    pub input_schema: Option<SchemaText>,
    /// Whether the tool parses its input itself (zod, Standard Schema), so that nothing is
    /// compiled here.
    #[serde(default)]
    pub has_own_parser: bool,
}

impl Definition {
    /// `error` about the schema of this tool, with the tool and its source named.
    #[must_use]
    pub fn at_fault(&self, error: Error) -> Error {
        let message = format!(
            "tool `{}` from {}: {}",
            self.name, self.source, error.message
        );
        Error { message, ..error }
    }
}

/// One tool of a registry, with everything settled.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The checked name.
    pub name: ToolName,
    /// What its source said.
    pub definition: Arc<Definition>,
    /// Its class.
    pub effect: Effect,
    /// Whether anybody declared that class.
    pub is_declared: bool,
    /// The group that tenants enable; `None` is in every toolset.
    pub category: Option<String>,
    /// The permission name that rules match, folded.
    pub permission: String,
}

/// What one layer says about every tool, by index.
pub type Views = Vec<View>;

/// The tools of an application under one policy.
#[derive(Debug)]
pub struct Registry<J: Json> {
    entries: Vec<Entry>,
    by_name: IndexMap<ToolName, usize, FxBuildHasher>,
    policy: Arc<Policy<J>>,
    /// In the order of [`Policy::layers`]; looked up when a table first needs the layer.
    views: Vec<OnceLock<Views>>,
}

impl<J: Json> Registry<J> {
    /// Registers `definitions` in their order, under `policy`.
    pub fn register(
        definitions: Vec<(ToolName, Arc<Definition>)>,
        policy: Arc<Policy<J>>,
    ) -> Result<Self, Error> {
        let mut by_name: IndexMap<ToolName, usize, FxBuildHasher> =
            IndexMap::with_capacity_and_hasher(definitions.len(), FxBuildHasher);
        let mut entries: Vec<Entry> = Vec::with_capacity(definitions.len());
        for (position, (name, definition)) in definitions.into_iter().enumerate() {
            if let Some(taken) = by_name.insert(name.clone(), position) {
                let first = entries
                    .get(taken)
                    .map(|entry| entry.definition.source.to_string());
                return Err(Error::new(
                    Code::ToolNameTaken,
                    format!(
                        "tool name `{name}` is taken by {}; {} offered it again",
                        first.unwrap_or_default(),
                        definition.source
                    ),
                    "rename one of the two, or leave one out",
                ));
            }
            entries.push(Entry::settle(name, definition));
        }
        conditions::check(&entries, &policy)?;
        let views = policy.layers().map(|_| OnceLock::new()).collect();
        Ok(Self {
            entries,
            by_name,
            policy,
            views,
        })
    }

    /// All tools, in the order in which they were registered.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The policy that they stand under.
    pub fn policy(&self) -> &Policy<J> {
        &self.policy
    }

    /// The position of the tool called exactly `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// What the layer at `position` of [`Policy::layers`] says about every tool.
    pub fn views(&self, position: usize) -> Option<&Views> {
        let layer = self.policy.layer(position)?;
        Some(
            self.views
                .get(position)?
                .get_or_init(|| views_of(&self.entries, layer)),
        )
    }
}

/// What `layer` says about each of `entries`.
pub fn views_of<J: Json>(entries: &[Entry], layer: &CompiledLayer<J>) -> Views {
    entries
        .iter()
        .map(|entry| layer.view(&entry.names()))
        .collect()
}

impl Entry {
    /// Settles what is known. A class that nobody declared is the one that is safe to assume of an
    /// application's tool.
    fn settle(name: ToolName, definition: Arc<Definition>) -> Self {
        let permission = definition.permission.as_deref().unwrap_or(name.as_str());
        Self {
            is_declared: definition.is_effect_declared,
            effect: definition.effect.unwrap_or(Effect::ExternalWrite),
            category: definition.category.clone(),
            permission: fold_permission(permission).to_owned(),
            name,
            definition,
        }
    }

    /// The names under which rules can mean this tool: its permission, its own name where that was
    /// folded away (a glob such as `apply_*` means the tool that a person sees), and the class of
    /// readers, which only the defaults layer speaks of.
    fn names(&self) -> Vec<&str> {
        let mut names = vec![self.permission.as_str()];
        if fold_permission(self.name.as_str()) != self.name.as_str() {
            names.push(self.name.as_str());
        }
        if self.effect == Effect::Read {
            names.push(READ_TOOLS);
        }
        names
    }
}
