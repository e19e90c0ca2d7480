//! One hook event: what happened, and where.

use std::path::{Path, PathBuf};

use crate::event_name::EventName;
use crate::tool_input::ToolInput;

/// A hook event as the agent gives it to [`Runner::run`](crate::Runner::run).
#[derive(Debug, Clone)]
pub struct HookEvent {
    name: EventName,
    session_id: String,
    cwd: PathBuf,
    project_dir: PathBuf,
    tool_name: String,
    tool_input: ToolInput,
}

impl HookEvent {
    /// A tool is about to be called. `cwd` is the working directory of the agent and of its hooks: absolute, or relative
    /// to the process's own.
    pub fn pre_tool_use(tool_name: impl Into<String>, tool_input: ToolInput, cwd: impl AsRef<Path>) -> Self {
        let cwd = cwd.as_ref();
        // Fails only for an empty path, or where the process has no working directory: then as it was given.
        let cwd = std::path::absolute(cwd).unwrap_or_else(|_| cwd.to_owned());
        Self {
            name: EventName::PreToolUse,
            session_id: String::new(),
            project_dir: cwd.clone(),
            cwd,
            tool_name: tool_name.into(),
            tool_input,
        }
    }

    /// Sets the session's identifier; empty unless set.
    #[must_use]
    pub fn with_session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = session_id.into();
        self
    }

    /// Sets the project's root folder; the working directory unless set.
    #[must_use]
    pub fn with_project_dir(mut self, project_dir: impl AsRef<Path>) -> Self {
        let project_dir = project_dir.as_ref();
        self.project_dir = std::path::absolute(project_dir).unwrap_or_else(|_| project_dir.to_owned());
        self
    }

    /// Which event it is.
    pub fn name(&self) -> EventName {
        self.name
    }

    /// The session's identifier.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The working directory: hooks run there.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The project's root folder.
    pub fn project_dir(&self) -> &Path {
        &self.project_dir
    }

    /// The tool, as the agent names it: what matchers are tested against.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The tool's input.
    pub fn tool_input(&self) -> &ToolInput {
        &self.tool_input
    }
}
