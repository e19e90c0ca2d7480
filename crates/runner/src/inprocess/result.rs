//! What a hook returns.

use crate::decision::Decision;

/// A decision about a tool call (or a prompt, a branch, …).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PermissionDecision {
    /// Skip the permission check, and go on.
    Allow,
    /// Block.
    Deny,
    /// The normal permission flow: the user is asked, whatever another hook allows.
    Ask,
}

impl From<PermissionDecision> for Decision {
    fn from(decision: PermissionDecision) -> Self {
        match decision {
            PermissionDecision::Allow => Self::Allow,
            PermissionDecision::Deny => Self::Deny,
            PermissionDecision::Ask => Self::Ask,
        }
    }
}

impl From<Decision> for PermissionDecision {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Self::Allow,
            Decision::Deny => Self::Deny,
            // Nobody asks again later here: the user is asked now.
            Decision::Ask | Decision::Defer => Self::Ask,
        }
    }
}

/// What a hook returns: a permission decision and its reason, or nothing. What it changes it changes in the context.
///
/// ```
/// use hookshell_runner::inprocess::{HookResult, PermissionDecision};
///
/// let result = HookResult::deny("not on a Friday").with_context("Releases are made on Mondays.");
/// assert_eq!(result.decision, Some(PermissionDecision::Deny));
/// assert_eq!(result.reason.as_deref(), Some("not on a Friday"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookResult {
    /// The decision; read on events that have something to block ([`EventName::can_block`](crate::EventName::can_block)).
    pub decision: Option<PermissionDecision>,
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

impl HookResult {
    /// Allow the operation.
    pub fn allow() -> Self {
        Self { decision: Some(PermissionDecision::Allow), ..Self::default() }
    }

    /// Deny the operation.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(PermissionDecision::Deny), reason: Some(reason.into()), ..Self::default() }
    }

    /// Have the user asked.
    pub fn ask() -> Self {
        Self { decision: Some(PermissionDecision::Ask), ..Self::default() }
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
