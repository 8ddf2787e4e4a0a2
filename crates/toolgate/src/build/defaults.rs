//! The rules that ship with the library, as data.
//!
//! They are one layer like any other, the first one, so that `explain` can name them and any later
//! rule overrides them. What a tool may do without being configured follows from its effect:
//! reading is allowed, everything else is asked about.

use std::sync::Arc;

use crate::permission::{
    action::Action,
    rule::{Origin, Rule},
};

/// The permission name that stands for "any tool whose effect is `read`". No tool can have it,
/// because `<` is not a legal character of a name.
pub const READ_TOOLS: &str = "<read>";

/// `(permission, pattern, action)`, in rule order.
const RULES: &[(&str, &str, Action)] = &[
    ("*", "*", Action::Ask),
    (READ_TOOLS, "*", Action::Allow),
    // Environment files hold secrets; their examples do not.
    (READ_TOOLS, "*.env", Action::Ask),
    (READ_TOOLS, "*.env.*", Action::Ask),
    (READ_TOOLS, "*.env.example", Action::Allow),
    // They read, but what they ask for leaves the machine.
    ("webfetch", "*", Action::Ask),
    ("websearch", "*", Action::Ask),
];

/// The rules of the defaults layer.
pub fn default_rules() -> Vec<Rule> {
    let rules = RULES.iter().map(|(permission, pattern, action)| Rule {
        permission: Arc::from(*permission),
        pattern: Arc::from(*pattern),
        when: Vec::new(),
        action: *action,
        origin: Origin::named("default"),
    });
    rules.collect()
}
