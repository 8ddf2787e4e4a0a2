//! How much of one input a validation may look at.
//!
//! The input comes from a model and the schema may come from a stranger's server, so neither may
//! decide how long a validation runs or how deep it recurses: a cyclic object under a recursive
//! schema would end the process, and no `catch` helps against an exhausted stack. The limits stand
//! here and the nodes of a JSON representation ask for them, so that no second walk over the input
//! is needed. What the schema does not look at is not counted.

use std::cell::Cell;

/// How many containers may stand inside each other.
pub const MAX_DEPTH: usize = 128;

/// How many values of one input a validation may reach.
pub const MAX_VALUES: u32 = 100_000;

/// How often a validation may look at a value; branches look at the same value again.
const MAX_LOOKS: u32 = 2_000_000;

/// The same while faults are collected: each of them takes memory, a `false` does not.
const MAX_LOOKS_FOR_FAULTS: u32 = 200_000;

/// A look at a text costs one more for each of these.
const BYTES_PER_LOOK: usize = 256;

/// How much stack the levels of one input may take. A level takes a few hundred bytes to a few
/// kilobytes, by the schema; the smallest stack that Node gives native code is near one megabyte.
const MAX_STACK_BYTES: usize = 384 * 1024;

/// Why a validation came to no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The input is nested deeper than [`MAX_DEPTH`], or than the stack allows.
    TooDeep,
    /// The input has more than [`MAX_VALUES`] values, or the schema looks at them too often.
    TooMany,
    /// The input holds something that is no JSON and fits no schema: a big integer, `NaN`, a
    /// property that throws when read.
    NotJson,
}

/// What is left for one validation, and why it stopped.
///
/// INVARIANT: once a request was refused, the node that asked reports itself as null and without
/// children, and the answer of the validator is thrown away.
#[derive(Debug)]
pub struct Budget {
    values: Cell<u32>,
    looks: Cell<u32>,
    looks_per_text: u32,
    looks_per_name: u32,
    stack_start: usize,
    stop: Cell<Option<Stop>>,
}

impl Budget {
    /// The budget of one yes or no.
    pub(super) fn for_validity() -> Self {
        Self::with_looks(MAX_LOOKS)
    }

    /// The budget of the conditions on one call. Their patterns were written by the operator, so they
    /// cost no more than others.
    pub fn for_conditions() -> Self {
        Self::with_looks(MAX_LOOKS)
    }

    /// The budget of one list of faults.
    pub(super) fn for_faults() -> Self {
        Self::with_looks(MAX_LOOKS_FOR_FAULTS)
    }

    fn with_looks(looks: u32) -> Self {
        Self {
            values: Cell::new(MAX_VALUES),
            looks: Cell::new(looks),
            looks_per_text: 0,
            looks_per_name: 0,
            stack_start: stack_position(),
            stop: Cell::new(None),
        }
    }

    /// Whether `count` values may be reached, `depth` containers below the root (the root is 0).
    pub fn may_reach(&self, count: usize, depth: usize) -> bool {
        if self.stop.get().is_some() {
            return false;
        }
        if depth > MAX_DEPTH || self.stack_start.abs_diff(stack_position()) > MAX_STACK_BYTES {
            self.stop_for(Stop::TooDeep);
            return false;
        }
        let left = u32::try_from(count)
            .ok()
            .and_then(|count| self.values.get().checked_sub(count));
        match left {
            Some(left) => self.values.set(left),
            None => self.stop_for(Stop::TooMany),
        }
        left.is_some()
    }

    /// The same budget, where the schema makes every text and every name of a property cost more.
    pub(super) fn with_costs(mut self, per_text: u32, per_name: u32) -> Self {
        self.looks_per_text = per_text;
        self.looks_per_name = per_name;
        self
    }

    /// Whether a value may be looked at once more.
    #[inline]
    pub fn may_look(&self) -> bool {
        self.may_spend(1)
    }

    /// Whether a text of `bytes` may be read.
    pub fn may_read_text(&self, bytes: usize) -> bool {
        self.may_spend(self.looks_per_text.saturating_add(cost(bytes)))
    }

    /// Whether the name of a property of `bytes` may be read.
    pub fn may_read_name(&self, bytes: usize) -> bool {
        self.may_spend(self.looks_per_name.saturating_add(cost(bytes)))
    }

    /// Whether `values` that were read may be copied.
    pub fn may_copy(&self, values: usize) -> bool {
        self.may_spend(u32::try_from(values).unwrap_or(u32::MAX))
    }

    #[inline]
    fn may_spend(&self, looks: u32) -> bool {
        if self.stop.get().is_some() {
            return false;
        }
        let left = self.looks.get().checked_sub(looks);
        match left {
            Some(left) => self.looks.set(left),
            None => self.stop_for(Stop::TooMany),
        }
        left.is_some()
    }

    /// Ends the validation for `stop`; the first reason stays.
    pub fn stop_for(&self, stop: Stop) {
        if self.stop.get().is_none() {
            self.stop.set(Some(stop));
        }
    }

    /// Why the validation came to no answer, if it did not.
    pub fn stop(&self) -> Option<Stop> {
        self.stop.get()
    }

    /// Gives back what was spent, for a second and cheaper look at the same input.
    pub fn refill(&self) {
        self.values.set(MAX_VALUES);
        self.looks.set(MAX_LOOKS_FOR_FAULTS);
        self.stop.set(None);
    }
}

fn cost(bytes: usize) -> u32 {
    u32::try_from(1 + bytes / BYTES_PER_LOOK).unwrap_or(u32::MAX)
}

/// Roughly where the stack stands now. Only distances are used.
#[inline(never)]
fn stack_position() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spend: impl Fn(&Budget) -> bool, expected: Option<Stop>) {
        let budget = Budget::for_validity();
        assert_eq!(spend(&budget), expected.is_none());
        assert_eq!(budget.stop(), expected);
    }

    #[test]
    fn a_hundred_and_twenty_eight_levels_are_within() {
        check(|b| b.may_reach(1, MAX_DEPTH), None);
        check(|b| b.may_reach(1, MAX_DEPTH + 1), Some(Stop::TooDeep));
    }

    #[test]
    fn values_run_out() {
        check(|b| b.may_reach(100_000, 1), None);
        check(|b| b.may_reach(100_001, 1), Some(Stop::TooMany));
        check(|b| b.may_reach(usize::MAX, 1), Some(Stop::TooMany));
        check(
            |b| (0..100_001).all(|_| b.may_reach(1, 1)),
            Some(Stop::TooMany),
        );
    }

    #[test]
    fn looks_run_out_and_long_texts_cost_more() {
        check(|b| (0..1_000).all(|_| b.may_look()), None);
        check(
            |b| (0..2_000_001).all(|_| b.may_look()),
            Some(Stop::TooMany),
        );
        check(
            |b| (0..100).all(|_| b.may_read_text(10_000_000)),
            Some(Stop::TooMany),
        );
        check(|b| b.may_copy(usize::MAX), Some(Stop::TooMany));
    }

    #[test]
    fn a_schema_can_make_texts_and_names_cost_more() {
        let budget = Budget::for_validity().with_costs(1_000_000, 0);
        assert!((0..1_000).all(|_| budget.may_read_name(1)));
        assert!(budget.may_read_text(1) && !budget.may_read_text(1));
    }

    #[test]
    fn the_first_reason_stays_and_nothing_is_given_after_it() {
        check(
            |b| {
                b.stop_for(Stop::NotJson);
                b.stop_for(Stop::TooDeep);
                b.may_look() || b.may_reach(1, 1)
            },
            Some(Stop::NotJson),
        );
    }
}
