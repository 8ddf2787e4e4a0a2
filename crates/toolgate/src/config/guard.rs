//! The guards before the parser: what it would not survive, and what it would let pass.
//!
//! One pass over the characters that knows strings and comments and nothing else of the grammar,
//! without recursion, so that no text can overflow the stack. The parser is kinder than JSON: it
//! takes raw line ends in strings and exotic white space between tokens.

use super::{
    node::quoted,
    spans::{Place, Source},
};
use crate::error::{Code, Error};

/// The deepest nesting; a real file needs eight or so.
pub(super) const MAX_DEPTH: usize = 64;

/// What is wrong with a text, before it has lines and columns.
pub(super) struct Problem {
    pub(super) code: Code,
    pub(super) place: Place,
    pub(super) message: String,
    pub(super) help: String,
}

impl Problem {
    pub(super) fn at(self, source: &Source<'_>) -> Error {
        Error::new(self.code, self.message, self.help).at(source.span(self.place))
    }
}

/// A problem from byte `start` to byte `end`.
pub(super) fn problem(
    code: Code,
    start: usize,
    end: usize,
    message: String,
    help: &str,
) -> Problem {
    let end = end.max(start);
    let help = help.to_owned();
    Problem {
        code,
        place: Place { start, end },
        message,
        help,
    }
}

/// A problem that the parser would not tell.
pub(super) struct Fault {
    pub(super) problem: Problem,
    /// The parser may not see this text.
    pub(super) is_fatal: bool,
}

/// Where the small scanner is. It knows strings and comments and nothing else of the grammar.
enum Inside {
    Nothing,
    Text,
    LineComment,
    BlockComment,
}

/// What the parser would let pass, or would not survive. Nesting that is too deep is always found;
/// of the other faults the first one.
pub(super) fn first_fault(text: &str) -> Option<Fault> {
    let mut fault: Option<Fault> = None;
    let mut note = |start: usize, c: char, message: String, help: &str| {
        let found = problem(
            Code::ConfigSyntax,
            start,
            start + c.len_utf8(),
            message,
            help,
        );
        fault.get_or_insert(Fault {
            problem: found,
            is_fatal: false,
        });
    };
    let mut inside = Inside::Nothing;
    let mut depth = 0_usize;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        match inside {
            Inside::Nothing => match c {
                '{' | '[' => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        let message = format!("the text is nested deeper than {MAX_DEPTH} levels");
                        let help = "flatten it; no key of the configuration needs that depth";
                        return Some(Fault {
                            problem: problem(Code::ConfigSyntax, at, at + 1, message, help),
                            is_fatal: true,
                        });
                    }
                }
                '}' | ']' => depth = depth.saturating_sub(1),
                '"' => inside = Inside::Text,
                '/' if next == Some('/') => inside = Inside::LineComment,
                '/' if next == Some('*') => {
                    characters.next();
                    inside = Inside::BlockComment;
                }
                ' ' | '\t' | '\n' | '\r' => {}
                c if c.is_whitespace() || c == '\u{feff}' => {
                    let message = format!("{} stands between the values", quoted(&c.to_string()));
                    note(
                        at,
                        c,
                        message,
                        "delete it; only spaces, tabs and line ends are white space",
                    );
                }
                _ => {}
            },
            Inside::Text => match c {
                '"' => inside = Inside::Nothing,
                '\\' if next.is_some_and(|next| next >= ' ') => {
                    characters.next();
                }
                '\n' | '\r' => {
                    let message = "a string runs over the end of its line".into();
                    note(
                        at,
                        c,
                        message,
                        "close it with `\"`; a line end inside a string is `\\n`",
                    );
                    // The rest of the file would be read inside out.
                    inside = Inside::Nothing;
                }
                c if c < ' ' => {
                    let message = format!(
                        "a string has the raw control character {}",
                        quoted(&c.to_string())
                    );
                    note(
                        at,
                        c,
                        message,
                        "write it as an escape, such as `\\t`, or delete it",
                    );
                }
                _ => {}
            },
            Inside::LineComment => {
                if c == '\n' || c == '\r' {
                    inside = Inside::Nothing;
                }
            }
            Inside::BlockComment => {
                if c == '*' && next == Some('/') {
                    characters.next();
                    inside = Inside::Nothing;
                }
            }
        }
    }
    fault
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{node::Node, text::parse};

    fn read(text: &str) -> Result<Node, Error> {
        parse(&Source::new("f", text))
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

    use Code::ConfigSyntax;

    #[test]
    fn raw_control_characters_and_exotic_spaces_are_not() {
        check(
            "{\n \"a\": \"b\n}",
            ConfigSyntax,
            2,
            9,
            "a string runs over",
        );
        check(
            "[\"a\tb\"]",
            ConfigSyntax,
            1,
            4,
            "a string has the raw control character",
        );
        check("[\u{a0}1]", ConfigSyntax, 1, 2, "`\\u{a0}` stands between");
        check("[\u{b}1]", ConfigSyntax, 1, 2, "`\\u{b}` stands between");
    }

    #[test]
    fn the_earlier_fault_is_told() {
        check(
            "{ 'a: \"b\n",
            ConfigSyntax,
            1,
            3,
            "strings in single quotes",
        );
        check("{ \"a\n: 'b' }", ConfigSyntax, 1, 5, "a string runs over");
    }

    #[test]
    fn nesting_is_bounded_before_the_parser_runs() {
        for open in ["[", "{\"a\":", "[{\"a\":"] {
            let error = read(&open.repeat(100_000)).unwrap_err();
            assert!(error.message.contains("nested deeper than 64"), "{error:?}");
        }
        assert!(read(&format!("{}{}", "[".repeat(64), "]".repeat(64))).is_ok());
        check(
            &format!("{}{}", "[".repeat(65), "]".repeat(65)),
            ConfigSyntax,
            1,
            65,
            "the text is nested",
        );
        assert!(read(&format!("[\"{}\"] // {}", "[".repeat(100), "{".repeat(100))).is_ok());
    }
}
