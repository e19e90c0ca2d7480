//! Why a program ends before its time, and how long a string may become.

use hookshell_regex::SearchError;
use hookshell_utility::Stopped;
use hookshell_utility::io::{Failure, reason};

use super::input::ReadError;
use super::output::OutputError;

/// The longest string that an operation makes.
pub(super) const MAX_STRING: usize = 1 << 27;

/// Why a program ends before its time.
#[derive(Debug)]
pub(super) enum Fail {
    /// The utility ends so.
    Failure(Failure),
    /// A message, and status 2.
    Fatal(Vec<u8>),
}

impl Fail {
    pub(super) fn new(message: impl Into<Vec<u8>>) -> Self {
        Self::Fatal(message.into())
    }

    pub(super) fn read(error: ReadError) -> Self {
        match error {
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::System(error) => Self::new(format!("read error ({})", reason(&error))),
            ReadError::Search(error) => error.into(),
        }
    }

    /// What went wrong with an output of this name.
    pub(super) fn output(name: &[u8], error: OutputError) -> Self {
        let why = match error {
            OutputError::Failure(failure) => return failure.into(),
            OutputError::System(error) => reason(&error),
            OutputError::Command(why) => why,
        };
        Self::new([b"cannot write to \"", name, b"\" (", why.as_bytes(), b")"].concat())
    }
}

/// A string must not become longer.
pub(super) fn check_length(length: usize) -> Result<(), Fail> {
    if length > MAX_STRING { Err(Fail::new(format!("a string of more than {MAX_STRING} bytes"))) } else { Ok(()) }
}

impl From<Failure> for Fail {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Write(error) => Self::new(format!("write failure ({})", reason(&error))),
            stopped => Self::Failure(stopped),
        }
    }
}

impl From<Stopped> for Fail {
    fn from(stopped: Stopped) -> Self {
        Self::Failure(Failure::Stopped(stopped))
    }
}

impl From<SearchError> for Fail {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Interrupted => Stopped::Cancelled.into(),
            SearchError::TooComplex => Self::new(error.to_string()),
        }
    }
}
