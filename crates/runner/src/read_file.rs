//! Files that others have written: a project's, or what an event names.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most that is read of a config file.
pub(crate) const CONFIG_LIMIT: u64 = 16 * 1024 * 1024;

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// As the system says; it is no regular file (a FIFO would be waited for, a device may have no end: a project may hold a
/// link to one); it has more bytes.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Before it is opened: to open a FIFO waits already.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    read_any(path, most)
}

/// As [`read_regular`], of any file that can be read (`/dev/stdin`, a pipe's name).
pub(crate) fn read_any(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), b"12345");
        assert_eq!(read_regular(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert_eq!(read_any(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert_eq!(read_regular(folder.path(), 5).unwrap_err().to_string(), "it is no regular file");
        assert_eq!(read_regular(&folder.path().join("no"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_regular_file_and_ends_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("settings.json");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert_eq!(read_regular(&link, 1000).unwrap_err().to_string(), "it is no regular file");
        assert_eq!(read_any(&link, 1000).unwrap_err().to_string(), "it has more than 1000 bytes");
    }
}
