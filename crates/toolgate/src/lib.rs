//! The pure core of toolgate: which tools a model sees, whether a call may run, and why.
//!
//! The core decides and does nothing: no clock, no file, no environment, no thread, no random
//! source. The host passes time, ids and records in, and carries out what the core answers. That
//! makes every decision a function that a test can call, and leaves the event loop, abort signals
//! and stack traces where they live.
//!
//! ```text
//! definitions ─► Registry ─► Offered ─► Rewritten ─► Table          build: before the model speaks
//!                                                      │
//! call ─► validate ─► decide ─► (ask) ─► claim ─► settle ─► envelope call: after it spoke
//! ```
//!
//! From a tool to an answer:
//!
//! ```
//! use std::sync::Arc;
//!
//! use jsonschema::json::SerdeJson;
//! use toolgate::{
//!     build::{offer::offer, policy::Policy, registry::Registry, turn::Turn},
//!     config::{Config, Document},
//!     permission::action::Action,
//!     tool::ToolName,
//! };
//!
//! let config = Config::parse(&Document {
//!     text: r#"{ "permission": { "note": { "*": "allow", "secret/*": "deny" } } }"#,
//!     file: "toolgate.jsonc",
//!     is_trusted: true,
//!     home: None,
//! })?;
//! let policy = Arc::new(Policy::<SerdeJson>::compile(config, None)?);
//! let note: toolgate::build::registry::Definition =
//!     serde_json::from_str(r#"{ "name": "note", "source": "tools.note", "effect": "internal-write" }"#)?;
//! let name = ToolName::parse(&note.name, &note.source)?;
//! let registry = Arc::new(Registry::register(vec![(name, Arc::new(note))], policy)?);
//!
//! let turn = Turn::default();
//! let table = offer(&registry, &turn).rewrite(Vec::new()).seal(turn, None, Vec::new(), None)?;
//! assert_eq!(table.decide(0, &["todo.md"], None).action, Action::Allow);
//! assert_eq!(table.decide(0, &["secret/key"], None).action, Action::Deny);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order:

pub mod error;
pub mod suggest;
pub mod tool;

pub mod permission;

pub mod config;

pub mod build;

pub mod call;
