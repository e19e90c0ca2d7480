//! The spec suite: cases as data under `tests/spec`, run by our interpreter in process and by real shells.
//!
//! `tests/spec/README.md` describes the format. One table, several consumers: `in_process` runs a case by the
//! library, `real` by bash, dash, busybox ash or the built `hookshell sh`; `compare` says what differs from the
//! expectation; `suite` does that for many cases; `record` writes bash's answers into a case file; `index` holds
//! the list of what the language is against the cases; `command` is the command line of the test binary.

mod bytes;
mod case;
pub mod command;
mod compare;
mod directory;
mod error;
mod files;
mod in_process;
mod index;
mod parse;
mod real;
mod record;
mod subject;
mod suite;

pub use case::{Case, Expectation, Given, Mode, Stdout};
#[cfg(target_os = "linux")]
pub(crate) use directory::PATH as PROGRAMS;
pub use directory::{Directory, Left, lay_out, list_left};
pub use error::Error;
pub use files::{CaseFile, load, spec_directory};
pub use parse::parse;
pub use subject::Subject;
#[cfg(target_os = "linux")]
pub(crate) use suite::has;

/// What a run gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status; 128 + n where signal n ended it.
    pub status: u8,
    /// What was written to standard output.
    pub stdout: Vec<u8>,
    /// What was written to standard error.
    pub stderr: Vec<u8>,
    /// What the case's directory holds afterwards.
    pub left: std::collections::BTreeMap<String, Left>,
    /// Why the run has no proper end: the deadline, a panic.
    pub trouble: Option<String>,
}

/// How long a case may run.
pub const DEADLINE: std::time::Duration = std::time::Duration::from_secs(30);

/// How much of each output is kept.
const OUTPUT_LIMIT: usize = 4 * 1024 * 1024;
