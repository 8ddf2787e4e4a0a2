//! Tables and decisions.

use std::sync::Arc;

use napi::{
    Unknown,
    bindgen_prelude::{External, Uint8Array},
};
use napi_derive::napi;
use toolgate::{
    build::{
        offer::{State, offer},
        registry::Registry,
        table::Table,
        turn::Turn,
    },
    call::budget::Budget,
    config,
    permission::{decide::Verdict, layer::Layer},
};

use crate::{
    error::{malformed, thrown, to_text},
    json::Scope,
    json_node::{NapiJson, NapiNode},
};

type RegistryHandle = External<Arc<Registry<NapiJson>>>;
type TableHandle = External<Arc<Table<NapiJson>>>;

/// A table, and what stands between each tool and it.
#[napi(object, object_from_js = false)]
pub(crate) struct BuiltTable {
    /// The table.
    pub handle: TableHandle,
    /// By tool: 0 visible, 1 absent, 2 dropped by layer 1, 3 hidden by layer 3.
    pub states: Uint8Array,
}

/// Builds the table of a turn. `facts` is the object that conditions on the turn look at.
#[napi(catch_unwind)]
pub(crate) fn build_table(
    registry: &RegistryHandle,
    turn_json: String,
    facts: Unknown<'_>,
) -> napi::Result<BuiltTable> {
    seal(registry, &turn_json, &facts, None)
}

/// Builds the table of an agent that another one starts; `parent` is a ceiling.
#[napi(catch_unwind)]
pub(crate) fn child_table(
    parent: &TableHandle,
    turn_json: String,
    facts: Unknown<'_>,
) -> napi::Result<BuiltTable> {
    seal(
        parent.registry(),
        &turn_json,
        &facts,
        Some(Arc::clone(parent)),
    )
}

fn seal(
    registry: &Arc<Registry<NapiJson>>,
    turn_json: &str,
    facts: &Unknown<'_>,
    parent: Option<Arc<Table<NapiJson>>>,
) -> napi::Result<BuiltTable> {
    let turn: Turn =
        serde_json::from_str(turn_json).map_err(|error| malformed("a turn", &error))?;
    let mut overlay = Vec::new();
    if let Some(block) = &turn.permission {
        let home = registry.policy().home.as_deref();
        let rules = config::parse_permission(block.get(), "table({ permission })", home)
            .map_err(|error| thrown(&error))?;
        overlay.push((Layer::Session, rules));
    }
    let facts = Scope::open(facts, Budget::for_conditions());
    let table = offer(registry, &turn)
        .rewrite(Vec::new())
        .seal(turn, Some(&NapiNode::root(&facts)), overlay, parent)
        .map_err(|error| thrown(&error))?;
    let states: Vec<u8> = table.states().iter().map(State::code).collect();
    Ok(BuiltTable {
        handle: External::new(Arc::new(table)),
        states: states.into(),
    })
}

/// By tool: 1 where a rule has a condition on the input, so that [`decide_all`] has to be asked.
#[napi(catch_unwind)]
pub(crate) fn needs_input(table: &TableHandle) -> Uint8Array {
    let tools = 0..table.states().len();
    tools
        .map(|tool| u8::from(table.needs_input(tool)))
        .collect::<Vec<u8>>()
        .into()
}

/// A verdict as the number that crosses; it stays under 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "a packed verdict stays under 2^53"
)]
fn packed(verdict: Verdict) -> f64 {
    verdict.pack() as f64
}

/// Decides a call that touches one resource: a packed verdict.
#[napi(catch_unwind)]
pub(crate) fn decide(table: &TableHandle, tool: u32, resource: String) -> f64 {
    packed(table.decide(tool as usize, &[&resource], None))
}

/// Decides a call that touches several resources, or whose input conditions look at.
#[napi(catch_unwind)]
pub(crate) fn decide_all(
    table: &TableHandle,
    tool: u32,
    resources: Vec<String>,
    input: Unknown<'_>,
) -> f64 {
    let resources: Vec<&str> = resources.iter().map(String::as_str).collect();
    let input = Scope::open(&input, Budget::for_conditions());
    let verdict = table.decide(tool as usize, &resources, Some(&NapiNode::root(&input)));
    if input.budget().stop().is_some() {
        // The conditions did not see all of it, so nothing they said may count.
        return packed(Verdict::unreadable());
    }
    packed(verdict)
}

/// Explains a decision, as JSON; `null` for a tool that the registry does not have.
#[napi(catch_unwind)]
pub(crate) fn explain(
    table: &TableHandle,
    tool: u32,
    resources: Vec<String>,
    input: Unknown<'_>,
) -> napi::Result<String> {
    let resources: Vec<&str> = resources.iter().map(String::as_str).collect();
    let input = Scope::open(&input, Budget::for_conditions());
    to_text(&table.explain(tool as usize, &resources, Some(&NapiNode::root(&input))))
}

/// The tools that layers 1 and 3 took away and why, as JSON.
#[napi(catch_unwind)]
pub(crate) fn hidden(table: &TableHandle) -> napi::Result<String> {
    to_text(&table.hidden())
}

/// Explains why the tool called `name` is or is not in the table, as JSON.
#[napi(catch_unwind)]
pub(crate) fn explain_hidden(table: &TableHandle, name: String) -> napi::Result<String> {
    to_text(&table.explain_name(&name))
}
