//! What a package manager has installed below the target directory, and of which files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A directory of installed programs. It is current as long as the files that pin them are what they were.
pub(super) struct Installed {
    note: PathBuf,
    wanted: Vec<u8>,
}

impl Installed {
    /// That of a directory, by the files that pin what is in it.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(super) fn of(directory: &Path, pins: &[&Path]) -> Result<Self, Error> {
        let mut wanted = Vec::new();
        for path in pins {
            wanted.extend(fs::read(path).map_err(|source| Error::File { path: (*path).to_owned(), source })?);
        }
        Ok(Self { note: directory.join("installed.txt"), wanted })
    }

    /// Is there what is wanted?
    pub(super) fn is_current(&self) -> bool {
        fs::read(&self.note).is_ok_and(|text| text == self.wanted)
    }

    /// Notes that it is there now.
    ///
    /// # Errors
    /// The note cannot be written.
    pub(super) fn note(&self) -> Result<(), Error> {
        fs::write(&self.note, &self.wanted).map_err(|source| Error::File { path: self.note.clone(), source })
    }
}
