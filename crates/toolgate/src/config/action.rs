//! The action of a rule: three words, and what people write instead.
//!
//! Apart from the rules because this is where a block's limits hold: locked rules only deny, and
//! the file of an untrusted directory allows nothing.

use super::{
    node::{Node, Value, quoted},
    permission::Block,
    shape::Reader,
};
use crate::{
    error::{Code, Error},
    permission::action::Action,
    suggest::nearest,
};

const ACTIONS: [&str; 3] = ["allow", "ask", "deny"];

/// Reads the action of the rule for `name` and `pattern`; says what stands there and what may.
pub(super) fn read_action(
    reader: &Reader<'_>,
    block: Block<'_>,
    name: &str,
    pattern: &str,
    node: &Node,
) -> Result<Action, Error> {
    let scope = if pattern == "*" {
        format!("for {} in {}", quoted(name), quoted(block.path))
    } else {
        format!(
            "for {}, pattern {}, in {}",
            quoted(name),
            quoted(pattern),
            quoted(block.path)
        )
    };
    let word = match &node.value {
        Value::Text(word) => word.as_str(),
        Value::Null | Value::Flag(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => "",
    };
    let Some(action) = Action::parse(word) else {
        let message = format!("{} is no action {scope}", node.told());
        let help = match meant(word) {
            _ if block.is_locked => "write `deny`; locked rules can only deny".into(),
            Some(near) => {
                format!("did you mean `{near}`? The actions are `allow`, `ask` and `deny`")
            }
            None => "the actions are `allow`, `ask` and `deny`".into(),
        };
        return Err(reader.error(Code::RuleInvalid, node.place, message, help));
    };
    if block.is_locked && action != Action::Deny {
        let message = format!("`{action}` {scope}: locked rules can only deny");
        let help = "write `deny`, or move the rule to `permission`";
        return Err(reader.error(Code::RuleInvalid, node.place, message, help));
    }
    if !reader.is_trusted && action == Action::Allow {
        let message =
            format!("`allow` {scope}: the file of an untrusted directory may only tighten");
        let help = "move the rule to the application's own configuration, or write `ask` or `deny`";
        return Err(reader.error(Code::ConfigLoosens, node.place, message, help));
    }
    Ok(action)
}

/// The action that a near miss or another product's word stands for.
fn meant(word: &str) -> Option<&'static str> {
    match word.to_lowercase().as_str() {
        "accept" | "permit" | "always" | "yes" | "true" => Some("allow"),
        "prompt" | "confirm" | "approve" => Some("ask"),
        "denied" | "reject" | "block" | "forbid" | "never" | "no" | "false" => Some("deny"),
        other => nearest(other, ACTIONS),
    }
}

#[cfg(test)]
mod tests {
    use crate::{config::parse_permission, error::Code};

    #[track_caller]
    fn refuses(text: &str, code: Code, line: u32, column: u32, message: &str, help: &str) {
        let error = parse_permission(text, "f", None).unwrap_err();
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
    fn an_unknown_action_is_named_with_the_three_words() {
        refuses(
            "{ \"bash\": \"allowed\" }",
            Code::RuleInvalid,
            1,
            11,
            "`allowed` is no action for `bash` in `permission`",
            "did you mean `allow`? The actions are `allow`, `ask` and `deny`",
        );
        refuses(
            "{ \"bash\": { \"rm *\": \"Deny\" } }",
            Code::RuleInvalid,
            1,
            21,
            "`Deny` is no action for `bash`, pattern `rm *`, in `permission`",
            "`deny`?",
        );
        let nested = "{ \"bash\": { \"rm *\": { \"action\": \"deny\" } } }";
        let message = "an object is no action for `bash`, pattern `rm *`, in `permission`";
        refuses(nested, Code::RuleInvalid, 1, 21, message, "the actions are");
        refuses(
            "\"banana\"",
            Code::RuleInvalid,
            1,
            1,
            "`banana` is no action for `*` in `permission`",
            "the actions are",
        );
    }

    #[test]
    fn words_of_other_products_get_a_suggestion() {
        for (word, near) in [("block", "deny"), ("confirm", "ask"), ("yes", "allow")] {
            let message = format!("`{word}` is no action for `*` in `permission`");
            let help = format!("did you mean `{near}`?");
            refuses(
                &format!("\"{word}\""),
                Code::RuleInvalid,
                1,
                1,
                &message,
                &help,
            );
        }
    }
}
