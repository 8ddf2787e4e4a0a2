//! The one function that decides a call. Layer 3 and every call go through it.
//!
//! Precedence is written once, on [`decide`]. What it needs is passed in: the layers with what
//! they say about this tool, the resources, the input for conditions, and the facts of the gate.
//! It answers with a [`Verdict`] that names the rule; sentences are made elsewhere (`explain`) and
//! only when somebody reads them.

use std::sync::Arc;

use jsonschema::json::Json;

use super::{
    action::Action,
    glob::Glob,
    layer::{CompiledLayer, Layer, TurnTruths, View},
    rule::Rule,
};
use crate::tool::Effect;

/// Why a verdict is what it is. The numbers cross the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Why {
    /// The named rule says so.
    Rule = 0,
    /// No rule speaks of the resource.
    Silence = 1,
    /// A locked rule denies it.
    Locked = 2,
    /// The request switched the tool off.
    SwitchedOff = 3,
    /// The table of the parent agent is stricter.
    Parent = 4,
    /// The rule that allows it does not name the tool, and the tool is guarded.
    Unnamed = 5,
    /// The tool is guarded and there is no way to ask, or no store.
    Unguarded = 6,
    /// The tree's own configuration tightened it.
    Project = 7,
    /// The tool is not in this table.
    NotOffered = 8,
    /// The call names no resource.
    NoResource = 9,
    /// It would run, but this is a shadow run and the tool is guarded: suppress it.
    Shadow = 10,
}

/// A rule of a table: the layer by its place in the table, and the rule's number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleRef {
    /// The place of the layer: ordinary layers first, then locked ones.
    pub slot: u8,
    /// The number of the rule in that layer.
    pub number: u32,
}

/// An answer, and what gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// What happens.
    pub action: Action,
    /// Why.
    pub why: Why,
    /// The rule that decided, if one did.
    pub rule: Option<RuleRef>,
}

impl Verdict {
    /// An answer that no rule gave.
    pub const fn without_rule(action: Action, why: Why) -> Self {
        Self {
            action,
            why,
            rule: None,
        }
    }

    /// The answer to an input that conditions could not read to its end.
    pub const fn unreadable() -> Self {
        Self::without_rule(Action::Deny, Why::NoResource)
    }

    /// The stricter of both; the first one where they agree.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if other.action > self.action {
            other
        } else {
            self
        }
    }

    /// One number for the boundary: bits 0-1 action, 2-5 why, 6-13 slot, 14 and up rule number
    /// plus one (0: no rule). It stays under 2^53, so that a JavaScript number holds it.
    pub fn pack(self) -> u64 {
        let action = match self.action {
            Action::Allow => 0,
            Action::Ask => 1,
            Action::Deny => 2,
        };
        let rule = self.rule.map_or(0, |rule| {
            u64::from(rule.slot) << 6 | (u64::from(rule.number) + 1) << 14
        });
        action | (self.why as u64) << 2 | rule
    }
}

/// A layer of a table, and what it says about one tool.
#[derive(Debug)]
pub struct Opinion<'t, J: Json> {
    /// The compiled rules.
    pub layer: &'t CompiledLayer<J>,
    /// Those that speak of the tool.
    pub view: &'t View,
    /// What the conditions on the turn found.
    pub turn: &'t TurnTruths,
}

/// What the gate knows besides rules.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts about the call"
)]
pub struct Gate {
    /// The class of the tool.
    pub effect: Effect,
    /// Whether the request switched the tool off.
    pub is_switched_off: bool,
    /// Whether a person can be asked at all.
    pub can_ask: bool,
    /// Whether a store keeps guarded calls from running twice.
    pub has_store: bool,
    /// Whether this is a shadow run.
    pub is_shadow: bool,
}

/// Decides what the rules and the gate say about a call that touches `resources`.
///
/// First, a locked deny that matches any resource ends the matter.
/// Second, a request that switched the tool off denies it; no layer but a locked one is later.
/// Third, for each resource the last rule that matches wins, over the layers in their order; the
/// project layer is left out of that and can only make the answer stricter. Nothing matches: ask,
/// because silence must cost a question and never an accident.
/// Fourth, the strictest over the resources; a call without resources is asked about.
/// Fifth, `parent`'s answer, for a sub-agent: the stricter of both.
/// Last, the effect gate, which can only tighten: a guarded tool needs an allow rule that names
/// it, or a person; and a way to ask, and a store. A grant may later turn the ask into an allow;
/// nothing lifts a deny.
pub fn decide<'t, J: Json>(
    ordinary: &(impl DoubleEndedIterator<Item = Opinion<'t, J>> + Clone),
    locked: &(impl Iterator<Item = Opinion<'t, J>> + Clone),
    first_locked_slot: u8,
    resources: &[&str],
    input: Option<&J::Node<'_>>,
    gate: Gate,
    parent: Option<Verdict>,
) -> Verdict {
    for resource in resources {
        if let Some(rule) = locked_deny(locked.clone(), first_locked_slot, resource, input) {
            return Verdict {
                action: Action::Deny,
                why: Why::Locked,
                rule: Some(rule),
            };
        }
    }
    if gate.is_switched_off {
        return Verdict::without_rule(Action::Deny, Why::SwitchedOff);
    }
    let mut is_named = true;
    let mut verdict: Option<Verdict> = None;
    for resource in resources {
        let found = last_rule(ordinary.clone(), resource, input);
        is_named &= found.is_named;
        verdict = Some(verdict.map_or(found.verdict, |so_far| so_far.stricter(found.verdict)));
    }
    let mut verdict = verdict.unwrap_or(Verdict::without_rule(Action::Ask, Why::NoResource));
    if let Some(parent) = parent
        && parent.action > verdict.action
    {
        verdict = Verdict::without_rule(parent.action, Why::Parent);
    }
    effect_gate(verdict, is_named, gate)
}

/// The effect gate. It is apart so that its three tightenings can be read at a glance.
fn effect_gate(verdict: Verdict, is_named: bool, gate: Gate) -> Verdict {
    if verdict.action == Action::Deny || !gate.effect.is_guarded() {
        return verdict;
    }
    if gate.is_shadow {
        return Verdict {
            action: Action::Allow,
            why: Why::Shadow,
            rule: verdict.rule,
        };
    }
    if !gate.has_store {
        return Verdict {
            action: Action::Deny,
            why: Why::Unguarded,
            rule: verdict.rule,
        };
    }
    let verdict = if verdict.action == Action::Allow && !is_named {
        Verdict {
            action: Action::Ask,
            why: Why::Unnamed,
            rule: verdict.rule,
        }
    } else {
        verdict
    };
    if verdict.action == Action::Ask && !gate.can_ask {
        return Verdict {
            action: Action::Deny,
            why: Why::Unguarded,
            rule: verdict.rule,
        };
    }
    verdict
}

fn locked_deny<'t, J: Json>(
    locked: impl Iterator<Item = Opinion<'t, J>>,
    first_slot: u8,
    resource: &str,
    input: Option<&J::Node<'_>>,
) -> Option<RuleRef> {
    for (slot, opinion) in (first_slot..).zip(locked) {
        let last = opinion
            .layer
            .last_rule(opinion.view, resource, opinion.turn, input);
        if let Some(number) = last {
            return Some(RuleRef { slot, number });
        }
    }
    None
}

struct Found {
    verdict: Verdict,
    /// Whether an allow rule of a trusted layer named the permission.
    is_named: bool,
}

fn last_rule<'t, J: Json>(
    ordinary: impl DoubleEndedIterator<Item = Opinion<'t, J>> + Clone,
    resource: &str,
    input: Option<&J::Node<'_>>,
) -> Found {
    let count = u8::try_from(ordinary.clone().count()).unwrap_or(u8::MAX);
    let mut project: Option<Verdict> = None;
    for (slot, opinion) in (0..count).rev().zip(ordinary.rev()) {
        let last = opinion
            .layer
            .last_rule(opinion.view, resource, opinion.turn, input);
        let Some((number, rule)) =
            last.and_then(|number| Some((number, opinion.layer.rule(number)?)))
        else {
            continue;
        };
        let verdict = Verdict {
            action: rule.action,
            why: Why::Rule,
            rule: Some(RuleRef { slot, number }),
        };
        if opinion.layer.layer() == Layer::Project {
            project = Some(Verdict {
                why: Why::Project,
                ..verdict
            });
            continue;
        }
        return Found {
            verdict: tighten(verdict, project),
            is_named: names_something(rule),
        };
    }
    let silence = Verdict::without_rule(Action::Ask, Why::Silence);
    Found {
        verdict: tighten(silence, project),
        is_named: false,
    }
}

fn tighten(verdict: Verdict, project: Option<Verdict>) -> Verdict {
    project.map_or(verdict, |project| verdict.stricter(project))
}

fn names_something(rule: &Rule) -> bool {
    Glob::new(&Arc::clone(&rule.permission)).has_literal()
}
