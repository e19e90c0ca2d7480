//! Utilities that name, make, change and remove files.

mod basename;
mod dirname;
mod find;
mod mkdir;
mod mode;
mod mode_change;
mod rm;
mod stat_of;
mod touch;
mod tree;

use hookshell_shell::Utility;

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![
        Box::new(basename::Basename),
        Box::new(dirname::Dirname),
        Box::new(find::Find),
        Box::new(mkdir::Mkdir),
        Box::new(rm::Rm),
        Box::new(touch::Touch),
    ]
}
