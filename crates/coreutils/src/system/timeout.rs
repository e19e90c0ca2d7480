//! `timeout`: run a command with a time limit.

use std::time::Duration;

use hookshell_process::signals;
use hookshell_utility::Profile;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse_leading, value};
use hookshell_utility::prepare_yielding;
use hookshell_utility::quote;
use hookshell_utility::{Args, CommandEnd, Prepared, TimeLimit, Unsupported, Utility, UtilityCall};

use super::sleep::seconds;

/// `timeout [-v] [-s SIGNAL] [-k DURATION] [--foreground --preserve-status] DURATION COMMAND [ARG]…` (GNU).
///
/// The command's processes form a process group of their own, as the real one's do, and get the signal together. A
/// bundled utility ends whatever the signal is. Signals whose default action is not the end of a process are the real
/// program's. So is `--foreground` where there is one: here it changes nothing, as there is no terminal, but the command's children
/// are ended, too.
pub(crate) struct Timeout;

const PRESERVE_STATUS: u8 = LONG_ONLY;
const FOREGROUND: u8 = LONG_ONLY + 1;
const OPTIONS: &[OptionSpec] = &[
    value(b's', "signal"),
    value(b'k', "kill-after"),
    flag(PRESERVE_STATUS, "preserve-status"),
    flag(FOREGROUND, "foreground"),
    flag(b'v', "verbose"),
];

const TIMED_OUT: u8 = 124;
const CANCELED: u8 = 125;
const KILLED: u8 = 128 + 9;

/// Signals that end a process.
const ENDING: [&str; 10] = ["ABRT", "ALRM", "HUP", "INT", "KILL", "PIPE", "QUIT", "TERM", "USR1", "USR2"];

/// An ending signal by its name, with or without `SIG`, or by its number.
fn ending_signal(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?;
    let number = match text.parse() {
        Ok(number) => number,
        Err(_) => signals::number(text)?,
    };
    let name = signals::name(number)?;
    ENDING.contains(&name.strip_prefix("SIG").unwrap_or(name)).then_some(number)
}

struct Command<'a> {
    parsed: Parsed<'a>,
    signal: i32,
}

fn read(argv: &Args) -> Result<Command<'_>, Unsupported> {
    let parsed = parse_leading(argv, OPTIONS)?;
    let signal = match parsed.last(b's') {
        None => 15,
        Some(name) => {
            ending_signal(name).ok_or_else(|| Unsupported::mistake(format!("the signal {}", name.escape_ascii())))?
        }
    };
    let times = parsed.options.iter().filter(|(option, _)| *option == b'k').map(|(_, value)| *value);
    if let Some(text) = times.chain(parsed.operands.first().copied()).find(|text| !is_plain(text)) {
        return Err(Unsupported::mistake(format!("the duration {}", text.escape_ascii())));
    }
    Ok(Command { parsed, signal })
}

/// `strtod` reads hexadecimal numbers as well.
fn is_plain(text: &[u8]) -> bool {
    !text.windows(2).any(|two| matches!(two, b"0x" | b"0X"))
}

impl Utility for Timeout {
    fn name(&self) -> &'static str {
        "timeout"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(
            Profile::new(self.name()).usage(125),
            call,
            |call| read(call.argv),
            |command| command.parsed.has(FOREGROUND),
            run,
        )
    }
}

/// A time; `Some(None)` is no limit.
fn duration(text: &[u8]) -> Option<Option<Duration>> {
    /// Longer than any clock can say: as good as no limit.
    const FOR_EVER: f64 = 1e15;
    let seconds = seconds(text)?;
    if seconds <= 0.0 || seconds >= FOR_EVER {
        return Some(None);
    }
    // A limit that is below the clock's step is still one.
    Some(Some(Duration::from_secs_f64(seconds).max(Duration::from_nanos(1))))
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { parsed, signal } = command;
    let invalid = |text: &[u8]| -> Result<u8, Failure> {
        running.usage(&[&b"invalid time interval "[..], &quote::locale(text)].concat())?;
        Ok(CANCELED)
    };
    let mut kill_after = None;
    for (option, text) in &parsed.options {
        if *option == b'k' {
            match duration(text) {
                Some(duration) => kill_after = duration,
                None => return invalid(text),
            }
        }
    }
    let (Some((&time, words)), true) = (parsed.operands.split_first(), parsed.operands.len() > 1) else {
        // GNU names nothing here.
        if let Some(stderr) = running.context().stderr() {
            let _ = stderr.write_all(b"Try 'timeout --help' for more information.\n", running.interrupt());
        }
        return Ok(CANCELED);
    };
    let Some(after) = duration(time) else {
        return invalid(time);
    };
    let argv: Args = words.iter().collect();
    let context = running.context();
    let limit = TimeLimit { after, signal, kill_after };
    let outcome = running.command_in(&argv, context.env, context.cwd, context.fds.clone(), Some(limit))?;
    if outcome.timed_out && parsed.has(b'v') {
        let is_killed = outcome.signal == Some(9) && signal != 9 && kill_after.is_some();
        let name = signals::name(signal).unwrap_or_default();
        for name in [Some(name), is_killed.then_some("KILL")].into_iter().flatten() {
            let name = name.strip_prefix("SIG").unwrap_or(name);
            running.message(
                &[format!("sending signal {name} to command ").as_bytes(), &quote::locale(&argv[0])].concat(),
            )?;
        }
    }
    match outcome.end {
        CommandEnd::Ended(status) => {
            let preserves = parsed.has(PRESERVE_STATUS) || outcome.signal == Some(9) || signal == 9;
            Ok(match outcome.timed_out {
                true if signal == 9 => KILLED,
                true if !preserves => TIMED_OUT,
                _ => status,
            })
        }
        CommandEnd::NotStarted { status, reason } => {
            let text = [&b"failed to run command "[..], &quote::always(&argv[0]), b": ", reason.as_bytes()].concat();
            running.message(&text)?;
            Ok(status)
        }
    }
}
