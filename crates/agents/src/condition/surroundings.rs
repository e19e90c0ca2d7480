//! Where a call is made.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use hookshell_process::variable;

/// Where the tool of a call works: nothing of it is the process's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'e> {
    /// The working directory and the project's.
    pub(super) directories: [&'e Path; 2],
    /// The variables that its commands have.
    pub(super) env: &'e [(OsString, OsString)],
}

impl<'e> Surroundings<'e> {
    pub(super) fn variable(&self, name: &str) -> Option<&'e OsStr> {
        variable(self.env, name)
    }
}
