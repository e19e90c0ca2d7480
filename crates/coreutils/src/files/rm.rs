//! `rm`: remove files and directories.

use std::io::ErrorKind;

use hookshell_process::is_missing;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::tree::{Removal, remove_tree};

/// `rm [-dfiIrRv] [--interactive[=WHEN]] [--one-file-system] FILE…` (XCU `rm`, GNU's additions).
///
/// `--no-preserve-root` changes nothing: `/` stays. It never follows a symbolic link: `link/` is an error where GNU would empty the directory that it leads to first.
pub(crate) struct Rm;

const INTERACTIVE: u8 = LONG_ONLY;
const PRESERVE_ROOT: u8 = LONG_ONLY + 1;
const NO_PRESERVE_ROOT: u8 = LONG_ONLY + 2;
const ONE_FILE_SYSTEM: u8 = LONG_ONLY + 3;
const OPTIONS: &[OptionSpec] = &[
    flag(b'f', "force"),
    flag(b'i', ""),
    flag(b'I', ""),
    flag(b'r', "recursive"),
    flag(b'R', ""),
    flag(b'd', "dir"),
    flag(b'v', "verbose"),
    optional(INTERACTIVE, "interactive"),
    flag(PRESERVE_ROOT, "preserve-root"),
    flag(NO_PRESERVE_ROOT, "no-preserve-root"),
    flag(ONE_FILE_SYSTEM, "one-file-system"),
];

/// What is asked for before it is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Never,
    /// At a terminal: what is write-protected (XCU `rm` 2 and 3).
    Protected,
    Always,
}

/// More operands than this are asked for with `-I`.
const FEW: usize = 3;

/// What the options say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RmOptions {
    pub(crate) force: bool,
    pub(crate) recursive: bool,
    pub(crate) directories: bool,
    pub(crate) verbose: bool,
    pub(crate) asks: Asks,
    /// Directories of other devices stay.
    #[cfg_attr(not(unix), allow(dead_code, reason = "Windows has no other device in a directory"))]
    pub(crate) one_file_system: bool,
}

/// The options, and whether all are asked for at once.
fn read<'a>(call: &UtilityCall<'a>) -> Result<(Parsed<'a>, RmOptions, bool), Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let (mut force, mut asks, mut once) = (false, Asks::Protected, false);
    for &(option, when) in &parsed.options {
        (force, asks, once) = match (option, when) {
            (b'f', _) => (true, Asks::Never, false),
            (b'i', _) | (INTERACTIVE, b"" | b"always" | b"yes") => (false, Asks::Always, false),
            (b'I', _) | (INTERACTIVE, b"once") => (false, Asks::Protected, true),
            (INTERACTIVE, b"never" | b"no" | b"none") => (force, Asks::Never, once),
            (INTERACTIVE, other) => return Err(Unsupported::mistake(format!("the value {}", other.escape_ascii()))),
            _ => continue,
        };
    }
    let recursive = parsed.has(b'r') || parsed.has(b'R');
    let options = RmOptions {
        force,
        recursive,
        directories: parsed.has(b'd'),
        verbose: parsed.has(b'v'),
        asks,
        one_file_system: parsed.has(ONE_FILE_SYSTEM),
    };
    Ok((parsed, options, once))
}

impl Utility for Rm {
    fn name(&self) -> &'static str {
        "rm"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

fn run(running: &Running<'_>, (parsed, options, once): (Parsed<'_>, RmOptions, bool)) -> Result<u8, Failure> {
    let count = parsed.operands.len();
    if count == 0 {
        return if options.force { Ok(0) } else { running.usage(b"missing operand") };
    }
    if once && (options.recursive || count > FEW) {
        let arguments = if count == 1 { "argument" } else { "arguments" };
        let how = if options.recursive { " recursively" } else { "" };
        if !running.ask(format!("remove {count} {arguments}{how}? ").as_bytes())? {
            return Ok(0);
        }
    }
    let mut status = 0;
    for &operand in &parsed.operands {
        running.check()?;
        if !remove(running, operand, options)? {
            status = 1;
        }
    }
    Ok(status)
}

fn remove(running: &Running<'_>, operand: &[u8], options: RmOptions) -> Result<bool, Failure> {
    let is_separator = |byte: &u8| *byte == b'/' || (cfg!(windows) && *byte == b'\\');
    // A slash at the end would follow a link.
    let end = operand.iter().rposition(|byte| !is_separator(byte)).map_or(operand.len().min(1), |at| at + 1);
    let name = operand.get(..end).unwrap_or(operand);
    let had_slash = end < operand.len();
    let last = name.rsplit(|byte| is_separator(byte)).next().unwrap_or(name);
    let path = running.path(name);
    let metadata = match path.symlink_metadata() {
        _ if name.is_empty() => Err(ErrorKind::NotFound.into()),
        found => found,
    };
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(error) if options.force && (is_missing(&error) || error.kind() == ErrorKind::NotADirectory) => {
            return Ok(true);
        }
        Err(error) => {
            running.report_error_of("cannot remove", operand, &error)?;
            return Ok(false);
        }
    };
    if had_slash && !metadata.is_dir() {
        // Of a link to a directory that is said first.
        let is_directory = !options.recursive && !options.directories && path.is_dir();
        let kind = if is_directory { ErrorKind::IsADirectory } else { ErrorKind::NotADirectory };
        running.report_error_of("cannot remove", operand, &kind.into())?;
        return Ok(false);
    }
    if metadata.is_dir() {
        if !options.recursive && !options.directories {
            running.report_error_of("cannot remove", operand, &ErrorKind::IsADirectory.into())?;
            return Ok(false);
        }
        if matches!(last, b"." | b"..") {
            running.message(
                &[&b"refusing to remove '.' or '..' directory: skipping "[..], &quote::always(operand)].concat(),
            )?;
            return Ok(false);
        }
        if is_root(&path, &metadata) {
            let text: &[u8] = if operand == b"/" {
                b"it is dangerous to operate recursively on '/'"
            } else {
                &[&b"it is dangerous to operate recursively on "[..], &quote::always(operand), b" (same as '/')"]
                    .concat()
            };
            running.message(text)?;
            running.message(b"use --no-preserve-root to override this failsafe")?;
            return Ok(false);
        }
        // GNU's names have the slash, once.
        let shown = operand.get(..end + usize::from(had_slash)).unwrap_or(name);
        if options.recursive {
            return remove_tree(running, &path, shown, options);
        }
        return Removal { running, options }.one(&path, shown, &metadata);
    }
    Removal { running, options }.one(&path, name, &metadata)
}

#[cfg(unix)]
fn is_root(_: &std::path::Path, metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::symlink_metadata("/").is_ok_and(|root| (root.dev(), root.ino()) == (metadata.dev(), metadata.ino()))
}

/// A drive's or share's root.
#[cfg(not(unix))]
fn is_root(path: &std::path::Path, _: &std::fs::Metadata) -> bool {
    path.canonicalize().is_ok_and(|path| path.parent().is_none())
}
