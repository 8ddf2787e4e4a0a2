//! One decision of a table, without the crossing, under 10 to 10,000 rules.
//!
//! `npm run bench` measures the same with the crossing and against what a user would take instead;
//! here a change of the index shows with nothing of JavaScript in it. The rule sets are those of
//! `bench/rule-sets.mjs`, in the same proportions.
//!
//! 1. `worst`: only rule 0 matches; the others speak of the same permission and do not match.
//! 2. `typical`: the same with a catch-all every hundred rules.
//! 3. `leading-star`: like `worst`, but every pattern starts with `*`.
//! 4. `few-name-the-tool`: twenty rules speak of the tool, eight of them with a leading `*`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use support::{TestTable, policy, table_of, tool};
use toolgate::{
    permission::action::Action::{self, Allow, Ask, Deny},
    tool::Effect,
};

const ACTIONS: [Action; 3] = [Allow, Ask, Deny];
const PROGRAMS: [&str; 8] = [
    "git", "npm", "docker", "kubectl", "cargo", "gh", "aws", "make",
];
const VERBS: [&str; 6] = ["push", "publish", "rm", "apply", "install", "release"];
/// Verbs that no rule uses.
const FREE_VERBS: [&str; 4] = ["status", "list", "show", "help"];

/// Makes the rule at a position.
type MakeRule = fn(usize) -> (String, String, Action);
type Generated = Vec<(String, String, Action)>;

/// A pattern of one of three kinds, unlike that of any other rule.
fn command(at: usize) -> String {
    let start = format!("{} {}", of(&PROGRAMS, at), of(&VERBS, at / 3));
    match at % 3 {
        0 => format!("{start} target-{at}"),
        1 => format!("{start} target-{at} *"),
        _ => format!("{start} --name * target-{at}"),
    }
}

/// A pattern of one of four kinds that starts with `*`.
fn leading_star(at: usize) -> String {
    match at % 4 {
        0 => format!("*.ext{at}"),
        1 => format!("*/secret{at}/*"),
        2 => format!("* --flag{at}"),
        _ => format!("*token{at}*"),
    }
}

#[expect(clippy::indexing_slicing, reason = "the remainder is inside the list")]
fn of<T: Copy>(list: &[T], at: usize) -> T {
    list[at % list.len()]
}

fn bash(pattern: String, at: usize) -> (String, String, Action) {
    ("bash".to_owned(), pattern, of(&ACTIONS, at))
}

fn worst(at: usize) -> (String, String, Action) {
    bash(command(at), at)
}

fn typical(at: usize) -> (String, String, Action) {
    if at % 100 == 22 {
        bash("*".to_owned(), at % 2)
    } else {
        worst(at)
    }
}

fn all_leading_star(at: usize) -> (String, String, Action) {
    bash(leading_star(at), at)
}

fn few_name_the_tool(at: usize) -> (String, String, Action) {
    match at {
        1..=8 => all_leading_star(at),
        9..=20 => worst(at),
        _ if at.is_multiple_of(10) => (
            format!("*_{}_{at}", of(&VERBS, at)),
            command(at),
            of(&ACTIONS, at),
        ),
        _ => (
            format!("{}_{}_{at}", of(&PROGRAMS, at), of(&VERBS, at)),
            command(at),
            of(&ACTIONS, at),
        ),
    }
}

fn table(count: usize, rule: fn(usize) -> (String, String, Action)) -> TestTable {
    let catch_all = ("*".to_owned(), "*".to_owned(), Ask);
    let rules: Generated = std::iter::once(catch_all)
        .chain((1..count).map(rule))
        .collect();
    let rows: Vec<_> = rules
        .iter()
        .map(|(permission, pattern, action)| (permission.as_str(), pattern.as_str(), *action))
        .collect();
    table_of(tool("bash", Effect::Read), policy(&rows))
}

/// Sixteen commands that no rule but a catch-all matches.
fn calls() -> Vec<String> {
    (0..16)
        .map(|at| {
            format!(
                "{} {} src/module-{at}/file.ts --depth {at}",
                of(&PROGRAMS, at),
                of(&FREE_VERBS, at)
            )
        })
        .collect()
}

fn decide(criterion: &mut Criterion) {
    let sets: [(&str, MakeRule); 4] = [
        ("worst", worst),
        ("typical", typical),
        ("leading-star", all_leading_star),
        ("few-name-the-tool", few_name_the_tool),
    ];
    let calls = calls();
    for (name, rule) in sets {
        let mut group = criterion.benchmark_group(name);
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_millis(600));
        for count in [10, 100, 1_000, 10_000] {
            let table = table(count, rule);
            let mut turns = calls.iter().cycle();
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.iter(|| {
                    let call = turns.next().map_or("", String::as_str);
                    table.decide(0, &[black_box(call)], None).pack()
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, decide);
criterion_main!(benches);
