//! What a caller is told after a step, and how each state reads.
//!
//! Apart from the transitions because every state has to read the same to everybody who meets it: a
//! duplicate, a losing claim and a look all get [`standing`].

use serde::Serialize;

use super::record::{Approver, Question, Record, Run, Status, Word};
use crate::{call::envelope::Refusal, error::Code};

/// What a caller is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum Outcome {
    /// There is no such record.
    Absent,
    /// A person has to decide.
    AwaitingApproval {
        /// What the person is asked.
        question: Question,
        /// The hash that the answer has to echo.
        input_hash: String,
    },
    /// The call may be claimed.
    Approved {
        /// Who allowed it.
        from: Approver,
        /// The hash of the input that may run.
        input_hash: String,
        /// That input, when a person changed it.
        edited_input: Option<String>,
    },
    /// The caller runs it now, and nobody else does.
    Claimed {
        /// To be handed back with the result.
        fence: u64,
        /// Which attempt this is, from 1.
        attempt: u32,
        /// The hash of the input that runs.
        input_hash: String,
        /// That input, when a person changed it.
        edited_input: Option<String>,
        /// When the runner counts as gone.
        lease_until_ms: Option<u64>,
    },
    /// The lease is longer now.
    Renewed,
    /// The answer counts.
    Decided {
        /// The answer.
        decision: Word,
        /// Where the call stands now.
        state: &'static str,
        /// The same answer came before.
        is_repeated: bool,
    },
    /// The result is recorded.
    Settled {
        /// Where the call stands now.
        state: &'static str,
        /// It came after the outcome had been given up as unknown.
        is_late: bool,
        /// The same result came before.
        is_repeated: bool,
    },
    /// An unknown outcome is known, or set aside.
    Resolved {
        /// Where the call stands now.
        state: &'static str,
    },
    /// A rehearsal: this stands in for the output.
    Suppressed {
        /// The stand-in envelope.
        envelope: String,
    },
    /// The call ran before; this is what came of it, byte for byte.
    Replay {
        /// `succeeded` or `failed`.
        state: &'static str,
        /// The stored envelope.
        envelope: String,
    },
    /// The call does not run.
    Refused(
        /// Why.
        Refusal,
    ),
}

/// How the state of `record` reads to somebody who comes upon it.
pub fn standing(record: &Record) -> Outcome {
    let state = record.status.name();
    match &record.status {
        Status::AwaitingApproval { question, .. } => Outcome::AwaitingApproval {
            question: question.clone(),
            input_hash: record.call.input_hash.clone(),
        },
        Status::Approved { approval, .. } => Outcome::Approved {
            from: approval.from.clone(),
            input_hash: approval.input_hash.clone(),
            edited_input: approval.edited_text(),
        },
        Status::Rejected { message } => refused(
            Code::ApprovalRejected,
            match message {
                Some(message) => {
                    format!("A person rejected this call; it did not run. They said: {message}")
                }
                None => "A person rejected this call; it did not run.".to_owned(),
            },
        ),
        Status::Expired {} => refused(
            Code::ApprovalExpired,
            "This call was not approved in time; it did not run. Call again if it is still wanted.",
        ),
        Status::Cancelled { superseded: true } => refused(
            Code::CallAborted,
            "This call was withdrawn because the conversation moved on; it did not run.",
        ),
        Status::Cancelled { superseded: false } => {
            refused(Code::CallAborted, "This call was aborted before it ran.")
        }
        Status::Denied { code, message } => refused(code.code(), message.as_str()),
        Status::Suppressed {
            envelope: Some(envelope),
        } => Outcome::Suppressed {
            envelope: envelope.clone(),
        },
        Status::Running { .. } => refused(
            Code::CallInProgress,
            "This call is running now. Wait for its result instead of calling again.",
        ),
        Status::Succeeded {
            envelope: Some(envelope),
            ..
        }
        | Status::Failed {
            envelope: Some(envelope),
            ..
        } => Outcome::Replay {
            state,
            envelope: envelope.clone(),
        },
        Status::Unknown { .. } => refused(
            Code::OutcomeUnknown,
            "An earlier attempt of this call may or may not have had its effect. Do not repeat it; a person has to look.",
        ),
        Status::Resolved { happened: true, .. } => refused(
            Code::OutcomeUnknown,
            "This call had its effect, but its output was lost. Do not repeat it.",
        ),
        Status::Resolved {
            happened: false, ..
        } => refused(
            Code::ToolFailed,
            "This call was found to have had no effect. It may be made again as a new call.",
        ),
        Status::Abandoned { .. } => refused(
            Code::OutcomeUnknown,
            "This call was set aside; whether it had its effect is not known. Do not repeat it.",
        ),
        Status::Succeeded { envelope: None, .. } => refused(
            Code::OutcomeUnknown,
            "This call ran before and its output is no longer kept. Do not repeat it.",
        ),
        Status::Failed { envelope: None, .. } => refused(
            Code::ToolFailed,
            "This call failed before without effect, and its message is no longer kept.",
        ),
        Status::Suppressed { envelope: None } => refused(
            Code::Conflict,
            "This call was a rehearsal, and its stand-in output is no longer kept.",
        ),
    }
}

/// The right to run, as its winner is told.
pub(super) fn claimed(run: &Run, attempt: u32) -> Outcome {
    Outcome::Claimed {
        fence: run.fence,
        attempt,
        input_hash: run.approval.input_hash.clone(),
        edited_input: run.approval.edited_text(),
        lease_until_ms: run.lease_until_ms,
    }
}

fn refused(code: Code, message: impl Into<String>) -> Outcome {
    Outcome::Refused(Refusal::new(code, message))
}
