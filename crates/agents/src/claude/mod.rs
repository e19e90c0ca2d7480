//! Claude Code's contract. (Hooks under the native contract may print its fields too: the native reader has them.)

mod compose;
mod http;
mod if_rule;
mod matcher;
mod output;
mod own_fields;
mod plugin;
mod said;
mod schema;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::Environment;
use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Range;
use serde_json::Value;

use self::if_rule::IfRule;
use self::matcher::is_names;
pub(super) use self::matcher::{regex_or_rules, subjects};
pub(super) use self::own_fields::{VerdictFields, render_said, tell_the_model};
use self::own_fields::{read_own, render_own};
use crate::agent::Agent;
use crate::condition::{Condition, ConditionError};
use crate::config::{
    AnswerRules, ConfigRules, Contract, Exit, ExitMeaning, FileRules, FoundFile, HookConfig, HttpRules, MatchRules,
    Places, Refusal, Shape, StartRules, Strictness, SyntaxErrorMeaning, first_member, managed_file, plugin_root,
    project_file, user_file,
};
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope, Printed};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::opinion::Opinion;
use crate::payload_writer::Payload;
use crate::render::{BLOCK, Rendered};
use crate::variables::{Variables, of_path};
use crate::verdict::{HookReport, Verdict};

/// What of MessageDisplay is shown in the place of the text.
const DISPLAY_CONTENT: &str = "displayContent";

/// Claude Code's contract.
pub(super) struct Claude;

/// Its events.
const EVENTS: &[(&str, EventKind)] = &[
    ("PreToolUse", EventKind::PreToolUse),
    ("PostToolUse", EventKind::PostToolUse),
    ("PostToolUseFailure", EventKind::PostToolUseFailure),
    ("PostToolBatch", EventKind::PostToolBatch),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("PermissionDenied", EventKind::PermissionDenied),
    ("UserPromptSubmit", EventKind::UserPromptSubmit),
    ("UserPromptExpansion", EventKind::UserPromptExpansion),
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("Setup", EventKind::Setup),
    ("Stop", EventKind::Stop),
    ("StopFailure", EventKind::StopFailure),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentStop),
    ("TaskCreated", EventKind::TaskCreated),
    ("TaskCompleted", EventKind::TaskCompleted),
    ("TeammateIdle", EventKind::TeammateIdle),
    ("PreCompact", EventKind::PreCompact),
    ("PostCompact", EventKind::PostCompact),
    ("ConfigChange", EventKind::ConfigChange),
    ("CwdChanged", EventKind::CwdChanged),
    ("FileChanged", EventKind::FileChanged),
    ("WorktreeCreate", EventKind::WorktreeCreate),
    ("WorktreeRemove", EventKind::WorktreeRemove),
    ("Notification", EventKind::Notification),
    ("Elicitation", EventKind::Elicitation),
    ("ElicitationResult", EventKind::ElicitationResult),
    ("MessageDisplay", EventKind::MessageDisplay),
    ("DirectoryAdded", EventKind::DirectoryAdded),
    ("InstructionsLoaded", EventKind::InstructionsLoaded),
    ("PreModelSwitch", EventKind::PreModelSwitch),
    ("PostModelSwitch", EventKind::PostModelSwitch),
];

/// The keys of its hooks.
pub(super) const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("command", "command"),
    ("timeout", "timeout"),
    ("if", "if"),
    ("statusMessage", "status_message"),
    ("once", "once"),
    ("args", "args"),
    ("async", "async"),
    // A background hook that wakes the agent when it exits 2: the host does that, told by `RunnerBuilder::on_background`.
    ("asyncRewake", "async_rewake"),
    ("rewakeMessage", ""),
    ("rewakeSummary", ""),
    ("continueOnBlock", ""),
    ("shell", "shell"),
    ("commandWindows", "command_windows"),
    ("command_windows", "command_windows"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("cache", "cache"),
    ("tools", "tools"),
    ("max_turns", "max_turns"),
    ("name", "name"),
    ("env", "env"),
    ("cwd", "cwd"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("shell_scripts", "shell_scripts"),
    ("description", ""),
    ("url", ""),
    ("headers", ""),
    ("allowedEnvVars", ""),
    ("server", ""),
    ("tool", ""),
    ("input", ""),
];

impl Agent for Claude {
    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        EVENTS
    }

    fn aggregate(&self, event: &Event, results: &[HookReport]) -> Option<Opinion> {
        (!output::is_newer(event.name())).then(|| compose::aggregate(event, results))
    }

    fn render(&self, verdict: &Verdict, dialect_event_name: &str) -> Rendered {
        match output::is_newer(verdict.event) {
            true => render_own(verdict, dialect_event_name),
            false => said::render(verdict, dialect_event_name),
        }
    }
}

impl ConfigRules for Claude {
    fn shape(&self) -> Shape {
        Shape::Groups
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    fn strictness(&self) -> Strictness {
        Strictness { exact_elsewhere: true, ..Strictness::default() }
    }

    fn switched_off<'v, 'a>(
        &self,
        root: &'v Object<'a>,
        _: Option<&'v Object<'a>>,
    ) -> Option<(&'v ObjectProp<'a>, &'static str)> {
        let prop = first_member(root, OFF)?;
        let is_off = prop.value.as_boolean_lit().is_some_and(|lit| lit.value);
        is_off.then_some((prop, OFF))
    }

    fn switches_off_given(&self) -> bool {
        true
    }

    fn default_timeout(&self, event: EventKind, kind: &str) -> Duration {
        match (kind, event) {
            (_, EventKind::SessionEnd) => Duration::from_millis(1500),
            ("prompt", _) | (_, EventKind::UserPromptSubmit) => Duration::from_secs(30),
            ("agent", _) => Duration::from_secs(60),
            (_, EventKind::PreModelSwitch | EventKind::PostModelSwitch) => Duration::from_secs(30),
            (_, EventKind::MessageDisplay) => Duration::from_secs(10),
            _ => Duration::from_secs(600),
        }
    }

    fn checks_files(&self) -> bool {
        true
    }

    fn refusal(&self, text: &str, root: &Object<'_>, needs_type: bool) -> Option<Refusal> {
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            let start = position(text, error.line(), error.column());
            return Some(Refusal {
                range: Range { start, end: start },
                key: String::new(),
                expected: "JSON without comments and trailing commas",
                found: error.to_string(),
            });
        }
        schema::refusal(root, |name| EVENTS.iter().any(|(own, _)| *own == name), needs_type)
    }

    fn takes(&self, hook: &Object<'_>) -> bool {
        schema::takes(hook)
    }

    /// Only a skill's or an agent's own hooks are removed after their first run.
    fn heeds_once(&self) -> bool {
        false
    }

    fn runs_each_condition(&self) -> bool {
        true
    }

    fn refuses(&self, hook: &HookConfig) -> Option<String> {
        if hook.plugin_root.is_some() {
            return None;
        }
        let texts = || std::iter::once(&hook.command).chain(hook.args.iter().flatten());
        let name = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"]
            .into_iter()
            .find(|name| texts().any(|text| text.contains(&format!("${{{name}}}"))))?;
        Some(format!("Claude Code does not start it: its command has ${{{name}}}, and it is no plugin's"))
    }
}

impl FileRules for Claude {
    fn plugin_root(&self, file: &Path) -> Option<PathBuf> {
        plugin_root(file).or_else(|| plugin::root(file))
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".claude"]
    }

    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let user = places.user("CLAUDE_CONFIG_DIR", ".claude");
        let system = places.system("claude-code", "ClaudeCode", "ClaudeCode").join("managed-settings.json");
        let mut settings: Vec<FoundFile> = user.iter().map(|user| user_file(user.join("settings.json"))).collect();
        if let Some(project) = places.project(".claude") {
            settings.extend(["settings.json", "settings.local.json"].map(|name| project_file(project.join(name))));
        }
        settings.push(managed_file(system));
        let mut files = user.as_deref().map(|user| plugin::of_settings(user, &settings)).unwrap_or_default();
        files.extend(settings);
        files
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".claude/settings.json")
    }
}

impl MatchRules for Claude {
    /// `*` is everything; letters, digits, `_`, blanks, `,`, `|` and `-` are a list of exact names; anything else is an
    /// unanchored regular expression, on FileChanged and StopFailure also what has blanks, `,` or `-`.
    fn matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError> {
        if matches!(pattern, "" | "*") {
            return Ok(Matcher::default());
        }
        match is_names(pattern, event) {
            true => Ok(Matcher::names(pattern, &['|', ','])),
            false => Ok(Matcher::of_javascript(pattern)?),
        }
    }

    /// Only blanks are everything, and rules as permissions are written are those rules.
    fn own_matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError> {
        if is_names(pattern, event) && !pattern.trim().is_empty() {
            return self.matcher(pattern, event);
        }
        regex_or_rules(pattern, |pattern| Ok(Matcher::of_javascript(pattern)?))
    }

    fn matches_nothing(&self, pattern: &str, event: EventKind) -> Option<(&'static str, &'static str)> {
        if matches!(pattern, "" | "*") || !event.needs_data() || event == EventKind::UserPromptSubmit {
            return None;
        }
        if !is_names(pattern, event) {
            let is_rule = self.own_matcher(pattern, event).is_ok_and(|matcher| matcher.is_rules());
            return is_rule.then_some((
                "a regular expression, which matches no tool",
                "write `matcher` for the tool, and the rule as `if`",
            ));
        }
        let names = || pattern.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
        let is_server = |name: &str| name.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__"));
        match names().all(is_server) {
            true if names().next().is_none() => {
                Some(("a list of names, in which none stands", "leave it out, or write \"*\""))
            }
            true => Some(("the exact name of a tool, and it is a server's", "write `mcp__SERVER__.*`")),
            false => None,
        }
    }

    fn condition(&self, text: &str, is_exact: bool) -> Result<Option<Condition>, ConditionError> {
        if text.is_empty() {
            return Ok(None);
        }
        let condition: Condition = text.parse()?;
        Ok(Some(condition.read_by(IfRule::new(text)?, is_exact)))
    }

    fn subjects<'e>(&self, _: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        subjects(event, Dialect::Claude)
    }

    fn has_unlisted_tools(&self) -> bool {
        true
    }
}

impl StartRules for Claude {
    /// Where the agent was started, where its working directory is gone.
    fn directory(&self, _: &HookConfig, cwd: &Path, project_dir: &Path) -> PathBuf {
        if cwd.is_dir() { cwd.to_owned() } else { project_dir.to_owned() }
    }

    fn put_in(&self, hook: &HookConfig, _: &Event, host: &Environment) -> Vec<(String, String)> {
        let texts = || std::iter::once(&hook.command).chain(hook.args.iter().flatten());
        if hook.plugin_root.is_none() || !texts().any(|text| text.contains("${user_config.")) {
            return Vec::new();
        }
        let options = hook.plugin_root.as_deref().map(|root| plugin::options(root, host)).unwrap_or_default();
        options.into_iter().map(|(key, value)| (format!("user_config.{key}"), value)).collect()
    }

    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Claude);
        payload.string("session_id", event.session_id()).given_or("transcript_path", "\"\"").cwd();
        payload.given_if("permission_mode").string("hook_event_name", dialect_event_name).detail();
        payload.finish()
    }

    fn variables(&self, hook: &HookConfig, event: &Event, host: &Environment) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("CLAUDE_PROJECT_DIR", of_path(event.project_dir()))];
        if let Some(root) = &hook.plugin_root {
            variables.push(("CLAUDE_PLUGIN_ROOT", of_path(root)));
            variables.extend(plugin::data(root, host).map(|data| ("CLAUDE_PLUGIN_DATA", of_path(&data))));
        }
        variables
    }

    fn more_variables(&self, hook: &HookConfig, event: &Event, host: &Environment) -> Variables {
        let mut variables: Variables =
            vec![("CLAUDECODE".into(), "1".into()), ("CLAUDE_CODE_CHILD_SESSION".into(), "1".into())];
        if !event.session_id().is_empty() {
            variables.push(("CLAUDE_CODE_SESSION_ID".into(), event.session_id().into()));
        }
        variables.extend(effort(event).map(|level| ("CLAUDE_EFFORT".into(), level.into())));
        let is_new = |name: &str| !host.iter().any(|(other, _)| other == name);
        let of_agent = OF_AGENT.iter().filter(|(name, _)| is_new(name));
        variables.extend(of_agent.map(|(name, value)| (name.into(), value.into())));
        let options = hook.plugin_root.as_deref().map(|root| plugin::options(root, host)).unwrap_or_default();
        variables.extend(options.into_iter().map(|(key, value)| (plugin::variable(&key).into(), value.into())));
        variables
    }

    fn http(&self) -> Option<&'static dyn HttpRules> {
        Some(&Self)
    }

    fn variable_prefix(&self) -> &'static str {
        "CLAUDE_"
    }

    fn env_file(&self) -> Option<&'static str> {
        Some("CLAUDE_ENV_FILE")
    }

    fn has_env_file(&self, event: EventKind) -> bool {
        matches!(event, EventKind::SessionStart | EventKind::Setup | EventKind::CwdChanged | EventKind::FileChanged)
    }

    fn may_set(&self) -> &'static [&'static str] {
        &["CLAUDE_CODE_", "CLAUDE_PLUGIN_", "CLAUDE_ENV_"]
    }
}

impl AnswerRules for Claude {
    fn may_say_async(&self) -> bool {
        true
    }

    /// The first line is an object with `"async": true`.
    fn says_async(&self, stdout: &[u8]) -> bool {
        let line = stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        line.trim_ascii_start().starts_with(b"{")
            && serde_json::from_slice::<Value>(line).is_ok_and(|said| said.get("async") == Some(&Value::Bool(true)))
    }

    fn can_block(&self, event: EventKind) -> bool {
        can_block(event)
    }

    /// The model is not switched without an answer.
    fn denies_on_timeout(&self, event: EventKind) -> bool {
        event == EventKind::PreModelSwitch
    }

    fn exit_meaning(&self, event: EventKind, status: u8, _: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            // The worktree is not made where its hook fails in any way.
            _ if event == EventKind::WorktreeCreate => ExitMeaning::Deny,
            // There only an answer in an object counts.
            BLOCK if event == EventKind::PermissionRequest => ExitMeaning::Error,
            BLOCK if can_block(event) => ExitMeaning::Deny,
            BLOCK if is_told_the_model(event) => ExitMeaning::Feedback,
            // Valid JSON is honoured beside any code.
            _ => ExitMeaning::EnvelopeOrError,
        }
    }

    fn read_exit(&self, exit: &Exit<'_>) -> Option<Result<Option<Envelope>, BadEnvelope>> {
        output::read(exit.event, exit.code(), exit.stdout, exit.stderr)
    }

    fn syntax_error(&self, event: EventKind) -> SyntaxErrorMeaning {
        match event {
            EventKind::PermissionRequest | EventKind::PostToolBatch => SyntaxErrorMeaning::Exit,
            _ if is_told_the_model(event) => SyntaxErrorMeaning::Exit,
            _ if can_block(event) => SyntaxErrorMeaning::Block,
            _ => SyntaxErrorMeaning::Failure,
        }
    }

    fn ignored(&self, exit: &Exit<'_>, report: &HookReport) -> Option<String> {
        output::ignored_code(exit, report)
    }

    /// Of the events that [`output`] does not know.
    fn envelope(&self, stdout: &[u8], event: EventKind, dialect_event_name: &str) -> Result<Envelope, BadEnvelope> {
        match Printed::of(stdout)? {
            Printed::Json(text) => Envelope::read(text, |fields, envelope| {
                read_own(fields, envelope, event, dialect_event_name);
            }),
            Printed::Text(text) if event == EventKind::PostModelSwitch => Ok(Envelope::context(text)),
            _ => Ok(Envelope::default()),
        }
    }

    /// What decides says it of all fields.
    fn is_said_by_lost(&self, warning: &str) -> bool {
        warning.contains(" ignores this answer: ")
    }
}

impl Contract for Claude {
    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of groups of a matcher and hooks; a matcher is a list of exact names (`Edit|Write`), or else an unanchored regular expression",
            ),
            (
                "payload",
                "session_id, transcript_path, cwd, permission_mode, hook_event_name, tool_name, tool_input, tool_use_id, …",
            ),
            (
                "variables",
                "CLAUDE_PROJECT_DIR, CLAUDECODE, CLAUDE_CODE_SESSION_ID, CLAUDE_EFFORT; in plugins CLAUDE_PLUGIN_ROOT, CLAUDE_PLUGIN_DATA and CLAUDE_PLUGIN_OPTION_KEY; on SessionStart, Setup, CwdChanged and FileChanged CLAUDE_ENV_FILE",
            ),
            (
                "exit codes",
                "0: standard output is read; 2: blocked, standard error is the reason (after a tool: it is told the model); other: no opinion, unless there is JSON on standard output",
            ),
            (
                "output",
                "continue, stopReason, systemMessage, decision, reason, hookSpecificOutput (updatedInput replaces the input); plain text is context on SessionStart and UserPromptSubmit",
            ),
            (
                "timeout",
                "in seconds; 600 without one (UserPromptSubmit, PreModelSwitch and PostModelSwitch 30, MessageDisplay 10, SessionEnd 1.5)",
            ),
        ]
    }
}

/// The key of settings that switches hooks off.
const OFF: &str = "disableAllHooks";

/// What Claude Code gives its hooks beside, where the host does not have it: as in a run without a terminal.
const OF_AGENT: &[(&str, &str)] = &[
    ("AI_AGENT", "claude-code_2-1-197_harness"),
    ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"),
    ("COREPACK_ENABLE_AUTO_PIN", "0"),
    ("NoDefaultCurrentDirectoryInExePath", "1"),
];

/// How hard the model is to think, as the payload says it.
fn effort(event: &Event) -> Option<String> {
    let (_, effort) = event.members().iter().rev().find(|(key, _)| key == "effort")?;
    let effort: Value = serde_json::from_str(effort.get()).ok()?;
    effort.get("level")?.as_str().filter(|level| !level.contains('\0')).map(str::to_owned)
}

/// Where a line and a column, both from 1, lie in a text.
fn position(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Is there something that a block stops? The start of a sub-agent is nothing that Claude Code, Codex and Copilot can stop.
pub(super) fn can_block(event: EventKind) -> bool {
    event.can_block() && event != EventKind::SubagentStart
}

/// Is a block of this event, which comes too late, what the model is told?
pub(super) fn is_told_the_model(event: EventKind) -> bool {
    matches!(event, EventKind::PostToolUse | EventKind::PostToolUseFailure)
}
