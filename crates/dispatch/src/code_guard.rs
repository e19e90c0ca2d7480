//! The host's watch over the files that a run takes code from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// What a host holds against code that was changed since it looked at it. It is asked before code of a file is run, and
/// around the start of every program, which opens its files by itself. A refusal is final: nothing more is started, and the
/// run ends as [`End::Changed`](crate::End::Changed).
///
/// The texts of errors are for people: which file, and what is wrong with it.
pub trait CodeGuard: fmt::Debug + Send + Sync {
    /// Did the host look for this file? Then it is read as a whole, and its contents are [checked](CodeGuard::check).
    fn knows(&self, path: &Path) -> bool;

    /// May code from this file be run, which has these contents? What is run is taken from these bytes: the file is not
    /// opened again.
    ///
    /// # Errors
    /// It may not.
    fn check(&self, path: &Path, contents: &[u8]) -> Result<(), String>;

    /// May this program be started?
    ///
    /// # Errors
    /// It may not.
    fn before_start(&self, program: &Path) -> Result<(), String>;

    /// It was started, and may have opened its files or not. Is everything as it was?
    ///
    /// # Errors
    /// It is not, and the program is to be killed.
    fn after_start(&self) -> Result<(), String>;

    /// What was refused first.
    fn refusal(&self) -> Option<String>;

    /// The same for a copy of this process, as [`Executor::for_copy`](hookshell_shell::Executor::for_copy).
    fn for_copy(&self) -> Arc<dyn CodeGuard>;
}
