//! Random histories of several callers, against a model that knows nothing of records.
//!
//! The model keeps the few facts that matter (who holds which right) in plain variables and says
//! what the outcome has to be; the promises are then counted over the whole history.

use proptest::prelude::*;

use super::super::{
    APPROVAL_MS,
    event::{Decide, EditedInput, Event, How, Propose, Renew, Resolution},
    record::{Record, Status},
    transition,
};
use super::{
    EDITED, INPUT, LOOK, answer, claim_of, denied, deny, failed, hash, proposal, propose, question,
    resolve, ruled, settle, succeeded, unknown, word,
};
use crate::tool::Effect;

const QUESTION_MS: u64 = 50;
const UNTIL_MS: u64 = 40;
const LEASE_MS: u64 = 30;

#[derive(Debug, Clone)]
enum Act {
    Propose {
        how: u8,
        other_input: bool,
    },
    Decide {
        word: &'static str,
        asked: Option<u64>,
        edited: bool,
        echo: bool,
    },
    Claim {
        caller: usize,
        edited: bool,
    },
    Renew {
        caller: usize,
    },
    Settle {
        caller: usize,
        how: u8,
    },
    Deny,
    Resolve {
        how: u8,
    },
    Look,
}

fn acts() -> impl Strategy<Value = Act> {
    let words = prop_oneof![
        4 => Just("approve"),
        1 => Just("reject"),
        1 => Just("cancel"),
        1 => Just("supersede"),
        1 => Just("Approve"),
    ];
    prop_oneof![
        3 => (0..5u8, prop::bool::weighted(0.1))
            .prop_map(|(how, other_input)| Act::Propose { how, other_input }),
        4 => (words, prop::option::of(0..3u64), prop::bool::weighted(0.2), prop::bool::weighted(0.9))
            .prop_map(|(word, asked, edited, echo)| Act::Decide { word, asked, edited, echo }),
        4 => (0..3usize, prop::bool::weighted(0.2))
            .prop_map(|(caller, edited)| Act::Claim { caller, edited }),
        1 => (0..3usize).prop_map(|caller| Act::Renew { caller }),
        3 => (0..3usize, 0..3u8).prop_map(|(caller, how)| Act::Settle { caller, how }),
        1 => Just(Act::Deny),
        3 => (0..4u8).prop_map(|how| Act::Resolve { how }),
        1 => Just(Act::Look),
    ]
}

/// What the model knows. `lost` is the fence of an attempt that nobody has accounted for.
#[derive(Debug, Clone, Default)]
struct Model {
    state: &'static str,
    until: Option<u64>,
    by_person: bool,
    approved_edit: bool,
    lost: Option<u64>,
    asked: u64,
    answer: Option<(&'static str, u64, bool)>,
    fence: u64,
    holder: Option<usize>,
    settled_as: Option<u8>,
    happened: bool,
}

impl Model {
    fn go(&mut self, state: &'static str, until: Option<u64>) {
        (self.state, self.until) = (state, until);
    }

    /// Ends a call that did not run now; a lost attempt comes to the fore again.
    fn end(&mut self, state: &'static str) {
        self.go(
            if self.lost.is_some() {
                "unknown"
            } else {
                state
            },
            None,
        );
    }

    fn pass_time(&mut self, now: u64) {
        if self.until.is_none_or(|until| now < until) {
            return;
        }
        if self.state == "running" {
            self.lost = Some(self.fence);
            self.go("unknown", None);
        } else {
            self.end("expired");
        }
    }

    fn standing(&self) -> &'static str {
        match self.state {
            "" => "absent",
            "awaiting_approval" => "awaiting-approval",
            "approved" => "approved",
            "rejected" => "APPROVAL_REJECTED",
            "expired" => "APPROVAL_EXPIRED",
            "cancelled" => "CALL_ABORTED",
            "denied" => "PERMISSION_DENIED",
            "suppressed" => "suppressed",
            "running" => "CALL_IN_PROGRESS",
            "succeeded" | "failed" => "replay",
            "resolved" if !self.happened => "TOOL_FAILED",
            _ => "OUTCOME_UNKNOWN",
        }
    }

    fn step(&mut self, act: &Act, fences: [u64; 3], now: u64) -> &'static str {
        self.pass_time(now);
        let waits = ["", "awaiting_approval", "approved"].contains(&self.state);
        match *act {
            Act::Propose {
                other_input: true, ..
            } => return "CONFLICT",
            Act::Propose { how: 0, .. } if waits => self.end("denied"),
            Act::Propose { how: 1, .. } if waits => self.end("suppressed"),
            Act::Propose { how: 2, .. }
                if self.state.is_empty() || (self.state == "approved" && !self.by_person) =>
            {
                self.go("awaiting_approval", Some(now + QUESTION_MS));
            }
            Act::Propose { how: 3 | 4, .. } if self.state.is_empty() => {
                self.go("approved", Some(now + APPROVAL_MS));
                (self.by_person, self.approved_edit) = (false, false);
            }
            Act::Look | Act::Propose { .. } => {}
            Act::Decide {
                word: "Approve", ..
            } => return "APPROVAL_REJECTED",
            Act::Decide { echo: false, .. } => return "CONFLICT",
            Act::Decide {
                edited: true, word, ..
            } if word != "approve" => return "CONFLICT",
            Act::Decide {
                word,
                asked,
                edited,
                ..
            } => {
                return self.decide(word, asked, edited, now);
            }
            Act::Claim { caller, edited } => return self.claim(caller, edited, now),
            Act::Renew { caller } => {
                if self.state != "running" || self.fence != fences[caller] {
                    return "OUTCOME_UNKNOWN";
                }
                self.until = Some(now + LEASE_MS);
                return "renewed";
            }
            Act::Settle { caller, how } => return self.settle(fences[caller], how),
            Act::Deny => {
                if waits && !self.state.is_empty() {
                    self.end("denied");
                }
            }
            Act::Resolve { .. } if self.state != "unknown" => return "CONFLICT",
            Act::Resolve { how: 3 } => {
                self.asked += 1;
                self.go("awaiting_approval", Some(now + QUESTION_MS));
            }
            Act::Resolve { how } => {
                self.lost = None;
                self.happened = how == 0;
                self.go(if how == 2 { "abandoned" } else { "resolved" }, None);
                return "resolved";
            }
        }
        self.standing()
    }

    fn decide(
        &mut self,
        word: &'static str,
        asked: Option<u64>,
        edited: bool,
        now: u64,
    ) -> &'static str {
        if self.state == "awaiting_approval" {
            if asked.unwrap_or(0) != self.asked {
                return "CONFLICT";
            }
            self.answer = Some((word, self.asked, edited));
            match word {
                "approve" => {
                    self.go("approved", Some(now + UNTIL_MS));
                    (self.by_person, self.approved_edit) = (true, edited);
                }
                "reject" => self.end("rejected"),
                _ => self.end("cancelled"),
            }
            return "decided";
        }
        match self.answer {
            None if self.state == "expired" => "APPROVAL_EXPIRED",
            Some((earlier, question, was_edited))
                if (earlier, was_edited) == (word, edited)
                    && asked.is_none_or(|a| a == question) =>
            {
                "decided"
            }
            _ => "CONFLICT",
        }
    }

    fn claim(&mut self, caller: usize, edited: bool, now: u64) -> &'static str {
        match self.state {
            "" | "awaiting_approval" => "APPROVAL_REQUIRED",
            "approved" if edited != self.approved_edit => "CONFLICT",
            "approved" => {
                self.fence += 1;
                (self.holder, self.lost) = (Some(caller), None);
                self.go("running", Some(now + LEASE_MS));
                "claimed"
            }
            "running" if self.holder == Some(caller) => "claimed",
            _ => self.standing(),
        }
    }

    fn settle(&mut self, fence: u64, how: u8) -> &'static str {
        let mine = fence == self.fence && fence > 0;
        if mine && (self.state == "running" || self.lost.is_some()) {
            match how {
                0 | 1 => {
                    self.settled_as = Some(how);
                    self.lost = None;
                    self.go(if how == 0 { "succeeded" } else { "failed" }, None);
                }
                _ if self.state == "running" => {
                    self.lost = Some(fence);
                    self.go("unknown", None);
                }
                _ => {}
            }
            return "settled";
        }
        if mine && self.settled_as == Some(how) {
            "settled"
        } else {
            "CONFLICT"
        }
    }
}

fn event(act: &Act, fences: [u64; 3], retries: u64, now: u64) -> Event {
    let asks = |id: u64| question(&format!("q{id}"), now + QUESTION_MS);
    match *act {
        Act::Look => LOOK,
        Act::Propose {
            other_input: true, ..
        } => Event::Propose(Box::new(Propose {
            input: EDITED.into(),
            input_hash: hash(EDITED),
            ..proposal(denied())
        })),
        Act::Propose { how, .. } => propose(match how {
            0 => denied(),
            1 => How::Suppressed { envelope: None },
            2 => How::NeedsApproval { question: asks(0) },
            3 => ruled(),
            _ => How::ApprovedByGrant { grant: "g".into() },
        }),
        Act::Decide {
            word,
            asked,
            edited,
            echo,
        } => Event::Decide(Decide {
            question_id: asked.map(|id| format!("q{id}")),
            input_hash: hash(if echo { INPUT } else { EDITED }),
            edited_input: edited.then(|| EditedInput {
                input: EDITED.into(),
                input_hash: hash(EDITED),
                effect: Effect::ExternalWrite,
            }),
            until_ms: Some(now + UNTIL_MS),
            ..answer(word)
        }),
        Act::Claim { caller, edited } => claim_of(
            &caller.to_string(),
            if edited { EDITED } else { INPUT },
            Some(now + LEASE_MS),
        ),
        Act::Renew { caller } => Event::Renew(Renew {
            fence: fences[caller],
            lease_until_ms: now + LEASE_MS,
        }),
        Act::Settle { caller, how } => settle(
            fences[caller],
            match how {
                0 => succeeded(),
                1 => failed(),
                _ => unknown(),
            },
        ),
        Act::Deny => deny(),
        Act::Resolve { how } => resolve(match how {
            0 => Resolution::Happened {},
            1 => Resolution::DidNotHappen {},
            2 => Resolution::Drop {},
            _ => Resolution::Retry {
                question: asks(retries + 1),
            },
        }),
    }
}

/// The promises that hold between any two states of one record.
fn keep_promises(before: &Record, after: &Record, act: &Act) {
    assert!(before.fence <= after.fence, "fences rise");
    assert_eq!(before.call, after.call, "what was proposed stays");
    assert!(
        !before.status.is_terminal() || before == after,
        "an end is an end"
    );
    if let (Status::Unknown { .. }, false) = (&before.status, before == after) {
        assert!(
            matches!(act, Act::Resolve { .. } | Act::Settle { .. }),
            "unknown waits"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_promises(
        history in prop::collection::vec((acts(), prop::sample::select(&[0, 1, 1, 5, 5, 20, 60][..])), 1..40),
    ) {
        let mut model = Model::default();
        let mut record: Option<Record> = None;
        let (mut now, mut retries, mut claims, mut approvals) = (1, 0, 0, 0);
        let mut fences = [0; 3];
        for (act, tick) in history {
            // The model knows one input only, so the first proposal has to be about that one.
            if record.is_none() && matches!(act, Act::Propose { other_input: true, .. }) {
                continue;
            }
            now += tick;
            let event = event(&act, fences, retries, now);
            let before = record.clone();
            let step = transition(record.as_ref(), &event, now);
            let expected = model.step(&act, fences, now);
            record = step.record.or(record);
            let state = record.as_ref().map_or("", |record| record.status.name());
            let told = word(&step.outcome);
            prop_assert_eq!((told.as_str(), state), (expected, model.state), "{:?}", act);

            let Some(after) = &record else { continue };
            if let Some(before) = &before {
                keep_promises(before, after, &act);
            }
            let was = before.as_ref().map_or("", |record| record.status.name());
            approvals += u32::from(state == "approved" && was != "approved");
            if let Status::Running { run } = &after.status && before.as_ref().is_none_or(|b| b.fence < after.fence) {
                let Act::Claim { caller, edited } = act else { panic!("only a claim runs") };
                claims += 1;
                fences[caller] = after.fence;
                prop_assert_eq!(&run.approval.input_hash, &hash(if edited { EDITED } else { INPUT }));
            }
            retries = model.asked;
            prop_assert!(u64::from(claims) <= 1 + retries, "at most once, and once a retry");
            prop_assert!(claims <= approvals, "each run spends an approval");
            // What is written is read back as it was.
            let text = serde_json::to_string(after).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Record>(&text).unwrap(), after);
        }
    }
}
