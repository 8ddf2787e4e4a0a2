//! Somebody steps in: forbids a call that has not run, or settles an outcome that nobody knows.
//!
//! Apart because nothing here comes from a model or from a tool. An unknown outcome leaves its state
//! only through this file, or by the late result of its own run.

use super::{
    Step, bounded,
    event::{Deny, Resolution, Resolve},
    outcome::{Outcome, standing},
    record::{Denial, Record, Status},
};
use crate::error::Code;

pub(super) fn deny(current: Option<&Record>, deny: &Deny, now_ms: u64) -> Step {
    let Some(record) = current else {
        return Step::stays(Outcome::Absent);
    };
    match &record.status {
        Status::AwaitingApproval { unsettled, .. } | Status::Approved { unsettled, .. } => {
            let end = Status::Denied {
                code: Denial::PermissionDenied,
                message: bounded(&deny.message),
            };
            Step::moves_to_standing(record.ended(unsettled.as_ref(), end, now_ms))
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

pub(super) fn step(current: Option<&Record>, resolve: &Resolve, now_ms: u64) -> Step {
    let Some((record, Status::Unknown { unsettled })) = current.map(|r| (r, &r.status)) else {
        return Step::refuses(
            Code::Conflict,
            "The outcome of this call is not in question.",
        );
    };
    let by = resolve.by.clone();
    let why = resolve.why.clone();
    let resolved = |happened| Status::Resolved {
        happened,
        by: by.clone(),
        why: why.clone(),
    };
    let status = match &resolve.how {
        Resolution::Happened {} => resolved(true),
        Resolution::DidNotHappen {} => resolved(false),
        Resolution::Drop {} => Status::Abandoned { by, why },
        Resolution::Retry { question } => {
            let asked = Status::AwaitingApproval {
                question: question.clone(),
                unsettled: Some(unsettled.clone()),
            };
            return Step::moves_to_standing(record.with(asked, now_ms));
        }
    };
    let outcome = Outcome::Resolved {
        state: status.name(),
    };
    Step::moves(record.with(status, now_ms), outcome)
}
