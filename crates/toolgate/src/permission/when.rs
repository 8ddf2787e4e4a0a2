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
use serde_json::Value;

use super::{action::Action, fragment, rule::Condition};
use crate::error::{Code, Error};

/// What a condition found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The value is there and fits.
    Holds,
    /// The value is there and does not fit.
    Fails,
    /// There is no value, or one of a type that the condition does not speak of: `maximum` says
    /// nothing about a text.
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
    /// Absent where it would be the same as `validator`.
    typed: Option<Validator<J>>,
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
        let path = condition.path.join(".");
        fragment::check_keywords(&condition.schema).map_err(|unknown| {
            Error::new(
                Code::ConditionInvalid,
                format!(
                    "the condition on `{path}` has `{}`, which is no keyword of JSON Schema and would be passed over",
                    unknown.written
                ),
                unknown.nearest.map_or_else(
                    || "correct it; notes start with `x-`".to_owned(),
                    |nearest| format!("did you mean `{nearest}`?"),
                ),
            )
        })?;
        let build = |schema: &Value| {
            let options = jsonschema::options_for::<J>()
                .should_validate_formats(true)
                .should_ignore_unknown_formats(false);
            options.build(schema).map_err(|error| {
                Error::new(
                    Code::ConditionInvalid,
                    format!(
                        "the condition on `{path}` is not a JSON Schema: {}",
                        error.masked()
                    ),
                    "write a JSON Schema fragment, such as `{ \"exclusiveMinimum\": 1000 }`",
                )
            })
        };
        let validator = build(&condition.schema)?;
        let typed = fragment::typed(&condition.schema)
            .map(|typed| build(&typed))
            .transpose()?;
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
            typed,
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
        if !self.validator.is_valid(node.clone()) {
            return Truth::Fails;
        }
        match &self.typed {
            Some(typed) if !typed.is_valid(node) => Truth::Absent,
            Some(_) | None => Truth::Holds,
        }
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::json::SerdeJson;
    use serde_json::json;

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
    fn a_value_of_another_type_opens_nothing_and_lifts_no_refusal() {
        let amount = |value: Value| json!({ "amount": value });
        let most = json!({ "maximum": 10 });
        for foreign in [json!("1000000000"), json!([1e9]), json!(null), json!(true)] {
            check(
                "input.amount",
                most.clone(),
                &amount(foreign),
                Truth::Absent,
            );
        }
        check("input.amount", most, &amount(json!(9)), Truth::Holds);
        check(
            "input.amount",
            json!({ "not": { "minimum": 10 } }),
            &amount(json!("1000000000")),
            Truth::Fails,
        );
        check(
            "input.amount",
            json!({ "format": "ipv4" }),
            &amount(json!("evil.example")),
            Truth::Fails,
        );
    }

    #[test]
    fn a_keyword_that_is_misspelled_is_named() {
        let condition = Condition {
            path: vec!["input".into(), "a".into()],
            schema: json!({ "maximun": 5 }),
        };
        let error = CompiledCondition::<SerdeJson>::compile(&condition).unwrap_err();
        assert!(error.message.contains("`maximun`"), "{}", error.message);
        assert_eq!(error.help, "did you mean `maximum`?");
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
