//! Files that hold programs: `awk -f`, `sed -f`.

use std::io;
use std::path::PathBuf;

use hookshell_process::is_missing;
use hookshell_process::text::to_path;

use crate::io::{Running, read_descriptor, read_file};
use crate::special_file::special_file;
use crate::utility::{Unsupported, UtilityCall};

/// A file of a program, opened and read at most once.
#[derive(Debug)]
pub enum ProgramFile<'a> {
    /// What it holds. Whether that may be run is asked when it is.
    Read(PathBuf, Vec<u8>),
    /// A descriptor of the script's: what is read from it is gone for the real program, so it is read when it is known that the utility
    /// runs.
    Later(&'a [u8]),
    /// What a descriptor held.
    Taken(Vec<u8>),
}

/// Why a file is not read.
#[derive(Debug)]
pub enum Missing {
    /// It is not there.
    Gone(io::Error),
    /// It cannot be read, or is too long.
    Unreadable(io::Error),
    /// It is no regular file: it might be one that can be read only once.
    NoFile,
}

impl<'a> ProgramFile<'a> {
    /// Reads a file of at most so many bytes.
    pub fn read(call: &UtilityCall<'_>, name: &'a [u8], most: u64) -> Result<Self, Missing> {
        if name == b"-" || special_file(name, call.cwd).is_some() {
            return Ok(Self::Later(name));
        }
        let path = call.cwd.join(to_path(name));
        match read_file(&path, call.cwd, most) {
            Ok(Some(text)) => Ok(Self::Read(path, text)),
            Ok(None) => Err(Missing::NoFile),
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => Err(Missing::NoFile),
            Err(error) if is_missing(&error) => Err(Missing::Gone(error)),
            Err(error) => Err(Missing::Unreadable(error)),
        }
    }

    /// What it holds, as far as that is known before it runs.
    pub fn known(&self) -> Option<&[u8]> {
        match self {
            Self::Read(_, text) | Self::Taken(text) => Some(text),
            Self::Later(_) => None,
        }
    }

    /// Reads what is read when the utility runs; `unreadable` says which file that cannot be done with. Asks whether the file may be run.
    pub fn complete(
        &mut self,
        running: &Running<'_>,
        unreadable: impl FnOnce(&[u8]) -> Unsupported,
    ) -> Result<(), Unsupported> {
        match self {
            Self::Read(path, text) => running.context().commands.may_run(path, text).map_err(Unsupported::mistake),
            Self::Later(name) => {
                let text = read_descriptor(running.context(), name).ok_or_else(|| unreadable(name))?;
                *self = Self::Taken(text);
                Ok(())
            }
            Self::Taken(_) => Ok(()),
        }
    }
}
