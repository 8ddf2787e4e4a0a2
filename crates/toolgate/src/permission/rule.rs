//! A rule as somebody wrote it, with the place where it stands.
//!
//! Reading rules (`config`) and matching them (`permission::index`) are two jobs; this is what the
//! one hands to the other. Nothing here is compiled.

use std::{fmt, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use super::action::Action;

/// Where a rule comes from: what `explain`, questions and audit records name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// A file, `default` for a shipped rule, or a call site such as `table({ tools })`.
    pub source: Arc<str>,
    /// Line in that file, from 1; 0 where there is no text.
    pub line: u32,
    /// Column in characters, from 1; 0 where there is no text.
    pub column: u32,
}

impl Origin {
    /// An origin that is not a place in a text.
    pub fn named(source: &str) -> Self {
        Self {
            source: Arc::from(source),
            line: 0,
            column: 0,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            f.write_str(&self.source)
        } else {
            write!(f, "{}:{}:{}", self.source, self.line, self.column)
        }
    }
}

/// One condition of a rule: what stands at `path` must fit the JSON Schema `schema`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// First segment is the root (`input`, `role`, `tenant`, `principal`, `flags`), then keys.
    pub path: Vec<String>,
    /// The JSON Schema fragment.
    pub schema: Value,
}

impl Condition {
    /// Whether it looks at the input of a call; the others look at the turn.
    pub fn reads_input(&self) -> bool {
        self.path.first().is_some_and(|root| root == "input")
    }
}

/// A rule, in the order in which it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// A glob over permission names.
    pub permission: Arc<str>,
    /// A glob over resources.
    pub pattern: Arc<str>,
    /// All of them must hold.
    pub when: Vec<Condition>,
    /// What follows.
    pub action: Action,
    /// Where it was written.
    pub origin: Origin,
}
