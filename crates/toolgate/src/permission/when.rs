//! Conditions of a rule: what must stand in the input, or in the turn, for the rule to speak.
//!
//! They are apart from globs because they look at values instead of names, and because they know
//! a third answer: a path that is not there. An absent path must not open anything and must not
//! lift a refusal, so it fails a condition of `allow` and meets one of `ask` or `deny`.

use std::fmt;

use jsonschema::{
    Validator,
    json::{Json, Node, Object},
};

use super::{action::Action, rule::Condition};
use crate::error::{Code, Error};

/// What a condition found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The value is there and fits.
    Holds,
    /// The value is there and does not fit.
    Fails,
    /// There is no value.
    Absent,
}

impl Truth {
    /// Whether a rule with this action may speak.
    pub const fn satisfies(self, action: Action) -> bool {
        match self {
            Self::Holds => true,
            Self::Fails => false,
            Self::Absent => !matches!(action, Action::Allow),
        }
    }
}

/// A condition, ready to be asked.
pub struct CompiledCondition<J: Json> {
    reads_input: bool,
    keys: Vec<J::PreparedKey>,
    validator: Validator<J>,
}

impl<J: Json> fmt::Debug for CompiledCondition<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledCondition")
            .field("reads_input", &self.reads_input)
            .finish_non_exhaustive()
    }
}

impl<J: Json> CompiledCondition<J> {
    /// Compiles the schema fragment of `condition`.
    pub fn compile(condition: &Condition) -> Result<Self, Error> {
        let validator = jsonschema::options_for::<J>()
            .build(&condition.schema)
            .map_err(|error| {
                Error::new(
                    Code::ConditionInvalid,
                    format!(
                        "the condition on `{}` is not a JSON Schema: {}",
                        condition.path.join("."),
                        error.masked()
                    ),
                    "write a JSON Schema fragment, such as `{ \"exclusiveMinimum\": 1000 }`",
                )
            })?;
        let reads_input = condition.reads_input();
        let keys = condition
            .path
            .iter()
            .skip(usize::from(reads_input))
            .map(|key| J::prepare_key(key))
            .collect();
        Ok(Self {
            reads_input,
            keys,
            validator,
        })
    }

    /// Whether it looks at the input of a call; the others look at the turn and are known early.
    pub const fn reads_input(&self) -> bool {
        self.reads_input
    }

    /// Looks at `root`: the input, or the object of the turn's facts.
    pub fn truth(&self, root: Option<&J::Node<'_>>) -> Truth {
        let Some(root) = root else {
            return Truth::Absent;
        };
        let mut node = root.clone();
        for key in &self.keys {
            match node.as_object().and_then(|object| object.get(key)) {
                Some(member) => node = member,
                None => return Truth::Absent,
            }
        }
        if self.validator.is_valid(node) {
            Truth::Holds
        } else {
            Truth::Fails
        }
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::json::SerdeJson;
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(path: &str, schema: Value, root: &Value, expected: Truth) {
        let condition = Condition {
            path: path.split('.').map(str::to_owned).collect(),
            schema,
        };
        let compiled = CompiledCondition::<SerdeJson>::compile(&condition).unwrap();
        assert_eq!(compiled.truth(Some(&root)), expected);
    }

    #[test]
    fn a_value_that_fits_holds() {
        let above = json!({ "exclusiveMinimum": 1000 });
        check(
            "input.amount",
            above.clone(),
            &json!({ "amount": 1001 }),
            Truth::Holds,
        );
        check(
            "input.amount",
            above,
            &json!({ "amount": 1000 }),
            Truth::Fails,
        );
        check(
            "role",
            json!({ "const": "admin" }),
            &json!({ "role": "admin" }),
            Truth::Holds,
        );
        check(
            "flags.beta",
            json!(true),
            &json!({ "flags": { "beta": false } }),
            Truth::Holds,
        );
    }

    #[test]
    fn a_path_that_is_not_there_is_neither() {
        check(
            "input.amount",
            json!({ "minimum": 1 }),
            &json!({}),
            Truth::Absent,
        );
        check("input.a.b", json!({}), &json!({ "a": 1 }), Truth::Absent);
        check("input.toString", json!({}), &json!({}), Truth::Absent);
    }

    #[test]
    fn an_absent_path_opens_nothing_and_lifts_no_refusal() {
        assert!(!Truth::Absent.satisfies(Action::Allow));
        assert!(Truth::Absent.satisfies(Action::Ask));
        assert!(Truth::Absent.satisfies(Action::Deny));
    }

    #[test]
    fn a_fragment_that_is_no_schema_is_named() {
        let condition = Condition {
            path: vec!["input".into(), "a".into()],
            schema: json!({ "type": 5 }),
        };
        let error = CompiledCondition::<SerdeJson>::compile(&condition).unwrap_err();
        assert_eq!(error.code, Code::ConditionInvalid);
        assert!(error.message.contains("`input.a`"));
    }
}
