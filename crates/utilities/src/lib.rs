//! Utilities that hooks call, as in-process functions.
//!
//! A bundled utility runs only what it does exactly as the program of GNU coreutils does, messages and exit status
//! included; [`Utility::accepts`] says so before anything is read, and everything else is left to the program on PATH.
//! (Which of the two is preferred where both could run is the interpreter's choice: it asks [`UtilitySet::utility`]
//! and `accepts`, and takes the bundled one whenever it gets a yes. The finer rule, that a program of the user's own
//! outside of the system's folders wins, belongs at that place.)
//!
//! Messages are GNU's in the C locale (in UTF-8 locales some of its utilities use typographic quotes).
//!
//! Utilities are guests in the process: arguments, environment, working directory, descriptors, umask and the cancel
//! token come from the [`UtilityContext`](hookshell_shell::UtilityContext), nothing from the process.

mod basename;
mod cat;
mod count;
mod dirname;
mod head;
mod io;
mod mkdir;
mod mode;
mod options;
mod quote;
mod rm;
mod sleep;
mod tail;
mod touch;
mod tree;

use hookshell_shell::{Utility, UtilitySet};

/// A set of bundled utilities.
#[derive(Clone, Copy, Default)]
pub struct Bundle {
    _private: (),
}

/// All utilities of this crate.
pub fn standard() -> Bundle {
    Bundle::default()
}

/// Sorted by name.
const UTILITIES: &[&dyn Utility] = &[
    &basename::Basename,
    &cat::Cat,
    &dirname::Dirname,
    &head::Head,
    &mkdir::Mkdir,
    &rm::Rm,
    &sleep::Sleep,
    &tail::Tail,
    &touch::Touch,
];

impl Bundle {
    /// The names of the utilities, sorted.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        UTILITIES.iter().map(|utility| utility.name())
    }
}

impl UtilitySet for Bundle {
    fn utility(&self, name: &[u8]) -> Option<&dyn Utility> {
        UTILITIES.iter().find(|utility| utility.name().as_bytes() == name).copied()
    }
}

impl std::fmt::Debug for Bundle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
