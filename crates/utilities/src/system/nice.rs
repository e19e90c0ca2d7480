//! `nice`: run a command with another priority.

use hookshell_process::{system, text};
use hookshell_utility::{Args, CommandEnd, Unsupported, UtilityCall};

use crate::io::{Failure, Running};
use crate::options::{OptionSpec, parse_leading, value};
use crate::quote;

utility! {
    /// `nice [-n N] [COMMAND [ARG]…]` (XCU `nice`, without the old form `-N`).
    ///
    /// The priority is a process's: on Unix a program is for the real `nice` to start. Here are: a bundled utility that is
    /// nowhere on PATH, which runs with this process's priority; no command at all; and everything on Windows.
    Nice, "nice", usage: 125
}

const OPTIONS: &[OptionSpec] = &[value(b'n', "adjustment")];

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

struct Command<'a> {
    has_adjustment: bool,
    words: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse_leading(call.argv, OPTIONS)?;
    if let Some(text) = parsed.last(b'n') {
        let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(Unsupported::mistake(format!("the adjustment {}", text.escape_ascii())));
        }
    }
    if let Some(name) = parsed.operands.first()
        && !cfg!(windows)
        && (!runs_in_process(name, call) || *name == b"nice")
    {
        return Err(Unsupported::new("programs"));
    }
    Ok(Command { has_adjustment: parsed.last(b'n').is_some(), words: parsed.operands })
}

/// Is it a bundled utility, and no program?
pub(super) fn runs_in_process(name: &[u8], call: &UtilityCall<'_>) -> bool {
    let path = call.env.iter().find(|(variable, _)| variable == "PATH").map(|(_, value)| text::from_os(value));
    let is_program = path.as_deref().unwrap_or(b"/bin:/usr/bin").split(|byte| *byte == b':').any(|folder| {
        let file = call.cwd.join(text::to_os(folder)).join(text::to_os(name));
        file.is_file() && system::access(&file, system::Access::Execute)
    });
    !name.contains(&b'/') && !is_program && crate::utilities().iter().any(|utility| utility.name().as_bytes() == name)
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let argv: Args = command.words.iter().collect();
    if argv.is_empty() {
        if command.has_adjustment {
            running.usage(b"a command must be given with an adjustment")?;
            return Ok(CANCELED);
        }
        running.write(format!("{}\n", niceness()).as_bytes())?;
        return Ok(0);
    }
    let outcome = running.command(&argv, running.context().fds.clone())?;
    match outcome.end {
        CommandEnd::Ended(status) => Ok(status),
        CommandEnd::NotStarted { status, reason } => {
            running.message(&[&quote::locale(&argv[0])[..], b": ", reason.as_bytes()].concat())?;
            Ok(status)
        }
    }
}

#[cfg(unix)]
fn niceness() -> i32 {
    rustix::process::getpriority_process(None).unwrap_or(0)
}

#[cfg(not(unix))]
fn niceness() -> i32 {
    0
}
