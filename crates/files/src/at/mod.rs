//! Files by the directory that holds them, which is open: what a name meant when it was looked at is what is changed, whatever
//! somebody else makes of the way there meanwhile, and trees may be deeper than a path can be long.
//!
//! On Unix all is done relative to open directories (`openat`, `unlinkat`, …). Elsewhere the whole paths are used.

#[cfg(not(unix))]
mod paths;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::io;

use crate::file_stat::FileStat;

#[cfg(not(unix))]
pub use paths::{Dir, Pinned, Place, set_mode, set_owner, set_times};
#[cfg(unix)]
pub use unix::{Dir, Pinned, Place, set_mode, set_owner, set_times};

/// How many directories of a tree are open at once.
const OPEN_LIMIT: usize = 32;

/// An entry of a directory, as that has it.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its name.
    pub name: OsString,
    /// The type's bits of the mode; `None`: the file system does not say.
    pub kind: Option<u32>,
    /// The file's number.
    #[cfg_attr(not(unix), allow(dead_code, reason = "there are none"))]
    pub inode: u64,
}

/// The directories from the root of a walk down to where it is.
#[derive(Default)]
pub struct Way {
    directories: Vec<Dir>,
}

impl Way {
    /// Goes into a directory. One far above is closed; it is opened again when it is needed.
    pub fn enter(&mut self, directory: Dir) {
        self.directories.push(directory);
        if let Some(far) = self.directories.len().checked_sub(OPEN_LIMIT + 1)
            && far > 0
            && let Some(directory) = self.directories.get(far)
        {
            directory.close();
        }
    }

    /// Goes back to the one above.
    pub fn leave(&mut self) {
        if let (Some(below), Some(above)) = (self.directories.pop(), self.directories.last()) {
            above.reopen_from(&below);
        }
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        // The deepest first: each keeps the one above it.
        while self.directories.pop().is_some() {}
    }
}

impl Place {
    /// Opens the directory that `stat` is of. Where names are all that tells directories apart (not on Unix) it is what has the name.
    ///
    /// # Errors
    /// It cannot be opened, or another one has taken its place since ([`moved`]).
    pub fn open_seen_dir(&self, follows: bool, stat: &FileStat) -> io::Result<Dir> {
        let directory = self.open_dir(follows)?;
        if cfg!(unix) && directory.id() != (stat.device, stat.inode) { Err(moved()) } else { Ok(directory) }
    }
}

/// What is said of a directory that is no longer where it was.
pub fn moved() -> io::Error {
    io::Error::other("the directory was moved meanwhile")
}

#[cfg(all(test, unix))]
mod tests;
