//! From text to a tree with places: JSON with comments and trailing commas, nothing else.
//!
//! The only file that knows the parser. Around it stand guards, because a configuration may come
//! from a hostile tree and because the parser is kinder than JSON:
//!
//! 1. no more than [`MAX_BYTES`], before anything is looked at;
//! 2. what `guard` looks for: nesting, control characters in strings, exotic white space;
//! 3. no key twice in one object, because one of the two would silently not count.
//!
//! An empty text is an error and no empty configuration: an interrupted write must not drop every
//! rule.

use jsonc_parser::{
    CollectOptions, ParseOptions, ParseStringErrorKind, ast,
    common::{Range, Ranged},
    errors::{ParseError, ParseErrorKind},
    parse_to_ast,
};
use serde_json::Number;

use super::{
    guard::{Problem, first_fault, problem},
    node::{Entry, Map, Node, Value, quoted},
    spans::{Place, Source},
};
use crate::error::{Code, Error};

/// The longest text that is read.
pub(super) const MAX_BYTES: usize = 1 << 20;

const FORMAT_HELP: &str = "the format is JSON with comments and trailing commas, nothing else";

/// Reads `source`.
pub(super) fn parse(source: &Source<'_>) -> Result<Node, Error> {
    let text = source.text();
    if text.len() > MAX_BYTES {
        let message = format!(
            "the text has {} bytes; at most {MAX_BYTES} are read",
            text.len()
        );
        let help = "split it, or turn long lists into patterns";
        return Err(problem(Code::ConfigInvalid, 0, 0, message, help).at(source));
    }
    let fault = match first_fault(text) {
        Some(fault) if fault.is_fatal => return Err(fault.problem.at(source)),
        fault => fault,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict());
    let value = match (parsed, fault) {
        (Err(error), Some(fault)) if is_open_string(&error) => {
            return Err(fault.problem.at(source));
        }
        // The earlier of two faults is the cause, the later one often a consequence.
        (Err(error), Some(fault)) if fault.problem.place.start < error.range().start => {
            return Err(fault.problem.at(source));
        }
        (Err(error), _) => return Err(syntax(&error, text).at(source)),
        (Ok(_), Some(fault)) => return Err(fault.problem.at(source)),
        (Ok(parsed), None) => parsed.value,
    };
    match value {
        Some(value) => convert(value, source),
        None => Err(problem(
            Code::ConfigSyntax,
            0,
            0,
            "the text is empty".into(),
            "write `{}` for no rules at all, or start with `{ \"permission\": { \"*\": \"ask\" } }`",
        )
        .at(source)),
    }
}

/// Everything that is not JSON is off, except comments and trailing commas. All fields stand here,
/// so that a leniency of a later version does not come in unseen.
fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the kinds are the parser's; those that are not named here read well as they are"
)]
fn syntax(error: &ParseError, text: &str) -> Problem {
    let Range { start, end } = error.range();
    let no_value = || {
        (
            "a word without quotes is no value".into(),
            "put the word in double quotes",
        )
    };
    let starts_with_letter = || {
        text.get(start..)
            .is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    };
    let (message, help): (String, &str) = match error.kind() {
        ParseErrorKind::SingleQuotedStringsNotAllowed => (
            "strings in single quotes are not JSON".into(),
            "use double quotes",
        ),
        ParseErrorKind::ExpectedStringObjectProperty => (
            "the key has no quotes".into(),
            "put the key in double quotes",
        ),
        ParseErrorKind::ExpectedComma => (
            "a comma is missing here".into(),
            "put a comma after the value",
        ),
        ParseErrorKind::ExpectedColonAfterObjectKey => (
            "a colon is missing after the key".into(),
            "write `\"key\": value`",
        ),
        ParseErrorKind::UnterminatedObject => {
            ("this object is not closed".into(), "close it with `}`")
        }
        ParseErrorKind::UnterminatedArray => {
            ("this list is not closed".into(), "close it with `]`")
        }
        ParseErrorKind::UnterminatedCommentBlock => {
            ("this comment is not closed".into(), "close it with `*/`")
        }
        ParseErrorKind::MultipleRootJsonValues => (
            "something stands after the end of the value".into(),
            "delete it, or check the braces",
        ),
        ParseErrorKind::UnexpectedToken if starts_with_letter() => no_value(),
        ParseErrorKind::UnexpectedWord => no_value(),
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            let message: String = first.into_iter().chain(letters).collect();
            (message, FORMAT_HELP)
        }
    };
    problem(Code::ConfigSyntax, start, end, message, help)
}

/// The parser looks for the closing quote to the end of the text; the guard knows the line.
fn is_open_string(error: &ParseError) -> bool {
    let kind = ParseStringErrorKind::UnterminatedStringLiteral;
    matches!(error.kind(), ParseErrorKind::String(found) if *found == kind)
}

/// INVARIANT: recursion is bounded, `guard` counted the nesting before.
fn convert(value: ast::Value<'_>, source: &Source<'_>) -> Result<Node, Error> {
    let place = place(value.range());
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Flag(literal.value),
        ast::Value::StringLit(literal) => Value::Text(literal.value.into_owned()),
        ast::Value::NumberLit(literal) => {
            let number: Number = literal.value.parse().map_err(|_| {
                let message = format!("the number {} is out of range", quoted(literal.value));
                let help = "use a number that a 64-bit float can hold";
                problem(Code::ConfigInvalid, place.start, place.end, message, help).at(source)
            })?;
            Value::Number(number)
        }
        ast::Value::Array(list) => {
            let elements = list.elements.into_iter();
            Value::List(
                elements
                    .map(|element| convert(element, source))
                    .collect::<Result<_, _>>()?,
            )
        }
        ast::Value::Object(object) => Value::Map(map(object, source)?),
    };
    Ok(Node { place, value })
}

fn map(object: ast::Object<'_>, source: &Source<'_>) -> Result<Map, Error> {
    let mut map = Map::with_capacity(object.properties.len());
    for property in object.properties {
        let key = match &property.name {
            ast::ObjectPropName::String(literal) => place(literal.range),
            ast::ObjectPropName::Word(literal) => place(literal.range),
        };
        let name = property.name.into_string();
        if let Some(Entry { key: first, .. }) = map.get(&name) {
            let (first, second) = (source.origin(*first), source.origin(key));
            let places = if first.line == second.line {
                format!(
                    "line {}, columns {} and {}",
                    first.line, first.column, second.column
                )
            } else {
                format!("lines {} and {}", first.line, second.line)
            };
            let message = format!(
                "the key {} stands twice in one object, {places}",
                quoted(&name)
            );
            let help = "remove one of them; only one would count";
            return Err(
                problem(Code::ConfigDuplicateKey, key.start, key.end, message, help).at(source),
            );
        }
        let value = convert(property.value, source)?;
        map.insert(name, Entry { key, value });
    }
    Ok(map)
}

fn place(range: Range) -> Place {
    Place {
        start: range.start,
        end: range.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Node, Error> {
        parse(&Source::new("f", text))
    }

    #[track_caller]
    fn takes(text: &str) {
        assert!(read(text).is_ok(), "{text:?} {:?}", read(text).err());
    }

    /// Code, line, column and the start of the message.
    #[track_caller]
    fn check(text: &str, code: Code, line: u32, column: u32, message: &str) {
        let error = read(text).unwrap_err();
        let span = error.span.as_deref().unwrap();
        assert_eq!(
            (error.code, span.line, span.column),
            (code, line, column),
            "{error:?}"
        );
        assert!(error.message.starts_with(message), "{}", error.message);
        assert!(!error.help.is_empty());
    }

    use Code::{ConfigDuplicateKey, ConfigInvalid, ConfigSyntax};

    #[test]
    fn comments_and_trailing_commas_are_taken() {
        takes("// a\n{ /* b */ \"a\": [1, 2,], \"b\": { \"c\": null, }, } // c");
        takes("{ \"a\": \"// no comment\", \"b\": \"/* none */\" }");
    }

    #[test]
    fn the_rest_of_json5_is_not() {
        check("{ 'a': 1 }", ConfigSyntax, 1, 3, "strings in single quotes");
        check("{ a: 1 }", ConfigSyntax, 1, 3, "the key has no quotes");
        check("{ \"a\": b }", ConfigSyntax, 1, 8, "a word without quotes");
        check(
            "{ \"a\": 1 \"b\": 2 }",
            ConfigSyntax,
            1,
            9,
            "a comma is missing",
        );
        check("[1 2]", ConfigSyntax, 1, 3, "a comma is missing");
        check("[01]", ConfigSyntax, 1, 3, "a comma is missing");
        check("[0x1F]", ConfigSyntax, 1, 2, "hexadecimal numbers");
        check("[+1]", ConfigSyntax, 1, 2, "unary plus");
        check("[.5]", ConfigSyntax, 1, 2, "leading or trailing decimal");
        check("[5.]", ConfigSyntax, 1, 2, "leading or trailing decimal");
        check("[NaN]", ConfigSyntax, 1, 2, "a word");
        check("[-Infinity]", ConfigSyntax, 1, 2, "infinity and NaN");
        check("[\"\\x41\"]", ConfigSyntax, 1, 3, "invalid escape");
        check("[\"a\\\nb\"]", ConfigSyntax, 1, 4, "invalid escape");
        check("{ , }", ConfigSyntax, 1, 3, "unexpected token");
        check("[1,,2]", ConfigSyntax, 1, 4, "unexpected comma");
        check("{} {}", ConfigSyntax, 1, 4, "something stands after");
    }

    #[test]
    fn lone_surrogates_are_no_text() {
        check(
            "[\"\\ud800\"]",
            ConfigSyntax,
            1,
            3,
            "invalid unicode escape",
        );
        takes("[\"\\ud83d\\ude00\"]");
    }

    #[test]
    fn what_is_not_closed_is_shown_where_it_opens() {
        check(
            "{\n  \"a\": [1, 2\n",
            ConfigSyntax,
            2,
            8,
            "this list is not closed",
        );
        check(
            "{ \"a\": 1",
            ConfigSyntax,
            1,
            1,
            "this object is not closed",
        );
        check("{} /* x", ConfigSyntax, 1, 4, "this comment is not closed");
        check("[\"abc", ConfigSyntax, 1, 2, "unterminated string");
    }

    #[test]
    fn long_and_empty_texts_are_refused() {
        check(
            &" ".repeat(MAX_BYTES + 1),
            ConfigInvalid,
            1,
            1,
            "the text has 1048577 bytes",
        );
        check("", ConfigSyntax, 1, 1, "the text is empty");
        check("// nothing\n", ConfigSyntax, 1, 1, "the text is empty");
    }

    #[test]
    fn a_key_twice_names_both_lines() {
        let message = "the key `a` stands twice in one object, lines 2 and 4";
        check(
            "{\n \"a\": 1,\n \"b\": 2,\n \"a\": 3 }",
            ConfigDuplicateKey,
            4,
            2,
            message,
        );
        check(
            "[[{   \"a\":1, \"\\u0061\":2}]]",
            ConfigDuplicateKey,
            1,
            14,
            "the key `a` stands twice in one object, line 1, columns 7 and 14",
        );
        takes("[{\"a\":1},{\"a\":2}]");
    }

    #[test]
    fn numbers_stay_in_range() {
        check(
            "[1e999]",
            ConfigInvalid,
            1,
            2,
            "the number `1e999` is out of range",
        );
        takes("[9007199254740993, 1e300, -0]");
    }

    #[test]
    fn carriage_returns_count_lines_once() {
        check(
            "{\r\n\r\n  a: 1 }",
            ConfigSyntax,
            3,
            3,
            "the key has no quotes",
        );
    }
}
