//! What a name may lead to, how a file is opened for a script, and why it is refused: the words of [`crate::lead`] and [`Opening::open`].

use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Where a name leads, as far as it is to mean the script's and not this process's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    /// To a file as any other, or to none.
    Ordinary,
    /// To the script's descriptor of this number.
    Descriptor(u32),
    /// To the same as this name, which does not go through this process's entry in `/proc`.
    Path(PathBuf),
    /// To something that only this process has: its memory, its environment.
    Host,
}

/// Numbers from this on are no processes' in Linux (2^22 is the most): a host may give them to scripts as their own.
pub const VIRTUAL_IDS: u32 = (1 << 22) + 1;

/// What a name of a script's was opened as.
#[derive(Debug)]
pub enum Opened {
    /// A file.
    File(File),
    /// It is the script's descriptor of this number.
    Descriptor(u32),
}

impl Opened {
    /// The file, where a descriptor cannot be meant: `NotFound` for one.
    ///
    /// # Errors
    /// It is a descriptor.
    pub fn file(self) -> io::Result<File> {
        match self {
            Self::File(file) => Ok(file),
            Self::Descriptor(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// How a file is opened for a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are the flags of open(2)")]
pub struct Opening {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// Each write goes to the end.
    pub append: bool,
    /// Its content goes.
    pub truncate: bool,
    /// It is made where it is missing.
    pub create: bool,
    /// It is made, and must have been missing: no link is followed either.
    pub create_new: bool,
    /// The open of a FIFO does not wait for its other side.
    pub nonblocking: bool,
    /// A link as the last component is an error.
    pub no_follow: bool,
    /// The mode of a new file, less the umask.
    pub mode: u32,
    /// The script is a guest in this process: what the process has in `/proc` is not for it.
    pub guest: bool,
}

impl Opening {
    /// For nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            read: false,
            write: false,
            append: false,
            truncate: false,
            create: false,
            create_new: false,
            nonblocking: false,
            no_follow: false,
            mode: 0o666,
            guest: true,
        }
    }

    /// For reading.
    #[must_use]
    pub const fn to_read() -> Self {
        Self { read: true, ..Self::new() }
    }

    /// For writing, of a file that is there.
    #[must_use]
    pub const fn to_write() -> Self {
        Self { write: true, ..Self::new() }
    }
}

impl Default for Opening {
    fn default() -> Self {
        Self::new()
    }
}

/// Is it the error of [`Opening::open`] for a name that leads by a link of the system's to an open file? (It is also that of links in
/// a circle: [`crate::lead`] tells them apart.)
#[must_use]
pub fn is_refused_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(libc::ELOOP);
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

/// The error of [`Opening::open`] for a file of the host's.
#[must_use]
pub fn host_file_error() -> io::Error {
    io::Error::other(HOST_FILE)
}

/// What [`host_file_error`] says.
pub(crate) const HOST_FILE: &str = "it belongs to the process that runs the hook, and is not for hooks";
