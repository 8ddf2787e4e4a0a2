//! What crosses a border: exports of the addon, imports of the SDK, and the version of all parts.

use std::collections::BTreeMap;

use crate::source::{Source, finds, has_word, is_word, places, source};

/// How Rust would call JavaScript.
const CALLBACKS: &[&str] = &[
    "ThreadsafeFunction",
    "Function",
    "FunctionRef",
    "JsFunction",
    "PromiseRaw",
];

/// A panic behind an export without `catch_unwind` ends the whole process, and Rust never calls
/// JavaScript.
pub(crate) fn boundary(node: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut exports = 0;
    for source in node {
        let code = source.code();
        for (_, after) in places(&code, "#[napi") {
            let Some((attribute, item)) = after.split_once(']') else {
                continue;
            };
            let item = without_attributes(item);
            let Some((before, rest)) = item.split_once("fn ") else {
                continue;
            };
            if before.contains(['{', ';'])
                || ["struct ", "enum "]
                    .iter()
                    .any(|kind| before.contains(kind))
            {
                continue; // The next function belongs to something else.
            }
            exports += 1;
            if !attribute.contains("catch_unwind") {
                let name: String = rest.chars().take_while(|&c| is_word(c)).collect();
                wrong.push(format!(
                    "{}: `{name}` is exported without `catch_unwind`",
                    source.path
                ));
            }
        }
        for name in CALLBACKS.iter().filter(|name| has_word(&code, name)) {
            wrong.push(format!(
                "{}: `{name}` would let Rust call JavaScript",
                source.path
            ));
        }
    }
    if exports == 0 {
        wrong.push("crates/node exports no function".to_owned());
    }
    wrong
}

/// What follows the attributes at the start of `item`.
fn without_attributes(mut item: &str) -> &str {
    loop {
        item = item.trim_start();
        match item
            .strip_prefix("#[")
            .and_then(|rest| rest.split_once(']'))
        {
            Some((_, rest)) => item = rest,
            None => return item,
        }
    }
}

/// The SDK, the addon and `JSON.parse` each have their one door.
pub(crate) fn doors(ts: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in ts {
        let name = source.path.trim_start_matches("ts/");
        let code = source.code();
        let doors = [
            (
                imports_package(&code, "ai"),
                name.starts_with("to-ai-sdk"),
                "imports the AI SDK",
                "to-ai-sdk*.ts",
            ),
            (
                imports_package(&code, "#native"),
                name == "native.ts",
                "imports the addon",
                "native.ts",
            ),
            (
                code.contains("JSON.parse"),
                matches!(name, "native.ts" | "plain-json.ts"),
                "parses JSON",
                "native.ts and plain-json.ts",
            ),
        ];
        for (does, may, what, who) in doors {
            if does && !may {
                wrong.push(format!("{}: {what}, which only ts/{who} may", source.path));
            }
        }
    }
    wrong
}

/// `from 'ai'`, `import 'ai'`, `import('ai')`, `require("ai")` and subpaths.
fn imports_package(code: &str, package: &str) -> bool {
    ['\'', '"', '`'].iter().any(|quote| {
        places(code, &format!("{quote}{package}")).any(|(before, after)| {
            let before = before.trim_end();
            ["from", "import", "("]
                .iter()
                .any(|word| before.ends_with(word))
                && (after.starts_with(*quote) || after.starts_with('/'))
        })
    })
}

/// Every manifest carries the version of the workspace.
pub(crate) fn versions(manifests: &[Source]) -> Vec<String> {
    let mut versions: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for Source { path, text } in manifests {
        let line = text
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("version = \"") || line.starts_with("\"version\": \""));
        let version = line.and_then(|line| {
            line.trim_end_matches(',')
                .trim_end_matches('"')
                .rsplit('"')
                .next()
        });
        versions
            .entry(version.unwrap_or("none").to_owned())
            .or_default()
            .push(path);
    }
    if versions.len() == 1 {
        Vec::new()
    } else {
        vec![format!("the versions differ: {versions:?}")]
    }
}

#[test]
fn an_export_that_may_end_the_process_is_found() {
    let node = "crates/node/src/table.rs";
    finds(boundary, node, "#[napi(catch_unwind)]\npub fn a() {}", &[]);
    finds(
        boundary,
        node,
        "#[napi]\npub fn a() {}",
        &["`a` is exported"],
    );
    finds(
        boundary,
        node,
        "#[napi(js_name = \"b\")]\n#[must_use]\npub(crate) fn a<'e>() {}",
        &["`a`"],
    );
    finds(
        boundary,
        node,
        "#[napi(object)]\npub struct A { b: u32 }\nfn c() {}",
        &[],
    );
    finds(
        boundary,
        node,
        "#[napi(object)]\n#[derive(Debug)]\npub struct A(u32);\nfn c() {}",
        &[],
    );
    finds(
        boundary,
        node,
        "fn f(g: ThreadsafeFunction<u32>) {}",
        &["ThreadsafeFunction"],
    );
    finds(
        boundary,
        node,
        "fn f(g: Function<'_, u32, ()>) {}",
        &["`Function`"],
    );
    assert_eq!(boundary(&[source(node, "fn a() {}")]).len(), 1);
}

#[test]
fn a_second_door_is_found() {
    finds(
        doors,
        "ts/call.ts",
        "import type { Tool } from 'ai'",
        &["imports the AI SDK"],
    );
    finds(
        doors,
        "ts/call.ts",
        "await import(\"ai/test\")",
        &["imports the AI SDK"],
    );
    finds(
        doors,
        "ts/call.ts",
        "import { x } from 'ai-other'; const a = 'ai'",
        &[],
    );
    finds(
        doors,
        "ts/to-ai-sdk-types.ts",
        "import type { Tool } from 'ai'",
        &[],
    );
    finds(
        doors,
        "ts/call.ts",
        "import * as n from '#native'",
        &["imports the addon"],
    );
    finds(
        doors,
        "ts/native.ts",
        "import * as n from '#native'; JSON.parse(n.x())",
        &[],
    );
    finds(
        doors,
        "ts/call.ts",
        "JSON.parse(text) // why",
        &["parses JSON"],
    );
    finds(doors, "ts/call.ts", "// JSON.parse is for native.ts", &[]);
}

#[test]
fn a_version_left_behind_is_found() {
    let cargo = source("Cargo.toml", "[workspace.package]\nversion = \"0.2.0\"\n");
    let same = source("package.json", "{\n  \"version\": \"0.2.0\",\n}");
    let old = source("npm/a/package.json", "{\n  \"version\": \"0.1.0\"\n}");
    assert!(versions(&[cargo, same]).is_empty());
    let cargo = source("Cargo.toml", "version = \"0.2.0\"\n");
    assert_eq!(versions(&[cargo, old]).len(), 1);
}
