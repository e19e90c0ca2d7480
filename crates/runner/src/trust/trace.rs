//! Where a named path leads, step by step, and what shows that somebody has been at it since.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A change is as old as this before it counts as past: the kernel's clock for time stamps goes in steps (Linux: 1 to 10 ms).
/// What is changed within the step of the first look would have the same stamp at the second.
pub(super) const STEP: Duration = Duration::from_millis(25);

/// As many links as Linux follows (path_resolution(7)).
#[cfg(unix)]
const LINKS_LIMIT: usize = 40;

/// What stood on the way from a path's name to its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trace {
    /// The directories, in order: each may have been put in another's place.
    directories: Vec<Mark>,
    /// The links on the way, and the file itself at the end.
    rest: Vec<Mark>,
    /// Where it leads.
    end: PathBuf,
    /// Where all of them are, no links on the way to them.
    places: Vec<PathBuf>,
}

/// A file, as far as the system tells without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    /// Device and inode.
    identity: [u64; 2],
    /// When anything of it was changed last, its name included, since 1970. On Unix no program sets this.
    changed: Option<Duration>,
    modified: Option<SystemTime>,
    len: u64,
    /// How many names it has.
    names: u64,
}

impl Trace {
    /// Follows a path to a regular file, and opens nothing.
    ///
    /// # Errors
    /// As the system says, or it is no regular file.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let trace = follow(path)?;
        match trace.1.is_file() {
            true => Ok(trace.0),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file any more")),
        }
    }

    /// Where it leads.
    pub(super) fn end(&self) -> &Path {
        &self.end
    }

    /// Where everything on the way is.
    pub(super) fn places(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().map(PathBuf::as_path)
    }

    /// Is the way the same, with the same files on it, none of them touched? Directories may have got other files.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let identities = |trace: &Self| trace.directories.iter().map(|mark| mark.identity).collect::<Vec<_>>();
        self.end == other.end && self.rest == other.rest && identities(self) == identities(other)
    }

    /// Is it the same but for the times of the last change, as after chmod(1)? They also change when a file is taken away and put back, and
    /// when it is written and its time set back, perhaps by another of its names.
    pub(super) fn is_only_touched(&self, other: &Self) -> bool {
        let without_change = |trace: &Self| -> Vec<Mark> {
            trace.rest.iter().map(|mark| Mark { changed: None, ..mark.clone() }).collect()
        };
        let has_one_name = self.rest.iter().chain(&other.rest).all(|mark| mark.names == 1);
        let touched = Self { rest: without_change(self), ..self.clone() };
        has_one_name && touched.is_same(&Self { rest: without_change(other), ..other.clone() })
    }

    /// Was anything on the way changed at about this time, or later, so that one more change could not be told?
    pub(super) fn is_fresh(&self, since: SystemTime) -> bool {
        let since = since.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().saturating_sub(STEP);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().saturating_add(STEP);
        // What is of the future was not set by this clock: the next change is another time.
        self.rest.iter().filter_map(|mark| mark.changed).any(|changed| changed >= since && changed <= now)
    }

    /// May a directory on the way have been taken away and put back between these two? Then it and the one above it were
    /// changed both. (So they are too where the hook makes files in both: it is no proof.)
    pub(super) fn may_have_been_swapped(&self, other: &Self) -> bool {
        let changed: Vec<bool> =
            self.directories.iter().zip(&other.directories).map(|(old, new)| old.changed != new.changed).collect();
        changed.windows(2).any(|pair| pair.iter().all(|changed| *changed))
    }

    /// Likewise, where there is nothing to compare with: were both changed at about this time?
    pub(super) fn may_be_being_swapped(&self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let is_fresh = |mark: &Mark| mark.changed.is_none_or(|changed| changed.saturating_add(STEP) >= now);
        let fresh: Vec<bool> = self.directories.iter().map(is_fresh).collect();
        fresh.windows(2).any(|pair| pair.iter().all(|fresh| *fresh))
    }
}

impl Mark {
    fn of(metadata: &Metadata) -> Self {
        Self {
            identity: identity(metadata),
            changed: changed(metadata),
            modified: metadata.modified().ok(),
            len: metadata.len(),
            names: names(metadata),
        }
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> [u64; 2] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev(), metadata.ino()]
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<Duration> {
    use std::os::unix::fs::MetadataExt;
    let (seconds, nanoseconds) = (u64::try_from(metadata.ctime()).ok()?, u32::try_from(metadata.ctime_nsec()).ok()?);
    Some(Duration::new(seconds, nanoseconds))
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

/// The standard library has no number of the file on Windows; when it was made is nearly one.
#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> [u64; 2] {
    let made = metadata.created().ok().and_then(|made| made.duration_since(SystemTime::UNIX_EPOCH).ok());
    [made.map_or(0, |made| made.as_nanos() as u64), 0]
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<Duration> {
    None
}

#[cfg(unix)]
fn follow(path: &Path) -> io::Result<(Trace, Metadata)> {
    use std::ffi::OsString;
    use std::path::Component;

    let parts = |path: &Path| -> Vec<OsString> {
        path.components().rev().map(|component| component.as_os_str().to_owned()).collect()
    };
    let mut ahead = parts(path);
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    let mut trace = Trace { directories: Vec::new(), rest: Vec::new(), end: PathBuf::new(), places: Vec::new() };
    let mut last = at.symlink_metadata()?;
    while let Some(part) = ahead.pop() {
        match Path::new(&part).components().next() {
            Some(Component::RootDir) => at = PathBuf::from("/"),
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::Normal(name)) => {
                let next = at.join(name);
                let metadata = next.symlink_metadata()?;
                trace.places.push(next.clone());
                if metadata.is_symlink() {
                    links += 1;
                    if links > LINKS_LIMIT {
                        return Err(rustix::io::Errno::LOOP.into());
                    }
                    trace.rest.push(Mark::of(&metadata));
                    ahead.extend(parts(&next.read_link()?));
                } else {
                    let is_on_the_way = !ahead.is_empty();
                    let marks = if is_on_the_way { &mut trace.directories } else { &mut trace.rest };
                    marks.push(Mark::of(&metadata));
                    at = next;
                    last = metadata;
                }
            }
            Some(Component::CurDir | Component::Prefix(_)) | None => {}
        }
    }
    trace.end = at;
    Ok((trace, last))
}

#[cfg(not(unix))]
fn follow(path: &Path) -> io::Result<(Trace, Metadata)> {
    let end = path.canonicalize()?;
    let metadata = end.metadata()?;
    let directories = match end.parent() {
        Some(parent) => vec![Mark { modified: None, len: 0, ..Mark::of(&parent.metadata()?) }],
        None => Vec::new(),
    };
    let trace = Trace { directories, rest: vec![Mark::of(&metadata)], end, places: Vec::new() };
    Ok((trace, metadata))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Until what was changed before is past.
    fn settle() {
        std::thread::sleep(STEP * 2);
    }

    #[test]
    fn a_path_is_followed_as_the_system_does() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/f"), "").unwrap();
        symlink("b", root.join("a/l")).unwrap();
        symlink("l/../b/f", root.join("a/m")).unwrap();
        symlink(root.join("a/m"), root.join("n")).unwrap();
        symlink("o", root.join("o")).unwrap();
        for path in ["a/b/f", "a/./b//f", "a/l/f", "a/m", "n", "a/b/../../n"] {
            let path = root.join(path);
            assert_eq!(Trace::of(&path).unwrap().end(), path.canonicalize().unwrap(), "{}", path.display());
        }
        for path in ["a", "a/b/none", "o", "a/b/f/x", "/dev/null"] {
            assert!(Trace::of(&root.join(path)).is_err(), "{path}");
        }
    }

    type Swap = fn(&Path);

    /// What leaves the names as they were is seen all the same.
    #[test]
    fn a_file_that_was_away_for_a_moment_is_not_the_same() {
        let swaps: [(&str, Swap); 5] = [
            ("renamed and back", |root| {
                std::fs::rename(root.join("d/f"), root.join("d/g")).unwrap();
                std::fs::rename(root.join("d/g"), root.join("d/f")).unwrap();
            }),
            ("another one put over its name, kept by a second name", |root| {
                std::fs::hard_link(root.join("d/f"), root.join("kept")).unwrap();
                std::fs::write(root.join("evil"), "evil").unwrap();
                std::fs::rename(root.join("evil"), root.join("d/f")).unwrap();
                std::fs::rename(root.join("kept"), root.join("d/f")).unwrap();
            }),
            ("written and written back, with its time", |root| {
                let file = std::fs::File::options().write(true).open(root.join("d/f")).unwrap();
                let time = file.metadata().unwrap().modified().unwrap();
                std::fs::write(root.join("d/f"), "evil").unwrap();
                std::fs::write(root.join("d/f"), "good").unwrap();
                file.set_modified(time).unwrap();
            }),
            ("a link led elsewhere", |root| {
                std::fs::remove_file(root.join("link")).unwrap();
                symlink("evil", root.join("link")).unwrap();
                std::fs::remove_file(root.join("link")).unwrap();
                symlink("d", root.join("link")).unwrap();
            }),
            ("a link renamed and back", |root| {
                std::fs::rename(root.join("link"), root.join("l")).unwrap();
                std::fs::rename(root.join("l"), root.join("link")).unwrap();
            }),
        ];
        for (what, swap) in swaps {
            let root = tempfile::tempdir().unwrap();
            std::fs::create_dir(root.path().join("d")).unwrap();
            std::fs::write(root.path().join("d/f"), "good").unwrap();
            symlink("d", root.path().join("link")).unwrap();
            settle();
            let path = root.path().join("link/f");
            let before = Trace::of(&path).unwrap();
            assert!(!before.is_fresh(SystemTime::now()), "{what}");
            assert!(before.is_same(&Trace::of(&path).unwrap()), "{what}");
            swap(root.path());
            let after = Trace::of(&path).unwrap();
            assert!(!before.is_same(&after), "{what}");
            assert!(after.is_fresh(SystemTime::now()), "{what}");
        }
    }

    #[test]
    fn a_directory_that_was_away_for_a_moment_is_suspected() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("d")).unwrap();
        std::fs::write(root.path().join("d/f"), "good").unwrap();
        settle();
        let path = root.path().join("d/f");
        let before = Trace::of(&path).unwrap();
        assert!(!before.may_be_being_swapped());
        // What a hook does: a file beside its script.
        std::fs::write(root.path().join("d/log"), "x").unwrap();
        let written = Trace::of(&path).unwrap();
        assert!(before.is_same(&written) && !before.may_have_been_swapped(&written));
        std::fs::rename(root.path().join("d"), root.path().join("e")).unwrap();
        std::fs::rename(root.path().join("e"), root.path().join("d")).unwrap();
        let after = Trace::of(&path).unwrap();
        assert!(before.is_same(&after) && before.may_have_been_swapped(&after) && after.may_be_being_swapped());
    }
}
