//! What may happen to a record, as the host tells it.
//!
//! Apart from the transitions because this is a wire format: fields that it does not know are
//! errors, so that a newer host and an older core never misunderstand each other in silence.

use serde::Deserialize;

use super::record::{Denial, Question};
use crate::tool::Effect;

/// Something that happened. The time comes beside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// The gate saw a call and has its verdict.
    Propose(Box<Propose>),
    /// A person, or who speaks for one, answered a question.
    Decide(Decide),
    /// A runner wants to run it.
    Claim(Claim),
    /// The runner is still at it.
    Renew(Renew),
    /// The runner is done.
    Settle(Settle),
    /// A rule, a locked deny or a revoked grant forbids it after all.
    Deny(Deny),
    /// Somebody found out, or decided, about an unknown outcome.
    Resolve(Resolve),
    /// Nothing but time.
    Lapse(Lapse),
}

/// A call and the gate's verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Propose {
    /// The name of the call; it has to be the one that the parts below give.
    pub key: String,
    /// The tenant, if there is one.
    pub tenant: Option<String>,
    /// The session.
    pub session: String,
    /// The turn.
    pub turn: String,
    /// The tool.
    pub tool: String,
    /// The id that the model gave the call.
    pub call_id: String,
    /// On whose behalf, if known.
    pub principal: Option<String>,
    /// What the call may do to the world.
    pub effect: Effect,
    /// The fingerprint of the tool's definition.
    pub tool_hash: String,
    /// The canonical hash of `input`.
    pub input_hash: String,
    /// The validated input as JSON.
    pub input: String,
    /// The verdict.
    pub how: How,
}

/// The gate's verdict on a proposed call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum How {
    /// It may not run.
    Denied {
        /// Which kind of refusal.
        code: Denial,
        /// One sentence for the model.
        message: String,
    },
    /// It is a rehearsal.
    Suppressed {
        /// The stand-in envelope; a notice when absent.
        envelope: Option<String>,
    },
    /// A person has to decide.
    NeedsApproval {
        /// What the person is asked.
        question: Question,
    },
    /// An allow rule names it.
    ApprovedByRule {
        /// The rule, as the host describes it.
        rule: String,
    },
    /// A person allowed such calls earlier.
    ApprovedByGrant {
        /// The grant's id.
        grant: String,
    },
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Decide {
    /// The question. Without it only the first question about a call can be answered, so that an
    /// old answer that comes again never approves a second attempt.
    pub question_id: Option<String>,
    /// `approve`, `reject`, `cancel` or `supersede`. It is text, so that any other word is a refusal
    /// and not a fault.
    pub decision: String,
    /// The hash of the input that the person saw.
    pub input_hash: String,
    /// Who answers, if known.
    pub by: Option<String>,
    /// The channel (`ask`, `native`, `routes`).
    pub via: String,
    /// What the person says to the model.
    pub message: Option<String>,
    /// The input as the person changed it.
    pub edited_input: Option<EditedInput>,
    /// When the approval is too old to be claimed.
    pub until_ms: Option<u64>,
}

/// An input that a person changed; the host has validated and decided it again.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditedInput {
    /// The changed input as JSON.
    pub input: String,
    /// Its canonical hash.
    pub input_hash: String,
    /// What the changed call may do to the world.
    pub effect: Effect,
}

/// A runner wants to run the call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Claim {
    /// The process that runs it.
    pub runner: String,
    /// Tells this claim from another one of the same process.
    pub nonce: String,
    /// The canonical hash of the input that is about to run.
    pub input_hash: String,
    /// The fingerprint of the tool that is about to run.
    pub tool_hash: String,
    /// When the runner counts as gone; absent where it cannot outlive the store.
    pub lease_until_ms: Option<u64>,
}

/// The runner is still at it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Renew {
    /// The run.
    pub fence: u64,
    /// When the runner counts as gone now.
    pub lease_until_ms: u64,
}

/// The runner is done.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settle {
    /// The run.
    pub fence: u64,
    /// What came of it.
    pub outcome: Settlement,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Settlement {
    /// It came back.
    Succeeded {
        /// What it returned. Opaque: handed back byte for byte.
        envelope: String,
    },
    /// It is known to have had no effect.
    Failed {
        /// What it returned. Opaque: handed back byte for byte.
        envelope: String,
    },
    /// Nobody knows whether it had its effect.
    Unknown {
        /// What became of it, as far as is known.
        message: String,
    },
}

/// The call is forbidden after all.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deny {
    /// One sentence for the model.
    pub message: String,
}

/// Somebody found out, or decided, about an unknown outcome.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolve {
    /// What about it.
    pub how: Resolution,
    /// Who.
    pub by: String,
    /// Why.
    pub why: Option<String>,
}

/// What is to be done about an unknown outcome.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Resolution {
    /// The effect happened.
    Happened {},
    /// It did not.
    DidNotHappen {},
    /// Run it again, once somebody has answered a new question.
    Retry {
        /// The new question.
        question: Question,
    },
    /// Set it aside.
    Drop {},
}

/// Nothing but time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lapse {}
