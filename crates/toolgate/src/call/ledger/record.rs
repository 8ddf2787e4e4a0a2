//! The record of one call: who asked for what, who allowed it, how often it ran, how it ended.
//!
//! One record holds approval and idempotency together, because two that must agree can disagree
//! after a crash. It is apart from the transitions since stores, inboxes and audits read it without
//! ever moving it. What a state needs stands in the state: a running call without a run, or an
//! approved one without an approval, cannot be written down.
//!
//! `proposed` is no state here. A proposal comes with its verdict and is stored as what it became;
//! a record without a verdict would only be a second chance to crash.

use serde::{Deserialize, Serialize};

use crate::{error::Code, tool::Effect};

/// The version of the record's JSON.
pub const VERSION: u32 = 1;

/// The record of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Record {
    /// [`VERSION`].
    pub v: u32,
    /// The name of the call.
    pub key: String,
    /// What was proposed. It never changes; edits stand in the approval.
    pub call: Call,
    /// Where the call stands.
    pub status: Status,
    /// The last answer of a person, kept so that a second click gets the same answer.
    pub decision: Option<Decision>,
    /// The fence of the last run; it rises with each claim.
    pub fence: u64,
    /// How often the call was claimed.
    pub attempts: u32,
    /// When the record was made.
    pub created_at_ms: u64,
    /// When it last changed.
    pub changed_at_ms: u64,
}

/// One call as the model made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
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
    /// The canonical hash of the validated input.
    pub input_hash: String,
    /// The validated input as JSON; absent once the result is no longer kept.
    pub input: Option<String>,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Status {
    /// A person has to decide.
    AwaitingApproval {
        /// What the person is asked.
        question: Question,
        /// The attempt whose outcome is unknown, when this asks for another one.
        unsettled: Option<Unsettled>,
    },
    /// It may be claimed once.
    Approved {
        /// Who allowed what.
        approval: Approval,
        /// The attempt whose outcome is unknown, when this is another one.
        unsettled: Option<Unsettled>,
    },
    /// A person said no.
    Rejected {
        /// What the person said to the model.
        message: Option<String>,
    },
    /// Nobody decided, or nobody claimed, in time.
    Expired {},
    /// The question was withdrawn.
    Cancelled {
        /// The conversation moved on.
        superseded: bool,
    },
    /// A rule refused it.
    Denied {
        /// Which kind of refusal.
        code: Denial,
        /// One sentence for the model.
        message: String,
    },
    /// A rehearsal: nothing ran.
    Suppressed {
        /// The stand-in envelope, while it is kept.
        envelope: Option<String>,
    },
    /// Somebody runs it.
    Running {
        /// Who, and until when.
        run: Run,
    },
    /// It ran and came back.
    Succeeded {
        /// The run that came back.
        run: Run,
        /// What it returned, while it is kept.
        envelope: Option<String>,
        /// The result came after the outcome had been given up as unknown.
        late: bool,
    },
    /// It is known to have had no effect.
    Failed {
        /// The run that failed.
        run: Run,
        /// What it returned, while it is kept.
        envelope: Option<String>,
        /// The result came after the outcome had been given up as unknown.
        late: bool,
    },
    /// It may or may not have had its effect.
    Unknown {
        /// The attempt in question.
        unsettled: Unsettled,
    },
    /// A person or a look-up found out what an unknown outcome was.
    Resolved {
        /// Whether the effect happened.
        happened: bool,
        /// Who found out.
        by: String,
        /// How.
        why: Option<String>,
    },
    /// A person set an unknown outcome aside.
    Abandoned {
        /// Who.
        by: String,
        /// Why.
        why: Option<String>,
    },
}

/// What a person is asked. The input hash to echo is that of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    /// Its own id: a second question about the same call has another one.
    pub id: String,
    /// Why it is asked.
    pub reason: String,
    /// The rule that asks, as the host describes it.
    #[serde(default)]
    pub rule: Option<String>,
    /// When it is no longer worth an answer.
    pub expires_at_ms: u64,
}

/// The right to run once: who gave it, for which input, until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// Who gave it.
    pub from: Approver,
    /// The canonical hash of the input that may run.
    pub input_hash: String,
    /// The input as the person changed it; absent when it is the proposed one.
    pub edited: Option<Edited>,
    /// When it was given.
    pub at_ms: u64,
    /// When it is too old to be claimed.
    pub until_ms: u64,
}

/// Who gave an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Approver {
    /// A person.
    Person {
        /// The person's principal, if known.
        by: Option<String>,
        /// The channel (`ask`, `native`, `routes`).
        via: String,
    },
    /// An allow rule that names the tool.
    Rule {
        /// The rule, as the host describes it.
        rule: String,
    },
    /// A grant that a person gave earlier.
    Grant {
        /// The grant's id.
        grant: String,
    },
}

/// An input that a person changed before allowing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edited {
    /// The changed input as JSON, while it is kept.
    pub input: Option<String>,
    /// Its canonical hash.
    pub input_hash: String,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Decision {
    /// The question that it answers.
    pub question_id: String,
    /// The answer.
    pub word: Word,
    /// The canonical hash of the changed input, if it was changed.
    pub edited_hash: Option<String>,
    /// Who answered, if known.
    pub by: Option<String>,
    /// The channel.
    pub via: String,
    /// When.
    pub at_ms: u64,
}

/// The four exact answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Run it.
    Approve,
    /// Do not.
    Reject,
    /// The caller went away.
    Cancel,
    /// The conversation moved on.
    Supersede,
}

impl Word {
    /// Reads the word; only the four exact ones are taken.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "approve" => Some(Self::Approve),
            "reject" => Some(Self::Reject),
            "cancel" => Some(Self::Cancel),
            "supersede" => Some(Self::Supersede),
            _ => None,
        }
    }
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// The approval that this run consumed.
    pub approval: Approval,
    /// Rises with each claim; a result with another fence is another run's.
    pub fence: u64,
    /// The process that runs it.
    pub runner: String,
    /// Tells this claim from another one of the same process.
    pub nonce: String,
    /// When the run began.
    pub started_at_ms: u64,
    /// When the runner counts as gone; absent where it cannot outlive the store.
    pub lease_until_ms: Option<u64>,
}

/// An attempt whose outcome nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unsettled {
    /// The attempt.
    pub run: Run,
    /// What became of it, as far as is known.
    pub message: String,
}

/// Why a call was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Denial {
    /// A rule, a locked deny, a revoked grant.
    PermissionDenied,
    /// No way to ask, or no store.
    UnguardedEffect,
}

impl Denial {
    /// The code that a caller reads.
    pub const fn code(self) -> Code {
        match self {
            Self::PermissionDenied => Code::PermissionDenied,
            Self::UnguardedEffect => Code::UnguardedEffect,
        }
    }
}

impl Approval {
    /// The input that runs, when a person changed it.
    pub fn edited_text(&self) -> Option<String> {
        self.edited.as_ref()?.input.clone()
    }
}

impl Record {
    /// When time alone moves the record: the question, the approval or the lease runs out.
    pub const fn deadline_ms(&self) -> Option<u64> {
        match &self.status {
            Status::AwaitingApproval { question, .. } => Some(question.expires_at_ms),
            Status::Approved { approval, .. } => Some(approval.until_ms),
            Status::Running { run } => run.lease_until_ms,
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
}

impl Status {
    /// The state's name, as the JSON has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::AwaitingApproval { .. } => "awaiting_approval",
            Self::Approved { .. } => "approved",
            Self::Rejected { .. } => "rejected",
            Self::Expired {} => "expired",
            Self::Cancelled { .. } => "cancelled",
            Self::Denied { .. } => "denied",
            Self::Suppressed { .. } => "suppressed",
            Self::Running { .. } => "running",
            Self::Succeeded { .. } => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Unknown { .. } => "unknown",
            Self::Resolved { .. } => "resolved",
            Self::Abandoned { .. } => "abandoned",
        }
    }

    /// Whether the state is an end.
    pub const fn is_terminal(&self) -> bool {
        match self {
            Self::AwaitingApproval { .. }
            | Self::Approved { .. }
            | Self::Running { .. }
            | Self::Unknown { .. } => false,
            Self::Rejected { .. }
            | Self::Expired {}
            | Self::Cancelled { .. }
            | Self::Denied { .. }
            | Self::Suppressed { .. }
            | Self::Succeeded { .. }
            | Self::Failed { .. }
            | Self::Resolved { .. }
            | Self::Abandoned { .. } => true,
        }
    }
}
