//! `xargs`: build commands from standard input and run them.

mod batch;
mod input;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{
    LONG_ONLY, OptionSpec, Parsed, flag, optional, optional_or_empty, parse_leading, value,
};
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Stopped, Stream, Unsupported, Utility, UtilityCall};

use self::batch::{Batch, Limits};
use self::input::{Input, Item, Separator};

/// `xargs [-0rtx] [-d CHAR] [-E EOF] [-I TEXT | -L N | -n N] [-s N] [-P N] [-a FILE] [COMMAND [ARG]…]` (XCU `xargs`, findutils).
///
/// `-p`, `-o` and `--show-limits` are the real one's.
pub(crate) struct Xargs;

const OPTIONS: &[OptionSpec] = &[
    flag(b'0', "null"),
    value(b'd', "delimiter"),
    value(b'a', "arg-file"),
    value(b'E', ""),
    optional_or_empty(b'e', "eof"),
    value(b'I', ""),
    optional(b'i', "replace"),
    value(b'L', ""),
    optional(b'l', "max-lines"),
    value(b'n', "max-args"),
    value(b'P', "max-procs"),
    flag(b'r', "no-run-if-empty"),
    value(b's', "max-chars"),
    flag(b't', "verbose"),
    flag(b'x', "exit"),
    value(LONG_ONLY, "process-slot-var"),
];

/// A command that ended with 255.
const ABORTED: u8 = 124;
/// A command that a signal ended.
const SIGNALLED: u8 = 125;
/// A command that failed.
const FAILED: u8 = 123;

/// What the command line says.
struct Command<'a> {
    parsed: Parsed<'a>,
    separator: Separator,
    end: Option<&'a [u8]>,
    replace: Option<&'a [u8]>,
    lines: usize,
    arguments: usize,
    size: usize,
    parallel: usize,
    /// Warnings to begin with.
    warnings: Vec<&'static str>,
}

/// More commands do not run at once.
const MOST_AT_ONCE: usize = 16;

/// The size of a command line that findutils builds if it can.
const SIZE: usize = 128 * 1024;

fn read(argv: &Args) -> Result<Command<'_>, Unsupported> {
    let parsed = parse_leading(argv, OPTIONS)?;
    let mut command = Command {
        separator: Separator::Blanks,
        end: None,
        replace: None,
        lines: 0,
        arguments: 0,
        size: SIZE,
        parallel: 1,
        warnings: Vec::new(),
        parsed: Parsed::default(),
    };
    let mut last_mode = None;
    for &(option, text) in &parsed.options {
        let unsupported = || Unsupported::mistake(format!("-{} {}", char::from(option), text.escape_ascii()));
        let number = || -> Result<usize, Unsupported> {
            // Of a wrong number the real one makes messages of its own.
            let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(text).ok().filter(|_| digits).and_then(|text| text.parse().ok());
            number.filter(|number| *number > 0 && *number <= 1_000_000_000).ok_or_else(unsupported)
        };
        match option {
            b'0' => command.separator = Separator::Byte(0),
            b'd' => command.separator = Separator::Byte(delimiter(text).ok_or_else(unsupported)?),
            b'E' | b'e' => command.end = Some(text).filter(|text| !text.is_empty()),
            b'I' | b'i' => {
                let default = option == b'i' && text.is_empty();
                let pattern = if default { &b"{}"[..] } else { text };
                if pattern.is_empty() {
                    return Err(unsupported());
                }
                match last_mode.replace(b'I') {
                    Some(b'n') => command.warnings.push(
                        "warning: options --max-args and --replace/-I/-i are mutually exclusive, ignoring previous --max-args value",
                    ),
                    Some(b'L') => command.warnings.push(
                        "warning: options --max-lines and --replace/-I/-i are mutually exclusive, ignoring previous --max-lines value",
                    ),
                    _ => {}
                }
                (command.replace, command.lines, command.arguments) = (Some(pattern), 0, 0);
            }
            b'L' | b'l' => {
                let by_small = option == b'l';
                match last_mode.replace(b'L') {
                    Some(b'n') if by_small => command.warnings.push(
                        "warning: options --max-args and --max-lines/-l are mutually exclusive, ignoring previous --max-args value",
                    ),
                    Some(b'n') => command.warnings.push(
                        "warning: options --max-args and -L are mutually exclusive, ignoring previous --max-args value",
                    ),
                    Some(b'I') if by_small => command.warnings.push(
                        "warning: options --replace and --max-lines/-l are mutually exclusive, ignoring previous --replace value",
                    ),
                    Some(b'I') => command.warnings.push(
                        "warning: options --replace and -L are mutually exclusive, ignoring previous --replace value",
                    ),
                    _ => {}
                }
                (command.replace, command.arguments) = (None, 0);
                command.lines = if option == b'l' && text.is_empty() { 1 } else { number()? };
            }
            b'n' => {
                let count = number()?;
                match last_mode {
                    // Such a count is what replacing does anyway.
                    Some(b'I') if count == 1 => {}
                    before => {
                        match before {
                            Some(b'L') => command.warnings.push(
                                "warning: options --max-lines and --max-args/-n are mutually exclusive, ignoring previous --max-lines value",
                            ),
                            Some(b'I') => command.warnings.push(
                                "warning: options --replace and --max-args/-n are mutually exclusive, ignoring previous --replace value",
                            ),
                            _ => {}
                        }
                        last_mode = Some(b'n');
                        (command.replace, command.lines, command.arguments) = (None, 0, count);
                    }
                }
            }
            b'P' => {
                if text.is_empty() || !text.iter().all(u8::is_ascii_digit) || text.len() > 9 {
                    return Err(unsupported());
                }
                // 0: as many as possible.
                let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
                command.parallel = if number == 0 { MOST_AT_ONCE } else { number.min(MOST_AT_ONCE) };
            }
            b's' => {
                command.size = number()?;
                // More than the system may take is something that the real one finds out.
                if command.size > 1_000_000 {
                    return Err(unsupported());
                }
            }
            b'a' | b'r' | b't' | b'x' => {}
            _ => return Err(unsupported()),
        }
    }
    if command.end.is_some() && matches!(command.separator, Separator::Byte(_)) {
        command.end = None;
        command.warnings.push("warning: the -E option has no effect if -0 or -d is used.\n");
    }
    Ok(Command { parsed, ..command })
}

/// The character that `-d` names, in C's notation; a longer one is for the real one.
fn delimiter(text: &[u8]) -> Option<u8> {
    match text {
        [byte] => Some(*byte),
        [b'\\', letter] if !letter.is_ascii_digit() => match letter {
            b'a' => Some(0x07),
            b'b' => Some(0x08),
            b'f' => Some(0x0c),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(0x0b),
            b'\\' => Some(b'\\'),
            _ => None,
        },
        [b'\\', b'x', digits @ ..] if digits.len() <= 2 => number(digits, 16),
        [b'\\', digits @ ..] if !digits.is_empty() && digits.len() <= 3 => number(digits, 8),
        _ => None,
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u8> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

impl Utility for Xargs {
    fn name(&self) -> &'static str {
        "xargs"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| read(call.argv), run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    for warning in &command.warnings {
        running.message(warning.as_bytes())?;
    }
    let mut fds = running.context().fds.clone();
    let source = match command.parsed.last(b'a') {
        Some(b"-") | None => {
            // The commands must not read what is ours.
            fds.replace(0, Some(std::sync::Arc::new(Stream::null())));
            running.open(b"-")?
        }
        Some(file) => running.open_file(file)?,
    };
    let source = match source {
        Ok(source) => source,
        Err(error) => match command.parsed.last(b'a') {
            Some(file) => {
                running.report_error(
                    &[&b"Cannot open input file "[..], &hookshell_utility::quote::locale(file)].concat(),
                    &error,
                )?;
                return Ok(1);
            }
            // A closed standard input is an empty one.
            None => hookshell_utility::io::Source::Stream(std::sync::Arc::new(Stream::null())),
        },
    };
    let words: Vec<&[u8]> = match command.parsed.operands.as_slice() {
        [] => vec![b"echo"],
        operands => operands.to_vec(),
    };
    let limits = Limits {
        size: command.size,
        arguments: command.arguments,
        exits: command.replace.is_some() || (command.parsed.has(b'x') && (command.lines > 0 || command.arguments > 0)),
        is_verbose: command.parsed.has(b't'),
        parallel: command.parallel,
    };
    let mut batch = Batch::new(running, fds, &words, limits);
    let ended = match command.replace {
        None => collect(&command, Input::new(running, source), &mut batch),
        Some(pattern) => insert(&command, pattern, Input::new(running, source), &mut batch),
    };
    let ended = match ended {
        Ok(()) => batch.finish(),
        // What has been started continues, and its status counts less.
        Err(End::Status(status)) => batch.finish().and(Err(End::Status(status))),
        failed => failed,
    };
    match ended {
        Ok(()) => Ok(batch.status()),
        Err(End::Failure(failure)) => Err(failure),
        Err(End::Status(status)) => Ok(status),
    }
}

/// Why it ends before the input does.
enum End {
    Failure(Failure),
    /// With this status; the message is written.
    Status(u8),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Stopped> for End {
    fn from(stopped: Stopped) -> Self {
        Self::Failure(stopped.into())
    }
}

fn collect(command: &Command<'_>, mut input: Input<'_>, batch: &mut Batch<'_>) -> Result<(), End> {
    batch.begin()?;
    let mut lines = 0;
    // Room for one item beside the command's own words, as the real one has it in its buffer.
    let longest = command.size.saturating_sub(batch.own_size()).saturating_sub(1);
    loop {
        let item = match input.next(command.separator, command.end, false, longest) {
            Ok(item) => item,
            Err(bad) => {
                let runs = command.lines == 0 && !command.parsed.has(b'x');
                return Err(give_up(batch, bad, runs)?);
            }
        };
        match item {
            None => break,
            Some(Item { text, ends_line }) => {
                if let Some(text) = text {
                    batch.push(text)?;
                }
                if ends_line {
                    lines += 1;
                }
                if command.lines > 0 && lines >= command.lines {
                    batch.run()?;
                    lines = 0;
                }
            }
        }
    }
    if batch.is_filled() || (!command.parsed.has(b'r') && !batch.has_run()) {
        batch.run()?;
    }
    Ok(())
}

fn insert(command: &Command<'_>, pattern: &[u8], mut input: Input<'_>, batch: &mut Batch<'_>) -> Result<(), End> {
    let longest = command.size.saturating_sub(1);
    loop {
        match input.next(command.separator, command.end, true, longest) {
            Ok(None) => return Ok(()),
            Ok(Some(Item { text, .. })) => batch.run_with(pattern, text.unwrap_or_default())?,
            Err(bad) => return Err(give_up(batch, bad, false)?),
        }
    }
}

/// The input is wrong. `runs`: what was collected still runs, as it does without `-x` and what implies it (findutils'
/// `exec_if_possible`).
fn give_up(batch: &mut Batch<'_>, bad: input::Bad, runs: bool) -> Result<End, End> {
    let text: &[u8] = match bad {
        input::Bad::Failure(failure) => return Ok(End::Failure(failure)),
        input::Bad::Quote(b'"') => {
            b"unmatched double quote; by default quotes are special to xargs unless you use the -0 option"
        }
        input::Bad::Quote(_) => {
            b"unmatched single quote; by default quotes are special to xargs unless you use the -0 option"
        }
        input::Bad::TooLong => b"argument line too long",
    };
    if runs && batch.is_filled() {
        batch.run()?;
    }
    batch.running().message(text)?;
    Ok(End::Status(1))
}
