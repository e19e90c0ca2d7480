//! Utilities about the system, time, the environment and other commands.

mod sleep;

use hookshell_shell::Utility;

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(sleep::Sleep)]
}
