//! The JSON Schema of the configuration, for editors.
//!
//! It is written from the table of keys that the parser uses. Draft 7, because that is what
//! editors understand fully. It cannot say everything: whether a toolset exists, whether a glob
//! compiles, and what an untrusted file may not do is left to the parser.

use serde_json::{Map, Value, json};

use super::{
    keys::{Key, LOCKED_RULE, RULE, Shape, TOP},
    when::ROOTS,
};

/// No control characters, at least one character.
const NAME_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";
/// Keys that JavaScript would reorder.
const INTEGER_PATTERN: &str = "^(0|[1-9][0-9]*)$";

/// The schema of a whole configuration, as `toolgate.schema.json` publishes it.
pub fn json_schema() -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "toolgate configuration",
        // Two words that editors read: the format is JSON with comments.
        "allowComments": true,
        "allowTrailingCommas": true,
    });
    let fields = fields(TOP);
    if let (Value::Object(schema), Value::Object(fields)) = (&mut schema, fields) {
        schema.extend(fields);
        schema.insert("definitions".into(), definitions());
    }
    schema
}

fn definitions() -> Value {
    let roots = ROOTS.iter().filter(|root| **root != "input");
    let roots: Vec<&str> = roots.copied().collect();
    let path = format!(r"^(input(\.[^.]+)*|{})$", roots.join("|"));
    json!({
        "action": { "enum": ["allow", "ask", "deny"] },
        "deny": { "const": "deny" },
        "when": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": { "pattern": path },
            "additionalProperties": { "type": ["object", "boolean"] },
        },
        "permission": block("action", RULE),
        "locked": block("deny", LOCKED_RULE),
    })
}

/// The three forms of a block of rules.
fn block(action: &str, keys: &[Key]) -> Value {
    let word = json!({ "$ref": format!("#/definitions/{action}") });
    let rule = json!({
        "anyOf": [
            word,
            {
                "type": "object",
                "propertyNames": { "minLength": 1, "not": { "pattern": INTEGER_PATTERN } },
                "additionalProperties": word,
            },
            { "type": "array", "items": fields(keys) },
        ],
    });
    json!({ "anyOf": [word, own_names(&rule, true)] })
}

fn own_names(value: &Value, has_order: bool) -> Value {
    let mut names = json!({ "pattern": NAME_PATTERN });
    if let (Value::Object(names), true) = (&mut names, has_order) {
        names.insert("not".into(), json!({ "pattern": INTEGER_PATTERN }));
    }
    json!({ "type": "object", "propertyNames": names, "additionalProperties": value })
}

fn fields(keys: &[Key]) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let mut value = Map::new();
        value.insert("description".into(), key.about.into());
        if let Value::Object(shape) = shape(&key.shape, key.name == "declare") {
            // Draft 7 reads nothing beside a `$ref`.
            if shape.contains_key("$ref") {
                value.insert("allOf".into(), json!([shape]));
            } else {
                value.extend(shape);
            }
        }
        properties.insert(key.name.into(), Value::Object(value));
    }
    let mut schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let required: Vec<&str> = keys
        .iter()
        .filter(|key| key.is_required)
        .map(|key| key.name)
        .collect();
    if let (Value::Object(schema), false) = (&mut schema, required.is_empty()) {
        schema.insert("required".into(), json!(required));
    }
    schema
}

fn shape(shape: &Shape, has_order: bool) -> Value {
    let name = || json!({ "type": "string", "pattern": NAME_PATTERN });
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Name => name(),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Pointer => json!({ "type": "string", "pattern": "^/([^~]|~[01])*$" }),
        Shape::Words(words) => json!({ "enum": words }),
        Shape::Names => json!({ "type": "array", "items": name() }),
        Shape::NameOrNames => {
            json!({ "anyOf": [name(), { "type": "array", "minItems": 1, "items": name() }] })
        }
        Shape::Fields(keys) => fields(keys),
        Shape::List(item) => json!({ "type": "array", "items": self::shape(item, false) }),
        Shape::Map(value) => own_names(&self::shape(value, false), has_order),
        Shape::Definition(name) => json!({ "$ref": format!("#/definitions/{name}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{node::Node, spans::Source, tests::read, text};

    /// The parser and the published schema say the same.
    #[track_caller]
    fn check(text: &str, is_taken: bool) {
        let json = text::parse(&Source::new("f", text))
            .map(|node: Node| node.to_json())
            .unwrap();
        let validator = jsonschema::validator_for(&json_schema()).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(&json)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults.is_empty(), is_taken, "schema, {text}: {faults:?}");
        assert_eq!(
            read(text).is_ok(),
            is_taken,
            "parser, {text}: {:?}",
            read(text).err()
        );
    }

    #[test]
    fn the_committed_file_is_the_one_that_is_written() {
        let committed: Value =
            serde_json::from_str(include_str!("../../../../toolgate.schema.json")).unwrap();
        let help = "run `cargo run -p toolgate --example write_schema > toolgate.schema.json`";
        assert_eq!(committed, json_schema(), "{help}");
    }

    #[test]
    fn it_is_a_schema() {
        assert!(jsonschema::meta::is_valid(&json_schema()));
    }

    #[test]
    fn what_the_parser_takes_the_schema_takes() {
        check(include_str!("sample.jsonc"), true);
        check("{}", true);
        check("{ \"permission\": \"ask\", \"locked\": \"deny\" }", true);
        check(
            "{ \"permission\": { \"constructor\": { \"toString\": \"deny\" }, \"a\": [], \"b\": {} } }",
            true,
        );
        check(
            "{ \"permission\": { \"a\": [{ \"when\": { \"input\": true }, \"action\": \"ask\" }] } }",
            true,
        );
    }

    #[test]
    fn what_the_parser_refuses_the_schema_refuses() {
        for wrong in [
            "[]",
            "{ \"permissions\": {} }",
            "{ \"limits\": {} }",
            "{ \"$schema\": 5 }",
            "{ \"permission\": [] }",
            "{ \"permission\": \"allowed\" }",
            "{ \"permission\": { \"a\": 5 } }",
            "{ \"permission\": { \"a\": { \"b\": \"Deny\" } } }",
            "{ \"permission\": { \"a\": { \"\": \"deny\" } } }",
            "{ \"permission\": { \"a\": { \"42\": \"deny\" } } }",
            "{ \"permission\": { \"42\": \"deny\" } }",
            "{ \"permission\": { \"a\\u0000\": \"deny\" } }",
            "{ \"permission\": { \"a\": [\"deny\"] } }",
            "{ \"permission\": { \"a\": [{}] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"x\": 1 }] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"pattern\": \"\" }] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"when\": {} }] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"when\": { \"amount\": {} } }] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"when\": { \"input..a\": {} } }] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"when\": { \"role.a\": {} } }] } }",
            "{ \"permission\": { \"a\": [{ \"action\": \"deny\", \"when\": { \"role\": \"x\" } }] } }",
            "{ \"locked\": \"ask\" }",
            "{ \"locked\": { \"a\": { \"b\": \"allow\" } } }",
            "{ \"locked\": { \"a\": [{ \"action\": \"ask\" }] } }",
            "{ \"roles\": { \"a\": \"deny\" } }",
            "{ \"roles\": { \"a\": { \"x\": 1 } } }",
            "{ \"roles\": { \"\": {} } }",
            "{ \"visibility\": {} }",
            "{ \"visibility\": [{ \"tools\": \"a\" }] }",
            "{ \"visibility\": [{ \"tools\": [], \"action\": \"drop\" }] }",
            "{ \"visibility\": [{ \"tools\": \"a\", \"action\": \"hide\" }] }",
            "{ \"visibility\": [{ \"tools\": \"a\", \"action\": \"drop\", \"flags\": \"x\" }] }",
            "{ \"toolsets\": { \"a\": \"b\" } }",
            "{ \"toolsets\": { \"a\": [5] } }",
            "{ \"tenants\": { \"a\": { \"toolset\": [] } } }",
            "{ \"tenants\": { \"a\": { \"locked\": \"ask\" } } }",
            "{ \"declare\": { \"7\": {} } }",
            "{ \"declare\": { \"a\": { \"effect\": \"write\" } } }",
            "{ \"declare\": { \"a\": { \"permission\": \"b\" } } }",
            "{ \"declare\": { \"a\": { \"permission\": { \"pattern\": \"b\" } } } }",
            "{ \"declare\": { \"a\": { \"permission\": { \"pattern\": \"/~2\" } } } }",
            "{ \"declare\": { \"a\": { \"category\": \"\" } } }",
            "{ \"declare\": { \"a\": { \"streaming\": 1 } } }",
            "{ \"declare\": { \"a\": { \"idempotencyKey\": \"b\" } } }",
        ] {
            check(wrong, false);
        }
    }
}
