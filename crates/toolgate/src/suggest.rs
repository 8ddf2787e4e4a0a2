//! The nearest known word, for messages that repair.
//!
//! A leaf of its own because configuration, options and role names all ask "did you mean", and
//! because a wrong suggestion is worse than none: a word that is far from everything gets no answer.

/// Words longer than this are no slips of the finger; it also bounds the work.
const MAX_CHARS: usize = 64;

/// The candidate that `word` was probably meant to be; the first one where two are equally near.
///
/// Case does not count. A third of the letters may be wrong (one in short words), where a swap of
/// neighbours is one slip.
///
/// ```
/// use toolgate::suggest::nearest;
///
/// assert_eq!(nearest("permissions", ["permission", "roles"]), Some("permission"));
/// assert_eq!(nearest("weather", ["permission", "roles"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word)?;
    let allowed = (word.len() / 3).max(1);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let Some(other) = letters(candidate) else {
            continue;
        };
        let slips = distance(&word, &other);
        // Every letter replaced is another word, not a slip.
        let is_near = slips <= allowed && slips < word.len().max(other.len());
        if is_near && best.is_none_or(|(least, _)| slips < least) {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn letters(word: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = word
        .chars()
        .take(MAX_CHARS + 1)
        .flat_map(char::to_lowercase)
        .collect();
    (1..=MAX_CHARS).contains(&letters.len()).then_some(letters)
}

/// The optimal string alignment distance: inserted, lost, replaced and swapped letters.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    let mut previous_from = None;
    for (row, &a) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        let mut left = row + 1;
        let mut previous_to = None;
        for (column, &b) in to.iter().enumerate() {
            let at = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(MAX_CHARS);
            let mut cost = (at(&last, column) + usize::from(a != b))
                .min(at(&last, column + 1) + 1)
                .min(left + 1);
            if previous_from == Some(b) && previous_to == Some(a) && column > 0 {
                cost = cost.min(at(&before_last, column - 1) + 1);
            }
            current.push(cost);
            left = cost;
            previous_to = Some(b);
        }
        previous_from = Some(a);
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(from.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, candidates: &[&'static str], expected: Option<&str>) {
        assert_eq!(
            nearest(word, candidates.iter().copied()),
            expected,
            "{word:?}"
        );
    }

    #[test]
    fn a_letter_more_less_or_other_is_a_slip() {
        check("permissions", &["permission"], Some("permission"));
        check("permision", &["permission"], Some("permission"));
        check("permizsion", &["permission"], Some("permission"));
    }

    #[test]
    fn swapped_neighbours_are_one_slip() {
        check("aks", &["ask"], Some("ask"));
    }

    #[test]
    fn case_does_not_count() {
        check("Deny", &["allow", "deny"], Some("deny"));
    }

    #[test]
    fn the_nearest_wins_and_the_first_of_equals() {
        check("rolez", &["rules", "roles"], Some("roles"));
        check("bat", &["cat", "rat"], Some("cat"));
    }

    #[test]
    fn a_far_word_gets_no_answer() {
        check("weather", &["permission", "roles"], None);
        check("x", &["y"], None);
        check("", &["ask"], None);
        check(&"a".repeat(1000), &["ask"], None);
    }
}
