//! Files that belong to this process and not to the script that names them: its descriptors, its working directory, its memory.
//!
//! A script that runs in process takes `/dev/stdin`, `/dev/fd/3` and `/proc/self` for its own. To the system they are the host's,
//! whatever spelling or link leads there. [`lead`] says what such a name means, and [`Opening::open`] opens no file by way of them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

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

/// Where an absolute path leads, for a script with this working directory. Of a path that leads neither to descriptors nor
/// into `/proc` it costs three system calls on Linux; elsewhere, and where `openat2` is not to be had, one for each of its components.
#[must_use]
pub fn lead(path: &Path, cwd: &Path) -> Lead {
    #[cfg(unix)]
    return crate::unix::lead(path, cwd);
    #[cfg(not(unix))]
    {
        let _ = (path, cwd);
        Lead::Ordinary
    }
}

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

    /// Opens the file, but not by way of a link of the system's to a file that is open (`/dev/stdin`, `/proc/self/fd/3`): see
    /// [`is_refused_link`].
    ///
    /// # Errors
    /// What the system says; for a guest [`host_file_error`], where the file is one of this process's in `/proc` that it may not open:
    /// its memory, its environment, and any for writing.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        #[cfg(unix)]
        return crate::unix::open_at(None, path, self);
        #[cfg(not(unix))]
        self.options().open(path)
    }

    /// Opens an absolute path as a script with this working directory means it.
    ///
    /// # Errors
    /// As for [`Opening::open`].
    pub fn open_for(&self, path: &Path, cwd: &Path) -> io::Result<Opened> {
        match self.open(path) {
            Ok(file) => Ok(Opened::File(file)),
            Err(error) if !self.no_follow && (is_refused_link(&error) || error.kind() == io::ErrorKind::NotFound) => {
                match lead(path, cwd) {
                    Lead::Descriptor(number) => Ok(Opened::Descriptor(number)),
                    Lead::Path(other) => self.open(&other).map(Opened::File),
                    Lead::Host if self.guest => Err(host_file_error()),
                    // Another process's file, or a circle.
                    _ if is_refused_link(&error) && !self.create_new => self.open_anyhow(path).map(Opened::File),
                    _ => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    fn open_anyhow(&self, path: &Path) -> io::Result<File> {
        #[cfg(unix)]
        return crate::unix::open_anyhow(path, self);
        #[cfg(not(unix))]
        self.open(path)
    }

    /// As [`Opening::open`], of a path relative to an open directory.
    ///
    /// # Errors
    /// As for [`Opening::open`].
    #[cfg(unix)]
    pub fn open_in(&self, directory: std::os::fd::BorrowedFd<'_>, path: &Path) -> io::Result<File> {
        crate::unix::open_at(Some(directory), path, self)
    }

    #[cfg(not(unix))]
    fn options(&self) -> std::fs::OpenOptions {
        let mut options = File::options();
        options.read(self.read).write(self.write).append(self.append).truncate(self.truncate);
        options.create(self.create).create_new(self.create_new);
        options
    }
}

impl Default for Opening {
    fn default() -> Self {
        Self::new()
    }
}

/// Is it the error of [`Opening::open`] for a name that leads by a link of the system's to an open file? (It is also that of links in
/// a circle: [`lead`] tells them apart.)
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
pub const HOST_FILE: &str = "it belongs to the process that runs the hook, and is not for hooks";
