//! What is wrong with configs and with the commands and scripts that they name, without running anything.

#[cfg(feature = "portable")]
mod bashism;
mod command;
mod kind;
mod list;
mod operands;
#[cfg(feature = "portable")]
mod portable;
mod script;
mod text;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookshell_dispatch::Dispatcher;
use serde::Serialize;

use crate::config::{Config, ConfigError, FoundFile, HookConfig, Origin, Place};
use crate::dialect::{Dialect, any_known, is_known_tool, name_instead};
use crate::event_kind::EventKind;

/// Names of tools that agents have: a matcher that matches none of them is likely a slip. (Those of MCP servers nobody
/// knows: a matcher with `mcp` in it is left alone.)
const KNOWN_TOOLS: &[&str] = &[
    // Crush
    "agent",
    "agentic_fetch",
    "bash",
    "diagnostics",
    "download",
    "edit",
    "fetch",
    "glob",
    "grep",
    "job_kill",
    "job_output",
    "ls",
    "multiedit",
    "references",
    "sourcegraph",
    "todos",
    "view",
    "write",
    // Claude Code
    "Bash",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "SlashCommand",
    "Skill",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
    // Codex, Gemini CLI
    "apply_patch",
    "run_shell_command",
    "replace",
    "read_file",
    "write_file",
    "web_fetch",
    "google_web_search",
];

/// A timeout from here on is likely meant as milliseconds: nobody waits a quarter of an hour before a tool call.
const LONG_TIMEOUT_SECONDS: u64 = 1000;

/// A timeout below it is likely meant as seconds: few hooks end in half a second on every machine.
const SHORT_TIMEOUT: Duration = Duration::from_millis(500);

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The hook will not do what it says.
    Error,
    /// It may not.
    Warning,
}

/// Something that is wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The file: a config, or a script that it names.
    pub file: String,
    /// The line; the first is 1.
    pub line: Option<usize>,
    /// The column in characters; the first is 1.
    pub column: Option<usize>,
    /// What messages call the hook, where it is about one.
    pub hook: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, ": {severity}: ")?;
        if let Some(hook) = &self.hook {
            write!(f, "{hook}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// What a check found.
#[derive(Debug, Default, Serialize)]
pub struct CheckReport {
    /// The configs that were read.
    pub files: Vec<String>,
    /// How many hooks they have.
    pub hooks: usize,
    /// What is wrong, in the order of the files.
    pub findings: Vec<Finding>,
    /// Could a config not be read?
    pub unreadable: bool,
}

/// Checks configs: their own shape, the syntax of inline commands (with the place in the config), the scripts that
/// commands name, their interpreters, matchers and timeouts. Nothing is run.
pub struct Checker {
    dispatcher: Dispatcher,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    portable: bool,
    dialect: Option<Dialect>,
}

#[cfg(not(feature = "portable"))]
impl Checker {
    fn not_portable(&self, _: &std::sync::Arc<[u8]>) -> Option<(usize, String)> {
        Some((0, "nobody knows: this build was made without the feature `portable`".to_owned()))
    }
}

impl Checker {
    /// A checker of hooks that would run in `cwd`, which is absolute, with this environment.
    pub fn new(dispatcher: Dispatcher, env: Vec<(OsString, OsString)>, cwd: impl Into<PathBuf>) -> Self {
        Self { dispatcher, env, cwd: cwd.into(), portable: false, dialect: None }
    }

    /// Also asks conch-parser, a strict POSIX parser, whether shell code is portable.
    #[must_use]
    pub fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Reads every config in this dialect; unless set each file's is guessed.
    #[must_use]
    pub fn dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }

    /// Checks config files.
    pub fn check<P: AsRef<Path>>(&self, files: impl IntoIterator<Item = P>) -> CheckReport {
        let mut report = CheckReport::default();
        for file in files {
            self.check_file(file.as_ref(), Config::add_file, &mut report);
        }
        report
    }

    /// Checks hook files ([`Config::add_hook_file`]), after what the report has.
    pub fn check_hook_files<P: AsRef<Path>>(&self, files: impl IntoIterator<Item = P>, report: &mut CheckReport) {
        for file in files {
            let add = |config: &mut Config, path: &Path| {
                config.add_hook_file(&FoundFile { path: path.to_owned(), origin: Origin::Given })
            };
            self.check_file(file.as_ref(), add, report);
        }
    }

    fn check_file<'f>(
        &self,
        file: &'f Path,
        add: impl FnOnce(&mut Config, &'f Path) -> Vec<ConfigError>,
        report: &mut CheckReport,
    ) {
        report.files.push(file.display().to_string());
        let mut config = Config::in_dialect(self.dialect);
        for error in add(&mut config, file) {
            report.unreadable |= matches!(error, ConfigError::Read { .. });
            report.findings.push(of_config(&error, file));
        }
        report.hooks += config.hooks().len();
        let warnings = config.warnings().iter();
        report
            .findings
            .extend(warnings.map(|warning| finding(Severity::Warning, &warning.place, None, warning.kind.to_string())));
        for hook in config.hooks() {
            self.check_hook(hook, &mut report.findings);
        }
    }

    fn check_hook(&self, hook: &HookConfig, findings: &mut Vec<Finding>) {
        let mut sink = Sink { hook, findings, is_sure: true, is_tolerated: false };
        if let Some(pattern) = hook.matcher.pattern()
            && matches!(hook.event, EventKind::PreToolUse | EventKind::PostToolUse | EventKind::PostToolUseFailure)
            && !pattern.to_ascii_lowercase().contains("mcp")
            // Of shell events of Cursor's the command's text is matched.
            && !hook.dialect_event_name.contains("Shell")
        {
            let matches = |tool: &str| hook.matcher.matches(tool);
            if !KNOWN_TOOLS.iter().any(|tool| matches(tool)) && !any_known(matches) {
                sink.warn(format!("the matcher {pattern:?} matches no tool that is known"));
            } else if let Some(dialect) = names_of(hook)
                // Claude Code has tools that no other has.
                && (dialect != Dialect::Claude || !KNOWN_TOOLS.iter().any(|tool| !is_known_tool(tool) && matches(tool)))
                && let Some(own) = name_instead(matches, dialect)
            {
                let agent = hook.dialect.agent();
                sink.warn(format!("the matcher {pattern:?} matches no tool of {agent}, which calls it `{own}`"));
            }
        }
        if matches!(hook.event, EventKind::UserPromptSubmit | EventKind::Stop)
            && hook.matcher.pattern().is_some()
            && hook.dialect != Dialect::Cursor
        {
            sink.warn(format!("a matcher does not count on {}: the hook runs each time", hook.dialect_event_name));
        }
        if hook.dialect.contract().timeout_in_milliseconds() && hook.timeout < SHORT_TIMEOUT {
            sink.warn(format!(
                "the timeout is {} milliseconds: are seconds meant? ({} counts in milliseconds)",
                hook.timeout.as_millis(),
                hook.dialect.agent()
            ));
        }
        if hook.timeout.as_secs() >= LONG_TIMEOUT_SECONDS {
            sink.warn(format!(
                "the timeout is {} seconds: are milliseconds meant? (a timeout is in seconds)",
                hook.timeout.as_secs()
            ));
        }
        self.check_kind(hook, &mut sink);
    }
}

/// Whose names of tools count for the hook: Copilot's events with Claude Code's names have its tools too. Crush's hosts
/// have tools of their own.
fn names_of(hook: &HookConfig) -> Option<Dialect> {
    match hook.dialect {
        Dialect::Native => None,
        Dialect::Copilot if hook.dialect_event_name.starts_with(|first: char| first.is_ascii_uppercase()) => {
            Some(Dialect::Claude)
        }
        other => Some(other),
    }
}

/// Takes the findings about one hook.
struct Sink<'a> {
    hook: &'a HookConfig,
    findings: &'a mut Vec<Finding>,
    /// Is what it is told sure to happen? Else an error is a warning.
    is_sure: bool,
    /// Is a program that is not there put up with?
    is_tolerated: bool,
}

impl Sink<'_> {
    fn push(&mut self, severity: Severity, place: Option<Place>, message: String) {
        let name = Some(self.hook.display_name());
        let severity = if self.is_sure { severity } else { Severity::Warning };
        let finding = match place.or_else(|| self.hook.place.clone()) {
            Some(place) => finding(severity, &place, name, message),
            None => Finding { severity, file: String::new(), line: None, column: None, hook: name, message },
        };
        self.findings.push(finding);
    }

    fn error(&mut self, message: String) {
        self.push(Severity::Error, None, message);
    }

    fn warn(&mut self, message: String) {
        self.push(Severity::Warning, None, message);
    }
}

fn finding(severity: Severity, place: &Place, hook: Option<String>, message: String) -> Finding {
    Finding {
        severity,
        file: place.file.display().to_string(),
        line: Some(place.line),
        column: Some(place.column),
        hook,
        message,
    }
}

fn of_config(error: &ConfigError, file: &Path) -> Finding {
    let mut message = error.to_string();
    let place = error.place();
    let prefix = match place {
        Some(place) => format!("{place}: "),
        None => format!("{}: ", file.display()),
    };
    if let Some(rest) = message.strip_prefix(&prefix) {
        message = rest.to_owned();
    }
    match place {
        Some(place) => finding(Severity::Error, place, None, message),
        None => Finding {
            severity: Severity::Error,
            file: file.display().to_string(),
            line: None,
            column: None,
            hook: None,
            message,
        },
    }
}
