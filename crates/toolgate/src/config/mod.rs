//! The configuration file: its keys, and the place of everything in it.
//!
//! It stands apart because it is the only part of the core that reads text from people. Everything
//! it hands on is typed and knows where it was written, so that every later answer can name file
//! and line. It reads, and decides nothing.
//!
//! The order of the flow: `text` turns characters into a tree with places, `shape` takes typed
//! values out of it, and one file for each key does the rest. `keys` is the one table of keys,
//! which also writes the published JSON Schema.
//!
//! A file is untrusted if it lies in the tree that the agent works on: it may only tighten.
//! `locked`, `declare`, `tenants`, `toolsets`, rules that allow and entries that offer are errors
//! there, never ignored, because somebody who wrote them believes they hold.

mod action;
mod declare;
mod guard;
mod home;
mod keys;
mod lint;
mod node;
mod permission;
#[cfg(test)]
mod properties;
mod published;
mod roles;
mod shape;
mod spans;
mod tenants;
mod text;
mod visibility;
mod when;

use std::fmt;

use indexmap::IndexMap;

pub use self::{
    declare::Declaration,
    published::json_schema,
    roles::RoleConfig,
    tenants::TenantConfig,
    visibility::{Visibility, VisibilityRule},
};
use self::{
    keys::{LATER, TOP},
    node::{Map, Value, quoted},
    permission::Block,
    shape::Reader,
    spans::Source,
};
use crate::{
    error::{Code, Error, Span},
    permission::rule::Rule,
};

/// A configuration text and its circumstances.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// JSON with comments and trailing commas.
    pub text: &'a str,
    /// The name that errors and origins carry: a path, or `config` for an inline object.
    pub file: &'a str,
    /// Whether it belongs to the application; else it lies in the tree that an agent works on and
    /// may only tighten.
    pub is_trusted: bool,
    /// What `~` and `$HOME` at the start of a pattern stand for.
    pub home: Option<&'a str>,
}

/// A configuration, as written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// General rules, in order.
    pub permission: Vec<Rule>,
    /// Denies that nothing can lift.
    pub locked: Vec<Rule>,
    /// Roles by name, in order.
    pub roles: IndexMap<String, RoleConfig>,
    /// Which models are offered which tools; the last entry that matches wins, none is an offer.
    pub visibility: Vec<VisibilityRule>,
    /// Category globs by toolset name.
    pub toolsets: IndexMap<String, Vec<String>>,
    /// Tenants by name; `*` speaks for those that are not named.
    pub tenants: IndexMap<String, TenantConfig>,
    /// What the operator says of tools, in order; the last one that matches wins, field by field.
    pub declare: Vec<Declaration>,
    /// What was read and probably not meant.
    pub warnings: Vec<Warning>,
}

/// Something that was read and probably not meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Where it stands.
    pub span: Span,
    /// What was written, and what it does.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span {
            file, line, column, ..
        } = &self.span;
        write!(f, "{file}:{line}:{column}: {}; {}", self.message, self.help)
    }
}

impl Config {
    /// Reads a whole configuration.
    ///
    /// ```
    /// use toolgate::config::{Config, Document};
    ///
    /// let document = Document {
    ///     text: r#"{ "permission": { "refund": "alow" } }"#,
    ///     file: "toolgate.jsonc",
    ///     is_trusted: true,
    ///     home: None,
    /// };
    /// let error = Config::parse(&document).unwrap_err();
    /// assert_eq!(error.message, "`alow` is no action for `refund` in `permission`");
    /// assert_eq!(
    ///     error.span.unwrap().caret,
    ///     concat!(
    ///         "  |\n",
    ///         "1 | { \"permission\": { \"refund\": \"alow\" } }\n",
    ///         "  |                             ^^^^^^",
    ///     )
    /// );
    /// ```
    pub fn parse(document: &Document<'_>) -> Result<Self, Error> {
        let mut reader = reader(document);
        let root = text::parse(&reader.source)?;
        let Value::Map(map) = &root.value else {
            return Err(reader.mismatch(&root, "the configuration", "an object"));
        };
        known_keys(&reader, map)?;
        let mut config = Self::default();
        if let Some(entry) = map.get("$schema") {
            reader.text(&entry.value, "`$schema`")?;
        }
        for (key, is_locked) in [("permission", false), ("locked", true)] {
            let Some(entry) = map.get(key) else { continue };
            let rules = permission::rules(
                &mut reader,
                &entry.value,
                Block {
                    path: key,
                    is_locked,
                },
            )?;
            if is_locked {
                config.locked = rules;
            } else {
                config.permission = rules;
            }
        }
        if let Some(entry) = map.get("roles") {
            config.roles = roles::roles(&mut reader, &entry.value)?;
        }
        if let Some(entry) = map.get("visibility") {
            config.visibility = visibility::visibility(&reader, &entry.value)?;
        }
        if let Some(entry) = map.get("toolsets") {
            config.toolsets = tenants::toolsets(&reader, &entry.value)?;
        }
        if let Some(entry) = map.get("tenants") {
            config.tenants = tenants::tenants(&mut reader, &entry.value, &config.toolsets)?;
        }
        if let Some(entry) = map.get("declare") {
            config.declare = declare::declarations(&reader, &entry.value)?;
        }
        config.lint(&mut reader);
        config.warnings = reader.warnings;
        Ok(config)
    }

    fn lint(&self, reader: &mut Reader<'_>) {
        let Reader {
            source, warnings, ..
        } = reader;
        let roles = self.roles.values().map(|role| &role.permission);
        let tenants = self.tenants.values().map(|tenant| &tenant.permission);
        for rules in std::iter::once(&self.permission)
            .chain(roles)
            .chain(tenants)
        {
            lint::lint(rules, |origin| source.span_of(origin), warnings);
        }
    }
}

/// Reads a `permission` block alone, such as the overlay of a session; `source` names its call
/// site. It comes from code, so it is trusted.
pub fn parse_permission(text: &str, source: &str, home: Option<&str>) -> Result<Vec<Rule>, Error> {
    let mut reader = reader(&Document {
        text,
        file: source,
        is_trusted: true,
        home,
    });
    let root = text::parse(&reader.source)?;
    let block = Block {
        path: "permission",
        is_locked: false,
    };
    permission::rules(&mut reader, &root, block)
}

fn reader<'a>(document: &Document<'a>) -> Reader<'a> {
    // Some editors write a byte order mark; it is no character of the first line.
    let text = document
        .text
        .strip_prefix('\u{feff}')
        .unwrap_or(document.text);
    let home = document.home.filter(|home| !home.is_empty());
    Reader {
        source: Source::new(document.file, text),
        is_trusted: document.is_trusted,
        home: home.map(|home| home.trim_end_matches('/')),
        warnings: Vec::new(),
    }
}

fn known_keys(reader: &Reader<'_>, map: &Map) -> Result<(), Error> {
    for (name, entry) in map {
        if LATER.contains(&name.as_str()) {
            let message = format!("{} is not known to this version", quoted(name));
            let help = "remove the key, or use a version of toolgate that has it";
            return Err(reader.error(Code::ConfigUnknownKey, entry.key, message, help));
        }
        if !TOP.iter().any(|key| key.name == name) {
            return Err(reader.unknown_key(name, entry.key, TOP, "the configuration"));
        }
        if !reader.is_trusted
            && ["locked", "declare", "tenants", "toolsets"].contains(&name.as_str())
        {
            let message = format!(
                "{} may not stand in the file of an untrusted directory",
                quoted(name)
            );
            let help = "move it to the application's own configuration";
            return Err(reader.error(Code::ConfigLoosens, entry.key, message, help));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn document(text: &str, is_trusted: bool) -> Document<'_> {
        Document {
            text,
            file: "toolgate.jsonc",
            is_trusted,
            home: Some("/home/u"),
        }
    }

    pub(crate) fn read(text: &str) -> Result<Config, Error> {
        Config::parse(&document(text, true))
    }

    #[track_caller]
    fn check(error: &Error, expected: (Code, u32, u32), message: &str, help: &str) {
        let span = error.span.as_deref().unwrap();
        assert_eq!((error.code, span.line, span.column), expected, "{error:?}");
        assert_eq!(span.file, "toolgate.jsonc");
        assert_eq!(span.caret.lines().count(), 3);
        assert!(error.message.starts_with(message), "{}", error.message);
        assert!(error.help.contains(help), "{}", error.help);
    }

    #[track_caller]
    pub(crate) fn refuses(text: &str, expected: (Code, u32, u32), message: &str, help: &str) {
        check(&read(text).unwrap_err(), expected, message, help);
    }

    /// The application may write it, the tree may not.
    #[track_caller]
    pub(crate) fn refuses_untrusted(text: &str, (line, column): (u32, u32), message: &str) {
        read(text).unwrap();
        let error = Config::parse(&document(text, false)).unwrap_err();
        let help = "the application's own configuration";
        check(&error, (Code::ConfigLoosens, line, column), message, help);
    }

    #[test]
    fn an_empty_object_says_nothing() {
        assert_eq!(read("{}").unwrap(), Config::default());
        assert_eq!(
            read("\u{feff}{ \"$schema\": \"x\" }").unwrap(),
            Config::default()
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        refuses(
            "\u{feff}{ \"x\": 1 }",
            (Code::ConfigUnknownKey, 1, 3),
            "the configuration has no key `x`",
            "",
        );
    }

    #[test]
    fn an_unknown_key_gets_the_nearest_one() {
        refuses(
            "{\n  \"permissions\": {} }",
            (Code::ConfigUnknownKey, 2, 3),
            "the configuration has no key `permissions`",
            "did you mean `permission`?",
        );
        refuses(
            "{ \"agents\": {} }",
            (Code::ConfigUnknownKey, 1, 3),
            "the configuration has no key `agents`",
            "the keys are `$schema`, `permission`,",
        );
    }

    #[test]
    fn keys_of_later_versions_are_told_as_such() {
        for key in LATER {
            let message = format!("`{key}` is not known to this version");
            refuses(
                &format!("{{ \"{key}\": 1 }}"),
                (Code::ConfigUnknownKey, 1, 3),
                &message,
                "a version",
            );
        }
    }

    #[test]
    fn a_configuration_is_an_object() {
        let message = "the configuration must be an object, not a list";
        refuses(
            "[]",
            (Code::ConfigInvalid, 1, 1),
            message,
            "write an object",
        );
        refuses(
            "",
            (Code::ConfigSyntax, 1, 1),
            "the text is empty",
            "write `{}`",
        );
    }

    #[test]
    fn locked_rules_can_only_deny() {
        let locked = read("{ \"locked\": { \"bash\": { \"rm *\": \"deny\" } } }")
            .unwrap()
            .locked;
        assert_eq!(
            (&*locked[0].permission, &*locked[0].pattern),
            ("bash", "rm *")
        );
        refuses(
            "{ \"locked\": { \"bash\": \"allow\" } }",
            (Code::RuleInvalid, 1, 23),
            "`allow` for `bash` in `locked`: locked rules can only deny",
            "move the rule to `permission`",
        );
        refuses(
            "{ \"locked\": { \"bash\": [{ \"action\": \"block\" }] } }",
            (Code::RuleInvalid, 1, 36),
            "`block` is no action for `bash` in `locked`",
            "locked rules can only deny",
        );
    }

    #[test]
    fn an_untrusted_file_may_tighten() {
        let text = r#"{ "permission": { "bash": "deny", "read": { "*.env": "ask" } },
            "roles": { "a": { "permission": "ask" } },
            "visibility": [{ "tools": "x", "action": "drop" }] }"#;
        let config = Config::parse(&document(text, false)).unwrap();
        assert_eq!(config, read(text).unwrap());
    }

    #[test]
    fn an_untrusted_file_may_not_loosen() {
        for key in ["locked", "declare", "tenants", "toolsets"] {
            let message = format!("`{key}` may not stand in the file of an untrusted directory");
            refuses_untrusted(&format!("{{ \"{key}\": {{}} }}"), (1, 3), &message);
        }
        refuses_untrusted(
            "{ \"permission\": \"allow\" }",
            (1, 17),
            "`allow` for `*` in `permission`: the file",
        );
        refuses_untrusted(
            "{ \"permission\": { \"a\": [{ \"when\": { \"role\": {} }, \"action\": \"allow\" }] } }",
            (1, 61),
            "`allow` for `a` in `permission`: the file",
        );
        refuses_untrusted(
            "{ \"roles\": { \"a\": { \"permission\": { \"b\": { \"c\": \"allow\" } } } } }",
            (1, 49),
            "`allow` for `b`, pattern `c`, in `roles.a.permission`: the file",
        );
    }

    #[test]
    fn an_inline_object_is_one_long_line() {
        let rules: Vec<String> = (0..20_000)
            .map(|i| format!("\"tool_{i}\":\"ask\""))
            .collect();
        let text = format!(
            "{{\"permission\":{{{},\"last\":\"alow\"}}}}",
            rules.join(",")
        );
        let error = read(&text).unwrap_err();
        let column = text.find("\"alow\"").unwrap() + 1;
        assert_eq!(error.span.as_deref().unwrap().column as usize, column);
        assert!(error.span.unwrap().caret.len() < 500);
    }

    #[test]
    fn warnings_end_at_a_hundred() {
        let rules: Vec<String> = (0..20_000)
            .map(|i| format!("\"tool_{i}\":\"deny\""))
            .collect();
        let text = format!("{{\"permission\":{{{},\"*\":\"ask\"}}}}", rules.join(","));
        assert_eq!(read(&text).unwrap().warnings.len(), 100);
    }

    #[test]
    fn the_sample_reads_without_a_warning() {
        let config = read(include_str!("sample.jsonc")).unwrap();
        assert_eq!(config.warnings, []);
        assert!(
            !config.permission.is_empty()
                && !config.locked.is_empty()
                && !config.declare.is_empty()
        );
        assert!(
            !config.tenants.is_empty() && !config.visibility.is_empty() && !config.roles.is_empty()
        );
    }
}
