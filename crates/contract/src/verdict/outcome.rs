//! How a hook came out.

use std::time::Duration;

use thiserror::Error;

use crate::envelope::BadEnvelope;
use crate::llm_error::LlmError;
use crate::nearest::nearest;

/// What a hook that fails means for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OnFailure {
    /// No opinion: the failure is reported, the call continues.
    #[default]
    Ignore,
    /// The call is denied.
    Deny,
}

/// How a hook came out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum HookOutcome {
    /// It decided, halted, or has something to say or to change.
    Decided,
    /// It ran and said nothing.
    NoOpinion,
    /// It was started and is not waited for (`"async": true`).
    Started,
    /// It is a project's, and nobody trusts it: it was not run. The result's reason says why.
    Untrusted,
    /// It failed.
    Failed(Failure),
}

impl HookOutcome {
    /// One word, as the verdict has it: `Decided`, `NoOpinion`, `Started`, `Untrusted`, or the failure's.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Decided => "Decided",
            Self::NoOpinion => "NoOpinion",
            Self::Started => "Started",
            Self::Untrusted => "Untrusted",
            Self::Failed(failure) => failure.as_str(),
        }
    }

    /// The names of outcomes that are not failures, as [`Self::as_str`] gives them.
    pub const OTHERS: &'static [&'static str] = &["Decided", "NoOpinion", "Started", "Untrusted"];

    /// The names of failures, as [`Failure::as_str`] gives them.
    pub const FAILURES: &'static [&'static str] = &[
        "NotFound",
        "NotExecutable",
        "Parse",
        "Spawn",
        "ExitCode",
        "Signaled",
        "BadEnvelope",
        "TimedOut",
        "Cancelled",
        "Panicked",
        "OutputLimit",
        "LimitExceeded",
        "StatusLost",
        "NoModel",
        "Model",
        "BadAnswer",
        "BadInput",
        "Subagent",
        "Module",
        "Http",
        "Unsupported",
    ];

    /// Did the hook fail?
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// Why a hook failed.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The command, its script or its interpreter was not found.
    #[error("not found: {0}")]
    NotFound(String),
    /// It was found and cannot be run.
    #[error("cannot be run: {0}")]
    NotExecutable(String),
    /// Its command is not valid shell code, on an event where that cannot block.
    #[error("syntax error: {0}")]
    Parse(String),
    /// The system did not start it.
    #[error("could not be started: {0}")]
    Spawn(String),
    /// It exited with a code that has no meaning in the contract.
    #[error("exit code {code}{}", detail(last_line))]
    ExitCode {
        /// The code.
        code: u8,
        /// The last line that it wrote to standard error.
        last_line: String,
    },
    /// A signal that we did not send killed it.
    #[error("killed by signal {0}")]
    Signaled(i32),
    /// What it printed is no envelope.
    #[error("{0}")]
    BadEnvelope(#[from] BadEnvelope),
    /// It ran longer than it may, and was ended.
    #[error("timed out after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The host ended the run.
    #[error("cancelled")]
    Cancelled,
    /// An error of ours: its thread panicked.
    #[error("internal error: a thread panicked")]
    Panicked,
    /// It printed more than is kept, so its envelope is incomplete.
    #[error("printed more than {0} bytes to stdout")]
    OutputLimit(usize),
    /// It reached a limit of the shell.
    #[error("reached a limit: {0}")]
    LimitExceeded(String),
    /// It ended, and the system did not tell how: the host reaps children that are not its own (SIGCHLD ignored).
    #[error("its exit status was lost: the host process reaps all children")]
    StatusLost,
    /// It asks a language model, and the host has none.
    #[error(
        "no language model is set up: for `hookshell run` set HOOKSHELL_LLM_URL or OPENAI_API_KEY; a host gives its runner a client"
    )]
    NoModel,
    /// The language model gave no answer.
    #[error("the model gave no answer: {0}")]
    Model(#[source] LlmError),
    /// The language model's answer is no decision.
    #[error("the model's answer is no decision: {0}")]
    BadAnswer(String),
    /// The event has something that this kind of hook cannot be given as it is.
    #[error("it cannot be given the event: {0}")]
    BadInput(String),
    /// Its sub-agent failed.
    #[error("the sub-agent failed: {0}")]
    Subagent(String),
    /// Its module crashed, could not be loaded, or its handler failed.
    #[error("the module failed: {0}")]
    Module(String),
    /// Its server gave no answer that counts, or may not be asked.
    #[error("the server gave no answer: {0}")]
    Http(String),
    /// A failure that was read from a verdict's JSON, which has its word and its text.
    #[error("{message}")]
    Reported {
        /// The word, one of [`HookOutcome::FAILURES`].
        kind: &'static str,
        /// What went wrong.
        message: String,
    },
    /// A hook of a type that is not run here.
    #[error("hooks of the type `{0}` are not run here{meant}", meant = did_you_mean(.0))]
    Unsupported(String),
}

/// The type that a misspelled one is meant for.
fn did_you_mean(found: &str) -> String {
    let meant = nearest(found, ["command", "prompt", "agent", "module", "http"]).filter(|meant| *meant != found);
    meant.map(|meant| format!(": did you mean `{meant}`?")).unwrap_or_default()
}

fn detail(line: &str) -> String {
    match line {
        "" => String::new(),
        _ => format!(": {line}"),
    }
}

impl Failure {
    /// One word, as the verdict has it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "NotFound",
            Self::NotExecutable(_) => "NotExecutable",
            Self::Parse(_) => "Parse",
            Self::Spawn(_) => "Spawn",
            Self::ExitCode { .. } => "ExitCode",
            Self::Signaled(_) => "Signaled",
            Self::BadEnvelope(_) => "BadEnvelope",
            Self::TimedOut(_) => "TimedOut",
            Self::Cancelled => "Cancelled",
            Self::Panicked => "Panicked",
            Self::OutputLimit(_) => "OutputLimit",
            Self::LimitExceeded(_) => "LimitExceeded",
            Self::StatusLost => "StatusLost",
            Self::NoModel => "NoModel",
            Self::Model(_) => "Model",
            Self::BadAnswer(_) => "BadAnswer",
            Self::BadInput(_) => "BadInput",
            Self::Subagent(_) => "Subagent",
            Self::Module(_) => "Module",
            Self::Http(_) => "Http",
            Self::Unsupported(_) => "Unsupported",
            Self::Reported { kind, .. } => kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HookOutcome;

    /// The names stand once as values of `as_str`, and once in the lists.
    #[test]
    fn the_lists_have_every_name() {
        let source = include_str!("outcome.rs");
        let names: Vec<&str> = source
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Self::")?.split_once(" => \"")?.1.strip_suffix("\","))
            .collect();
        let lists: Vec<&str> = HookOutcome::OTHERS.iter().chain(HookOutcome::FAILURES).copied().collect();
        assert_eq!(names, lists);
    }
}
