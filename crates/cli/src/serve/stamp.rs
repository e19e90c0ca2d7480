//! Has a file changed? By its identity, size and times.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What tells a file from another one, or from itself before it was changed; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp(Option<Known>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    identity: (u64, u64),
    size: u64,
    modified: Option<SystemTime>,
    /// Unix: when anything of it was changed, in seconds and nanoseconds. Nobody can set it.
    changed: (i64, i64),
}

/// How coarse a file's times may be: a file that was changed so short a time ago may change once more without a new time.
const COARSE: Duration = Duration::from_millis(100);

impl Stamp {
    /// Of the file that there is now.
    pub(super) fn of(path: &Path) -> Self {
        Self(path.metadata().ok().map(|metadata| Known {
            identity: identity(&metadata),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            changed: changed(&metadata),
        }))
    }

    /// Would a change from now on be seen? Not where the file was changed only a moment before `now`, or after it.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        self.0.as_ref().is_none_or(|known| {
            let is_old = |time: Option<SystemTime>| {
                time.and_then(|time| now.duration_since(time).ok()).is_some_and(|age| age > COARSE)
            };
            // Whoever writes a file may set the one, and not the other.
            is_old(known.modified) && known.changed_at().is_none_or(|changed| is_old(Some(changed)))
        })
    }
}

impl Known {
    /// When anything of it was changed; `None` where the system does not say.
    fn changed_at(&self) -> Option<SystemTime> {
        let (seconds, nanos) = self.changed;
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
        cfg!(unix).then(|| SystemTime::UNIX_EPOCH + since)
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;

    (metadata.dev(), metadata.ino())
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;

    (metadata.ctime(), metadata.ctime_nsec())
}

/// The standard library has no number for a file there: when it was made.
#[cfg(windows)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::windows::fs::MetadataExt;

    (metadata.creation_time(), u64::from(metadata.file_attributes()))
}

#[cfg(windows)]
fn changed(_: &Metadata) -> (i64, i64) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_replaced_or_changed_has_another_stamp() {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("a"), directory.path().join("b"));
        let missing = Stamp::of(&path);
        std::fs::write(&path, "one").unwrap();
        let first = Stamp::of(&path);
        assert_ne!(missing, first);
        assert_eq!(Stamp::of(&path), first);
        std::fs::write(&path, "three").unwrap();
        let second = Stamp::of(&path);
        assert_ne!(second, first);
        // Another file of the same size and time.
        std::fs::write(&other, "eerht").unwrap();
        std::fs::File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_modified(path.metadata().unwrap().modified().unwrap())
            .unwrap();
        if cfg!(unix) {
            std::fs::rename(&other, &path).unwrap();
            assert_ne!(Stamp::of(&path), second);
        }
    }

    #[test]
    fn a_file_that_was_changed_a_moment_ago_is_not_settled() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, "one").unwrap();
        let stamp = Stamp::of(&path);
        let modified = path.metadata().unwrap().modified().unwrap();
        assert!(!stamp.is_settled(modified));
        assert!(!stamp.is_settled(modified - Duration::from_secs(10)));
        assert!(stamp.is_settled(modified + Duration::from_secs(1)));
        // A time that was set says nothing of when it was written.
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(modified - Duration::from_secs(1000)).unwrap();
        assert_eq!(Stamp::of(&path).is_settled(modified), cfg!(windows));
        assert!(Stamp::of(&directory.path().join("missing")).is_settled(modified));
    }
}
