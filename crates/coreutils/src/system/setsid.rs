//! `setsid`: run a command in a session of its own.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse_leading};
use hookshell_utility::{Args, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Utility, prepare_yielding};

use super::started::{runs_in_process, status_of};

/// `setsid [-w] COMMAND [ARG]…` (util-linux).
///
/// A session is a process's: the real one does it wherever there is one. Here are a command that runs in process, and
/// everything on Windows, which has no sessions. `-f` and `-c` are about a process and its terminal.
pub(crate) struct Setsid;

const OPTIONS: &[OptionSpec] = &[flag(b'w', "wait")];

impl Utility for Setsid {
    fn name(&self) -> &'static str {
        "setsid"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(self.name(), call, read, |_| true, run)
    }
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Vec<&'a [u8]>, Unsupported> {
    let words = parse_leading(call.argv, OPTIONS)?.operands;
    match words.first() {
        Some(name) if !cfg!(windows) && !runs_in_process(name, call) => Err(Unsupported::new("programs")),
        _ => Ok(words),
    }
}

fn run(running: &Running<'_>, words: Vec<&[u8]>) -> Result<u8, Failure> {
    let argv: Args = words.iter().collect();
    if argv.is_empty() {
        return running.usage(b"no command specified");
    }
    let outcome = running.command(&argv, running.context().fds.clone())?;
    status_of(running, outcome.end, &[b"failed to execute ", &argv[0]].concat())
}
