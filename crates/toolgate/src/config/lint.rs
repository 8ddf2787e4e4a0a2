//! Rules that can be read and do not do what they look like: told as warnings, never refused.
//!
//! First, a rule that a later one always overrules, because it is the last match that wins and
//! people read from specific to general. Second, `ls*` in a shell rule, which also lets `lsof`
//! through. Conditional rules overrule nothing.

use std::sync::Arc;

use indexmap::IndexMap;

use super::{Warning, node::quoted, shape::MAX_WARNINGS};
use crate::{
    error::Span,
    permission::{
        action::Action,
        rule::{Origin, Rule},
    },
};

/// Permissions whose resources are command lines.
const SHELLS: [&str; 3] = ["bash", "shell", "shell_exec"];

/// Looks at one list of rules; `span` finds the place of an origin.
pub(super) fn lint(rules: &[Rule], span: impl Fn(&Origin) -> Span, warnings: &mut Vec<Warning>) {
    let mut later: IndexMap<(&str, &str), &Rule> = IndexMap::new();
    let mut found: Vec<(&Rule, Option<&Rule>)> = Vec::new();
    for rule in rules.iter().rev() {
        let (permission, pattern) = (&*rule.permission, &*rule.pattern);
        let covers = [
            (permission, pattern),
            (permission, "*"),
            ("*", pattern),
            ("*", "*"),
        ];
        let by = covers.iter().find_map(|key| later.get(key)).copied();
        if by.is_some() || is_run_together(rule) {
            found.push((rule, by));
        }
        if rule.when.is_empty() {
            later.insert((permission, pattern), rule);
        }
    }
    // Told in the order in which they were written.
    warnings.extend(
        found
            .into_iter()
            .rev()
            .take(MAX_WARNINGS)
            .map(|(rule, by)| {
                let span = span(&rule.origin);
                match by {
                    Some(by) => overruled(rule, by, span),
                    None => run_together(&rule.pattern, span),
                }
            }),
    );
}

fn run_together(pattern: &str, span: Span) -> Warning {
    let apart = format!("{} *", pattern.trim_end_matches('*'));
    Warning {
        span,
        message: format!(
            "{} also allows every other command that starts so",
            quoted(pattern)
        ),
        help: format!(
            "write {} for one program with any arguments",
            quoted(&apart)
        ),
    }
}

fn overruled(rule: &Rule, by: &Rule, span: Span) -> Warning {
    let is_same_file = Arc::ptr_eq(&rule.origin.source, &by.origin.source)
        || rule.origin.source == by.origin.source;
    let place = if is_same_file {
        format!("line {}", by.origin.line)
    } else {
        by.origin.to_string()
    };
    let Rule {
        permission,
        pattern,
        action,
        ..
    } = rule;
    Warning {
        span,
        message: format!(
            "`{action}` for {}, pattern {}, never decides: `{}` in {place} comes later and speaks for all of it",
            quoted(permission),
            quoted(pattern),
            by.action
        ),
        help: "the last rule that matches wins; put general rules first and exceptions after them"
            .into(),
    }
}

fn is_run_together(rule: &Rule) -> bool {
    let stem = rule.pattern.strip_suffix('*');
    let is_word =
        |stem: &str| !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_alphanumeric());
    rule.action == Action::Allow && SHELLS.contains(&&*rule.permission) && stem.is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use crate::config::tests::read;

    #[track_caller]
    fn check(permission: &str, expected: &[&str]) {
        let config = read(&format!("{{\n\"permission\": {permission} }}")).unwrap();
        let told: Vec<String> = config
            .warnings
            .iter()
            .map(|warning| format!("{} {}", warning.span.line, warning.message))
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_deny_under_a_later_star_never_decides() {
        check(
            "{ \"bash\": { \"rm *\": \"deny\",\n\"*\": \"ask\" } }",
            &[
                "2 `deny` for `bash`, pattern `rm *`, never decides: `ask` in line 3 comes later and speaks for all of it",
            ],
        );
        check(
            "{ \"bash\": { \"rm *\": \"deny\" },\n\"*\": \"allow\" }",
            &[
                "2 `deny` for `bash`, pattern `rm *`, never decides: `allow` in line 3 comes later and speaks for all of it",
            ],
        );
    }

    #[test]
    fn the_same_pattern_later_overrules() {
        check(
            "{ \"edit\": \"deny\",\n\"write\": \"ask\" }",
            &[
                "3 `write` is covered by `edit`, for all tools that edit files",
                "2 `deny` for `edit`, pattern `*`, never decides: `ask` in line 3 comes later and speaks for all of it",
            ],
        );
    }

    #[test]
    fn general_first_is_fine() {
        check(
            "{ \"*\": \"ask\", \"bash\": { \"*\": \"ask\", \"git *\": \"allow\", \"git push *\": \"deny\" } }",
            &[],
        );
    }

    #[test]
    fn conditional_rules_overrule_nothing() {
        check(
            "{ \"a\": [{ \"action\": \"deny\" }, { \"when\": { \"role\": {} }, \"action\": \"allow\" }] }",
            &[],
        );
    }

    #[test]
    fn a_star_without_a_space_is_told_where_it_allows() {
        check(
            "{ \"bash\": { \"ls*\": \"allow\" } }",
            &["2 `ls*` also allows every other command that starts so"],
        );
        check(
            "{ \"bash\": { \"ls*\": \"deny\", \"git log*\": \"allow\" }, \"read\": { \"src*\": \"allow\" } }",
            &[],
        );
    }
}
