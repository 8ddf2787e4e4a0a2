//! Layer 2: what plugins made of the definitions.
//!
//! The plugins run in the host; here stands only what came of them, with its author, so that a
//! table can say who changed a description. A table cannot be sealed without passing here, even if
//! nobody rewrites anything.

use jsonschema::json::Json;

use super::offer::Offered;

/// One edit of a tool's definition, by the plugin that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The position of the tool in the registry.
    pub tool: usize,
    /// The plugin's name.
    pub author: String,
}

/// A registry after layer 2.
#[derive(Debug)]
pub struct Rewritten<J: Json> {
    pub(super) offered: Offered<J>,
    pub(super) edits: Vec<Edit>,
}

impl<J: Json> Rewritten<J> {
    pub(super) fn new(offered: Offered<J>, edits: Vec<Edit>) -> Self {
        Self { offered, edits }
    }
}
