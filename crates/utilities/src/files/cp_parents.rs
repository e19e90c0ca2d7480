//! `cp --parents`: the folders in a source's name are made below the target.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::PathBuf;

use super::copy::Copier;
use super::target::join;
use crate::io::{Failure, Running};
use crate::quote;

/// A folder of the source's name, and the new one below the target.
pub(super) struct Parent {
    from: PathBuf,
    destination: Vec<u8>,
    metadata: Metadata,
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
        let (before, behind) = source.split_at_checked(at).unwrap_or_default();
        *byte == b'/' && !before.is_empty() && !before.ends_with(b"/") && behind.iter().any(|byte| *byte != b'/')
    });
    for (at, _) in slashes {
        let name = source.get(..at).unwrap_or_default();
        let destination = destination(name, directory);
        let (from, to) = (running.path(name), running.path(&destination));
        let existing = to.metadata();
        let metadata = match from.metadata() {
            Ok(metadata) if metadata.is_dir() => metadata,
            other => {
                let error = other.err().unwrap_or_else(|| ErrorKind::NotADirectory.into());
                running.failed_to("failed to get attributes of", name, &error)?;
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
                if let Err(error) = fs::create_dir(&to) {
                    running.failed_to("cannot make directory", &destination, &error)?;
                    return Ok(None);
                }
                if copier.is_verbose {
                    running.write(&[name, b" -> ", &destination, b"\n"].concat())?;
                }
                parents.push(Parent { from, destination, metadata });
            }
        }
    }
    Ok(Some(parents))
}

/// Gives them what the originals have, once all is in them; says whether all went well.
pub(super) fn finish(running: &Running<'_>, copier: &Copier<'_, '_>, parents: Vec<Parent>) -> Result<bool, Failure> {
    let mut complete = true;
    for Parent { from, destination, metadata } in parents.into_iter().rev() {
        let to = running.path(&destination);
        complete &= copier.finish_directory(&destination, (&from, &to), &metadata, true)?;
    }
    Ok(complete)
}
