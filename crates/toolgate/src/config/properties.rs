//! Any text is an answer: no panic, and every error and warning points into the text.

use proptest::prelude::*;

use super::{Config, parse_permission, tests::document};
use crate::error::Span;

/// The columns of a span lie inside the line, or one after its end.
fn lies_inside(span: &Span, text: &str) -> bool {
    let text = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let line = text.split('\n').nth(span.line as usize - 1);
    line.is_some_and(|line| (1..=line.chars().count() + 1).contains(&(span.column as usize)))
}

/// Texts that look like a configuration often enough to get past the parser.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ":",
        ",",
        ",",
        "\"permission\"",
        "\"locked\"",
        "\"roles\"",
        "\"tenants\"",
        "\"declare\"",
        "\"visibility\"",
        "\"toolsets\"",
        "\"when\"",
        "\"action\"",
        "\"allow\"",
        "\"ask\"",
        "\"deny\"",
        "\"*\"",
        "\"input.a\"",
        "\"~/é\"",
        "{\"a\":",
        "{\"permission\":{",
        "}}",
        "5",
        "-",
        "1e9",
        "true",
        "null",
        "// c\n",
        "/*",
        "*/",
        "\n",
        "\r\n",
        "\r",
        "\u{feff}",
        "\u{2028}",
        "\"",
        "\\",
        "'",
        "é",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

/// A configuration that is right, but for one piece.
fn spoiled() -> impl Strategy<Value = String> {
    let sample = include_str!("sample.jsonc");
    let places: Vec<usize> = sample.char_indices().map(|(at, _)| at).collect();
    let piece = prop::sample::select(vec![
        "", "\"", "{", "}", "[", ",", ":", "x", "é", "\n", "5", "\\",
    ]);
    (prop::sample::select(places), 0_usize..12, piece).prop_map(move |(at, length, piece)| {
        let (before, after) = sample.split_at(at);
        let rest: String = after.chars().skip(length).collect();
        format!("{before}{piece}{rest}")
    })
}

proptest! {
    #[test]
    fn no_text_makes_it_fall_over(
        text in prop_oneof![any::<String>(), ".*", soup(), spoiled()],
        is_trusted: bool,
    ) {
        match Config::parse(&document(&text, is_trusted)) {
            Ok(config) => {
                for warning in &config.warnings {
                    prop_assert!(lies_inside(&warning.span, &text), "{warning:?}");
                }
            }
            Err(error) => {
                prop_assert!(lies_inside(error.span.as_deref().unwrap(), &text), "{error:?}");
                prop_assert!(!error.message.contains('\n'), "{error:?}");
            }
        }
        if let Err(error) = parse_permission(&text, "f", None) {
            prop_assert!(lies_inside(error.span.as_deref().unwrap(), &text), "{error:?}");
        }
    }
}
