//! `nice`: run a command with another priority.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, parse_leading, value};
use hookshell_utility::quote;
use hookshell_utility::{Args, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Profile, Utility, prepare};

use super::started::{runs_in_process, status_of};

/// `nice [-n N] [COMMAND [ARG]…]` (XCU `nice`, with the old form `-N`).
///
/// The priority is a process's: on Unix a program is for the real `nice` to start. Here are: a name that is
/// nowhere on PATH, which runs with this process's priority; no command at all; and everything on Windows.
pub(crate) struct Nice;

impl Utility for Nice {
    fn name(&self) -> &'static str {
        "nice"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(125), call, read, run)
    }
}

const OPTIONS: &[OptionSpec] = &[value(b'n', "adjustment")];

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

struct Command {
    has_adjustment: bool,
    words: Args,
}

/// The words with `-n N` in place of the old form `-N`; `--5` is -5.
fn with_new_form(argv: &Args) -> Args {
    let mut words = Args::new();
    let mut is_leading = true;
    let mut is_value = false;
    for (index, word) in argv.iter().enumerate() {
        is_leading &= index == 0 || is_value || word.starts_with(b"-") && word != b"--";
        let digits = word.strip_prefix(b"-").unwrap_or_default();
        let digits = digits.strip_prefix(b"-").or(digits.strip_prefix(b"+")).unwrap_or(digits);
        let is_old = is_leading && !is_value && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        is_value = !is_value && (word == b"-n" || word == b"--adjustment");
        match word.strip_prefix(b"-").filter(|_| is_old) {
            Some(adjustment) => words.push(&[b"-n", adjustment].concat()),
            None => words.push(word),
        }
    }
    words
}

fn read(call: &UtilityCall<'_>) -> Result<Command, Unsupported> {
    let argv = with_new_form(call.argv);
    let parsed = parse_leading(&argv, OPTIONS)?;
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
    Ok(Command { has_adjustment: parsed.has(b'n'), words: parsed.operands.iter().collect() })
}

fn run(running: &Running<'_>, command: Command) -> Result<u8, Failure> {
    let argv = command.words;
    if argv.is_empty() {
        if command.has_adjustment {
            running.usage(b"a command must be given with an adjustment")?;
            return Ok(CANCELED);
        }
        running.write(format!("{}\n", niceness()).as_bytes())?;
        return Ok(0);
    }
    let outcome = running.command(&argv, running.context().fds.clone())?;
    status_of(running, outcome.end, &quote::locale(&argv[0]))
}

#[cfg(unix)]
fn niceness() -> i32 {
    rustix::process::getpriority_process(None).unwrap_or(0)
}

#[cfg(not(unix))]
fn niceness() -> i32 {
    0
}
