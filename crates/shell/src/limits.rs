//! What a script may use up.

use std::fmt;
use std::time::Duration;

use hookshell_process::Resource;
use hookshell_syntax::{Dialect, ParseOptions};
use thiserror::Error;

/// Limits of a run: each ends the script (or the command that reaches it) with an error and never the host.
///
/// They hold for a run as a whole: for its subshells, its pipeline stages, its background lists and the scripts that
/// it runs in process, and for each run anew. The defaults are safe for a host that runs some of them at a time.
///
/// ```
/// use hookshell_shell::Limits;
///
/// let limits = Limits::builder().call_depth(100).state_bytes(16 << 20).build();
/// assert_eq!(limits.call_depth, 100);
/// assert_eq!(limits.threads, Limits::default().threads);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nested function calls, `.`, `eval`, traps, subshells and command substitutions together. Whatever this says,
    /// nesting ends with the same error where the thread's stack (64 MiB where there is room) would.
    pub call_depth: u32,
    /// Nested `.`.
    pub source_depth: u32,
    /// Nested `eval` and traps.
    pub eval_depth: u32,
    /// Nested commands and expansions in a source text.
    pub parse_depth: u32,
    /// Words, commands and expansions of one complete command of a source text.
    pub parse_nodes: usize,
    /// Bytes of one expansion's result: of all words of a command, of one variable, of one line that is read.
    pub expansion_bytes: usize,
    /// Words that one brace expansion may give.
    pub expansion_words: u64,
    /// Bytes kept of one `$( )`, and of each stream that a host captures (which has a lower limit of its own).
    pub captured_bytes: usize,
    /// Bytes of one here-document or here-string.
    pub here_document_bytes: usize,
    /// Live bytes of the run's state: variables, functions, aliases, arguments, captured output, here-documents.
    pub state_bytes: usize,
    /// Files that the run holds open by redirections.
    pub open_files: usize,
    /// Live threads of the run (pipeline stages, background lists, process substitutions).
    pub threads: usize,
    /// Live processes of the run, those of its background lists included.
    pub processes: usize,
    /// Names that one pathname expansion may give.
    pub glob_results: usize,
    /// Bytes of a compiled regular expression of `[[ =~ ]]`.
    pub regex_size: usize,
    /// How long the run may take; `None`: for ever. What it is told then is what a timeout of the host tells it: TERM,
    /// and KILL after two seconds.
    pub wall_time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1 << 20;
        Self {
            call_depth: 5000,
            source_depth: 1000,
            eval_depth: 1000,
            parse_depth: hookshell_syntax::DEFAULT_MAX_DEPTH,
            parse_nodes: hookshell_syntax::DEFAULT_MAX_NODES,
            expansion_bytes: 128 * MIB,
            expansion_words: 5_000_000,
            captured_bytes: 128 * MIB,
            here_document_bytes: 128 * MIB,
            state_bytes: 512 * MIB,
            open_files: 512,
            threads: 512,
            processes: 512,
            glob_results: 1_000_000,
            regex_size: hookshell_regex::DEFAULT_SIZE_LIMIT,
            wall_time: None,
        }
    }
}

/// The name of a limit, as the command line and error messages have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is the field of `Limits` of that name")]
pub enum Limit {
    CallDepth,
    SourceDepth,
    EvalDepth,
    ParseDepth,
    ParseNodes,
    ExpansionBytes,
    ExpansionWords,
    CapturedBytes,
    HereDocumentBytes,
    StateBytes,
    OpenFiles,
    Threads,
    Processes,
    GlobResults,
    RegexSize,
    WallTime,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::CallDepth,
        Self::SourceDepth,
        Self::EvalDepth,
        Self::ParseDepth,
        Self::ParseNodes,
        Self::ExpansionBytes,
        Self::ExpansionWords,
        Self::CapturedBytes,
        Self::HereDocumentBytes,
        Self::StateBytes,
        Self::OpenFiles,
        Self::Threads,
        Self::Processes,
        Self::GlobResults,
        Self::RegexSize,
        Self::WallTime,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CallDepth => "call-depth",
            Self::SourceDepth => "source-depth",
            Self::EvalDepth => "eval-depth",
            Self::ParseDepth => "parse-depth",
            Self::ParseNodes => "parse-nodes",
            Self::ExpansionBytes => "expansion-bytes",
            Self::ExpansionWords => "expansion-words",
            Self::CapturedBytes => "captured-bytes",
            Self::HereDocumentBytes => "here-document-bytes",
            Self::StateBytes => "state-bytes",
            Self::OpenFiles => "open-files",
            Self::Threads => "threads",
            Self::Processes => "processes",
            Self::GlobResults => "glob-results",
            Self::RegexSize => "regex-size",
            Self::WallTime => "wall-time",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why `NAME=VALUE` sets no limit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitError {
    /// There is no `=`.
    #[error("must be NAME=VALUE")]
    NoValue,
    /// There is no limit of that name.
    #[error("unknown limit; there are {}", names())]
    Unknown,
    /// The value is no number that the limit can have.
    #[error("the value must be a whole number up to {0}, with k, M or G after it for 1024, 1024² or 1024³")]
    NotANumber(u64),
    /// The value of `wall-time` is no time.
    #[error("the value must be a number of seconds, such as 2 or 0.5")]
    NotATime,
}

fn names() -> String {
    Limit::ALL.map(Limit::name).join(", ")
}

impl Limits {
    /// Makes limits that differ from the defaults.
    pub fn builder() -> LimitsBuilder {
        LimitsBuilder::default()
    }

    /// Sets one by its name, as the command line's `--limit NAME=VALUE` does: `call-depth=100`, `state-bytes=64M`,
    /// `wall-time=0.5`.
    ///
    /// # Errors
    /// [`LimitError`]: no such limit, or no value that it can have. Nothing is changed then.
    pub fn set(&mut self, setting: &str) -> Result<(), LimitError> {
        let (name, value) = setting.split_once('=').ok_or(LimitError::NoValue)?;
        let limit = Limit::ALL.into_iter().find(|limit| limit.name() == name).ok_or(LimitError::Unknown)?;
        match limit {
            Limit::CallDepth => self.call_depth = depth(value)?,
            Limit::SourceDepth => self.source_depth = depth(value)?,
            Limit::EvalDepth => self.eval_depth = depth(value)?,
            Limit::ParseDepth => self.parse_depth = depth(value)?,
            Limit::ParseNodes => self.parse_nodes = size(value)?,
            Limit::ExpansionBytes => self.expansion_bytes = size(value)?,
            Limit::ExpansionWords => self.expansion_words = number(value, u64::MAX)?,
            Limit::CapturedBytes => self.captured_bytes = size(value)?,
            Limit::HereDocumentBytes => self.here_document_bytes = size(value)?,
            Limit::StateBytes => self.state_bytes = size(value)?,
            Limit::OpenFiles => self.open_files = size(value)?,
            Limit::Threads => self.threads = size(value)?,
            Limit::Processes => self.processes = size(value)?,
            Limit::GlobResults => self.glob_results = size(value)?,
            Limit::RegexSize => self.regex_size = size(value)?,
            Limit::WallTime => self.wall_time = Some(time(value)?),
        }
        Ok(())
    }

    /// The value of a limit as text; a time in seconds.
    #[must_use]
    pub fn value(&self, limit: Limit) -> String {
        match limit {
            Limit::CallDepth => self.call_depth.to_string(),
            Limit::SourceDepth => self.source_depth.to_string(),
            Limit::EvalDepth => self.eval_depth.to_string(),
            Limit::ParseDepth => self.parse_depth.to_string(),
            Limit::ParseNodes => self.parse_nodes.to_string(),
            Limit::ExpansionBytes => self.expansion_bytes.to_string(),
            Limit::ExpansionWords => self.expansion_words.to_string(),
            Limit::CapturedBytes => self.captured_bytes.to_string(),
            Limit::HereDocumentBytes => self.here_document_bytes.to_string(),
            Limit::StateBytes => self.state_bytes.to_string(),
            Limit::OpenFiles => self.open_files.to_string(),
            Limit::Threads => self.threads.to_string(),
            Limit::Processes => self.processes.to_string(),
            Limit::GlobResults => self.glob_results.to_string(),
            Limit::RegexSize => self.regex_size.to_string(),
            Limit::WallTime => self.wall_time.map_or("none".to_owned(), |time| format!("{} s", time.as_secs_f64())),
        }
    }

    /// Options for parsing a program of the dialect within these limits.
    #[must_use]
    pub fn parse_options(&self, dialect: Dialect) -> ParseOptions {
        ParseOptions { dialect, max_depth: self.parse_depth, max_nodes: self.parse_nodes, ..ParseOptions::default() }
    }

    /// These limits in this process: of what the address space is limited to (`ulimit -v`) a run may have a part, as an
    /// allocation that fails ends the process, and every other run with it.
    pub(crate) fn fitted(self) -> Self {
        let Some(space) = Resource::AddressSpace.soft_limit() else { return self };
        self.fitted_to(usize::try_from(space).unwrap_or(usize::MAX))
    }

    fn fitted_to(self, space: usize) -> Self {
        /// While something grows it is there twice; and there are the stacks, the program, and other runs.
        const STATE_SHARE: usize = 4;
        /// Of one text there are several at a time: as it is read, as it is expanded, as it is stored.
        const TEXT_SHARE: usize = 16;
        let (state, text) = (space / STATE_SHARE, space / TEXT_SHARE);
        Self {
            state_bytes: self.state_bytes.min(state),
            expansion_bytes: self.expansion_bytes.min(text),
            captured_bytes: self.captured_bytes.min(text),
            here_document_bytes: self.here_document_bytes.min(text),
            ..self
        }
    }

    /// What is said when a limit is reached.
    pub(crate) fn message(&self, limit: Limit, what: impl fmt::Display) -> String {
        format!("limit {limit} of {} reached: {what}", self.value(limit))
    }
}

fn number(text: &str, most: u64) -> Result<u64, LimitError> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = digits.parse::<u64>().ok().filter(|_| is_number).and_then(|value| value.checked_mul(factor));
    value.filter(|value| *value <= most).ok_or(LimitError::NotANumber(most))
}

fn depth(text: &str) -> Result<u32, LimitError> {
    number(text, u64::from(u32::MAX)).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}

fn size(text: &str) -> Result<usize, LimitError> {
    let most = u64::try_from(usize::MAX).unwrap_or(u64::MAX);
    number(text, most).map(|value| usize::try_from(value).unwrap_or(usize::MAX))
}

fn time(text: &str) -> Result<Duration, LimitError> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = text.parse::<f64>().ok().filter(|_| is_number).ok_or(LimitError::NotATime)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| LimitError::NotATime)
}

/// Builds [`Limits`]: what is not set has its default.
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct LimitsBuilder {
    limits: Limits,
}

macro_rules! setters {
    ($($name:ident: $type:ty),* $(,)?) => {
        impl LimitsBuilder {
            $(
                #[doc = concat!("Sets [`Limits::", stringify!($name), "`].")]
                pub fn $name(mut self, value: $type) -> Self {
                    self.limits.$name = value;
                    self
                }
            )*
        }
    };
}

setters! {
    call_depth: u32,
    source_depth: u32,
    eval_depth: u32,
    parse_depth: u32,
    parse_nodes: usize,
    expansion_bytes: usize,
    expansion_words: u64,
    captured_bytes: usize,
    here_document_bytes: usize,
    state_bytes: usize,
    open_files: usize,
    threads: usize,
    processes: usize,
    glob_results: usize,
    regex_size: usize,
}

impl LimitsBuilder {
    /// Sets [`Limits::wall_time`].
    pub fn wall_time(mut self, time: Duration) -> Self {
        self.limits.wall_time = Some(time);
        self
    }

    /// The limits.
    #[must_use]
    pub fn build(self) -> Limits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, LimitError, Limits};

    #[test]
    fn every_limit_can_be_set_by_its_name_and_shows_its_value() {
        for limit in Limit::ALL {
            let mut limits = Limits::default();
            assert_eq!(limits.set(&format!("{limit}=7")), Ok(()), "{limit}");
            let value = if limit == Limit::WallTime { "7 s" } else { "7" };
            assert_eq!(limits.value(limit), value, "{limit}");
            let others = Limit::ALL.into_iter().filter(|other| *other != limit);
            assert!(others.into_iter().all(|other| limits.value(other) == Limits::default().value(other)), "{limit}");
        }
    }

    #[test]
    fn a_limited_address_space_lowers_what_a_run_may_keep() {
        let limits = Limits::default().fitted_to(1 << 30);
        assert_eq!(
            (limits.state_bytes, limits.expansion_bytes, limits.captured_bytes),
            (256 << 20, 64 << 20, 64 << 20)
        );
        let smaller = Limits { state_bytes: 1 << 20, ..Limits::default() };
        assert_eq!(smaller.fitted_to(1 << 30).state_bytes, 1 << 20);
        assert_eq!(Limits::default().fitted_to(usize::MAX), Limits::default());
    }

    #[test]
    fn values_have_units_and_bounds() {
        let mut limits = Limits::default();
        assert_eq!(limits.set("state-bytes=64M"), Ok(()));
        assert_eq!(limits.state_bytes, 64 << 20);
        assert_eq!(limits.set("wall-time=0.25"), Ok(()));
        assert_eq!(limits.wall_time.map(|time| time.as_millis()), Some(250));
        let before = limits;
        for (setting, error) in [
            ("threads", LimitError::NoValue),
            ("tears=1", LimitError::Unknown),
            ("call-depth=4294967296", LimitError::NotANumber(u64::from(u32::MAX))),
            ("call-depth=4G", LimitError::NotANumber(u64::from(u32::MAX))),
            ("call-depth=-1", LimitError::NotANumber(u64::from(u32::MAX))),
            ("call-depth=+1", LimitError::NotANumber(u64::from(u32::MAX))),
            ("call-depth=", LimitError::NotANumber(u64::from(u32::MAX))),
            ("call-depth=M", LimitError::NotANumber(u64::from(u32::MAX))),
            ("expansion-words=99999999999999999999", LimitError::NotANumber(u64::MAX)),
            ("wall-time=soon", LimitError::NotATime),
            ("wall-time=1e3", LimitError::NotATime),
            ("wall-time=", LimitError::NotATime),
        ] {
            assert_eq!(limits.set(setting), Err(error), "{setting}");
        }
        assert_eq!(limits, before);
    }
}
