//! What time alone does to a record.
//!
//! Apart because it comes before every event: nobody may decide, claim or renew what has run out,
//! whether or not a sweeper saw it first.

use super::record::{Record, Status, Unsettled};

/// `record` after its deadline; `None` while there is none, or it lies ahead.
pub(super) fn by_time(record: &Record, now_ms: u64) -> Option<Record> {
    if now_ms < record.deadline_ms()? {
        return None;
    }
    match &record.status {
        Status::AwaitingApproval { unsettled, .. } | Status::Approved { unsettled, .. } => {
            Some(record.ended(unsettled.as_ref(), Status::Expired {}, now_ms))
        }
        // A retry would run it twice whenever the runner is only slow.
        Status::Running { run } => Some(record.with(
            Status::Unknown {
                unsettled: Unsettled {
                    run: run.clone(),
                    message: "its runner was not heard of again".to_owned(),
                },
            },
            now_ms,
        )),
        Status::Rejected { .. }
        | Status::Expired {}
        | Status::Cancelled { .. }
        | Status::Denied { .. }
        | Status::Suppressed { .. }
        | Status::Succeeded { .. }
        | Status::Failed { .. }
        | Status::Unknown { .. }
        | Status::Resolved { .. }
        | Status::Abandoned { .. } => None,
    }
}
