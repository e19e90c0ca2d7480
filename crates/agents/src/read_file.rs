//! Files that others have written: a project's, or what an event names.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long reading a regular file may take: some that the kernel makes up have no end, or are slow.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How much is read until the time is looked at.
const CHUNK: u64 = 256 * 1024;

/// How much is read at first.
const ROOM: usize = 4096;

/// The most that is read of a config file.
pub const CONFIG_LIMIT: u64 = 16 * 1024 * 1024;

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// As the system says; it is no regular file (a FIFO would be waited for, a device may have no end: a project may hold a
/// link to one); it has more bytes.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_up_to(open_regular(path)?, most, Some(Instant::now() + MAX_WAIT))
}

/// Opens a regular file to be read, and waits for nothing.
///
/// # Errors
/// As the system says, or it is no regular file.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let no_regular = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    // Before it is opened too: opening may do something to a device.
    if !path.metadata()?.is_file() {
        return Err(no_regular());
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // What was put there since does not hold the open up: a FIFO without a writer.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_regular()) }
}

/// As [`read_regular`], of any file that can be read (`/dev/stdin`, a pipe's name).
pub(crate) fn read_any(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_up_to(File::open(path)?, most, None)
}

fn read_up_to(file: File, most: u64, until: Option<Instant>) -> io::Result<Vec<u8>> {
    // A config fits nearly always: without room the first reads are of 32 bytes.
    let mut bytes = Vec::with_capacity(ROOM);
    let mut file = file.take(most.saturating_add(1));
    // Less than was asked for is the end.
    while (&mut file).take(CHUNK).read_to_end(&mut bytes)? as u64 == CHUNK {
        if until.is_some_and(|until| until <= Instant::now()) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it could not be read in time"));
        }
    }
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
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), b"12345");
        assert_eq!(read_regular(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert_eq!(read_any(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert_eq!(read_regular(directory.path(), 5).unwrap_err().to_string(), "it is no regular file");
        assert_eq!(read_regular(&directory.path().join("no"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_regular_file_and_ends_at_the_limit() {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("settings.json");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert_eq!(read_regular(&link, 1000).unwrap_err().to_string(), "it is no regular file");
        assert_eq!(read_any(&link, 1000).unwrap_err().to_string(), "it has more than 1000 bytes");
    }
}
