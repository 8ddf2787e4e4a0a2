//! What a table decides about a call, layer by layer.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod support;

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use support::{
    Row, empty_policy, layer, policy, register, rule_when, rules, seal, seal_with, table_of, tool,
    turn,
};
use toolgate::{
    build::{offer::State, policy::Policy, turn::Turn},
    error::Code,
    permission::{
        action::Action::{self, Allow, Ask, Deny},
        decide::Why,
        glob::Glob,
        layer::Layer,
    },
    tool::Effect::{self, Destructive, ExternalWrite, InternalWrite, Read},
};

#[track_caller]
fn check(rows: &[Row<'_>], resource: &str, expected: Action) {
    let table = table_of(tool("bash", InternalWrite), policy(rows));
    assert_eq!(
        table.decide(0, &[resource], None).action,
        expected,
        "{rows:?} on {resource}"
    );
}

#[test]
fn silence_means_ask() {
    check(&[], "ls", Ask);
    check(&[("read", "*", Allow)], "ls", Ask);
}

#[test]
fn the_last_rule_that_matches_wins() {
    check(
        &[("bash", "*", Allow), ("bash", "git *", Deny)],
        "git push",
        Deny,
    );
    check(
        &[("bash", "git *", Deny), ("bash", "*", Allow)],
        "git push",
        Allow,
    );
    check(&[("bash", "git *", Deny), ("*", "*", Ask)], "git", Ask);
}

#[test]
fn a_call_without_resources_is_asked_about() {
    let table = table_of(tool("bash", InternalWrite), policy(&[("*", "*", Allow)]));
    let verdict = table.decide(0, &[], None);
    assert_eq!((verdict.action, verdict.why), (Ask, Why::NoResource));
}

#[test]
fn the_strictest_resource_counts() {
    let rows = [
        ("edit", "*", Allow),
        ("edit", "b", Ask),
        ("edit", "c", Deny),
    ];
    let table = table_of(tool("write", InternalWrite), policy(&rows));
    assert_eq!(table.decide(0, &["a"], None).action, Allow);
    assert_eq!(table.decide(0, &["a", "b"], None).action, Ask);
    assert_eq!(table.decide(0, &["c", "b", "a"], None).action, Deny);
}

#[test]
fn a_glob_may_mean_the_name_that_was_folded_into_edit() {
    let rows = [("*", "*", Allow), ("apply_*", "*", Deny)];
    let table = table_of(tool("apply_patch", InternalWrite), policy(&rows));
    assert_eq!(table.states(), [State::Hidden]);
    assert_eq!(table.decide(0, &["a"], None).action, Deny);
}

#[test]
fn a_locked_deny_ends_it_whatever_comes_later() {
    let locked = layer(Layer::Locked, rules(&[("bash", "git push *", Deny)]));
    let policy = Policy {
        locked,
        ..policy(&[("bash", "*", Allow)])
    };
    let registry = register(vec![tool("bash", InternalWrite)], policy).unwrap();
    let overlay = vec![(Layer::Session, rules(&[("bash", "git push *", Allow)]))];
    let table = seal(&registry, turn(), overlay).unwrap();
    let verdict = table.decide(0, &["git push origin"], None);
    assert_eq!((verdict.action, verdict.why), (Deny, Why::Locked));
    assert_eq!(table.decide(0, &["git status"], None).action, Allow);
    assert_eq!(
        table
            .rule(verdict.rule.unwrap())
            .unwrap()
            .1
            .pattern
            .as_ref(),
        "git push *"
    );
}

#[test]
fn the_project_layer_can_only_tighten() {
    let registry = register(
        vec![tool("bash", InternalWrite)],
        policy(&[("bash", "*", Ask)]),
    )
    .unwrap();
    let project = [("bash", "ls", Allow), ("bash", "rm *", Deny)];
    let table = seal(&registry, turn(), vec![(Layer::Project, rules(&project))]).unwrap();
    assert_eq!(table.decide(0, &["ls"], None).action, Ask);
    let verdict = table.decide(0, &["rm x"], None);
    assert_eq!((verdict.action, verdict.why), (Deny, Why::Project));
    // An allow of the tree does not bring a hidden tool back either.
    let registry = register(
        vec![tool("bash", InternalWrite)],
        policy(&[("bash", "*", Deny)]),
    )
    .unwrap();
    let table = seal(&registry, turn(), vec![(Layer::Project, rules(&project))]).unwrap();
    assert_eq!(table.states(), [State::Hidden]);
}

#[track_caller]
fn check_gate(effect: Effect, rows: &[Row<'_>], turn: Turn, expected: (Action, Why)) {
    let registry = register(vec![tool("refund", effect)], policy(rows)).unwrap();
    let table = seal(&registry, turn, Vec::new()).unwrap();
    let verdict = table.decide(0, &["*"], None);
    assert_eq!(
        (verdict.action, verdict.why),
        expected,
        "{effect} under {rows:?}"
    );
}

#[test]
fn a_guarded_tool_needs_a_rule_that_names_it_or_a_person() {
    check_gate(
        ExternalWrite,
        &[("*", "*", Allow)],
        turn(),
        (Ask, Why::Unnamed),
    );
    check_gate(
        ExternalWrite,
        &[("?*", "*", Allow)],
        turn(),
        (Ask, Why::Unnamed),
    );
    check_gate(
        ExternalWrite,
        &[("re*", "*", Allow)],
        turn(),
        (Allow, Why::Rule),
    );
    check_gate(
        Destructive,
        &[("refund", "*", Allow)],
        turn(),
        (Allow, Why::Rule),
    );
    check_gate(
        InternalWrite,
        &[("*", "*", Allow)],
        turn(),
        (Allow, Why::Rule),
    );
}

#[test]
fn a_guarded_tool_needs_a_store_and_a_way_to_ask() {
    let no_store = || Turn {
        has_store: false,
        ..turn()
    };
    let no_person = || Turn {
        can_ask: false,
        ..turn()
    };
    check_gate(
        ExternalWrite,
        &[("refund", "*", Allow)],
        no_store(),
        (Deny, Why::Unguarded),
    );
    check_gate(ExternalWrite, &[], no_store(), (Deny, Why::Unguarded));
    check_gate(ExternalWrite, &[], no_person(), (Deny, Why::Unguarded));
    check_gate(
        ExternalWrite,
        &[("refund", "*", Allow)],
        no_person(),
        (Allow, Why::Rule),
    );
    check_gate(Read, &[("*", "*", Allow)], no_store(), (Allow, Why::Rule));
}

#[test]
fn the_gate_never_lifts_a_deny() {
    check_gate(
        ExternalWrite,
        &[("refund", "x", Allow), ("*", "*", Deny)],
        turn(),
        (Deny, Why::Rule),
    );
    let shadow = Turn {
        shadow: true,
        ..turn()
    };
    check_gate(
        ExternalWrite,
        &[("refund", "*", Deny)],
        shadow,
        (Deny, Why::Rule),
    );
}

#[test]
fn a_shadow_run_suppresses_guarded_calls_only() {
    let shadow = || Turn {
        shadow: true,
        ..turn()
    };
    check_gate(ExternalWrite, &[], shadow(), (Allow, Why::Shadow));
    check_gate(InternalWrite, &[], shadow(), (Ask, Why::Silence));
}

#[test]
fn shipped_defaults_allow_reading_but_not_environment_files() {
    let table = |name: &str, effect| {
        let config = toolgate::config::Config::default();
        table_of(tool(name, effect), Policy::compile(config, None).unwrap())
    };
    let reader = table("weather", Read);
    assert_eq!(reader.decide(0, &["*"], None).action, Allow);
    assert_eq!(reader.decide(0, &["a/prod.env"], None).action, Ask);
    assert_eq!(reader.decide(0, &["a/.env.local"], None).action, Ask);
    assert_eq!(reader.decide(0, &["a/.env.example"], None).action, Allow);
    assert_eq!(
        table("webfetch", Read)
            .decide(0, &["https://x"], None)
            .action,
        Ask
    );
    assert_eq!(
        table("note", InternalWrite).decide(0, &["*"], None).action,
        Ask
    );
    assert_eq!(
        table("refund", ExternalWrite)
            .decide(0, &["*"], None)
            .action,
        Ask
    );
}

#[test]
fn conditions_look_at_the_input_and_an_absent_field_opens_nothing() {
    let big = json!({ "exclusiveMinimum": 1000 });
    let small = json!({ "maximum": 10 });
    let config = vec![
        rules(&[("refund", "*", Ask)]).remove(0),
        rule_when(("refund", "*", Allow), "input.amount", small),
        rule_when(("refund", "*", Deny), "input.amount", big),
    ];
    let policy = Policy {
        config: layer(Layer::Config, config),
        ..empty_policy()
    };
    let table = table_of(tool("refund", InternalWrite), policy);
    assert!(table.needs_input(0));
    let decide = |input: serde_json::Value| table.decide(0, &["*"], Some(&&input)).action;
    assert_eq!(decide(json!({ "amount": 5 })), Allow);
    assert_eq!(decide(json!({ "amount": 500 })), Ask);
    assert_eq!(decide(json!({ "amount": 5000 })), Deny);
    assert_eq!(decide(json!({})), Deny);
    assert_eq!(table.decide(0, &["*"], None).action, Deny);
    assert_eq!(table.states(), [State::Visible]);
}

#[test]
fn conditions_on_the_turn_are_settled_when_the_table_is_built() {
    let admin = rule_when(("bash", "*", Allow), "role", json!({ "const": "admin" }));
    let policy = Policy {
        config: layer(Layer::Config, vec![admin]),
        ..empty_policy()
    };
    let registry = register(vec![tool("bash", InternalWrite)], policy).unwrap();
    let decide = |facts: serde_json::Value| {
        let table = seal_with(&registry, turn(), Vec::new(), Some(&facts), None).unwrap();
        assert!(!table.needs_input(0));
        table.decide(0, &["ls"], None).action
    };
    assert_eq!(decide(json!({ "role": "admin" })), Allow);
    assert_eq!(decide(json!({ "role": "guest" })), Ask);
    assert_eq!(decide(json!({})), Ask);
}

#[test]
fn a_condition_on_a_field_that_the_tool_does_not_have_is_an_error() {
    let mut refund = tool("refund", InternalWrite);
    refund.input_schema = Some(
        (&json!({ "type": "object", "properties": { "amount": { "type": "number" } } })).into(),
    );
    let check = |path: &str, schema: serde_json::Value| {
        let rule = rule_when(("refund", "*", Deny), path, schema);
        let policy = Policy {
            config: layer(Layer::Config, vec![rule]),
            ..empty_policy()
        };
        register(vec![refund.clone()], policy).err()
    };
    assert_eq!(check("input.amount", json!({ "minimum": 1 })), None);
    let unknown = check("input.amont", json!({ "minimum": 1 })).unwrap();
    assert_eq!(unknown.code, Code::ConditionInvalid);
    assert!(
        unknown.message.contains("has no `amont`"),
        "{}",
        unknown.message
    );
    assert_eq!(unknown.help, "did you mean `amount`?");
    let wrong = check("input.amount", json!({ "const": "much" })).unwrap();
    assert!(wrong.message.contains("to be string"), "{}", wrong.message);
}

#[test]
fn two_sources_with_one_name_are_both_named() {
    let mut second = tool("bash", Read);
    second.source = toolgate::tool::Source("mcp shell".into());
    let error = register(vec![tool("bash", InternalWrite), second], policy(&[]))
        .err()
        .unwrap();
    assert_eq!(error.code, Code::ToolNameTaken);
    assert_eq!(
        error.message,
        "tool name `bash` is taken by `tools.bash`; `mcp shell` offered it again"
    );
}

#[test]
fn an_explanation_names_the_rule_to_the_operator_and_not_to_the_model() {
    let table = table_of(
        tool("bash", InternalWrite),
        policy(&[("bash", "*", Allow), ("bash", "git push *", Deny)]),
    );
    let explained = table.explain(0, &["git push origin"], None).unwrap();
    assert_eq!(
        explained.text,
        "rule `bash: git push *` (config, test) says `deny`"
    );
    assert!(!explained.safe.contains("git"), "{}", explained.safe);
    assert_eq!(explained.code, Some(Code::PermissionDenied));
    assert_eq!(explained.resources.len(), 1);
}

#[test]
fn an_undeclared_tool_is_explained_with_the_line_to_paste() {
    let mut weather = tool("weather", ExternalWrite);
    weather.is_effect_declared = false;
    let table = table_of(weather, policy(&[("*", "*", Allow)]));
    let explained = table.explain(0, &["*"], None).unwrap();
    assert!(
        explained
            .text
            .contains("declare: { weather: { effect: 'read' } }"),
        "{}",
        explained.text
    );
}

/// The pipeline over one layer, as a person would do it by hand.
fn oracle(rows: &[(String, String, Action)], permission: &str, resource: &str) -> Action {
    let matches = |glob: &str, text: &str| Glob::new(&Arc::from(glob)).matches(text);
    let last = rows
        .iter()
        .rev()
        .find(|row| matches(&row.0, permission) && matches(&row.1, resource));
    last.map_or(Ask, |row| row.2)
}

proptest! {
    #[test]
    fn the_index_decides_as_a_person_would_by_hand(
        rows in proptest::collection::vec(
            ("(bash|read|b*|\\*|\\?\\?\\?\\?|\\*sh)", "[ab*? ]{0,4}", prop_oneof![Just(Allow), Just(Ask), Just(Deny)]),
            0..30,
        ),
        resource in "[ab ]{0,6}",
    ) {
        let borrowed: Vec<Row<'_>> = rows.iter().map(|row| (row.0.as_str(), row.1.as_str(), row.2)).collect();
        let table = table_of(tool("bash", InternalWrite), policy(&borrowed));
        let expected = oracle(&rows, "bash", &resource);
        let verdict = table.decide(0, &[&resource], None);
        if table.is_visible(0) {
            prop_assert_eq!(verdict.action, expected);
        } else {
            prop_assert_eq!(verdict.action, Deny);
            // A tool is hidden only if no resource at all could get through.
            prop_assert_eq!(expected, Deny);
        }
    }
}
