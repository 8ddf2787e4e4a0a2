//! The glob of rules: what a person can hold in the head.
//!
//! It is apart from `globset`, which serves model names and file globs, because a rule's resource
//! is not a path: `*` crosses `/`, nothing is a separator, and a command such as `git *` also
//! matches the bare `git`. Users of coding agents know exactly this form.
//!
//! 1. `*` is any run of characters, also none, also `/` and line breaks.
//! 2. `?` is exactly one character.
//! 3. A pattern that ends in ` *` also matches without these two characters.
//! 4. Everything else is literal, compared byte by byte.

use std::sync::Arc;

/// A compiled glob. Matching allocates nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    text: Arc<str>,
    is_tail_optional: bool,
}

impl Glob {
    /// Takes any text: there is no illegal glob.
    pub fn new(text: &Arc<str>) -> Self {
        Self {
            text: Arc::clone(text),
            is_tail_optional: text.ends_with(" *"),
        }
    }

    /// What was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches every text.
    pub fn is_any(&self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|byte| byte == b'*')
    }

    /// Whether it has no wildcard at all, so that it matches one text.
    pub fn is_exact(&self) -> bool {
        !self.text.contains(['*', '?'])
    }

    /// Whether it has a character that is not a wildcard: a person named something.
    pub fn has_literal(&self) -> bool {
        self.text.bytes().any(|byte| byte != b'*' && byte != b'?')
    }

    /// The glob without its optional ` *`, if it has one.
    pub fn head(&self) -> Option<&str> {
        if self.is_tail_optional {
            self.text.strip_suffix(" *")
        } else {
            None
        }
    }

    /// The text before the first wildcard, which every match starts with. For a glob with an
    /// optional tail this is the part that also holds without the tail.
    pub fn prefix(&self) -> &str {
        let body = self.head().unwrap_or(&self.text);
        body.split(['*', '?']).next().unwrap_or("")
    }

    /// The text after the last wildcard, which every match ends with.
    pub fn suffix(&self) -> &str {
        if self.is_exact() {
            return "";
        }
        self.text.rsplit(['*', '?']).next().unwrap_or("")
    }

    /// The longest text between wildcards: every match contains it.
    pub fn longest_literal(&self) -> &str {
        let body = self.head().unwrap_or(&self.text);
        body.split(['*', '?'])
            .max_by_key(|part| part.len())
            .unwrap_or("")
    }

    /// Whether `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        wildcard(self.text.as_bytes(), text.as_bytes())
            || self
                .head()
                .is_some_and(|head| wildcard(head.as_bytes(), text.as_bytes()))
    }
}

/// The two-pointer walk: on a mismatch it goes back to the last `*` and lets that one eat one more
/// character. Quadratic at worst, and only in the pattern, which an operator wrote.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at_pattern, mut at_text) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at_pattern), text.get(at_text)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                at_pattern += 1;
                if at_pattern == pattern.len() {
                    return true;
                }
                last_star = Some((at_pattern, at_text));
                continue;
            }
            (Some(b'?'), Some(&first)) => {
                at_pattern += 1;
                at_text += char_len(first);
                continue;
            }
            (Some(literal), Some(byte)) if literal == byte => {
                at_pattern += 1;
                at_text += 1;
                continue;
            }
            _ => {}
        }
        let Some((after_star, from)) = last_star else {
            return false;
        };
        let Some(&first) = text.get(from) else {
            return false;
        };
        let mut next = from + char_len(first);
        // A literal after the star can only match where its first byte stands.
        if let Some(&literal) = pattern.get(after_star)
            && literal != b'?'
            && literal != b'*'
        {
            let Some(jump) = text
                .get(next..)
                .and_then(|rest| memchr::memchr(literal, rest))
            else {
                return false;
            };
            next += jump;
        }
        last_star = Some((after_star, next));
        at_pattern = after_star;
        at_text = next;
    }
}

/// How many bytes the character takes that starts with `first`.
const fn char_len(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(glob: &str, text: &str, matches: bool) {
        assert_eq!(
            Glob::new(&Arc::from(glob)).matches(text),
            matches,
            "{glob:?} on {text:?}"
        );
    }

    #[test]
    fn a_star_is_any_run_also_over_slashes_and_lines() {
        check("*", "", true);
        check("src/*", "src/a/b\nc", true);
        check("*.env", "a/prod.env", true);
        check("*.env", "prod.env.example", false);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-c-b", false);
    }

    #[test]
    fn a_question_mark_is_one_character_not_one_byte() {
        check("?", "é", true);
        check("??", "é", false);
        check("*??", "€", false);
        check("?cho *", "echo hi", true);
        check("a?c", "ac", false);
    }

    #[test]
    fn a_trailing_space_and_star_are_optional_together() {
        check("git *", "git", true);
        check("git *", "git status", true);
        check("git *", "gitk", false);
        check("ls*", "lsof", true);
        check("* *", "anything", true);
    }

    #[test]
    fn everything_else_is_literal() {
        check("foo.bar", "fooxbar", false);
        check("[a-z]", "b", false);
        check("a\\*", "a\\b", true);
        check("", "", true);
        check("", "a", false);
        check("**", "a/b", true);
    }

    #[test]
    fn a_hostile_text_takes_no_time() {
        let text = "a".repeat(20_000);
        check("*a*a*a*a*a*a*a*a*b", &text, false);
    }

    /// The same rules, written as a recursion over characters.
    fn slow(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => {
                slow(rest, text)
                    || text
                        .split_first()
                        .is_some_and(|(_, less)| slow(pattern, less))
            }
            (Some(('?', rest)), Some((_, less))) => slow(rest, less),
            (Some((literal, rest)), Some((first, less))) => literal == first && slow(rest, less),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn the_walk_agrees_with_the_recursion(glob in "[ab*?é ]{0,7}", text in "[abé ]{0,9}") {
            let chars: Vec<char> = glob.chars().collect();
            let letters: Vec<char> = text.chars().collect();
            let expected = slow(&chars, &letters)
                || glob.strip_suffix(" *").is_some_and(|head| {
                    slow(&head.chars().collect::<Vec<_>>(), &letters)
                });
            prop_assert_eq!(Glob::new(&Arc::from(glob.as_str())).matches(&text), expected);
        }

        #[test]
        fn a_match_has_the_literals_that_the_index_looks_for(glob in "[ab*? ]{0,7}", text in "[ab ]{0,9}") {
            let glob = Glob::new(&Arc::from(glob.as_str()));
            if glob.matches(&text) {
                prop_assert!(text.starts_with(glob.prefix()));
                prop_assert!(text.contains(glob.longest_literal()));
                prop_assert!(text.ends_with(glob.suffix()) );
            }
        }
    }
}
