//! What is wrong with an input, worded for the model that wrote it.
//!
//! Apart from [`super::validate`] because it is slow and rare: it runs once an input was refused.
//! At most [`MAX_FAULTS`] are told, in the order of the schema; a model that mends ten faults will
//! not read an eleventh. Of alternatives (`anyOf`, `oneOf`) only the one is told that the input
//! came nearest to. What came is told by its type and a bounded piece of its value, never by
//! megabytes.

use jsonschema::{
    JsonType, ValidationError,
    error::ValidationErrorKind,
    json::{Array, Json, Node, Object},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    budget::{Budget, MAX_DEPTH, MAX_VALUES, Stop},
    expected,
    schema::CompiledSchema,
};

/// How many faults a list holds.
pub const MAX_FAULTS: usize = 10;

/// The path of the input itself.
pub const WHOLE_INPUT: &str = "(the whole input)";

/// How many characters of a string are shown.
const MAX_SHOWN: usize = 60;
/// How many alternatives inside alternatives are looked into.
const MAX_ALTERNATIVES_DEPTH: usize = 16;

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where: `/items/2/price`, or [`WHOLE_INPUT`].
    pub path: String,
    /// What would have been right.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl Fault {
    /// A fault at `pointer`, a JSON pointer.
    pub fn at(pointer: &str, expected: impl Into<String>, got: impl Into<String>) -> Self {
        let path = if pointer.is_empty() {
            WHOLE_INPUT
        } else {
            pointer
        };
        Self {
            path: path.to_owned(),
            expected: expected.into(),
            got: got.into(),
        }
    }
}

/// Words what is wrong with `node`; empty when nothing is.
///
/// First, all errors of the validator. Second, when collecting them took too long, its first one.
/// Last, when even that could not be found within the budget, the limit itself is the fault.
pub fn faults<'i, J: Json>(
    schema: &'i CompiledSchema<J>,
    node: &J::Node<'i>,
    budget: &Budget,
) -> Vec<Fault> {
    let mut errors: Vec<ValidationError<'i>> =
        schema.validator().iter_errors(node.clone()).collect();
    if budget.stop() == Some(Stop::TooMany) {
        budget.refill();
        errors = schema
            .validator()
            .validate(node.clone())
            .err()
            .into_iter()
            .collect();
    }
    match budget.stop() {
        Some(Stop::TooDeep) => {
            return vec![limit(
                &format!("at most {MAX_DEPTH} levels of nesting"),
                "more",
            )];
        }
        Some(Stop::TooMany) => {
            return vec![limit(
                &format!("fewer values (at most {MAX_VALUES})"),
                "more than can be checked",
            )];
        }
        Some(Stop::NotJson) => return vec![limit("JSON", "something that is not JSON")],
        None => {}
    }
    let mut found = Vec::new();
    // It was read when it was compiled, so it is read again.
    let source = schema.source().parse().unwrap_or_default();
    for error in &errors {
        if found.len() >= MAX_FAULTS {
            break;
        }
        collect(&source, error, 0, &mut found);
    }
    let mut told: Vec<Fault> = Vec::new();
    for Found { pointer, expected } in found {
        if told.len() >= MAX_FAULTS {
            break;
        }
        budget.refill();
        let got = find::<J>(node, &pointer)
            .map_or_else(|| "nothing".to_owned(), |node| describe::<J>(&node));
        let fault = Fault::at(&pointer, expected, got);
        if !told.contains(&fault) {
            told.push(fault);
        }
    }
    told
}

fn limit(expected: &str, got: &str) -> Fault {
    Fault::at("", expected, got)
}

/// Where something is wrong and what would have been right; what came is read last.
struct Found {
    pointer: String,
    expected: String,
}

/// Appends what `error` says.
fn collect(source: &Value, error: &ValidationError<'_>, depth: usize, found: &mut Vec<Found>) {
    let pointer = error.instance_path().as_str();
    let mut say = |expected: String| {
        found.push(Found {
            pointer: pointer.to_owned(),
            expected,
        });
    };
    let kind = error.kind();
    let is_closed = matches!(kind, ValidationErrorKind::FalseSchema)
        && error.schema_path().as_str().ends_with("Properties");
    if is_closed {
        say("no properties".to_owned());
    } else if let Some(words) = expected::words(kind) {
        say(words);
    } else if let ValidationErrorKind::AdditionalProperties { unexpected }
    | ValidationErrorKind::UnevaluatedProperties { unexpected } = kind
    {
        let known = known_properties(source, error.schema_path().as_str());
        for name in unexpected.iter().take(MAX_FAULTS) {
            say(expected::no_property(name, &known));
        }
    } else if let ValidationErrorKind::PropertyNames { error } = kind {
        let words = expected::words(error.kind()).unwrap_or_else(|| "other names".to_owned());
        say(format!("names of properties that are {words}"));
    } else if let ValidationErrorKind::AnyOf { context }
    | ValidationErrorKind::OneOfNotValid { context } = kind
    {
        alternatives(source, pointer, context, depth, found);
    }
}

/// Appends what the nearest alternative says.
///
/// First, alternatives that a tag tells apart (`kind` is `a` in one and `b` in the other) and none
/// of which has the tag that came: the tags that there are. Second, alternatives that all fail at
/// the value itself: what it may be. Third, the nearest one: not failing by its tag or its type,
/// then with the fewest faults, then the first.
fn alternatives(
    source: &Value,
    pointer: &str,
    branches: &[Vec<ValidationError<'static>>],
    depth: usize,
    found: &mut Vec<Found>,
) {
    if let Some((pointer, options)) = tags(branches) {
        found.push(Found {
            pointer,
            expected: expected::one_of(&options),
        });
        return;
    }
    let all_here = branches.iter().all(|branch| matches!(branch.as_slice(), [only] if only.instance_path().as_str() == pointer && expected::words(only.kind()).is_some()));
    if all_here || depth >= MAX_ALTERNATIVES_DEPTH {
        let sentences = branches
            .iter()
            .filter_map(|branch| expected::words(branch.first()?.kind()));
        found.push(Found {
            pointer: pointer.to_owned(),
            expected: expected::either(sentences),
        });
        return;
    }
    let nearest = branches
        .iter()
        .filter(|branch| !branch.is_empty())
        .min_by_key(|branch| {
            let is_other = branch.iter().any(|error| {
                let is_here = error.instance_path().as_str() == pointer;
                let kind = error.kind();
                tag_options(kind).is_some()
                    || (is_here
                        && matches!(
                            kind,
                            ValidationErrorKind::Type { .. } | ValidationErrorKind::FalseSchema
                        ))
            });
            (is_other, branch.len())
        });
    for error in nearest.into_iter().flatten().take(MAX_FAULTS) {
        collect(source, error, depth + 1, found);
    }
}

/// The place that tells `branches` apart and the values that they have there, if every branch
/// fails there.
fn tags(branches: &[Vec<ValidationError<'static>>]) -> Option<(String, Vec<Value>)> {
    let (first, rest) = branches.split_first()?;
    if rest.is_empty() {
        return None;
    }
    'places: for error in first {
        let Some(options) = tag_options(error.kind()) else {
            continue;
        };
        let mut all = options;
        for branch in rest {
            let here = branch.iter().find_map(|other| {
                let is_here = other.instance_path() == error.instance_path();
                is_here.then(|| tag_options(other.kind())).flatten()
            });
            match here {
                Some(options) => all.extend(options),
                None => continue 'places,
            }
        }
        return Some((error.instance_path().as_str().to_owned(), all));
    }
    None
}

fn tag_options(kind: &ValidationErrorKind) -> Option<Vec<Value>> {
    if let ValidationErrorKind::Constant { expected_value } = kind {
        return Some(vec![(**expected_value).clone()]);
    }
    if let ValidationErrorKind::Enum { options } = kind {
        return options
            .as_array()
            .map(|options| options.iter().take(100).cloned().collect());
    }
    None
}

/// The properties that the schema around the keyword at `schema_path` names.
fn known_properties<'a>(source: &'a Value, schema_path: &str) -> Vec<&'a str> {
    let around = schema_path
        .rsplit_once('/')
        .map_or("", |(around, _)| around);
    let properties = source
        .pointer(around)
        .and_then(|around| around.get("properties"));
    let names = properties
        .and_then(Value::as_object)
        .map(|map| map.keys().map(String::as_str).collect());
    names.unwrap_or_default()
}

/// The node at `pointer` below `root`.
fn find<'i, J: Json>(root: &J::Node<'i>, pointer: &str) -> Option<J::Node<'i>> {
    let mut node = root.clone();
    for segment in pointer.split('/').skip(1) {
        let name = segment.replace("~1", "/").replace("~0", "~");
        node = if let Some(object) = node.as_object() {
            object.get(&J::prepare_key(&name))?
        } else {
            node.as_array()?.elements().nth(name.parse().ok()?)?
        };
    }
    Some(node)
}

/// What came: its type and a piece of its value.
fn describe<J: Json>(node: &J::Node<'_>) -> String {
    match node.json_type() {
        JsonType::Null => "null".to_owned(),
        JsonType::Boolean => node.as_boolean().unwrap_or_default().to_string(),
        JsonType::Integer | JsonType::Number => node.to_value().to_string(),
        JsonType::String => describe_text(&node.as_string().unwrap_or_default()),
        JsonType::Array => match node.as_array().map(|array| array.len()) {
            None | Some(0) => "an empty array".to_owned(),
            Some(len) => format!("an array of {}", expected::count(len as u64, "item")),
        },
        JsonType::Object => {
            let names: Vec<String> = node
                .as_object()
                .map(|object| {
                    object
                        .members()
                        .map(|(name, _)| format!("`{}`", expected::cut(name.as_ref())))
                        .collect()
                })
                .unwrap_or_default();
            match names.len() {
                0 => "an empty object".to_owned(),
                _ => format!("an object with {}", expected::list(names.into_iter())),
            }
        }
    }
}

fn describe_text(text: &str) -> String {
    let shown: String = text.chars().take(MAX_SHOWN).collect();
    let quoted = Value::String(shown.clone()).to_string();
    if shown.len() == text.len() {
        return quoted;
    }
    let count = expected::count(text.chars().count() as u64, "character");
    format!("a string of {count} that starts with {quoted}")
}

#[cfg(test)]
mod tests {
    use jsonschema::json::SerdeJson;
    use serde_json::json;

    use super::*;

    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "rows read better without `&`"
    )]
    fn check(schema: Value, input: Value, expected: &[&str]) {
        let schema = CompiledSchema::<SerdeJson>::compile(&(&schema).into()).unwrap();
        let told: Vec<String> = faults(&schema, &&input, &schema.faults_budget())
            .into_iter()
            .map(|fault| format!("{}: {}, got {}", fault.path, fault.expected, fault.got))
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn nothing_is_said_of_an_input_that_fits() {
        check(json!({ "type": "string" }), json!("a"), &[]);
    }

    #[test]
    fn types_are_named_plainly() {
        check(
            json!({ "type": "string" }),
            json!(1.5),
            &["(the whole input): a string, got 1.5"],
        );
        check(
            json!({ "type": "integer" }),
            json!(1.5),
            &["(the whole input): an integer, got 1.5"],
        );
        check(
            json!({ "type": ["string", "null"] }),
            json!(true),
            &["(the whole input): null or a string, got true"],
        );
        check(
            json!({ "type": "object" }),
            json!([]),
            &["(the whole input): an object, got an empty array"],
        );
        check(
            json!({ "type": "array" }),
            json!({ "a": 1, "b": 2 }),
            &["(the whole input): an array, got an object with `a`, `b`"],
        );
        check(
            json!({ "type": "boolean" }),
            json!("true"),
            &["(the whole input): true or false, got \"true\""],
        );
    }

    #[test]
    fn paths_lead_into_lists_and_escaped_names() {
        check(
            json!({ "properties": { "items": { "items": { "properties": { "a/b": { "type": "number" } } } } } }),
            json!({ "items": [{}, { "a/b": null }] }),
            &["/items/1/a~1b: a number, got null"],
        );
    }

    #[test]
    fn missing_and_unknown_properties_are_told_at_their_object() {
        check(
            json!({ "properties": { "filePath": {}, "limit": {} }, "required": ["filePath"], "additionalProperties": false }),
            json!({ "file_path": "a" }),
            &[
                "(the whole input): no property `file_path` (did you mean `filePath`? known: `filePath`, `limit`), got an object with `file_path`",
                "(the whole input): property `filePath`, got an object with `file_path`",
            ],
        );
        check(
            json!({ "properties": { "at": { "$ref": "#/$defs/point" } }, "$defs": { "point": { "properties": { "x": {} }, "unevaluatedProperties": false } } }),
            json!({ "at": { "y": 1 } }),
            &["/at: no property `y` (known: `x`), got an object with `y`"],
        );
    }

    #[test]
    fn an_object_that_has_to_be_empty_is_told_so() {
        check(
            json!({ "additionalProperties": false }),
            json!({ "a": 1 }),
            &["(the whole input): no properties, got an object with `a`"],
        );
        check(
            json!({ "properties": { "a": false } }),
            json!({ "a": 1 }),
            &["/a: nothing here, got 1"],
        );
    }

    #[test]
    fn limits_are_counted() {
        check(
            json!({ "maxItems": 1 }),
            json!([1, 2]),
            &["(the whole input): at most 1 item, got an array of 2 items"],
        );
        check(
            json!({ "minLength": 3 }),
            json!("é"),
            &["(the whole input): at least 3 characters, got \"é\""],
        );
        check(
            json!({ "minimum": 3 }),
            json!(2),
            &["(the whole input): a number of at least 3, got 2"],
        );
        check(
            json!({ "multipleOf": 5 }),
            json!(7),
            &["(the whole input): a multiple of 5, got 7"],
        );
        check(
            json!({ "uniqueItems": true }),
            json!([1, 1]),
            &["(the whole input): items that are all different, got an array of 2 items"],
        );
        check(
            json!({ "format": "date" }),
            json!("31.1.2025"),
            &["(the whole input): a date like `2025-01-31`, got \"31.1.2025\""],
        );
        check(
            json!({ "propertyNames": { "maxLength": 1 } }),
            json!({ "ab": 1 }),
            &[
                "(the whole input): names of properties that are at most 1 character, got an object with `ab`",
            ],
        );
    }

    #[test]
    fn long_texts_are_counted_and_not_repeated() {
        let text = "é".repeat(1_000_000);
        let start = "é".repeat(60);
        check(
            json!({ "type": "null" }),
            json!(text),
            &[&format!(
                "(the whole input): null, got a string of 1000000 characters that starts with \"{start}\""
            )],
        );
    }

    #[test]
    fn scalars_of_several_kinds_are_told_together() {
        check(
            json!({ "anyOf": [{ "type": "string" }, { "type": "number" }, { "enum": [null] }] }),
            json!([]),
            &["(the whole input): one of: a string, a number, `null`, got an empty array"],
        );
    }

    #[test]
    fn the_nearest_alternative_speaks() {
        let schema = json!({ "oneOf": [
            { "properties": { "kind": { "const": "a" }, "x": { "type": "number" } }, "required": ["kind", "x"] },
            { "properties": { "kind": { "const": "b" }, "y": { "type": "number" } }, "required": ["kind", "y"] },
        ] });
        check(
            schema.clone(),
            json!({ "kind": "b", "y": "1" }),
            &["/y: a number, got \"1\""],
        );
        check(
            schema.clone(),
            json!({ "kind": "a", "y": 1 }),
            &["(the whole input): property `x`, got an object with `kind`, `y`"],
        );
        check(
            schema,
            json!({ "kind": "c" }),
            &["/kind: one of `a`, `b`, got \"c\""],
        );
        check(
            json!({ "anyOf": [{ "type": "string" }, { "items": { "type": "string" }, "type": "array" }] }),
            json!([1]),
            &["/0: a string, got 1"],
        );
    }

    #[test]
    fn overlapping_alternatives_are_told() {
        check(
            json!({ "oneOf": [{ "minimum": 1 }, { "maximum": 9 }] }),
            json!(5),
            &[
                "(the whole input): exactly one of the alternatives to fit; more than one does, got 5",
            ],
        );
    }

    #[test]
    fn ten_faults_are_enough_and_come_in_order() {
        let input: Vec<Value> = (0..50).map(|n| json!(n)).collect();
        let told: Vec<String> = (0..10)
            .map(|n| format!("/{n}: a string, got {n}"))
            .collect();
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        check(
            json!({ "items": { "type": "string" } }),
            json!(input),
            &told,
        );
    }

    #[test]
    fn an_unfinished_pattern_is_a_fault_at_its_place() {
        check(
            json!({ "properties": { "a": { "pattern": "^((a|aa|\\2)+)+$" } } }),
            json!({ "a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" }),
            &[
                "/a: simpler text: its pattern could not be matched in time, got \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"",
            ],
        );
    }
}
