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

/// The keywords whose schemas apply to the same value as the one that they stand in.
const APPLYING: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
];

/// What is wrong, and where: a JSON pointer into the schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misshape {
    pub(super) pointer: String,
    pub(super) problem: String,
}

/// The objects that apply further schemas to the value that they apply to, by their address. All
/// others weigh one and are not kept: most schemas have none, and a server registers thousands.
#[derive(Default)]
struct Graph<'a> {
    applying: IndexMap<*const Value, Subschema<'a>, FxBuildHasher>,
    /// What `$anchor`, `$dynamicAnchor` and draft 7's `$id: "#…"` name.
    anchors: IndexMap<&'a str, Vec<&'a Value>, FxBuildHasher>,
    /// The documents that carry an `$id`.
    resources: Vec<&'a Value>,
}

struct Subschema<'a> {
    map: &'a Map<String, Value>,
    /// The document or embedded document (`$id`) that its references count from.
    resource: &'a Value,
    /// How many schemas apply in all and how long the longest chain is; `None` while unknown.
    weight: Option<(u64, usize)>,
}

/// What was counted on the way through a document.
#[derive(Default)]
struct Counts {
    values: usize,
    bytes: usize,
    patterns: usize,
    /// `unevaluatedProperties` and `unevaluatedItems`.
    unevaluated: u64,
    /// Whether there is a `propertyNames`.
    names_checked: bool,
    /// Expressions for names and for texts that backtrack.
    backtracking_names: u32,
    backtracking_texts: u32,
}

/// What is wrong with which object; the way to it is looked up only then.
type Fault = (*const Value, String);

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
    measure(schema).map_err(|(object, problem)| Misshape {
        pointer: pointer_to(schema, object),
        problem,
    })
}

fn measure(schema: &Value) -> Result<Backtracking, Fault> {
    let (mut graph, counts) = read(schema)?;
    let mut heaviest = 1;
    for at in 0..graph.applying.len() {
        if let Some(start) = graph.applying.get_index(at).map(|(start, _)| *start) {
            heaviest = heaviest.max(weigh(&mut graph, start)?);
        }
    }
    if counts.unevaluated.saturating_mul(heaviest) > MAX_REAPPLIED {
        let problem = "has too many `unevaluatedProperties` or `unevaluatedItems` for its size";
        return Err((schema, problem.to_owned()));
    }
    // What `propertyNames` refers to is not followed: any expression may stand behind it.
    let behind = if counts.names_checked {
        counts.backtracking_texts
    } else {
        0
    };
    Ok(Backtracking {
        texts: counts.backtracking_texts > 0,
        names: counts.backtracking_names.saturating_add(behind),
    })
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

/// Whether `expression`, which stands in `object`, backtracks; refuses a long one.
fn may_backtrack(object: &Value, expression: &str) -> Result<bool, Fault> {
    if expression.len() > MAX_PATTERN_BYTES {
        let problem = format!("has a pattern of more than {MAX_PATTERN_BYTES} bytes");
        return Err((object, problem));
    }
    Ok(backtracks(expression))
}

/// Measures the document and collects its objects that apply others.
fn read(schema: &Value) -> Result<(Graph<'_>, Counts), Fault> {
    let (mut graph, mut counts) = (Graph::default(), Counts::default());
    let mut stack = vec![(schema, schema, 1_usize)];
    while let Some((value, resource, depth)) = stack.pop() {
        counts.values += 1;
        if depth > MAX_DEPTH {
            return Err((schema, format!("is nested deeper than {MAX_DEPTH} levels")));
        }
        match value {
            Value::String(text) => counts.bytes += text.len(),
            Value::Array(items) => {
                let items = items.iter().rev();
                stack.extend(items.map(|item| (item, resource, depth + 1)));
            }
            Value::Object(map) => {
                let resource = graph.keep(value, map, resource, &mut counts)?;
                let members = map.values().rev();
                stack.extend(members.map(|member| (member, resource, depth + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        for (number, most, what) in [
            (counts.values, MAX_VALUES, "values"),
            (counts.bytes, MAX_BYTES, "bytes of text"),
            (counts.patterns, MAX_PATTERNS, "patterns"),
            (
                graph.resources.len(),
                MAX_RESOURCES,
                "documents with an `$id`",
            ),
        ] {
            if number > most {
                return Err((schema, format!("has more than {most} {what}")));
            }
        }
    }
    Ok((graph, counts))
}

/// The JSON pointer that leads from `schema` to `target`, one of its objects.
fn pointer_to(schema: &Value, target: *const Value) -> String {
    enum Name<'a> {
        Member(&'a str),
        Item(usize),
    }
    let mut seen = vec![(schema, 0_usize, Name::Member(""))];
    let mut at = 0;
    while let Some(&(value, ..)) = seen.get(at) {
        match value {
            _ if std::ptr::eq(value, target) => break,
            Value::Array(items) => {
                let items = items.iter().enumerate();
                seen.extend(items.map(|(n, item)| (item, at, Name::Item(n))));
            }
            Value::Object(map) => {
                seen.extend(map.iter().map(|(n, member)| (member, at, Name::Member(n))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        at += 1;
    }
    let mut names = Vec::new();
    while at > 0
        && let Some((_, parent, name)) = seen.get(at)
    {
        names.push(match name {
            Name::Member(name) => name.replace('~', "~0").replace('/', "~1"),
            Name::Item(n) => n.to_string(),
        });
        at = *parent;
    }
    names
        .iter()
        .rev()
        .fold(String::new(), |path, name| path + "/" + name)
}

/// How many schemas apply to a value that `start` applies to.
fn weigh(graph: &mut Graph<'_>, start: *const Value) -> Result<u64, Fault> {
    /// A subschema on the way down, those of its own that are not weighed yet, and the sum so far.
    struct Step {
        id: *const Value,
        applied: Vec<*const Value>,
        weight: (u64, usize),
    }
    let weight_of = |graph: &Graph<'_>, id| match graph.applying.get(&id) {
        Some(subschema) => subschema.weight,
        None => Some((1, 1)),
    };
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
                let problem = "refers back to itself without descending into the input";
                return Err((next, problem.to_owned()));
            }
            if path.len() >= MAX_CHAIN {
                return Err((start, chain_problem));
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
            return Err((id, count_problem));
        }
        if weight.1 > MAX_CHAIN {
            return Err((id, chain_problem));
        }
        if let Some(subschema) = graph.applying.get_mut(&id) {
            subschema.weight = Some(weight);
        }
        path.pop();
    }
    Ok(weight_of(graph, start).map_or(1, |(count, _)| count))
}

impl<'a> Graph<'a> {
    /// Notes what matters of the object `value`, and says which document the references inside of
    /// it count from.
    fn keep(
        &mut self,
        value: &'a Value,
        map: &'a Map<String, Value>,
        mut resource: &'a Value,
        counts: &mut Counts,
    ) -> Result<&'a Value, Fault> {
        let mut applies = false;
        for (name, member) in map {
            counts.bytes += name.len();
            match (name.as_str(), member) {
                ("pattern", Value::String(expression)) => {
                    counts.patterns += 1;
                    counts.backtracking_texts += u32::from(may_backtrack(value, expression)?);
                }
                ("patternProperties", Value::Object(members)) => {
                    for expression in members.keys() {
                        counts.patterns += 1;
                        counts.backtracking_names += u32::from(may_backtrack(value, expression)?);
                    }
                }
                ("propertyNames", _) => counts.names_checked = true,
                ("unevaluatedProperties" | "unevaluatedItems", _) => counts.unevaluated += 1,
                ("$anchor" | "$dynamicAnchor", Value::String(anchor)) => {
                    self.anchors.entry(anchor).or_default().push(value);
                }
                ("$id", Value::String(id)) => {
                    if let Some(anchor) = id.strip_prefix('#') {
                        self.anchors.entry(anchor).or_default().push(value);
                    } else {
                        self.resources.push(value);
                        resource = value;
                    }
                }
                (name, _) => applies |= APPLYING.contains(&name),
            }
        }
        if applies {
            let subschema = Subschema {
                map,
                resource,
                weight: None,
            };
            self.applying.insert(value, subschema);
        }
        Ok(resource)
    }

    /// The subschemas that apply to the same value as the one at `id`.
    fn applied_by(&self, id: *const Value) -> Vec<*const Value> {
        let mut applied: Vec<&Value> = Vec::new();
        let Some(subschema) = self.applying.get(&id) else {
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
