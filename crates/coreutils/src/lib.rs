//! The utilities of GNU coreutils, findutils and diffutils, and others that scripts call beside them, as functions in process.
//!
//! A bundled utility runs only what it does exactly as the program does, messages and exit status included; everything else is left
//! to the program on PATH. Messages are GNU's in the C locale (in UTF-8 locales some of its utilities use typographic quotes).
#![forbid(unsafe_code)]

mod date;
mod files;
mod files0;
mod size;
mod system;
mod text;
mod version_order;

use hookshell_utility::Utility;

pub use system::IsBundled;

/// The utilities of this crate. Some behave otherwise for a command that runs in process: `is_bundled` knows the names.
pub fn all(is_bundled: IsBundled) -> Vec<Box<dyn Utility>> {
    let date: Vec<Box<dyn Utility>> = vec![Box::new(date::Date)];
    [text::all(), files::all(), system::all(is_bundled), date].into_iter().flatten().collect()
}
