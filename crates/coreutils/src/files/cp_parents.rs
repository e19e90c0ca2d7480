//! `cp --parents`: the directories in a source's name are made below the target.

use hookshell_files::at::{Dir, Place};
use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::quote;

use super::copy::Copier;
use super::target::join;

/// A directory of the source's name, and the new one below the target.
pub(super) struct Parent {
    from: Dir,
    to: Dir,
    destination: Vec<u8>,
    stat: FileStat,
}

/// Where the source goes.
pub(super) fn destination(source: &[u8], directory: &[u8]) -> Vec<u8> {
    let end = source.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
    let begin = source.iter().position(|byte| *byte != b'/').unwrap_or(end);
    join(directory, source.get(begin..end).unwrap_or_default())
}

/// Makes them; `None`: one cannot be made, which has been said.
pub(super) fn make(
    running: &Running<'_>,
    copier: &Copier<'_, '_>,
    source: &[u8],
    directory: &[u8],
) -> Result<Option<Vec<Parent>>, Failure> {
    let mut parents = Vec::new();
    let slashes = source.iter().enumerate().filter(|&(at, byte)| {
        let (before, after) = source.split_at_checked(at).unwrap_or_default();
        *byte == b'/' && !before.is_empty() && !before.ends_with(b"/") && after.iter().any(|byte| *byte != b'/')
    });
    for (at, _) in slashes {
        let name = source.get(..at).unwrap_or_default();
        let destination = destination(name, directory);
        let (from, to) = (Place::at(running.path(name)), Place::at(running.path(&destination)));
        let existing = to.stat();
        let opened = match from.open_dir(true).and_then(|directory| Ok((directory.stat()?, directory))) {
            Ok(opened) => opened,
            Err(error) => {
                running.report_error_of("failed to get attributes of", name, &error)?;
                return Ok(None);
            }
        };
        match existing {
            Ok(existing) if !existing.is_dir() => {
                let text = [&quote::always(&destination)[..], b" exists but is not a directory"];
                running.message(&text.concat())?;
                return Ok(None);
            }
            Ok(_) => {}
            // Only what is made here is given what the original has.
            Err(_) => {
                // What was made is held: whatever its name leads to later, nothing else gets the mode.
                let to = match to
                    .make_dir(0o777 & !running.context().umask.unwrap_or(0))
                    .and_then(|()| to.open_dir(false))
                {
                    Ok(to) => to,
                    Err(error) => {
                        running.report_error_of("cannot make directory", &destination, &error)?;
                        return Ok(None);
                    }
                };
                if copier.is_verbose {
                    running.write(&[name, b" -> ", &destination, b"\n"].concat())?;
                }
                let (stat, from) = opened;
                parents.push(Parent { from, to, destination, stat });
            }
        }
    }
    Ok(Some(parents))
}

/// Gives them what the originals have, once all is in them; says whether all went well.
pub(super) fn finish(copier: &Copier<'_, '_>, parents: Vec<Parent>) -> Result<bool, Failure> {
    let mut complete = true;
    for Parent { from, to, destination, stat } in parents.into_iter().rev() {
        complete &= copier.finish_directory(&destination, (&from, &to), &stat, true)?;
    }
    Ok(complete)
}
