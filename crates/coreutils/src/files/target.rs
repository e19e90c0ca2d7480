//! Where `cp`, `mv` and `ln` put things: the last operand is a file, or a directory to put them into.

use std::io::ErrorKind;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::quote;

/// The destination of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The one file becomes this.
    File(Vec<u8>),
    /// All go into this directory.
    Directory(Vec<u8>),
}

/// The last component, without slashes after it.
pub(crate) fn base_name(path: &[u8]) -> &[u8] {
    let is_separator = |byte: &u8| *byte == b'/' || (cfg!(windows) && *byte == b'\\');
    let Some(last) = path.iter().rposition(|byte| !is_separator(byte)) else {
        return path.get(..1).unwrap_or_default();
    };
    let name = path.get(..=last).unwrap_or_default();
    name.iter().rposition(is_separator).map_or(name, |at| name.get(at + 1..).unwrap_or_default())
}

/// A name in a directory.
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = directory.to_vec();
    if !path.is_empty() && path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Takes the destination off the operands. The error: what is wrong has been said, with this status.
///
/// `follow`: a link to a directory is one.
pub(crate) fn target_of(
    running: &Running<'_>,
    operands: &mut Vec<&[u8]>,
    directory: Option<&[u8]>,
    never_directory: bool,
    follow: bool,
) -> Result<Result<Target, u8>, Failure> {
    if operands.is_empty() {
        return Ok(Err(running.usage(b"missing file operand")?));
    }
    if let Some(directory) = directory {
        return match running.path(directory).metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(Ok(Target::Directory(directory.to_vec()))),
            found => {
                let error = found.err().unwrap_or_else(|| ErrorKind::NotADirectory.into());
                running.report_error_of(
                    if running.name() == "ln" { "failed to access" } else { "target directory" },
                    directory,
                    &error,
                )?;
                Ok(Err(1))
            }
        };
    }
    let [.., last] = operands.as_slice() else { return Ok(Err(1)) };
    let last = *last;
    if operands.len() == 1 {
        let text = [&b"missing destination file operand after "[..], &quote::always(last)].concat();
        return Ok(Err(running.usage(&text)?));
    }
    operands.pop();
    if never_directory {
        if let Some(extra) = operands.get(1).map(|_| last) {
            return Ok(Err(running.usage(&[&b"extra operand "[..], &quote::always(extra)].concat())?));
        }
        return Ok(Ok(Target::File(last.to_vec())));
    }
    let path = running.path(last);
    let metadata = if follow { path.metadata() } else { path.symlink_metadata() };
    match metadata {
        Ok(metadata) if metadata.is_dir() && !last.is_empty() => Ok(Ok(Target::Directory(last.to_vec()))),
        found => {
            if operands.len() > 1 {
                let error = found.err().unwrap_or_else(|| ErrorKind::NotADirectory.into());
                running.report_error_of("target", last, &error)?;
                return Ok(Err(1));
            }
            Ok(Ok(Target::File(last.to_vec())))
        }
    }
}
