//! Approval and idempotency as one record, and the only function that moves it.
//!
//! It is pure: the host reads a record from its store, tells what happened and what time it is, and
//! writes what comes back if nobody wrote in between. At most one caller wins that write, so at most
//! one runs the call; and because claiming the run consumes the approval in the same write, an
//! approval can neither be lost by a failed start nor be used twice.
//!
//! | from | event | to |
//! |---|---|---|
//! | – | `propose`, denied | denied |
//! | – | `propose`, a rehearsal | suppressed |
//! | – | `propose`, a person is needed | `awaiting_approval` |
//! | – | `propose`, a rule or grant allows | approved |
//! | any | `propose` with another input or tool | unchanged, `CONFLICT` |
//! | awaiting, approved | `propose`, now denied or a rehearsal; `deny` | denied, suppressed |
//! | approved by rule or grant | `propose`, now a person is needed | `awaiting_approval` |
//! | `awaiting_approval` | `decide` approve, hash echoed | approved |
//! | `awaiting_approval` | `decide` reject / cancel / supersede | rejected / cancelled |
//! | awaiting, approved | time | expired |
//! | approved | `claim` with the approved hash: fence + 1, attempt + 1 | running |
//! | running | `renew` | running, longer |
//! | running | `settle` with its fence | succeeded, failed, unknown |
//! | running | time (its lease) | unknown |
//! | unknown | `settle` succeeded or failed with the last fence | succeeded, failed (`late`) |
//! | unknown | `resolve` happened / did not / drop | resolved / resolved / abandoned |
//! | unknown | `resolve` retry | `awaiting_approval`, with a new question |
//! | anything else | any | unchanged |
//!
//! A retry goes back to a question, because the old approval was spent on the attempt that got
//! lost. Until it is claimed the lost attempt is remembered beside the question: its late result
//! still counts, and a question that ends without an approval leads back to unknown, never to an
//! end that says "it did not run".
//!
//! Time comes first in every step: what ran out is over before the event is looked at.

pub mod event;
pub mod outcome;
pub mod record;
pub mod wire;

mod decide;
mod lapse;
mod propose;
mod resolve;
mod run;

#[cfg(test)]
mod tests;

use self::{
    event::Event,
    outcome::{Outcome, standing},
    record::{Record, Status, Unsettled},
};
use crate::{
    call::{canonical::canonical_hash, envelope::Refusal},
    error::Code,
};

/// The longest input that a record keeps.
pub const MAX_INPUT_BYTES: usize = 1 << 20;

/// How long an approval may be claimed when its giver does not say.
pub const APPROVAL_MS: u64 = 15 * 60 * 1000;

/// The longest sentence of a person or tool that a model gets to read.
const MAX_MESSAGE_CHARS: usize = 1000;

/// What an event led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The record to write; absent when nothing changed.
    pub record: Option<Record>,
    /// What the caller is told.
    pub outcome: Outcome,
}

/// Moves `record` by `event` at `now_ms`, the store's time.
pub fn transition(record: Option<&Record>, event: &Event, now_ms: u64) -> Step {
    let lapsed = record.and_then(|record| lapse::by_time(record, now_ms));
    let current = lapsed.as_ref().or(record);
    let mut step = match event {
        Event::Propose(propose) => propose::step(current, propose, now_ms),
        Event::Decide(decide) => decide::step(current, decide, now_ms),
        Event::Claim(claim) => run::claim(current, claim, now_ms),
        Event::Renew(renew) => run::renew(current, renew, now_ms),
        Event::Settle(settle) => run::settle(current, settle, now_ms),
        Event::Deny(deny) => resolve::deny(current, deny, now_ms),
        Event::Resolve(resolve) => resolve::step(current, resolve, now_ms),
        Event::Lapse(_) => Step::stays(current.map_or(Outcome::Absent, standing)),
    };
    step.record = step.record.or(lapsed);
    step
}

impl Step {
    fn moves(record: Record, outcome: Outcome) -> Self {
        Self {
            record: Some(record),
            outcome,
        }
    }

    /// The record changes, and the caller is told where it stands now.
    fn moves_to_standing(record: Record) -> Self {
        let outcome = standing(&record);
        Self::moves(record, outcome)
    }

    const fn stays(outcome: Outcome) -> Self {
        Self {
            record: None,
            outcome,
        }
    }

    fn refuses(code: Code, message: &str) -> Self {
        Self::stays(Outcome::Refused(Refusal::new(code, message)))
    }
}

impl Record {
    fn with(&self, status: Status, now_ms: u64) -> Self {
        Self {
            status,
            changed_at_ms: now_ms,
            ..self.clone()
        }
    }

    /// Ends a call that was not claimed. An attempt that got lost earlier is in question again.
    fn ended(&self, unsettled: Option<&Unsettled>, end: Status, now_ms: u64) -> Self {
        let status = match unsettled {
            Some(unsettled) => Status::Unknown {
                unsettled: unsettled.clone(),
            },
            None => end,
        };
        self.with(status, now_ms)
    }
}

/// What is hashed has to be what is kept; a caller that says otherwise is mistaken about its input.
fn check_input(input: &str, input_hash: &str) -> Result<(), Refusal> {
    if input.len() > MAX_INPUT_BYTES {
        return Err(Refusal::new(
            Code::InputTooLarge,
            "The input is too large to be recorded, so the call did not run.",
        )
        .with_help("call again with a smaller input"));
    }
    match canonical_hash(input) {
        Ok(hash) if hash == input_hash => Ok(()),
        Ok(_) => Err(Refusal::new(
            Code::Internal,
            "The input and its hash do not belong together, so the call did not run.",
        )),
        Err(reason) => Err(Refusal::new(
            Code::InputNotCanonical,
            format!("The input has no canonical form, so the call did not run: {reason}."),
        )),
    }
}

/// The beginning of what a person or tool said, cut at a character.
fn bounded(message: &str) -> String {
    message.chars().take(MAX_MESSAGE_CHARS).collect()
}
