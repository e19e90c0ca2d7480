//! Which entries of the log are shown.

use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use hookshell_runner::{Dialect, EventKind, HookOutcome, LogEntry, why_unreadable};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

use super::LogArgs;
use crate::failure::{Failure, Sysexit};
use crate::value_parsers::offering;

/// What `--outcome` takes beside the names of outcomes.
const GROUPS: [&str; 5] = ["allow", "ask", "deny", "halt", "failed"];

/// The filters of a command line.
pub(super) struct Filter<'a> {
    hook: Option<&'a str>,
    event: Option<EventKind>,
    tool: Option<&'a str>,
    outcome: Option<&'a str>,
    since: Option<Timestamp>,
    project: Option<PathBuf>,
}

impl<'a> Filter<'a> {
    /// The filters for a log that has these entries.
    ///
    /// # Errors
    /// A value is none that can be meant.
    pub(super) fn new(args: &'a LogArgs, entries: &[LogEntry]) -> Result<Self, Failure> {
        let project = match &args.project {
            None => None,
            Some(directory) => Some(std::fs::canonicalize(directory).or_else(|error| {
                // Of a project that is gone its runs are in the log all the same.
                let gone = std::path::absolute(directory).ok();
                gone.filter(|gone| entries.iter().any(|entry| Path::new(&entry.cwd).starts_with(gone))).ok_or_else(
                    || Failure::new(Sysexit::NoInput, directory.display().to_string(), why_unreadable(&error)),
                )
            })?),
        };
        Ok(Self {
            hook: args.hook.as_deref(),
            event: args.event,
            tool: args.tool.as_deref(),
            outcome: args.outcome.as_deref(),
            since: args.since,
            project,
        })
    }

    /// Is anything filtered?
    pub(super) fn is_set(&self) -> bool {
        self.hook.is_some()
            || self.event.is_some()
            || self.tool.is_some()
            || self.outcome.is_some()
            || self.since.is_some()
            || self.project.is_some()
    }

    pub(super) fn takes(&self, entry: &LogEntry) -> bool {
        self.hook.is_none_or(|name| entry.hook.contains(name))
            && self.event.is_none_or(|event| entry.event.parse() == Ok(event))
            && self.tool.is_none_or(|tool| entry.tool.as_deref() == Some(tool))
            && self.outcome.is_none_or(|outcome| has_outcome(entry, outcome))
            && self.since.is_none_or(|since| entry.time.parse::<Timestamp>().is_ok_and(|time| time >= since))
            && self.project.as_deref().is_none_or(|project| is_in(&entry.cwd, project))
    }
}

fn has_outcome(entry: &LogEntry, outcome: &str) -> bool {
    match outcome {
        "halt" => entry.halt,
        "failed" => is_failure(entry),
        other => entry.outcome.eq_ignore_ascii_case(other) || entry.decision.as_deref() == Some(other),
    }
}

/// Is the entry that of a hook that failed?
pub(super) fn is_failure(entry: &LogEntry) -> bool {
    HookOutcome::FAILURES.contains(&entry.outcome.as_str())
}

fn is_in(cwd: &str, project: &Path) -> bool {
    let cwd = Path::new(cwd);
    // The directory may be gone.
    cwd.starts_with(project) || std::fs::canonicalize(cwd).is_ok_and(|cwd| cwd.starts_with(project))
}

/// The name of an event, of any agent's.
pub(super) fn event(text: &str) -> Result<EventKind, String> {
    Dialect::any_event(text).map(|(event, _)| event).map_err(|error| format!("{error}"))
}

/// The events, with what completions offer.
pub(super) fn event_parser() -> impl TypedValueParser<Value = EventKind> {
    offering(event, EventKind::ALL.map(EventKind::as_str))
}

/// The outcomes, with what completions offer.
pub(super) fn outcome_parser() -> impl TypedValueParser<Value = String> {
    offering(outcome, outcomes())
}

/// All that `--outcome` takes.
fn outcomes() -> Vec<&'static str> {
    // The last is of hooks that `exec` ran, whose decisions it does not read.
    GROUPS.iter().chain(HookOutcome::OTHERS).chain(HookOutcome::FAILURES).chain(&["Exited"]).copied().collect()
}

/// The name of an outcome, a decision, or `failed`.
pub(super) fn outcome(text: &str) -> Result<String, String> {
    match outcomes().iter().any(|name| name.eq_ignore_ascii_case(text)) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(format!("it is one of {}", outcomes().join(", "))),
    }
}

/// A time: `2h` (ago), a date, a date with a time (local), or one with its offset.
pub(super) fn since(text: &str) -> Result<Timestamp, String> {
    let local = |time: DateTime| {
        time.to_zoned(TimeZone::system()).map(|time| time.timestamp()).map_err(|error| error.to_string())
    };
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        return local(time);
    }
    if let Ok(date) = text.parse::<Date>() {
        return local(date.into());
    }
    let span = text.parse::<Span>().map_err(|_| {
        "it is a span (30m, 2h, 7d), a date (2026-01-31) or a date with a time (2026-01-31T12:00)".to_owned()
    })?;
    let now = Zoned::now();
    now.checked_sub(span.abs()).map(|time| time.timestamp()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use hookshell_runner::EventKind;

    use super::{event, outcome, since};

    #[test]
    fn values_that_mean_nothing_are_refused() {
        assert!(
            ["2h", "30m", "7d", "2026-01-31", "2026-01-31T12:00", "2026-01-31T12:00:00Z"]
                .iter()
                .all(|text| since(text).is_ok())
        );
        assert!(["", "2", "yesterday", "2026-13-01"].iter().all(|text| since(text).is_err()));
        assert!(["deny", "Failed", "timedout", "Decided"].iter().all(|text| outcome(text).is_ok()));
        assert!(["", "denied", "x"].iter().all(|text| outcome(text).is_err()));
        assert!(event("pre_tool_use").is_ok() && event("x").is_err());
        // Any agent's name.
        assert_eq!(event("BeforeTool"), Ok(EventKind::PreToolUse));
        assert_eq!(event("beforeShellExecution"), Ok(EventKind::PreToolUse));
    }
}
