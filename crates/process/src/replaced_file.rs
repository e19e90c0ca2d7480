//! A new file in the place of an old one.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// Whoever reads the old file does so at once, and it is small.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How long is waited between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// Gives a file its name, in the place of the one that has it: who reads sees one or the other, whole.
///
/// Windows refuses that while somebody has the old file open: it is tried again for two seconds.
///
/// # Errors
/// What the system says; the new file is gone then.
pub fn replace_file<F>(mut file: NamedTempFile<F>, path: &Path) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        let refused = match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        let may_be_open = cfg!(windows) && refused.error.kind() == io::ErrorKind::PermissionDenied;
        if !may_be_open || begun.elapsed() > MAX_WAIT {
            return Err(refused.error);
        }
        file = refused.file;
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::replace_file;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no files")]
    fn the_new_file_has_the_name_of_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        for text in ["first", "second"] {
            let mut file = tempfile::NamedTempFile::new_in(dir.path()).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            replace_file(file, &path).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        }
        let file = tempfile::NamedTempFile::new_in(dir.path()).unwrap();
        replace_file(file, &dir.path().join("none").join("x")).unwrap_err();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
