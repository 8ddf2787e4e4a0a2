//! Builds tables for tests in one line each.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses its own part"
)]

use std::sync::Arc;

use indexmap::IndexMap;
use jsonschema::json::SerdeJson;
use serde_json::Value;
use toolgate::{
    build::{
        offer::offer,
        policy::Policy,
        registry::{Definition, Registry},
        table::Table,
        turn::Turn,
    },
    error::Error,
    permission::{
        action::Action,
        layer::{CompiledLayer, Layer},
        rule::{Condition, Origin, Rule},
    },
    tool::{Effect, Source, ToolName},
};

pub(crate) type TestTable = Table<SerdeJson>;

/// `("bash", "git *", Action::Deny)`.
pub(crate) type Row<'r> = (&'r str, &'r str, Action);

pub(crate) fn rules(rows: &[Row<'_>]) -> Vec<Rule> {
    let rules = rows.iter().map(|(permission, pattern, action)| Rule {
        permission: (*permission).into(),
        pattern: (*pattern).into(),
        when: Vec::new(),
        action: *action,
        origin: Origin::named("test"),
    });
    rules.collect()
}

/// A rule with one condition.
pub(crate) fn rule_when(row: Row<'_>, path: &str, schema: Value) -> Rule {
    let mut rule = rules(&[row]).remove(0);
    rule.when.push(Condition {
        path: path.split('.').map(str::to_owned).collect(),
        schema,
    });
    rule
}

pub(crate) fn layer(layer: Layer, rules: Vec<Rule>) -> CompiledLayer<SerdeJson> {
    CompiledLayer::compile(layer, rules).unwrap()
}

/// A policy with nothing in it, not even the shipped defaults.
pub(crate) fn empty_policy() -> Policy<SerdeJson> {
    Policy {
        defaults: layer(Layer::Defaults, Vec::new()),
        config: layer(Layer::Config, Vec::new()),
        locked: layer(Layer::Locked, Vec::new()),
        roles: IndexMap::new(),
        tenants: IndexMap::new(),
        visibility: Vec::new(),
        home: None,
    }
}

pub(crate) fn policy(config: &[Row<'_>]) -> Policy<SerdeJson> {
    Policy {
        config: layer(Layer::Config, rules(config)),
        ..empty_policy()
    }
}

pub(crate) fn tool(name: &str, effect: Effect) -> Definition {
    Definition {
        name: name.to_owned(),
        source: Source(format!("tools.{name}").into()),
        description: None,
        effect: Some(effect),
        is_effect_declared: true,
        category: None,
        permission: None,
        input_schema: None,
        has_own_parser: true,
    }
}

pub(crate) fn register(
    tools: Vec<Definition>,
    policy: Policy<SerdeJson>,
) -> Result<Arc<Registry<SerdeJson>>, Error> {
    let tools = tools
        .into_iter()
        .map(|tool| Ok((ToolName::parse(&tool.name, &tool.source)?, Arc::new(tool))));
    let tools: Result<Vec<_>, Error> = tools.collect();
    Ok(Arc::new(Registry::register(tools?, Arc::new(policy))?))
}

/// A turn in which a person can be asked and a store exists.
pub(crate) fn turn() -> Turn {
    Turn {
        can_ask: true,
        has_store: true,
        ..Turn::default()
    }
}

pub(crate) fn seal(
    registry: &Arc<Registry<SerdeJson>>,
    turn: Turn,
    overlay: Vec<(Layer, Vec<Rule>)>,
) -> Result<TestTable, Error> {
    seal_with(registry, turn, overlay, None, None)
}

pub(crate) fn seal_with(
    registry: &Arc<Registry<SerdeJson>>,
    turn: Turn,
    overlay: Vec<(Layer, Vec<Rule>)>,
    facts: Option<&Value>,
    parent: Option<Arc<TestTable>>,
) -> Result<TestTable, Error> {
    let offered = offer(registry, &turn);
    offered
        .rewrite(Vec::new())
        .seal(turn, facts.as_ref(), overlay, parent)
}

/// A table of one tool under `policy`.
pub(crate) fn table_of(tool: Definition, policy: Policy<SerdeJson>) -> TestTable {
    seal(&register(vec![tool], policy).unwrap(), turn(), Vec::new()).unwrap()
}
