//! Every stable code in one list, and the error that a host reads.
//!
//! What the model did wrong is a value (`call::Refusal`), what the host did wrong is an [`Error`].
//! Both carry a [`Code`], and codes are API: never renamed. `docs/errors.md` lists them; a test
//! compares the two.

use std::fmt;

use serde::Serialize;

/// Defines the codes once, with their text form and the line that `docs/errors.md` shows.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// A stable code: what went wrong, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as programs see it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// Cause and cure, as the documentation tells them.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+),)+ }
            }
        }
    };
}

codes! {
    /// A tool name is not `^[a-zA-Z0-9_-]{1,64}$` or has only digits. Rename the tool.
    ToolNameIllegal = "TOOL_NAME_ILLEGAL",
    /// Two sources offer the same tool name. Rename one of them.
    ToolNameTaken = "TOOL_NAME_TAKEN",
    /// A tool's input schema does not compile. The message says where; only drafts 7 and 2020-12 without remote references are taken.
    SchemaInvalid = "SCHEMA_INVALID",
    /// The configuration is not JSON with comments. The message has line and column.
    ConfigSyntax = "CONFIG_SYNTAX",
    /// A key that the configuration does not know. The help suggests the nearest one.
    ConfigUnknownKey = "CONFIG_UNKNOWN_KEY",
    /// A configuration value has the wrong type or form. The help says what is taken.
    ConfigInvalid = "CONFIG_INVALID",
    /// The same key stands twice in one object; only one of them would count. Remove one.
    ConfigDuplicateKey = "CONFIG_DUPLICATE_KEY",
    /// The configuration of an untrusted directory tries to loosen something. Move the rule to the application's own configuration.
    ConfigLoosens = "CONFIG_LOOSENS",
    /// A rule is not an action, an object of patterns, or a list of rules; or its action is none of `allow`, `ask`, `deny`.
    RuleInvalid = "RULE_INVALID",
    /// A condition of a rule names an input field that the tool does not have, or a type that it cannot have.
    ConditionInvalid = "CONDITION_INVALID",
    /// An option that `createToolgate` or `table` does not know, or of the wrong type.
    OptionInvalid = "OPTION_INVALID",
    /// The turn names a role that the configuration does not have.
    RoleUnknown = "ROLE_UNKNOWN",
    /// A session was used by another tenant or principal than the one it belongs to.
    SessionForeign = "SESSION_FOREIGN",
    /// A native approval spans two requests and needs `table({ session })` to find its way back.
    SessionRequired = "SESSION_REQUIRED",
    /// The model called a tool that this table does not have.
    ToolUnknown = "TOOL_UNKNOWN",
    /// The input of a call does not fit the tool's schema. The message lists at most ten faults.
    InputInvalid = "INPUT_INVALID",
    /// The input of a guarded call is not canonical JSON (lone surrogates, dates, maps, big integers).
    InputNotCanonical = "INPUT_NOT_CANONICAL",
    /// The input is nested deeper than 128 levels or has too many values.
    InputTooLarge = "INPUT_TOO_LARGE",
    /// A rule denies this call. The reason names the rule.
    PermissionDenied = "PERMISSION_DENIED",
    /// A person said no, or did not answer in time.
    ApprovalRejected = "APPROVAL_REJECTED",
    /// The call needs a person and there is no way to ask one. Wire `ask`, use native approvals, or declare the tool.
    ApprovalRequired = "APPROVAL_REQUIRED",
    /// The approval is too old. The call has to be asked about again.
    ApprovalExpired = "APPROVAL_EXPIRED",
    /// The tool may change the outside world, and there is no way to ask or no store that keeps it from running twice.
    UnguardedEffect = "UNGUARDED_EFFECT",
    /// The same call came again with another input or another tool definition.
    Conflict = "CONFLICT",
    /// The same call is running now.
    CallInProgress = "CALL_IN_PROGRESS",
    /// An earlier attempt of this very call may or may not have had its effect; a person has to look.
    OutcomeUnknown = "OUTCOME_UNKNOWN",
    /// The tool itself failed.
    ToolFailed = "TOOL_FAILED",
    /// The call was aborted.
    CallAborted = "CALL_ABORTED",
    /// The store did not answer, so the call did not run.
    StoreUnavailable = "STORE_UNAVAILABLE",
    /// The native addon of this platform is missing or does not load.
    NativeMissing = "NATIVE_MISSING",
    /// A defect in toolgate; the call was refused. Please report it.
    Internal = "INTERNAL",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Where in a text something stands. Lines and columns count from 1; columns are characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// The file, or a name for an inline object (`config`).
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Three lines: the source line, and a caret under the place.
    pub caret: String,
}

/// What the host did wrong: a stable code, what was written and why it cannot stand, and what to
/// do instead. Messages are lower case, without a final stop, with user input in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// What was written, and why it cannot stand.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Where it was written, when it was written in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Box<Span>>,
}

impl Error {
    /// An error without a place.
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            help: help.into(),
            span: None,
        }
    }

    /// The same error at `span`.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(Box::new(span));
        self
    }
}
