//! A person, or who speaks for one, answers.
//!
//! Apart because this is the only door to an approval by a person, and every way of answering the
//! wrong thing has to end here: another word, another input, an older question, a second mind.

use super::{
    APPROVAL_MS, Step, bounded, check_input,
    event::{Decide, EditedInput},
    outcome::{Outcome, standing},
    record::{Approval, Approver, Decision, Edited, Question, Record, Status, Unsettled, Word},
};
use crate::{call::envelope::Refusal, error::Code};

/// The door of answers that come with the history of a chat.
const IN_CHAT: &str = "native";

/// First the word has to be exact, second who answers one who may, third the input the one that was shown, fourth the question
/// the one that is open. Then it counts, once: the same answer again is told what it led to, any other
/// is a conflict.
pub(super) fn step(current: Option<&Record>, decide: &Decide, now_ms: u64) -> Step {
    let Some(word) = Word::parse(&decide.decision) else {
        return Step::refuses(
            Code::ApprovalRejected,
            "The answer was none of approve, reject, cancel and supersede, so it counts for nothing.",
        );
    };
    let Some(record) = current else {
        return Step::refuses(Code::Conflict, "No question waits for this answer.");
    };
    // In a chat, who asked is who answers; through other doors another person may.
    if decide.via == IN_CHAT && decide.by != record.call.principal {
        return Step::refuses(
            Code::SessionForeign,
            "This question belongs to another person's session.",
        );
    }
    if decide.input_hash != record.call.input_hash {
        return Step::refuses(Code::Conflict, "The answer is about another input.");
    }
    if decide.edited_input.is_some() && word != Word::Approve {
        return Step::refuses(Code::Conflict, "Only an approval can change the input.");
    }
    match &record.status {
        Status::AwaitingApproval {
            question,
            unsettled,
        } => {
            if is_about(decide, question, unsettled.is_some()) {
                answer(
                    record,
                    unsettled.as_ref(),
                    &decision(decide, word, question, now_ms),
                    decide,
                )
            } else {
                Step::refuses(Code::Conflict, "The answer is about an older question.")
            }
        }
        Status::Expired {} if record.decision.is_none() => Step::stays(standing(record)),
        Status::Approved { .. }
        | Status::Rejected { .. }
        | Status::Expired {}
        | Status::Cancelled { .. }
        | Status::Denied { .. }
        | Status::Suppressed { .. }
        | Status::Running { .. }
        | Status::Succeeded { .. }
        | Status::Failed { .. }
        | Status::Unknown { .. }
        | Status::Resolved { .. }
        | Status::Abandoned { .. } => repeated(record, decide, word),
    }
}

/// Without an id only the first question can be meant: the answer to it may come again at any time,
/// out of a chat history, and must not allow a second attempt.
fn is_about(decide: &Decide, question: &Question, is_retry: bool) -> bool {
    match &decide.question_id {
        Some(id) => *id == question.id,
        None => !is_retry,
    }
}

fn decision(decide: &Decide, word: Word, question: &Question, now_ms: u64) -> Decision {
    Decision {
        question_id: question.id.clone(),
        word,
        edited_hash: edited_hash(decide),
        by: decide.by.clone(),
        via: decide.via.clone(),
        at_ms: now_ms,
    }
}

fn edited_hash(decide: &Decide) -> Option<String> {
    let edited = decide.edited_input.as_ref()?;
    Some(edited.input_hash.clone())
}

fn answer(
    record: &Record,
    unsettled: Option<&Unsettled>,
    decision: &Decision,
    decide: &Decide,
) -> Step {
    let now_ms = decision.at_ms;
    let answered = match decision.word {
        Word::Approve => match approval(record, decision, decide) {
            Ok(approval) => record.with(
                Status::Approved {
                    approval,
                    unsettled: unsettled.cloned(),
                },
                now_ms,
            ),
            Err(refusal) => return Step::stays(Outcome::Refused(refusal)),
        },
        Word::Reject => {
            let message = decide.message.as_deref().map(bounded);
            record.ended(unsettled, Status::Rejected { message }, now_ms)
        }
        Word::Cancel => record.ended(unsettled, Status::Cancelled { superseded: false }, now_ms),
        Word::Supersede => record.ended(unsettled, Status::Cancelled { superseded: true }, now_ms),
    };
    let outcome = Outcome::Decided {
        decision: decision.word,
        state: answered.status.name(),
        is_repeated: false,
    };
    Step::moves(
        Record {
            decision: Some(decision.clone()),
            ..answered
        },
        outcome,
    )
}

fn approval(record: &Record, decision: &Decision, decide: &Decide) -> Result<Approval, Refusal> {
    let edited = match &decide.edited_input {
        Some(edited) if edited.input_hash != record.call.input_hash => {
            Some(checked(record, edited)?)
        }
        Some(_) | None => None,
    };
    let input_hash = edited
        .as_ref()
        .map_or(&record.call.input_hash, |edited| &edited.input_hash);
    Ok(Approval {
        from: Approver::Person {
            by: decision.by.clone(),
            via: decision.via.clone(),
        },
        input_hash: input_hash.clone(),
        at_ms: decision.at_ms,
        until_ms: decide
            .until_ms
            .unwrap_or_else(|| decision.at_ms.saturating_add(APPROVAL_MS)),
        edited,
    })
}

/// The class of effect may neither drop, which would lift the guard, nor rise above what was shown.
fn checked(record: &Record, edited: &EditedInput) -> Result<Edited, Refusal> {
    if edited.effect != record.call.effect {
        return Err(Refusal::new(
            Code::Conflict,
            "The changed input would turn the call into one with another kind of effect. Reject it instead.",
        ));
    }
    check_input(&edited.input, &edited.input_hash)?;
    Ok(Edited {
        input: Some(edited.input.clone()),
        input_hash: edited.input_hash.clone(),
    })
}

fn repeated(record: &Record, decide: &Decide, word: Word) -> Step {
    let is_same = record.decision.as_ref().is_some_and(|earlier| {
        earlier.word == word
            && earlier.edited_hash == edited_hash(decide)
            && decide
                .question_id
                .as_ref()
                .is_none_or(|id| *id == earlier.question_id)
    });
    if is_same {
        Step::stays(Outcome::Decided {
            decision: word,
            state: record.status.name(),
            is_repeated: true,
        })
    } else {
        Step::refuses(
            Code::Conflict,
            "The question was settled before, in another way.",
        )
    }
}
