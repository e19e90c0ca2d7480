//! `nohup`: run a command that continues when the terminal is gone.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::parse_leading;
use hookshell_utility::quote;
use hookshell_utility::{Args, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Profile, Utility, prepare};

use super::started::{runs_in_process, status_of};

/// `nohup COMMAND [ARG]…` (XCU `nohup`) away from terminals, as hooks call it.
///
/// What ignores HUP is a process: on Unix a program is for the real `nohup` to start. Here are: a bundled utility that
/// is nowhere on PATH; no command at all; and everything on Windows, where there is no such signal. At a terminal it
/// would redirect to `nohup.out`: that is refused when it runs.
pub(crate) struct Nohup;

impl Utility for Nohup {
    fn name(&self) -> &'static str {
        "nohup"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(125), call, read, run)
    }
}

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

struct Command<'a> {
    words: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse_leading(call.argv, &[])?;
    match parsed.operands.first() {
        Some(name) if !cfg!(windows) && !runs_in_process(name, call) => Err(Unsupported::new("programs")),
        _ => Ok(Command { words: parsed.operands }),
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let argv: Args = command.words.iter().collect();
    if argv.is_empty() {
        running.usage(b"missing operand")?;
        return Ok(CANCELED);
    }
    let context = running.context();
    if [context.stdin(), context.stdout(), context.stderr()].into_iter().flatten().any(|stream| stream.is_terminal()) {
        running.message(b"hookshell's own nohup does not work at a terminal: redirect its input and output")?;
        return Ok(CANCELED);
    }
    let outcome = running.command(&argv, context.fds.clone())?;
    status_of(running, outcome.end, &[b"failed to run command ", &quote::locale(&argv[0])[..]].concat())
}
