//! Which tools stand in a table: tenant toolsets, what is offered by model and flag, what rules hide,
//! and the ceiling over a sub-agent.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod support;

use std::sync::Arc;

use globset::Glob as FileGlob;
use support::{Row, layer, policy, register, rules, seal, seal_with, tool, turn};
use toolgate::{
    build::{
        offer::State,
        policy::{Policy, Tenant, Visibility},
        turn::{Model, Turn},
    },
    error::Code,
    permission::{
        action::Action::{Allow, Ask, Deny},
        decide::Why,
        glob::Glob,
        layer::Layer,
        rule::Origin,
    },
    tool::Effect::{InternalWrite, Read},
};

#[track_caller]
fn check_visible(rows: &[Row<'_>], booleans: &[(&str, bool)], expected: State) {
    let registry = register(vec![tool("write", InternalWrite)], policy(rows)).unwrap();
    let tools = booleans
        .iter()
        .map(|(name, on)| ((*name).to_owned(), *on))
        .collect();
    let table = seal(&registry, Turn { tools, ..turn() }, Vec::new()).unwrap();
    assert_eq!(table.states(), [expected], "{rows:?} {booleans:?}");
}

#[test]
fn a_tool_is_hidden_when_nothing_opens_it_after_a_deny_on_everything() {
    check_visible(&[("edit", "*", Deny)], &[], State::Hidden);
    check_visible(
        &[("edit", "*", Deny), ("edit", "docs/*", Allow)],
        &[],
        State::Visible,
    );
    check_visible(
        &[("edit", "*", Deny), ("edit", "docs/*", Ask)],
        &[],
        State::Visible,
    );
    check_visible(
        &[("edit", "docs/*", Allow), ("edit", "*", Deny)],
        &[],
        State::Hidden,
    );
    check_visible(&[("edit", "docs/*", Deny)], &[], State::Visible);
}

#[test]
fn a_false_of_the_request_hides_and_a_later_true_undoes_only_that() {
    check_visible(&[("edit", "*", Allow)], &[("write", false)], State::Hidden);
    check_visible(&[("edit", "*", Allow)], &[("edit", false)], State::Hidden);
    check_visible(
        &[("edit", "*", Allow)],
        &[("*", false), ("write", true)],
        State::Visible,
    );
    check_visible(
        &[("edit", "*", Allow)],
        &[("write", true), ("*", false)],
        State::Hidden,
    );
    check_visible(&[("edit", "*", Deny)], &[("write", true)], State::Hidden);
}

#[test]
fn a_hidden_tool_is_refused_when_called_anyway() {
    let registry = register(
        vec![tool("write", InternalWrite)],
        policy(&[("edit", "*", Allow)]),
    )
    .unwrap();
    let off = Turn {
        tools: vec![("write".into(), false)],
        ..turn()
    };
    let verdict = seal(&registry, off, Vec::new())
        .unwrap()
        .decide(0, &["a"], None);
    assert_eq!((verdict.action, verdict.why), (Deny, Why::SwitchedOff));
}

fn with_tenants() -> Policy<jsonschema::json::SerdeJson> {
    let tenant = |glob: &str, locked: &[Row<'_>]| Tenant {
        categories: Some(vec![Glob::new(&Arc::from(glob))]),
        permission: layer(Layer::Config, Vec::new()),
        locked: layer(Layer::Locked, rules(locked)),
    };
    let mut policy = policy(&[("*", "*", Allow)]);
    policy.tenants.insert("acme".into(), tenant("billing", &[]));
    policy
        .tenants
        .insert("globex".into(), tenant("crm", &[("bash", "*", Deny)]));
    policy
}

#[test]
fn what_a_tenant_has_not_enabled_is_absent_without_a_trace() {
    let mut refund = tool("refund", InternalWrite);
    refund.category = Some("billing".into());
    let registry = register(vec![refund, tool("bash", InternalWrite)], with_tenants()).unwrap();
    let states = |tenant: Option<&str>| {
        let turn = Turn {
            tenant: tenant.map(str::to_owned),
            ..turn()
        };
        let table = seal(&registry, turn, Vec::new()).unwrap();
        (table.states().to_vec(), table)
    };
    assert_eq!(states(Some("acme")).0, [State::Visible, State::Visible]);
    let (globex, table) = states(Some("globex"));
    assert_eq!(globex, [State::Absent, State::Hidden]);
    assert_eq!(states(Some("unknown")).0, [State::Absent, State::Visible]);
    assert_eq!(states(None).0, [State::Absent, State::Visible]);
    assert!(!table.hidden().iter().any(|hidden| hidden.name == "refund"));
    let (absent, nobody) = (table.explain_name("refund"), table.explain_name("nothing"));
    assert_eq!(absent.safe.replace("refund", "nothing"), nobody.safe);
    assert_eq!(absent.text.replace("refund", "nothing"), nobody.text);
    assert_eq!(table.decide(0, &["*"], None).why, Why::NotOffered);
}

#[test]
fn layer_one_drops_by_model_and_flag_and_the_last_entry_counts() {
    let entry = |tools: &str, model: Option<&str>, flags: &[&str], offers| Visibility {
        tools: vec![Glob::new(&Arc::from(tools))],
        models: model
            .map(|glob| FileGlob::new(glob).unwrap().compile_matcher())
            .into_iter()
            .collect(),
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        offers,
        origin: Origin::named("test"),
    };
    let mut policy = policy(&[("*", "*", Allow)]);
    policy.visibility = vec![
        entry("websearch", None, &[], false),
        entry("websearch", None, &["search"], true),
        entry("edit", Some("openai/*"), &[], false),
    ];
    let registry = register(
        vec![tool("websearch", Read), tool("edit", InternalWrite)],
        policy,
    )
    .unwrap();
    let states = |provider: &str, flags: &[&str]| {
        let model = Some(Model {
            provider: provider.into(),
            id: "gpt-5".into(),
        });
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let table = seal(
            &registry,
            Turn {
                model,
                flags,
                ..turn()
            },
            Vec::new(),
        )
        .unwrap();
        table.states().to_vec()
    };
    assert_eq!(
        states("anthropic", &[]),
        [State::Dropped(0), State::Visible]
    );
    assert_eq!(
        states("anthropic", &["search"]),
        [State::Visible, State::Visible]
    );
    assert_eq!(
        states("openai.responses", &["search"]),
        [State::Visible, State::Dropped(2)]
    );
}

#[test]
fn a_sub_agent_cannot_do_more_than_its_parent() {
    let mut policy = policy(&[("*", "*", Allow)]);
    policy.roles.insert(
        "careful".into(),
        layer(Layer::Role, rules(&[("bash", "rm *", Ask)])),
    );
    policy.roles.insert(
        "blind".into(),
        layer(Layer::Role, rules(&[("read", "*", Deny)])),
    );
    policy.roles.insert(
        "free".into(),
        layer(Layer::Role, rules(&[("*", "*", Allow)])),
    );
    let registry = register(
        vec![tool("bash", InternalWrite), tool("read", Read)],
        policy,
    )
    .unwrap();
    let role = |name: &str| Turn {
        role: Some(name.into()),
        ..turn()
    };
    let parent = Arc::new(seal(&registry, role("careful"), Vec::new()).unwrap());
    let child = seal_with(&registry, role("free"), Vec::new(), None, Some(parent)).unwrap();
    let verdict = child.decide(0, &["rm x"], None);
    assert_eq!((verdict.action, verdict.why), (Ask, Why::Parent));
    assert_eq!(child.decide(0, &["ls"], None).action, Allow);
    let parent = Arc::new(seal(&registry, role("blind"), Vec::new()).unwrap());
    let child = seal_with(&registry, role("free"), Vec::new(), None, Some(parent)).unwrap();
    assert_eq!(child.states(), [State::Visible, State::Hidden]);
}

#[test]
fn a_role_that_the_configuration_does_not_know_is_an_error() {
    let mut policy = policy(&[]);
    policy
        .roles
        .insert("support".into(), layer(Layer::Role, Vec::new()));
    let registry = register(vec![tool("bash", InternalWrite)], policy).unwrap();
    let error = seal(
        &registry,
        Turn {
            role: Some("suport".into()),
            ..turn()
        },
        Vec::new(),
    )
    .err()
    .unwrap();
    assert_eq!(error.code, Code::RoleUnknown);
    assert_eq!(error.help, "did you mean `support`?");
}
