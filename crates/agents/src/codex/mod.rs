//! Codex's contract: Claude Code's shape and fields, read strictly. Compared with Codex 0.169.0 (tests/agents/codex.py).

mod config;
mod output;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::Environment;
use jsonc_parser::ast::{Object, ObjectProp};
use serde_json::value::RawValue;

use crate::agent::Agent;
use crate::config::{
    AnswerRules, ConfigRules, Contract, ExitMeaning, FileRules, FoundFile, HookConfig, MatchRules, Places, Reader,
    Shape, StartRules, Strictness, WarningKind, project_file, user_file,
};
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::{Detail, Event};
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::payload_writer::{Payload, json_string};
use crate::render::{BLOCK, Rendered, context};
use crate::variables::of_path;
use crate::verdict::{HookReport, Verdict};
use crate::{claude, tools};

/// Codex's contract.
pub(crate) struct Codex;

/// Its events.
const EVENTS: &[(&str, EventKind)] = &[
    ("PreToolUse", EventKind::PreToolUse),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("PostToolUse", EventKind::PostToolUse),
    ("PreCompact", EventKind::PreCompact),
    ("PostCompact", EventKind::PostCompact),
    ("UserPromptSubmit", EventKind::UserPromptSubmit),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentStop),
    ("Stop", EventKind::Stop),
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("Interrupt", EventKind::Interrupt),
    ("PreModelRequest", EventKind::PreModelRequest),
    ("PostModelRequest", EventKind::PostModelRequest),
];

/// What Codex calls the end of a turn for the program of `notify`.
pub(crate) const NOTIFY: &str = "agent-turn-complete";

/// The events' names as they may stand in `hookEventName`, whichever event it is.
const NAMES: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

/// The keys of its hooks, those that only say something to us, and those of non-command hooks. It passes over any other,
/// Claude Code's `if`, `args`, `shell` and `once` among them: the hook runs as if they were not there.
const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("command", "command"),
    ("timeout", "timeout"),
    ("statusMessage", "status_message"),
    ("async", "async"),
    ("commandWindows", "command_windows"),
    ("command_windows", "command_windows"),
    ("additionalContextLimit", ""),
    ("name", "name"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("shell_scripts", "shell_scripts"),
    ("description", ""),
    ("server", ""),
    ("tool", ""),
    ("input", ""),
];

/// How much longer than a later one an earlier hook must have run to count as the last that ended. Nobody can tell before which of
/// two ends first that take as long; then the later one in the config counts, so that the same config gives the same.
const LATER: Duration = Duration::from_millis(20);

/// Has a block of this event a meaning?
fn can_block(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::PreToolUse
            | EventKind::PermissionRequest
            | EventKind::UserPromptSubmit
            | EventKind::Stop
            | EventKind::SubagentStop
    )
}

/// Is the matcher of the event's hooks passed over, whatever it is?
fn ignores_matcher(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::UserPromptSubmit
            | EventKind::Stop
            | EventKind::Interrupt
            | EventKind::PreModelRequest
            | EventKind::PostModelRequest
    )
}

/// Takes a change of the input back that another takes the place of.
fn drop_input(result: &mut HookReport) {
    result.opinion.updated_input = None;
    result.warnings.push("Codex takes the `updatedInput` of the hook that ends last, and not this one".to_owned());
}

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "Codex"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        EVENTS
    }

    fn render(&self, verdict: &Verdict, dialect_event_name: &str) -> Rendered {
        use EventKind::{
            PermissionRequest, PostToolUse, PreToolUse, SessionStart, Stop, SubagentStart, SubagentStop,
            UserPromptSubmit,
        };
        let event = verdict.event;
        // What an event of Codex's does not know is a failure, which drops everything that the object says.
        let mut said = claude::VerdictFields {
            // Before a tool the turn cannot be ended: the exit code blocks the call.
            halts: verdict.opinion.halt && !matches!(event, PreToolUse | PermissionRequest),
            knows_block: matches!(event, PostToolUse | Stop | SubagentStop | UserPromptSubmit),
            knows_context: matches!(event, PreToolUse | PostToolUse | SessionStart | SubagentStart | UserPromptSubmit),
            ..claude::VerdictFields::of(verdict)
        };
        if event == PermissionRequest {
            said.updated_input = None;
        }
        // So is a plain allow, which is nothing to it.
        if event == PreToolUse && said.decision == Some(Decision::Allow) && said.updated_input.is_none() {
            said.decision = None;
        }
        // So is an ask. Without a decision it asks by its own approval policy; why is what the user is shown.
        let asks = event == PreToolUse && matches!(said.decision, Some(Decision::Ask | Decision::Defer));
        let reason = verdict.opinion.reason.as_deref().filter(|_| asks);
        let shown: Vec<&str> = said.system_message.into_iter().chain(reason).collect();
        let shown = (!shown.is_empty()).then(|| shown.join("\n"));
        if asks {
            said.decision = None;
        }
        // And a changed input that nothing allows.
        if event == PreToolUse && said.decision != Some(Decision::Allow) {
            said.updated_input = None;
        }
        said.system_message = shown.as_deref();
        let mut rendered = claude::render_said(verdict, dialect_event_name, said);
        // Beside exit code 2 it reads the reason alone: what else there is to say needs the object.
        let has_reason = verdict.opinion.reason.as_deref().is_some_and(|reason| !reason.trim().is_empty());
        let says_more = shown.is_some() || said.knows_context && context(verdict).is_some();
        if rendered.exit_code == BLOCK && says_more && has_reason {
            rendered.stderr.clear();
            rendered.exit_code = 0;
        }
        rendered
    }
}

impl ConfigRules for Codex {
    fn shape(&self) -> Shape {
        Shape::Groups
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    /// Its program for the end of a turn stands there.
    fn reads_beside(&self, reader: &mut Reader<'_, '_>, root: &Object<'_>) -> bool {
        config::read_beside(reader, root)
    }

    fn switched_off<'v, 'a>(
        &self,
        root: &'v Object<'a>,
        _: Option<&'v Object<'a>>,
    ) -> Option<(&'v ObjectProp<'a>, &'static str)> {
        config::switched_off(root)
    }

    /// `notify` is no hook to Codex.
    fn stays_on(&self, hook: &HookConfig) -> bool {
        hook.dialect_event_name == NOTIFY
    }

    /// What Codex remembers of hooks.
    fn settings(&self) -> &'static [&'static str] {
        &["state", "managed_dir", "windows_managed_dir"]
    }

    fn strictness(&self) -> Strictness {
        Strictness {
            exact_events: true,
            needs_group: true,
            kinds: Some(&["command", "mcp_tool"]),
            ..Strictness::default()
        }
    }

    /// At least one second.
    fn seconds(&self, number: f64) -> f64 {
        number.max(1.0)
    }

    fn default_timeout(&self, event: EventKind, _: &str) -> Duration {
        Duration::from_secs(if event == EventKind::SessionEnd { 1 } else { 600 })
    }

    fn longest_timeout(&self, event: EventKind) -> Duration {
        if event == EventKind::SessionEnd { Duration::from_secs(3) } else { Duration::MAX }
    }

    fn dedupes(&self) -> bool {
        false
    }
}

impl FileRules for Codex {
    fn owns_unreadable(&self) -> bool {
        true
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".codex"]
    }

    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let files = |directory: PathBuf| [directory.join("hooks.json"), directory.join("config.toml")];
        let user = places.user("CODEX_HOME", ".codex").into_iter().flat_map(files).map(user_file);
        user.chain(places.project(".codex").into_iter().flat_map(files).map(project_file)).collect()
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".codex/hooks.json")
    }

    /// Its payload has the call's.
    fn starts_in_project(&self) -> bool {
        true
    }
}

impl MatchRules for Codex {
    /// `*` is everything; letters, digits, `_` and `|` are a list of exact names; anything else is an unanchored regular
    /// expression, blanks and what looks like a permission's rule too.
    fn matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|');
        if ignores_matcher(event) || matches!(pattern, "" | "*") {
            return Ok(Matcher::default());
        }
        if pattern.bytes().all(is_plain) {
            return Ok(Matcher::names(pattern, &['|']));
        }
        Ok(Matcher::read(pattern)?)
    }

    fn odd_matcher(&self, pattern: &str, event: EventKind, matcher: &Matcher) -> Option<WarningKind> {
        if ignores_matcher(event) && !matches!(pattern, "" | "*") {
            let what = format!("the matcher {pattern:?}: on {event} it has none");
            return Some(WarningKind::TakenOtherwise { agent: self.name(), what });
        }
        let looks_like_rules =
            || Matcher::rules(pattern, |name| tools::is_known(name) || tools::is_mcp(name)).is_some();
        if pattern.contains('(') && looks_like_rules() && !tools::any_known(|name| matcher.matches(name)) {
            let what = format!(
                "the matcher {pattern:?} for a regular expression, which matches no tool: these hooks will not run; \
                 name the tool, and let the hook look at its input"
            );
            return Some(WarningKind::TakenOtherwise { agent: self.name(), what });
        }
        None
    }

    fn subjects<'e>(&self, _: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        claude::subjects(event, Dialect::Codex)
    }
}

impl StartRules for Codex {
    /// What Codex says of a call has the call's directory, and its hooks run in the session's.
    fn directory(&self, _: &HookConfig, _: &Path, project_dir: &Path) -> PathBuf {
        project_dir.to_owned()
    }

    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Codex);
        if dialect_event_name == NOTIFY {
            let last = match event.detail() {
                Detail::Stop { last_message: Some(last), .. } => json_string(last),
                _ => "null".to_owned(),
            };
            let turn = payload.given("turn_id").map_or("\"\"", RawValue::get);
            let prompts = payload.given("input_messages").map_or("[]", RawValue::get);
            payload.string("type", NOTIFY).string("thread-id", event.session_id()).raw("turn-id", turn).cwd();
            payload.raw("input-messages", prompts).raw("last-assistant-message", &last);
            return payload.line();
        }
        payload.string("session_id", event.session_id()).given_if("turn_id").given_or("transcript_path", "null").cwd();
        payload.string("hook_event_name", dialect_event_name).given_if("model").given_if("permission_mode").detail();
        if let Detail::Stop { last_message: None, .. } | Detail::SubagentStop { last_message: None, .. } =
            event.detail()
        {
            payload.raw("last_assistant_message", "null");
        }
        payload.finish()
    }

    fn variables(&self, hook: &HookConfig, _: &Event, _: &Environment) -> Vec<(&'static str, OsString)> {
        match &hook.plugin_root {
            Some(root) => vec![("PLUGIN_ROOT", of_path(root)), ("CLAUDE_PLUGIN_ROOT", of_path(root))],
            None => Vec::new(),
        }
    }

    fn variable_prefix(&self) -> &'static str {
        "CODEX_"
    }
}

impl AnswerRules for Codex {
    fn can_block(&self, event: EventKind) -> bool {
        can_block(event)
    }

    fn exit_meaning(&self, event: EventKind, status: u8, said: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            // A block without a reason is a failed hook.
            BLOCK if said && can_block(event) => ExitMeaning::Deny,
            BLOCK if said && event == EventKind::PostToolUse => ExitMeaning::Feedback,
            _ => ExitMeaning::Error,
        }
    }

    fn envelope(&self, stdout: &[u8], event: EventKind, _: &str) -> Result<Envelope, BadEnvelope> {
        output::read(stdout, event)
    }

    fn reads_utf16(&self) -> bool {
        false
    }

    fn ignored_exit(&self, event: EventKind, status: u8, said: bool) -> Option<&'static str> {
        match status {
            BLOCK if can_block(event) && !said => {
                Some("exit code 2 blocks only where the reason stands on standard error, and nothing stands there")
            }
            _ => None,
        }
    }

    /// Of several changes of a tool's input the one of the hook that ends last counts, and of several blocks of a call the first one's reason.
    fn settle(&self, event: &Event, results: &mut [&mut HookReport]) {
        if !matches!(event.name(), EventKind::PreToolUse | EventKind::PermissionRequest) {
            return;
        }
        let takes_command = event
            .tool_name()
            .is_some_and(|name| matches!(&*tools::own_tool_name(name, Dialect::Codex), "Bash" | "apply_patch"));
        let mut last: Option<&mut HookReport> = None;
        for result in results.iter_mut().filter(|result| result.opinion.updated_input.is_some()) {
            match last {
                // One of a project's never takes the place of a user's by taking longer.
                Some(ref other) if other.elapsed > result.elapsed + LATER && other.origin.may_change(result.origin) => {
                    drop_input(result);
                }
                _ => {
                    last.take().into_iter().for_each(drop_input);
                    last = Some(result);
                }
            }
        }
        if let Some(result) = last
            && takes_command
            && result.opinion.updated_input.as_ref().is_some_and(|input| !input.has_text("command"))
        {
            // It has taken the change, and cannot make the call.
            result.opinion.updated_input = None;
            result.opinion.decision = Some(Decision::Deny);
            result.opinion.reason = Some(output::NO_COMMAND.to_owned());
        }
        let denies = |result: &&mut &mut HookReport| {
            result.opinion.decision == Some(Decision::Deny) && result.opinion.reason.is_some()
        };
        for result in results.iter_mut().filter(denies).skip(1) {
            let reason = result.opinion.reason.take().unwrap_or_default();
            result.warnings.push(format!(
                "Codex tells the model the reason of the first hook that denies, not this one: {reason}"
            ));
        }
    }
}

impl Contract for Codex {
    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of groups of a matcher and hooks, as JSON or as [hooks] of config.toml; a matcher is a list of exact names (`Edit|Write`, which are apply_patch), or else a regular expression; one mistake costs the file",
            ),
            (
                "payload",
                "session_id, turn_id, transcript_path, cwd, hook_event_name, model, permission_mode, tool_name, tool_input, …",
            ),
            ("variables", "in plugins PLUGIN_ROOT and CLAUDE_PLUGIN_ROOT"),
            (
                "exit codes",
                "0: standard output is read; 2 with something on standard error: blocked; other: a failure, which is no opinion",
            ),
            (
                "output",
                "Claude Code's fields, each only on the events that know it; `ask`, an allow without a new input and unknown fields are failures; plain text is context on SessionStart, SubagentStart and UserPromptSubmit",
            ),
            ("timeout", "in whole seconds, at least 1; 600 without one (SessionEnd 1, and at most 3)"),
        ]
    }
}
