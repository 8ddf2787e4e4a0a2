//! The nouns that come from outside: a tool's name, where it came from, what it takes, and what it may
//! do.
//!
//! They stand apart because every other module speaks of them and none of them decides anything:
//! a name that exists as a [`ToolName`] has been checked once and is never checked again.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, value::RawValue};

use crate::error::{Code, Error};

/// The longest tool name that every provider takes.
pub const MAX_TOOL_NAME_CHARS: usize = 64;

/// A name that every provider accepts: `^[a-zA-Z0-9_-]{1,64}$`, and not digits alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// Checks `name`, which `source` offered.
    ///
    /// Digit-only names are refused because JavaScript moves integer-like keys to the front of an
    /// object, and the order of the table is part of the prompt cache.
    pub fn parse(name: &str, source: &Source) -> Result<Self, Error> {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > MAX_TOOL_NAME_CHARS || !name.chars().all(legal) {
            return Err(Error::new(
                Code::ToolNameIllegal,
                format!("tool name `{name}` from {source} is not a legal name"),
                "use 1 to 64 letters, digits, `_` or `-`",
            ));
        }
        if name.chars().all(|c| c.is_ascii_digit()) {
            return Err(Error::new(
                Code::ToolNameIllegal,
                format!("tool name `{name}` from {source} has only digits"),
                "add a letter: JavaScript would reorder the table by this name",
            ));
        }
        Ok(Self(Arc::from(name)))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a tool came from, in words that a person can act on (`tools.weather`, `mcp github`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Source(pub Arc<str>);

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// What a call may do to the world, mildest first, so that "may only raise" is `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes only what the agent owns: its work tree, its notes.
    InternalWrite,
    /// Changes something that others see: sends, pays, posts.
    ExternalWrite,
    /// Cannot be undone.
    Destructive,
}

impl Effect {
    /// Whether a call needs an approval and a record that makes it run at most once.
    pub const fn is_guarded(self) -> bool {
        matches!(self, Self::ExternalWrite | Self::Destructive)
    }

    /// The word that configuration and messages use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::InternalWrite => "internal-write",
            Self::ExternalWrite => "external-write",
            Self::Destructive => "destructive",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The JSON Schema of a tool's input, as text.
///
/// A thousand schemas as values take ten times the memory of their texts, and after compiling only
/// faults and conditions read them again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaText(Arc<str>);

impl SchemaText {
    /// The text, as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The schema as a value. Fails with `SCHEMA_INVALID` where it is nested too deeply to read.
    pub fn parse(&self) -> Result<Value, Error> {
        serde_json::from_str(&self.0).map_err(|error| {
            Error::new(
                Code::SchemaInvalid,
                format!("the input schema cannot be read: {error}"),
                "write it in plain JSON values, nested less than 128 levels",
            )
        })
    }
}

impl From<&Value> for SchemaText {
    fn from(schema: &Value) -> Self {
        Self(schema.to_string().into())
    }
}

impl<'de> Deserialize<'de> for SchemaText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(Box::<str>::from(raw).into()))
    }
}

/// The permission name of a tool that declares none: its own name, with every tool that edits
/// files folded into `edit`, in rules and in calls, so that one rule covers them all.
pub fn fold_permission(name: &str) -> &str {
    match name {
        "write" | "apply_patch" | "multiedit" | "patch" => "edit",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, legal: bool) {
        let source = Source("test".into());
        assert_eq!(ToolName::parse(name, &source).is_ok(), legal, "{name:?}");
    }

    #[test]
    fn letters_digits_dash_and_underscore_are_legal() {
        check("crm_update-Contact2", true);
    }

    #[test]
    fn names_that_javascript_knows_are_names_like_any_other() {
        check("constructor", true);
        check("__proto__", true);
    }

    #[test]
    fn empty_long_spaced_and_foreign_names_are_not() {
        check("", false);
        check(&"a".repeat(65), false);
        check("a b", false);
        check("naïve", false);
        check("a.b", false);
    }

    #[test]
    fn digits_alone_are_not() {
        check("42", false);
        check("42a", true);
    }

    #[test]
    fn a_schema_keeps_its_text_and_one_that_is_too_deep_is_named() {
        let written = r#"{ "type": "object" }"#;
        let schema: SchemaText = serde_json::from_str(written).unwrap();
        assert_eq!(schema.as_str(), written);
        assert_eq!(
            schema.parse().unwrap(),
            serde_json::json!({ "type": "object" })
        );
        let deep = format!("{}{}", r#"{"not":"#.repeat(200), "true") + &"}".repeat(200);
        let deep: SchemaText = serde_json::from_str(&deep).unwrap();
        assert_eq!(deep.parse().unwrap_err().code, Code::SchemaInvalid);
    }

    #[test]
    fn effects_are_ordered_mildest_first() {
        assert!(Effect::Read < Effect::InternalWrite);
        assert!(Effect::ExternalWrite < Effect::Destructive);
    }
}
