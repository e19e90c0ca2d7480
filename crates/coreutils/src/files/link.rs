//! `link` and `unlink`: the system calls.

use std::io::ErrorKind;

use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::parse;
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `link FILE LINK` (XCU `link`).
pub(crate) struct Link;

/// `unlink FILE` (XCU `unlink`).
pub(crate) struct Unlink;

fn read<'a>(call: &UtilityCall<'a>) -> Result<Vec<&'a [u8]>, Unsupported> {
    Ok(parse(call.argv, &[])?.operands)
}

/// The usage error for a wrong number of operands.
fn count(running: &Running<'_>, operands: &[&[u8]], wanted: usize) -> Result<Option<u8>, Failure> {
    let text = match (operands.get(wanted), operands.last()) {
        (Some(extra), _) => [&b"extra operand "[..], &quote::locale(extra)].concat(),
        (None, _) if operands.len() == wanted => return Ok(None),
        (None, Some(last)) => [&b"missing operand after "[..], &quote::locale(last)].concat(),
        (None, None) => b"missing operand".to_vec(),
    };
    running.usage(&text).map(Some)
}

impl Utility for Link {
    fn name(&self) -> &'static str {
        "link"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, |running, operands| {
            if let Some(status) = count(running, &operands, 2)? {
                return Ok(status);
            }
            let [from, to] = operands[..] else { return Ok(1) };
            let linked = if from.is_empty() || to.is_empty() {
                Err(ErrorKind::NotFound.into())
            } else {
                std::fs::hard_link(running.path(from), running.path(to))
            };
            match linked {
                Ok(()) => Ok(0),
                Err(error) => {
                    let what =
                        [&b"cannot create link "[..], &quote::always(to), b" to ", &quote::always(from)].concat();
                    running.message(&[&what[..], b": ", reason(&error).as_bytes()].concat())?;
                    Ok(1)
                }
            }
        })
    }
}

impl Utility for Unlink {
    fn name(&self) -> &'static str {
        "unlink"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, |running, operands| {
            if let Some(status) = count(running, &operands, 1)? {
                return Ok(status);
            }
            let [file] = operands[..] else { return Ok(1) };
            let path = running.path(file);
            let removed = match path.symlink_metadata() {
                _ if file.is_empty() => Err(ErrorKind::NotFound.into()),
                Ok(metadata) if metadata.is_dir() && !metadata.is_symlink() => Err(ErrorKind::IsADirectory.into()),
                Ok(_) => std::fs::remove_file(path),
                Err(error) => Err(error),
            };
            match removed {
                Ok(()) => Ok(0),
                Err(error) => {
                    running.report_error_of("cannot unlink", file, &error)?;
                    Ok(1)
                }
            }
        })
    }
}
