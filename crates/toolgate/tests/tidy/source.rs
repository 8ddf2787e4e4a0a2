//! A source file as the rules see it, and how a rule is shown to find something.

use std::{
    fs,
    path::{Path, PathBuf},
};

pub(crate) struct Source {
    /// Relative to the repository, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// The lines above the unit tests, without line comments. Strings stay: a path in a string is
    /// rare, and a false alarm is told from a miss.
    pub(crate) fn code(&self) -> String {
        let above = self.text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut code = String::new();
        for line in above.lines() {
            let line = line.split("//").next().unwrap_or_default();
            code.push_str(line);
            code.push('\n');
        }
        code
    }

    /// The module path inside the core: `permission/rule.rs` is `["permission", "rule"]`.
    pub(crate) fn module(&self) -> Vec<&str> {
        let inside = self.path.trim_start_matches("crates/toolgate/src/");
        inside
            .trim_end_matches(".rs")
            .split('/')
            .filter(|name| !matches!(*name, "mod" | "lib"))
            .collect()
    }
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands before and after each place where `code` has `text`.
pub(crate) fn places<'c>(code: &'c str, text: &str) -> impl Iterator<Item = (&'c str, &'c str)> {
    let ends = code
        .match_indices(text)
        .map(|(at, found)| (at, at + found.len()));
    ends.map(|(start, end)| (code.split_at(start).0, code.split_at(end).1))
}

pub(crate) fn has_word(code: &str, word: &str) -> bool {
    places(code, word)
        .any(|(before, after)| !before.ends_with(is_word) && !after.starts_with(is_word))
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file under `folder` with one of `extensions`, sorted.
pub(crate) fn read(folder: &str, extensions: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                found.push(read_file(&path));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

pub(crate) fn read_file(path: &Path) -> Source {
    let relative = path.strip_prefix(root()).unwrap_or(path);
    Source {
        path: relative.to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(path).unwrap_or_default(),
    }
}

#[track_caller]
pub(crate) fn holds(sources: &[Source], rule: fn(&[Source]) -> Vec<String>) {
    assert!(
        !sources.is_empty(),
        "no source was seen; was a folder renamed?"
    );
    let wrong = rule(sources);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

pub(crate) fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

/// `rule` says exactly `wanted` about one file.
#[track_caller]
pub(crate) fn finds(rule: fn(&[Source]) -> Vec<String>, path: &str, text: &str, wanted: &[&str]) {
    let mut said = rule(&[source(path, text)]);
    // One file alone lacks the other folders, which is a finding of its own test.
    said.retain(|line| !line.contains("has no file") && !line.ends_with("exports no function"));
    assert_eq!(said.len(), wanted.len(), "{said:?}");
    for (said, wanted) in said.iter().zip(wanted) {
        assert!(said.contains(wanted), "`{said}` does not say `{wanted}`");
    }
}
