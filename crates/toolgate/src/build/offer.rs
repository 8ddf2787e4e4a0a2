//! The tenant's toolset, then layer 1: what this tenant has at all, and what this model is offered.
//!
//! The toolset comes first and is silent. A tool of a category that the tenant has not enabled is
//! absent: not hidden, not counted, not named in a message. Layer 1 is about the model and leaves a
//! trace, because an operator wants to see why a tool is missing.

use std::sync::Arc;

use jsonschema::json::Json;

use super::{
    policy::{Tenant, Visibility},
    registry::{Entry, Registry},
    rewrite::Rewritten,
    turn::Turn,
};

/// What stands between a tool and the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is in the table.
    Visible,
    /// The tenant does not have it.
    Absent,
    /// Layer 1 dropped it: the entry that did.
    Dropped(usize),
    /// Layer 3 hid it.
    Hidden,
}

impl State {
    /// The number that crosses the boundary.
    pub const fn code(&self) -> u8 {
        match self {
            Self::Visible => 0,
            Self::Absent => 1,
            Self::Dropped(_) => 2,
            Self::Hidden => 3,
        }
    }
}

/// A registry after the toolset and layer 1.
#[derive(Debug)]
pub struct Offered<J: Json> {
    pub(super) registry: Arc<Registry<J>>,
    pub(super) states: Vec<State>,
}

/// Takes the tenant's toolset and layer 1 off `registry`.
pub fn offer<J: Json>(registry: &Arc<Registry<J>>, turn: &Turn) -> Offered<J> {
    let policy = registry.policy();
    let tenant = tenant_of(&policy.tenants, turn.tenant.as_deref());
    let model = turn.model.as_ref().map(super::turn::Model::full_name);
    let entries: Vec<(usize, &Visibility)> = policy
        .visibility
        .iter()
        .enumerate()
        .filter(|(_, entry)| speaks_of_turn(entry, model.as_deref(), &turn.flags))
        .collect();
    let states = registry.entries().iter().map(|tool| {
        if !policy.tenants.is_empty() && !has_category(tenant, tool) {
            return State::Absent;
        }
        let last = entries.iter().rev().find(|(_, entry)| {
            entry
                .tools
                .iter()
                .any(|glob| glob.matches(tool.name.as_str()))
        });
        match last {
            Some((position, entry)) if !entry.offers => State::Dropped(*position),
            _ => State::Visible,
        }
    });
    Offered {
        states: states.collect(),
        registry: Arc::clone(registry),
    }
}

impl<J: Json> Offered<J> {
    /// Goes on to layer 2.
    pub fn rewrite(self, edits: Vec<super::rewrite::Edit>) -> Rewritten<J> {
        Rewritten::new(self, edits)
    }
}

/// The tenant that a turn names, else the entry `*` for all others.
pub(super) fn tenant_of<'p, J: Json>(
    tenants: &'p indexmap::IndexMap<String, Tenant<J>>,
    name: Option<&str>,
) -> Option<&'p Tenant<J>> {
    name.and_then(|name| tenants.get(name))
        .or_else(|| tenants.get("*"))
}

/// Where tenants are configured, an unknown one has only the tools without a category.
fn has_category<J: Json>(tenant: Option<&Tenant<J>>, tool: &Entry) -> bool {
    let (Some(category), Some(tenant)) = (&tool.category, tenant) else {
        return tool.category.is_none();
    };
    let globs = tenant.categories.as_ref();
    globs.is_none_or(|globs| globs.iter().any(|glob| glob.matches(category)))
}

fn speaks_of_turn(entry: &Visibility, model: Option<&str>, flags: &[String]) -> bool {
    let is_model = entry.models.is_empty()
        || model.is_some_and(|model| entry.models.iter().any(|glob| glob.is_match(model)));
    is_model && entry.flags.iter().all(|flag| flags.contains(flag))
}
