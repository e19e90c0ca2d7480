//! Why a command could not do its work: nothing was decided, and no hook or command was run.

use crate::exit_code::ExitCode;
use crate::output::visible;
use std::fmt;
use std::io::{self, Write};

/// An exit code of `sysexits.h`: never 2 or 49, which are verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sysexit {
    /// EX_USAGE: the command line is wrong.
    Usage = 64,
    /// EX_DATAERR: the config, the event or the tool's input is wrong.
    Data = 65,
    /// EX_NOINPUT: a file is missing or cannot be read.
    NoInput = 66,
    /// EX_SOFTWARE: an error of ours.
    Software = 70,
    /// EX_OSERR: the system does not give what is needed.
    System = 71,
    /// EX_IOERR: standard input or output failed.
    Io = 74,
}

/// A failure: `hookshell: WHAT: WHY`, one line for each why, and a line that says what to do.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: Sysexit,
    what: String,
    why: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    /// A failure of `what`.
    pub(crate) fn new(code: Sysexit, what: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { code, what: what.into(), why: vec![why.to_string()], hint: None }
    }

    /// A failure of standard output. Who reads it and goes away (`hookshell log | head`) has seen enough and is told
    /// nothing: the exit code says it.
    pub(crate) fn output(error: io::Error) -> Self {
        /// Windows' "the pipe is being closed", which the standard library has no kind for.
        const NO_DATA: i32 = 232;
        let is_gone =
            error.kind() == io::ErrorKind::BrokenPipe || cfg!(windows) && error.raw_os_error() == Some(NO_DATA);
        let why = if is_gone { Vec::new() } else { vec![error.to_string()] };
        Self::with_reasons(Sysexit::Io, "standard output", why)
    }

    /// A failure of `what` with several reasons.
    pub(crate) fn with_reasons(code: Sysexit, what: impl Into<String>, why: Vec<String>) -> Self {
        Self { code, what: what.into(), why, hint: None }
    }

    /// What is wrong, each thing by itself.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.why.iter().map(|why| format!("{}: {why}", self.what)).collect()
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Adds what to do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What is wrong and what to do, in one line.
    pub(crate) fn one_line(&self) -> String {
        let mut line = self.why.join("; ");
        if let Some(hint) = &self.hint {
            line.push_str(&format!(" ({hint})"));
        }
        line.replace('\n', " ")
    }

    /// Writes it to standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        // Where standard error is closed, the exit code still says it.
        let _ = write!(io::stderr(), "{self}");
        ExitCode::from(self.code as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for why in &self.why {
            writeln!(f, "hookshell: {}", visible(&format!("{}: {why}", self.what)))?;
        }
        match &self.hint {
            Some(hint) => writeln!(f, "hint: {hint}"),
            None => Ok(()),
        }
    }
}
