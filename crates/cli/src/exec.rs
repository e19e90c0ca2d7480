//! `hookshell exec`: one command, dispatched as a hook's command is, with this process's streams and the command's own
//! exit code.

use std::ffi::OsString;

use clap::Args;
use hookshell_dispatch::{Command, End, Environment, Input, Invocation, Outcome, Output, StartFailureKind};
use hookshell_process::text;

use crate::directories::working_directory;
use crate::exec_log::ExecLog;
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::options::DispatchArgs;
use crate::signals::{Signals, TERM, signal_status};

pub(crate) const EXAMPLES: &str = r"The exit code is the command's.

Examples:
  hookshell exec './hooks/check.sh --strict'
  hookshell exec 'cat config.json | jq -r .name'";

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
    /// The command as one argument, as a config has it
    #[arg(allow_hyphen_values = true)]
    pub(crate) command: OsString,
}

/// Runs a command.
pub(crate) fn main(args: &ExecArgs) -> Result<ExitCode, Failure> {
    let mut invocation = Invocation::new(Command::source(text::from_os(&args.command)), working_directory()?);
    invocation.env = Environment::of_process();
    invocation.stdin = Input::Inherit;
    invocation.output = Output::Inherit;
    invocation.isolated = false;
    // A hook that looks at its parent, to tell sessions apart, finds the agent.
    invocation.is_process = true;

    let signals = Signals::catch().map_err(|error| Failure::new(Sysexit::System, "signals", error))?;
    let done = signals.completion();
    let dispatcher = args.dispatch.dispatcher();
    let log = ExecLog::begin(&args.command);
    let handle = dispatcher.start(invocation, move |outcome| done.complete(outcome));
    let finished = signals.wait(handle.token());
    if finished.signal.is_none() {
        // Background lists that are no program of their own run on threads of this process.
        dispatcher.wait_for_background(&|| false);
    }
    match finished.result {
        Some(outcome) => {
            if let Some(log) = log {
                log.end(&outcome);
            }
            exit_code(&outcome, finished.signal)
        }
        None => Ok(ExitCode::from(finished.signal.map_or(Sysexit::Software as u8, signal_status))),
    }
}

fn exit_code(outcome: &Outcome, signal: Option<i32>) -> Result<ExitCode, Failure> {
    match &outcome.end {
        End::Panicked => Err(Failure::new(Sysexit::Software, "exec", &outcome.end)
            .hint("this is a bug of hookshell's: please report it with the command")),
        // A run that did not even begin, so that no shell could say why.
        End::NotStarted(failure) if failure.kind == StartFailureKind::Spawn && failure.command == "hookshell" => {
            Err(Failure::new(Sysexit::System, "exec", &failure.message))
        }
        End::Cancelled if outcome.status == signal_status(TERM) => {
            Ok(ExitCode::from(signal.map_or(outcome.status, signal_status)))
        }
        // A limit that was reached is no deny: the shell's own status for it is 2, which an agent takes for one.
        End::LimitExceeded(_) => Ok(ExitCode::from(1)),
        // bash ends with 0 at an error inside `[[ ]]`, and with 127 in `$( )`. What cannot be read may be a guard: it denies.
        End::SyntaxError(_) => Ok(ExitCode::from(2)),
        // What else there is to say the shell has written to standard error.
        _ => Ok(ExitCode::from(outcome.status)),
    }
}
