//! The native contract (`agent-hooks-reference.md`): exit codes and output fields.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use crate::agent::Agent;
use crate::config::{Contract, ExitMeaning, FoundFile, HookConfig, Places, Shape};
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::render::Rendered;
use crate::variables::Variables;
use crate::verdict::Verdict;
use hookshell_contract::exit_code::{DENY, HALT};

/// The native contract.
pub(super) struct Native;

impl Agent for Native {
    fn name(&self) -> &'static str {
        "Crush"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        &[]
    }

    fn render(&self, verdict: &Verdict, _: &str) -> Rendered {
        let exit_code = verdict.exit_code();
        // Beside the exit codes 2 and 49 standard output is not read.
        let reason = || verdict.opinion.reason.clone().unwrap_or_else(|| format!("a hook blocked {}", verdict.event));
        let stderr = if exit_code == 0 { String::new() } else { reason() };
        Rendered::new(verdict.to_json(), stderr, exit_code)
    }
}

impl Contract for Native {
    fn shape(&self) -> Shape {
        Shape::Flat
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn default_timeout(&self, _: EventKind, _: &str) -> Duration {
        crate::config::DEFAULT_TIMEOUT
    }

    fn matcher(&self, pattern: &str, _: EventKind) -> Result<Matcher, MatcherError> {
        Ok(Matcher::read(pattern)?)
    }

    fn subjects<'e>(&self, _: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        event.matched().map(|matched| vec![matched.into()])
    }

    fn payload(&self, _: &str, event: &Event) -> Arc<[u8]> {
        crate::payload::build(event)
    }

    fn variables(&self, _: &HookConfig, _: &Event, _: &Variables) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    fn exit_meaning(&self, event: EventKind, status: u8, _: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            DENY if event.can_block() => ExitMeaning::Deny,
            HALT => ExitMeaning::Halt,
            _ => ExitMeaning::Error,
        }
    }

    fn envelope(&self, stdout: &[u8], event: EventKind, _: &str) -> Result<Envelope, BadEnvelope> {
        Envelope::parse(stdout, event)
    }

    fn project_places(&self) -> &'static [&'static str] {
        &["crush.json", ".crush.json"]
    }

    fn config_files(&self, _: &Places<'_>) -> Vec<FoundFile> {
        Vec::new()
    }

    fn variable_prefix(&self) -> &'static str {
        "CRUSH_"
    }

    fn place_in_project(&self) -> Option<&'static str> {
        None
    }

    fn may_set(&self) -> &'static [&'static str] {
        &["CRUSH_"]
    }

    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("config", "event → list of hooks; a matcher is an unanchored regular expression on the tool's name"),
            ("payload", "event, session_id, cwd, is_sub_agent, tool_name, tool_input, …"),
            (
                "variables",
                "CRUSH_EVENT, CRUSH_TOOL_NAME, CRUSH_SESSION_ID, CRUSH_CWD, CRUSH_PROJECT_DIR, CRUSH_TOOL_INPUT_COMMAND, CRUSH_TOOL_INPUT_FILE_PATH",
            ),
            (
                "exit codes",
                "0: standard output is the envelope; 2: denied; 49: the turn ends; other: a failure, which is no opinion",
            ),
            ("output", "decision, reason, context, updated_input (merged into the input), halt"),
            ("timeout", "in seconds; 30 without one"),
        ]
    }
}
