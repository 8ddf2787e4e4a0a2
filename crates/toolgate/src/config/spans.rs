//! Where things stand: byte places become lines, columns and a caret.
//!
//! Apart from the parser because every later step complains too, and because an inline object is
//! one line of up to a megabyte: columns come from a table of counts, not from counting again for
//! each rule, and the caret shows a window of the line.

use std::sync::Arc;

use super::node::is_invisible;
use crate::{error::Span, permission::rule::Origin};

/// Bytes between two entries of the table of character counts.
const BLOCK_BYTES: usize = 256;
/// How much of a line the caret text shows, and how much of it before the place.
const SHOWN_CHARS: usize = 100;
const SHOWN_BEFORE_CHARS: usize = 60;

/// A piece of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A text, its name, and what it takes to find lines and columns in it.
#[derive(Debug)]
pub(super) struct Source<'a> {
    file: Arc<str>,
    text: &'a str,
    line_starts: Vec<usize>,
    /// How many characters start before each block.
    counts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &str, text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        let mut counts = Vec::with_capacity(bytes.len() / BLOCK_BYTES + 1);
        let mut characters = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if at % BLOCK_BYTES == 0 {
                counts.push(characters);
            }
            characters += usize::from(is_first_byte(byte));
            // A lone `\r` ends a line for the parser's comments, hence also here.
            if byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                line_starts.push(at + 1);
            }
        }
        counts.push(characters);
        Self {
            file: Arc::from(file),
            text,
            line_starts,
            counts,
        }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// What a rule that starts at `place` says of its origin.
    pub(super) fn origin(&self, place: Place) -> Origin {
        let (line, column, _) = self.position(place.start);
        Origin {
            source: Arc::clone(&self.file),
            line: narrow(line),
            column: narrow(column),
        }
    }

    /// The place as errors carry it.
    pub(super) fn span(&self, place: Place) -> Span {
        let (line, column, line_start) = self.position(place.start);
        Span {
            file: self.file.to_string(),
            line: narrow(line),
            column: narrow(column),
            caret: self.caret(place, line, line_start),
        }
    }

    /// The span of an origin in this text, one character wide.
    pub(super) fn span_of(&self, origin: &Origin) -> Span {
        let line = usize::try_from(origin.line).unwrap_or(1).saturating_sub(1);
        let column = usize::try_from(origin.column)
            .unwrap_or(1)
            .saturating_sub(1);
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let tail = self.text.get(start..).unwrap_or("");
        let offset = tail
            .char_indices()
            .nth(column)
            .map_or(tail.len(), |(at, _)| at);
        let at = start + offset;
        self.span(Place { start: at, end: at })
    }

    /// Line and column, from 1, and the byte at which the line starts.
    fn position(&self, at: usize) -> (usize, usize, usize) {
        let line = self
            .line_starts
            .partition_point(|start| *start <= at)
            .max(1);
        let line_start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let column = self.characters_before(at) - self.characters_before(line_start) + 1;
        (line, column, line_start)
    }

    fn characters_before(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let block = at / BLOCK_BYTES;
        let rest = self.text.as_bytes().get(block * BLOCK_BYTES..at);
        let in_block = rest.map_or(0, |bytes| {
            bytes.iter().filter(|b| is_first_byte(**b)).count()
        });
        self.counts.get(block).copied().unwrap_or(0) + in_block
    }

    fn caret(&self, place: Place, line: usize, line_start: usize) -> String {
        // Only the window is walked: the line may be a megabyte long, and have many faults.
        let before = self.text.get(line_start..place.start).unwrap_or("");
        let from = before.char_indices().rev().nth(SHOWN_BEFORE_CHARS - 1);
        let from = from.map_or(0, |(index, _)| index);
        let lead = if from == 0 { "" } else { "…" };
        let before = before.get(from..).unwrap_or("");
        let before_chars = before.chars().count();

        let after = self.text.get(place.start..).unwrap_or("");
        let width = place.end.saturating_sub(place.start);
        let mut rest = after
            .char_indices()
            .take_while(|(_, c)| !matches!(c, '\n' | '\r'));
        let after: Vec<(usize, char)> = rest.by_ref().take(SHOWN_CHARS - before_chars).collect();
        let end_mark = if rest.next().is_some() { "…" } else { "" };
        let marked = after.iter().filter(|(index, _)| *index < width).count();
        let window = before.chars().chain(after.into_iter().map(|(_, c)| c));
        let shown: String = window.map(shown).collect();

        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let indent = " ".repeat(before_chars + lead.chars().count());
        let marks = "^".repeat(marked.max(1));
        format!("{gutter} |\n{number} | {lead}{shown}{end_mark}\n{gutter} | {indent}{marks}")
    }
}

/// One column each, whatever the terminal thinks of the character.
fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() || is_invisible(c) => '\u{fffd}',
        c => c,
    }
}

const fn is_first_byte(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// The text is at most a megabyte, so this never saturates.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks for `needle`, expects it at line and column.
    #[track_caller]
    fn check(text: &str, needle: &str, expected: (u32, u32)) -> String {
        let start = text.find(needle).unwrap();
        let place = Place {
            start,
            end: start + needle.len(),
        };
        let span = Source::new("f", text).span(place);
        assert_eq!((span.line, span.column), expected);
        assert_eq!(span.caret.lines().count(), 3, "{}", span.caret);
        span.caret
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        check("abc", "a", (1, 1));
        check("abc\ndef", "e", (2, 2));
    }

    #[test]
    fn every_line_end_is_one_line() {
        check("a\r\nb\r\nc", "c", (3, 1));
        check("a\rb\rc", "c", (3, 1));
        check("a\n\nc", "c", (3, 1));
    }

    #[test]
    fn columns_are_characters() {
        check("äöü€😀x", "x", (1, 6));
        check(&format!("{}x", "é".repeat(1000)), "x", (1, 1001));
        check(&format!("{}\n€x", "é".repeat(300)), "x", (2, 2));
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(
            check("a\n  foo: 1", "foo", (2, 3)),
            "  |\n2 |   foo: 1\n  |   ^^^"
        );
        assert_eq!(
            check("\t\u{202e}x", "x", (1, 3)),
            "  |\n1 |  \u{fffd}x\n  |   ^"
        );
    }

    #[test]
    fn long_lines_show_a_window() {
        let caret = check(
            &format!("{}X{}", "a".repeat(5000), "b".repeat(5000)),
            "X",
            (1, 5001),
        );
        let lines: Vec<&str> = caret.lines().collect();
        assert!(lines[1].chars().count() < 110, "{caret}");
        assert_eq!(
            lines[1].chars().position(|c| c == 'X'),
            lines[2].chars().position(|c| c == '^')
        );
    }

    #[test]
    fn the_end_of_the_text_is_a_place() {
        let span = Source::new("f", "a\n").span(Place { start: 2, end: 2 });
        assert_eq!(
            (span.line, span.column, span.caret.as_str()),
            (2, 1, "  |\n2 | \n  | ^")
        );
    }
}
