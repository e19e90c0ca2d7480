//! Pathname expansion (POSIX XCU 2.14.3) with bash's `globstar`, `dotglob`, `nocaseglob` and `extglob`.
//!
//! Paths are resolved against a given logical working directory, never the process's. Only `/` separates
//! components, on Windows too (a backslash is an escape there as everywhere); a drive letter is a literal first
//! component. Names are compared without case on Windows and printed in the file's own case.

mod component;
#[cfg(test)]
mod tests;
mod walk;

use std::path::{Path, PathBuf};

use hookshell_text::pattern;
use thiserror::Error;

/// How a pattern is expanded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GlobOptions {
    /// How names are matched: `extglob`, `nocaseglob`, and bytes in the C locale.
    pub(crate) pattern: pattern::Options,
    /// `*`, `?` and brackets match a leading dot, but not the names `.` and `..`.
    pub(crate) dotglob: bool,
    /// A pattern that starts with a dot matches `.` and `..` too (bash without `globskipdots`).
    pub(crate) dots: bool,
    /// A component `**` matches any number of directories, without following symbolic links.
    pub(crate) globstar: bool,
    /// More results than this are an error; 0 means no limit.
    pub(crate) max_results: usize,
}

/// Why a pattern was not expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum GlobError {
    /// The pattern matched more names than the limit allows.
    #[error("pathname expansion gives more than {limit} names: use a narrower pattern")]
    TooMany {
        /// [`GlobOptions::max_results`].
        limit: usize,
    },
    /// The caller's check asked to stop.
    #[error("pathname expansion was interrupted")]
    Interrupted,
}

/// Expands an escaped pattern (see [`pattern`]) and gives every matching path to `out`, sorted by bytes, which is
/// the order of characters in C.UTF-8. Returns how many there were; 0 leaves the word as it stands.
///
/// Relative paths are joined to `cwd`; `temp` is the directory that `/tmp` stands for on Windows.
///
/// `keep_going` is asked once per directory and now and then within a large one.
///
/// # Errors
///
/// Too many results, or `keep_going` said no. Directories that cannot be read match nothing and are no error.
pub(crate) fn expand(
    escaped: &[u8],
    cwd: &Path,
    temp: &dyn Fn() -> PathBuf,
    options: &GlobOptions,
    keep_going: &mut dyn FnMut() -> bool,
    out: &mut dyn FnMut(&[u8]),
) -> Result<usize, GlobError> {
    let components = component::split(escaped, options);
    let mut walk = walk::Walk::new(&components, (cwd, temp), options, keep_going);
    let mut results = walk.run()?;
    // `**/a/**` finds what is below an `a` in an `a` once for each, as in bash.
    results.sort_unstable();
    for result in &results {
        out(result);
    }
    Ok(results.len())
}
