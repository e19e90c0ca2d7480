//! `mkdir`: make directories.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hookshell_files::mode::{create_dir, create_dir_exactly, create_dir_with};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

use super::mode_change::ModeChange;

/// `mkdir [-pv] [-m MODE] DIRECTORY…` (XCU `mkdir`; GNU's `-v`).
pub(crate) struct Mkdir;

const OPTIONS: &[OptionSpec] = &[flag(b'p', "parents"), flag(b'v', "verbose"), value(b'm', "mode")];

fn read(argv: &Args) -> Result<(Parsed<'_>, Option<ModeChange>), Unsupported> {
    let parsed = parse(argv, OPTIONS)?;
    let mode = match parsed.last(b'm') {
        None => None,
        // Windows has no modes to set.
        Some(_) if cfg!(windows) => return Err(Unsupported::option(b"-m")),
        Some(text) => {
            let change = ModeChange::parse(text);
            Some(change.ok_or_else(|| Unsupported::mistake(format!("the mode {}", text.escape_ascii())))?)
        }
    };
    Ok((parsed, mode))
}

impl Utility for Mkdir {
    fn name(&self) -> &'static str {
        "mkdir"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            self.name(),
            call,
            |call| read(call.argv),
            |running, (parsed, mode)| {
                if parsed.operands.is_empty() {
                    return running.usage(b"missing operand");
                }
                // A symbolic mode changes what all would be permitted; the umask counts where no class is named.
                let umask = running.context().umask.or_else(hookshell_process::system::host_umask).unwrap_or(0o022);
                let mode = mode.map(|change| {
                    let (mode, mentioned) = change.apply(0o777, true, umask);
                    // With `+t` others may write only where that is said, too.
                    let writers = if mode & 0o1000 != 0 { 0o022 & !mentioned } else { 0 };
                    (mode & !writers, mentioned)
                });
                let mut status = 0;
                for &operand in &parsed.operands {
                    running.check()?;
                    let made = if parsed.has(b'p') {
                        with_parents(running, operand, mode, parsed.has(b'v'))?
                    } else {
                        one(running, operand, mode, parsed.has(b'v'))?
                    };
                    if !made {
                        status = 1;
                    }
                }
                Ok(status)
            },
        )
    }
}

/// `mode`: the permissions, and the bits of them that were named.
fn make(running: &Running<'_>, path: &Path, mode: Option<(u32, u32)>) -> std::io::Result<()> {
    match mode {
        // It may be inherited, and `g-s` or a mode of five digits says no.
        Some((mode, mentioned)) => create_dir_exactly(path, Some(mode), mentioned & !mode & 0o2000 == 0),
        None => create_dir(running.context(), path),
    }
}

fn report(running: &Running<'_>, name: &[u8]) -> Result<(), Failure> {
    running.write(&[&b"mkdir: created directory "[..], &quote::always(name), b"\n"].concat())
}

fn one(running: &Running<'_>, operand: &[u8], mode: Option<(u32, u32)>, verbose: bool) -> Result<bool, Failure> {
    let made =
        if operand.is_empty() { Err(ErrorKind::NotFound.into()) } else { make(running, &running.path(operand), mode) };
    match made {
        Ok(()) => {
            if verbose {
                report(running, operand)?;
            }
            Ok(true)
        }
        Err(error) => {
            running.report_error_of("cannot create directory", operand, &error)?;
            Ok(false)
        }
    }
}

/// Makes the missing parents too (with `u+wx` whatever the umask says, XCU `mkdir` `-p`).
fn with_parents(
    running: &Running<'_>,
    operand: &[u8],
    mode: Option<(u32, u32)>,
    verbose: bool,
) -> Result<bool, Failure> {
    if operand.is_empty() {
        return one(running, operand, mode, verbose);
    }
    // Each prefix that ends before a run of slashes, and the whole.
    let is_separator = |byte: u8| byte == b'/' || (cfg!(windows) && byte == b'\\');
    let mut ends: Vec<usize> = (1..operand.len())
        .filter(|&at| {
            let here = operand.get(at).copied().is_some_and(is_separator);
            let before = operand.get(at - 1).copied().is_some_and(is_separator);
            here && !before
        })
        .collect();
    if operand.last().copied().is_some_and(is_separator) {
        // The slashes at the end belong to the last name.
        ends.pop();
    }
    ends.push(operand.len());
    let count = ends.len();
    for (index, end) in ends.into_iter().enumerate() {
        let name = operand.get(..end).unwrap_or(operand);
        let is_last = index + 1 == count;
        let path: PathBuf = running.path(name);
        if path.is_dir() {
            continue;
        }
        let made = if is_last {
            make(running, &path, mode)
        } else {
            let umask = running.context().umask;
            create_dir_with(&path, umask.map(|umask| (0o777 & !umask) | 0o300))
        };
        match made {
            Ok(()) => {
                if verbose {
                    report(running, name)?;
                }
            }
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => {
                // A file on the way: GNU says what the next step into it would give.
                let error = if error.kind() == ErrorKind::AlreadyExists && !is_last {
                    ErrorKind::NotADirectory.into()
                } else {
                    error
                };
                running.report_error_of("cannot create directory", name, &error)?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}
