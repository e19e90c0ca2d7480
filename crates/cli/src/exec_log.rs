//! The log of hooks that an agent starts one by one through `hookshell exec`, as `install` wires those of Claude Code and Crush.
//!
//! Their payload is theirs to read, so what is logged of the event is what the agent says of it in the environment. A program that a
//! command ends with takes the place of hookshell, and with it goes the outcome: so there is a line at the start, too.

use std::ffi::{OsStr, OsString};
use std::time::Instant;

use hookshell_dispatch::{End, Outcome, StartFailureKind};
use hookshell_runner::{Dialect, HookLog, LogEntry};

use crate::as_hook;
use crate::hook_log::hook_log;

/// The exit code by which a hook denies, of both agents.
const DENY: u8 = 2;

/// Crush's exit code that ends the turn.
const HALT: u8 = 49;

/// A hook's run that is logged.
pub(crate) struct ExecLog {
    log: HookLog,
    entry: LogEntry,
    since: Instant,
}

impl ExecLog {
    /// Logs that a command was started, if an agent has started it as a hook. A log that cannot be written changes nothing.
    pub(crate) fn begin(command: &OsStr) -> Option<Self> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if variable("HOOKSHELL_LOG").is_some_and(|setting| setting == "off") {
            return None;
        }
        let entry = entry(&command.to_string_lossy(), variable)?;
        let log = hook_log(|name| std::env::var_os(name))?;
        log.append_entry(&entry).ok()?;
        Some(Self { log, entry, since: Instant::now() })
    }

    /// Logs how it has ended.
    pub(crate) fn end(mut self, outcome: &Outcome) {
        self.entry.ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        set_outcome(&mut self.entry, outcome);
        // The hook has done its work, whether or not it is logged.
        let _ = self.log.append_entry(&self.entry);
    }
}

/// What is known at the start; `None`: no agent has started it as a hook. Claude Code sets its project's directory for hooks only, and
/// does not say which event it is.
fn entry(command: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<LogEntry> {
    let text = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
    let event = text("CRUSH_EVENT");
    let agent = if event.is_some() { Dialect::Native } else { Dialect::Claude };
    let mut entry = LogEntry::of_command(command, agent.into());
    if let Some(event) = event {
        // `hookshell run` has started it, and logs it.
        if variable(as_hook::RUNNING).is_some() {
            return None;
        }
        entry.event = event;
        entry.tool = text("CRUSH_TOOL_NAME");
        entry.session = text("CRUSH_SESSION_ID").unwrap_or_default();
        entry.cwd = text("CRUSH_CWD").unwrap_or_default();
    } else {
        text("CLAUDECODE")?;
        entry.cwd = text("CLAUDE_PROJECT_DIR")?;
        entry.session = text("CLAUDE_CODE_SESSION_ID").unwrap_or_default();
    }
    Some(entry)
}

/// In the words of a verdict, as far as an exit code tells it: what a hook writes is the agent's to read.
fn set_outcome(entry: &mut LogEntry, outcome: &Outcome) {
    let is_crush = !entry.event.is_empty();
    entry.exit_code = Some(outcome.status);
    let name = match (&outcome.end, outcome.status) {
        (End::NotStarted(failure), _) => match failure.kind {
            StartFailureKind::NotFound => "NotFound",
            StartFailureKind::NotExecutable => "NotExecutable",
            _ => "Spawn",
        },
        (End::Cancelled, _) => "Cancelled",
        (End::LimitExceeded(_), _) => "LimitExceeded",
        (End::Panicked, _) => "Panicked",
        (_, 0) => "Exited",
        (_, DENY) => {
            entry.decision = Some("deny".to_owned());
            "Decided"
        }
        (_, HALT) if is_crush => {
            entry.halt = true;
            "Decided"
        }
        _ => "ExitCode",
    };
    entry.outcome = name.to_owned();
    entry.time = LogEntry::now();
}

#[cfg(test)]
mod tests {
    use super::entry;

    #[test]
    fn only_what_an_agent_starts_as_a_hook_is_logged() {
        let of = |variables: &[(&str, &str)]| {
            entry("x", |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()))
        };
        assert!(of(&[]).is_none());
        // Claude Code's Bash tool, by CLAUDE_CODE_SHELL_PREFIX.
        assert!(of(&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s")]).is_none());
        let claude = of(&[("CLAUDECODE", "1"), ("CLAUDE_PROJECT_DIR", "/p"), ("CLAUDE_CODE_SESSION_ID", "s")]).unwrap();
        assert_eq!((&*claude.event, &*claude.cwd, &*claude.session), ("", "/p", "s"));
        assert_eq!(claude.agent.as_deref(), Some("Claude Code"));
        let crush = of(&[("CRUSH_EVENT", "PreToolUse"), ("CRUSH_TOOL_NAME", "bash")]).unwrap();
        assert_eq!((&*crush.event, crush.tool.as_deref()), ("PreToolUse", Some("bash")));
        assert_eq!(crush.agent.as_deref(), Some("Crush"));
        assert!(of(&[("CRUSH_EVENT", "PreToolUse"), ("HOOKSHELL_RUNNING", "1f")]).is_none());
    }
}
