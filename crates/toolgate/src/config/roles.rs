//! Roles: rules that are added after the general ones, so that they may open and close.

use indexmap::IndexMap;

use super::{
    keys::ROLE,
    node::{Node, quoted},
    permission::{self, Block},
    shape::Reader,
};
use crate::{error::Error, permission::rule::Rule};

/// What the configuration says of a role.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoleConfig {
    /// What it is for, in the words of whoever wrote it.
    pub description: Option<String>,
    /// Its rules, in order.
    pub permission: Vec<Rule>,
}

/// Reads the value of `roles`.
pub(super) fn roles(
    reader: &mut Reader<'_>,
    node: &Node,
) -> Result<IndexMap<String, RoleConfig>, Error> {
    let mut roles = IndexMap::new();
    for (name, entry) in reader.map(node, "`roles`")? {
        reader.legal_name(name, entry.key, "a role name")?;
        let fields = reader.fields(&entry.value, ROLE, &format!("the role {}", quoted(name)))?;
        let description = match fields.get("description") {
            Some(entry) => Some(reader.text(&entry.value, "`description`")?.to_owned()),
            None => None,
        };
        let path = format!("roles.{name}.permission");
        let block = Block {
            path: &path,
            is_locked: false,
        };
        let permission = match fields.get("permission") {
            Some(entry) => permission::rules(reader, &entry.value, block)?,
            None => Vec::new(),
        };
        roles.insert(
            name.clone(),
            RoleConfig {
                description,
                permission,
            },
        );
    }
    Ok(roles)
}

#[cfg(test)]
mod tests {
    use crate::{
        config::tests::{read, refuses},
        error::Code,
    };

    #[test]
    fn roles_keep_their_order_and_rules() {
        let text = r#"{ "roles": {
            "support": { "permission": { "refund": "ask" }, "description": "Answers mail." },
            "42": {}, "constructor": {} } }"#;
        let roles = read(text).unwrap().roles;
        assert_eq!(
            roles.keys().collect::<Vec<_>>(),
            ["support", "42", "constructor"]
        );
        assert_eq!(&*roles["support"].permission[0].permission, "refund");
        assert_eq!(
            roles["support"].description.as_deref(),
            Some("Answers mail.")
        );
    }

    #[test]
    fn a_role_is_an_object_with_two_keys() {
        refuses(
            "{ \"roles\": [] }",
            (Code::ConfigInvalid, 1, 12),
            "`roles` must be an object, not a list",
            "write an object",
        );
        refuses(
            "{ \"roles\": { \"a\": \"deny\" } }",
            (Code::ConfigInvalid, 1, 19),
            "the role `a` must be an object, not `deny`",
            "write an object",
        );
        refuses(
            "{ \"roles\": { \"a\": { \"permissions\": {} } } }",
            (Code::ConfigUnknownKey, 1, 21),
            "the role `a` has no key `permissions`",
            "did you mean `permission`?",
        );
    }

    #[test]
    fn a_rule_of_a_role_is_named_by_its_path() {
        refuses(
            "{ \"roles\": { \"a\": { \"permission\": { \"b\": \"alow\" } } } }",
            (Code::RuleInvalid, 1, 42),
            "`alow` is no action for `b` in `roles.a.permission`",
            "did you mean `allow`?",
        );
    }
}
