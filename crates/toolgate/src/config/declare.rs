//! Declarations: what the operator says of tools that do not say it themselves.
//!
//! They come by name or glob, in order; the last one that matches wins, field by field.

use super::{
    keys::{DECLARATION, EFFECTS, RESOURCE},
    node::{Entry, Node, quoted},
    shape::Reader,
};
use crate::{
    error::{Code, Error},
    permission::rule::Origin,
    tool::{Effect, fold_permission},
};

/// One entry of `declare`.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// A tool name or a glob over tool names.
    pub glob: String,
    /// What a call may do to the world.
    pub effect: Option<Effect>,
    /// What toolsets enable the tool by.
    pub category: Option<String>,
    /// The permission name that rules speak of, folded as rules are.
    pub permission_name: Option<String>,
    /// A JSON pointer into the input; what it points to is the resource. Never empty.
    pub permission_pattern: Option<String>,
    /// Whether the tool yields parts before its result.
    pub streaming: Option<bool>,
    /// Where the entry stands.
    pub origin: Origin,
}

/// Reads the value of `declare`.
pub(super) fn declarations(reader: &Reader<'_>, node: &Node) -> Result<Vec<Declaration>, Error> {
    let map = reader.map(node, "`declare`")?;
    reader.legal_order(
        map,
        "`declare`",
        "no tool has a name of digits alone; write the tool's name or a glob",
    )?;
    map.iter()
        .map(|(glob, entry)| declaration(reader, glob, entry))
        .collect()
}

fn declaration(reader: &Reader<'_>, glob: &str, entry: &Entry) -> Result<Declaration, Error> {
    reader.legal_name(glob, entry.key, "a tool name in `declare`")?;
    let what = format!("the declaration of {}", quoted(glob));
    let mut declaration = Declaration {
        glob: glob.to_owned(),
        effect: None,
        category: None,
        permission_name: None,
        permission_pattern: None,
        streaming: None,
        origin: reader.origin(entry.key),
    };
    for (name, entry) in reader.fields(&entry.value, DECLARATION, &what)? {
        let value = &entry.value;
        match name.as_str() {
            "effect" => {
                declaration.effect = Some(match reader.word(value, EFFECTS, "`effect`")? {
                    "read" => Effect::Read,
                    "internal-write" => Effect::InternalWrite,
                    "external-write" => Effect::ExternalWrite,
                    _ => Effect::Destructive,
                });
            }
            "category" => declaration.category = Some(reader.name(value, "`category`")?.to_owned()),
            "streaming" => declaration.streaming = Some(reader.flag(value, "`streaming`")?),
            _ => resource(reader, value, &mut declaration)?,
        }
    }
    Ok(declaration)
}

fn resource(reader: &Reader<'_>, node: &Node, declaration: &mut Declaration) -> Result<(), Error> {
    for (name, entry) in reader.fields(node, RESOURCE, "`permission` of a declaration")? {
        let value = &entry.value;
        if name == "name" {
            let name = reader.name(value, "`name`")?;
            declaration.permission_name = Some(fold_permission(name).to_owned());
            continue;
        }
        let pointer = reader.text(value, "`pattern`")?;
        if !is_pointer(pointer) {
            let message = format!(
                "`pattern` must be a JSON pointer such as `/orderId`, not {}",
                quoted(pointer)
            );
            let dotted = pointer
                .trim_start_matches("input.")
                .trim_start_matches('/')
                .replace('.', "/");
            let help = format!(
                "write {}; `~` is `~0` in a pointer",
                quoted(&format!("/{dotted}"))
            );
            return Err(reader.error(Code::ConfigInvalid, value.place, message, help));
        }
        declaration.permission_pattern = Some(pointer.to_owned());
    }
    Ok(())
}

/// RFC 6901, without the empty pointer: the whole input is no resource that a pattern could match.
fn is_pointer(text: &str) -> bool {
    let has_legal_escapes = text
        .split('~')
        .skip(1)
        .all(|rest| rest.starts_with(['0', '1']));
    text.starts_with('/') && has_legal_escapes && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{read, refuses};

    #[test]
    fn a_declaration_says_what_it_says_and_nothing_else() {
        let text = r#"{ "declare": {
            "*": { "effect": "external-write" },
            "refund": { "effect": "destructive", "category": "billing", "streaming": false,
                "permission": { "name": "write", "pattern": "/order~1id" } } } }"#;
        let declared = read(text).unwrap().declare;
        assert_eq!(
            (declared[0].glob.as_str(), declared[0].effect),
            ("*", Some(Effect::ExternalWrite))
        );
        assert_eq!(declared[0].streaming, None);
        let refund = &declared[1];
        assert_eq!((refund.origin.line, refund.origin.column), (3, 13));
        assert_eq!(refund.effect, Some(Effect::Destructive));
        assert_eq!(refund.category.as_deref(), Some("billing"));
        assert_eq!(refund.permission_name.as_deref(), Some("edit"));
        assert_eq!(refund.permission_pattern.as_deref(), Some("/order~1id"));
        assert_eq!(refund.streaming, Some(false));
    }

    #[test]
    fn the_words_of_the_table_are_the_effects() {
        let effects = [
            Effect::Read,
            Effect::InternalWrite,
            Effect::ExternalWrite,
            Effect::Destructive,
        ];
        assert_eq!(effects.map(Effect::as_str), EFFECTS);
    }

    #[test]
    fn an_unknown_effect_gets_a_suggestion() {
        refuses(
            "{ \"declare\": { \"a\": { \"effect\": \"external_write\" } } }",
            (Code::ConfigInvalid, 1, 33),
            "`effect` must be `read`, `internal-write`, `external-write` or `destructive`, not `external_write`",
            "did you mean `external-write`?",
        );
    }

    #[test]
    fn a_pattern_is_a_pointer() {
        for wrong in ["orderId", "input.orderId", "", "/a~2"] {
            let text = format!(
                "{{ \"declare\": {{ \"a\": {{ \"permission\": {{ \"pattern\": \"{wrong}\" }} }} }} }}"
            );
            let message =
                format!("`pattern` must be a JSON pointer such as `/orderId`, not `{wrong}`");
            refuses(&text, (Code::ConfigInvalid, 1, 50), &message, "write `/");
        }
        assert!(is_pointer("/a/b~0c~1d"));
        assert!(is_pointer("/"));
    }

    #[test]
    fn types_are_told() {
        refuses(
            "{ \"declare\": { \"a\": { \"streaming\": \"yes\" } } }",
            (Code::ConfigInvalid, 1, 36),
            "`streaming` must be `true` or `false`, not `yes`",
            "write `true` or `false`",
        );
        refuses(
            "{ \"declare\": { \"7\": {} } }",
            (Code::ConfigInvalid, 1, 16),
            "the key `7` of `declare` is a number; JavaScript would move it before the others, and the order counts",
            "no tool has a name of digits",
        );
    }
}
