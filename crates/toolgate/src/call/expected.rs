//! What a schema expected, in words for the model.
//!
//! A model mends its call from these words alone, so they name what would have been right, not
//! what the validator did. They come from the schema only; nothing of the input stands in them
//! except names of properties. Every list is bounded: a schema may hold ten thousand options.

use jsonschema::{
    JsonType,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

/// How many options or names a sentence lists.
const MAX_LISTED: usize = 20;
/// How many characters one option or pattern may take.
const MAX_CHARS: usize = 80;

/// What `kind` expected. `None` for the kinds that hold other faults, which speak for themselves.
pub(super) fn words(kind: &ValidationErrorKind) -> Option<String> {
    use ValidationErrorKind as Kind;
    Some(match kind {
        Kind::Type {
            kind: TypeKind::Single(one),
        } => type_name(*one).to_owned(),
        Kind::Type {
            kind: TypeKind::Multiple(set),
        } => either(set.iter().map(|one| type_name(one).to_owned())),
        Kind::Constant { expected_value } => option(expected_value, false),
        Kind::Enum { options } => one_of(options.as_array().map(Vec::as_slice).unwrap_or_default()),
        Kind::Required { property } => {
            format!("property `{}`", cut(property.as_str().unwrap_or_default()))
        }
        Kind::AdditionalItems { limit } => format!("at most {}", count(*limit as u64, "item")),
        Kind::MaxItems { limit } => format!("at most {}", count(*limit, "item")),
        Kind::MinItems { limit } => format!("at least {}", count(*limit, "item")),
        Kind::MaxLength { limit } => format!("at most {}", count(*limit, "character")),
        Kind::MinLength { limit } => format!("at least {}", count(*limit, "character")),
        Kind::MaxProperties { limit } => format!("at most {limit} properties"),
        Kind::MinProperties { limit } => format!("at least {limit} properties"),
        Kind::Maximum { limit } => format!("a number of at most {limit}"),
        Kind::Minimum { limit } => format!("a number of at least {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("a number less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("a number greater than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::UniqueItems => "items that are all different".to_owned(),
        Kind::Contains => {
            "the right number of items of the kind that the list has to contain".to_owned()
        }
        Kind::Pattern { pattern } => format!("text that matches `{}`", cut(pattern)),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "simpler text: its pattern could not be matched in time".to_owned()
        }
        Kind::Format { format } => format_words(format),
        Kind::ContentEncoding { content_encoding } => {
            format!("text encoded as {}", cut(content_encoding))
        }
        Kind::ContentMediaType { content_media_type } => {
            format!("text of the type {}", cut(content_media_type))
        }
        Kind::FromUtf8 { .. } => "encoded text that is UTF-8".to_owned(),
        Kind::FalseSchema => "nothing here".to_owned(),
        Kind::Not { schema } => format!("anything that does not fit {}", cut(&schema.to_string())),
        Kind::OneOfMultipleValid { .. } => {
            "exactly one of the alternatives to fit; more than one does".to_owned()
        }
        Kind::UnevaluatedItems { unexpected } => {
            format!("{} fewer", count(unexpected.len() as u64, "item"))
        }
        Kind::Custom { message, .. } => cut(message),
        Kind::Referencing(_) => "a schema whose references can be followed".to_owned(),
        Kind::AdditionalProperties { .. }
        | Kind::UnevaluatedProperties { .. }
        | Kind::PropertyNames { .. }
        | Kind::AnyOf { .. }
        | Kind::OneOfNotValid { .. } => return None,
    })
}

/// That there must be no property `name`, with the names that there may be. The nearest of them
/// is offered first: most unknown properties are known ones, misspelled.
pub(super) fn no_property(name: &str, known: &[&str]) -> String {
    let name_words = format!("no property `{}`", cut(name));
    let hint = nearest(name, known).map(|near| format!("did you mean `{}`?", cut(near)));
    let listed = (!known.is_empty()).then(|| {
        format!(
            "known: {}",
            list(known.iter().map(|known| format!("`{}`", cut(known))))
        )
    });
    match (hint, listed) {
        (None, None) => name_words,
        (Some(one), None) | (None, Some(one)) => format!("{name_words} ({one})"),
        (Some(hint), Some(listed)) => format!("{name_words} ({hint} {listed})"),
    }
}

/// One of several options.
pub(super) fn one_of(options: &[Value]) -> String {
    if let [only] = options {
        return option(only, false);
    }
    let is_mixed = !options.iter().all(Value::is_string);
    format!(
        "one of {}",
        list(options.iter().map(|value| option(value, is_mixed)))
    )
}

/// One sentence or another; the same one only once.
pub(super) fn either(sentences: impl IntoIterator<Item = String>) -> String {
    let mut said: Vec<String> = Vec::new();
    for sentence in sentences {
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    match said.as_slice() {
        [] => "something else".to_owned(),
        [only] => only.clone(),
        [first, second] => format!("{first} or {second}"),
        [.., _] => format!("one of: {}", list(said.into_iter())),
    }
}

/// At most [`MAX_LISTED`] of `words`, and how many more there are.
pub(super) fn list(words: impl ExactSizeIterator<Item = String>) -> String {
    let more = words.len().saturating_sub(MAX_LISTED);
    let listed = words.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if more == 0 {
        listed
    } else {
        format!("{listed} and {more} more")
    }
}

/// `text` on one line, and not longer than a sentence bears.
pub(super) fn cut(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(MAX_CHARS)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        short.push('…');
    }
    short
}

/// `3 items`, `1 item`.
pub(super) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The name in `known` that `name` was probably meant to be.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| -> Vec<char> {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).take(MAX_CHARS);
        letters.flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(name);
    let candidates = known
        .iter()
        .take(1_000)
        .map(|known| (distance(&wanted, &plain(known)), *known));
    let (off, near) = candidates.min_by_key(|(off, _)| *off)?;
    (off <= wanted.len() / 3).then_some(near)
}

/// How many letters have to be put in, taken out or changed.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, left) in from.iter().enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(to) {
            let above = *cell;
            before = (before.min(above) + 1).min(diagonal + usize::from(left != right));
            *cell = before;
            diagonal = above;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or(from.len())
}

fn option(value: &Value, is_quoted: bool) -> String {
    let bare = value.as_str().filter(|_| !is_quoted);
    let text = bare.map_or_else(|| cut(&value.to_string()), cut);
    format!("`{text}`")
}

fn type_name(one: JsonType) -> &'static str {
    match one {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

fn format_words(format: &str) -> String {
    match format {
        "date" => "a date like `2025-01-31`".to_owned(),
        "time" => "a time with its zone, like `09:30:00Z`".to_owned(),
        "date-time" => "a date and time with its zone, like `2025-01-31T09:30:00Z`".to_owned(),
        "duration" => "a duration like `P1DT12H`".to_owned(),
        "email" | "idn-email" => "an email address".to_owned(),
        "uri" | "iri" => "an absolute URI like `https://example.com/a`".to_owned(),
        "uuid" => "a UUID".to_owned(),
        "ipv4" => "an IPv4 address".to_owned(),
        "ipv6" => "an IPv6 address".to_owned(),
        "hostname" | "idn-hostname" => "a host name".to_owned(),
        "regex" => "a regular expression".to_owned(),
        other => format!("text of the format `{}`", cut(other)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(actual: impl AsRef<str>, expected: &str) {
        assert_eq!(actual.as_ref(), expected);
    }

    #[test]
    fn options_are_listed_up_to_twenty() {
        check(one_of(&[json!("a"), json!("b")]), "one of `a`, `b`");
        check(one_of(&[json!("a")]), "`a`");
        check(
            one_of(&[json!("1"), json!(1), json!(null)]),
            "one of `\"1\"`, `1`, `null`",
        );
        let many: Vec<Value> = (0..25).map(|n| json!(n)).collect();
        assert!(one_of(&many).ends_with("`19` and 5 more"));
        assert!(one_of(&[json!("x".repeat(500)), json!("y")]).len() < 300);
    }

    #[test]
    fn unknown_properties_come_with_the_known_ones() {
        check(no_property("x", &[]), "no property `x`");
        check(
            no_property("zzz", &["city", "unit"]),
            "no property `zzz` (known: `city`, `unit`)",
        );
        check(
            no_property("ctiy", &["city", "unit"]),
            "no property `ctiy` (known: `city`, `unit`)",
        );
        check(
            no_property("citty", &["unit", "city"]),
            "no property `citty` (did you mean `city`? known: `unit`, `city`)",
        );
        check(
            no_property("file_path", &["filePath"]),
            "no property `file_path` (did you mean `filePath`? known: `filePath`)",
        );
    }

    #[test]
    fn alternatives_are_said_once() {
        check(
            either(["a string".to_owned(), "a string".to_owned()]),
            "a string",
        );
        check(
            either(["a string".to_owned(), "null".to_owned()]),
            "a string or null",
        );
        check(
            either(["a".to_owned(), "b".to_owned(), "c".to_owned()]),
            "one of: a, b, c",
        );
    }

    #[test]
    fn control_characters_do_not_break_the_line() {
        check(cut("a\nb\u{0}c"), "a b c");
    }
}
