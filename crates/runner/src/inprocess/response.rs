//! What a hook returns.

use crate::decision::Decision;

/// What a hook returns: a permission decision and its reason, or nothing. What it changes it changes in the context.
///
/// ```
/// use hookshell_runner::inprocess::{Response, Decision};
///
/// let result = Response::deny("not on a Friday").with_context("Releases are made on Mondays.");
/// assert_eq!(result.decision, Some(Decision::Deny));
/// assert_eq!(result.reason.as_deref(), Some("not on a Friday"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The decision; read on events that have something to block ([`EventKind::can_block`](crate::EventKind::can_block)).
    pub decision: Option<Decision>,
    /// The reason for the decision.
    pub reason: Option<String>,
    /// Does the turn end? That blocks, too.
    pub halt: bool,
    /// What is added to what the model sees.
    pub context: Vec<String>,
    /// Files that the agent is referred to: paths relative to the working directory. What is no file of the project is
    /// dropped.
    pub context_files: Vec<String>,
}

impl Response {
    /// Allow the operation.
    pub fn allow() -> Self {
        Self { decision: Some(Decision::Allow), ..Self::default() }
    }

    /// Deny the operation.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny), reason: Some(reason.into()), ..Self::default() }
    }

    /// Have the user asked.
    pub fn ask() -> Self {
        Self { decision: Some(Decision::Ask), ..Self::default() }
    }

    /// No decision: continue normally.
    pub fn none() -> Self {
        Self::default()
    }

    /// End the turn.
    pub fn halt(reason: impl Into<String>) -> Self {
        Self { halt: true, reason: Some(reason.into()), ..Self::default() }
    }

    /// Gives the reason.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Adds something to what the model sees.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.context.push(context.into());
        self
    }

    /// Refers the agent to a file.
    #[must_use]
    pub fn with_context_file(mut self, path: impl Into<String>) -> Self {
        self.context_files.push(path.into());
        self
    }
}
