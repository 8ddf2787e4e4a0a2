//! Every path that leaves a folder of the core follows an arrow.
//!
//! Apart from the other rules because the list below is the architecture: a new folder is added
//! here first.

use std::collections::BTreeSet;

use crate::source::{Source, finds, is_word, places, source};

/// Each folder of the core, and the folders that it may import. A new folder is added here first.
const ARROWS: &[(&str, &[&str])] = &[
    ("tool", &[]),
    ("permission", &["tool"]),
    ("config", &["tool", "permission"]),
    ("build", &["tool", "permission", "config"]),
    ("call", &["tool", "permission", "config", "build"]),
];

/// What every folder may import, and what imports nothing but its like.
const LEAVES: &[&str] = &["error", "suggest", "redact"];

/// Every path that leaves a folder follows an arrow.
pub(crate) fn arrows(core: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for source in core {
        let module = source.module();
        let Some(&folder) = module.first() else {
            continue; // lib.rs names them all.
        };
        seen.insert(folder);
        let allowed: &[&str] = match ARROWS.iter().find(|(name, _)| *name == folder) {
            Some((_, allowed)) => allowed,
            None if LEAVES.contains(&folder) => &[],
            None => {
                wrong.push(format!("{}: `{folder}` is not in ARROWS", source.path));
                continue;
            }
        };
        for target in imports(&source.code(), &module) {
            let is_allowed =
                target == folder || LEAVES.contains(&&*target) || allowed.contains(&&*target);
            if !is_allowed {
                wrong.push(format!(
                    "{}: `{folder}` may not import `{target}`",
                    source.path
                ));
            }
        }
    }
    for (folder, _) in ARROWS {
        if !seen.contains(folder) {
            wrong.push(format!("`{folder}` is in ARROWS and has no file"));
        }
    }
    wrong
}

/// The top-level folders that `code` names, by `crate::` or by enough `super::`.
fn imports(code: &str, module: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (before, after) in places(code, "crate::") {
        if !before.ends_with(is_word) {
            found.extend(first_names(after));
        }
    }
    for (before, after) in places(code, "super::") {
        if before.ends_with(is_word) || before.ends_with("super::") {
            continue;
        }
        let rest = after.trim_start_matches("super::");
        let ups = 1 + (after.len() - rest.len()) / "super::".len();
        if ups >= module.len() {
            found.extend(first_names(rest));
        }
    }
    found
}

/// `a::b` names `a`; `{a, b::{c, d}}` names `a` and `b`.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![path.chars().take_while(|&c| is_word(c)).collect()];
    };
    let mut names = vec![String::new()];
    let mut depth = 0_usize;
    let mut is_first = true;
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(String::new());
                is_first = true;
            }
            c if depth == 0 && is_first && is_word(c) => {
                if let Some(name) = names.last_mut() {
                    name.push(c);
                }
            }
            c if depth == 0 && !c.is_whitespace() => is_first = false,
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn an_import_against_an_arrow_is_found() {
    let permission = "crates/toolgate/src/permission/rule.rs";
    finds(
        arrows,
        permission,
        "use crate::call::Gate;",
        &["`permission` may not import `call`"],
    );
    finds(
        arrows,
        permission,
        "use crate::{error::Code, build::{a, b}, tool};",
        &["`build`"],
    );
    finds(
        arrows,
        permission,
        "use crate::{\n    call,\n    tool::{\n        Tool,\n    },\n};",
        &["`call`"],
    );
    finds(
        arrows,
        permission,
        "fn f() { super::super::call::run() }",
        &["`call`"],
    );
    finds(
        arrows,
        permission,
        "use super::super::{tool, config::x};",
        &["`config`"],
    );
    finds(
        arrows,
        "crates/toolgate/src/permission/mod.rs",
        "use super::call;",
        &["`call`"],
    );
    finds(
        arrows,
        "crates/toolgate/src/tool.rs",
        "use super::permission;",
        &["`permission`"],
    );
    finds(
        arrows,
        "crates/toolgate/src/error.rs",
        "use crate::tool;",
        &["`error`"],
    );
    finds(
        arrows,
        "crates/toolgate/src/secret/mod.rs",
        "",
        &["`secret` is not in ARROWS"],
    );
}

#[test]
fn an_import_along_an_arrow_is_fine() {
    let call = "crates/toolgate/src/call/ask.rs";
    finds(
        arrows,
        call,
        "use crate::{build::Table, permission, error::Code};",
        &[],
    );
    finds(
        arrows,
        call,
        "use super::record::Record; use super::super::tool;",
        &[],
    );
    finds(
        arrows,
        call,
        "/// [`crate::discovery::x`]\n// crate::discovery",
        &[],
    );
    finds(
        arrows,
        "crates/toolgate/src/tool.rs",
        "#[cfg(test)]\nmod t { use crate::call; }",
        &[],
    );
    finds(
        arrows,
        call,
        "use other_crate::discovery; use my_super::x;",
        &[],
    );
}

#[test]
fn a_folder_that_vanished_is_found() {
    let said = arrows(&[source("crates/toolgate/src/tool.rs", "")]);
    assert_eq!(said.len(), ARROWS.len() - 1, "{said:?}");
}
