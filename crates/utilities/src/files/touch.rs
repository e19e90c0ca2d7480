//! `touch`: change file times, and create what is missing.

use std::fs::{self, File, FileTimes};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hookshell_shell::{Args, Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::mode::create_file;
use crate::io::{Failure, Running};
use crate::options::{OptionSpec, Parsed, flag, parse, value};

/// `touch [-acm] [-r FILE | -d @SECONDS] FILE…` (XCU `touch`; every other date is the real program's: it takes a time
/// zone and a grammar).
pub(crate) struct Touch;

const OPTIONS: &[OptionSpec] =
    &[flag(b'a', ""), flag(b'm', ""), flag(b'c', "no-create"), value(b'r', "reference"), value(b'd', "date")];

/// The times to set.
#[derive(Clone, Copy)]
struct Times {
    accessed: SystemTime,
    modified: SystemTime,
}

fn read(argv: &Args) -> Result<(Parsed<'_>, Option<SystemTime>), Unsupported> {
    let parsed = parse(argv, OPTIONS)?;
    // `-` is standard output's file; both options together have rules of their own.
    if parsed.operands.contains(&&b"-"[..]) {
        return Err(Unsupported::new("the operand -"));
    }
    if parsed.has(b'r') && parsed.has(b'd') {
        return Err(Unsupported::new("-r and -d together"));
    }
    let date = match parsed.last(b'd') {
        None => None,
        Some(text) => {
            Some(epoch_seconds(text).ok_or_else(|| Unsupported::new(format!("the date {}", text.escape_ascii())))?)
        }
    };
    Ok((parsed, date))
}

/// `@SECONDS` and up to nine digits of a fraction.
fn epoch_seconds(text: &[u8]) -> Option<SystemTime> {
    let text = std::str::from_utf8(text.strip_prefix(b"@")?).ok()?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(seconds) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds.parse().ok()?, nanos))
}

impl Utility for Touch {
    fn name(&self) -> &'static str {
        "touch"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call.argv).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(
            self.name(),
            context,
            |call| read(call.argv),
            |running, (parsed, date)| {
                let now = SystemTime::now();
                let mut times = Times { accessed: date.unwrap_or(now), modified: date.unwrap_or(now) };
                if let Some(reference) = parsed.last(b'r') {
                    let read = fs::metadata(running.path(reference))
                        .and_then(|metadata| Ok((metadata.accessed()?, metadata.modified()?)));
                    match read {
                        Ok((accessed, modified)) => times = Times { accessed, modified },
                        Err(error) => {
                            running.failed_to("failed to get attributes of", reference, &error)?;
                            return Ok(1);
                        }
                    }
                }
                if parsed.operands.is_empty() {
                    return running.usage(b"missing file operand");
                }
                touch_all(running, &parsed, times)
            },
        )
    }
}

fn touch_all(running: &Running<'_>, parsed: &Parsed<'_>, times: Times) -> Result<u8, Failure> {
    let only_access = parsed.has(b'a') && !parsed.has(b'm');
    let only_modification = parsed.has(b'm') && !parsed.has(b'a');
    let mut set = FileTimes::new();
    if !only_modification {
        set = set.set_accessed(times.accessed);
    }
    if !only_access {
        set = set.set_modified(times.modified);
    }
    let mut status = 0;
    for &operand in &parsed.operands {
        running.check()?;
        let touched = if operand.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else {
            touch(running, &running.path(operand), parsed.has(b'c'), set)
        };
        let Err(error) = touched else { continue };
        if parsed.has(b'c') && error.kind() == ErrorKind::NotFound {
            continue;
        }
        let doing = if parsed.has(b'c') { "setting times of" } else { "cannot touch" };
        running.failed_to(doing, operand, &error)?;
        status = 1;
    }
    Ok(status)
}

fn touch(running: &Running<'_>, path: &Path, no_create: bool, times: FileTimes) -> io::Result<()> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && !no_create => {
            match create_file(running.context(), path) {
                Ok(file) => return file.set_times(times),
                // Created by somebody else meanwhile, or a link that leads nowhere (which GNU creates).
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let file = File::options().write(true).create(true).truncate(false).open(path)?;
                    return file.set_times(times);
                }
                Err(error) => return Err(error),
            }
        }
        found => found?,
    };
    // Times belong to whoever owns the file, so that any way of opening it will do.
    let opened = if metadata.is_dir() {
        open_directory(path)
    } else {
        File::options().write(true).open(path).or_else(|error| File::open(path).map_err(|_| error))
    };
    opened?.set_times(times)
}

#[cfg(not(windows))]
pub(super) fn open_directory(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(windows)]
pub(super) fn open_directory(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    /// Without it no handle to a directory is given.
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FILE_WRITE_ATTRIBUTES: u32 = 0x0100;
    File::options().access_mode(FILE_WRITE_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
}
