//! Finds the last of many globs that matches a text, without trying them all.
//!
//! A gate with ten thousand rules is asked at every call, and almost all rules speak of something
//! else. The index sorts globs by what they need to see: an exact text, a literal start, a literal
//! end, or a literal somewhere (one automaton over all of those). Entries carry ascending numbers,
//! and "the last rule wins" is a search for the highest one, so a walk stops as soon as it falls
//! below what it already has.

use std::sync::Arc;

use aho_corasick::AhoCorasick;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::glob::Glob;

/// Below this many, trying each glob is cheaper than running the automaton.
const AUTOMATON_FROM: usize = 12;

type ByText = IndexMap<Box<str>, Vec<u32>, FxBuildHasher>;

/// Globs with ascending numbers, immutable once built.
#[derive(Debug, Default)]
pub struct GlobIndex {
    /// All globs, by the position in which they were added; `numbers` has their numbers.
    globs: Vec<Glob>,
    numbers: Vec<u32>,
    /// The highest number of a glob that matches everything.
    last_any: Option<u32>,
    /// The numbers of all globs that match everything.
    any: Vec<u32>,
    exact: ByText,
    prefixes: ByText,
    prefix_lens: Vec<usize>,
    suffixes: ByText,
    suffix_lens: Vec<usize>,
    /// Globs without a literal start or end, by a literal that a match contains.
    inner: ByText,
    automaton: Option<AhoCorasick>,
    /// Globs without any literal, such as `??`.
    loose: Vec<u32>,
}

impl GlobIndex {
    /// Builds the index. Numbers have to ascend; two globs may not share one.
    pub fn build(entries: impl IntoIterator<Item = (u32, Glob)>) -> Self {
        let mut index = Self::default();
        for (number, glob) in entries {
            index.add(number, glob);
        }
        index.prefix_lens = lens(&index.prefixes);
        index.suffix_lens = lens(&index.suffixes);
        if index.inner.len() >= AUTOMATON_FROM {
            // A set that is too large for an automaton is walked instead.
            index.automaton = AhoCorasick::new(index.inner.keys().map(AsRef::as_ref)).ok();
        }
        index
    }

    fn add(&mut self, number: u32, glob: Glob) {
        let position = u32::try_from(self.globs.len()).unwrap_or(u32::MAX);
        if glob.is_any() {
            self.last_any = Some(number);
            self.any.push(number);
        } else if glob.is_exact() {
            push(&mut self.exact, glob.as_str(), position);
        } else {
            // `git *` without its tail is one exact text, and its prefix can then have the space.
            let literal_head = glob.head().filter(|head| !head.contains(['*', '?']));
            let prefix = if let Some(head) = literal_head {
                push(&mut self.exact, head, position);
                glob.as_str().get(..=head.len()).unwrap_or(head)
            } else {
                glob.prefix()
            };
            let suffix = glob.suffix();
            if prefix.len() >= suffix.len() && !prefix.is_empty() {
                push(&mut self.prefixes, prefix, position);
            } else if !suffix.is_empty() {
                push(&mut self.suffixes, suffix, position);
            } else if glob.longest_literal().is_empty() {
                self.loose.push(position);
            } else {
                push(&mut self.inner, glob.longest_literal(), position);
            }
        }
        self.globs.push(glob);
        self.numbers.push(number);
    }

    /// The highest number above `floor` whose glob matches `text`.
    pub fn last_match(&self, text: &str, floor: Option<u32>) -> Option<u32> {
        let mut best = floor.max(self.last_any);
        self.each_group(text, &mut |positions| {
            for &position in positions.iter().rev() {
                let number = self.number(position);
                if best.is_some_and(|best| number <= best) {
                    break;
                }
                if self.glob_matches(position, text) {
                    best = Some(number);
                    break;
                }
            }
        });
        if best == floor { None } else { best }
    }

    /// The numbers of all globs that match `text`, ascending.
    pub fn all_matches(&self, text: &str) -> Vec<u32> {
        let mut found = self.any.clone();
        self.each_group(text, &mut |positions| {
            found.extend(
                positions
                    .iter()
                    .filter(|position| self.glob_matches(**position, text))
                    .map(|position| self.number(*position)),
            );
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Calls `visit` with every group of globs that could match `text`.
    fn each_group(&self, text: &str, visit: &mut impl FnMut(&[u32])) {
        if let Some(positions) = self.exact.get(text) {
            visit(positions);
        }
        for &len in &self.prefix_lens {
            // Not at a character boundary: no literal start has this length here.
            let Some(start) = text.get(..len) else {
                if len > text.len() {
                    break;
                }
                continue;
            };
            if let Some(positions) = self.prefixes.get(start) {
                visit(positions);
            }
        }
        for &len in &self.suffix_lens {
            let Some(from) = text.len().checked_sub(len) else {
                break;
            };
            if let Some(positions) = text.get(from..).and_then(|end| self.suffixes.get(end)) {
                visit(positions);
            }
        }
        if let Some(automaton) = &self.automaton {
            for found in automaton.find_overlapping_iter(text) {
                if let Some((_, positions)) = self.inner.get_index(found.pattern().as_usize()) {
                    visit(positions);
                }
            }
        } else {
            for positions in self.inner.values() {
                visit(positions);
            }
        }
        if !self.loose.is_empty() {
            visit(&self.loose);
        }
    }

    fn number(&self, position: u32) -> u32 {
        self.numbers.get(position as usize).copied().unwrap_or(0)
    }

    fn glob_matches(&self, position: u32, text: &str) -> bool {
        self.globs
            .get(position as usize)
            .is_some_and(|glob| glob.matches(text))
    }
}

fn push(map: &mut ByText, key: &str, position: u32) {
    if let Some(positions) = map.get_mut(key) {
        positions.push(position);
    } else {
        map.insert(Box::from(key), vec![position]);
    }
}

/// The distinct key lengths, shortest first.
fn lens(map: &ByText) -> Vec<usize> {
    let mut lens: Vec<usize> = map.keys().map(|key| key.len()).collect();
    lens.sort_unstable();
    lens.dedup();
    lens
}

/// Builds an index from texts, numbered from 0: for tests and benches.
pub fn index_of(globs: &[&str]) -> GlobIndex {
    GlobIndex::build(
        globs
            .iter()
            .zip(0_u32..)
            .map(|(glob, number)| (number, Glob::new(&Arc::from(*glob)))),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(globs: &[&str], text: &str, last: Option<u32>) {
        assert_eq!(
            index_of(globs).last_match(text, None),
            last,
            "{globs:?} on {text:?}"
        );
    }

    #[test]
    fn the_last_match_wins_whatever_its_form() {
        check(&["*", "git *", "*.env", "a/b"], "a/b", Some(3));
        check(&["git push", "git *", "*"], "git push", Some(2));
        check(&["*", "git *"], "git", Some(1));
        check(&["*.env", "read"], "x.env", Some(0));
        check(&["?cho *"], "echo", Some(0));
    }

    #[test]
    fn nothing_matches_nothing() {
        check(&[], "a", None);
        check(&["b", "c*", "*d", "*e*"], "a", None);
    }

    #[test]
    fn many_globs_with_a_leading_star_are_found_by_their_middle() {
        let globs: Vec<String> = (0..500).map(|i| format!("*/secret{i}/*")).collect();
        let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
        check(&globs, "a/secret77/b", Some(77));
        check(&globs, "a/secret777/b", None);
    }

    proptest! {
        #[test]
        fn it_agrees_with_trying_each(
            globs in proptest::collection::vec("[ab*? ]{0,5}", 0..40),
            text in "[ab ]{0,8}",
        ) {
            let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
            let index = index_of(&globs);
            let matching: Vec<u32> = globs.iter().zip(0_u32..)
                .filter(|(glob, _)| Glob::new(&Arc::from(**glob)).matches(&text))
                .map(|(_, number)| number).collect();
            prop_assert_eq!(index.last_match(&text, None), matching.last().copied());
            prop_assert_eq!(index.all_matches(&text), matching);
        }
    }
}
