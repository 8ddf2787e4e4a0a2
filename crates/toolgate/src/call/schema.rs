//! A tool's input schema, compiled once.
//!
//! It stands apart from validation because it fails towards the host, at start, where validation
//! fails towards the model. Drafts 7 and 2020-12 are taken (2020-12 when `$schema` is absent, as
//! MCP and the providers read it).
//!
//! 1. Nothing is ever fetched: a reference that leaves the document is an error.
//! 2. `format` is asserted in both drafts, as ajv with `ajv-formats` does, which the MCP SDK and
//!    most agents run: who writes `"format": "date"` means it, and a model mends a worded fault in
//!    its next step. Formats that are not known (`int32`) are not checked.
//! 3. Regular expressions run in linear time unless they look around or refer back; those have a
//!    limit of steps, and a match that reaches it is a fault, never a pass.

use std::{fmt, sync::Arc};

use indexmap::IndexMap;
use jsonschema::{
    Draft, PatternOptions, ReferencingError, Retrieve, Uri, ValidationError, Validator,
    error::ValidationErrorKind, json::Json,
};
use rustc_hash::FxBuildHasher;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    budget::Budget,
    schema_shape::{self, Backtracking},
};
use crate::{
    error::{Code, Error},
    tool::SchemaText,
};

/// How many bytes one compiled regular expression may take.
const PATTERN_BYTES: usize = 1024 * 1024;
/// How many steps back a regular expression that looks around may take on one text.
const PATTERN_STEPS: usize = 20_000;
/// How many looks at a value one such text costs: some two thousand of them may be tried, which
/// takes seconds at worst, where a schema and an input have been made for each other.
const LOOKS_PER_PATTERN: u32 = 1_000;
/// How many compiled schemas a [`SchemaCache`] keeps.
const CACHED_SCHEMAS: usize = 4_096;

const TAKEN: &str = "draft 2020-12 (`https://json-schema.org/draft/2020-12/schema`) and draft 7 (`http://json-schema.org/draft-07/schema#`)";

/// A JSON Schema, ready to validate inputs of the representation `J`.
pub struct CompiledSchema<J: Json> {
    validator: Validator<J>,
    source: SchemaText,
    backtracking: Backtracking,
}

impl<J: Json> CompiledSchema<J> {
    /// Compiles the schema that `source` spells.
    ///
    /// First its shape is bounded, so that compiling cannot exhaust the stack. Second its draft is
    /// settled. Third it is checked against the schema of that draft, and compiled.
    pub fn compile(source: &SchemaText) -> Result<Self, Error> {
        let schema = &source.parse()?;
        let backtracking = schema_shape::check(schema).map_err(|misshape| {
            invalid(
                &misshape.pointer,
                &misshape.problem,
                "split the schema, or describe the input with fewer and flatter parts",
            )
        })?;
        let draft = draft_of(schema)?;
        let validator = jsonschema::options_for::<J>()
            .with_draft(draft)
            .with_retriever(Refuse)
            .should_validate_formats(true)
            .with_pattern_options(
                PatternOptions::fancy_regex()
                    .backtrack_limit(PATTERN_STEPS)
                    .size_limit(PATTERN_BYTES)
                    .dfa_size_limit(PATTERN_BYTES),
            )
            .build(schema)
            .map_err(|error| refused(&error))?;
        Ok(Self {
            validator,
            source: source.clone(),
            backtracking,
        })
    }

    /// The schema as it was written.
    pub fn source(&self) -> &SchemaText {
        &self.source
    }

    /// The budget of one yes or no about an input of this schema.
    pub fn validity_budget(&self) -> Budget {
        self.charge(Budget::for_validity())
    }

    /// The budget of one list of faults.
    pub fn faults_budget(&self) -> Budget {
        self.charge(Budget::for_faults())
    }

    fn charge(&self, budget: Budget) -> Budget {
        let Backtracking { texts, names } = self.backtracking;
        let per_text = if texts { LOOKS_PER_PATTERN } else { 0 };
        budget.with_costs(per_text, names.saturating_mul(LOOKS_PER_PATTERN))
    }

    pub(super) fn validator(&self) -> &Validator<J> {
        &self.validator
    }
}

impl<J: Json> fmt::Debug for CompiledSchema<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSchema")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// Compiled schemas by their content: the same tool registered for every request compiles once.
pub struct SchemaCache<J: Json> {
    schemas: IndexMap<[u8; 32], Arc<CompiledSchema<J>>, FxBuildHasher>,
}

impl<J: Json> SchemaCache<J> {
    /// An empty cache.
    pub const fn new() -> Self {
        Self {
            schemas: IndexMap::with_hasher(FxBuildHasher),
        }
    }

    /// The compiled form of `schema`, compiled now if this content was not seen lately. Schemas
    /// that do not compile are not remembered.
    pub fn get_or_compile(&mut self, schema: &SchemaText) -> Result<Arc<CompiledSchema<J>>, Error> {
        let digest: [u8; 32] = Sha256::digest(schema.as_str().as_bytes()).into();
        if let Some(known) = self.schemas.get(&digest) {
            return Ok(Arc::clone(known));
        }
        let compiled = Arc::new(CompiledSchema::compile(schema)?);
        if self.schemas.len() >= CACHED_SCHEMAS {
            self.schemas.shift_remove_index(0);
        }
        self.schemas.insert(digest, Arc::clone(&compiled));
        Ok(compiled)
    }
}

impl<J: Json> Default for SchemaCache<J> {
    fn default() -> Self {
        Self::new()
    }
}

impl<J: Json> fmt::Debug for SchemaCache<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaCache")
            .field("len", &self.schemas.len())
            .finish()
    }
}

/// Fetches nothing.
struct Refuse;

impl Retrieve for Refuse {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("schemas are never fetched".into())
    }
}

fn draft_of(schema: &Value) -> Result<Draft, Error> {
    let Some(written) = schema.get("$schema") else {
        return Ok(Draft::Draft202012);
    };
    let name = written.as_str().unwrap_or_default().trim_end_matches('#');
    let name = name
        .strip_prefix("https://")
        .or_else(|| name.strip_prefix("http://"));
    match name {
        Some("json-schema.org/draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some("json-schema.org/draft-07/schema") => Ok(Draft::Draft7),
        _ => Err(invalid(
            "/$schema",
            &format!(
                "names `{}`, a draft that is not taken",
                cut(&written.to_string())
            ),
            &format!("write the schema for {TAKEN}"),
        )),
    }
}

fn refused(error: &ValidationError<'_>) -> Error {
    let pointer = error.instance_path().as_str();
    if let ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) =
        error.kind()
    {
        return invalid(
            pointer,
            &format!(
                "has a `$ref` that leads out of the schema, to `{}`",
                cut(uri)
            ),
            "schemas are never fetched: move what it refers to into `$defs`",
        );
    }
    if let ValidationErrorKind::Referencing(reference) = error.kind() {
        return invalid(
            pointer,
            &format!(
                "has a `$ref` that leads nowhere: {}",
                cut(&reference.to_string())
            ),
            "correct the `$ref`, or add what it refers to under `$defs`",
        );
    }
    invalid(
        pointer,
        &format!("is not valid: {}", cut(&error.to_string())),
        &format!("correct the schema; {TAKEN} are taken"),
    )
}

fn invalid(pointer: &str, problem: &str, help: &str) -> Error {
    let place = if pointer.is_empty() {
        "the input schema".to_owned()
    } else {
        format!("the input schema at `{}`", cut(pointer))
    };
    Error::new(Code::SchemaInvalid, format!("{place} {problem}"), help)
}

/// At most 200 characters of a text that a stranger wrote, on one line.
fn cut(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(200)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(200).is_some() {
        short.push('…');
    }
    short
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
    fn check(schema: Value, expected: Result<(), &[&str]>) {
        let actual = CompiledSchema::<SerdeJson>::compile(&SchemaText::from(&schema));
        match (actual, expected) {
            (Ok(_), Ok(())) => {}
            (Err(error), Err(parts)) => {
                assert_eq!(error.code, Code::SchemaInvalid);
                for part in parts {
                    let text = format!("{} | {}", error.message, error.help);
                    assert!(text.contains(part), "{part:?} is not in {text}");
                }
            }
            (actual, expected) => panic!("{actual:?} is not {expected:?}"),
        }
    }

    #[test]
    fn two_drafts_are_taken_however_they_are_spelled() {
        for draft in [
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-07/schema",
            "https://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2020-12/schema#",
        ] {
            check(json!({ "$schema": draft, "type": "object" }), Ok(()));
        }
    }

    #[test]
    fn other_drafts_are_refused_by_name() {
        for draft in [
            "http://json-schema.org/draft-04/schema#",
            "https://json-schema.org/draft/2019-09/schema",
            "mine",
        ] {
            check(
                json!({ "$schema": draft }),
                Err(&["/$schema", draft, "draft 2020-12", "draft 7"]),
            );
        }
        check(json!({ "$schema": 7 }), Err(&["/$schema", "`7`"]));
    }

    #[test]
    fn the_draft_decides_what_a_keyword_means() {
        check(
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [{ "type": "string" }] }),
            Ok(()),
        );
        check(json!({ "items": [{ "type": "string" }] }), Err(&["/items"]));
    }

    #[test]
    fn faults_name_their_place() {
        check(
            json!({ "properties": { "a": { "type": "strin" } } }),
            Err(&["`/properties/a/type`", "strin"]),
        );
        check(json!({ "required": "a" }), Err(&["`/required`"]));
        check(
            json!({ "properties": { "a": { "pattern": "(" } } }),
            Err(&["`/properties/a/pattern`"]),
        );
        check(
            json!({ "pattern": "(a{1000}){1000}" }),
            Err(&["`/pattern`"]),
        );
        check(json!(7), Err(&["the input schema is not valid"]));
    }

    #[test]
    fn nothing_is_fetched() {
        for target in [
            "https://example.com/a.json",
            "file:///etc/passwd",
            "other.json",
            "urn:x:y",
        ] {
            check(
                json!({ "properties": { "a": { "$ref": target } } }),
                Err(&[target, "`$ref`", "$defs"]),
            );
        }
        check(
            json!({ "$id": "https://example.com/b", "items": { "$ref": "c" } }),
            Err(&["https://example.com/c"]),
        );
    }

    #[test]
    fn references_that_lead_nowhere_are_refused() {
        check(
            json!({ "items": { "$ref": "#/$defs/nope" } }),
            Err(&["/$defs/nope", "nowhere"]),
        );
        check(
            json!({ "items": { "$ref": "#nope" } }),
            Err(&["nope", "nowhere"]),
        );
    }

    #[test]
    fn circles_are_refused_and_recursion_is_not() {
        check(json!({ "$ref": "#" }), Err(&["refers back to itself"]));
        check(json!({ "items": { "$ref": "#" } }), Ok(()));
    }

    #[test]
    fn references_inside_the_document_are_followed() {
        check(
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "string" } } }),
            Ok(()),
        );
        check(
            json!({ "$id": "https://a.b/c", "items": { "$ref": "d" }, "$defs": { "x": { "$id": "d", "type": "null" } } }),
            Ok(()),
        );
        check(
            json!({ "$ref": "#x", "$defs": { "a": { "$anchor": "x" } } }),
            Ok(()),
        );
    }

    #[test]
    fn a_text_of_a_hundred_thousand_levels_does_not_parse() {
        let text = "{\"items\":".repeat(100_000) + "{}" + &"}".repeat(100_000);
        assert!(serde_json::from_str::<Value>(&text).is_err());
    }

    #[test]
    fn a_reference_chain_through_the_input_compiles() {
        let defs: serde_json::Map<String, Value> = (0..5_000)
            .map(|n| (format!("d{n}"), json!({ "properties": { "x": { "$ref": format!("#/$defs/d{}", (n + 1) % 5_000) } } })))
            .collect();
        check(json!({ "$ref": "#/$defs/d0", "$defs": defs }), Ok(()));
    }

    #[test]
    fn a_huge_enum_compiles() {
        let names: Vec<String> = (0..20_000).map(|n| format!("name{n}")).collect();
        check(json!({ "enum": names }), Ok(()));
    }

    fn get(cache: &mut SchemaCache<SerdeJson>, schema: &Value) -> Arc<CompiledSchema<SerdeJson>> {
        cache.get_or_compile(&SchemaText::from(schema)).unwrap()
    }

    #[test]
    fn one_content_compiles_once() {
        let mut cache = SchemaCache::<SerdeJson>::new();
        let first = get(&mut cache, &json!({ "type": "object" }));
        let again = get(&mut cache, &json!({ "type": "object" }));
        let other = get(&mut cache, &json!({ "type": "array" }));
        assert!(Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &other));
    }

    #[test]
    fn a_full_cache_drops_the_oldest() {
        let mut cache = SchemaCache::<SerdeJson>::new();
        let first = get(&mut cache, &json!({ "maxLength": 0 }));
        for n in 1..=CACHED_SCHEMAS {
            get(&mut cache, &json!({ "maxLength": n }));
        }
        assert_eq!(cache.schemas.len(), CACHED_SCHEMAS);
        let again = get(&mut cache, &json!({ "maxLength": 0 }));
        assert!(!Arc::ptr_eq(&first, &again));
    }
}
