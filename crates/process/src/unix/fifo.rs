//! FIFOs.
#![allow(unsafe_code, reason = "rustix has no mkfifo, and its mknodat is not there on macOS")]

use std::ffi::CString;
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

pub(crate) fn make_fifo(path: &Path, mode: u32) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path ends with a NUL.
    match unsafe { libc::mkfifo(path.as_ptr(), mode as libc::mode_t) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A FIFO that a thread may come to wait for.
pub(crate) struct KeptFifo {
    path: PathBuf,
    /// The FIFO itself, opened for nothing: its name may go. Only Linux opens it again by that.
    #[cfg(target_os = "linux")]
    itself: Option<OwnedFd>,
}

impl KeptFifo {
    pub(crate) fn of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            #[cfg(target_os = "linux")]
            itself: rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, rustix::fs::Mode::empty()).ok(),
        }
    }

    /// Lets a thread go that waits in the `open` of it, for reading or for writing: opens the other side for a moment. Nobody else is
    /// there whom it could disturb: with another side the thread would not wait.
    pub(crate) fn let_opener_go(&self, reads: bool) {
        let mut options = File::options();
        if reads {
            options.write(true)
        } else {
            options.read(true)
        };
        // Where nobody waits the open for writing fails; both return at once.
        options.custom_flags(i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0));
        #[cfg(target_os = "linux")]
        if let Some(itself) = &self.itself
            && options.open(format!("/proc/self/fd/{}", itself.as_raw_fd())).is_ok()
        {
            return;
        }
        drop(options.open(&self.path));
    }
}
