//! The schema fragments of conditions, read more strictly than JSON Schema reads them.
//!
//! Apart from their evaluation because both rules here exist for one reason: a fragment that says
//! less than its author believes opens a call. JSON Schema passes over a keyword that it does not
//! know (`maximun`), and its `maximum` accepts every text.

use serde_json::{Map, Value};

use crate::suggest;

/// What a value of a keyword is, so that a walk knows where schemas stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// No schema.
    Data,
    /// A schema, or a list of schemas.
    Schema,
    /// Schemas by name.
    Named,
    /// A schema whose failure counts: typing it would open what it refuses.
    Negated,
}

/// The keywords of drafts 7 and 2020-12, what they hold, and the type they speak of, if of one.
const KEYWORDS: &[(&str, Holds, Option<&str>)] = &[
    ("type", Holds::Data, None),
    ("const", Holds::Data, None),
    ("enum", Holds::Data, None),
    ("minimum", Holds::Data, Some("number")),
    ("maximum", Holds::Data, Some("number")),
    ("exclusiveMinimum", Holds::Data, Some("number")),
    ("exclusiveMaximum", Holds::Data, Some("number")),
    ("multipleOf", Holds::Data, Some("number")),
    ("minLength", Holds::Data, Some("string")),
    ("maxLength", Holds::Data, Some("string")),
    ("pattern", Holds::Data, Some("string")),
    ("format", Holds::Data, Some("string")),
    ("contentEncoding", Holds::Data, Some("string")),
    ("contentMediaType", Holds::Data, Some("string")),
    ("items", Holds::Schema, Some("array")),
    ("prefixItems", Holds::Schema, Some("array")),
    ("additionalItems", Holds::Schema, Some("array")),
    ("unevaluatedItems", Holds::Schema, Some("array")),
    ("contains", Holds::Schema, Some("array")),
    ("minContains", Holds::Data, Some("array")),
    ("maxContains", Holds::Data, Some("array")),
    ("minItems", Holds::Data, Some("array")),
    ("maxItems", Holds::Data, Some("array")),
    ("uniqueItems", Holds::Data, Some("array")),
    ("properties", Holds::Named, Some("object")),
    ("patternProperties", Holds::Named, Some("object")),
    ("additionalProperties", Holds::Schema, Some("object")),
    ("unevaluatedProperties", Holds::Schema, Some("object")),
    ("propertyNames", Holds::Schema, Some("object")),
    ("required", Holds::Data, Some("object")),
    ("dependentRequired", Holds::Data, Some("object")),
    ("dependentSchemas", Holds::Named, Some("object")),
    ("dependencies", Holds::Data, Some("object")),
    ("minProperties", Holds::Data, Some("object")),
    ("maxProperties", Holds::Data, Some("object")),
    ("allOf", Holds::Schema, None),
    ("anyOf", Holds::Schema, None),
    ("oneOf", Holds::Schema, None),
    ("then", Holds::Schema, None),
    ("else", Holds::Schema, None),
    ("if", Holds::Negated, None),
    ("not", Holds::Negated, None),
    ("$defs", Holds::Named, None),
    ("definitions", Holds::Named, None),
    ("$ref", Holds::Data, None),
    ("$id", Holds::Data, None),
    ("$anchor", Holds::Data, None),
    ("$schema", Holds::Data, None),
    ("$comment", Holds::Data, None),
    ("title", Holds::Data, None),
    ("description", Holds::Data, None),
    ("default", Holds::Data, None),
    ("examples", Holds::Data, None),
];

/// A keyword that JSON Schema would pass over, and the one that was meant, if it is near.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownKeyword {
    pub(super) written: String,
    pub(super) nearest: Option<&'static str>,
}

/// Looks for keywords that mean nothing. `x-` starts a note of the author.
pub(super) fn check_keywords(schema: &Value) -> Result<(), UnknownKeyword> {
    let Value::Object(map) = schema else {
        return Ok(());
    };
    for (key, value) in map {
        let Some((_, holds, _)) = keyword(key) else {
            if key.starts_with("x-") {
                continue;
            }
            let names = KEYWORDS.iter().map(|(name, _, _)| *name);
            return Err(UnknownKeyword {
                written: key.clone(),
                nearest: suggest::nearest(key, names),
            });
        };
        match (holds, value) {
            (Holds::Data, _) => {}
            (Holds::Named, Value::Object(named)) => {
                named.values().try_for_each(check_keywords)?;
            }
            (_, Value::Array(list)) => list.iter().try_for_each(check_keywords)?,
            (_, one) => check_keywords(one)?,
        }
    }
    Ok(())
}

/// The same fragment with the types that its keywords speak of written out, wherever a schema
/// stands that has to hold; `None` where that changes nothing.
pub(super) fn typed(schema: &Value) -> Option<Value> {
    let typed = with_types(schema);
    (typed != *schema).then_some(typed)
}

fn with_types(schema: &Value) -> Value {
    let Value::Object(map) = schema else {
        return schema.clone();
    };
    let mut copy = Map::new();
    let mut types: Vec<&str> = Vec::new();
    for (key, value) in map {
        let (holds, speaks_of) =
            keyword(key).map_or((Holds::Data, None), |(_, holds, of)| (*holds, *of));
        types.extend(speaks_of.filter(|of| !types.contains(of)));
        let inner = match (holds, value) {
            (Holds::Data | Holds::Negated, _) => value.clone(),
            (Holds::Named, Value::Object(named)) => {
                let named = named
                    .iter()
                    .map(|(name, one)| (name.clone(), with_types(one)));
                Value::Object(named.collect())
            }
            (_, Value::Array(list)) => Value::Array(list.iter().map(with_types).collect()),
            (_, one) => with_types(one),
        };
        copy.insert(key.clone(), inner);
    }
    if !types.is_empty() && !map.contains_key("type") {
        copy.insert("type".into(), types.into());
    }
    Value::Object(copy)
}

fn keyword(name: &str) -> Option<&'static (&'static str, Holds, Option<&'static str>)> {
    KEYWORDS.iter().find(|(known, _, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelled_keyword_is_found_wherever_it_stands() {
        let check = |schema: Value, expected: Option<(&str, Option<&str>)>| {
            let actual = check_keywords(&schema).err();
            let actual = actual
                .as_ref()
                .map(|unknown| (unknown.written.as_str(), unknown.nearest));
            assert_eq!(actual, expected, "{schema}");
        };
        check(json!({ "maximum": 10, "x-why": "small" }), None);
        check(json!({ "enum": [{ "maximun": 1 }] }), None);
        check(json!({ "properties": { "maximun": true } }), None);
        check(json!({ "maximun": 10 }), Some(("maximun", Some("maximum"))));
        check(
            json!({ "anyOf": [{ "not": { "minimun": 10 } }] }),
            Some(("minimun", Some("minimum"))),
        );
        check(
            json!({ "properties": { "a": { "lenght": 1 } } }),
            Some(("lenght", None)),
        );
    }

    #[test]
    fn types_are_written_where_a_schema_has_to_hold() {
        let check = |schema: Value, expected: Option<Value>| {
            assert_eq!(typed(&schema), expected, "{schema}");
        };
        check(json!({ "const": 5 }), None);
        check(json!(true), None);
        check(json!({ "type": "integer", "maximum": 5 }), None);
        check(
            json!({ "maximum": 5 }),
            Some(json!({ "maximum": 5, "type": ["number"] })),
        );
        check(
            json!({ "maximum": 5, "maxLength": 2 }),
            Some(json!({ "maximum": 5, "maxLength": 2, "type": ["number", "string"] })),
        );
        check(
            json!({ "anyOf": [{ "maximum": 5 }] }),
            Some(json!({ "anyOf": [{ "maximum": 5, "type": ["number"] }] })),
        );
        check(json!({ "not": { "minimum": 5 } }), None);
    }
}
