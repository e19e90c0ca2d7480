//! Pipes, anonymous files, and what is asked of open files.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::{FileKind, Interrupt};

/// A new pipe: (read end, write end). Neither end is inherited by a child unless a request names it.
///
/// # Errors
/// What the system says: no more descriptors.
pub fn pipe() -> io::Result<(File, File)> {
    let (reader, writer) = io::pipe()?;
    #[cfg(unix)]
    {
        use std::os::fd::OwnedFd;
        Ok((File::from(OwnedFd::from(reader)), File::from(OwnedFd::from(writer))))
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::OwnedHandle;
        Ok((File::from(OwnedHandle::from(reader)), File::from(OwnedHandle::from(writer))))
    }
}

/// A new empty file without a name, open for reading and writing: in memory on Linux (`memfd_create`), else in
/// `temp_dir`, which is the run's and not the host's, and gone once it is closed.
///
/// # Errors
/// What the system says, for example when `temp_dir` cannot be written to.
pub fn anonymous_file(temp_dir: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        if let Ok(fd) = rustix::fs::memfd_create("hookshell", rustix::fs::MemfdFlags::CLOEXEC) {
            return Ok(File::from(fd));
        }
    }
    tempfile::tempfile_in(temp_dir)
}

/// ERROR_INVALID_NAME of Windows.
const INVALID_NAME: i32 = 123;

/// Does the error of a look-up say that no such file is there? On Windows so it does of a name that no file can have there, as of
/// a pattern that matches nothing (`*.txt`).
#[must_use]
pub fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || (cfg!(windows) && error.raw_os_error() == Some(INVALID_NAME))
}

/// The error of an attempt to create a file: one that tells what is wrong with the name, where Windows does not allow it.
#[must_use]
pub fn of_creation(error: io::Error) -> io::Error {
    if cfg!(windows) && error.raw_os_error() == Some(INVALID_NAME) {
        let text = "Windows allows none of < > : \" | ? * in a file's name";
        return io::Error::new(io::ErrorKind::InvalidFilename, text);
    }
    error
}

/// Makes a FIFO with this mode, less the umask (mkfifo(2)).
///
/// # Errors
/// What the system says; without FIFOs in the file system (Windows) `Unsupported`.
pub fn make_fifo(path: &Path, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    return crate::unix::make_fifo(path, mode);
    #[cfg(not(unix))]
    {
        let _ = (path, mode);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Waits until a read of a pipe gives something (or its end, or an error). On Windows the read itself waits: it returns
/// at once there.
///
/// # Errors
/// What the system says.
pub fn wait_readable(file: &File) -> io::Result<()> {
    crate::platform::wait_readable(file)
}

/// Would a read of a pipe give something (or its end, or an error) without waiting? On Windows that cannot be asked while
/// another thread reads the pipe: `false`.
#[must_use]
pub fn is_readable(file: &File) -> bool {
    crate::platform::is_readable(file)
}

/// Is it a FIFO, by its name? To open one and close it again ends the program that waits at its other side.
#[must_use]
pub fn is_fifo(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// How often a thread that is left behind in the `open` of a FIFO is let go, a millisecond apart.
const LOOKS_FOR_OPENER: u32 = 20;

/// Has `open` open a FIFO, which waits for the other side, on a thread that can be left behind; `reads` is what it opens it for.
/// `None`: interrupted, and nothing waits any longer.
///
/// The starts of programs that are under way in this process are waited for before (at most for some seconds): until its `execve` a new
/// child has copies of descriptors that were closed here meanwhile, and such a copy would be taken for the other side.
pub fn open_fifo<T: Send + 'static>(
    interrupt: &Interrupt,
    path: &Path,
    reads: bool,
    open: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    // The FIFO itself, whatever happens to its name meanwhile.
    let fifo = crate::platform::KeptFifo::of(path);
    let (is_left, is_opening) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (left, opening) = (Arc::clone(&is_left), Arc::clone(&is_opening));
    let opened = interrupt.blocking(move || {
        crate::platform::wait_for_starts();
        // In one order for both threads: either this one sees that it is left, or the other one that it opens.
        opening.store(true, Ordering::SeqCst);
        let opened = (!left.load(Ordering::SeqCst)).then(open);
        opening.store(false, Ordering::SeqCst);
        opened
    });
    if opened.is_none() {
        is_left.store(true, Ordering::SeqCst);
        // The thread may be about to wait only.
        for _ in 0..LOOKS_FOR_OPENER {
            if !is_opening.load(Ordering::SeqCst) {
                break;
            }
            fifo.let_opener_go(reads);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    opened.flatten()
}

impl FileKind {
    /// Asks the system (`fstat`, `GetFileType`).
    #[must_use]
    pub fn of(file: &File) -> Self {
        crate::platform::file_kind(file)
    }
}
