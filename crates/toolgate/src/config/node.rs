//! The tree of a configuration, and how messages tell of it.
//!
//! Our own tree, so that one file alone knows the parser, and so that a map cannot have a key twice.

use indexmap::IndexMap;
use serde_json::Number;

use super::spans::Place;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Map),
}

/// Keys in the order in which they were written; none stands twice.
pub(super) type Map = IndexMap<String, Entry>;

#[derive(Debug)]
pub(super) struct Entry {
    /// Where the key stands.
    pub(super) key: Place,
    pub(super) value: Node,
}

impl Node {
    /// What was written, for messages: the value itself if it is short, else its kind.
    pub(super) fn told(&self) -> String {
        match &self.value {
            Value::Null => "`null`".into(),
            Value::Flag(flag) => format!("`{flag}`"),
            Value::Number(number) => format!("`{number}`"),
            Value::Text(text) => quoted(text),
            Value::List(_) => "a list".into(),
            Value::Map(_) => "an object".into(),
        }
    }

    /// The value without places, for the parts that are JSON Schema.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Flag(flag) => serde_json::Value::Bool(*flag),
            Value::Number(number) => serde_json::Value::Number(number.clone()),
            Value::Text(text) => serde_json::Value::String(text.clone()),
            Value::List(list) => list.iter().map(Self::to_json).collect(),
            Value::Map(map) => map
                .iter()
                .map(|(key, entry)| (key.clone(), entry.value.to_json()))
                .collect(),
        }
    }
}

/// User input in backticks, on one line, at most 80 characters of it.
pub(super) fn quoted(text: &str) -> String {
    let mut told = String::from("`");
    for (index, c) in text.chars().enumerate() {
        if index == 80 {
            told.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) || (c.is_whitespace() && c != ' ') {
            told.extend(c.escape_unicode());
        } else {
            told.push(c);
        }
    }
    told.push('`');
    told
}

/// "`a`, `b` and `c`".
pub(super) fn listed<'w>(words: impl IntoIterator<Item = &'w str>, conjunction: &str) -> String {
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    match words.as_slice() {
        [] => "none".into(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {conjunction} {last}", most.join(", ")),
    }
}

/// Marks without a width, and those that turn the direction of a line around.
pub(super) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_input_stays_on_one_line_and_short() {
        assert_eq!(quoted("a\nb\u{0}"), "`a\\u{a}b\\u{0}`");
        assert_eq!(quoted("a\u{202e}b"), "`a\\u{202e}b`");
        assert_eq!(quoted(&"x".repeat(100)), format!("`{}…`", "x".repeat(80)));
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed(["a", "b", "c"], "and"), "`a`, `b` and `c`");
        assert_eq!(listed(["a"], "or"), "`a`");
    }
}
