//! Utilities that hooks call, as in-process functions: those of the crates `hookshell-jq`, `-awk`, `-sed`, `-grep` and `-coreutils`
//! together.
//!
//! A bundled utility runs only what it does exactly as the program of GNU coreutils does, messages and exit status
//! included; [`Utility::prepare`] says so before its input is read, and everything else is left to the program on PATH.
//!
//! Where a program of the same name is on PATH too, [`Preference`] decides.
//!
//! Messages are GNU's in the C locale (in UTF-8 locales some of its utilities use typographic quotes).
//!
//! Utilities are guests in the process: arguments, environment, working directory, descriptors, umask and the cancel
//! token come from the [`UtilityContext`](hookshell_utility::UtilityContext), nothing from the process.
#![forbid(unsafe_code)]

mod preference;
mod version;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use hookshell_utility::{Environment, Utility, UtilitySet};
pub use preference::Preference;

/// The bundled utilities, with what they remember from call to call (compiled programs). Cheap to clone: clones share
/// it.
#[derive(Clone)]
pub struct Bundle {
    /// Made when one is first looked up: many scripts and hooks need none.
    utilities: Arc<OnceLock<Vec<Box<dyn Utility>>>>,
    preference: Preference,
}

/// All utilities of this crate, with the default preference.
pub fn standard() -> Bundle {
    Bundle { utilities: Arc::default(), preference: Preference::default() }
}

/// Sorted by name.
fn utilities() -> Vec<Box<dyn Utility>> {
    let mut utilities = [
        hookshell_awk::all(),
        hookshell_jq::all(),
        hookshell_grep::all(),
        hookshell_sed::all(),
        hookshell_coreutils::all(is_bundled),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>();
    utilities.sort_by_key(|utility| utility.name());
    utilities
}

/// Is there one of this name?
fn is_bundled(name: &[u8]) -> bool {
    utilities().iter().any(|utility| utility.name().as_bytes() == name)
}

impl Bundle {
    fn all(&self) -> &[Box<dyn Utility>] {
        self.utilities.get_or_init(utilities)
    }

    /// The same utilities with another preference.
    #[must_use]
    pub fn preferring(self, preference: Preference) -> Self {
        Self { preference, ..self }
    }

    /// The names of the utilities, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all().iter().map(|utility| utility.name())
    }
}

impl UtilitySet for Bundle {
    fn utility(&self, name: &[u8]) -> Option<&dyn Utility> {
        if self.preference == Preference::Off {
            return None;
        }
        let all = self.all();
        let at = all.binary_search_by(|utility| utility.name().as_bytes().cmp(name)).ok()?;
        all.get(at).map(|utility| &**utility)
    }

    fn yields_to(&self, program: &Path, env: &Environment) -> bool {
        self.preference == Preference::Path || !preference::is_of_the_system(program, env)
    }

    fn for_copy(&self) -> Option<Arc<dyn UtilitySet>> {
        Some(Arc::new(Self { utilities: Arc::default(), preference: self.preference }))
    }

    fn version(&self, name: &[u8]) -> Option<String> {
        self.utility(name).and_then(|utility| version::text(utility.name()))
    }
}

impl std::fmt::Debug for Bundle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_unique() {
        let utilities = super::standard();
        let names: Vec<_> = utilities.names().collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    }

    #[test]
    fn the_list_of_utilities_is_complete() {
        let page = include_str!("../../../docs/utilities.md");
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| ")).collect();
        let (mut missing, names) = (Vec::new(), super::standard());
        for name in names.names() {
            if !rows.iter().any(|row| row.contains(&format!("`{name}`"))) {
                missing.push(name);
            }
        }
        assert!(missing.is_empty(), "docs/utilities.md does not name {missing:?}");
    }
}
