//! What an event has that its payload leaves out.

use std::path::PathBuf;

use crate::event_kind::EventKind;
use crate::payload::PayloadContext;
use crate::registry::AGENTS;

/// What an event has that its payload leaves out. The payload may be any agent's.
#[derive(Debug, Clone, Default)]
pub struct PayloadDefaults {
    /// The event, where the payload does not name one. Where it does, both must be the same.
    pub event: Option<EventKind>,
    /// The event's name in the agent's own dialect, where the payload does not name one.
    pub dialect_event_name: Option<&'static str>,
    /// The working directory, where the payload has none.
    pub cwd: PathBuf,
    /// The project's root directory; the working directory unless given.
    pub project_dir: Option<PathBuf>,
    /// The session's identifier, where the payload has none.
    pub session_id: String,
}

impl<'c> From<&'c PayloadDefaults> for PayloadContext<'c> {
    fn from(defaults: &'c PayloadDefaults) -> Self {
        let mut context = Self::new(&defaults.cwd);
        context.agents = &AGENTS;
        context.event = defaults.event;
        context.dialect_event_name = defaults.dialect_event_name;
        context.project_dir = defaults.project_dir.as_deref();
        context.session_id = &defaults.session_id;
        context
    }
}
