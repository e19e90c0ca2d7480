//! The seam between the runner and what runs commands: `hookshell-dispatch`, or a fake in tests.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod scripted;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{
    Command, Dispatcher, End, Environment, Handle, Input, Invocation, Outcome, StartFailureKind,
};

use crate::cancel::CancelToken;
use crate::report::Failure;

/// Runs commands.
pub(crate) trait Execute: Send + Sync {
    /// Starts a command and returns at once. `done` is called once, on any thread, when it has ended; where it is dropped
    /// uncalled, the command counts as panicked.
    fn start(&self, invocation: Invocation, done: Done) -> Box<dyn Running>;

    /// Waits until the background lists of commands that have ended have ended too, or `give_up` says so.
    fn wait_for_background(&self, give_up: &dyn Fn() -> bool);

    /// Waits until every command that was started has ended, or `give_up` says so.
    fn wait_for_runs(&self, _give_up: &dyn Fn() -> bool) {}
}

impl Execute for Dispatcher {
    fn start(&self, invocation: Invocation, done: Done) -> Box<dyn Running> {
        Box::new(Self::start(self, invocation, done))
    }

    fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        Self::wait_for_background(self, give_up);
    }

    fn wait_for_runs(&self, give_up: &dyn Fn() -> bool) {
        Self::wait_for_runs(self, give_up);
    }
}

/// Called with how a command ended.
pub(crate) type Done = Box<dyn FnOnce(Outcome) + Send>;

/// A command that was started.
pub(crate) trait Running: Send {
    /// Ends it and every child; it does not wait. Nothing happens where it has ended.
    fn cancel(&self);
}

impl Running for Handle {
    fn cancel(&self) {
        Self::cancel(self);
    }
}

impl Running for CancelToken {
    fn cancel(&self) {
        Self::cancel(self);
    }
}

/// A command without input, in an environment that is all its own. What it may take and print is the caller's to say; the
/// dispatcher's settings say the rest.
pub(crate) fn plain(command: &str, cwd: PathBuf, env: Environment) -> Invocation {
    Invocation { env, stdin: Input::Bytes(Arc::from([])), ..Invocation::new(Command::source(command), cwd) }
}

/// Why a command that did not exit by itself gave nothing; `None` where it did.
pub(crate) fn failure(end: &End, timeout: Duration) -> Option<Failure> {
    Some(match end {
        End::Exited => return None,
        End::Signaled(signal) => Failure::Signaled(*signal),
        End::TimedOut => Failure::TimedOut(timeout),
        End::Cancelled => Failure::Cancelled,
        End::NotStarted(failure) => match failure.kind {
            StartFailureKind::NotFound => Failure::NotFound(failure.to_string()),
            StartFailureKind::NotExecutable => Failure::NotExecutable(failure.to_string()),
            _ => Failure::Spawn(failure.to_string()),
        },
        End::SyntaxError(error) => Failure::Parse(error.to_string()),
        End::StatusLost => Failure::StatusLost,
        End::Panicked => Failure::Panicked,
        End::LimitExceeded(limit) => Failure::LimitExceeded(limit.clone()),
        End::UnpassableVariables(reason) | End::Changed(reason) => Failure::Spawn(reason.clone()),
        // An end that is not known here is no status that may be trusted.
        other => Failure::Spawn(other.to_string()),
    })
}

/// Ends of commands, for tests.
#[cfg(test)]
pub(crate) mod ends {
    use hookshell_dispatch::{End, StartFailure, StartFailureKind};
    use hookshell_syntax::{Position, Span, SyntaxError, SyntaxErrorCause};

    /// A program `c` that was not started.
    pub(crate) fn not_started(kind: StartFailureKind, message: &str) -> End {
        End::NotStarted(StartFailure { kind, command: "c".to_owned(), message: message.to_owned(), status: 127 })
    }

    /// Shell code in which a `fi` is expected.
    pub(crate) fn syntax_error() -> End {
        End::SyntaxError(Box::new(SyntaxError {
            cause: SyntaxErrorCause::Unexpected { found: "x".into(), expected: vec!["`fi`"] },
            span: Span::default(),
            position: Position { line: 1, column: 1 },
            drops_line: false,
            in_substitution: false,
            warnings: Box::default(),
            consequence: None,
        }))
    }
}
