//! Variables of the environment.

use std::ffi::OsString;
use std::path::Path;

use hookshell_process::{script_path, text};

/// An environment: names and values, names unique.
pub type Variables = Vec<(OsString, OsString)>;

/// The value of a variable that is a path: with slashes on Windows too, as HOME and PWD are in scripts. Published hooks put such
/// variables into patterns, `sed`, `eval` and JSON, where a backslash would be a quote.
pub fn of_path(path: &Path) -> OsString {
    text::into_os(script_path::shown(&text::from_path(path)).into_owned())
}
