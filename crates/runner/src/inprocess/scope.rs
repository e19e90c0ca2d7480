//! The session in which a host's events happen.

use std::path::PathBuf;

use super::{HookRunner, ToolCall, ToolResult};
use crate::event::Event;
use crate::json::JsonText;

/// Whose events they are: what every event of a session has.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) session_id: String,
    pub(super) session_file: Option<PathBuf>,
    pub(super) cwd: PathBuf,
    pub(super) project_dir: Option<PathBuf>,
    pub(super) is_sub_agent: bool,
}

/// What happens to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// It begins, or is taken up again: `startup`, `resume`, `clear`, `compact`. Hooks see `SessionStart`.
    Start {
        /// How.
        source: String,
    },
    /// It ends: `clear`, `logout`, `prompt_input_exit`, `other`. Hooks see `SessionEnd`.
    Shutdown {
        /// Why.
        reason: String,
    },
    /// It is about to continue from an earlier turn; a deny keeps it where it is.
    BeforeBranch {
        /// That turn, from 0, where it is known.
        target_turn_index: Option<u64>,
    },
    /// It went back to an earlier turn.
    Branch {
        /// That turn, from 0, where it is known.
        target_turn_index: Option<u64>,
    },
    /// Another session is about to take its place; a deny keeps it.
    BeforeSwitch,
    /// Another session took its place: the runner's session is that one ([`HookRunner::with_session`]).
    Switch,
}

impl Scope {
    /// The event as one of this session.
    fn of(&self, mut event: Event) -> Event {
        event = event.with_session_id(&self.session_id).in_sub_agent(self.is_sub_agent);
        if let Some(project_dir) = &self.project_dir {
            event = event.with_project_dir(project_dir);
        }
        match &self.session_file {
            Some(file) => event.with_session_file(file),
            None => event,
        }
    }

    /// An event of the host's. One that has no session is one of this session.
    pub(super) fn complete(&self, event: Event) -> Event {
        if !event.session_id().is_empty() {
            return event;
        }
        let event = event.with_session_id(&self.session_id);
        match &self.session_file {
            Some(file) if event.session_file().is_none() => event.with_session_file(file),
            _ => event,
        }
    }

    pub(super) fn tool_call(&self, call: &ToolCall) -> Event {
        let event = Event::pre_tool_use(&call.name, call.input.clone(), &self.cwd);
        self.of(event).with_member("tool_use_id", &JsonText::string(&call.id))
    }

    pub(super) fn tool_result(&self, call: &ToolCall, result: &ToolResult) -> Event {
        let (name, input) = (&call.name, call.input.clone());
        let event = match result.is_error {
            false => Event::post_tool_use(name, input, result.to_json(), &self.cwd),
            true => Event::post_tool_use_failure(name, input, &result.content, &self.cwd),
        };
        self.of(event).with_member("tool_use_id", &JsonText::string(&call.id))
    }

    pub(super) fn prompt(&self, prompt: &str) -> Event {
        self.of(Event::user_prompt_submit(prompt, &self.cwd))
    }

    pub(super) fn session(&self, event: &SessionEvent) -> Event {
        let cwd = &self.cwd;
        self.of(match event {
            SessionEvent::Start { source } => Event::session_start(source, cwd),
            SessionEvent::Shutdown { reason } => Event::session_end(reason, cwd),
            SessionEvent::BeforeBranch { target_turn_index } => Event::session_before_branch(*target_turn_index, cwd),
            SessionEvent::Branch { target_turn_index } => Event::session_branch(*target_turn_index, cwd),
            SessionEvent::BeforeSwitch => Event::session_before_switch(cwd),
            SessionEvent::Switch => Event::session_switch(cwd),
        })
    }

    pub(super) fn stop(&self, is_active: bool, last_message: Option<&str>) -> Event {
        let event = Event::stop(is_active, &self.cwd);
        self.of(match last_message {
            Some(message) => event.with_last_message(message),
            None => event,
        })
    }

    pub(super) fn turn_start(&self, index: u64) -> Event {
        self.of(Event::turn_start(index, &self.cwd))
    }

    pub(super) fn turn_end(&self, index: u64, message: JsonText, results: &[ToolResult]) -> Event {
        let mut array = String::from("[");
        for (index, result) in results.iter().enumerate() {
            if index > 0 {
                array.push(',');
            }
            array.push_str(result.to_json().get());
        }
        array.push(']');
        let results = JsonText::parse(&array).unwrap_or_default();
        self.of(Event::turn_end(index, message, results, &self.cwd))
    }
}

impl<H: ?Sized + Send + 'static> HookRunner<H> {
    /// The same runner for another session, beside this one: cheap, nothing is read again. What runs once in a session, and what
    /// runs in the background, is per session.
    #[must_use]
    pub fn with_session(&self, session_id: impl Into<String>, session_file: Option<PathBuf>) -> Self {
        let mut other = self.clone();
        other.scope.session_id = session_id.into();
        other.scope.session_file = session_file;
        other
    }

    /// The same runner for a sub-agent of the session: of command hooks only those that include sub-agents run.
    #[must_use]
    pub fn for_sub_agent(&self) -> Self {
        let mut other = self.clone();
        other.scope.is_sub_agent = true;
        other
    }
}
