//! What is wrong with what a hook printed.

use std::sync::Arc;

use thiserror::Error;

use crate::event_kind::EventKind;
use crate::json::RawObject;

/// Why a hook's standard output is no envelope.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BadEnvelope {
    /// Not UTF-8, where it says what is to be used instead of what the agent has.
    #[error("stdout is not UTF-8: {0}")]
    NotUtf8(#[source] std::str::Utf8Error),
    /// Not one JSON object. Other output belongs on stderr.
    #[error("stdout must be empty or one JSON object, found `{excerpt}` ({source}); print other output to stderr")]
    NotAnObject {
        /// The start of what was printed.
        excerpt: String,
        /// What is wrong with it.
        source: Arc<serde_json::Error>,
    },
    /// A known field has a value that it cannot have.
    #[error("`{field}` must be {expected}, found {found}")]
    Field {
        /// The field, with the object that it is in: `hookSpecificOutput.permissionDecision`.
        field: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A field that the dialect does not know, and takes for a mistake.
    #[error("`{field}` is no field of a hook's output")]
    UnknownField {
        /// The field, with the object that it is in.
        field: String,
    },
    /// What the agent knows and does not take on this event.
    #[error("{agent} does not take {what}: {instead}")]
    NotTaken {
        /// The agent.
        agent: &'static str,
        /// What it does not take.
        what: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// A field that none knows, and that is near one that decides: what it was to say is not known.
    #[error("`{field}` is no field of a hook's output: is it `{known}`?")]
    NearField {
        /// The field, with the object that it is in.
        field: String,
        /// The field that it is near to.
        known: &'static str,
    },
    /// A field stands twice with different values, and says what is to be used instead of what the agent has.
    #[error("`{field}` stands more than once, with different values")]
    Twice {
        /// The field.
        field: String,
    },
    /// Output that is meant for another event.
    #[error("`hookSpecificOutput.hookEventName` is \"{found}\", and the event is {event}")]
    OtherEvent {
        /// The event that the output names.
        found: String,
        /// The event that the hook ran for.
        event: EventKind,
    },
}

impl BadEnvelope {
    /// What was printed is no JSON.
    pub fn of_text(text: &str, source: serde_json::Error) -> Self {
        Self::NotAnObject { excerpt: excerpt(text), source: Arc::new(source) }
    }

    /// What was printed is text.
    pub fn not_an_object(text: &str) -> Self {
        match RawObject::parse(text) {
            Err(source) => Self::of_text(text, source),
            // Text that is an object after all: nothing of it is known.
            Ok(_) => Self::UnknownField { field: excerpt(text) },
        }
    }
}

/// The start of a text, for a message: one line.
pub(super) fn excerpt(text: &str) -> String {
    const CHARS: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    let mut start: String = line.chars().take(CHARS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
