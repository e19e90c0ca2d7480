//! `rmdir`: remove empty directories.

use std::io::{self, ErrorKind};

use hookshell_files::at::{Place, Way};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::target::base_name;

/// `rmdir [-pv] [--ignore-fail-on-non-empty] DIRECTORY…` (XCU `rmdir`, GNU's additions).
pub(crate) struct Rmdir;

const IGNORE: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] =
    &[flag(b'p', "parents"), flag(b'v', "verbose"), flag(IGNORE, "ignore-fail-on-non-empty")];

impl Utility for Rmdir {
    fn name(&self) -> &'static str {
        "rmdir"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| parse(call.argv, OPTIONS), run)
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    if parsed.operands.is_empty() {
        return running.usage(b"missing operand");
    }
    let mut status = 0;
    for &operand in &parsed.operands {
        let mut places = if parsed.has(b'p') { places(running, operand) } else { Vec::new() };
        let mut name = operand;
        let mut doing = "failed to remove";
        loop {
            running.check()?;
            if parsed.has(b'v') {
                running.write(&[&b"rmdir: removing directory, "[..], &quote::always(name), b"\n"].concat())?;
            }
            let path = running.path(name);
            // A link that is named with a slash is no directory to this call.
            let end = name.iter().rposition(|byte| *byte != b'/').map_or(name.len(), |at| at + 1);
            let is_link = running.path(name.get(..end).unwrap_or(name)).is_symlink();
            let removed = match path.symlink_metadata() {
                _ if name.is_empty() => Err(ErrorKind::NotFound.into()),
                Ok(_) if is_link && end < name.len() && path.is_dir() => {
                    let text = [&b"failed to remove "[..], &quote::always(name), b": Symbolic link not followed"];
                    running.message(&text.concat())?;
                    status = 1;
                    break;
                }
                Ok(metadata) if !metadata.is_dir() => Err(ErrorKind::NotADirectory.into()),
                _ => match places.pop() {
                    Some(place) => place.and_then(|place| place.remove_dir()),
                    None => std::fs::remove_dir(&path),
                },
            };
            if let Err(error) = removed {
                let is_ignored = parsed.has(IGNORE) && error.kind() == ErrorKind::DirectoryNotEmpty;
                if !is_ignored {
                    running.report_error_of(doing, name, &error)?;
                    status = 1;
                }
                break;
            }
            if !parsed.has(b'p') {
                break;
            }
            let Some(above) = above(name) else { break };
            name = above;
            doing = "failed to remove directory";
        }
    }
    Ok(status)
}

/// The directory that a name has before its last component.
fn above(name: &[u8]) -> Option<&[u8]> {
    let end = name.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
    let trimmed = name.get(..end).unwrap_or_default();
    let slash = trimmed.iter().rposition(|byte| *byte == b'/')?;
    let end = trimmed.get(..slash).unwrap_or_default().iter().rposition(|byte| *byte != b'/')?;
    trimmed.get(..=end)
}

/// The directories that `-p` removes, the first one last, each by the one that holds it: all are looked up at once, from the
/// outermost down. What becomes a link on the way meanwhile leads to nothing that is removed.
fn places(running: &Running<'_>, operand: &[u8]) -> Vec<io::Result<Place>> {
    let mut names: Vec<&[u8]> = std::iter::successors(Some(operand), |name| above(name)).collect();
    names.reverse();
    let mut way = Way::default();
    let mut places: Vec<io::Result<Place>> = Vec::with_capacity(names.len());
    for name in names {
        let base = base_name(name);
        let holder = match places.last() {
            Some(Ok(above)) => above.open_dir(true),
            Some(Err(error)) => Err(error.kind().into()),
            None => {
                let end = name.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
                let holder = name.get(..end.saturating_sub(base.len())).filter(|holder| !holder.is_empty());
                Place::at(running.path(holder.unwrap_or(b"."))).open_dir(true)
            }
        };
        places.push(match holder {
            Ok(holder) => {
                let place = holder.entry(&hookshell_process::text::to_os(base));
                way.enter(holder);
                Ok(place)
            }
            // A directory that may be searched and not read cannot be held open.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(Place::at(running.path(name))),
            Err(error) => Err(error),
        });
    }
    places
}
