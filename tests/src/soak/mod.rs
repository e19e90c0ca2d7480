//! The soak: random hooks through one `Runner` for minutes, with every fault that a machine has, and nothing of it may be
//! left in the end.
//!
//! `docs/soak.md` says what is done and what must hold. `outside` makes the place, starts this program once more as a user
//! of its own (whose process limit and read-only directories bind) and looks at what is left when that has ended; `inside` is
//! what runs the hooks: `hook` makes them from the cases of the spec suite, `place` lays out a directory for an event,
//! `batch` runs many events at once with their faults, and `judge` compares what came of them with a quiet run.
//! `hostile` is a soak of its own: cloned repositories beside a user's guard. So is `serve`: random requests to `hookshell serve`.

mod batch;
mod error;
mod fault;
mod hook;
mod hostile;
mod inside;
mod judge;
mod measure;
mod options;
mod outside;
mod place;
mod report;
mod serve;

use std::ffi::OsString;

pub use error::Error;

/// The first argument of the process that runs the hooks.
const INSIDE: &str = "--inside";

/// Runs the command line; `Ok(false)`: something leaked or went wrong, and was said.
///
/// # Errors
/// The command line, or the place cannot be made.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<bool, Error> {
    let arguments: Vec<String> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == hostile::OPTION => hostile::run(rest),
        Some((first, rest)) if first == serve::OPTION => serve::run(rest),
        Some((first, rest)) if first == INSIDE => inside::run(&options::Options::parse(rest)?),
        _ => outside::run(&options::Options::parse(&arguments)?),
    }
}
