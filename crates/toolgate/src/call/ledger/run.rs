//! A call runs: claimed, renewed, settled.
//!
//! Apart because at-most-once is decided here and nowhere else. A claim needs an approval for the
//! very input and tool that are about to run, and spends it; a result needs the fence of its claim.

use super::{
    Step, bounded,
    event::{Claim, Renew, Settle, Settlement},
    outcome::{Outcome, claimed, standing},
    record::{Record, Run, Status, Unsettled},
};
use crate::error::Code;

pub(super) fn claim(current: Option<&Record>, claim: &Claim, now_ms: u64) -> Step {
    let Some(record) = current else {
        return Step::refuses(
            Code::ApprovalRequired,
            "This call was never approved, so it did not run.",
        );
    };
    match &record.status {
        Status::Approved { approval, .. } => {
            if claim.input_hash != approval.input_hash || claim.tool_hash != record.call.tool_hash {
                return Step::refuses(
                    Code::Conflict,
                    "What was approved is another input or another tool definition, so the call did not run.",
                );
            }
            let fence = record.fence.saturating_add(1);
            let attempts = record.attempts.saturating_add(1);
            let run = Run {
                approval: approval.clone(),
                fence,
                runner: claim.runner.clone(),
                nonce: claim.nonce.clone(),
                started_at_ms: now_ms,
                lease_until_ms: claim.lease_until_ms,
            };
            let outcome = claimed(&run, attempts);
            let running = record.with(Status::Running { run }, now_ms);
            Step::moves(
                Record {
                    fence,
                    attempts,
                    ..running
                },
                outcome,
            )
        }
        // The write had succeeded and only its acknowledgement was lost: the claim is the caller's.
        Status::Running { run } if run.runner == claim.runner && run.nonce == claim.nonce => {
            Step::stays(claimed(run, record.attempts))
        }
        Status::AwaitingApproval { .. } => Step::refuses(
            Code::ApprovalRequired,
            "A person has to approve this call first, so it did not run.",
        ),
        Status::Rejected { .. }
        | Status::Expired {}
        | Status::Cancelled { .. }
        | Status::Denied { .. }
        | Status::Suppressed { .. }
        | Status::Running { .. }
        | Status::Succeeded { .. }
        | Status::Failed { .. }
        | Status::Unknown { .. }
        | Status::Resolved { .. }
        | Status::Abandoned { .. } => Step::stays(standing(record)),
    }
}

pub(super) fn renew(current: Option<&Record>, renew: &Renew, now_ms: u64) -> Step {
    match current.map(|record| (record, &record.status)) {
        Some((record, Status::Running { run })) if run.fence == renew.fence => {
            let run = Run {
                lease_until_ms: Some(renew.lease_until_ms),
                ..run.clone()
            };
            Step::moves(
                record.with(Status::Running { run }, now_ms),
                Outcome::Renewed,
            )
        }
        Some(_) | None => Step::refuses(
            Code::OutcomeUnknown,
            "This run does not hold the call any more.",
        ),
    }
}

/// The attempt of this fence comes back. After a lapse its result is evidence and still counts,
/// unless somebody has claimed again or has settled the matter.
pub(super) fn settle(current: Option<&Record>, settle: &Settle, now_ms: u64) -> Step {
    let Some(record) = current else {
        return not_yours();
    };
    let (run, is_late) = match &record.status {
        Status::Running { run } => (run, false),
        Status::Unknown { unsettled }
        | Status::AwaitingApproval {
            unsettled: Some(unsettled),
            ..
        }
        | Status::Approved {
            unsettled: Some(unsettled),
            ..
        } => (&unsettled.run, true),
        Status::Succeeded {
            run,
            envelope,
            late,
        }
        | Status::Failed {
            run,
            envelope,
            late,
        } => return settled_before(record, run, envelope.as_deref(), *late, settle),
        Status::AwaitingApproval { .. }
        | Status::Approved { .. }
        | Status::Rejected { .. }
        | Status::Expired {}
        | Status::Cancelled { .. }
        | Status::Denied { .. }
        | Status::Suppressed { .. }
        | Status::Resolved { .. }
        | Status::Abandoned { .. } => return not_yours(),
    };
    if run.fence != settle.fence {
        return not_yours();
    }
    let status = match &settle.outcome {
        Settlement::Succeeded { envelope } => Status::Succeeded {
            run: run.clone(),
            envelope: Some(envelope.clone()),
            late: is_late,
        },
        Settlement::Failed { envelope } => Status::Failed {
            run: run.clone(),
            envelope: Some(envelope.clone()),
            late: is_late,
        },
        // It is unknown already; "unknown" is no news and must not undo a question.
        Settlement::Unknown { .. } if is_late => {
            return Step::stays(settled(record.status.name(), true, true));
        }
        Settlement::Unknown { message } => Status::Unknown {
            unsettled: Unsettled {
                run: run.clone(),
                message: bounded(message),
            },
        },
    };
    let outcome = settled(status.name(), is_late, false);
    Step::moves(record.with(status, now_ms), outcome)
}

/// The same result again, because its acknowledgement was lost, is fine; any other is not.
fn settled_before(
    record: &Record,
    run: &Run,
    kept: Option<&str>,
    late: bool,
    settle: &Settle,
) -> Step {
    let (state, envelope) = match &settle.outcome {
        Settlement::Succeeded { envelope } => ("succeeded", envelope),
        Settlement::Failed { envelope } => ("failed", envelope),
        Settlement::Unknown { .. } => return not_yours(),
    };
    let is_same = run.fence == settle.fence
        && state == record.status.name()
        && kept.is_none_or(|kept| kept == envelope);
    if is_same {
        Step::stays(settled(state, late, true))
    } else {
        not_yours()
    }
}

const fn settled(state: &'static str, is_late: bool, is_repeated: bool) -> Outcome {
    Outcome::Settled {
        state,
        is_late,
        is_repeated,
    }
}

fn not_yours() -> Step {
    Step::refuses(
        Code::Conflict,
        "This result does not belong to the last run of the call, so it was not recorded.",
    )
}
