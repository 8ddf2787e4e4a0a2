//! Visibility: which models are offered which tools, before any rule speaks.
//!
//! The last entry that matches wins, and a tool that no entry speaks of is offered. Only what is
//! written is read here; `build::offer` compiles the globs.

use globset::Glob;

use super::{
    keys::{VISIBILITIES, VISIBILITY},
    node::{Node, Value, quoted},
    shape::Reader,
};
use crate::{
    error::{Code, Error},
    permission::rule::Origin,
};

/// What an entry does with the tools it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// The model may see them.
    Offer,
    /// The model does not see them.
    Drop,
}

/// One entry of `visibility`.
#[derive(Debug, Clone, PartialEq)]
pub struct VisibilityRule {
    /// Tool names or globs, at least one.
    pub tools: Vec<String>,
    /// Globs over `provider/model` that `globset` compiles; empty speaks for every model.
    pub models: Vec<String>,
    /// Flags that the turn must all have; empty asks for none.
    pub flags: Vec<String>,
    /// What happens to the tools.
    pub action: Visibility,
    /// Where the entry stands.
    pub origin: Origin,
}

/// Reads the value of `visibility`.
pub(super) fn visibility(reader: &Reader<'_>, node: &Node) -> Result<Vec<VisibilityRule>, Error> {
    let Value::List(list) = &node.value else {
        return Err(reader.mismatch(node, "`visibility`", "a list of entries"));
    };
    list.iter().map(|item| entry(reader, item)).collect()
}

fn entry(reader: &Reader<'_>, node: &Node) -> Result<VisibilityRule, Error> {
    let fields = reader.fields(node, VISIBILITY, "an entry of `visibility`")?;
    let (mut tools, mut models, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    let mut action = Visibility::Drop;
    for (name, entry) in fields {
        let value = &entry.value;
        match name.as_str() {
            "tools" => tools = reader.name_or_names(value, "`tools`")?,
            "models" => {
                models = reader.name_or_names(value, "`models`")?;
                for glob in &models {
                    legal_glob(reader, value, glob)?;
                }
            }
            "flags" => flags = reader.names(value, "`flags`")?,
            _ => {
                action = match reader.word(value, VISIBILITIES, "`action`")? {
                    "offer" => Visibility::Offer,
                    _ => Visibility::Drop,
                };
                if action == Visibility::Offer && !reader.is_trusted {
                    let message = "`offer` in `visibility`: the file of an untrusted directory may only tighten";
                    let help =
                        "move the entry to the application's own configuration, or write `drop`";
                    return Err(reader.error(Code::ConfigLoosens, value.place, message, help));
                }
            }
        }
    }
    let origin = reader.origin(node.place);
    Ok(VisibilityRule {
        tools,
        models,
        flags,
        action,
        origin,
    })
}

fn legal_glob(reader: &Reader<'_>, node: &Node, glob: &str) -> Result<(), Error> {
    match Glob::new(glob) {
        Ok(_) => Ok(()),
        Err(error) => {
            let message = format!("{} is no glob: {}", quoted(glob), error.kind());
            let help = "`*` and `?` stand for anything; put `[` before other special characters";
            Err(reader.error(Code::ConfigInvalid, node.place, message, help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{read, refuses, refuses_untrusted};

    #[test]
    fn an_entry_takes_one_glob_or_several() {
        let text = r#"{ "visibility": [
            { "tools": "websearch", "action": "drop" },
            { "tools": ["edit", "write"], "models": "openai/gpt-*", "flags": ["patch"], "action": "offer" } ] }"#;
        let entries = read(text).unwrap().visibility;
        assert_eq!(entries[0].tools, ["websearch"]);
        assert_eq!(entries[0].action, Visibility::Drop);
        assert_eq!((entries[0].origin.line, entries[0].origin.column), (2, 13));
        assert_eq!(entries[1].models, ["openai/gpt-*"]);
        assert_eq!(entries[1].flags, ["patch"]);
        assert_eq!(entries[1].action, Visibility::Offer);
    }

    #[test]
    fn an_entry_needs_tools_and_an_action() {
        refuses(
            "{ \"visibility\": [{ \"action\": \"drop\" }] }",
            (Code::ConfigInvalid, 1, 18),
            "an entry of `visibility` has no `tools`",
            "add `tools`",
        );
        refuses(
            "{ \"visibility\": [{ \"tools\": [], \"action\": \"drop\" }] }",
            (Code::ConfigInvalid, 1, 29),
            "`tools` is an empty list",
            "name something",
        );
        refuses(
            "{ \"visibility\": [{ \"tools\": \"a\", \"action\": \"hide\" }] }",
            (Code::ConfigInvalid, 1, 44),
            "`action` must be `offer` or `drop`, not `hide`",
            "write `offer` or `drop`",
        );
        refuses(
            "{ \"visibility\": {} }",
            (Code::ConfigInvalid, 1, 17),
            "`visibility` must be a list of entries, not an object",
            "write a list",
        );
    }

    #[test]
    fn a_broken_model_glob_is_told_where_it_stands() {
        refuses(
            "{ \"visibility\": [{ \"tools\": \"a\", \"models\": \"[\", \"action\": \"drop\" }] }",
            (Code::ConfigInvalid, 1, 44),
            "`[` is no glob: unclosed character class; missing ']'",
            "`*` and `?`",
        );
    }

    #[test]
    fn an_untrusted_file_may_drop_but_not_offer() {
        refuses_untrusted(
            "{ \"visibility\": [{ \"tools\": \"a\", \"action\": \"offer\" }] }",
            (1, 44),
            "`offer` in `visibility`",
        );
    }
}
