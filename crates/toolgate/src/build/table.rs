//! The table of one turn: what this caller sees, and the gate that every call goes through.
//!
//! Only [`seal`](super::seal) makes one, so a table that skipped a layer does not exist. It shares
//! everything with the registry but the session's overlay and what the conditions on the turn
//! found, so building one costs a look at each tool and nothing more.

use std::sync::Arc;

use jsonschema::json::Json;

use super::{
    offer::State,
    registry::{Entry, Registry, Views},
    rewrite::Edit,
    turn::Turn,
};
use crate::permission::{
    action::Action,
    decide::{Gate, Opinion, RuleRef, Verdict, Why, decide},
    layer::{CompiledLayer, TurnTruths},
    rule::Rule,
};

/// A layer of a table.
#[derive(Debug)]
pub struct Slot<J: Json> {
    rules: Rules<J>,
    turn: TurnTruths,
}

#[derive(Debug)]
enum Rules<J: Json> {
    /// By position in the policy; what it says about each tool stands in the registry.
    Shared(usize),
    /// Compiled for this table.
    Own(Box<CompiledLayer<J>>, Views),
}

impl<J: Json> Slot<J> {
    /// The layer at `position` of the policy.
    pub(super) const fn shared(position: usize, turn: TurnTruths) -> Self {
        Self {
            rules: Rules::Shared(position),
            turn,
        }
    }

    /// A layer that only this table has.
    pub(super) fn own(layer: CompiledLayer<J>, views: Views, turn: TurnTruths) -> Self {
        Self {
            rules: Rules::Own(Box::new(layer), views),
            turn,
        }
    }

    fn layer<'t>(&'t self, registry: &'t Registry<J>) -> Option<&'t CompiledLayer<J>> {
        match &self.rules {
            Rules::Shared(position) => registry.policy().layer(*position),
            Rules::Own(layer, _) => Some(layer),
        }
    }

    fn opinion<'t>(&'t self, registry: &'t Registry<J>, tool: usize) -> Option<Opinion<'t, J>> {
        let views = match &self.rules {
            Rules::Shared(position) => registry.views(*position)?,
            Rules::Own(_, views) => views,
        };
        let layer = self.layer(registry)?;
        Some(Opinion {
            layer,
            view: views.get(tool)?,
            turn: &self.turn,
        })
    }
}

/// The layers of a table, in the order in which later ones win; locked ones apart.
#[derive(Debug)]
pub struct Layers<J: Json> {
    pub(super) ordinary: Vec<Slot<J>>,
    pub(super) locked: Vec<Slot<J>>,
}

impl<J: Json> Layers<J> {
    pub(super) const fn ordinary_mut(&mut self) -> &mut Vec<Slot<J>> {
        &mut self.ordinary
    }

    pub(super) const fn locked_mut(&mut self) -> &mut Vec<Slot<J>> {
        &mut self.locked
    }

    /// What the ordinary layers say about `tool`.
    pub(super) fn ordinary<'t>(
        &'t self,
        registry: &'t Registry<J>,
        tool: usize,
    ) -> impl DoubleEndedIterator<Item = Opinion<'t, J>> + Clone {
        self.ordinary
            .iter()
            .filter_map(move |slot| slot.opinion(registry, tool))
    }

    /// What the locked layers say about `tool`.
    pub(super) fn locked<'t>(
        &'t self,
        registry: &'t Registry<J>,
        tool: usize,
    ) -> impl Iterator<Item = Opinion<'t, J>> + Clone {
        self.locked
            .iter()
            .filter_map(move |slot| slot.opinion(registry, tool))
    }
}

/// A sealed table. Immutable.
#[derive(Debug)]
pub struct Table<J: Json> {
    pub(super) registry: Arc<Registry<J>>,
    pub(super) layers: Layers<J>,
    pub(super) states: Vec<State>,
    /// By tool; empty when the request has no booleans.
    pub(super) switched_off: Vec<bool>,
    pub(super) edits: Vec<Edit>,
    pub(super) parent: Option<Arc<Self>>,
    pub(super) turn: Turn,
}

impl<J: Json> Table<J> {
    /// The registry under the table.
    pub const fn registry(&self) -> &Arc<Registry<J>> {
        &self.registry
    }

    /// What stands between each tool and the table, by position.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Whether the tool at `position` is in the table.
    pub fn is_visible(&self, position: usize) -> bool {
        self.states.get(position) == Some(&State::Visible)
    }

    /// Whether the request switched the tool at `position` off.
    pub fn is_switched_off(&self, position: usize) -> bool {
        self.switched_off.get(position) == Some(&true)
    }

    /// The edits that plugins made.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The turn that the table was sealed for.
    pub const fn turn(&self) -> &Turn {
        &self.turn
    }

    /// The table of the agent that started this one.
    pub fn parent(&self) -> Option<&Self> {
        self.parent.as_deref()
    }

    /// The tool at `position`.
    pub fn entry(&self, position: usize) -> Option<&Entry> {
        self.registry.entries().get(position)
    }

    /// The rule that a verdict of this table names.
    pub fn rule(&self, rule: RuleRef) -> Option<(&CompiledLayer<J>, &Rule)> {
        let mut slots = self.layers.ordinary.iter().chain(&self.layers.locked);
        let layer = slots.nth(usize::from(rule.slot))?.layer(&self.registry)?;
        Some((layer, layer.rule(rule.number)?))
    }

    /// Whether deciding a call of this tool takes its input: some rule has a condition on it.
    pub fn needs_input(&self, position: usize) -> bool {
        let ordinary = self.layers.ordinary(&self.registry, position);
        ordinary
            .chain(self.layers.locked(&self.registry, position))
            .any(|it| it.view.reads_input)
            || self
                .parent()
                .is_some_and(|parent| parent.needs_input(position))
    }

    /// Decides a call of the tool at `position`.
    ///
    /// A tool that is not in the table is refused whatever the rules say: hidden ones too, because
    /// a model that calls what it was not offered took the name from somewhere else.
    pub fn decide(
        &self,
        position: usize,
        resources: &[&str],
        input: Option<&J::Node<'_>>,
    ) -> Verdict {
        let refused = Verdict::without_rule(Action::Deny, Why::NotOffered);
        let Some(entry) = self.entry(position) else {
            return refused;
        };
        match self.states.get(position) {
            Some(State::Visible | State::Hidden) => {}
            Some(State::Absent | State::Dropped(_)) | None => return refused,
        }
        let parent = self
            .parent()
            .map(|parent| parent.decide(position, resources, input));
        let verdict = decide(
            &self.layers.ordinary(&self.registry, position),
            &self.layers.locked(&self.registry, position),
            u8::try_from(self.layers.ordinary.len()).unwrap_or(u8::MAX),
            resources,
            input,
            self.gate(entry, position),
            parent,
        );
        if self.is_visible(position) {
            verdict
        } else {
            refuse_hidden(verdict)
        }
    }

    fn gate(&self, entry: &Entry, position: usize) -> Gate {
        Gate {
            effect: entry.effect,
            is_switched_off: self.is_switched_off(position),
            can_ask: self.turn.can_ask,
            has_store: self.turn.has_store,
            is_shadow: self.turn.shadow,
        }
    }
}

/// A hidden tool is refused; the rule that hid it is named where there is one.
const fn refuse_hidden(verdict: Verdict) -> Verdict {
    match verdict.action {
        Action::Deny => verdict,
        Action::Allow | Action::Ask => Verdict::without_rule(Action::Deny, Why::NotOffered),
    }
}
