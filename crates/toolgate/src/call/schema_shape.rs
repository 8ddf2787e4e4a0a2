//! What a schema may look like before it is compiled.
//!
//! A schema may come from a stranger's server. Compiling and running it recurses over its depth
//! and over its references, and a reference that leads back to the same place without descending
//! into the input multiplies the work at every step: thirty lines can ask for a billion checks of
//! one value. Everything here is a walk with an explicit stack, so that no schema can exhaust it.
//!
//! Every object counts as a schema, whether it stands at a place for schemas or not. That errs on
//! the strict side only for documents that no generator writes.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde_json::{Map, Value};

/// How deep a schema document may be nested.
const MAX_DEPTH: usize = 128;
/// How many values a schema document may have.
const MAX_VALUES: usize = 100_000;
/// How many bytes its texts and names may have together.
const MAX_BYTES: usize = 1024 * 1024;
/// How many regular expressions it may hold; each takes up to [`super::schema::PATTERN_BYTES`].
const MAX_PATTERNS: usize = 200;
/// How long one regular expression may be.
const MAX_PATTERN_BYTES: usize = 8 * 1024;
/// How many documents with a name of their own it may embed.
const MAX_RESOURCES: usize = 50;
/// How many schemas may apply to one and the same value, one inside or behind the other.
const MAX_CHAIN: usize = 64;
/// How many schemas may apply to one and the same value in all.
const MAX_APPLIED: u64 = 4_000;
/// The same, multiplied by the number of `unevaluated…` keywords, each of which repeats them.
const MAX_REAPPLIED: u64 = 100_000;

/// What is wrong, and where: a JSON pointer into the schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misshape {
    pub(super) pointer: String,
    pub(super) problem: String,
}

/// Every object of the document, by its address.
#[derive(Default)]
struct Graph<'a> {
    subschemas: IndexMap<*const Value, Subschema<'a>, FxBuildHasher>,
    /// What `$anchor`, `$dynamicAnchor` and draft 7's `$id: "#…"` name.
    anchors: IndexMap<&'a str, Vec<&'a Value>, FxBuildHasher>,
    /// The documents that carry an `$id`.
    resources: Vec<&'a Value>,
}

struct Subschema<'a> {
    map: &'a Map<String, Value>,
    /// The document or embedded document (`$id`) that its references count from.
    resource: &'a Value,
    parent: Option<Parent>,
    /// How many schemas apply in all and how long the longest chain is; `None` while unknown.
    weight: Option<(u64, usize)>,
}

/// The object around a value, and the escaped names that lead from there to it.
#[derive(Clone)]
struct Parent {
    id: *const Value,
    name: String,
}

/// How often a schema may try regular expressions that are not bound to linear time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Backtracking {
    /// Whether a text may be tried.
    pub(super) texts: bool,
    /// How many of them are tried on each name of a property.
    pub(super) names: u32,
}

/// Refuses a schema that is too large, too deep, or refers in circles.
pub(super) fn check(schema: &Value) -> Result<Backtracking, Misshape> {
    let mut graph = read(schema)?;
    let all: Vec<*const Value> = graph.subschemas.keys().copied().collect();
    let mut heaviest = 0;
    for start in all {
        heaviest = heaviest.max(weigh(&mut graph, start)?);
    }
    let repeats = |s: &&Subschema<'_>| {
        s.map.contains_key("unevaluatedProperties") || s.map.contains_key("unevaluatedItems")
    };
    let repeats = graph.subschemas.values().filter(repeats).count() as u64;
    if repeats.saturating_mul(heaviest) > MAX_REAPPLIED {
        return Err(whole(
            "has too many `unevaluatedProperties` or `unevaluatedItems` for its size",
        ));
    }
    Ok(backtracking(&graph))
}

fn backtracking(graph: &Graph<'_>) -> Backtracking {
    let maps = || graph.subschemas.values().map(|subschema| subschema.map);
    let names = maps()
        .flat_map(name_expressions)
        .filter(|e| backtracks(e))
        .count();
    let texts = maps()
        .filter_map(text_expression)
        .filter(|e| backtracks(e))
        .count();
    // What `propertyNames` refers to is not followed: any expression may stand behind it.
    let behind = if maps().any(|map| map.contains_key("propertyNames")) {
        texts
    } else {
        0
    };
    Backtracking {
        texts: texts > 0,
        names: u32::try_from(names + behind).unwrap_or(u32::MAX),
    }
}

/// Whether `expression` uses what only a backtracking engine has: looking around, referring back,
/// atomic and possessive groups. Errs on the side of yes.
fn backtracks(expression: &str) -> bool {
    const SIGNS: [&str; 13] = [
        "(?=", "(?!", "(?<", "(?>", "(?(", "\\k", "\\g", "\\K", "\\G", "++", "*+", "?+", "}+",
    ];
    let refers = |pair: &[u8]| matches!(pair, [b'\\', b'1'..=b'9']);
    SIGNS.iter().any(|sign| expression.contains(sign))
        || expression.as_bytes().windows(2).any(refers)
}

/// Refuses a schema that is nested too deeply to be written out.
fn check_depth(schema: &Value) -> Result<(), Misshape> {
    let mut stack = vec![(schema, 1_usize)];
    while let Some((value, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return Err(whole(&format!("is nested deeper than {MAX_DEPTH} levels")));
        }
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => stack.extend(map.values().map(|member| (member, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

/// Measures the document and collects its objects.
fn read(schema: &Value) -> Result<Graph<'_>, Misshape> {
    check_depth(schema)?;
    let mut graph = Graph::default();
    let (mut values, mut bytes, mut patterns) = (0_usize, 0_usize, 0_usize);
    let mut stack = vec![(schema, schema, None::<Parent>)];
    while let Some((value, resource, parent)) = stack.pop() {
        values += 1;
        let limits = [
            (values, MAX_VALUES, "values"),
            (bytes, MAX_BYTES, "bytes of text"),
            (patterns, MAX_PATTERNS, "patterns"),
            (
                graph.resources.len(),
                MAX_RESOURCES,
                "documents with an `$id`",
            ),
        ];
        if let Some((_, most, what)) = limits.iter().find(|(number, most, _)| number > most) {
            return Err(whole(&format!("has more than {most} {what}")));
        }
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate().rev() {
                    let parent = parent.clone().map(|Parent { id, name }| Parent {
                        id,
                        name: format!("{name}/{at}"),
                    });
                    stack.push((item, resource, parent));
                }
            }
            Value::Object(map) => {
                let id = std::ptr::from_ref(value);
                let resource = graph.name(value, map, resource);
                for expression in name_expressions(map).chain(text_expression(map)) {
                    patterns += 1;
                    if expression.len() > MAX_PATTERN_BYTES {
                        return Err(Misshape {
                            pointer: graph.pointer(parent.as_ref()),
                            problem: format!(
                                "has a pattern of more than {MAX_PATTERN_BYTES} bytes"
                            ),
                        });
                    }
                }
                for (name, member) in map.iter().rev() {
                    bytes += name.len();
                    let name = name.replace('~', "~0").replace('/', "~1");
                    stack.push((member, resource, Some(Parent { id, name })));
                }
                let subschema = Subschema {
                    map,
                    resource,
                    parent,
                    weight: None,
                };
                graph.subschemas.insert(id, subschema);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    Ok(graph)
}

fn text_expression(map: &Map<String, Value>) -> Option<&str> {
    map.get("pattern").and_then(Value::as_str)
}

fn name_expressions(map: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = map.get("patternProperties").and_then(Value::as_object);
    names
        .into_iter()
        .flat_map(|map| map.keys().map(String::as_str))
}

/// How many schemas apply to a value that `start` applies to.
fn weigh(graph: &mut Graph<'_>, start: *const Value) -> Result<u64, Misshape> {
    /// A subschema on the way down, those of its own that are not weighed yet, and the sum so far.
    struct Step {
        id: *const Value,
        applied: Vec<*const Value>,
        weight: (u64, usize),
    }
    let weight_of = |graph: &Graph<'_>, id| graph.subschemas.get(&id).and_then(|s| s.weight);
    let chain_problem = format!("leads through more than {MAX_CHAIN} schemas for one value");
    let count_problem = format!("applies more than {MAX_APPLIED} schemas to one value");
    let mut path: Vec<Step> = Vec::new();
    if weight_of(graph, start).is_none() {
        path.push(Step {
            id: start,
            applied: graph.applied_by(start),
            weight: (1, 1),
        });
    }
    while let Some(step) = path.last_mut() {
        if let Some(next) = step.applied.last().copied() {
            if let Some((count, chain)) = weight_of(graph, next) {
                step.applied.pop();
                step.weight.0 = step.weight.0.saturating_add(count);
                step.weight.1 = step.weight.1.max(chain + 1);
                continue;
            }
            if path.iter().any(|step| step.id == next) {
                return Err(graph.misshape(
                    next,
                    "refers back to itself without descending into the input",
                ));
            }
            if path.len() >= MAX_CHAIN {
                return Err(graph.misshape(start, &chain_problem));
            }
            let applied = graph.applied_by(next);
            path.push(Step {
                id: next,
                applied,
                weight: (1, 1),
            });
            continue;
        }
        let (id, weight) = (step.id, step.weight);
        if weight.0 > MAX_APPLIED {
            return Err(graph.misshape(id, &count_problem));
        }
        if weight.1 > MAX_CHAIN {
            return Err(graph.misshape(id, &chain_problem));
        }
        if let Some(subschema) = graph.subschemas.get_mut(&id) {
            subschema.weight = Some(weight);
        }
        path.pop();
    }
    Ok(weight_of(graph, start).map_or(0, |(count, _)| count))
}

impl<'a> Graph<'a> {
    /// Notes the names that `value` has, and says which document its references count from.
    fn name(
        &mut self,
        value: &'a Value,
        map: &'a Map<String, Value>,
        resource: &'a Value,
    ) -> &'a Value {
        let text = |keyword| map.get(keyword).and_then(Value::as_str);
        let id = text("$id");
        let fragment = id.and_then(|id| id.strip_prefix('#'));
        for anchor in [text("$anchor"), text("$dynamicAnchor"), fragment]
            .into_iter()
            .flatten()
        {
            self.anchors.entry(anchor).or_default().push(value);
        }
        if id.is_some() && fragment.is_none() {
            self.resources.push(value);
            return value;
        }
        resource
    }

    /// The subschemas that apply to the same value as the one at `id`.
    fn applied_by(&self, id: *const Value) -> Vec<*const Value> {
        let mut applied: Vec<&Value> = Vec::new();
        let Some(subschema) = self.subschemas.get(&id) else {
            return Vec::new();
        };
        for (keyword, value) in subschema.map {
            match (keyword.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => applied.extend(items),
                ("not" | "if" | "then" | "else", value) => applied.push(value),
                ("dependentSchemas" | "dependencies", Value::Object(map)) => {
                    applied.extend(map.values());
                }
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    applied.extend(self.targets(subschema.resource, reference));
                }
                _ => {}
            }
        }
        applied
            .into_iter()
            .filter(|value| value.is_object())
            .map(std::ptr::from_ref)
            .collect()
    }

    /// What `reference`, written inside `resource`, may mean.
    fn targets(&self, resource: &'a Value, reference: &str) -> Vec<&'a Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchors.get(fragment).cloned().unwrap_or_default();
        }
        let fragment = percent_decoded(fragment);
        if base.is_empty() {
            return resource.pointer(&fragment).into_iter().collect();
        }
        // Which embedded document a relative name means depends on bases; each may be meant.
        let within = |resource: &&'a Value| resource.pointer(&fragment);
        self.resources.iter().filter_map(within).collect()
    }

    fn misshape(&self, id: *const Value, problem: &str) -> Misshape {
        let parent = self.subschemas.get(&id).and_then(|s| s.parent.as_ref());
        Misshape {
            pointer: self.pointer(parent),
            problem: problem.to_owned(),
        }
    }

    fn pointer(&self, parent: Option<&Parent>) -> String {
        let mut names = Vec::new();
        let mut parent = parent.cloned();
        while let Some(Parent { id, name }) = parent {
            names.push(name);
            parent = self.subschemas.get(&id).and_then(|s| s.parent.clone());
        }
        names
            .iter()
            .rev()
            .fold(String::new(), |path, name| path + "/" + name)
    }
}

fn whole(problem: &str) -> Misshape {
    Misshape {
        pointer: String::new(),
        problem: problem.to_owned(),
    }
}

fn percent_decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let hex = |b: Option<u8>| {
            b.and_then(|b| char::from(b).to_digit(16))
                .and_then(|d| u8::try_from(d).ok())
        };
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(high * 16 + low);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "rows read better without `&`"
    )]
    fn check_shape(schema: Value, expected: Result<(), (&str, &str)>) {
        let actual = check(&schema);
        match (&actual, expected) {
            (Ok(_), Ok(())) => {}
            (Err(misshape), Err((pointer, problem))) => {
                assert_eq!(misshape.pointer, pointer);
                assert!(misshape.problem.contains(problem), "{misshape:?}");
            }
            _ => panic!("{actual:?} is not {expected:?}"),
        }
    }

    #[test]
    fn recursion_that_descends_is_fine() {
        check_shape(
            json!({ "properties": { "child": { "$ref": "#" } } }),
            Ok(()),
        );
        check_shape(
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "type": "null" }, { "items": { "$ref": "#/$defs/a" } }] } } }),
            Ok(()),
        );
        check_shape(
            json!({ "$defs": { "a": { "$dynamicAnchor": "n", "items": { "$dynamicRef": "#n" } } }, "$ref": "#n" }),
            Ok(()),
        );
    }

    #[test]
    fn circles_that_do_not_descend_are_not() {
        let circle = "refers back to itself";
        check_shape(json!({ "$ref": "#" }), Err(("", circle)));
        check_shape(json!({ "$ref": "" }), Err(("", circle)));
        check_shape(
            json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "allOf": [{ "$ref": "#/$defs/a" }] } } }),
            Err(("/$defs/a", circle)),
        );
        check_shape(
            json!({ "$defs": { "a/b%": { "not": { "$ref": "#/$defs/a~1b%25" } } } }),
            Err(("/$defs/a~1b%", circle)),
        );
        check_shape(
            json!({ "$defs": { "x": { "$anchor": "me", "if": { "$ref": "#me" } } } }),
            Err(("/$defs/x", circle)),
        );
        check_shape(
            json!({ "$id": "https://a.b/c", "anyOf": [{ "$ref": "c" }] }),
            Err(("", circle)),
        );
    }

    #[test]
    fn names_of_properties_are_no_keywords() {
        check_shape(
            json!({ "properties": { "not": { "$ref": "#" }, "allOf": { "type": "string" }, "$ref": { "type": "string" } } }),
            Ok(()),
        );
    }

    #[test]
    fn doubling_behind_references_is_counted() {
        let mut defs = Map::new();
        for at in 0..30 {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            defs.insert(format!("d{at}"), json!({ "allOf": [next, next] }));
        }
        defs.insert("d30".to_owned(), json!({ "type": "string" }));
        let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs });
        assert!(
            check(&schema)
                .unwrap_err()
                .problem
                .contains("more than 4000 schemas")
        );
    }

    #[test]
    fn long_chains_are_refused() {
        let mut defs = Map::new();
        for at in 0..10_000 {
            defs.insert(
                format!("d{at}"),
                json!({ "$ref": format!("#/$defs/d{}", at + 1) }),
            );
        }
        let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs });
        assert!(
            check(&schema)
                .unwrap_err()
                .problem
                .contains("more than 64 schemas")
        );
    }

    #[test]
    fn expressions_that_may_take_long_are_counted() {
        for (schema, texts, names) in [
            (json!({ "pattern": "^[a-z]+$" }), false, 0),
            (json!({ "items": { "pattern": "^(?!a).*$" } }), true, 0),
            (json!({ "pattern": "(a)\\1" }), true, 0),
            (
                json!({ "patternProperties": { "(?=a)": {}, "b": {} } }),
                false,
                1,
            ),
            (
                json!({ "propertyNames": { "$ref": "#/$defs/n" }, "$defs": { "n": { "pattern": "(?=a)" } } }),
                true,
                1,
            ),
        ] {
            assert_eq!(
                check(&schema),
                Ok(Backtracking { texts, names }),
                "{schema}"
            );
        }
    }

    #[test]
    fn size_and_depth_are_bounded() {
        let mut deep = json!({});
        for _ in 0..200 {
            deep = json!({ "items": deep });
        }
        check_shape(deep, Err(("", "deeper than 128")));
        check_shape(
            json!({ "enum": (0..100_001).collect::<Vec<_>>() }),
            Err(("", "more than 100000 values")),
        );
        check_shape(json!({ "enum": (0..50_000).collect::<Vec<_>>() }), Ok(()));
        check_shape(
            json!({ "allOf": [{ "title": "x".repeat(2_000_000) }, 1] }),
            Err(("", "bytes of text")),
        );
        check_shape(
            json!({ "items": { "pattern": "a".repeat(10_000) } }),
            Err(("/items", "pattern of more than")),
        );
        let patterns: Map<String, Value> = (0..201).map(|n| (n.to_string(), json!({}))).collect();
        check_shape(
            json!({ "patternProperties": patterns }),
            Err(("", "more than 200 patterns")),
        );
    }
}
