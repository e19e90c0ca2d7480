//! What a hook says, and what all hooks of an event say together.

use std::borrow::Cow;

use crate::context_files::ContextFile;
use crate::decision::Decision;
use crate::json::JsonText;
use crate::tool_input::Patch;

/// What a hook says of an event, or what all of them say together: an envelope, a report and a verdict each have one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opinion {
    /// The decision; `None`: no opinion.
    pub decision: Option<Decision>,
    /// Does the turn end?
    pub halt: bool,
    /// Why: the reason of the decision or of the halt, or what a failure was.
    pub reason: Option<String>,
    /// What is added to what the model sees. No entry is empty.
    pub context: Vec<String>,
    /// What is changed in the tool's input.
    pub updated_input: Option<Patch>,
    /// The prompt to use instead.
    pub updated_prompt: Option<String>,
    /// The tool's result to use instead.
    pub updated_result: Option<JsonText>,
    /// What the user is shown, beside all else.
    pub system_message: Option<String>,
    /// Variables for the session.
    pub env: Vec<(String, String)>,
    /// What is only for the agent whose dialect it is, by its name there.
    pub agent_output: Vec<(Cow<'static, str>, JsonText)>,
    /// The files that the agent is referred to.
    pub context_files: Vec<ContextFile>,
}

impl Opinion {
    /// A deny with its reason.
    pub fn deny(reason: Option<String>) -> Self {
        Self { decision: Some(Decision::Deny), reason, ..Self::default() }
    }

    /// The end of the turn with its reason.
    pub fn halt(reason: Option<String>) -> Self {
        Self { halt: true, reason, ..Self::default() }
    }

    /// Is what was about to happen not to happen?
    pub fn is_blocking(&self) -> bool {
        self.halt || self.decision == Some(Decision::Deny)
    }

    /// Does it put something else in the place of what the agent has?
    pub fn updates(&self) -> bool {
        self.updated_input.is_some()
            || self.updated_prompt.is_some()
            || self.updated_result.is_some()
            || !self.env.is_empty()
            || !self.agent_output.is_empty()
    }

    /// The same without what [`Opinion::updates`] asks for.
    #[must_use]
    pub fn without_updates(self) -> Self {
        Self {
            updated_input: None,
            updated_prompt: None,
            updated_result: None,
            env: Vec::new(),
            agent_output: Vec::new(),
            ..self
        }
    }

    /// Does it say nothing at all? A reason alone says nothing.
    pub fn is_silent(&self) -> bool {
        self.decision.is_none()
            && !self.halt
            && self.context.is_empty()
            && self.context_files.is_empty()
            && self.system_message.is_none()
            && !self.updates()
    }
}
