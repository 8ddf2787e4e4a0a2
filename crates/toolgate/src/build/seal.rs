//! Layer 3: what the rules of this role, session and request leave of the table.
//!
//! It gathers the layers of the turn in their order, and hides the tools that nothing can open.
//! Hiding is a courtesy to the model; the call is decided again, by the same rules, when it comes.

use std::sync::Arc;

use jsonschema::json::Json;

use super::{
    offer::{State, tenant_of},
    policy::Policy,
    registry::{Registry, views_of},
    rewrite::Rewritten,
    table::{Layers, Slot, Table},
    turn::Turn,
};
use crate::{
    error::{Code, Error},
    permission::{
        glob::Glob,
        layer::{CompiledLayer, Layer},
        rule::Rule,
    },
    suggest,
    tool::fold_permission,
};

impl<J: Json> Rewritten<J> {
    /// Seals the table for `turn`. `facts` is the object that conditions on the turn look at;
    /// `overlay` has the rules that only this table knows, by layer, in order; `parent` is the
    /// table of the agent that starts this one, and a ceiling.
    pub fn seal(
        self,
        turn: Turn,
        facts: Option<&J::Node<'_>>,
        overlay: Vec<(Layer, Vec<Rule>)>,
        parent: Option<Arc<Table<J>>>,
    ) -> Result<Table<J>, Error> {
        let Self { offered, edits } = self;
        let registry = offered.registry;
        let layers = gather(&registry, &turn, facts, overlay)?;
        let switched_off = switched_off(&registry, &turn);
        let mut states = offered.states;
        for (tool, state) in states.iter_mut().enumerate() {
            if *state != State::Visible {
                continue;
            }
            let hidden_above = parent
                .as_ref()
                .is_some_and(|parent| !parent.is_visible(tool));
            let is_off = switched_off.get(tool) == Some(&true);
            if hidden_above || is_off || is_shut(&registry, &layers, tool) {
                *state = State::Hidden;
            }
        }
        Ok(Table {
            registry,
            layers,
            states,
            switched_off,
            edits,
            parent,
            turn,
        })
    }
}

/// The layers of a turn, in the order in which later ones win; locked ones apart.
fn gather<J: Json>(
    registry: &Arc<Registry<J>>,
    turn: &Turn,
    facts: Option<&J::Node<'_>>,
    overlay: Vec<(Layer, Vec<Rule>)>,
) -> Result<Layers<J>, Error> {
    let policy = registry.policy();
    let role = turn
        .role
        .as_deref()
        .map(|name| role_position(registry, name))
        .transpose()?
        .flatten();
    let tenant = tenant_position(registry, turn.tenant.as_deref());
    let mut layers = Layers {
        ordinary: Vec::new(),
        locked: Vec::new(),
    };
    let mut add = |slots: fn(&mut Layers<J>) -> &mut Vec<Slot<J>>, position: usize| {
        if let Some(layer) = policy.layer(position) {
            slots(&mut layers).push(Slot::shared(position, layer.turn_truths(facts)));
        }
    };
    add(Layers::ordinary_mut, Policy::<J>::DEFAULTS);
    add(Layers::ordinary_mut, Policy::<J>::CONFIG);
    add(Layers::locked_mut, Policy::<J>::LOCKED);
    if let Some(tenant) = tenant {
        // A tenant's own rules come before those of the role.
        add(Layers::ordinary_mut, policy.tenant_position(tenant));
        add(Layers::locked_mut, policy.tenant_position(tenant) + 1);
    }
    if let Some(role) = role {
        add(Layers::ordinary_mut, policy.role_position(role));
    }
    for (layer, rules) in overlay {
        let layer = CompiledLayer::compile(layer, rules)?;
        let views = views_of(registry.entries(), &layer);
        let truths = layer.turn_truths(facts);
        layers.ordinary.push(Slot::own(layer, views, truths));
    }
    Ok(layers)
}

/// A role that the configuration does not know is an error where it knows any: a typing mistake
/// must not lead to a table without the role's denies.
fn role_position<J: Json>(registry: &Registry<J>, name: &str) -> Result<Option<usize>, Error> {
    let roles = &registry.policy().roles;
    if roles.is_empty() {
        return Ok(None);
    }
    roles.get_index_of(name).map(Some).ok_or_else(|| {
        let known: Vec<String> = roles.keys().map(|role| format!("`{role}`")).collect();
        let help = suggest::nearest(name, roles.keys().map(String::as_str)).map_or_else(
            || format!("add it to `roles`, or use one of {}", known.join(", ")),
            |nearest| format!("did you mean `{nearest}`?"),
        );
        Error::new(
            Code::RoleUnknown,
            format!("the configuration has no role `{name}`"),
            help,
        )
    })
}

fn tenant_position<J: Json>(registry: &Registry<J>, name: Option<&str>) -> Option<usize> {
    let tenants = &registry.policy().tenants;
    tenant_of(tenants, name)?;
    name.and_then(|name| tenants.get_index_of(name))
        .or_else(|| tenants.get_index_of("*"))
}

/// Whether the last deny on `*` comes after every rule that could let something past.
fn is_shut<J: Json>(registry: &Registry<J>, layers: &Layers<J>, tool: usize) -> bool {
    if layers
        .locked(registry, tool)
        .any(|opinion| opinion.view.last_deny_all.is_some())
    {
        return true;
    }
    let mut is_shut = false;
    for opinion in layers.ordinary(registry, tool) {
        let may_open = opinion.layer.layer() != Layer::Project;
        let opener = opinion.view.last_opener.filter(|_| may_open);
        match (opinion.view.last_deny_all, opener) {
            (Some(deny), Some(opener)) => is_shut = deny > opener,
            (Some(_), None) => is_shut = true,
            (None, Some(_)) => is_shut = false,
            (None, None) => {}
        }
    }
    is_shut
}

/// Which tools the request's booleans switch off: the last entry that names a tool counts, so a
/// `true` undoes an earlier `false` of the same request and does nothing else. Empty when there
/// are none.
fn switched_off<J: Json>(registry: &Registry<J>, turn: &Turn) -> Vec<bool> {
    if turn.tools.is_empty() {
        return Vec::new();
    }
    let entries: Vec<(Glob, bool)> = turn
        .tools
        .iter()
        .map(|(name, is_on)| (Glob::new(&Arc::from(fold_permission(name))), *is_on))
        .collect();
    let is_off = registry.entries().iter().map(|entry| {
        let named = entries
            .iter()
            .rev()
            .find(|(glob, _)| glob.matches(entry.name.as_str()) || glob.matches(&entry.permission));
        matches!(named, Some((_, false)))
    });
    is_off.collect()
}
