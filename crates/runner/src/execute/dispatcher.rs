//! The real one.

use hookshell_dispatch::{
    Capture, Dispatcher, End as DispatchEnd, Handle, Input, Invocation, Outcome,
};

use super::{Cancel, Command, Done, End, Execute, Ran};

/// Runs commands through a [`Dispatcher`].
pub(crate) struct DispatcherExecute(pub(crate) Dispatcher);

impl Execute for DispatcherExecute {
    fn start(&self, command: Command, done: Done) -> Box<dyn Cancel> {
        let invocation = Invocation {
            command: command.command,
            cwd: command.cwd,
            env: command.env.to_vec(),
            stdin: Input::Bytes(command.stdin),
            output: Capture {
                limit: command.output_limit,
            },
            timeout: Some(command.timeout),
            grace: command.grace,
        };
        Box::new(self.0.start(invocation, move |outcome| done(ran(outcome))))
    }
}

impl Cancel for Handle {
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
            DispatchEnd::NotStarted(why) => match outcome.status {
                127 => End::NotFound(why.to_string()),
                126 => End::NotExecutable(why.to_string()),
                _ => End::NotStarted(why.to_string()),
            },
            DispatchEnd::SyntaxError(error) => End::SyntaxError(error.to_string()),
            DispatchEnd::StatusLost => End::StatusLost,
            DispatchEnd::Panicked => End::Panicked,
            DispatchEnd::LimitExceeded => End::LimitExceeded("a limit of the shell".to_owned()),
        },
        status: outcome.status,
        stdout: outcome.stdout,
        stderr: outcome.stderr,
        stdout_cut: outcome.dropped.stdout > 0,
        route: Some(outcome.route.to_string()),
        elapsed: outcome.duration,
    }
}
