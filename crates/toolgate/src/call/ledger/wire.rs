//! The ledger as text, for a host that keeps records without reading them.
//!
//! In: the record as the store has it, or nothing, and an event with its time,
//! `{ "type": "claim", "nowMs": 1700000000000, … }` ([`Event`] has the fields).
//! Out: `{ "outcome": { "type": … }, "commit": null | { … } }` ([`Outcome`], [`Commit`]).
//!
//! It stands apart because everything that a store writes is made here, so that no store has to
//! understand a record: where it is listed, what is told to listeners, when it shrinks to a
//! tombstone. Whatever cannot be read is a refusal; nothing here fails otherwise.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Step,
    event::Event,
    lapse,
    outcome::Outcome,
    record::{Edited, Record, Run, Status, VERSION},
    transition,
};
use crate::{
    call::{
        envelope::Refusal,
        key::{IntentParts, intent_key, session_key, tenant_tag},
    },
    error::Code,
};

/// How long an output is kept after its call ended.
pub const RESULT_MS: u64 = 24 * 60 * 60 * 1000;

/// How long it is remembered that a call ended, and how.
pub const TOMBSTONE_MS: u64 = 30 * RESULT_MS;

/// What to write, if nobody wrote in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Commit {
    /// The record.
    pub record: String,
    /// The store must not write at or after this time of its own clock.
    pub not_after_ms: Option<u64>,
    /// The lists that the record stands in from now on.
    pub index: Vec<String>,
    /// Where listeners hear of it.
    pub stream: String,
    /// What they hear.
    pub event: String,
    /// What becomes of the record when nobody touches it; absent when it is kept.
    pub retention: Option<Retention>,
}

/// How a record that nobody touches any more shrinks and goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// From this time on `tombstone` takes the record's place.
    pub shrink_at_ms: u64,
    /// The record without inputs and outputs.
    pub tombstone: String,
    /// From this time on nothing is kept.
    pub delete_at_ms: u64,
}

#[derive(Serialize)]
struct Answer {
    outcome: Outcome,
    commit: Option<Commit>,
}

/// [`transition`], text in and text out.
pub fn transition_json(record: Option<&str>, event: &str) -> String {
    let answer = answer(record, event).unwrap_or_else(|message| Answer {
        outcome: Outcome::Refused(Refusal::new(Code::Internal, message)),
        commit: None,
    });
    // INVARIANT: strings, numbers and booleans always serialize; the empty text parses nowhere.
    serde_json::to_string(&answer).unwrap_or_default()
}

/// The sentences say nothing of the texts, which hold inputs.
fn answer(record: Option<&str>, event: &str) -> Result<Answer, &'static str> {
    let before = record.map(parse_record).transpose()?;
    let (event, now_ms) = parse_event(event)?;
    let Step { record, outcome } = transition(before.as_ref(), &event, now_ms);
    let commit = match record {
        Some(after) => Some(commit(before.as_ref(), &after, now_ms)?),
        None => None,
    };
    Ok(Answer { outcome, commit })
}

fn parse_record(text: &str) -> Result<Record, &'static str> {
    let record: Record = serde_json::from_str(text)
        .map_err(|_| "The record of this call cannot be read, so the call did not run.")?;
    if record.v == VERSION {
        Ok(record)
    } else {
        Err("The record of this call has another version, so the call did not run.")
    }
}

fn parse_event(text: &str) -> Result<(Event, u64), &'static str> {
    const UNREADABLE: &str =
        "The ledger was told something that it does not understand, so the call did not run.";
    let mut fields: Map<String, Value> = serde_json::from_str(text).map_err(|_| UNREADABLE)?;
    let now_ms = fields
        .shift_remove("nowMs")
        .and_then(|now_ms| now_ms.as_u64())
        .ok_or(UNREADABLE)?;
    let event = serde_json::from_value(Value::Object(fields)).map_err(|_| UNREADABLE)?;
    Ok((event, now_ms))
}

fn commit(before: Option<&Record>, after: &Record, now_ms: u64) -> Result<Commit, &'static str> {
    Ok(Commit {
        record: record_text(after)?,
        // What has run out by now moves by time alone, and that may be written at any time.
        not_after_ms: before
            .and_then(Record::deadline_ms)
            .filter(|deadline| now_ms < *deadline),
        index: index(after),
        stream: session_key(after.call.tenant.as_deref(), &after.call.session),
        event: event_text(after),
        retention: retention(after)?,
    })
}

fn record_text(record: &Record) -> Result<String, &'static str> {
    serde_json::to_string(record).map_err(|_| "The record of this call cannot be written.")
}

/// The session's list, the intention's list, and one for what waits for a person.
fn index(record: &Record) -> Vec<String> {
    let call = &record.call;
    let tenant = call.tenant.as_deref();
    let mut lists = vec![
        session_key(tenant, &call.session),
        intent_key(&IntentParts(
            tenant,
            &call.session,
            &call.tool,
            &call.input_hash,
        )),
    ];
    match &record.status {
        Status::AwaitingApproval { .. } | Status::Unknown { .. } => {
            lists.push(format!("{}.{}", tenant_tag(tenant), record.status.name()));
        }
        Status::Approved { .. }
        | Status::Rejected { .. }
        | Status::Expired {}
        | Status::Cancelled { .. }
        | Status::Denied { .. }
        | Status::Suppressed { .. }
        | Status::Running { .. }
        | Status::Succeeded { .. }
        | Status::Failed { .. }
        | Status::Resolved { .. }
        | Status::Abandoned { .. } => {}
    }
    lists
}

/// Neither input nor output: who may listen is not settled here.
fn event_text(record: &Record) -> String {
    json!({
        "key": record.key,
        "tool": record.call.tool,
        "callId": record.call.call_id,
        "state": record.status.name(),
        "atMs": record.changed_at_ms,
    })
    .to_string()
}

fn retention(record: &Record) -> Result<Option<Retention>, &'static str> {
    let ends_at_ms = if record.status.is_terminal() {
        record.changed_at_ms
    } else {
        match record.deadline_ms() {
            Some(deadline_ms) => deadline_ms,
            None => return Ok(None),
        }
    };
    let lapsed = lapse::by_time(record, ends_at_ms);
    let end = lapsed.as_ref().unwrap_or(record);
    if !end.status.is_terminal() {
        return Ok(None);
    }
    Ok(Some(Retention {
        shrink_at_ms: ends_at_ms.saturating_add(RESULT_MS),
        tombstone: record_text(&tombstone(end))?,
        delete_at_ms: ends_at_ms.saturating_add(TOMBSTONE_MS),
    }))
}

/// The record without inputs and outputs: enough to never run the call again.
fn tombstone(record: &Record) -> Record {
    let mut small = record.clone();
    small.call.input = None;
    match &mut small.status {
        Status::Succeeded { run, envelope, .. } | Status::Failed { run, envelope, .. } => {
            *envelope = None;
            forget_edit(run);
        }
        Status::Suppressed { envelope } => *envelope = None,
        Status::AwaitingApproval { .. }
        | Status::Approved { .. }
        | Status::Rejected { .. }
        | Status::Expired {}
        | Status::Cancelled { .. }
        | Status::Denied { .. }
        | Status::Running { .. }
        | Status::Unknown { .. }
        | Status::Resolved { .. }
        | Status::Abandoned { .. } => {}
    }
    small
}

fn forget_edit(run: &mut Run) {
    if let Some(Edited { input, .. }) = &mut run.approval.edited {
        *input = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{
        canonical::canonical_hash,
        key::{CallParts, call_key},
    };

    const NOW_MS: u64 = 1_700_000_000_000;

    fn propose(how: &Value) -> Value {
        let input = r#"{"amount":100}"#;
        json!({
            "type": "propose",
            "nowMs": NOW_MS,
            "key": call_key(&CallParts(None, "s", "u", "refund", "c")),
            "tenant": null,
            "session": "s",
            "turn": "u",
            "tool": "refund",
            "callId": "c",
            "principal": null,
            "effect": "external-write",
            "toolHash": "t",
            "inputHash": canonical_hash(input).unwrap(),
            "input": input,
            "how": how,
        })
    }

    fn by_rule() -> Value {
        propose(&json!({ "type": "approved-by-rule", "rule": "refund: allow" }))
    }

    fn claim() -> Value {
        json!({
            "type": "claim",
            "nowMs": NOW_MS + 1,
            "runner": "r",
            "nonce": "n",
            "inputHash": canonical_hash(r#"{"amount":100}"#).unwrap(),
            "toolHash": "t",
            "leaseUntilMs": null,
        })
    }

    fn step(record: Option<&str>, event: &Value) -> Value {
        serde_json::from_str(&transition_json(record, &event.to_string())).unwrap()
    }

    /// The record after `events`, as a store would keep it.
    fn record(events: &[Value]) -> String {
        let mut text: Option<String> = None;
        for event in events {
            let answer = step(text.as_deref(), event);
            text = answer["commit"]["record"]
                .as_str()
                .map(str::to_owned)
                .or(text);
        }
        text.unwrap()
    }

    #[track_caller]
    fn refused(record: Option<&str>, event: &str) {
        let answer: Value = serde_json::from_str(&transition_json(record, event)).unwrap();
        assert_eq!(answer["outcome"]["code"], "INTERNAL", "{event}");
        assert_eq!(answer["commit"], Value::Null);
    }

    #[test]
    fn a_question_is_listed_kept_and_told() {
        let question = json!({ "id": "q", "reason": "why", "expiresAtMs": NOW_MS + 1000 });
        let answer = step(
            None,
            &propose(&json!({ "type": "needs-approval", "question": question })),
        );
        assert_eq!(answer["outcome"]["type"], "awaiting-approval");
        assert_eq!(answer["outcome"]["question"]["id"], "q");
        let commit = &answer["commit"];
        let tag = tenant_tag(None);
        assert_eq!(commit["index"][2], format!("{tag}.awaiting_approval"));
        assert_eq!(commit["stream"], session_key(None, "s"));
        assert_eq!(commit["notAfterMs"], Value::Null);
        assert_eq!(commit["retention"]["shrinkAtMs"], NOW_MS + 1000 + RESULT_MS);
        let tombstone = commit["retention"]["tombstone"].as_str().unwrap();
        assert!(tombstone.contains(r#""state":"expired""#));
        assert!(!tombstone.contains("amount"));
        assert!(!commit["event"].as_str().unwrap().contains("amount"));
    }

    #[test]
    fn a_claim_must_be_written_before_the_approval_runs_out() {
        let approved = record(&[by_rule()]);
        let answer = step(Some(&approved), &claim());
        assert_eq!(answer["outcome"]["type"], "claimed");
        assert_eq!(answer["outcome"]["fence"], 1);
        assert_eq!(
            answer["commit"]["notAfterMs"],
            NOW_MS + super::super::APPROVAL_MS
        );
        assert_eq!(answer["commit"]["retention"], Value::Null);
    }

    #[test]
    fn a_result_shrinks_to_a_tombstone_that_is_never_run_again() {
        let settle = json!({
            "type": "settle",
            "nowMs": NOW_MS + 2,
            "fence": 1,
            "outcome": { "type": "succeeded", "envelope": "{\"ok\":true,\"output\":\"secret\"}" },
        });
        let running = record(&[by_rule(), claim()]);
        let answer = step(Some(&running), &settle);
        let retention = &answer["commit"]["retention"];
        assert_eq!(retention["deleteAtMs"], NOW_MS + 2 + TOMBSTONE_MS);
        let tombstone = retention["tombstone"].as_str().unwrap();
        assert!(!tombstone.contains("secret") && !tombstone.contains("amount"));
        let again = step(Some(tombstone), &by_rule());
        assert_eq!(again["outcome"]["code"], "OUTCOME_UNKNOWN");
        assert_eq!(
            step(Some(tombstone), &claim())["outcome"]["code"],
            "OUTCOME_UNKNOWN"
        );
    }

    #[test]
    fn nothing_is_written_when_nothing_changed() {
        let approved = record(&[by_rule()]);
        let answer = step(
            Some(&approved),
            &json!({ "type": "lapse", "nowMs": NOW_MS + 5 }),
        );
        assert_eq!(answer["outcome"]["type"], "approved");
        assert_eq!(answer["commit"], Value::Null);
    }

    #[test]
    fn what_cannot_be_read_is_a_refusal() {
        for event in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"type":"lapse"}"#,
            r#"{"type":"lapse","nowMs":-1}"#,
            r#"{"type":"lapse","nowMs":1,"more":1}"#,
            r#"{"type":"constructor","nowMs":1}"#,
            r#"{"type":"settle","nowMs":1,"fence":1,"outcome":{"type":"done"}}"#,
            r#"{"type":"settle","nowMs":1,"fence":-1,"outcome":{"type":"unknown","message":""}}"#,
        ] {
            refused(None, event);
        }
        let mut more = by_rule();
        more["sudo"] = Value::Bool(true);
        refused(None, &more.to_string());
        let mut more = by_rule();
        more["how"]["sudo"] = Value::Bool(true);
        refused(None, &more.to_string());
    }

    #[test]
    fn a_record_that_cannot_be_read_never_runs() {
        let good = record(&[by_rule()]);
        for text in [
            String::new(),
            "{}".into(),
            "null".into(),
            "[".repeat(100_000),
            good.replace(r#""v":1"#, r#""v":2"#),
            good.replace("approved", "succeeded"),
            good.replace(
                r#""state":"approved""#,
                r#""state":"approved","state":"approved""#,
            ),
            good.replace(r#""fence":0"#, r#""fence":0,"more":0"#),
            good.chars().take(good.len() / 2).collect(),
        ] {
            refused(Some(&text), &claim().to_string());
        }
    }
}
