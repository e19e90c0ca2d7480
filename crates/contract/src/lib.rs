//! What a coding agent and its hooks say to each other.
//!
//! An [`Event`] is what happened. Its payload ([`payload`]) is what hooks read, and what they print is an [`envelope`]. A hook's
//! [`HookReport`] holds its [`Opinion`], and a [`Verdict`] is what all of them say together ([`aggregate()`]).
//!
//! All of it is pure: nothing is read, written or started. No agent is known by name: an agent's own names and rules are told by
//! the trait [`Agent`].
#![forbid(unsafe_code)]

pub mod context_files;
pub mod decision;
pub mod encoding;
pub mod envelope;
pub mod event;
pub mod event_kind;
pub mod exit_code;
pub mod json;
pub mod llm_error;
pub mod nearest;
pub mod opinion;
pub mod origin;
pub mod payload;
pub mod tool_input;
pub mod verdict;

pub use crate::context_files::{ContextFile, DroppedFile};
pub use crate::decision::Decision;
pub use crate::envelope::BadEnvelope;
pub use crate::event::Event;
pub use crate::event_kind::{EventKind, UnknownEvent};
pub use crate::json::{JsonText, RawObject};
pub use crate::llm_error::LlmError;
pub use crate::opinion::Opinion;
pub use crate::origin::{Origin, Place};
pub use crate::payload::{PayloadContext, PayloadError};
pub use crate::tool_input::{Patch, ToolInput, ToolInputError};
pub use crate::verdict::agent::{Agent, AgentOutput};
pub use crate::verdict::outcome::{Failure, HookOutcome, OnFailure};
pub use crate::verdict::rendered::Rendered;
pub use crate::verdict::{HookReport, ShellUse, Verdict, aggregate};
