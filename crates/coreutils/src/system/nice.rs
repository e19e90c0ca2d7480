//! `nice`: run a command with another priority.

use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, parse_leading, value};
use hookshell_utility::quote;
use hookshell_utility::{Args, CommandEnd, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Profile, Utility, prepare};

use super::IsBundled;

/// `nice [-n N] [COMMAND [ARG]…]` (XCU `nice`, without the old form `-N`).
///
/// The priority is a process's: on Unix a program is for the real `nice` to start. Here are: a bundled utility that is
/// nowhere on PATH, which runs with this process's priority; no command at all; and everything on Windows.
pub(crate) struct Nice {
    pub(crate) is_bundled: IsBundled,
}

impl Utility for Nice {
    fn name(&self) -> &'static str {
        "nice"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(125), call, |call| read(call, self.is_bundled), run)
    }
}

const OPTIONS: &[OptionSpec] = &[value(b'n', "adjustment")];

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

struct Command<'a> {
    has_adjustment: bool,
    words: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>, is_bundled: IsBundled) -> Result<Command<'a>, Unsupported> {
    let parsed = parse_leading(call.argv, OPTIONS)?;
    if let Some(text) = parsed.last(b'n') {
        let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(Unsupported::mistake(format!("the adjustment {}", text.escape_ascii())));
        }
    }
    if let Some(name) = parsed.operands.first()
        && !cfg!(windows)
        && (!runs_in_process(name, call, is_bundled) || *name == b"nice")
    {
        return Err(Unsupported::new("programs"));
    }
    Ok(Command { has_adjustment: parsed.last(b'n').is_some(), words: parsed.operands })
}

/// Is it a bundled utility, and no program?
pub(super) fn runs_in_process(name: &[u8], call: &UtilityCall<'_>, is_bundled: IsBundled) -> bool {
    let path = call.env.iter().find(|(variable, _)| variable == "PATH").map(|(_, value)| text::from_os(value));
    let is_program = path.as_deref().unwrap_or(b"/bin:/usr/bin").split(|byte| *byte == b':').any(|directory| {
        let file = call.cwd.join(text::to_os(directory)).join(text::to_os(name));
        file.is_file() && system::access(&file, system::Access::Execute)
    });
    !name.contains(&b'/') && !is_program && is_bundled(name)
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
