//! Advisory locks of whole files, as flock(2) has them.

use std::fs::File;
use std::io;

use crate::FileLock;

/// Changes the lock that this open file has, without waiting; `false`: another open file has one that keeps it away. The lock
/// belongs to the open file and all its duplicates, also those of children, and ends with the last of them.
///
/// On Windows a byte that no file has is locked, so that reads and writes are not kept away: only who asks for this lock
/// meets it.
///
/// # Errors
/// What the system says: the file cannot be locked.
pub fn try_lock(file: &File, lock: FileLock) -> io::Result<bool> {
    crate::platform::try_lock(file, lock)
}

#[cfg(test)]
mod tests {
    use super::try_lock;
    use crate::FileLock::{Exclusive, Shared, Unlocked};

    #[test]
    fn open_files_keep_each_other_away() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let open = || std::fs::File::options().write(true).create(true).truncate(false).open(&path).unwrap();
        let (a, b) = (open(), open());
        for (first, second, expected) in [
            (Shared, Shared, true),
            (Shared, Exclusive, false),
            (Exclusive, Shared, false),
            (Exclusive, Exclusive, false),
        ] {
            assert!(try_lock(&a, first).unwrap());
            assert_eq!(try_lock(&b, second).unwrap(), expected, "{first:?} {second:?}");
            assert!(try_lock(&a, Unlocked).unwrap());
            assert!(try_lock(&b, Exclusive).unwrap());
            std::fs::write(&path, "written by another").unwrap();
            assert!(try_lock(&b, Unlocked).unwrap());
        }
        assert!(try_lock(&a, Exclusive).unwrap());
        assert!(try_lock(&a, Shared).unwrap());
        assert!(try_lock(&b, Shared).unwrap());
        drop(a);
        assert!(try_lock(&b, Exclusive).unwrap());
    }
}
