//! `rm`: remove files and directories.

use std::io::ErrorKind;

use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::tree::{Removal, remove_tree};
use crate::io::{Failure, Running};
use crate::options::{OptionSpec, flag, parse};
use crate::quote;

/// `rm [-dfrRv] FILE…` (XCU `rm`, GNU's `-d -v`; `-i` is the real program's).
///
/// It never follows a symbolic link: `link/` is an error where GNU would empty the directory behind it first.
pub(crate) struct Rm;

const OPTIONS: &[OptionSpec] =
    &[flag(b'f', "force"), flag(b'r', "recursive"), flag(b'R', ""), flag(b'd', "dir"), flag(b'v', "verbose")];

/// What the options say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RmOptions {
    pub(crate) force: bool,
    pub(crate) recursive: bool,
    pub(crate) directories: bool,
    pub(crate) verbose: bool,
}

impl Utility for Rm {
    fn name(&self) -> &'static str {
        "rm"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        parse(call.argv, OPTIONS).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(
            self.name(),
            context,
            |call| parse(call.argv, OPTIONS),
            |running, parsed| {
                let options = RmOptions {
                    force: parsed.has(b'f'),
                    recursive: parsed.has(b'r') || parsed.has(b'R'),
                    directories: parsed.has(b'd'),
                    verbose: parsed.has(b'v'),
                };
                if parsed.operands.is_empty() {
                    return if options.force { Ok(0) } else { running.usage(b"missing operand") };
                }
                let mut status = 0;
                for &operand in &parsed.operands {
                    running.check()?;
                    if !remove(running, operand, options)? {
                        status = 1;
                    }
                }
                Ok(status)
            },
        )
    }
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
        Err(error) if options.force && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(true);
        }
        Err(error) => {
            running.failed_to("cannot remove", operand, &error)?;
            return Ok(false);
        }
    };
    if had_slash && !metadata.is_dir() {
        running.failed_to("cannot remove", operand, &ErrorKind::NotADirectory.into())?;
        return Ok(false);
    }
    if metadata.is_dir() {
        if !options.recursive && !options.directories {
            running.failed_to("cannot remove", operand, &ErrorKind::IsADirectory.into())?;
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
