//! What is done to the files of one config.

use std::path::PathBuf;

use crate::error::Error;
use crate::files::Change;

/// What is done together, or not at all.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) summary: String,
    /// The config that it is about, as it was found.
    pub(crate) config: PathBuf,
    pub(crate) changes: Vec<Change>,
}

impl Unit {
    /// Checks what can be checked before anything is done.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut changes = self.changes.iter().filter(|change| change.is_change());
        changes.try_for_each(Change::check).map_err(|error| error.left(&self.config))
    }

    /// Does it; where a part of it fails, what was done is undone.
    pub(crate) fn apply(&self) -> Result<(), Error> {
        self.check()?;
        for (index, change) in self.changes.iter().enumerate() {
            if let Err(error) = change.apply() {
                self.changes.iter().take(index).rev().for_each(Change::revert);
                return Err(error.left(&self.config));
            }
        }
        Ok(())
    }
}
