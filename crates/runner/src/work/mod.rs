//! One hook's work, whatever kind it is, and the seam to what runs commands: `hookshell-dispatch`, or a fake in tests.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod ends;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod scripted;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{Command, Dispatcher, End, Environment, Handle, Input, Invocation, Outcome};

use crate::cancel::CancelToken;
use crate::dialect::Dialect;
use crate::http::{Reply, Request};
use crate::native_hook::{HostCall, NativeHook, NativeResponse};
use crate::ui::Waiting;

/// What is started for a hook.
pub(crate) enum Work {
    /// A command. `says_async`: whose hook it is, where one may say by its first line that it continues in the background.
    Command { invocation: Box<Invocation>, says_async: Option<Dialect> },
    /// Code of the host, or what this library has instead of a command.
    NativeHook(Arc<dyn NativeHook>, HostCall),
    /// A request to a server. Its answer is taken as what a command printed.
    Http(Arc<Request>, HostCall),
}

/// How it has ended.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for each hook, for a moment")]
pub(crate) enum Completion {
    /// A command ran.
    Ran(Outcome),
    /// All that is known is how the work ended, and after how long.
    Ended(End, Duration),
    /// It said after this time that it continues in the background, and is not waited for any more.
    InBackground(Duration),
    /// A request was sent, or could not be.
    Replied(Reply),
    /// A hook that is no command answered.
    Answered(NativeResponse),
    /// It was not started, or does not count, because nobody trusts it as it is; why.
    Untrusted(String),
    /// It was not started, because the hook of this name, before it, has decided.
    NotAsked(String),
}

impl Work {
    /// Begins, and returns at once. `done` is called once, or dropped where the work panicked.
    pub(crate) fn start(
        self,
        executor: &dyn Execute,
        done: impl FnOnce(Completion) + Send + 'static,
    ) -> Box<dyn Running> {
        match self {
            Self::Command { invocation, .. } => {
                executor.start(*invocation, Box::new(|outcome| done(Completion::Ran(outcome))))
            }
            Self::NativeHook(hook, call) => {
                let cancel = call.cancel.clone();
                let done = Box::new(|response| done(Completion::Answered(response)));
                // A panic drops `done`, and that is the report.
                let _ = catch_unwind(AssertUnwindSafe(|| hook.start(call, done)));
                Box::new(cancel)
            }
            Self::Http(request, call) => {
                let cancel = call.cancel.clone();
                request.start(call, Box::new(|reply| done(Completion::Replied(reply))));
                Box::new(cancel)
            }
        }
    }

    /// The time in which it waits for a person, where it can.
    pub(crate) fn waiting(&self) -> Option<Arc<Waiting>> {
        match self {
            Self::Command { .. } | Self::Http(..) => None,
            Self::NativeHook(_, call) => Some(Arc::clone(&call.waiting)),
        }
    }

    /// How long it may take until it is given up, where it keeps to what it was given; `slack` is for the report.
    pub(crate) fn max_wait(&self, slack: Duration) -> Duration {
        match self {
            Self::Command { invocation, .. } => {
                invocation.timeout.unwrap_or(Duration::MAX).saturating_add(invocation.grace).saturating_add(slack)
            }
            // Nothing keeps its time for it.
            Self::NativeHook(_, call) | Self::Http(_, call) => call.timeout,
        }
    }
}

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
