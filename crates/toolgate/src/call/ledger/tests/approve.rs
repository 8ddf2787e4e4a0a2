//! A call is proposed and allowed, or is not.

use super::super::{
    APPROVAL_MS, MAX_INPUT_BYTES,
    event::{Decide, EditedInput, Event, How, Propose},
    outcome::Outcome,
    record::Denial,
};
use super::{
    EDITED, INPUT, LOOK, QUESTION_MS, UNTIL_MS, answer, asks, check, claim, claim_of, decide,
    denied, deny, edit, hash, history, proposal, propose, question, ruled, settle, succeeded,
};
use crate::tool::Effect;

#[test]
fn a_verdict_is_stored_as_what_it_leads_to() {
    check(&[(0, propose(denied()))], "denied", "PERMISSION_DENIED");
    check(
        &[(
            0,
            propose(How::Denied {
                code: Denial::UnguardedEffect,
                message: "no".into(),
            }),
        )],
        "denied",
        "UNGUARDED_EFFECT",
    );
    check(
        &[(0, propose(How::Suppressed { envelope: None }))],
        "suppressed",
        "suppressed",
    );
    check(
        &[(0, propose(asks()))],
        "awaiting_approval",
        "awaiting-approval",
    );
    check(&[(0, propose(ruled()))], "approved", "approved");
    check(
        &[(0, propose(How::ApprovedByGrant { grant: "g".into() }))],
        "approved",
        "approved",
    );
}

#[test]
fn a_second_look_at_a_question_meets_the_same_question() {
    let other = How::NeedsApproval {
        question: question("q9", 5000),
    };
    let (_, outcome) = history(&[(0, propose(asks())), (1, propose(other))]);
    assert!(matches!(
        outcome,
        Outcome::AwaitingApproval { question, .. } if question.id == "q1"
    ));
}

#[test]
fn another_input_or_definition_under_the_same_key_is_a_conflict_in_every_state() {
    let other_input = Event::Propose(Box::new(Propose {
        input: EDITED.into(),
        input_hash: hash(EDITED),
        ..proposal(ruled())
    }));
    let other_tool = Event::Propose(Box::new(Propose {
        tool_hash: "t2".into(),
        ..proposal(ruled())
    }));
    for event in [other_input, other_tool] {
        let start = [
            (0, propose(asks())),
            (1, decide("approve")),
            (2, claim("a")),
        ];
        for (length, state) in [(1, "awaiting_approval"), (2, "approved"), (3, "running")] {
            let mut history = start[..length].to_vec();
            history.push((3, event.clone()));
            check(&history, state, "CONFLICT");
        }
        let mut history = start.to_vec();
        history.push((3, settle(1, succeeded())));
        history.push((4, event));
        check(&history, "succeeded", "CONFLICT");
    }
}

#[test]
fn a_call_of_one_person_is_nothing_to_another() {
    let mallory = Event::Propose(Box::new(Propose {
        principal: Some("mallory".into()),
        ..proposal(ruled())
    }));
    check(
        &[(0, propose(ruled())), (1, mallory)],
        "approved",
        "SESSION_FOREIGN",
    );
    for (by, state, outcome) in [
        (Some("ann"), "approved", "decided"),
        (Some("mallory"), "awaiting_approval", "SESSION_FOREIGN"),
        (None, "awaiting_approval", "SESSION_FOREIGN"),
    ] {
        let Event::Decide(mut answer) = decide("approve") else {
            panic!("an answer decides");
        };
        answer.via = "native".into();
        answer.by = by.map(str::to_owned);
        check(
            &[(0, propose(asks())), (1, Event::Decide(answer))],
            state,
            outcome,
        );
    }
}

#[test]
fn a_proposal_that_does_not_fit_itself_makes_no_record() {
    let with = |change: fn(&mut Propose)| {
        let mut proposal = proposal(ruled());
        change(&mut proposal);
        Event::Propose(Box::new(proposal))
    };
    for (event, code) in [
        (with(|p| p.key = "k".into()), "INTERNAL"),
        (with(|p| p.turn = "other".into()), "INTERNAL"),
        (with(|p| p.tenant = None), "INTERNAL"),
        (with(|p| p.input_hash = "h".into()), "INTERNAL"),
        (with(|p| p.input = EDITED.into()), "INTERNAL"),
        (with(|p| p.input = "{".into()), "INPUT_NOT_CANONICAL"),
        (
            with(|p| p.input = r#""\ud800""#.into()),
            "INPUT_NOT_CANONICAL",
        ),
        (
            with(|p| p.input = r#"{"a":1,"a":1}"#.into()),
            "INPUT_NOT_CANONICAL",
        ),
        (
            with(|p| p.input = " ".repeat(MAX_INPUT_BYTES + 1)),
            "INPUT_TOO_LARGE",
        ),
    ] {
        check(&[(0, event)], "none", code);
    }
}

#[test]
fn a_stricter_verdict_still_stops_what_has_not_run() {
    let asked = (0, propose(asks()));
    let approved = (1, decide("approve"));
    check(
        &[asked.clone(), (1, propose(denied()))],
        "denied",
        "PERMISSION_DENIED",
    );
    check(
        &[asked.clone(), approved.clone(), (2, propose(denied()))],
        "denied",
        "PERMISSION_DENIED",
    );
    check(
        &[asked.clone(), approved.clone(), (2, deny())],
        "denied",
        "PERMISSION_DENIED",
    );
    check(
        &[(0, propose(ruled())), (1, propose(asks()))],
        "awaiting_approval",
        "awaiting-approval",
    );
    // A person has said yes already; asking once more would not be stricter, only rude.
    check(
        &[asked.clone(), approved, (2, propose(asks()))],
        "approved",
        "approved",
    );
    // A milder verdict does not answer a question in a person's stead.
    check(
        &[asked, (1, propose(ruled()))],
        "awaiting_approval",
        "awaiting-approval",
    );
}

#[test]
fn a_running_call_cannot_be_denied_any_more() {
    check(
        &[(0, propose(ruled())), (1, claim("a")), (2, deny())],
        "running",
        "CALL_IN_PROGRESS",
    );
}

#[test]
fn each_answer_leads_to_its_state() {
    let asked = (0, propose(asks()));
    for (answer, state) in [
        ("approve", "approved"),
        ("reject", "rejected"),
        ("cancel", "cancelled"),
        ("supersede", "cancelled"),
    ] {
        check(&[asked.clone(), (1, decide(answer))], state, "decided");
        check(
            &[asked.clone(), (1, decide(answer)), (2, decide(answer))],
            state,
            "decided",
        );
    }
}

#[test]
fn no_other_word_is_an_answer() {
    for answer in [
        "",
        "Approve",
        "approved",
        "yes",
        "true",
        "once",
        " approve",
        "constructor",
    ] {
        check(
            &[(0, propose(asks())), (1, decide(answer))],
            "awaiting_approval",
            "APPROVAL_REJECTED",
        );
    }
}

#[test]
fn a_second_mind_is_a_conflict() {
    for (first, second, state) in [
        ("approve", "reject", "approved"),
        ("approve", "cancel", "approved"),
        ("reject", "approve", "rejected"),
        ("cancel", "supersede", "cancelled"),
    ] {
        check(
            &[
                (0, propose(asks())),
                (1, decide(first)),
                (2, decide(second)),
            ],
            state,
            "CONFLICT",
        );
    }
    check(
        &[
            (0, propose(asks())),
            (1, decide("approve")),
            (2, edit(Effect::ExternalWrite)),
        ],
        "approved",
        "CONFLICT",
    );
}

#[test]
fn the_second_click_is_answered_even_after_the_run() {
    check(
        &[
            (0, propose(asks())),
            (1, decide("approve")),
            (2, claim("a")),
            (3, settle(1, succeeded())),
            (4, decide("approve")),
        ],
        "succeeded",
        "decided",
    );
}

#[test]
fn an_answer_without_its_question_or_about_another_input_counts_for_nothing() {
    check(&[(0, decide("approve"))], "none", "CONFLICT");
    check(
        &[(0, propose(ruled())), (1, decide("approve"))],
        "approved",
        "CONFLICT",
    );
    let stale = Event::Decide(Decide {
        input_hash: hash(EDITED),
        ..answer("approve")
    });
    check(
        &[(0, propose(asks())), (1, stale)],
        "awaiting_approval",
        "CONFLICT",
    );
    let other_question = Event::Decide(Decide {
        question_id: Some("q0".into()),
        ..answer("approve")
    });
    check(
        &[(0, propose(asks())), (1, other_question)],
        "awaiting_approval",
        "CONFLICT",
    );
}

#[test]
fn an_answer_that_comes_too_late_counts_for_nothing() {
    check(
        &[(0, propose(asks())), (QUESTION_MS, decide("approve"))],
        "expired",
        "APPROVAL_EXPIRED",
    );
    check(
        &[(0, propose(asks())), (QUESTION_MS - 1, decide("approve"))],
        "approved",
        "decided",
    );
}

#[test]
fn an_approval_goes_stale_too() {
    let approved = [(0, propose(asks())), (1, decide("approve"))];
    let mut late = approved.to_vec();
    late.push((UNTIL_MS, claim("a")));
    check(&late, "expired", "APPROVAL_EXPIRED");
    check(
        &[(0, propose(ruled())), (APPROVAL_MS, claim("a"))],
        "expired",
        "APPROVAL_EXPIRED",
    );
}

#[test]
fn what_a_person_changed_is_what_may_run() {
    let edited = [(0, propose(asks())), (1, edit(Effect::ExternalWrite))];
    check(&edited, "approved", "decided");
    let with = |claim: Event| [&edited[..], &[(2, claim)]].concat();
    check(&with(claim_of("a", INPUT, None)), "approved", "CONFLICT");
    check(&with(claim_of("a", EDITED, None)), "running", "claimed");
    let (record, outcome) = history(&with(claim_of("a", EDITED, None)));
    assert_eq!(record.unwrap().call.input.as_deref(), Some(INPUT));
    assert!(matches!(
        outcome,
        Outcome::Claimed { edited_input: Some(input), .. } if input == EDITED
    ));
    // The model's own call comes again with its own input: it is the same call.
    check(&with(propose(asks())), "approved", "approved");
}

#[test]
fn an_edit_keeps_the_class_of_effect() {
    for effect in [Effect::Read, Effect::InternalWrite, Effect::Destructive] {
        check(
            &[(0, propose(asks())), (1, edit(effect))],
            "awaiting_approval",
            "CONFLICT",
        );
    }
}

#[test]
fn only_an_approval_changes_an_input_and_only_to_a_canonical_one() {
    let edited = |decision: &str, input: &str, input_hash: String| {
        Event::Decide(Decide {
            edited_input: Some(EditedInput {
                input: input.into(),
                input_hash,
                effect: Effect::ExternalWrite,
            }),
            ..answer(decision)
        })
    };
    for (event, code) in [
        (edited("reject", EDITED, hash(EDITED)), "CONFLICT"),
        (edited("approve", EDITED, "h".into()), "INTERNAL"),
        (edited("approve", "{", "h".into()), "INPUT_NOT_CANONICAL"),
    ] {
        check(
            &[(0, propose(asks())), (1, event)],
            "awaiting_approval",
            code,
        );
    }
}

#[test]
fn what_a_person_says_reaches_the_model_bounded() {
    let reject = Event::Decide(Decide {
        message: Some("é".repeat(5000)),
        ..answer("reject")
    });
    let (_, outcome) = history(&[(0, propose(asks())), (1, reject), (2, LOOK)]);
    let Outcome::Refused(refusal) = outcome else {
        panic!("not refused");
    };
    assert!(refusal.message.contains("éé"));
    assert!(refusal.message.chars().count() < 1100);
}
