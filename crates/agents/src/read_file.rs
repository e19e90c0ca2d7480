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
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        // One that cannot be listed stands for what is in it.
        path.read_dir()?;
    }
    if !metadata.is_file() {
        return Err(no_regular());
    }
    // What was put there since does not hold the open up.
    let file = open_at_once(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_regular()) }
}

/// As [`read_regular`], of any file that can be read (`/dev/stdin`, a pipe's name). A pipe is waited for, but not for ever: there may
/// be nobody who writes to it, and an agent would wait for its guard.
///
/// # Errors
/// As the system says; it has more bytes; a pipe to which nobody writes, or that stays open.
pub fn read_any(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&path.metadata()?.file_type()) {
        return read_pipe(path, most, PIPE_MAX_WAIT);
    }
    // Windows refuses to open a directory, as it refuses what is not allowed.
    let is_directory = cfg!(windows) && path.is_dir();
    let file = File::open(path).map_err(|error| match is_directory {
        true => io::ErrorKind::IsADirectory.into(),
        false => error,
    })?;
    read_up_to(file, most, None)
}

/// How long a pipe may take to give all that is in it: who names `<(program)` waits for that program.
#[cfg(unix)]
const PIPE_MAX_WAIT: Duration = Duration::from_secs(10);

/// Reads what is written to a pipe until all who write to it have closed it.
#[cfg(unix)]
#[cold]
fn read_pipe(path: &Path, most: u64, max_wait: Duration) -> io::Result<Vec<u8>> {
    const LOOK_AGAIN: Duration = Duration::from_millis(2);
    let until = Instant::now() + max_wait;
    let mut file = open_at_once(path)?;
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; 16 * 1024]);
    while bytes.len() as u64 <= most {
        let read = if hookshell_process::is_readable(&file) { file.read(&mut chunk) } else { Err(WAIT.into()) };
        match read {
            // Some systems say that a FIFO is at its end before anybody has written to it.
            Ok(0) if !bytes.is_empty() || cfg!(target_os = "linux") => return Ok(bytes),
            Ok(length) if length > 0 => bytes.extend(chunk.iter().take(length)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() != WAIT => return Err(error),
            _ if Instant::now() >= until => {
                let seconds = max_wait.as_secs_f64();
                let why = match bytes.is_empty() {
                    true => format!(
                        "it is a pipe, and nothing was written to it for {seconds} s: start the program that writes to it"
                    ),
                    false => {
                        format!("it is a pipe that was still open after {seconds} s: who writes to it must close it")
                    }
                };
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            _ => std::thread::sleep(LOOK_AGAIN),
        }
    }
    Err(too_long(most))
}

/// What a pipe says that has nothing yet.
#[cfg(unix)]
const WAIT: io::ErrorKind = io::ErrorKind::WouldBlock;

/// Opens a file to be read, and waits for nobody: the open of a FIFO without a writer would.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or_default()).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

fn too_long(most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it has more than {most} bytes"))
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
        return Err(too_long(most));
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

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_read_to_its_end_and_not_waited_for_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fifo");
        hookshell_process::make_fifo(&path, 0o600).unwrap();
        let short = Duration::from_millis(30);
        let alone = read_pipe(&path, 1000, short).unwrap_err();
        assert_eq!(alone.kind(), io::ErrorKind::TimedOut);
        assert!(alone.to_string().contains("nothing was written to it for 0.03 s"), "{alone}");

        // Both sides, so that the open waits for nobody.
        let mut both = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        io::Write::write_all(&mut both, b"{}").unwrap();
        let open = read_pipe(&path, 1000, short).unwrap_err();
        assert!(open.kind() == io::ErrorKind::TimedOut && open.to_string().contains("must close it"), "{open}");
        io::Write::write_all(&mut both, b"12345").unwrap();
        assert_eq!(read_pipe(&path, 4, short).unwrap_err().to_string(), "it has more than 4 bytes");
        drop(both);

        let late = path.clone();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(short);
            let mut file = OpenOptions::new().write(true).open(late).unwrap();
            (0..3).for_each(|_| io::Write::write_all(&mut file, &[b'x'; 40_000]).unwrap());
        });
        assert_eq!(read_any(&path, 1_000_000).unwrap().len(), 120_000);
        writer.join().unwrap();
    }
}
