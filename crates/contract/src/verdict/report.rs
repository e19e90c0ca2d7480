//! What one hook gave.

use std::time::Duration;

use thiserror::Error;

use crate::context_files::DroppedFile;
use crate::envelope::BadEnvelope;
use crate::llm_error::LlmError;
use crate::nearest::nearest;
use crate::opinion::Opinion;
use crate::origin::{Origin, Place};
use crate::verdict::agent::Agent;

/// What one hook gave, and why. Only the aggregate reduces a failure to "no opinion".
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookReport {
    /// What messages call it: its name, or else its command, shortened.
    pub name: String,
    /// Its command, as the config has it.
    pub command: String,
    /// Who named the file that it stands in.
    pub origin: Origin,
    /// For how many hooks it stands: 1, but the last of very many that nobody trusts stands for the rest of them too.
    pub stands_for: usize,
    /// Where its config stands.
    pub place: Option<Place>,
    /// The event as its config has it; `None`: it stands in no config.
    pub dialect_event_name: Option<&'static str>,
    /// Its matcher as the config has it; `None`: it is for everything.
    pub matcher: Option<String>,
    /// How it came out.
    pub outcome: HookOutcome,
    /// What it said; with a failure the reason is what went wrong.
    pub opinion: Opinion,
    /// What of its context is a block that came too late, which its agent tells the model as one.
    pub told: Option<String>,
    /// By whose rules it ran; `None`: by our own.
    pub agent: Option<&'static dyn Agent>,
    /// The files that it named and that the agent is not referred to: what is missing, and what lies outside the project.
    pub dropped_context_files: Vec<DroppedFile>,
    /// What was odd or ambiguous in what it said, and what of it does not count: a deny that its agent ignores.
    pub warnings: Vec<String>,
    /// Has its shell code a syntax error? That denies, where the event can be blocked, and nobody meant it.
    pub has_syntax_error: bool,
    /// Is it started and not waited for, and its exit code 2 told the model all the same (`"asyncRewake": true`)?
    pub wakes: bool,
    /// Its exit code, where it exited.
    pub exit_code: Option<u8>,
    /// How it was run, where that is known.
    pub route: Option<String>,
    /// Which shell ran a script for sh, bash, …, and why, where that was not simply the installed one.
    pub shells: Vec<ShellUse>,
    /// How long it ran.
    pub elapsed: Duration,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    /// What its failure means for the call.
    pub on_failure: OnFailure,
}

impl HookReport {
    /// The report of a hook that has said nothing yet: of our own rules, given for this run, whose failure means nothing.
    pub fn new(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: command.into(),
            origin: Origin::Given,
            stands_for: 1,
            place: None,
            dialect_event_name: None,
            matcher: None,
            outcome: HookOutcome::NoOpinion,
            opinion: Opinion::default(),
            told: None,
            agent: None,
            dropped_context_files: Vec::new(),
            warnings: Vec::new(),
            has_syntax_error: false,
            wakes: false,
            exit_code: None,
            route: None,
            shells: Vec::new(),
            elapsed: Duration::ZERO,
            stderr: String::new(),
            on_failure: OnFailure::Ignore,
        }
    }
}

/// Which shell ran a script or command line of a hook, and why that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellUse {
    /// The script, or the command line.
    pub command: String,
    /// `in-process`, or the shell's file.
    pub shell: String,
    /// Why that one.
    pub reason: String,
}

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
        let source = include_str!("report.rs");
        let names: Vec<&str> = source
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Self::")?.split_once(" => \"")?.1.strip_suffix("\","))
            .collect();
        let lists: Vec<&str> = HookOutcome::OTHERS.iter().chain(HookOutcome::FAILURES).copied().collect();
        assert_eq!(names, lists);
    }
}
