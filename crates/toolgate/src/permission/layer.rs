//! One layer of rules, compiled: which rules speak of a permission, and which is the last one.
//!
//! A layer is immutable and shared between tables; a table is built many times a second and must
//! not compile a thousand rules each time. Rules are grouped into buckets by their permission glob.
//! Which buckets speak of a tool is looked up once ([`CompiledLayer::view`]); a call then searches
//! only those.

use indexmap::IndexMap;
use jsonschema::json::Json;
use rustc_hash::FxBuildHasher;

use super::{
    action::Action,
    glob::Glob,
    index::GlobIndex,
    rule::Rule,
    when::{CompiledCondition, Truth},
};
use crate::{error::Error, tool::fold_permission};

/// The layers, in the order in which later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Shipped with the library.
    Defaults,
    /// The user's own file.
    Global,
    /// The application's file.
    Config,
    /// The role of the turn.
    Role,
    /// The tree that the agent works on: it may only tighten.
    Project,
    /// The overlay that the application passes for a session.
    Session,
    /// The booleans of the request.
    Request,
    /// Rules of an administrator or tenant that nothing lifts.
    Locked,
}

impl Layer {
    /// The word that explanations use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Defaults => "defaults",
            Self::Global => "global",
            Self::Config => "config",
            Self::Role => "role",
            Self::Project => "project",
            Self::Session => "session",
            Self::Request => "request",
            Self::Locked => "locked",
        }
    }
}

/// A layer, ready to be searched.
#[derive(Debug)]
pub struct CompiledLayer<J: Json> {
    layer: Layer,
    rules: Vec<Rule>,
    /// The conditions of rule `i`; most layers have none at all.
    conditions: IndexMap<u32, Vec<CompiledCondition<J>>, FxBuildHasher>,
    buckets: Vec<Bucket>,
    /// Finds buckets by permission name; numbers are positions in `buckets`.
    permissions: GlobIndex,
}

/// The rules of one permission glob.
#[derive(Debug)]
struct Bucket {
    unconditional: GlobIndex,
    /// Rules with conditions, latest first, with their pattern.
    conditional: Vec<(u32, Glob)>,
    reads_input: bool,
    last_deny_all: Option<u32>,
    last_opener: Option<u32>,
}

/// What a layer has to say about one tool, looked up once.
#[derive(Debug, Clone, Default)]
pub struct View {
    buckets: Box<[u32]>,
    /// The last unconditional deny on `*`.
    pub last_deny_all: Option<u32>,
    /// The last rule that lets some pattern past a deny: allow or ask, conditional or not.
    pub last_opener: Option<u32>,
    /// Whether a condition of these rules looks at the input.
    pub reads_input: bool,
}

impl View {
    /// Whether the layer says nothing about the tool.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }
}

impl<J: Json> CompiledLayer<J> {
    /// Compiles `rules`, which stand in the order in which they were written.
    pub fn compile(layer: Layer, rules: Vec<Rule>) -> Result<Self, Error> {
        let mut conditions: IndexMap<u32, Vec<CompiledCondition<J>>, FxBuildHasher> =
            IndexMap::default();
        let mut grouped: IndexMap<&str, Vec<u32>, FxBuildHasher> = IndexMap::default();
        for (rule, number) in rules.iter().zip(0_u32..) {
            grouped
                .entry(fold_permission(&rule.permission))
                .or_default()
                .push(number);
            if !rule.when.is_empty() {
                let compiled = rule
                    .when
                    .iter()
                    .map(CompiledCondition::compile)
                    .collect::<Result<_, _>>()?;
                conditions.insert(number, compiled);
            }
        }
        let mut buckets = Vec::with_capacity(grouped.len());
        let mut names = Vec::with_capacity(grouped.len());
        for (position, (permission, numbers)) in (0_u32..).zip(&grouped) {
            names.push((position, Glob::new(&(*permission).into())));
            buckets.push(Bucket::build(&rules, numbers, &conditions));
        }
        let permissions = GlobIndex::build(names);
        drop(grouped);
        Ok(Self {
            layer,
            rules,
            conditions,
            buckets,
            permissions,
        })
    }

    /// Which layer this is.
    pub const fn layer(&self) -> Layer {
        self.layer
    }

    /// Rule `number`, in the order in which they were written.
    pub fn rule(&self, number: u32) -> Option<&Rule> {
        self.rules.get(number as usize)
    }

    /// All rules, in the order in which they were written.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What this layer says about whatever is called one of `names`: the permission first, then
    /// further names that globs may mean (the tool's own name where it was folded).
    pub fn view(&self, names: &[&str]) -> View {
        let mut positions = Vec::new();
        for name in names {
            positions.extend(self.permissions.all_matches(name));
        }
        positions.sort_unstable();
        positions.dedup();
        let mut view = View {
            buckets: positions.into_boxed_slice(),
            ..View::default()
        };
        for bucket in view
            .buckets
            .iter()
            .filter_map(|position| self.bucket(*position))
        {
            view.last_deny_all = view.last_deny_all.max(bucket.last_deny_all);
            view.last_opener = view.last_opener.max(bucket.last_opener);
            view.reads_input |= bucket.reads_input;
        }
        view
    }

    /// The truth of every condition that looks at the turn, in the order of [`Self::last_rule`]'s
    /// questions: known when a table is built, and the same for each of its calls.
    pub fn turn_truths(&self, turn: Option<&J::Node<'_>>) -> TurnTruths {
        let known = self.conditions.values().map(|conditions| {
            let of_turn = conditions
                .iter()
                .filter(|condition| !condition.reads_input());
            of_turn.map(|condition| condition.truth(turn)).collect()
        });
        TurnTruths(known.collect())
    }

    /// The last rule of `view` that matches `resource` and whose conditions hold.
    pub fn last_rule(
        &self,
        view: &View,
        resource: &str,
        turn: &TurnTruths,
        input: Option<&J::Node<'_>>,
    ) -> Option<u32> {
        let mut best: Option<u32> = None;
        for bucket in view
            .buckets
            .iter()
            .filter_map(|position| self.bucket(*position))
        {
            best = best.max(bucket.unconditional.last_match(resource, best));
            for (number, pattern) in &bucket.conditional {
                if best.is_some_and(|best| *number <= best) {
                    break;
                }
                if pattern.matches(resource) && self.conditions_hold(*number, turn, input) {
                    best = Some(*number);
                    break;
                }
            }
        }
        best
    }

    fn conditions_hold(&self, number: u32, turn: &TurnTruths, input: Option<&J::Node<'_>>) -> bool {
        let Some((position, _, conditions)) = self.conditions.get_full(&number) else {
            return true;
        };
        let Some(rule) = self.rule(number) else {
            return false;
        };
        let mut known = turn.0.get(position).into_iter().flatten();
        conditions.iter().all(|condition| {
            let truth = if condition.reads_input() {
                condition.truth(input)
            } else {
                known.next().copied().unwrap_or(Truth::Absent)
            };
            truth.satisfies(rule.action)
        })
    }

    fn bucket(&self, position: u32) -> Option<&Bucket> {
        self.buckets.get(position as usize)
    }
}

/// For each conditional rule of a layer, what its conditions on the turn found.
#[derive(Debug, Clone, Default)]
pub struct TurnTruths(Vec<Vec<Truth>>);

impl Bucket {
    fn build<J: Json>(
        rules: &[Rule],
        numbers: &[u32],
        conditions: &IndexMap<u32, Vec<CompiledCondition<J>>, FxBuildHasher>,
    ) -> Self {
        let mut unconditional = Vec::with_capacity(numbers.len());
        let mut conditional = Vec::new();
        let mut bucket = Self {
            unconditional: GlobIndex::default(),
            conditional: Vec::new(),
            reads_input: false,
            last_deny_all: None,
            last_opener: None,
        };
        for &number in numbers {
            let Some(rule) = rules.get(number as usize) else {
                continue;
            };
            let glob = Glob::new(&rule.pattern);
            match rule.action {
                Action::Allow | Action::Ask => bucket.last_opener = Some(number),
                Action::Deny if glob.is_any() && rule.when.is_empty() => {
                    bucket.last_deny_all = Some(number);
                }
                Action::Deny => {}
            }
            if let Some(conditions) = conditions.get(&number) {
                bucket.reads_input |= conditions.iter().any(CompiledCondition::reads_input);
                conditional.push((number, glob));
            } else {
                unconditional.push((number, glob));
            }
        }
        conditional.reverse();
        bucket.conditional = conditional;
        bucket.unconditional = GlobIndex::build(unconditional);
        bucket
    }
}
