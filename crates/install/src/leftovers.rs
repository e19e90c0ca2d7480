//! The new files that take configs' places, and those that a `hookshell` which was killed has left behind.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;

/// What the name of such a file ends with: no agent reads one.
const SUFFIX: &str = ".tmp";

/// A file takes another's place within seconds: one that is older is nobody's.
const OLD: Duration = Duration::from_secs(60 * 60);

/// How many entries of a directory are looked at.
const ENTRIES: usize = 10_000;

/// A new file beside the one at `path`, whose place it is to take.
pub(crate) fn new_file(path: &Path, directory: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(&prefix(path)).suffix(SUFFIX).tempfile_in(directory)
}

/// Removes what others have left of replacing the file at `path`. What cannot be removed stays.
pub(crate) fn remove_old(path: &Path, directory: &Path) {
    remove(path, directory, OLD);
}

fn remove(path: &Path, directory: &Path, old: Duration) {
    let prefix = prefix(path);
    let is_leftover = |entry: &DirEntry| entry.file_name().to_str().is_some_and(|name| is_name_of(name, &prefix));
    // The metadata is the entry's own: a link is not followed.
    let is_old_file = |entry: &DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file);
        let age = metadata.and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        age.is_some_and(|age| age >= old)
    };
    for entry in fs::read_dir(directory).into_iter().flatten().take(ENTRIES).flatten() {
        if is_leftover(&entry) && is_old_file(&entry) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// What the names of the files for `path` begin with.
fn prefix(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("config");
    format!(".hookshell-{name}-")
}

/// Is it the name of such a file? What stands between is `tempfile`'s: letters and digits.
fn is_name_of(name: &str, prefix: &str) -> bool {
    let random = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|random| !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::{new_file, remove, remove_old};

    #[test]
    fn only_what_nobody_will_use_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let own = new_file(&at("c.json"), directory.path()).unwrap();
        let kept = [
            ".hookshell-d.json-a.tmp",
            ".hookshell-c.json-a.txt",
            ".hookshell-c.json-.tmp",
            ".hookshell-c.json-a.b.tmp",
            "c.json",
        ];
        for name in kept {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at(".hookshell-c.json-d.tmp")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("c.json", at(".hookshell-c.json-l.tmp")).unwrap();
        remove_old(&at("c.json"), directory.path());
        assert!(own.path().exists(), "it is in use");
        drop(own);
        let stale = at(".hookshell-c.json-x1Y.tmp");
        fs::write(&stale, "").unwrap();
        remove(&at("c.json"), directory.path(), Duration::ZERO);
        assert!(!stale.exists());
        assert!(kept.iter().all(|name| at(name).exists()));
        assert!(at(".hookshell-c.json-d.tmp").is_dir());
        #[cfg(unix)]
        assert!(at(".hookshell-c.json-l.tmp").is_symlink());
    }
}
