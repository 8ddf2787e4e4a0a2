//! Rules, in the three forms that people write them.
//!
//! 1. a word: one rule for everything;
//! 2. name → word: one rule for every resource of that permission;
//! 3. name → pattern → word, or name → list of `{ pattern?, when?, action }`.
//!
//! The order of keys is the order of rules, and the last one that matches wins; so keys that
//! JavaScript reorders are refused. The `permission` block of an opencode configuration is forms
//! one to three without lists, hence reads as it is.
//!
//! Nothing is guessed here: a rule that cannot be read stops the load, since a rule that is left
//! out is a door that is left open.

use std::sync::Arc;

use super::{
    action::read_action,
    home::expand_home,
    keys::{LOCKED_RULE, RULE},
    node::{Entry, Node, Value, quoted},
    shape::Reader,
    spans::Place,
    when,
};
use crate::{
    error::{Code, Error},
    permission::rule::Rule,
    tool::fold_permission,
};

const FORMS_HELP: &str = "write `allow`, `ask` or `deny`, an object from patterns to these words, \
                          or a list of `{ \"pattern\", \"when\", \"action\" }`";

/// A block of rules: what it is called in messages, and what may stand in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'b> {
    /// The path of its key, such as `roles.support.permission`.
    pub(super) path: &'b str,
    /// Only denies.
    pub(super) is_locked: bool,
}

/// Reads all rules of a block, in order.
pub(super) fn rules(
    reader: &mut Reader<'_>,
    node: &Node,
    block: Block<'_>,
) -> Result<Vec<Rule>, Error> {
    let map = match &node.value {
        Value::Text(_) => return Ok(vec![rule(reader, block, "*", ("*", node.place), node)?]),
        Value::Map(map) => map,
        Value::Null | Value::Flag(_) | Value::Number(_) | Value::List(_) => {
            let message = format!("{} is {}", quoted(block.path), node.told());
            let help =
                "write `allow`, `ask` or `deny`, or an object from permission names to rules";
            return Err(reader.error(Code::RuleInvalid, node.place, message, help));
        }
    };
    let help = "give the permission a name with a letter in it";
    reader.legal_order(map, &quoted(block.path), help)?;
    let mut rules = Vec::new();
    for (name, entry) in map {
        reader.legal_name(name, entry.key, "a permission name")?;
        let folded = fold_permission(name);
        if folded != name {
            let name = quoted(name);
            let message = format!("{name} is covered by `{folded}`, for all tools that edit files");
            reader.warn(entry.key, message, format!("write `{folded}`"));
        }
        let before = rules.len();
        named_rules(reader, block, name, entry, &mut rules)?;
        if rules.len() == before {
            let message = format!("{} has no rules", quoted(name));
            reader.warn(entry.value.place, message, "add a rule, or delete the key");
        }
    }
    Ok(rules)
}

/// What stands behind one permission name.
fn named_rules(
    reader: &mut Reader<'_>,
    block: Block<'_>,
    name: &str,
    Entry { key, value }: &Entry,
    rules: &mut Vec<Rule>,
) -> Result<(), Error> {
    match &value.value {
        Value::Text(_) => rules.push(rule(reader, block, name, ("*", *key), value)?),
        Value::Map(patterns) => {
            let help =
                "write the rules of this permission as a list of `{ \"pattern\", \"action\" }`";
            reader.legal_order(patterns, &format!("the rules for {}", quoted(name)), help)?;
            for (pattern, entry) in patterns {
                let pattern = (pattern.as_str(), entry.key);
                rules.push(rule(reader, block, name, pattern, &entry.value)?);
            }
        }
        Value::List(list) => {
            for item in list {
                rules.push(listed_rule(reader, block, name, item)?);
            }
        }
        Value::Null | Value::Flag(_) | Value::Number(_) => {
            let message = format!("the rule for {} is {}", quoted(name), value.told());
            return Err(reader.error(Code::RuleInvalid, value.place, message, FORMS_HELP));
        }
    }
    Ok(())
}

fn listed_rule(
    reader: &mut Reader<'_>,
    block: Block<'_>,
    name: &str,
    item: &Node,
) -> Result<Rule, Error> {
    let what = format!("a rule for {}", quoted(name));
    if !matches!(item.value, Value::Map(_)) {
        let message = format!("{what} is {}", item.told());
        let help = "write `{ \"pattern\": \"…\", \"action\": \"deny\" }`";
        return Err(reader.error(Code::RuleInvalid, item.place, message, help));
    }
    let keys = if block.is_locked { LOCKED_RULE } else { RULE };
    let fields = reader.fields(item, keys, &what)?;
    let pattern = match fields.get("pattern") {
        Some(entry) => (reader.text(&entry.value, "`pattern`")?, entry.value.place),
        None => ("*", item.place),
    };
    let when = match fields.get("when") {
        Some(entry) => when::conditions(reader, &entry.value)?,
        None => Vec::new(),
    };
    let action = fields.get("action").map_or(item, |entry| &entry.value);
    let rule = rule(reader, block, name, pattern, action)?;
    Ok(Rule { when, ..rule })
}

/// One unconditional rule. Its origin is the place of the pattern, or of the name if it has none.
fn rule(
    reader: &mut Reader<'_>,
    block: Block<'_>,
    name: &str,
    (pattern, place): (&str, Place),
    action: &Node,
) -> Result<Rule, Error> {
    if pattern.is_empty() || pattern.contains('\0') {
        let message = format!("{} is no pattern for {}", quoted(pattern), quoted(name));
        let help = "write `*` for every resource, or what the resource looks like";
        return Err(reader.error(Code::RuleInvalid, place, message, help));
    }
    let action = read_action(reader, block, name, pattern, action)?;
    Ok(Rule {
        permission: Arc::from(fold_permission(name)),
        pattern: expand_home(reader, pattern, place),
        when: Vec::new(),
        action,
        origin: reader.origin(place),
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        config::{Config, Document, parse_permission},
        error::{Code, Error},
        permission::rule::Rule,
    };

    fn read(text: &str) -> Result<Vec<Rule>, Error> {
        parse_permission(text, "f", Some("/home/u/"))
    }

    /// Each rule as `permission pattern action line:column`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let rules = read(text).unwrap();
        let told: Vec<String> = rules
            .iter()
            .map(|rule| {
                let (line, column) = (rule.origin.line, rule.origin.column);
                format!(
                    "{} {} {} {line}:{column}",
                    rule.permission, rule.pattern, rule.action
                )
            })
            .collect();
        assert_eq!(told, expected);
    }

    #[track_caller]
    fn refuses(text: &str, code: Code, line: u32, column: u32, message: &str, help: &str) {
        let error = read(text).unwrap_err();
        let span = error.span.as_deref().unwrap();
        assert_eq!(
            (error.code, span.line, span.column),
            (code, line, column),
            "{error:?}"
        );
        assert_eq!(error.message, message);
        assert!(error.help.contains(help), "{}", error.help);
    }

    #[test]
    fn a_word_is_one_rule_for_everything() {
        check("\"ask\"", &["* * ask 1:1"]);
    }

    #[test]
    fn a_name_with_a_word_speaks_for_every_resource() {
        check("{ \"bash\": \"deny\" }", &["bash * deny 1:3"]);
    }

    #[test]
    fn patterns_keep_their_order() {
        check(
            "{\n  \"*\": \"ask\",\n  \"bash\": { \"git *\": \"allow\",\n    \"git push *\": \"deny\" },\n  \"a\": \"allow\"\n}",
            &[
                "* * ask 2:3",
                "bash git * allow 3:13",
                "bash git push * deny 4:5",
                "a * allow 5:3",
            ],
        );
    }

    #[test]
    fn lists_carry_conditions() {
        let text = r#"{ "refund": [
            { "action": "allow" },
            { "pattern": "eu-*", "when": { "input.amount": { "minimum": 5 } }, "action": "deny" }] }"#;
        check(text, &["refund * allow 2:13", "refund eu-* deny 3:26"]);
        let rules = read(text).unwrap();
        assert_eq!(rules[1].when[0].path, ["input", "amount"]);
        assert_eq!(rules[1].when[0].schema, serde_json::json!({ "minimum": 5 }));
    }

    #[test]
    fn an_opencode_block_reads_as_it_is() {
        check(
            r#"{ "*": "ask", "edit": { "*": "deny", "docs/**": "allow" }, "webfetch": "deny",
                 "external_directory": { "~/work/*": "allow" }, "doom_loop": "ask" }"#,
            &[
                "* * ask 1:3",
                "edit * deny 1:25",
                "edit docs/** allow 1:38",
                "webfetch * deny 1:60",
                "external_directory /home/u/work/* allow 2:42",
                "doom_loop * ask 2:65",
            ],
        );
    }

    #[test]
    fn names_that_javascript_knows_are_plain_names() {
        check(
            "{ \"constructor\": \"ask\", \"__proto__\": { \"toString\": \"deny\" } }",
            &["constructor * ask 1:3", "__proto__ toString deny 1:40"],
        );
    }

    #[test]
    fn a_name_without_rules_is_taken_with_a_warning() {
        check("{ \"bash\": {}, \"read\": [] }", &[]);
        let document = Document {
            text: "{ \"permission\": { \"bash\": {} } }",
            file: "f",
            is_trusted: true,
            home: None,
        };
        let warnings = Config::parse(&document).unwrap().warnings;
        assert_eq!(warnings[0].message, "`bash` has no rules");
    }

    #[test]
    fn names_of_editing_tools_fold_into_edit_with_a_warning() {
        check("{ \"write\": \"deny\" }", &["edit * deny 1:3"]);
        let document = Document {
            text: "{ \"permission\": { \"apply_patch\": \"deny\" } }",
            file: "f",
            is_trusted: true,
            home: None,
        };
        let warnings = Config::parse(&document).unwrap().warnings;
        assert_eq!(
            warnings[0].to_string(),
            "f:1:19: `apply_patch` is covered by `edit`, for all tools that edit files; write `edit`"
        );
    }

    #[test]
    fn a_rule_is_a_word_an_object_or_a_list() {
        let forms = "an object from patterns";
        refuses(
            "{ \"bash\": 5 }",
            Code::RuleInvalid,
            1,
            11,
            "the rule for `bash` is `5`",
            forms,
        );
        refuses(
            "{ \"bash\": true }",
            Code::RuleInvalid,
            1,
            11,
            "the rule for `bash` is `true`",
            forms,
        );
        refuses(
            "{ \"bash\": null }",
            Code::RuleInvalid,
            1,
            11,
            "the rule for `bash` is `null`",
            forms,
        );
        refuses(
            "[]",
            Code::RuleInvalid,
            1,
            1,
            "`permission` is a list",
            "an object from permission names",
        );
        refuses(
            "{ \"bash\": [\"deny\"] }",
            Code::RuleInvalid,
            1,
            12,
            "a rule for `bash` is `deny`",
            "\"action\"",
        );
    }

    #[test]
    fn a_listed_rule_has_known_keys_and_an_action() {
        refuses(
            "{ \"a\": [{ \"patern\": \"x\", \"action\": \"ask\" }] }",
            Code::ConfigUnknownKey,
            1,
            11,
            "a rule for `a` has no key `patern`",
            "did you mean `pattern`?",
        );
        refuses(
            "{ \"a\": [{}] }",
            Code::ConfigInvalid,
            1,
            9,
            "a rule for `a` has no `action`",
            "add `action`",
        );
    }

    #[test]
    fn keys_that_javascript_reorders_are_refused() {
        let message = "the key `42` of the rules for `a` is a number; JavaScript would move it before the others, and the order counts";
        refuses(
            "{ \"a\": { \"42\": \"ask\" } }",
            Code::ConfigInvalid,
            1,
            10,
            message,
            "as a list",
        );
        check(
            "{ \"a\": [{ \"pattern\": \"42\", \"action\": \"ask\" }] }",
            &["a 42 ask 1:22"],
        );
    }

    #[test]
    fn empty_names_and_patterns_match_nothing_and_are_refused() {
        refuses(
            "{ \"\": \"ask\" }",
            Code::ConfigInvalid,
            1,
            3,
            "a permission name is an empty text",
            "write a name",
        );
        refuses(
            "{ \"a\": { \"\": \"ask\" } }",
            Code::RuleInvalid,
            1,
            10,
            "`` is no pattern for `a`",
            "`*`",
        );
        let message = "a permission name `a\\u{7}` has a control character";
        refuses(
            "{ \"a\\u0007\": \"ask\" }",
            Code::ConfigInvalid,
            1,
            3,
            message,
            "delete",
        );
    }
}
