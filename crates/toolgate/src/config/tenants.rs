//! Toolsets and tenants: what each customer of the application has.
//!
//! A tenant is looked up by its name, then as `*`; the order means nothing, so names may be numbers. Toolset names are resolved here, where a wrong one still has a place.

use indexmap::IndexMap;

use super::{
    keys::TENANT,
    node::{Map, Node, Value, listed, quoted},
    permission::{self, Block},
    shape::Reader,
};
use crate::{
    error::{Code, Error},
    permission::rule::Rule,
    suggest::nearest,
};

/// What the configuration says of a tenant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TenantConfig {
    /// Toolsets, as written.
    pub toolsets: Vec<String>,
    /// Category globs of all its toolsets and its own ones, in order; `None` where the tenant has
    /// neither key, so that every category is enabled.
    pub categories: Option<Vec<String>>,
    /// Denies that nothing can lift.
    pub locked: Vec<Rule>,
    /// Its rules, in order.
    pub permission: Vec<Rule>,
}

/// Reads the value of `toolsets`.
pub(super) fn toolsets(
    reader: &Reader<'_>,
    node: &Node,
) -> Result<IndexMap<String, Vec<String>>, Error> {
    let mut toolsets = IndexMap::new();
    for (name, entry) in reader.map(node, "`toolsets`")? {
        reader.legal_name(name, entry.key, "a toolset name")?;
        let categories = reader.names(&entry.value, &format!("the toolset {}", quoted(name)))?;
        toolsets.insert(name.clone(), categories);
    }
    Ok(toolsets)
}

/// Reads the value of `tenants`, which may name `toolsets`.
pub(super) fn tenants(
    reader: &mut Reader<'_>,
    node: &Node,
    toolsets: &IndexMap<String, Vec<String>>,
) -> Result<IndexMap<String, TenantConfig>, Error> {
    let mut tenants = IndexMap::new();
    for (name, entry) in reader.map(node, "`tenants`")? {
        reader.legal_name(name, entry.key, "a tenant name")?;
        let fields = reader.fields(
            &entry.value,
            TENANT,
            &format!("the tenant {}", quoted(name)),
        )?;
        let mut tenant = TenantConfig {
            locked: block(reader, fields, name, "locked")?,
            permission: block(reader, fields, name, "permission")?,
            ..TenantConfig::default()
        };
        if let Some(entry) = fields.get("toolsets") {
            tenant.toolsets = reader.names(&entry.value, "`toolsets`")?;
            tenant.categories = Some(resolve(reader, &entry.value, &tenant.toolsets, toolsets)?);
        }
        if let Some(entry) = fields.get("categories") {
            let own = reader.names(&entry.value, "`categories`")?;
            tenant.categories.get_or_insert_default().extend(own);
        }
        tenants.insert(name.clone(), tenant);
    }
    Ok(tenants)
}

fn block(
    reader: &mut Reader<'_>,
    fields: &Map,
    tenant: &str,
    key: &str,
) -> Result<Vec<Rule>, Error> {
    let path = format!("tenants.{tenant}.{key}");
    let block = Block {
        path: &path,
        is_locked: key == "locked",
    };
    match fields.get(key) {
        Some(entry) => permission::rules(reader, &entry.value, block),
        None => Ok(Vec::new()),
    }
}

fn resolve(
    reader: &Reader<'_>,
    node: &Node,
    names: &[String],
    toolsets: &IndexMap<String, Vec<String>>,
) -> Result<Vec<String>, Error> {
    let mut categories = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let Some(found) = toolsets.get(name) else {
            let item = match &node.value {
                Value::List(list) => list.get(index),
                Value::Null
                | Value::Flag(_)
                | Value::Number(_)
                | Value::Text(_)
                | Value::Map(_) => None,
            };
            let place = item.unwrap_or(node).place;
            let known = || toolsets.keys().map(String::as_str);
            let help = match nearest(name, known()) {
                Some(near) => format!("did you mean {}?", quoted(near)),
                None => format!("the toolsets are {}", listed(known().take(20), "and")),
            };
            let message = format!("there is no toolset {}", quoted(name));
            return Err(reader.error(Code::ConfigInvalid, place, message, help));
        };
        categories.extend(found.iter().cloned());
    }
    Ok(categories)
}

#[cfg(test)]
mod tests {
    use crate::{
        config::tests::{read, refuses},
        error::Code,
    };

    #[track_caller]
    fn check(tenant: &str, expected: Option<&[&str]>) {
        let text = format!(
            "{{ \"tenants\": {{ \"42\": {tenant} }}, \"toolsets\": {{ \"crm\": [\"crm.*\"], \"pay\": [\"billing\"] }} }}"
        );
        let config = read(&text).unwrap();
        let categories = config.tenants["42"].categories.as_deref();
        assert_eq!(categories.is_some(), expected.is_some());
        assert_eq!(categories.unwrap_or_default(), expected.unwrap_or_default());
    }

    #[test]
    fn toolsets_resolve_wherever_they_stand() {
        check(
            "{ \"toolsets\": [\"pay\", \"crm\"] }",
            Some(&["billing", "crm.*"]),
        );
    }

    #[test]
    fn own_categories_are_added() {
        check(
            "{ \"categories\": [\"x\"], \"toolsets\": [\"crm\"] }",
            Some(&["crm.*", "x"]),
        );
    }

    #[test]
    fn nothing_said_is_everything_and_an_empty_list_is_nothing() {
        check("{}", None);
        check("{ \"toolsets\": [] }", Some(&[]));
        check("{ \"categories\": [] }", Some(&[]));
    }

    #[test]
    fn a_tenant_locks_and_rules() {
        let config = read(
            "{ \"tenants\": { \"*\": { \"locked\": { \"refund\": \"deny\" }, \"permission\": \"ask\" } } }",
        );
        let tenant = &config.unwrap().tenants["*"];
        assert_eq!(&*tenant.locked[0].permission, "refund");
        assert_eq!(&*tenant.permission[0].permission, "*");
    }

    #[test]
    fn an_unknown_toolset_is_named_with_a_suggestion() {
        refuses(
            "{ \"toolsets\": { \"support\": [] },\n \"tenants\": { \"a\": { \"toolsets\": [\"suport\"] } } }",
            (Code::ConfigInvalid, 2, 35),
            "there is no toolset `suport`",
            "did you mean `support`?",
        );
        refuses(
            "{ \"tenants\": { \"a\": { \"toolsets\": [\"x\"] } } }",
            (Code::ConfigInvalid, 1, 36),
            "there is no toolset `x`",
            "the toolsets are none",
        );
    }

    #[test]
    fn a_tenant_can_only_lock_denies() {
        refuses(
            "{ \"tenants\": { \"a\": { \"locked\": { \"b\": \"ask\" } } } }",
            (Code::RuleInvalid, 1, 40),
            "`ask` for `b` in `tenants.a.locked`: locked rules can only deny",
            "write `deny`",
        );
    }
}
