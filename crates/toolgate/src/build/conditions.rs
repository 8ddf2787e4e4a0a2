//! Checks the conditions of rules against the tools that they name, at load.
//!
//! A condition on a field that the tool does not have would never hold: an operator who limits
//! `amont` believes in a limit that is not there. Only rules that name a tool exactly are checked,
//! and only against schemas that say plainly what the input looks like.

use std::cell::OnceCell;

use jsonschema::json::Json;
use serde_json::{Map, Value};

use super::{policy::Policy, registry::Entry};
use crate::{
    error::{Code, Error},
    permission::{
        layer::CompiledLayer,
        rule::{Condition, Rule},
    },
    suggest,
    tool::fold_permission,
};

/// Checks every rule with conditions on the input against every tool that it names.
pub(super) fn check<J: Json>(entries: &[Entry], policy: &Policy<J>) -> Result<(), Error> {
    // Many rules may look into one tool.
    let schemas: Vec<OnceCell<Value>> = entries.iter().map(|_| OnceCell::new()).collect();
    for rule in policy.layers().flat_map(CompiledLayer::rules) {
        for condition in &rule.when {
            if !condition.reads_input() {
                continue;
            }
            let named = entries
                .iter()
                .zip(&schemas)
                .filter(|(entry, _)| entry.permission == fold_permission(&rule.permission));
            for (entry, schema) in named {
                let Some(text) = &entry.definition.input_schema else {
                    continue;
                };
                if schema.get().is_none() {
                    let parsed = text
                        .parse()
                        .map_err(|error| entry.definition.at_fault(error))?;
                    schema.get_or_init(|| parsed);
                }
                if let Some(schema) = schema.get() {
                    check_path(entry, schema, rule, condition)?;
                }
            }
        }
    }
    Ok(())
}

fn check_path(
    entry: &Entry,
    mut schema: &Value,
    rule: &Rule,
    condition: &Condition,
) -> Result<(), Error> {
    let path = condition.path.join(".");
    for key in condition.path.iter().skip(1) {
        let Some(properties) = plain_properties(schema) else {
            return Ok(());
        };
        let Some(property) = properties.get(key) else {
            let nearest = suggest::nearest(key, properties.keys().map(String::as_str));
            let help = nearest.map_or_else(
                || "remove the condition, or correct the path".to_owned(),
                |name| format!("did you mean `{name}`?"),
            );
            return Err(Error::new(
                Code::ConditionInvalid,
                format!(
                    "the rule at {} looks at `{path}`, and `{}` has no `{key}`",
                    rule.origin, entry.name
                ),
                help,
            ));
        };
        schema = property;
    }
    let (Some(has), Some(needs)) = (types_of(schema), needed_types(&condition.schema)) else {
        return Ok(());
    };
    if has
        .iter()
        .any(|has| needs.iter().any(|needs| fits(has, needs)))
    {
        return Ok(());
    }
    Err(Error::new(
        Code::ConditionInvalid,
        format!(
            "the rule at {} wants `{path}` to be {}, and in `{}` it is {}",
            rule.origin,
            needs.join(" or "),
            entry.name,
            has.join(" or ")
        ),
        "compare with a value of that type, or correct the path",
    ))
}

/// The properties of an object schema that lists them all; `None` when it may have others.
fn plain_properties(schema: &Value) -> Option<&Map<String, Value>> {
    const OPEN: &[&str] = &[
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "not",
        "patternProperties",
        "dependentSchemas",
        "unevaluatedProperties",
    ];
    let object = schema.as_object()?;
    if OPEN.iter().any(|keyword| object.contains_key(*keyword)) {
        return None;
    }
    match object.get("additionalProperties") {
        None | Some(Value::Bool(false)) => object.get("properties")?.as_object(),
        Some(_) => None,
    }
}

fn types_of(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(many) => many.iter().map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// The types that a fragment can hold for, as far as its keywords say it plainly.
fn needed_types(fragment: &Value) -> Option<Vec<&str>> {
    const BY_KEYWORD: &[(&str, &str)] = &[
        ("minimum", "number"),
        ("maximum", "number"),
        ("exclusiveMinimum", "number"),
        ("exclusiveMaximum", "number"),
        ("multipleOf", "number"),
        ("minLength", "string"),
        ("maxLength", "string"),
        ("pattern", "string"),
        ("minItems", "array"),
        ("maxItems", "array"),
        ("contains", "array"),
        ("properties", "object"),
        ("required", "object"),
    ];
    if let Some(types) = types_of(fragment) {
        return Some(types);
    }
    if let Some(value) = fragment.get("const") {
        return Some(vec![type_name(value)]);
    }
    if let Some(Value::Array(values)) = fragment.get("enum") {
        return Some(values.iter().map(type_name).collect());
    }
    BY_KEYWORD
        .iter()
        .find(|(keyword, _)| fragment.get(*keyword).is_some())
        .map(|(_, type_name)| vec![*type_name])
}

const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn fits(has: &str, needs: &str) -> bool {
    has == needs || matches!((has, needs), ("integer", "number") | ("number", "integer"))
}
