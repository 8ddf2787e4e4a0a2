//! What a caller reads after a call: the output, or a refusal with its code.
//!
//! It stands apart because the SDK, `table.call` and the ledger all hand out this one form, and
//! because "may it be called again" has to have one answer a code.

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::Value;

use crate::error::Code;

/// Why a call did not run: a value for the model, never an `Err`.
///
/// `message` is short and safe: it names no rule, no other tool and nothing of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// One sentence for the model.
    pub message: String,
    /// What to do, if there is something.
    pub help: Option<String>,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            help: None,
        }
    }

    /// The same refusal with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Serialize for Refusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Refusal", 4)?;
        fields.serialize_field("code", &self.code)?;
        fields.serialize_field("message", &self.message)?;
        match &self.help {
            Some(help) => fields.serialize_field("help", help)?,
            None => fields.skip_field("help")?,
        }
        fields.serialize_field("retryable", &is_retryable(self.code))?;
        fields.end()
    }
}

/// What is known about an output beside itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The output is that of an earlier run of the same call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// The call was a rehearsal: nothing ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suppressed: bool,
}

/// `{ ok: true, output, meta } | { ok: false, error: { code, message, help?, retryable } }`.
#[derive(Debug, Clone, PartialEq)]
pub enum Envelope {
    /// The call ran, or stood in for one that ran.
    Output {
        /// What the tool returned.
        output: Value,
        /// What is known about it.
        meta: Meta,
    },
    /// The call did not run, or failed.
    Refused(Refusal),
}

impl Envelope {
    /// What the model reads when a call was rehearsed and not run.
    pub fn suppressed() -> Self {
        Self::Output {
            output: Value::from("This was a rehearsal: the call was recorded and not run."),
            meta: Meta {
                suppressed: true,
                ..Meta::default()
            },
        }
    }

    /// The envelope as JSON.
    pub fn to_json(&self) -> String {
        // INVARIANT: strings, booleans and a `Value` always serialize; the empty text is no envelope.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl From<Refusal> for Envelope {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Output { output, meta } => {
                let mut fields = serializer.serialize_struct("Envelope", 3)?;
                fields.serialize_field("ok", &true)?;
                fields.serialize_field("output", output)?;
                fields.serialize_field("meta", meta)?;
                fields.end()
            }
            Self::Refused(refusal) => {
                let mut fields = serializer.serialize_struct("Envelope", 2)?;
                fields.serialize_field("ok", &false)?;
                fields.serialize_field("error", refusal)?;
                fields.end()
            }
        }
    }
}

/// Whether calling again, perhaps with another input, can help. This is the only place that says so.
///
/// What a person or a rule refused stays refused, and what may already have happened must not be
/// tried again.
pub const fn is_retryable(code: Code) -> bool {
    match code {
        Code::InputInvalid
        | Code::InputNotCanonical
        | Code::InputTooLarge
        | Code::ApprovalExpired
        | Code::CallInProgress
        | Code::ToolFailed
        | Code::StoreUnavailable => true,
        Code::ToolNameIllegal
        | Code::ToolNameTaken
        | Code::SchemaInvalid
        | Code::ConfigSyntax
        | Code::ConfigUnknownKey
        | Code::ConfigInvalid
        | Code::ConfigDuplicateKey
        | Code::ConfigLoosens
        | Code::RuleInvalid
        | Code::ConditionInvalid
        | Code::OptionInvalid
        | Code::RoleUnknown
        | Code::SessionForeign
        | Code::SessionRequired
        | Code::ToolUnknown
        | Code::PermissionDenied
        | Code::ApprovalRejected
        | Code::ApprovalRequired
        | Code::UnguardedEffect
        | Code::Conflict
        | Code::OutcomeUnknown
        | Code::CallAborted
        | Code::NativeMissing
        | Code::Internal => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(envelope: &Envelope, expected: &str) {
        assert_eq!(envelope.to_json(), expected);
    }

    #[test]
    fn a_refusal_reads_as_an_error_with_its_code() {
        check(
            &Refusal::new(Code::PermissionDenied, "no").into(),
            r#"{"ok":false,"error":{"code":"PERMISSION_DENIED","message":"no","retryable":false}}"#,
        );
        check(
            &Refusal::new(Code::CallInProgress, "wait")
                .with_help("later")
                .into(),
            r#"{"ok":false,"error":{"code":"CALL_IN_PROGRESS","message":"wait","help":"later","retryable":true}}"#,
        );
    }

    #[test]
    fn an_output_says_only_what_is_true_of_it() {
        check(
            &Envelope::Output {
                output: Value::from(1),
                meta: Meta::default(),
            },
            r#"{"ok":true,"output":1,"meta":{}}"#,
        );
        check(
            &Envelope::suppressed(),
            r#"{"ok":true,"output":"This was a rehearsal: the call was recorded and not run.","meta":{"suppressed":true}}"#,
        );
    }

    #[test]
    fn what_may_have_happened_is_never_tried_again() {
        assert!(!is_retryable(Code::OutcomeUnknown));
        assert!(!is_retryable(Code::ApprovalRejected));
    }
}
