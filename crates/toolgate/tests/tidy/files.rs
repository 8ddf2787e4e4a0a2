//! What holds for Rust files one by one: length, opening line, `unsafe`, and the core's blindness.

use crate::source::{Source, finds, has_word};

const MAX_LINES: usize = 600;

const MAX_MEDIAN: usize = 200;

/// The only files with `unsafe`, each block with its reason.
const UNSAFE: &[&str] = &["crates/node/src/json.rs"];

/// What the core is told and does not look up.
const OUTSIDE_WORLD: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "HashMap",
    "HashSet",
    "napi",
];

/// A file that is too long has a room that wants to be its own.
pub(crate) fn sizes(files: &[Source]) -> Vec<String> {
    let long = files
        .iter()
        .map(|source| (source, source.text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES);
    long.map(|(source, lines)| format!("{}: {lines} lines, at most {MAX_LINES}", source.path))
        .collect()
}

/// The files of the core are short; counted above the unit tests.
pub(crate) fn median(core: &[Source]) -> Vec<String> {
    let mut lines: Vec<usize> = core
        .iter()
        .map(|source| {
            let above = source.text.split("#[cfg(test)]").next().unwrap_or_default();
            above.lines().count()
        })
        .collect();
    lines.sort_unstable();
    match lines.get(lines.len() / 2) {
        Some(&median) if median < MAX_MEDIAN => Vec::new(),
        Some(median) => vec![format!(
            "the median file of the core has {median} lines; it stays under {MAX_MEDIAN}"
        )],
        None => vec!["the core has no files".to_owned()],
    }
}

/// A file opens with its duty.
pub(crate) fn module_docs(rust: &[Source]) -> Vec<String> {
    rust.iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| format!("{}: does not open with `//! ` and its duty", source.path))
        .collect()
}

/// `unsafe` stands where it is expected, and nowhere else.
pub(crate) fn unsafety(rust: &[Source]) -> Vec<String> {
    rust.iter()
        .filter(|source| !UNSAFE.contains(&source.path.as_str()))
        .filter(|source| has_word(&source.code(), "unsafe"))
        .map(|source| {
            format!(
                "{}: `unsafe` is for {} only",
                source.path,
                UNSAFE.join(", ")
            )
        })
        .collect()
}

/// The core does no I/O and keeps its order.
pub(crate) fn outside_world(core: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in core {
        let text = source.code();
        for name in OUTSIDE_WORLD.iter().filter(|name| has_word(&text, name)) {
            let path = &source.path;
            wrong.push(format!("{path}: `{name}` has no place in the core"));
        }
    }
    wrong
}

#[test]
fn long_files_are_found() {
    finds(sizes, "ts/x.ts", &"\n".repeat(MAX_LINES), &[]);
    finds(
        sizes,
        "ts/x.ts",
        &"\n".repeat(MAX_LINES + 1),
        &["601 lines"],
    );
    finds(median, "x.rs", &"\n".repeat(MAX_MEDIAN - 1), &[]);
    finds(median, "x.rs", &"\n".repeat(MAX_MEDIAN), &["200 lines"]);
    assert_eq!(median(&[]).len(), 1);
}

#[test]
fn a_module_without_its_duty_is_found() {
    finds(module_docs, "x.rs", "//! Its duty.\n", &[]);
    finds(module_docs, "x.rs", "// Its duty.\n", &["does not open"]);
    finds(
        module_docs,
        "x.rs",
        "use a;\n//! Late.\n",
        &["does not open"],
    );
}

#[test]
fn unsafe_in_another_place_is_found() {
    finds(unsafety, "crates/node/src/json.rs", "unsafe { x() }", &[]);
    finds(
        unsafety,
        "crates/node/src/lib.rs",
        "unsafe { x() }",
        &["`unsafe`"],
    );
    finds(
        unsafety,
        "crates/toolgate/src/lib.rs",
        "#![forbid(unsafe_code)] // unsafe",
        &[],
    );
}

#[test]
fn a_look_outside_is_found() {
    let core = "crates/toolgate/src/call/ask.rs";
    finds(
        outside_world,
        core,
        "let x = std::fs::read(path);",
        &["`std::fs`"],
    );
    finds(
        outside_world,
        core,
        "use std::collections::HashMap;",
        &["`HashMap`"],
    );
    finds(
        outside_world,
        core,
        "use std::time::Duration; let a = MyHashMap;",
        &[],
    );
}
