//! Says why: sentences for a person, and one for the model.
//!
//! Deciding is done at every call, explaining only when somebody reads it, so it is apart and may
//! be slow. Two audiences read: the operator sees rules and where they stand; the model gets one
//! short sentence that names no other tool and no rule, because it would work around what it reads.

use jsonschema::json::Json;
use serde::Serialize;

use super::{offer::State, table::Table};
use crate::{
    error::Code,
    permission::{
        action::Action,
        decide::{RuleRef, Verdict, Why},
        layer::Layer,
    },
};

/// Why a call would be allowed, asked about or denied.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The tool.
    pub tool: String,
    /// What happens.
    pub action: Action,
    /// Which step of the pipeline gave it.
    pub why: Why,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleText>,
    /// Each resource by itself.
    pub resources: Vec<ResourceText>,
    /// One sentence for each resource, then the one that counts.
    pub steps: Vec<String>,
    /// The class of the tool, and whether anybody declared it.
    pub effect: &'static str,
    /// Whether somebody declared the class.
    pub is_declared: bool,
    /// One sentence for a person.
    pub text: String,
    /// One sentence for the model.
    pub safe: String,
    /// The code of a refusal; absent when the call may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

/// A rule as a person reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleText {
    /// Its permission glob.
    pub permission: String,
    /// Its resource glob.
    pub pattern: String,
    /// Its action.
    pub action: Action,
    /// Its layer.
    pub layer: Layer,
    /// Where it stands.
    pub origin: String,
    /// Whether it has conditions.
    pub conditional: bool,
}

/// What the rules say about one resource.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceText {
    /// The resource.
    pub resource: String,
    /// What happens.
    pub action: Action,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleText>,
}

/// A tool that is not in the table, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HiddenText {
    /// The tool.
    pub name: String,
    /// Which layer took it away.
    pub layer: &'static str,
    /// One sentence for a person.
    pub reason: String,
}

impl<J: Json> Table<J> {
    /// Explains what [`Table::decide`] says about a call.
    pub fn explain(
        &self,
        position: usize,
        resources: &[&str],
        input: Option<&J::Node<'_>>,
    ) -> Option<Explanation> {
        let entry = self.entry(position)?;
        if self.states().get(position) == Some(&State::Absent) {
            return None;
        }
        let verdict = self.decide(position, resources, input);
        let each = resources.iter().map(|resource| {
            let verdict = self.decide(position, &[resource], input);
            ResourceText {
                resource: (*resource).to_owned(),
                action: verdict.action,
                rule: self.rule_text(verdict.rule),
            }
        });
        let resources: Vec<ResourceText> = each.collect();
        let rule = self.rule_text(verdict.rule);
        let text = self.sentence(position, verdict, rule.as_ref());
        let name = entry.name.as_str();
        let code = code_of(verdict);
        Some(Explanation {
            tool: name.to_owned(),
            action: verdict.action,
            why: verdict.why,
            steps: steps_of(&resources, &text),
            text,
            safe: safe_sentence(name, verdict),
            effect: entry.effect.as_str(),
            is_declared: entry.is_declared,
            rule,
            resources,
            code,
        })
    }

    /// Explains any call of the tool called `name`, also of one that is not there: a name that the
    /// tenant does not have and a name that nobody has look the same.
    pub fn explain_name(&self, name: &str) -> Explanation {
        let position = self.registry().position(name);
        let explained = position.and_then(|position| self.explain(position, &["*"], None));
        explained.unwrap_or_else(|| {
            let verdict = Verdict::without_rule(Action::Deny, Why::NotOffered);
            Explanation {
                tool: name.to_owned(),
                action: verdict.action,
                why: verdict.why,
                rule: None,
                resources: Vec::new(),
                steps: Vec::new(),
                effect: "",
                is_declared: false,
                text: format!("there is no tool `{name}`"),
                safe: safe_sentence(name, verdict),
                code: code_of(verdict),
            }
        })
    }

    /// The tools that layers 1 and 3 took away, in table order. What the tenant does not have is
    /// not among them.
    pub fn hidden(&self) -> Vec<HiddenText> {
        let entries = self.registry().entries().iter().enumerate();
        let hidden = entries.filter_map(|(position, entry)| {
            let (layer, reason) = match self.states().get(position)? {
                State::Visible | State::Absent => return None,
                State::Dropped(by) => ("offer", self.dropped_by(*by)),
                State::Hidden => ("seal", self.hidden_by(position)),
            };
            Some(HiddenText {
                name: entry.name.as_str().to_owned(),
                layer,
                reason,
            })
        });
        hidden.collect()
    }

    fn dropped_by(&self, visibility: usize) -> String {
        let entry = self.registry().policy().visibility.get(visibility);
        entry.map_or_else(String::new, |entry| {
            format!(
                "the visibility entry at {} drops it for this model and these flags",
                entry.origin
            )
        })
    }

    fn hidden_by(&self, position: usize) -> String {
        if self
            .parent()
            .is_some_and(|parent| !parent.is_visible(position))
        {
            return "the table of the agent that started this one does not have it".to_owned();
        }
        if self.is_switched_off(position) {
            return "`table({ tools })` switched it off".to_owned();
        }
        let verdict = self.decide(position, &["*"], None);
        self.rule_text(verdict.rule).map_or_else(
            || "no rule lets any call of it through".to_owned(),
            |rule| format!("{} denies every call of it", rule.sentence()),
        )
    }

    fn rule_text(&self, rule: Option<RuleRef>) -> Option<RuleText> {
        let (layer, rule) = self.rule(rule?)?;
        Some(RuleText {
            permission: rule.permission.to_string(),
            pattern: rule.pattern.to_string(),
            action: rule.action,
            layer: layer.layer(),
            origin: rule.origin.to_string(),
            conditional: !rule.when.is_empty(),
        })
    }

    fn sentence(&self, position: usize, verdict: Verdict, rule: Option<&RuleText>) -> String {
        let Some(entry) = self.entry(position) else {
            return String::new();
        };
        let name = entry.name.as_str();
        let says = rule.map(RuleText::sentence).unwrap_or_default();
        let effect = entry.effect;
        let fix = if entry.is_declared {
            format!(
                "add a rule that names it: `permission: {{ \"{}\": \"allow\" }}`",
                entry.permission
            )
        } else {
            format!(
                "declare what it does: `declare: {{ {name}: {{ effect: 'read' }} }}`, or name it in a rule"
            )
        };
        match verdict.why {
            Why::Rule => format!("{says} says `{}`", verdict.action),
            Why::Silence => {
                format!("no rule speaks of this call of `{name}`, so it is asked about")
            }
            Why::Locked => format!("the locked {says} denies it; nothing lifts a locked rule"),
            Why::SwitchedOff => {
                format!("`table({{ tools }})` switched `{name}` off for this request")
            }
            Why::Parent => format!(
                "the agent that started this one may not do more: `{}`",
                verdict.action
            ),
            Why::Unnamed if says.is_empty() => format!("`{name}` is {effect}; {fix}"),
            Why::Unnamed => format!(
                "{says} allows it without naming it, and `{name}` is {effect}, which needs a rule that names it or a person; {fix}"
            ),
            Why::Unguarded => format!(
                "`{name}` is {effect}, which needs a store and a rule that names it or a person to ask; wire `ask` or `store`, or {fix}"
            ),
            Why::Project => format!("the tree's own {says} tightens it to `{}`", verdict.action),
            Why::NotOffered => match self.states().get(position) {
                Some(State::Dropped(by)) => format!("`{name}`: {}", self.dropped_by(*by)),
                Some(State::Hidden) => format!("`{name}`: {}", self.hidden_by(position)),
                Some(State::Visible | State::Absent) | None => format!("there is no tool `{name}`"),
            },
            Why::NoResource => {
                format!("this call of `{name}` names no resource, so it is asked about")
            }
            Why::Shadow => {
                format!("this is a shadow run and `{name}` is {effect}, so it is suppressed")
            }
        }
    }
}

fn steps_of(resources: &[ResourceText], text: &str) -> Vec<String> {
    let each = resources.iter().map(|each| match &each.rule {
        Some(rule) => format!(
            "`{}`: {} says `{}`",
            each.resource,
            rule.sentence(),
            rule.action
        ),
        None => format!("`{}`: `{}`", each.resource, each.action),
    });
    each.chain([text.to_owned()]).collect()
}

impl RuleText {
    /// `rule `bash: git push *` (config, toolgate.jsonc:4:7)`.
    fn sentence(&self) -> String {
        format!(
            "rule `{}: {}` ({}, {})",
            self.permission,
            self.pattern,
            self.layer.as_str(),
            self.origin
        )
    }
}

const fn code_of(verdict: Verdict) -> Option<Code> {
    match (verdict.action, verdict.why) {
        (Action::Allow, _) => None,
        (Action::Ask, _) => Some(Code::ApprovalRequired),
        (Action::Deny, Why::Unguarded) => Some(Code::UnguardedEffect),
        (Action::Deny, Why::NotOffered) => Some(Code::ToolUnknown),
        (Action::Deny, _) => Some(Code::PermissionDenied),
    }
}

/// What the model reads: what to do next, and nothing that helps to get around the rule.
fn safe_sentence(name: &str, verdict: Verdict) -> String {
    match (verdict.action, verdict.why) {
        (Action::Allow, _) => format!("`{name}` may run"),
        (Action::Ask, _) => format!("this call of `{name}` needs a person's approval"),
        (Action::Deny, Why::NotOffered) => {
            format!("there is no tool `{name}` here; use one of the tools that you were given")
        }
        (Action::Deny, Why::SwitchedOff) => {
            format!("`{name}` is no longer available; do not call it again")
        }
        (Action::Deny, Why::Unguarded) => format!(
            "`{name}` cannot run here, because there is no way to approve it; do not call it again"
        ),
        (Action::Deny, _) => format!(
            "this call of `{name}` is not permitted; do not retry it or try another way to the same end"
        ),
    }
}
