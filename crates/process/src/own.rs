//! Files that belong to this process and not to the script that names them: its descriptors, its working directory, its memory.
//!
//! A script that runs in process takes `/dev/stdin`, `/dev/fd/3` and `/proc/self` for its own. To the system they are the host's,
//! whatever spelling or link leads there. [`lead`] says what such a name means, and [`Opening::open`] opens no file by way of them.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::opening::{Lead, Opened, Opening, host_file_error, is_refused_link};

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

impl Opening {
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
