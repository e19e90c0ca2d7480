//! `touch`: change file times, and create what is missing.

#[cfg(windows)]
use std::fs::FileTimes;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hookshell_files::mode::create_file;
use hookshell_process::is_missing;
use hookshell_text::civil::Civil;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall, bad_descriptor};

use crate::date::{Expression, evaluate, parse_date};

/// `touch [-achm] [--time=WORD] [-r FILE] [-d DATE | -t STAMP] FILE…` (XCU `touch`; dates as [`date`](crate::date) reads them). A
/// date counts from the times of `-r`, where both are given.
pub(crate) struct Touch;

const TIME: u8 = LONG_ONLY;

const OPTIONS: &[OptionSpec] = &[
    flag(b'a', ""),
    flag(b'm', ""),
    flag(b'c', "no-create"),
    flag(b'f', ""),
    flag(b'h', "no-dereference"),
    value(b'r', "reference"),
    value(b'd', "date"),
    value(b't', ""),
    value(TIME, "time"),
];

/// What a time is set to.
#[derive(Clone, Copy)]
enum Stamp {
    Stays,
    /// Who may write to a file may do this too: the others are its owner's.
    Now,
    At(SystemTime),
}

/// The times to set.
#[derive(Clone, Copy)]
struct Times {
    accessed: Stamp,
    modified: Stamp,
}

/// When the files are to have been touched.
enum When {
    Date(Expression),
    Known(i64),
}

struct Command<'a> {
    parsed: Parsed<'a>,
    when: Option<When>,
    zone: Zone,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let mut parsed = parse(call.argv, OPTIONS)?;
    for (option, value) in &mut parsed.options {
        if *option == TIME {
            *option = match *value {
                b"access" | b"atime" | b"use" => b'a',
                b"modify" | b"mtime" => b'm',
                word => return Err(Unsupported::mistake(format!("the time {}", word.escape_ascii()))),
            };
        }
    }
    if parsed.has(b't') && (parsed.has(b'd') || parsed.has(b'r')) {
        return Err(Unsupported::mistake("-t with -r or -d"));
    }
    let zone = Zone::of(call.env)?;
    let bad = |text: &[u8]| Unsupported::mistake(format!("the date {}", text.escape_ascii()));
    let when = match (parsed.last(b'd'), parsed.last(b't')) {
        (Some(text), _) => Some(When::Date(parse_date(text, &zone)?.ok_or_else(|| bad(text))?)),
        (None, Some(text)) => Some(When::Known(stamp(text, &zone).ok_or_else(|| bad(text))?)),
        (None, None) => None,
    };
    Ok(Command { parsed, when, zone })
}

/// `[[CC]YY]MMDDhhmm[.ss]` in local time (XCU `touch` `-t`).
fn stamp(text: &[u8], zone: &Zone) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, second) = text.split_once('.').unwrap_or((text, "00"));
    if !digits.bytes().chain(second.bytes()).all(|byte| byte.is_ascii_digit()) || second.len() != 2 {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> { digits.get(from..to)?.parse().ok() };
    let start = digits.len().checked_sub(8)?;
    let year = match start {
        0 => zone.civil(since_epoch(SystemTime::now()).0).year,
        2 => match number(0, 2)? {
            year @ 0..=68 => year + 2000,
            year => year + 1900,
        },
        4 => number(0, 4)?,
        _ => return None,
    };
    let civil = Civil {
        year,
        month: number(start, start + 2)?,
        day: number(start + 2, start + 4)?,
        hour: number(start + 4, start + 6)?,
        minute: number(start + 6, start + 8)?,
        second: second.parse().ok()?,
    };
    let time = zone.make(civil, None);
    // What is no date, or left out by the clock, is an error of the real program's.
    (zone.civil(time) == civil).then_some(time)
}

/// A time in seconds and nanoseconds since 1970-01-01 UTC.
fn to_system((seconds, nanos): (i64, u32)) -> Option<SystemTime> {
    let fraction = Duration::from_nanos(nanos.into());
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base =
        if seconds < 0 { SystemTime::UNIX_EPOCH.checked_sub(whole) } else { SystemTime::UNIX_EPOCH.checked_add(whole) };
    base?.checked_add(fraction)
}

impl Utility for Touch {
    fn name(&self) -> &'static str {
        "touch"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, |running, Command { parsed, when, zone }| {
            let mut times = Times { accessed: Stamp::Now, modified: Stamp::Now };
            let mut from = [SystemTime::now(); 2];
            if let Some(reference) = parsed.last(b'r') {
                let path = running.path(reference);
                let metadata = match parsed.has(b'h') {
                    // Not the working directory.
                    _ if reference.is_empty() => Err(ErrorKind::NotFound.into()),
                    true => fs::symlink_metadata(path),
                    false => fs::metadata(path),
                };
                let read = metadata.and_then(|metadata| Ok((metadata.accessed()?, metadata.modified()?)));
                match read {
                    Ok((accessed, modified)) => {
                        times = Times { accessed: Stamp::At(accessed), modified: Stamp::At(modified) };
                        from = [accessed, modified];
                    }
                    Err(error) => {
                        running.report_error_of("failed to get attributes of", reference, &error)?;
                        return Ok(1);
                    }
                }
            }
            match &when {
                None => {}
                Some(When::Known(seconds)) => {
                    let stamp = to_system((*seconds, 0)).map_or(Stamp::Now, Stamp::At);
                    times = Times { accessed: stamp, modified: stamp };
                }
                Some(When::Date(date)) => {
                    let [accessed, modified] =
                        from.map(|from| evaluate(date, since_epoch(from), &zone).and_then(to_system));
                    let (Some(accessed), Some(modified)) = (accessed, modified) else {
                        let text = parsed.last(b'd').unwrap_or_default();
                        running.message(&[&b"invalid date format "[..], &quote::locale(text)].concat())?;
                        return Ok(1);
                    };
                    times = Times { accessed: Stamp::At(accessed), modified: Stamp::At(modified) };
                }
            }
            if parsed.operands.is_empty() {
                return running.usage(b"missing file operand");
            }
            touch_all(running, &parsed, times)
        })
    }
}

fn touch_all(running: &Running<'_>, parsed: &Parsed<'_>, mut times: Times) -> Result<u8, Failure> {
    match (parsed.has(b'a'), parsed.has(b'm')) {
        (true, false) => times.modified = Stamp::Stays,
        (false, true) => times.accessed = Stamp::Stays,
        _ => {}
    }
    let mut status = 0;
    for &operand in &parsed.operands {
        running.check()?;
        let touched = if operand == b"-" {
            touch_output(running, times)
        } else if operand.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if parsed.has(b'h') {
            set_times(&running.path(operand), times, false)
        } else {
            touch(running, &running.path(operand), parsed.has(b'c'), times)
        };
        let Err(error) = touched else { continue };
        if parsed.has(b'c') && is_missing(&error) {
            continue;
        }
        let doing = if parsed.has(b'c') || parsed.has(b'h') { "setting times of" } else { "cannot touch" };
        running.report_error_of(doing, operand, &error)?;
        status = 1;
    }
    Ok(status)
}

/// `-`: the file that standard output is.
fn touch_output(running: &Running<'_>, times: Times) -> io::Result<()> {
    let Some(stdout) = running.context().stdout() else { return Err(bad_descriptor()) };
    match stdout.file() {
        Some(file) => set_times_of(file, times),
        // What is collected in memory has no times.
        None => Ok(()),
    }
}

fn touch(running: &Running<'_>, path: &Path, no_create: bool, times: Times) -> io::Result<()> {
    match fs::metadata(path) {
        Err(error) if is_missing(&error) && !no_create => {
            // Of what was made, whatever its name leads to by now.
            let made = create_file(running.context(), path)?;
            return set_times_of(&made, times);
        }
        found => {
            found?;
        }
    }
    set_times(path, times, true)
}

#[cfg(unix)]
fn timestamps(times: Times) -> rustix::fs::Timestamps {
    use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
    let stamp = |stamp: Stamp| match stamp {
        Stamp::Stays => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT as _ },
        Stamp::Now => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW as _ },
        Stamp::At(time) => {
            let (seconds, nanos) = since_epoch(time);
            Timespec { tv_sec: seconds, tv_nsec: nanos.into() }
        }
    };
    Timestamps { last_access: stamp(times.accessed), last_modification: stamp(times.modified) }
}

#[cfg(unix)]
fn set_times_of(file: &File, times: Times) -> io::Result<()> {
    Ok(rustix::fs::futimens(file, &timestamps(times))?)
}

/// Sets the times of a file that may be one that cannot be opened; of a link itself, unless it is followed.
#[cfg(unix)]
fn set_times(path: &Path, times: Times, follows: bool) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, utimensat};
    let flags = if follows { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    Ok(utimensat(CWD, path, &timestamps(times), flags)?)
}

#[cfg(windows)]
fn set_times(path: &Path, times: Times, follows: bool) -> io::Result<()> {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    const FILE_WRITE_ATTRIBUTES: u32 = 0x0100;
    let flags = FILE_FLAG_BACKUP_SEMANTICS | if follows { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    set_times_of(&File::options().access_mode(FILE_WRITE_ATTRIBUTES).custom_flags(flags).open(path)?, times)
}

#[cfg(windows)]
fn set_times_of(file: &File, times: Times) -> io::Result<()> {
    let time = |stamp: Stamp| match stamp {
        Stamp::Stays => None,
        Stamp::Now => Some(SystemTime::now()),
        Stamp::At(time) => Some(time),
    };
    let mut set = FileTimes::new();
    if let Some(accessed) = time(times.accessed) {
        set = set.set_accessed(accessed);
    }
    if let Some(modified) = time(times.modified) {
        set = set.set_modified(modified);
    }
    file.set_times(set)
}
