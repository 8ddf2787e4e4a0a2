//! The table of the module's essay, a history a row, and random histories against a model.

use serde_json::to_value;

mod approve;
mod model;
mod run;

use super::{
    event::{
        Claim, Decide, Deny, EditedInput, Event, How, Lapse, Propose, Resolution, Resolve, Settle,
        Settlement,
    },
    outcome::Outcome,
    record::{Denial, Question, Record},
    transition,
};
use crate::{
    call::{
        canonical::canonical_hash,
        key::{CallParts, call_key},
    },
    tool::Effect,
};

/// When the first question expires.
const QUESTION_MS: u64 = 100;
/// When an approval by a person expires.
const UNTIL_MS: u64 = 1000;

const INPUT: &str = r#"{"amount":100}"#;
const EDITED: &str = r#"{"amount":50}"#;

fn hash(input: &str) -> String {
    canonical_hash(input).unwrap()
}

fn proposal(how: How) -> Propose {
    Propose {
        key: call_key(&CallParts(Some("acme"), "s", "u", "refund", "c")),
        tenant: Some("acme".into()),
        session: "s".into(),
        turn: "u".into(),
        tool: "refund".into(),
        call_id: "c".into(),
        principal: Some("ann".into()),
        effect: Effect::ExternalWrite,
        tool_hash: "t".into(),
        input_hash: hash(INPUT),
        input: INPUT.into(),
        how,
    }
}

fn propose(how: How) -> Event {
    Event::Propose(Box::new(proposal(how)))
}

fn question(id: &str, expires_at_ms: u64) -> Question {
    Question {
        id: id.into(),
        reason: "because".into(),
        rule: None,
        expires_at_ms,
    }
}

fn asks() -> How {
    How::NeedsApproval {
        question: question("q1", QUESTION_MS),
    }
}

fn denied() -> How {
    How::Denied {
        code: Denial::PermissionDenied,
        message: "no".into(),
    }
}

fn ruled() -> How {
    How::ApprovedByRule {
        rule: "refund: allow".into(),
    }
}

fn answer(decision: &str) -> Decide {
    Decide {
        question_id: None,
        decision: decision.into(),
        input_hash: hash(INPUT),
        by: Some("bob".into()),
        via: "inbox".into(),
        message: None,
        edited_input: None,
        until_ms: Some(UNTIL_MS),
    }
}

fn decide(decision: &str) -> Event {
    Event::Decide(answer(decision))
}

fn edit(effect: Effect) -> Event {
    Event::Decide(Decide {
        edited_input: Some(EditedInput {
            input: EDITED.into(),
            input_hash: hash(EDITED),
            effect,
        }),
        ..answer("approve")
    })
}

fn claim_of(nonce: &str, input: &str, lease_until_ms: Option<u64>) -> Event {
    Event::Claim(Claim {
        runner: "r".into(),
        nonce: nonce.into(),
        input_hash: hash(input),
        tool_hash: "t".into(),
        lease_until_ms,
    })
}

fn claim(nonce: &str) -> Event {
    claim_of(nonce, INPUT, Some(30))
}

fn settle(fence: u64, outcome: Settlement) -> Event {
    Event::Settle(Settle { fence, outcome })
}

fn succeeded() -> Settlement {
    Settlement::Succeeded {
        envelope: r#"{"ok":true}"#.into(),
    }
}

fn failed() -> Settlement {
    Settlement::Failed {
        envelope: r#"{"ok":false}"#.into(),
    }
}

fn unknown() -> Settlement {
    Settlement::Unknown {
        message: "timed out".into(),
    }
}

fn resolve(how: Resolution) -> Event {
    Event::Resolve(Resolve {
        how,
        by: "bob".into(),
        why: None,
    })
}

fn retry() -> Event {
    resolve(Resolution::Retry {
        question: question("q2", QUESTION_MS),
    })
}

fn deny() -> Event {
    Event::Deny(Deny {
        message: "revoked".into(),
    })
}

const LOOK: Event = Event::Lapse(Lapse {});

/// The outcome in one word: its type, or its code.
fn word(outcome: &Outcome) -> String {
    let json = to_value(outcome).unwrap();
    let word = json.get("code").unwrap_or(&json["type"]);
    word.as_str().unwrap().to_owned()
}

fn history(events: &[(u64, Event)]) -> (Option<Record>, Outcome) {
    let mut record = None;
    let mut outcome = Outcome::Absent;
    for (now_ms, event) in events {
        let step = transition(record.as_ref(), event, *now_ms);
        record = step.record.or(record);
        outcome = step.outcome;
    }
    (record, outcome)
}

#[track_caller]
fn check(events: &[(u64, Event)], state: &str, outcome: &str) {
    let (record, last) = history(events);
    let name = record.as_ref().map_or("none", |r| r.status.name());
    assert_eq!((name, word(&last).as_str()), (state, outcome));
}
