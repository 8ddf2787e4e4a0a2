//! A call is seen: for the first time, or again.
//!
//! Apart because this is where a duplicate is told from a conflict, and where a verdict that became
//! stricter meanwhile still counts.

use super::{
    APPROVAL_MS, Step, bounded, check_input,
    event::{How, Propose},
    outcome::{Outcome, standing},
    record::{Approval, Approver, Call, Record, Status, Unsettled, VERSION},
};
use crate::{
    call::{
        envelope::Envelope,
        key::{CallParts, call_key},
    },
    error::Code,
};

/// First the proposal has to fit itself, second the record it meets; then the verdict counts.
pub(super) fn step(current: Option<&Record>, propose: &Propose, now_ms: u64) -> Step {
    let parts = CallParts(
        propose.tenant.as_deref(),
        &propose.session,
        &propose.turn,
        &propose.tool,
        &propose.call_id,
    );
    if propose.key != call_key(&parts) {
        return Step::refuses(
            Code::Internal,
            "The call and its key do not belong together, so it did not run.",
        );
    }
    if let Err(refusal) = check_input(&propose.input, &propose.input_hash) {
        return Step::stays(Outcome::Refused(refusal));
    }
    match current {
        None => Step::moves_to_standing(fresh(propose, now_ms)),
        Some(record) => again(record, propose, now_ms),
    }
}

fn fresh(propose: &Propose, now_ms: u64) -> Record {
    Record {
        v: VERSION,
        key: propose.key.clone(),
        call: Call {
            tenant: propose.tenant.clone(),
            session: propose.session.clone(),
            turn: propose.turn.clone(),
            tool: propose.tool.clone(),
            call_id: propose.call_id.clone(),
            principal: propose.principal.clone(),
            effect: propose.effect,
            tool_hash: propose.tool_hash.clone(),
            input_hash: propose.input_hash.clone(),
            input: Some(propose.input.clone()),
        },
        status: status(propose, None, now_ms),
        decision: None,
        fence: 0,
        attempts: 0,
        created_at_ms: now_ms,
        changed_at_ms: now_ms,
    }
}

/// The state that the verdict leads to.
fn status(propose: &Propose, unsettled: Option<&Unsettled>, now_ms: u64) -> Status {
    let approved = |from: Approver| Status::Approved {
        approval: Approval {
            from,
            input_hash: propose.input_hash.clone(),
            edited: None,
            at_ms: now_ms,
            until_ms: now_ms.saturating_add(APPROVAL_MS),
        },
        unsettled: unsettled.cloned(),
    };
    match &propose.how {
        How::Denied { code, message } => Status::Denied {
            code: *code,
            message: bounded(message),
        },
        How::Suppressed { envelope } => Status::Suppressed {
            envelope: Some(
                envelope
                    .clone()
                    .unwrap_or_else(|| Envelope::suppressed().to_json()),
            ),
        },
        How::NeedsApproval { question } => Status::AwaitingApproval {
            question: question.clone(),
            unsettled: unsettled.cloned(),
        },
        How::ApprovedByRule { rule } => approved(Approver::Rule { rule: rule.clone() }),
        How::ApprovedByGrant { grant } => approved(Approver::Grant {
            grant: grant.clone(),
        }),
    }
}

fn again(record: &Record, propose: &Propose, now_ms: u64) -> Step {
    if record.key != propose.key {
        return Step::refuses(
            Code::Internal,
            "The store answered with another call's record, so the call did not run.",
        );
    }
    // The host binds a session to whom it serves, and forgets; the record does not.
    if record.call.principal != propose.principal {
        return Step::refuses(
            Code::SessionForeign,
            "This call belongs to another person's session.",
        );
    }
    if record.call.input_hash != propose.input_hash || record.call.tool_hash != propose.tool_hash {
        return Step::refuses(
            Code::Conflict,
            "This call was seen before with another input or another tool definition. Make a new call instead.",
        );
    }
    match &record.status {
        Status::AwaitingApproval { unsettled, .. } => {
            waiting(record, unsettled.as_ref(), false, propose, now_ms)
        }
        Status::Approved {
            approval,
            unsettled,
        } => {
            // A person's answer outlives a change of rules; a rule's own answer does not.
            let may_be_asked = match approval.from {
                Approver::Person { .. } => false,
                Approver::Rule { .. } | Approver::Grant { .. } => true,
            };
            waiting(record, unsettled.as_ref(), may_be_asked, propose, now_ms)
        }
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

/// A call that has not run yet meets a new verdict, which may only be stricter.
fn waiting(
    record: &Record,
    unsettled: Option<&Unsettled>,
    may_be_asked: bool,
    propose: &Propose,
    now_ms: u64,
) -> Step {
    match &propose.how {
        How::Denied { .. } | How::Suppressed { .. } => {
            let end = status(propose, None, now_ms);
            Step::moves_to_standing(record.ended(unsettled, end, now_ms))
        }
        How::NeedsApproval { .. } if may_be_asked => {
            Step::moves_to_standing(record.with(status(propose, unsettled, now_ms), now_ms))
        }
        How::NeedsApproval { .. } | How::ApprovedByRule { .. } | How::ApprovedByGrant { .. } => {
            Step::stays(standing(record))
        }
    }
}
