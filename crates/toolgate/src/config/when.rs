//! Conditions: a map from a path to a JSON Schema fragment, all of which must hold.
//!
//! Only the form is read here. Whether a field exists in a tool's input is asked when the registry
//! knows the tools, in `permission::when`.

use super::{
    node::{Node, Value, listed, quoted},
    shape::Reader,
    spans::Place,
};
use crate::{
    error::{Code, Error},
    permission::rule::Condition,
    suggest::nearest,
};

/// What a path may start with. Only `input` has something under it.
pub(super) const ROOTS: [&str; 5] = ["input", "role", "tenant", "principal", "flags"];

/// Reads the value of `when`.
pub(super) fn conditions(reader: &Reader<'_>, node: &Node) -> Result<Vec<Condition>, Error> {
    let help = "write `{ \"input.amount\": { \"maximum\": 100 } }`";
    let Value::Map(map) = &node.value else {
        let message = format!(
            "`when` is {}, not an object from paths to conditions",
            node.told()
        );
        return Err(reader.error(Code::ConditionInvalid, node.place, message, help));
    };
    if map.is_empty() {
        let message = "`when` has no condition";
        let help = format!("{help}, or delete `when`");
        return Err(reader.error(Code::ConditionInvalid, node.place, message, help));
    }
    let mut conditions = Vec::with_capacity(map.len());
    for (text, entry) in map {
        let path = path(reader, text, entry.key)?;
        if !matches!(entry.value.value, Value::Map(_) | Value::Flag(_)) {
            let message = format!(
                "the condition on {} is {}",
                quoted(text),
                entry.value.told()
            );
            let help = if matches!(entry.value.value, Value::List(_)) {
                "write a JSON Schema: `{ \"enum\": […] }` for one of several values"
            } else {
                "write a JSON Schema: `{ \"const\": … }` for exactly this value"
            };
            return Err(reader.error(Code::ConditionInvalid, entry.value.place, message, help));
        }
        conditions.push(Condition {
            path,
            schema: entry.value.to_json(),
        });
    }
    Ok(conditions)
}

fn path(reader: &Reader<'_>, text: &str, place: Place) -> Result<Vec<String>, Error> {
    let path: Vec<String> = text.split('.').map(str::to_owned).collect();
    let root = path.first().map_or("", String::as_str);
    let rest = text.get(root.len()..).unwrap_or("");
    if !ROOTS.contains(&root) {
        let message = format!(
            "the condition on {} does not start with a root",
            quoted(text)
        );
        let near = match nearest(root, ROOTS) {
            Some(near) => format!("{near}{rest}"),
            None => format!("input.{text}"),
        };
        let roots = listed(ROOTS, "and");
        let help = format!("did you mean {}? The roots are {roots}", quoted(&near));
        return Err(reader.error(Code::ConditionInvalid, place, message, help));
    }
    if path
        .iter()
        .any(|segment| segment.is_empty() || segment.contains('\0'))
    {
        let message = format!("the path {} has an empty or illegal part", quoted(text));
        let help = "put exactly one `.` between names";
        return Err(reader.error(Code::ConditionInvalid, place, message, help));
    }
    if root != "input" && path.len() > 1 {
        let message = format!(
            "nothing stands under `{root}`, so {} would never hold",
            quoted(text)
        );
        let help = format!("put the condition on `{root}` itself");
        return Err(reader.error(Code::ConditionInvalid, place, message, help));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use crate::{config::parse_permission, error::Code};

    fn rule(when: &str) -> String {
        format!("{{ \"refund\": [{{ \"when\": {when}, \"action\": \"deny\" }}] }}")
    }

    #[track_caller]
    fn takes(when: &str, expected: &[&[&str]]) {
        let rules = parse_permission(&rule(when), "f", None).unwrap();
        let paths: Vec<&Vec<String>> = rules[0]
            .when
            .iter()
            .map(|condition| &condition.path)
            .collect();
        assert_eq!(paths, expected);
    }

    /// The condition starts in column 24.
    #[track_caller]
    fn check(when: &str, column: u32, message: &str, help: &str) {
        let error = parse_permission(&rule(when), "f", None).unwrap_err();
        let span = error.span.as_deref().unwrap();
        assert_eq!(
            (error.code, span.line, span.column),
            (Code::ConditionInvalid, 1, column),
            "{error:?}"
        );
        assert_eq!(error.message, message);
        assert!(error.help.contains(help), "{}", error.help);
    }

    #[test]
    fn every_root_is_taken() {
        takes(
            "{ \"input\": {}, \"role\": {}, \"tenant\": true, \"principal\": {}, \"flags\": false }",
            &[
                &["input"],
                &["role"],
                &["tenant"],
                &["principal"],
                &["flags"],
            ],
        );
    }

    #[test]
    fn paths_go_into_the_input() {
        takes(
            "{ \"input.order.items.0\": {} }",
            &[&["input", "order", "items", "0"]],
        );
        takes("{ \"input.__proto__\": {} }", &[&["input", "__proto__"]]);
    }

    #[test]
    fn an_unknown_root_gets_a_suggestion() {
        let message = "the condition on `inptu.amount` does not start with a root";
        check(
            "{ \"inptu.amount\": {} }",
            26,
            message,
            "did you mean `input.amount`?",
        );
        let message = "the condition on `amount` does not start with a root";
        check(
            "{ \"amount\": {} }",
            26,
            message,
            "did you mean `input.amount`?",
        );
    }

    #[test]
    fn only_the_input_has_parts() {
        let message = "nothing stands under `role`, so `role.name` would never hold";
        check("{ \"role.name\": {} }", 26, message, "on `role` itself");
    }

    #[test]
    fn broken_paths_are_refused() {
        check(
            "{ \"input..a\": {} }",
            26,
            "the path `input..a` has an empty or illegal part",
            "exactly one",
        );
        check(
            "{ \"input.\": {} }",
            26,
            "the path `input.` has an empty or illegal part",
            "exactly one",
        );
    }

    #[test]
    fn a_condition_is_a_schema() {
        check(
            "{ \"role\": \"admin\" }",
            34,
            "the condition on `role` is `admin`",
            "{ \"const\": … }",
        );
        check(
            "{ \"role\": [\"a\"] }",
            34,
            "the condition on `role` is a list",
            "{ \"enum\": […] }",
        );
        check("{}", 24, "`when` has no condition", "delete `when`");
        check(
            "5",
            24,
            "`when` is `5`, not an object from paths to conditions",
            "input.amount",
        );
    }
}
