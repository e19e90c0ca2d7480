//! What is at the destination of a copy already: whether it may be replaced.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use hookshell_files::at::Place;
use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::quote;

use super::{Copier, Instead, Item};
use crate::files::backup::Backups;

impl Copier<'_, '_> {
    /// The destination exists. `Some`: that is the end of it.
    pub(super) fn meets(&self, item: Item<'_>, existing: &FileStat) -> Result<Option<bool>, Failure> {
        let Item { source, destination, from, to, stat, .. } = item;
        let is_same = if stat.inode == 0 {
            let real = |place: &Place| place.path().canonicalize().ok();
            real(from).is_some_and(|from| real(to) == Some(from))
        } else {
            (stat.device, stat.inode) == (existing.device, existing.inode)
        };
        if stat.is_dir() {
            if !existing.is_dir() {
                return self
                    .fail(&[
                        b"cannot overwrite non-directory ",
                        &quote::always(destination),
                        b" with directory ",
                        &quote::always(source),
                    ])
                    .map(Some);
            }
            if is_same {
                return self
                    .fail(&[&quote::always(source), b" and ", &quote::always(destination), b" are the same file"])
                    .map(Some);
            }
            return Ok(None);
        }
        // A link to the file itself is in the way as any other file.
        let is_link = |place: &Place| place.lstat().is_ok_and(|stat| stat.is_link());
        let is_own_link = self.instead == Instead::Symlink && is_link(to);
        if let Some(backups) = &self.backups
            && !existing.is_dir()
            && backups.destroys(source, destination)
            && is_there(self.running, backups, source, destination)
        {
            let text = [&b"backing up "[..], &quote::always(destination), b" might destroy source;  "];
            return self.fail(&[&text.concat(), &quote::always(source), b" not copied"]).map(Some);
        }
        // A copy of the link would lead to itself then, and the file be lost.
        let is_same = is_same
            || !self.follows() && self.backups.is_none() && is_link_to(&from.path(), stat, &to.path(), existing, false);
        // Renamed, the file would no longer be where a link that is followed leads.
        let is_through_link = self.follows() && is_link(from) && !is_link(to);
        let is_spared = self.backups.is_some() && !is_through_link && !is_same_entry(&from.path(), &to.path());
        if is_same && !is_own_link && !is_spared {
            if self.keeps || self.instead == Instead::Link {
                return Ok(Some(true));
            }
            return self
                .fail(&[&quote::always(source), b" and ", &quote::always(destination), b" are the same file"])
                .map(Some);
        }
        if self.keeps {
            return Ok(Some(true));
        }
        if self.updates && existing.modified >= stat.modified {
            return Ok(Some(true));
        }
        if self.asks && !self.may_replace(destination, to, existing)? {
            return Ok(Some(true));
        }
        if existing.is_dir() {
            return self
                .fail(&[b"cannot overwrite directory ", &quote::always(destination), b" with non-directory"])
                .map(Some);
        }
        if !self.made.is_empty()
            && self.made.contains(&to.path())
            && !self.backups.as_ref().is_some_and(Backups::keeps_all)
        {
            return self
                .fail(&[
                    b"will not overwrite just-created ",
                    &quote::always(destination),
                    b" with ",
                    &quote::always(source),
                ])
                .map(Some);
        }
        Ok(None)
    }

    /// `-i`
    fn may_replace(&self, destination: &[u8], to: &Place, stat: &FileStat) -> Result<bool, Failure> {
        if stat.is_link() || may_write(to) {
            return self.running.ask(&[&b"overwrite "[..], &quote::always(destination), b"? "].concat());
        }
        let mode = stat.mode_text();
        let overriding = format!(", overriding mode {:04o} (", stat.mode & 0o7777);
        let name = quote::always(destination);
        // With `-f` the file is removed first.
        let verb: &[u8] = if self.force { b"replace " } else { b"unwritable " };
        let question = if self.force {
            [verb, &name, overriding.as_bytes(), mode.get(1..).unwrap_or_default(), b")? "].concat()
        } else {
            let middle = format!(" (mode {:04o}, ", stat.mode & 0o7777);
            [verb, &name, middle.as_bytes(), mode.get(1..).unwrap_or_default(), b"); try anyway? "].concat()
        };
        self.running.ask(&question)
    }

    /// Tells with `-v` of a file that was in the way.
    pub(super) fn removed(&self, destination: &[u8]) -> Result<(), Failure> {
        match self.is_verbose {
            true => Ok(self.running.write(&[&b"removed "[..], &quote::always(destination), b"\n"].concat())?),
            false => Ok(()),
        }
    }
}

/// With the effective ids.
fn may_write(place: &Place) -> bool {
    use hookshell_process::system::{Access, access};
    access(&place.path(), Access::Write)
}

/// The same entry of the same directory.
pub(crate) fn is_same_entry(a: &Path, b: &Path) -> bool {
    let parent =
        |path: &Path| path.parent().map(|parent| parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf()));
    (a.file_name() == b.file_name() || is_other_case(a, b)) && parent(a) == parent(b)
}

/// Is the source a link to the very file that it is to replace? With `moves` one that has other names may go, except where
/// the link leads to this name.
pub(crate) fn is_link_to(from: &Path, source: &FileStat, to: &Path, existing: &FileStat, moves: bool) -> bool {
    if !source.is_link() || existing.is_link() {
        return false;
    }
    let Ok(real) = from.canonicalize() else { return false };
    if is_same_entry(&real, to) {
        return true;
    }
    if existing.inode == 0 || moves && existing.links > 1 {
        return false;
    }
    let target = real.metadata().map(|target| FileStat::of(&target));
    target.is_ok_and(|target| (target.device, target.inode) == (existing.device, existing.inode))
}

/// Are the names one on this file system, which ignores case?
fn is_other_case(a: &Path, b: &Path) -> bool {
    let (Some(first), Some(second)) = (a.file_name(), b.file_name()) else { return false };
    let folded = |name: &OsStr| name.to_string_lossy().to_lowercase();
    if folded(first) != folded(second) || a.symlink_metadata().is_err() || b.symlink_metadata().is_err() {
        return false;
    }
    let Some(Ok(entries)) = a.parent().map(fs::read_dir) else { return false };
    // Where it does not, both are there.
    entries.flatten().filter(|entry| entry.file_name() == first || entry.file_name() == second).count() < 2
}

/// Is the name of the back-up that of the source in the same directory?
fn is_there(running: &Running<'_>, backups: &Backups, source: &[u8], destination: &[u8]) -> bool {
    is_same_entry(&running.path(&backups.name(running, destination)), &running.path(source))
}
