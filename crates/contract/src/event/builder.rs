//! How an event is made: a constructor for each kind, and what may be said of any.

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::{Detail, Event, ToolCall};
use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::tool_input::ToolInput;

impl Event {
    /// An event of which only this and the working directory are known. The directory is kept as it is given: see
    /// [`Event::cwd`].
    pub fn new(detail: Detail, cwd: impl AsRef<Path>) -> Self {
        let cwd = cwd.as_ref().to_owned();
        Self {
            session_id: String::new(),
            project_dir: cwd.clone(),
            cwd,
            is_sub_agent: false,
            session_file: None,
            detail,
            dialect_event_name: None,
            extra: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// A tool is about to be called. `cwd`, here and below, is the working directory of the agent and of its hooks: an absolute
    /// path. Nothing here asks the system for the process's own; a runner does, for a relative path.
    pub fn pre_tool_use(tool_name: impl Into<String>, tool_input: ToolInput, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::PreToolUse { call: ToolCall { name: tool_name.into(), input: tool_input } }, cwd)
    }

    /// A tool has done its work. `response` is what it gave, as any JSON value.
    pub fn post_tool_use(
        tool_name: impl Into<String>,
        tool_input: ToolInput,
        response: JsonText,
        cwd: impl AsRef<Path>,
    ) -> Self {
        let call = ToolCall { name: tool_name.into(), input: tool_input };
        Self::new(Detail::PostToolUse { call, response }, cwd)
    }

    /// A tool has failed. `error` is what it said.
    pub fn post_tool_use_failure(
        tool_name: impl Into<String>,
        tool_input: ToolInput,
        error: impl Into<String>,
        cwd: impl AsRef<Path>,
    ) -> Self {
        let call = ToolCall { name: tool_name.into(), input: tool_input };
        Self::new(Detail::PostToolUseFailure { call, error: error.into() }, cwd)
    }

    /// The user has submitted a prompt; the model has not seen it yet.
    pub fn user_prompt_submit(prompt: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::UserPromptSubmit { prompt: prompt.into(), attachments: Vec::new() }, cwd)
    }

    /// A session begins. `source` is how: `startup`, `resume`, `clear`, `compact`.
    pub fn session_start(source: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionStart { source: source.into() }, cwd)
    }

    /// A session ends. `reason` is why: `clear`, `logout`, `prompt_input_exit`, `other`.
    pub fn session_end(reason: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionEnd { reason: reason.into() }, cwd)
    }

    /// The agent is about to end its turn. `active`: it only continues because a Stop hook has blocked its end before.
    pub fn stop(active: bool, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::Stop { active, last_message: None }, cwd)
    }

    /// A sub-agent is about to end. `active` as for [`Event::stop`].
    pub fn subagent_stop(active: bool, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SubagentStop { active, last_message: None, agent: None }, cwd)
    }

    /// The conversation is about to be compacted. `trigger` is why: `manual` or `auto`.
    pub fn pre_compact(trigger: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::PreCompact { trigger: trigger.into(), instructions: None }, cwd)
    }

    /// The agent tells the user something.
    pub fn notification(message: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::Notification { message: message.into(), title: None, kind: None }, cwd)
    }

    /// The user is about to be asked whether a tool may be called.
    pub fn permission_request(tool_name: impl Into<String>, tool_input: ToolInput, cwd: impl AsRef<Path>) -> Self {
        let call = ToolCall { name: tool_name.into(), input: tool_input };
        Self::new(Detail::Permission { name: EventKind::PermissionRequest, call }, cwd)
    }

    /// An event that has no constructor of its own. What it has is given with [`Event::with_member`]; matchers are
    /// tested against `matched`. For an event that has one, this is [`Event::from_payload`]'s job.
    pub fn other(name: EventKind, matched: Option<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::Other { name, matched }, cwd)
    }

    /// Says which event it is by the agent's own name for it. It matters where the agent has several events that are one of
    /// ours, as `beforeShellExecution` and `preToolUse`: only that event's hooks run. A name that the agent does not have counts
    /// for nothing.
    #[must_use]
    pub fn with_dialect_event_name(mut self, name: &'static str) -> Self {
        self.dialect_event_name = Some(name);
        self
    }

    /// Gives its hooks a variable that only this event's hooks have, over what the host, the session and the contract give them. One
    /// that no environment can hold is not kept: an empty name, or an `=` or a NUL in the wrong place.
    ///
    /// ```
    /// use hookshell_contract::Event;
    ///
    /// let event = Event::user_prompt_submit("hello", std::env::temp_dir()).with_variable("TURN", "7").with_variable("A=B", "");
    /// assert_eq!(event.variables(), [("TURN".to_owned(), "7".to_owned())]);
    /// ```
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        if !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0') {
            self.variables.retain(|(other, _)| *other != name);
            self.variables.push((name, value));
        }
        self
    }

    /// Adds a member to the payload that hooks get: `tool_use_id`, `permission_mode`, `transcript_path`, ….
    #[must_use]
    pub fn with_member(mut self, key: impl Into<String>, value: &JsonText) -> Self {
        if let Ok(value) = RawValue::from_string(value.get().to_owned()) {
            self.extra.push((key.into(), value));
        }
        self
    }

    /// A turn begins. `turn_index` counts the session's turns from 0.
    pub fn turn_start(turn_index: u64, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::TurnStart { turn: turn_index }, cwd)
    }

    /// A turn has ended. `message` is what the model said, and `tool_results` is the array of what its tools gave, both as
    /// the agent has them.
    pub fn turn_end(turn_index: u64, message: JsonText, tool_results: JsonText, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::TurnEnd { turn: turn_index, message, tool_results }, cwd)
    }

    /// The session is about to continue from an earlier turn, whose index is `target_turn_index` where that is known.
    pub fn session_before_branch(target_turn_index: Option<u64>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionBeforeBranch { target: target_turn_index }, cwd)
    }

    /// The session was taken back to an earlier turn.
    pub fn session_branch(target_turn_index: Option<u64>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionBranch { target: target_turn_index }, cwd)
    }

    /// Another session is about to take the place of this one.
    pub fn session_before_switch(cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionBeforeSwitch, cwd)
    }

    /// Another session, whose identifier the event has, took the place of the one before.
    pub fn session_switch(cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionSwitch, cwd)
    }

    /// Sets the file that the session is kept in; none unless set.
    #[must_use]
    pub fn with_session_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.session_file = Some(file.into());
        self
    }

    /// Sets the session's identifier; empty unless set.
    #[must_use]
    pub fn with_session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = session_id.into();
        self
    }

    /// Sets the working directory, and the project's root directory with it.
    #[must_use]
    pub fn with_cwd(self, cwd: impl AsRef<Path>) -> Self {
        let cwd = cwd.as_ref().to_owned();
        Self { project_dir: cwd.clone(), cwd, ..self }
    }

    /// Sets the project's root directory; the working directory unless set.
    #[must_use]
    pub fn with_project_dir(mut self, project_dir: impl AsRef<Path>) -> Self {
        self.project_dir = project_dir.as_ref().to_owned();
        self
    }

    /// Says that it happened in a sub-agent, at whatever depth: only hooks that include sub-agents run.
    #[must_use]
    pub fn in_sub_agent(mut self, is_sub_agent: bool) -> Self {
        self.is_sub_agent = is_sub_agent;
        self
    }

    /// Sets the files that a prompt brings along; on other events nothing happens.
    #[must_use]
    pub fn with_attachments<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        if let Detail::UserPromptSubmit { attachments, .. } = &mut self.detail {
            *attachments = names.into_iter().map(Into::into).collect();
        }
        self
    }

    /// Sets the agent's last message, for `Stop` and `SubagentStop`; on other events nothing happens.
    #[must_use]
    pub fn with_last_message(mut self, message: impl Into<String>) -> Self {
        if let Detail::Stop { last_message, .. } | Detail::SubagentStop { last_message, .. } = &mut self.detail {
            *last_message = Some(message.into());
        }
        self
    }
}
