//! Whether an input fits its tool's schema.
//!
//! One generic function serves every JSON representation; the addon runs it over JavaScript values
//! where they are, tests run it over `serde_json`. What is wrong with an input that does not fit
//! is worded in [`super::faults`], a second and slower pass that most calls never need.

use jsonschema::json::Json;

use super::{
    budget::{Budget, Stop},
    schema::CompiledSchema,
};

/// What became of a validation. Everything but `Valid` refuses the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Validity {
    /// The input fits.
    Valid = 0,
    /// The input does not fit, or holds what is no JSON.
    Faulty = 1,
    /// The input is nested too deeply to look at.
    TooDeep = 2,
    /// The input has too many values to look at.
    TooMany = 3,
}

/// Decides whether `node` fits `schema`.
///
/// First, a budget that ran out speaks, whatever the validator said: it saw null where the input
/// went on. Second, the validator. A pattern that the engine could not finish counts as a pass
/// only where the answer is the same either way.
///
/// `budget` has to be the one that the nodes of this representation ask; `serde_json` values ask
/// none, their parser has bounded their depth and the caller their size.
pub fn validate<J: Json>(
    schema: &CompiledSchema<J>,
    node: J::Node<'_>,
    budget: &Budget,
) -> Validity {
    let is_valid = schema.validator().is_valid(node);
    match budget.stop() {
        Some(Stop::TooDeep) => Validity::TooDeep,
        Some(Stop::TooMany) => Validity::TooMany,
        None if is_valid => Validity::Valid,
        None | Some(Stop::NotJson) => Validity::Faulty,
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::json::SerdeJson;
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "rows read better without `&`"
    )]
    fn check(schema: Value, input: Value, expected: Validity) {
        let schema = CompiledSchema::<SerdeJson>::compile(&(&schema).into()).unwrap();
        let budget = schema.validity_budget();
        assert_eq!(validate(&schema, &input, &budget), expected, "{input}");
    }

    #[test]
    fn an_input_fits_or_it_does_not() {
        let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } },
            "required": ["city"], "additionalProperties": false });
        check(schema.clone(), json!({ "city": "Bern" }), Validity::Valid);
        check(schema.clone(), json!({ "city": 1 }), Validity::Faulty);
        check(schema.clone(), json!({}), Validity::Faulty);
        check(schema, json!({ "city": "Bern", "x": 1 }), Validity::Faulty);
    }

    #[test]
    fn names_that_javascript_inherits_are_names_like_any_other() {
        let schema = json!({ "required": ["toString", "__proto__"] });
        check(schema.clone(), json!({}), Validity::Faulty);
        check(
            schema,
            json!({ "toString": 1, "__proto__": 2 }),
            Validity::Valid,
        );
    }

    #[test]
    fn formats_are_checked_in_both_drafts() {
        for draft in [
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
        ] {
            let schema = json!({ "$schema": draft, "format": "date" });
            check(schema.clone(), json!("2025-02-28"), Validity::Valid);
            check(schema, json!("2025-02-30"), Validity::Faulty);
        }
        check(
            json!({ "format": "int32" }),
            json!("not known, not checked"),
            Validity::Valid,
        );
    }

    #[test]
    fn a_pattern_that_cannot_be_finished_is_no_pass() {
        let schema = json!({ "pattern": "^((a|aa|\\2)+)+$" });
        check(
            schema.clone(),
            json!(format!("{}!", "a".repeat(60))),
            Validity::Faulty,
        );
        check(
            json!({ "not": schema }),
            json!(format!("{}!", "a".repeat(60))),
            Validity::Faulty,
        );
    }

    #[test]
    fn recursion_over_the_input_is_followed() {
        let schema = json!({ "$ref": "#/$defs/tree", "$defs": { "tree": {
            "type": "object", "properties": { "kids": { "type": "array", "items": { "$ref": "#/$defs/tree" } } } } } });
        check(
            schema.clone(),
            json!({ "kids": [{ "kids": [] }] }),
            Validity::Valid,
        );
        check(
            schema,
            json!({ "kids": [{ "kids": [1] }] }),
            Validity::Faulty,
        );
    }

    #[test]
    fn a_stopped_budget_speaks_louder_than_the_validator() {
        let schema = CompiledSchema::<SerdeJson>::compile(&(&json!(true)).into()).unwrap();
        for (stop, expected) in [
            (Stop::TooDeep, Validity::TooDeep),
            (Stop::TooMany, Validity::TooMany),
            (Stop::NotJson, Validity::Faulty),
        ] {
            let budget = schema.validity_budget();
            budget.stop_for(stop);
            assert_eq!(validate(&schema, &json!(1), &budget), expected);
        }
    }
}
