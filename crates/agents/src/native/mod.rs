//! The native contract (`agent-hooks-reference.md`): exit codes and output fields.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::agent::Agent;
use crate::config::{
    AnswerRules, ConfigRules, Contract, Exit, ExitMeaning, FileRules, FoundFile, HookConfig, MatchRules, Places, Shape,
    StartRules,
};
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::render::Rendered;
use crate::verdict::Verdict;
use hookshell_contract::exit_code::{DENY, HALT};
use hookshell_process::Environment;

/// What Crush's configs are called.
const CONFIGS: &[&str] = &["crush.json", ".crush.json"];

/// What stands in a project where Crush has configs. The directory is that of its data, which has a `crush.json` too.
const PLACES: &[&str] = &["crush.json", ".crush.json", ".crush"];

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

impl ConfigRules for Native {
    fn shape(&self) -> Shape {
        Shape::Flat
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn default_timeout(&self, _: EventKind, _: &str) -> Duration {
        crate::config::DEFAULT_TIMEOUT
    }

    fn loses_only_what_is_wrong(&self) -> bool {
        false
    }
}

impl FileRules for Native {
    fn project_places(&self) -> &'static [&'static str] {
        PLACES
    }

    fn config_files(&self, _: &Places<'_>) -> Vec<FoundFile> {
        Vec::new()
    }

    fn place_in_project(&self) -> Option<&'static str> {
        None
    }
}

impl MatchRules for Native {
    fn matcher(&self, pattern: &str, _: EventKind) -> Result<Matcher, MatcherError> {
        Ok(Matcher::read(pattern)?)
    }

    fn subjects<'e>(&self, _: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        event.matched().map(|matched| vec![matched.into()])
    }

    /// Hosts of this contract have tools of their own; Crush has none but its own and those of MCP servers.
    fn knows_tools(&self, file: &Path) -> bool {
        file.file_name().is_some_and(|name| CONFIGS.iter().any(|config| name == *config))
    }
}

impl StartRules for Native {
    fn payload(&self, _: &str, event: &Event) -> Arc<[u8]> {
        crate::payload::build(event)
    }

    fn variables(&self, _: &HookConfig, _: &Event, _: &Environment) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    fn has_own_variables(&self) -> bool {
        false
    }

    fn directory_variables(&self, cwd: &Path, project_dir: &Path) -> Vec<(&'static str, OsString)> {
        vec![("CRUSH_PROJECT_DIR", project_dir.into()), ("CRUSH_CWD", cwd.into())]
    }

    fn variable_prefix(&self) -> &'static str {
        "CRUSH_"
    }

    fn may_set(&self) -> &'static [&'static str] {
        &["CRUSH_"]
    }
}

impl AnswerRules for Native {
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

    /// What does not count was left out by the one who read it, and told.
    fn keep_what_counts(&self, _: &mut Envelope, _: EventKind) {}

    fn tells_what_is_lost(&self) -> bool {
        true
    }

    fn reads_cut_answer(&self, event: EventKind) -> bool {
        event.can_block()
    }

    fn lost_answer(&self, exit: &Exit<'_>, is_exit: bool, said: &str, _: &str) -> String {
        match is_exit && exit.status == 0 {
            true => format!("{} blocks nothing, so this is ignored: {said}", exit.event),
            false => format!("standard output is read where the exit code is 0, so this is ignored: {said}"),
        }
    }

    fn reads_at_zero_only(&self) -> bool {
        true
    }
}

impl Contract for Native {
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
