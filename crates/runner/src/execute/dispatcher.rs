//! The real one.

use std::sync::Arc;

use hookshell_dispatch::{
    Command as Source, Dispatcher, End as DispatchEnd, Handle, Input, Invocation, Outcome, Output, StartFailureKind,
};

use super::{Command, Done, End, Execute, Ran, Running};

/// Runs commands through a [`Dispatcher`].
pub(crate) struct DispatcherExecute(pub(crate) Dispatcher);

impl Execute for DispatcherExecute {
    fn start(&self, command: Command, done: Done) -> Box<dyn Running> {
        let invocation = Invocation {
            env: Arc::unwrap_or_clone(command.env),
            base_env: command.base_env,
            stdin: Input::Bytes(command.stdin),
            output: Output::Capture { limit: command.output_limit },
            timeout: Some(command.timeout),
            grace: command.grace,
            missing_shell: command.missing_shell,
            shell_scripts: command.shell_scripts,
            withheld: command.withheld,
            guard: command.guard,
            ..Invocation::new(Source::source(&command.command), command.cwd)
        };
        Box::new(self.0.start(invocation, move |outcome| done(ran(outcome))))
    }

    fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        self.0.wait_for_background(give_up);
    }

    fn wait_for_runs(&self, give_up: &dyn Fn() -> bool) {
        self.0.wait_for_runs(give_up);
    }
}

impl Running for Handle {
    fn cancel(&self) {
        Self::cancel(self);
    }
}

fn ran(outcome: Outcome) -> Ran {
    Ran {
        end: match outcome.end {
            DispatchEnd::Exited => End::Exited,
            DispatchEnd::Signaled(signal) => End::Signaled(signal),
            DispatchEnd::TimedOut => End::TimedOut,
            DispatchEnd::Cancelled => End::Cancelled,
            DispatchEnd::NotStarted(failure) => match failure.kind {
                StartFailureKind::NotFound => End::NotFound(failure.to_string()),
                StartFailureKind::NotExecutable => End::NotExecutable(failure.to_string()),
                _ => End::NotStarted(failure.to_string()),
            },
            DispatchEnd::SyntaxError(error) => End::SyntaxError(error.to_string()),
            DispatchEnd::StatusLost => End::StatusLost,
            DispatchEnd::Panicked => End::Panicked,
            DispatchEnd::LimitExceeded(limit) => End::LimitExceeded(limit),
            DispatchEnd::Withheld(reason) => End::Withheld(reason),
            DispatchEnd::Changed(reason) => End::Changed(reason),
            // An end that is not known here is no status that may be trusted.
            other => End::NotStarted(other.to_string()),
        },
        status: outcome.status,
        stdout: outcome.stdout,
        stderr: outcome.stderr,
        stdout_cut: outcome.dropped.stdout > 0,
        route: Some(outcome.route.to_string()),
        shells: outcome.shells,
        elapsed: outcome.duration,
    }
}
