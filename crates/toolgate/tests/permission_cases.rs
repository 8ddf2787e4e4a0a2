//! Runs the permission cases that rules alone decide (`"plain": true`) against the core.
//!
//! The same file runs through the addon in `__test__/cases.spec.ts`; the boundary may add nothing
//! and lose nothing. A case is not edited, skipped or special-cased here.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::sync::Arc;

use indexmap::IndexMap;
use jsonschema::json::SerdeJson;
use serde::Deserialize;
use toolgate::{
    build::{
        offer::offer,
        policy::Policy,
        registry::{Definition, Registry},
        turn::Turn,
    },
    permission::{
        action::Action,
        layer::{CompiledLayer, Layer},
        rule::{Origin, Rule},
    },
    tool::{Effect, Source, ToolName},
};

const CASES: &str = include_str!("../../../fixtures/cases/permission_cases.jsonl");

#[derive(Deserialize)]
struct Case {
    id: String,
    #[serde(default)]
    plain: bool,
    rules: Vec<CaseRule>,
    call: Call,
    expected: Action,
    #[serde(default)]
    also_ok: Vec<Action>,
    visible: Option<bool>,
}

#[derive(Deserialize)]
struct CaseRule {
    permission: String,
    pattern: String,
    action: Action,
    layer: Option<String>,
    #[serde(default)]
    locked: bool,
}

#[derive(Deserialize)]
struct Call {
    tool: String,
    command: Option<String>,
    path: Option<String>,
    paths: Option<Vec<String>>,
    input: Option<serde_json::Value>,
    role: Option<String>,
    #[serde(default)]
    request_tools: serde_json::Map<String, serde_json::Value>,
}

impl Call {
    /// The path, URL or whole command, taken as one literal resource.
    fn resources(&self) -> Vec<String> {
        if let Some(paths) = &self.paths {
            return paths.clone();
        }
        let url = self
            .input
            .as_ref()
            .and_then(|input| input.get("url")?.as_str());
        let one = self.command.as_deref().or(self.path.as_deref()).or(url);
        vec![one.unwrap_or("*").to_owned()]
    }
}

impl Case {
    fn rules_of(&self, layer: Option<&str>, is_locked: bool) -> Vec<Rule> {
        let rules = self.rules.iter().filter(|rule| {
            rule.locked == is_locked && (is_locked || rule.layer.as_deref() == layer)
        });
        let rules = rules.map(|rule| Rule {
            permission: rule.permission.as_str().into(),
            pattern: rule.pattern.as_str().into(),
            when: Vec::new(),
            action: rule.action,
            origin: Origin::named(&self.id),
        });
        rules.collect()
    }

    fn booleans(&self) -> Vec<(String, bool)> {
        let booleans = self.call.request_tools.iter();
        booleans
            .map(|(name, is_on)| (name.clone(), is_on.as_bool().unwrap()))
            .collect()
    }

    /// Answers of the core: the verdict, and whether the tool is offered.
    fn run(&self) -> (Action, bool) {
        let compile = |layer, rules| CompiledLayer::<SerdeJson>::compile(layer, rules).unwrap();
        let mut config = self.rules_of(None, false);
        config.extend(self.rules_of(Some("config"), false));
        let role = self.call.role.clone().unwrap_or_else(|| "role".to_owned());
        let roles = [(
            role.clone(),
            compile(Layer::Role, self.rules_of(Some("role"), false)),
        )];
        let policy = Policy {
            defaults: compile(Layer::Defaults, self.rules_of(Some("defaults"), false)),
            config: compile(Layer::Config, config),
            locked: compile(Layer::Locked, self.rules_of(None, true)),
            roles: roles.into_iter().collect(),
            tenants: IndexMap::new(),
            visibility: Vec::new(),
            home: None,
        };
        let source = Source("case".into());
        let definition = Definition {
            name: self.call.tool.clone(),
            source: source.clone(),
            description: None,
            effect: Some(Effect::InternalWrite),
            is_effect_declared: true,
            category: None,
            permission: None,
            input_schema: None,
            has_own_parser: true,
        };
        let name = ToolName::parse(&self.call.tool, &source).unwrap();
        let registry =
            Registry::register(vec![(name, Arc::new(definition))], Arc::new(policy)).unwrap();
        let turn = Turn {
            role: Some(role),
            tools: self.booleans(),
            can_ask: true,
            has_store: true,
            ..Turn::default()
        };
        let overlay = vec![
            (Layer::Session, self.rules_of(Some("session"), false)),
            (Layer::Request, self.rules_of(Some("request"), false)),
        ];
        let offered = offer(&Arc::new(registry), &turn);
        let table = offered
            .rewrite(Vec::new())
            .seal(turn, None, overlay, None)
            .unwrap();
        let resources = self.call.resources();
        let resources: Vec<&str> = resources.iter().map(String::as_str).collect();
        (
            table.decide(0, &resources, None).action,
            table.is_visible(0),
        )
    }
}

#[test]
fn every_plain_case_is_decided_as_written() {
    let cases = CASES
        .lines()
        .map(|line| serde_json::from_str::<Case>(line).unwrap());
    let plain: Vec<Case> = cases.filter(|case| case.plain).collect();
    assert!(
        plain.len() >= 50,
        "only {} plain cases were read",
        plain.len()
    );
    let mut wrong = Vec::new();
    for case in &plain {
        let (action, is_visible) = case.run();
        if action != case.expected && !case.also_ok.contains(&action) {
            wrong.push(format!(
                "{}: expected {}, got {action}",
                case.id, case.expected
            ));
        }
        if case.visible.is_some_and(|visible| visible != is_visible) {
            wrong.push(format!(
                "{}: expected visible {:?}, got {is_visible}",
                case.id, case.visible
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
