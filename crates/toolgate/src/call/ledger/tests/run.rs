//! A call runs once, and what is not known of it waits for a person.

use super::super::{
    event::{Decide, Event, How, Renew, Resolution, Settlement},
    outcome::Outcome,
};
use super::{
    INPUT, LOOK, QUESTION_MS, UNTIL_MS, answer, asks, check, claim, claim_of, decide, denied, deny,
    failed, history, propose, resolve, retry, ruled, settle, succeeded, unknown,
};

#[test]
fn nothing_runs_without_an_approval() {
    check(&[(0, claim("a"))], "none", "APPROVAL_REQUIRED");
    check(
        &[(0, propose(asks())), (1, claim("a"))],
        "awaiting_approval",
        "APPROVAL_REQUIRED",
    );
    check(
        &[(0, propose(asks())), (1, decide("reject")), (2, claim("a"))],
        "rejected",
        "APPROVAL_REJECTED",
    );
    check(
        &[(0, propose(denied())), (1, claim("a"))],
        "denied",
        "PERMISSION_DENIED",
    );
    check(
        &[
            (0, propose(How::Suppressed { envelope: None })),
            (1, claim("a")),
        ],
        "suppressed",
        "suppressed",
    );
}

#[test]
fn one_claim_wins_and_knows_itself_again() {
    let running = [(0, propose(ruled())), (1, claim("a"))];
    check(&running, "running", "claimed");
    let then = |event: Event| [&running[..], &[(2, event)]].concat();
    check(&then(claim("b")), "running", "CALL_IN_PROGRESS");
    check(&then(claim("a")), "running", "claimed");
    check(&then(propose(ruled())), "running", "CALL_IN_PROGRESS");
}

#[test]
fn a_result_needs_the_fence_of_its_run() {
    let running = [(0, propose(ruled())), (1, claim("a"))];
    let then = |event: Event| [&running[..], &[(2, event)]].concat();
    check(&then(settle(1, succeeded())), "succeeded", "settled");
    check(&then(settle(1, failed())), "failed", "settled");
    check(&then(settle(1, unknown())), "unknown", "settled");
    check(&then(settle(0, succeeded())), "running", "CONFLICT");
    check(&then(settle(2, succeeded())), "running", "CONFLICT");
    check(&[(0, settle(1, succeeded()))], "none", "CONFLICT");
    check(
        &[(0, propose(ruled())), (1, settle(0, succeeded()))],
        "approved",
        "CONFLICT",
    );
}

#[test]
fn a_result_is_recorded_once() {
    let done = [
        (0, propose(ruled())),
        (1, claim("a")),
        (2, settle(1, succeeded())),
    ];
    let then = |event: Event| [&done[..], &[(3, event)]].concat();
    check(&then(settle(1, succeeded())), "succeeded", "settled");
    check(&then(settle(1, failed())), "succeeded", "CONFLICT");
    check(&then(settle(1, unknown())), "succeeded", "CONFLICT");
    let other = Settlement::Succeeded {
        envelope: "other".into(),
    };
    check(&then(settle(1, other)), "succeeded", "CONFLICT");
}

#[test]
fn a_duplicate_reads_the_stored_envelope_byte_for_byte() {
    for (settlement, envelope) in [
        (succeeded(), r#"{"ok":true}"#),
        (failed(), r#"{"ok":false}"#),
    ] {
        let (_, outcome) = history(&[
            (0, propose(ruled())),
            (1, claim("a")),
            (2, settle(1, settlement)),
            (3, propose(ruled())),
        ]);
        assert!(matches!(outcome, Outcome::Replay { envelope: kept, .. } if kept == envelope));
    }
}

#[test]
fn a_lease_that_ran_out_leaves_the_outcome_unknown() {
    let lapsed = [(0, propose(ruled())), (1, claim("a")), (30, LOOK)];
    check(&lapsed, "unknown", "OUTCOME_UNKNOWN");
    let then = |event: Event| [&lapsed[..], &[(31, event)]].concat();
    check(&then(claim("b")), "unknown", "OUTCOME_UNKNOWN");
    check(&then(claim("a")), "unknown", "OUTCOME_UNKNOWN");
    check(&then(propose(ruled())), "unknown", "OUTCOME_UNKNOWN");
    check(&then(propose(denied())), "unknown", "OUTCOME_UNKNOWN");
    check(&then(deny()), "unknown", "OUTCOME_UNKNOWN");
    check(&then(settle(1, unknown())), "unknown", "settled");
    // Its own late result is evidence.
    check(&then(settle(1, succeeded())), "succeeded", "settled");
    check(&then(settle(1, failed())), "failed", "settled");
    check(&then(settle(2, succeeded())), "unknown", "CONFLICT");
}

#[test]
fn a_lease_lives_as_long_as_it_is_renewed() {
    let renew = |fence, lease_until_ms| {
        Event::Renew(Renew {
            fence,
            lease_until_ms,
        })
    };
    let running = [(0, propose(ruled())), (1, claim("a"))];
    let then = |rest: &[(u64, Event)]| [&running[..], rest].concat();
    check(
        &then(&[(29, renew(1, 59)), (58, LOOK)]),
        "running",
        "CALL_IN_PROGRESS",
    );
    check(&then(&[(29, renew(2, 59))]), "running", "OUTCOME_UNKNOWN");
    check(&then(&[(30, renew(1, 60))]), "unknown", "OUTCOME_UNKNOWN");
    check(
        &then(&[(2, settle(1, succeeded())), (3, renew(1, 60))]),
        "succeeded",
        "OUTCOME_UNKNOWN",
    );
}

#[test]
fn a_runner_that_cannot_outlive_the_store_has_no_lease() {
    check(
        &[
            (0, propose(ruled())),
            (1, claim_of("a", INPUT, None)),
            (u64::MAX, LOOK),
        ],
        "running",
        "CALL_IN_PROGRESS",
    );
}

#[test]
fn an_unknown_outcome_waits_for_a_person() {
    let lost = [
        (0, propose(ruled())),
        (1, claim("a")),
        (2, settle(1, unknown())),
    ];
    let then = |rest: &[(u64, Event)]| [&lost[..], rest].concat();
    for (how, state, afterwards) in [
        (Resolution::Happened {}, "resolved", "OUTCOME_UNKNOWN"),
        (Resolution::DidNotHappen {}, "resolved", "TOOL_FAILED"),
        (Resolution::Drop {}, "abandoned", "OUTCOME_UNKNOWN"),
    ] {
        check(&then(&[(3, resolve(how.clone()))]), state, "resolved");
        check(
            &then(&[(3, resolve(how.clone())), (4, propose(ruled()))]),
            state,
            afterwards,
        );
        check(
            &then(&[(3, resolve(how)), (4, settle(1, succeeded()))]),
            state,
            "CONFLICT",
        );
    }
    check(&then(&[(u64::MAX, LOOK)]), "unknown", "OUTCOME_UNKNOWN");
    check(
        &[
            (0, propose(ruled())),
            (1, claim("a")),
            (2, resolve(Resolution::Drop {})),
        ],
        "running",
        "CONFLICT",
    );
}

/// Asked by `q1`, claimed, lost, and asked again by `q2`.
fn asked_again(rest: &[(u64, Event)]) -> Vec<(u64, Event)> {
    let lost = [
        (0, propose(asks())),
        (1, decide("approve")),
        (2, claim("a")),
        (3, settle(1, unknown())),
        (4, retry()),
    ];
    [&lost[..], rest].concat()
}

fn about_q2(decision: &str) -> Event {
    Event::Decide(Decide {
        question_id: Some("q2".into()),
        ..answer(decision)
    })
}

#[test]
fn a_retry_needs_a_fresh_approval() {
    check(&asked_again(&[]), "awaiting_approval", "awaiting-approval");
    check(
        &asked_again(&[(5, claim("b"))]),
        "awaiting_approval",
        "APPROVAL_REQUIRED",
    );
    // The first answer comes again, out of the chat history.
    check(
        &asked_again(&[(5, decide("approve"))]),
        "awaiting_approval",
        "CONFLICT",
    );
    check(
        &asked_again(&[(5, about_q2("approve"))]),
        "approved",
        "decided",
    );
    let second = asked_again(&[(5, about_q2("approve")), (6, claim("b"))]);
    check(&second, "running", "claimed");
    let (record, _) = history(&second);
    let record = record.unwrap();
    assert_eq!((record.fence, record.attempts), (2, 2));
    // The first run is fenced off now.
    check(
        &[&second[..], &[(7, settle(1, succeeded()))]].concat(),
        "running",
        "CONFLICT",
    );
    check(
        &[&second[..], &[(7, settle(2, succeeded()))]].concat(),
        "succeeded",
        "settled",
    );
}

#[test]
fn a_retry_that_is_not_approved_leaves_the_outcome_unknown() {
    check(
        &asked_again(&[(5, about_q2("reject"))]),
        "unknown",
        "decided",
    );
    check(
        &asked_again(&[(QUESTION_MS, LOOK)]),
        "unknown",
        "OUTCOME_UNKNOWN",
    );
    check(&asked_again(&[(5, deny())]), "unknown", "OUTCOME_UNKNOWN");
    check(
        &asked_again(&[(5, propose(denied()))]),
        "unknown",
        "OUTCOME_UNKNOWN",
    );
    check(
        &asked_again(&[(5, about_q2("approve")), (UNTIL_MS, claim("b"))]),
        "unknown",
        "OUTCOME_UNKNOWN",
    );
}

#[test]
fn a_late_result_makes_a_retry_needless() {
    check(
        &asked_again(&[(5, settle(1, succeeded()))]),
        "succeeded",
        "settled",
    );
    check(
        &asked_again(&[(5, about_q2("approve")), (6, settle(1, succeeded()))]),
        "succeeded",
        "settled",
    );
    check(
        &asked_again(&[(5, settle(1, unknown()))]),
        "awaiting_approval",
        "settled",
    );
}
