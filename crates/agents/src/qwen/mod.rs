//! Qwen Code's contract: Claude Code's shape and events, read by rules of its own. What is said here of it was seen with and
//! read in Qwen Code 0.24.4.

mod names;
mod output;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::Environment;
use jsonc_parser::ast::{Object, ObjectProp, Value as JsonValue};
use serde_json::Value;

use crate::agent::Agent;
use crate::config::{
    AnswerRules, ConfigRules, Contract, Exit, ExitMeaning, FileRules, FoundFile, HookConfig, MatchRules, Places, Shape,
    StartRules, Strictness, directory_with, first_member, json_files_of_directories, managed_file, plugin_root,
    project_file, user_file,
};
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::json;
use crate::matcher::{Matcher, MatcherError};
use crate::payload_writer::{Payload, json_string};
use crate::read_file::{CONFIG_LIMIT, read_regular};
use crate::render::{BLOCK, Rendered};
use crate::tools;
use crate::variables::of_path;
use crate::verdict::Verdict;

/// Qwen Code's contract.
pub(super) struct Qwen;

/// Its events.
const EVENTS: &[(&str, EventKind)] = &[
    ("PreToolUse", EventKind::PreToolUse),
    ("PostToolUse", EventKind::PostToolUse),
    ("PostToolUseFailure", EventKind::PostToolUseFailure),
    ("PostToolBatch", EventKind::PostToolBatch),
    ("Notification", EventKind::Notification),
    ("UserPromptSubmit", EventKind::UserPromptSubmit),
    ("UserPromptExpansion", EventKind::UserPromptExpansion),
    ("SessionStart", EventKind::SessionStart),
    ("Stop", EventKind::Stop),
    ("MessageDisplay", EventKind::MessageDisplay),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentStop),
    ("PreCompact", EventKind::PreCompact),
    ("PostCompact", EventKind::PostCompact),
    ("SessionEnd", EventKind::SessionEnd),
    ("SessionDelete", EventKind::SessionDelete),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("PermissionDenied", EventKind::PermissionDenied),
    ("StopFailure", EventKind::StopFailure),
    ("TodoCreated", EventKind::TaskCreated),
    ("TodoCompleted", EventKind::TaskCompleted),
    ("InstructionsLoaded", EventKind::InstructionsLoaded),
];

/// The keys of its hooks, and two of ours. It knows no `if`, no `args` and no `cwd`; `once` is for hooks that are requests.
const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("command", "command"),
    ("timeout", "timeout"),
    ("name", "name"),
    ("env", "env"),
    ("async", "async"),
    ("shell", "shell"),
    ("statusMessage", "status_message"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("shell_scripts", "shell_scripts"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("description", ""),
    ("once", ""),
    ("url", ""),
    ("headers", ""),
    ("allowedEnvVars", ""),
];

/// From this number on a timeout is one of milliseconds, as it was in older versions.
const MILLISECONDS_FROM: f64 = 1000.0;

impl Agent for Qwen {
    fn name(&self) -> &'static str {
        "Qwen Code"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        EVENTS
    }

    fn render(&self, verdict: &Verdict, dialect_event_name: &str) -> Rendered {
        output::render(verdict, dialect_event_name)
    }
}

impl ConfigRules for Qwen {
    fn shape(&self) -> Shape {
        Shape::Groups
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    /// What JavaScript takes for true.
    fn switched_off<'v, 'a>(
        &self,
        root: &'v Object<'a>,
        _: Option<&'v Object<'a>>,
    ) -> Option<(&'v ObjectProp<'a>, &'static str)> {
        const OFF: &str = "disableAllHooks";
        let is_truthy = |value: &JsonValue<'_>| match value {
            JsonValue::BooleanLit(lit) => lit.value,
            JsonValue::StringLit(text) => !text.value.is_empty(),
            JsonValue::NumberLit(number) => number.value.parse() != Ok(0.0),
            JsonValue::Object(_) | JsonValue::Array(_) => true,
            JsonValue::NullKeyword(_) => false,
        };
        let prop = first_member(root, OFF)?;
        is_truthy(&prop.value).then_some((prop, OFF))
    }

    fn settings(&self) -> &'static [&'static str] {
        &["enabled", "disabled", "notifications"]
    }

    fn strictness(&self) -> Strictness {
        Strictness {
            exact_events: true,
            exact_elsewhere: false,
            needs_group: true,
            kinds: Some(&["command", "http", "prompt"]),
            keeps_odd_hooks: true,
            one_of_a_name: true,
            timeout_as_text: true,
            last_of_two: true,
            told_apart_by_name: true,
        }
    }

    fn seconds(&self, number: f64) -> f64 {
        if number >= MILLISECONDS_FROM { number / 1000.0 } else { number }
    }

    fn default_timeout(&self, _: EventKind, kind: &str) -> Duration {
        Duration::from_secs(match kind {
            "http" => 600,
            "prompt" => 30,
            _ => 60,
        })
    }
}

impl FileRules for Qwen {
    fn project_variable(&self) -> Option<&'static str> {
        Some("QWEN_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".qwen"]
    }

    fn plugin_root(&self, file: &Path) -> Option<PathBuf> {
        plugin_root(file).or_else(|| directory_with(MANIFEST.as_ref(), file))
    }

    /// Its settings, and the hooks of the user's extensions. Which of these are enabled is not looked at: a guard that the user
    /// has installed runs.
    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let user = places.user("QWEN_HOME", ".qwen");
        let of_system = places.system("qwen-code", "QwenCode", "qwen-code");
        let system =
            places.variable("QWEN_CODE_SYSTEM_SETTINGS_PATH").unwrap_or_else(|| of_system.join("settings.json"));
        let beside = system.parent().unwrap_or(&of_system).join("system-defaults.json");
        let defaults = places.variable("QWEN_CODE_SYSTEM_DEFAULTS_PATH").unwrap_or(beside);
        let extensions = user.as_deref().map(|user| user.join("extensions"));
        let manifests = extensions.map(|directory| json_files_of_directories(&directory, MANIFEST));
        let hooks = manifests.unwrap_or_default().into_iter().filter_map(|manifest| extension_hooks(&manifest));
        let mut files: Vec<FoundFile> = hooks.map(user_file).collect();
        files.push(managed_file(defaults));
        files.extend(user.map(|user| user_file(user.join("settings.json"))));
        files.extend(places.project(".qwen").map(|project| project_file(project.join("settings.json"))));
        files.push(managed_file(system));
        files
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".qwen/settings.json")
    }
}

impl MatchRules for Qwen {
    fn matcher(&self, pattern: &str, _: EventKind) -> Result<Matcher, MatcherError> {
        names::matcher(pattern)
    }

    fn subjects<'e>(&self, dialect_event_name: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        if let Some(name) = event.tool_name() {
            return Some(tools::names(name, Dialect::Qwen)).filter(|_| !name.is_empty());
        }
        let member = match dialect_event_name {
            "InstructionsLoaded" => given_text(event, "file_path").map(Cow::Owned),
            _ => None,
        };
        let has_subject = matches!(
            event.name(),
            EventKind::SubagentStart
                | EventKind::SubagentStop
                | EventKind::PreCompact
                | EventKind::PostCompact
                | EventKind::SessionStart
                | EventKind::SessionEnd
                | EventKind::StopFailure
                | EventKind::Notification
                | EventKind::InstructionsLoaded
                | EventKind::UserPromptExpansion
        );
        let subject = member.or_else(|| event.matched().map(Cow::Borrowed))?;
        // Where there is nothing to match, the hook is for it.
        (has_subject && !subject.is_empty()).then(|| vec![subject])
    }
}

impl StartRules for Qwen {
    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Qwen);
        payload.string("session_id", event.session_id()).given_or("transcript_path", "\"\"").cwd();
        payload.string("hook_event_name", dialect_event_name);
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        payload.given_or("timestamp", &json_string(&now)).given_or("permission_mode", "\"default\"").detail();
        payload.finish()
    }

    fn splits_project_variable(&self) -> bool {
        false
    }

    fn variables(&self, hook: &HookConfig, event: &Event, host: &Environment) -> Vec<(&'static str, OsString)> {
        // All three are the agent's working directory, which no command of the model's changes.
        let cwd = of_path(event.cwd());
        let text = |key| OsString::from(given_text(event, key).unwrap_or_default());
        let mut variables = vec![
            ("GEMINI_PROJECT_DIR", cwd.clone()),
            ("CLAUDE_PROJECT_DIR", cwd.clone()),
            ("QWEN_PROJECT_DIR", cwd),
            ("QWEN_CODE_SESSION_ID", event.session_id().into()),
            ("QWEN_CODE_AGENT_ID", text("agent_id")),
            ("QWEN_CODE_PROMPT_ID", text("prompt_id")),
        ];
        // What only the agent itself knows it has told by these already, where it is the agent that runs us.
        let is_set = |wanted: &str| host.iter().any(|(name, _)| name == wanted);
        if !is_set("QWEN_CODE_MODEL_IDENTITY") {
            variables.push(("QWEN_CODE_MODEL_IDENTITY", OsString::new()));
        }
        let model = given_text(event, "model").filter(|_| !is_set("QWEN_CODE_MODEL"));
        variables.extend(model.map(|model| ("QWEN_CODE_MODEL", model.into())));
        // Its directory for the project's sessions, in which the transcripts are.
        let transcript = given_text(event, "transcript_path").filter(|_| !is_set("QWEN_CODE_PROJECT_DIR"));
        let of_sessions = transcript.as_deref().map(Path::new).and_then(Path::parent);
        let of_sessions = of_sessions.filter(|chats| chats.file_name() == Some(OsStr::new("chats")));
        variables.extend(of_sessions.and_then(Path::parent).map(|of| ("QWEN_CODE_PROJECT_DIR", of_path(of))));
        variables.extend(hook.plugin_root.as_deref().map(|root| ("CLAUDE_PLUGIN_ROOT", of_path(root))));
        variables
    }

    fn takes_turns_together(&self) -> bool {
        true
    }

    fn variable_prefix(&self) -> &'static str {
        "QWEN_"
    }
}

impl AnswerRules for Qwen {
    fn tells_stop_as_result(&self) -> bool {
        true
    }

    fn can_block(&self, event: EventKind) -> bool {
        output::can_block(event)
    }

    /// Of a hook that could not be started: a shell's 127 is no block.
    fn exit_meaning(&self, event: EventKind, status: u8, said: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            BLOCK if said && output::can_block(event) => ExitMeaning::Deny,
            _ => ExitMeaning::Error,
        }
    }

    fn read_exit(&self, exit: &Exit<'_>) -> Option<Result<Option<Envelope>, BadEnvelope>> {
        Some(output::read_together(exit.event, exit.code(), exit.stdout, exit.stderr))
    }

    fn envelope(&self, stdout: &[u8], event: EventKind, _: &str) -> Result<Envelope, BadEnvelope> {
        output::read_together(event, 0, stdout, b"").map(Option::unwrap_or_default)
    }
}

impl Contract for Qwen {
    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of groups of a matcher, `sequential` and hooks, each with a `type`; a matcher is a tool's name or alias (`Shell|Edit`), or else an unanchored regular expression on the name that it has in payloads (`run_shell_command`)",
            ),
            (
                "payload",
                "session_id, transcript_path, cwd, hook_event_name, timestamp, permission_mode, prompt_id, tool_name, tool_input, tool_use_id, tool_response, …",
            ),
            (
                "variables",
                "QWEN_PROJECT_DIR, CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR, QWEN_CODE_SESSION_ID, QWEN_CODE_PROMPT_ID, QWEN_CODE_AGENT_ID, …",
            ),
            (
                "exit codes",
                "2: standard error is read, a text is the reason of a block, and without one nothing is blocked; other: JSON on standard output (standard error where that is blank) counts at every code",
            ),
            (
                "output",
                "decision, reason, continue, stopReason, systemMessage, hookSpecificOutput (permissionDecision, additionalContext); a call's input cannot be changed before a tool; plain text is context on SessionStart, UserPromptSubmit and UserPromptExpansion",
            ),
            ("timeout", "in seconds, from 1000 on in milliseconds; 60 seconds without one (http 600, prompt 30)"),
        ]
    }
}

/// A member of the agent's own payload that is a text.
fn given_text(event: &Event, key: &str) -> Option<String> {
    let (_, value) = event.members().iter().rev().find(|(other, _)| other == key)?;
    json::text(value)
}

/// What an extension says of itself.
const MANIFEST: &str = "qwen-extension.json";

/// The file that has an extension's hooks: its manifest where they stand in it, the file that the manifest names where there is
/// one, or else `hooks/hooks.json`.
fn extension_hooks(manifest: &Path) -> Option<PathBuf> {
    let root = manifest.parent()?;
    let said = read_regular(manifest, CONFIG_LIMIT).ok();
    let said = said.and_then(|text| serde_json::from_slice::<Value>(&text).ok()).unwrap_or_default();
    let named = match said.get("hooks") {
        Some(Value::Object(_) | Value::Array(_)) => return Some(manifest.to_owned()),
        // A path that is absolute is taken as it is.
        Some(Value::String(path)) => Some(root.join(path)).filter(|path| path.exists()),
        _ => None,
    };
    Some(named.unwrap_or_else(|| root.join("hooks").join("hooks.json")))
}
