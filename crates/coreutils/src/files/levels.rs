//! The walk of `chmod -R` and `chown -R`: the directories that it stands in.

use std::io;

use hookshell_files::at::{Dir, Listed, Place, Way};
use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::quote;

/// A directory that is listed, and what its walk knows of it.
struct Level<T> {
    /// Of its name.
    length: usize,
    directory: Dir,
    entries: Vec<Listed>,
    known: T,
}

/// The directories from the operand down to where the walk is.
pub(super) struct Levels<T> {
    levels: Vec<Level<T>>,
    // After the levels: it closes the deepest directory first.
    way: Way,
    shown: Vec<u8>,
}

/// Where the walk has come to.
pub(super) enum Step<T> {
    /// The next entry of the deepest directory.
    Entry(Place),
    /// The deepest directory has no more entries and was left.
    Left(T),
}

impl<T> Levels<T> {
    /// Before an operand of this name.
    pub(super) fn new(operand: &[u8]) -> Self {
        Self { levels: Vec::new(), way: Way::default(), shown: operand.to_vec() }
    }

    /// The name of what the walk has come to.
    pub(super) fn shown(&self) -> &[u8] {
        &self.shown
    }

    /// What is known of the directories that the walk stands in.
    pub(super) fn known(&self) -> impl Iterator<Item = &T> {
        self.levels.iter().map(|level| &level.known)
    }

    /// Goes into the directory that the walk has come to.
    pub(super) fn enter(&mut self, (directory, entries): (Dir, Vec<Listed>), known: T) {
        self.way.enter(directory.clone());
        self.levels.push(Level { length: self.shown.len(), directory, entries, known });
    }

    /// The next step; `None`: the walk is at its end.
    pub(super) fn next(&mut self) -> Option<Step<T>> {
        let level = self.levels.last_mut()?;
        self.shown.truncate(level.length);
        let Some(entry) = level.entries.pop() else {
            let level = self.levels.pop()?;
            self.way.leave();
            return Some(Step::Left(level.known));
        };
        if self.shown.last() != Some(&b'/') {
            self.shown.push(b'/');
        }
        self.shown.extend_from_slice(&hookshell_process::text::from_os(&entry.name));
        Some(Step::Entry(level.directory.entry(&entry.name)))
    }
}

/// Opens the directory that was looked at, and lists it.
pub(super) fn list(place: &Place, follows: bool, stat: &FileStat) -> io::Result<(Dir, Vec<Listed>)> {
    let directory = place.open_seen_dir(follows, stat)?;
    let entries = directory.list_as_fts()?;
    Ok((directory, entries))
}

/// Says that `/`, by this name, is kept from what is done recursively.
pub(super) fn tell_kept_root(running: &Running<'_>, name: &[u8]) -> Result<(), Failure> {
    let same: &[u8] = if name == b"/" { b"" } else { b" (same as '/')" };
    running.message(&[&b"it is dangerous to operate recursively on "[..], &quote::always(name), same].concat())?;
    Ok(running.message(b"use --no-preserve-root to override this failsafe")?)
}
