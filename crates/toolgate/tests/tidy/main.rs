//! The architecture as a test: who may import whom, how long a file gets, what the boundary may do.
//!
//! Apart from the lints because these rules are about this repository and not about Rust. Every
//! rule takes sources and returns what is wrong with them, and stands in its file above tests that
//! plant a violation; a rule that saw no source fails too, since a renamed folder would otherwise
//! pass empty.

#![expect(
    clippy::disallowed_methods,
    reason = "the core does no I/O; its tests read the repository"
)]

mod arrows;
mod borders;
mod files;
mod source;

use std::{fmt::Write as _, fs};

use toolgate::error::Code;

use crate::{
    arrows::arrows,
    borders::{boundary, doors, versions},
    files::{median, module_docs, outside_world, sizes, unsafety},
    source::{Source, holds, read, read_file, root},
};

fn core() -> Vec<Source> {
    read("crates/toolgate/src", &["rs"])
}

fn rust() -> Vec<Source> {
    read("crates", &["rs"])
}

#[test]
fn folders_follow_the_arrows() {
    holds(&core(), arrows);
}

#[test]
fn files_stay_short() {
    holds(&rust(), sizes);
    holds(&read("ts", &["ts"]), sizes);
    holds(&core(), median);
}

#[test]
fn modules_open_with_their_duty() {
    holds(&rust(), module_docs);
}

#[test]
fn unsafe_stands_in_one_place() {
    holds(&rust(), unsafety);
}

#[test]
fn the_core_does_not_look_outside() {
    holds(&core(), outside_world);
    let manifest = read_file(&root().join("crates/toolgate/Cargo.toml")).text;
    assert!(!manifest.contains("napi"), "the core does not know napi");
}

#[test]
fn exports_catch_panics_and_call_nothing_back() {
    holds(&read("crates/node/src", &["rs"]), boundary);
}

#[test]
fn the_sdk_the_addon_and_json_have_one_door_each() {
    holds(&read("ts", &["ts"]), doors);
}

#[test]
fn one_version_everywhere() {
    let mut manifests = read("npm", &["json"]);
    manifests.push(read_file(&root().join("package.json")));
    manifests.push(read_file(&root().join("Cargo.toml")));
    holds(&manifests, versions);
}

/// `UPDATE_DOCS=1 cargo test -p toolgate --test tidy` writes the page.
#[test]
fn the_page_of_errors_lists_every_code() {
    let path = root().join("docs/errors.md");
    if std::env::var("UPDATE_DOCS").is_ok() {
        fs::write(&path, errors_page()).expect("docs/ is there");
    }
    assert_eq!(
        read_file(&path).text.replace("\r\n", "\n"),
        errors_page(),
        "docs/errors.md is not what the codes say; run `UPDATE_DOCS=1 cargo test -p toolgate --test tidy`"
    );
}

/// `docs/errors.md`: every code with its cause and cure.
fn errors_page() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Every stable code, its cause and what to do. A `ToolgateError` carries it as `code`, an envelope as `error.code`. Codes are never renamed.\n",
    );
    for code in Code::ALL {
        let _ = write!(page, "\n## {code}\n\n{}\n", code.doc().trim());
    }
    page
}
