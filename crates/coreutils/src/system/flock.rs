//! `flock`: locks of files for scripts.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_files::mode::create_file;
use hookshell_process::{FileLock, Opening, text, try_lock};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse_leading, value};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Args, CommandEnd, ShellCall, Stopped, Stream, Unsupported, UtilityCall};

use super::sleep::seconds;
use crate::files::base_name;

utility! {
    /// `flock [-sxnoF] [-w SECONDS] [-E STATUS] FILE COMMAND [ARG]…`, `… FILE -c LINE`, `flock [-sxun] [-w SECONDS] [-E STATUS] FD`
    /// (util-linux): the lock of a file while a command runs, or of the script's own descriptor.
    Flock, "flock", usage: 64
}

const WAIT: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[
    flag(b's', "shared"),
    flag(b'x', "exclusive"),
    flag(b'e', ""),
    flag(b'u', "unlock"),
    flag(b'n', "nonblock"),
    flag(b'n', "nonblocking"),
    flag(b'n', "nb"),
    value(b'w', "timeout"),
    value(WAIT, "wait"),
    value(b'E', "conflict-exit-code"),
    flag(b'o', "close"),
    flag(b'F', "no-fork"),
];

/// The statuses are those of sysexits.h.
const USAGE: u8 = 64;
const DATA_ERROR: u8 = 65;
const NO_INPUT: u8 = 66;
const UNAVAILABLE: u8 = 69;
const OS_ERROR: u8 = 71;
const CANNOT_CREATE: u8 = 73;

/// How often a lock that another one has is asked for.
const PAUSE: Duration = Duration::from_millis(10);

fn read<'a>(call: &UtilityCall<'a>) -> Result<Parsed<'a>, Unsupported> {
    parse_leading(call.argv, OPTIONS)
}

/// What is locked, and what runs then.
enum Target<'a> {
    File(&'a [u8], Work<'a>),
    Descriptor(u32),
}

/// What runs while a file is locked.
enum Work<'a> {
    Command(Args),
    /// A line for the shell that is here.
    Line(&'a [u8]),
}

/// What the options say.
struct Request {
    lock: FileLock,
    conflict: u8,
    /// `None`: wait until it is there.
    deadline: Option<Instant>,
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    if parsed.operands.is_empty() && parsed.options.is_empty() {
        running.usage(b"not enough arguments")?;
        return Ok(USAGE);
    }
    let request = match request(running, &parsed)? {
        Ok(request) => request,
        Err(status) => return Ok(status),
    };
    match target(running, &parsed)? {
        Err(status) => Ok(status),
        Ok(Target::Descriptor(number)) => {
            let text = number.to_string();
            let file = running.descriptor(number).and_then(|stream| stream.share(&running.temp_dir()));
            match file {
                Ok(file) => Ok(take(running, &file, text.as_bytes(), &request)?.err().unwrap_or(0)),
                Err(error) => {
                    running.report_error(text.as_bytes(), &error)?;
                    Ok(DATA_ERROR)
                }
            }
        }
        Ok(Target::File(name, work)) => {
            let file = match open(running, name) {
                Ok(file) => file,
                Err(error) => {
                    running.report_error(&[b"cannot open lock file ", name].concat(), &error)?;
                    return Ok(match error.kind() {
                        ErrorKind::OutOfMemory => OS_ERROR,
                        ErrorKind::ReadOnlyFilesystem | ErrorKind::StorageFull => CANNOT_CREATE,
                        _ => NO_INPUT,
                    });
                }
            };
            if let Err(status) = take(running, &file, name, &request)? {
                return Ok(status);
            }
            execute(running, file, &work, parsed.has(b'o'))
        }
    }
}

/// The error: a status; the message is written.
fn request(running: &Running<'_>, parsed: &Parsed<'_>) -> Result<Result<Request, u8>, Stopped> {
    let mut request = Request { lock: FileLock::Exclusive, conflict: 1, deadline: None };
    let now = Instant::now();
    for (letter, given) in &parsed.options {
        let number = String::from_utf8_lossy(given);
        match letter {
            b's' => request.lock = FileLock::Shared,
            b'x' | b'e' => request.lock = FileLock::Exclusive,
            b'u' => request.lock = FileLock::Unlocked,
            b'n' => request.deadline = Some(now),
            b'w' | &WAIT => match number.parse::<f64>() {
                Ok(seconds) if seconds < 0.0 => {
                    running.message(b"cannot set up timer: Invalid argument")?;
                    return Ok(Err(OS_ERROR));
                }
                // Only what is a number to the real one: `seconds` takes units, too.
                Ok(seconds) if self::seconds(given).is_some() => {
                    request.deadline = Duration::try_from_secs_f64(seconds).ok().and_then(|time| now.checked_add(time));
                }
                _ => {
                    running.message(&[b"invalid timeout value: ", &quote::always(given)[..]].concat())?;
                    return Ok(Err(USAGE));
                }
            },
            b'E' => match number.parse::<i64>() {
                Ok(status) => match u8::try_from(status) {
                    Ok(status) => request.conflict = status,
                    Err(_) => {
                        running.message(b"exit code out of range (expected 0 to 255)")?;
                        return Ok(Err(USAGE));
                    }
                },
                Err(_) => {
                    running.message(&[b"invalid exit code: ", &quote::always(given)[..]].concat())?;
                    return Ok(Err(USAGE));
                }
            },
            _ => {}
        }
    }
    if parsed.has(b'o') && parsed.has(b'F') {
        running.message(b"the --no-fork and --close options are incompatible")?;
        return Ok(Err(USAGE));
    }
    Ok(Ok(request))
}

fn target<'a>(running: &Running<'_>, parsed: &Parsed<'a>) -> Result<Result<Target<'a>, u8>, Stopped> {
    match parsed.operands[..] {
        [] => {
            running.message(b"requires file descriptor, file or directory")?;
            Ok(Err(USAGE))
        }
        [number] => match std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()) {
            Some(number) => Ok(Ok(Target::Descriptor(number))),
            None => {
                running.message(&[b"bad file descriptor: ", &quote::always(number)[..]].concat())?;
                Ok(Err(USAGE))
            }
        },
        [name, option @ (b"-c" | b"--command"), ref lines @ ..] => match lines {
            [line] => {
                let shell = running.context().variable("SHELL").map(text::from_os).unwrap_or_default();
                let is_here =
                    shell.is_empty() || matches!(base_name(&shell), b"sh" | b"bash" | b"dash") || cfg!(windows);
                let work = match is_here {
                    true => Work::Line(line),
                    false => Work::Command([&shell[..], b"-c", line].iter().collect()),
                };
                Ok(Ok(Target::File(name, work)))
            }
            _ => {
                running.message(&[option, &b" requires exactly one command argument"[..]].concat())?;
                Ok(Err(USAGE))
            }
        },
        [name, ref words @ ..] => Ok(Ok(Target::File(name, Work::Command(words.iter().collect())))),
    }
}

/// Opens the file, or makes it. A directory can be locked, too.
fn open(running: &Running<'_>, name: &[u8]) -> io::Result<File> {
    if name.is_empty() {
        return Err(ErrorKind::NotFound.into());
    }
    let path = running.path(name);
    let open = |path: &Path| match running.open_as(path, Opening::to_read()) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        opened => Some(opened),
    };
    match open(&path) {
        Some(opened) => opened,
        None => match create_file(running.context(), &path) {
            // Somebody was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => running.open_as(&path, Opening::to_read()),
            created => created,
        },
    }
}

/// Waits for the lock. The error: a status, as another one has it, or as there can be none, which is told.
fn take(running: &Running<'_>, file: &File, name: &[u8], request: &Request) -> Result<Result<(), u8>, Stopped> {
    loop {
        match try_lock(file, request.lock) {
            Ok(true) => return Ok(Ok(())),
            Ok(false) => {}
            Err(error) => {
                running.report_error(name, &error)?;
                return Ok(Err(DATA_ERROR));
            }
        }
        let left = request.deadline.map_or(PAUSE, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Ok(Err(request.conflict));
        }
        if !running.interrupt().sleep(left.min(PAUSE)) {
            return Err(Stopped::Cancelled);
        }
    }
}

/// Runs the command while the file is open, in the command too unless `closes` is set.
fn execute(running: &Running<'_>, file: File, work: &Work<'_>, closes: bool) -> Result<u8, Failure> {
    let context = running.context();
    let mut fds = context.fds.clone();
    let stream = Arc::new(Stream::from_file(file));
    if !closes && let Some(free) = fds.lowest_free(3) {
        fds.replace(free, Some(stream.clone()));
    }
    let (name, end) = match work {
        Work::Command(argv) => (&argv[0], running.command(argv, fds)?.end),
        Work::Line(source) => {
            let call = ShellCall { source, env: context.env, cwd: context.cwd, fds };
            let end = match context.commands.start_shell(&call) {
                Ok(mut shell) => CommandEnd::Ended(shell.wait()?),
                Err(reason) => CommandEnd::NotStarted { status: UNAVAILABLE, reason },
            };
            (&b"sh"[..], end)
        }
    };
    drop(stream);
    match end {
        CommandEnd::Ended(status) => Ok(status),
        CommandEnd::NotStarted { reason, .. } => {
            running.message(&[b"failed to execute ", name, b": ", reason.as_bytes()].concat())?;
            Ok(UNAVAILABLE)
        }
    }
}
