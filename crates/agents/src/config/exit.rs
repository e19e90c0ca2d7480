//! How a hook's command ended, and what an agent makes of that.

use super::HookConfig;
use crate::event_kind::EventKind;

/// How a hook's command ended by itself, and what it printed.
pub struct Exit<'r> {
    /// The hook; `None`: it is not known whose output it is.
    pub hook: Option<&'r HookConfig>,
    /// The event's name in the agent's dialect.
    pub dialect_event_name: &'r str,
    /// The event.
    pub event: EventKind,
    /// As a shell says it: 128 and the signal's number where one ended it.
    pub status: u8,
    /// Did a signal end it?
    pub is_killed: bool,
    /// What it wrote to standard output.
    pub stdout: &'r [u8],
    /// And to standard error.
    pub stderr: &'r [u8],
}

impl Exit<'_> {
    /// The hook as a message begins with it.
    pub fn hook(&self) -> String {
        self.hook.map_or_else(|| "a hook".to_owned(), |hook| format!("the hook `{}`", hook.display_name()))
    }

    /// The exit code as an agent that runs on Node sees it: a signal is none.
    pub fn code(&self) -> u8 {
        if self.is_killed { 0 } else { self.status }
    }
}

/// What a command means that is no valid shell code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxErrorMeaning {
    /// What the event is about is blocked: a guard that is broken must be seen.
    Block,
    /// The hook has failed, or what its exit code 2 says of it.
    Failure,
    /// It is a command that exits with 2, as any other.
    Exit,
}

/// What a hook's exit code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitMeaning {
    /// Standard output is the envelope.
    Envelope,
    /// What the event is about is blocked; standard error is the reason.
    Deny,
    /// The same; where standard output is an envelope that denies, its reason is the reason.
    DenyByEnvelope,
    /// The turn ends; standard error is the reason.
    Halt,
    /// A non-blocking error.
    Error,
    /// Nothing is blocked, and the model gets what is on standard error.
    Feedback,
    /// The envelope where standard output is one, else a non-blocking error.
    EnvelopeOrError,
}

impl ExitMeaning {
    /// Is what the event is about blocked?
    pub fn is_deny(self) -> bool {
        matches!(self, Self::Deny | Self::DenyByEnvelope)
    }
}
