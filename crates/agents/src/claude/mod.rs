//! Claude Code's contract. (Hooks under the native contract may print its fields too: the native reader has them.)

mod compose;
mod http;
mod if_rule;
mod output;
mod said;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Range;
use serde_json::Value;

mod plugin;
mod schema;

use self::if_rule::IfRule;
use crate::agent::Agent;
use crate::condition::{Condition, ConditionError, alternatives};
use crate::config::{
    Contract, Exit, ExitMeaning, FILE_BYTES as PROJECT_FILE_BYTES, FoundFile, HookConfig, HttpRules, Origin, Places,
    Refusal, Shape, Strictness, SyntaxErrorMeaning, managed_file, plugin_root, project_file, user_file,
};
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope, Fields, Printed};
use crate::event::Event;
use crate::event_kind::{EventKind, same};
use crate::matcher::{Matcher, MatcherError};
use crate::opinion::Opinion;
use crate::payload_writer::Payload;
use crate::read_file::{CONFIG_LIMIT, read_regular};
use crate::render::{BLOCK, Fields as OutputFields, Rendered, context};
use crate::report::HookReport;
use crate::tool_input::Patch;
use crate::tools;
use crate::variables::{Variables, of_path};
use crate::verdict::Verdict;

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

impl Contract for Claude {
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
        let prop = root.properties.iter().find(|prop| prop.name.as_str() == OFF)?;
        let is_off = prop.value.as_boolean_lit().is_some_and(|lit| lit.value);
        is_off.then_some((prop, OFF))
    }

    fn switches_off_given(&self) -> bool {
        true
    }

    /// Where the agent was started, where its working directory is gone.
    fn directory(&self, _: &HookConfig, cwd: &Path, project_dir: &Path) -> PathBuf {
        if cwd.is_dir() { cwd.to_owned() } else { project_dir.to_owned() }
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

    fn plugin_root(&self, file: &Path) -> Option<PathBuf> {
        plugin_root(file).or_else(|| plugin::root(file))
    }

    fn put_in(&self, hook: &HookConfig, _: &Event, host: &Variables) -> Vec<(String, String)> {
        let texts = || std::iter::once(&hook.command).chain(hook.args.iter().flatten());
        if hook.plugin_root.is_none() || !texts().any(|text| text.contains("${user_config.")) {
            return Vec::new();
        }
        let options = hook.plugin_root.as_deref().map(|root| plugin::options(root, host)).unwrap_or_default();
        options.into_iter().map(|(key, value)| (format!("user_config.{key}"), value)).collect()
    }

    fn may_say_async(&self) -> bool {
        true
    }

    /// The first line is an object with `"async": true`.
    fn says_async(&self, stdout: &[u8]) -> bool {
        let line = stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        line.trim_ascii_start().starts_with(b"{")
            && serde_json::from_slice::<Value>(line).is_ok_and(|said| said.get("async") == Some(&Value::Bool(true)))
    }

    fn subjects<'e>(&self, _: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        subjects(event, Dialect::Claude)
    }

    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Claude);
        payload.string("session_id", event.session_id()).given_or("transcript_path", "\"\"").cwd();
        payload.given_if("permission_mode").string("hook_event_name", dialect_event_name).detail();
        payload.finish()
    }

    fn variables(&self, hook: &HookConfig, event: &Event, host: &Variables) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("CLAUDE_PROJECT_DIR", of_path(event.project_dir()))];
        if let Some(root) = &hook.plugin_root {
            variables.push(("CLAUDE_PLUGIN_ROOT", of_path(root)));
            variables.extend(plugin::data(root, host).map(|data| ("CLAUDE_PLUGIN_DATA", of_path(&data))));
        }
        variables
    }

    fn more_variables(&self, hook: &HookConfig, event: &Event, host: &Variables) -> Variables {
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

    fn http(&self) -> Option<&'static dyn HttpRules> {
        Some(&Self)
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
        let mut files = user.as_deref().map(|user| plugin_files(user, &settings)).unwrap_or_default();
        files.extend(settings);
        files
    }

    fn variable_prefix(&self) -> &'static str {
        "CLAUDE_"
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".claude/settings.json")
    }

    fn env_file(&self) -> Option<&'static str> {
        Some("CLAUDE_ENV_FILE")
    }

    fn has_env_file(&self, event: EventKind) -> bool {
        matches!(event, EventKind::SessionStart | EventKind::Setup | EventKind::CwdChanged | EventKind::FileChanged)
    }

    /// What decides says it of all fields.
    fn is_said_by_lost(&self, warning: &str) -> bool {
        warning.contains(" ignores this answer: ")
    }

    fn may_set(&self) -> &'static [&'static str] {
        &["CLAUDE_CODE_", "CLAUDE_PLUGIN_", "CLAUDE_ENV_"]
    }

    fn has_unlisted_tools(&self) -> bool {
        true
    }

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

/// Is a matcher a list of exact names?
fn is_names(pattern: &str, event: EventKind) -> bool {
    let is_narrow = !takes_lists(event);
    let is_plain = |byte: u8| match byte {
        b' ' | b',' | b'-' => !is_narrow,
        _ => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|'),
    };
    !pattern.is_empty() && pattern.bytes().all(is_plain)
}

/// Do blanks, `,` and `-` stand in lists of names on this event, too? On others what has them is a regular expression.
fn takes_lists(event: EventKind) -> bool {
    !matches!(event, EventKind::FileChanged | EventKind::StopFailure)
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

/// `*` and blanks are everything. Where rules as permissions are written stand, of which one would match no tool as a regular
/// expression, they are those rules: it was meant so.
pub(super) fn regex_or_rules(
    pattern: &str,
    regex: impl Fn(&str) -> Result<Matcher, MatcherError>,
) -> Result<Matcher, MatcherError> {
    if matches!(pattern.trim(), "" | "*") {
        return Ok(Matcher::default());
    }
    // The calls of an MCP server's tool have no rules: `mcp__git__(push|pull)` is a regular expression.
    let is_rule = |part: &str| part.contains('(') && !tools::is_mcp(part);
    let is_useful = |part: &str| {
        // One that is larger counts as useful: as a regular expression it is for everything.
        const SIZE_LIMIT: usize = 64 * 1024;
        regex(part).is_ok_and(|mut matcher| {
            matcher.limit_size(SIZE_LIMIT);
            tools::any_known(|name| matcher.matches(name))
        })
    };
    let parts = alternatives(pattern);
    if parts.iter().all(|part| is_rule(part) || !part.contains('('))
        && parts.iter().any(|part| is_rule(part) && !is_useful(part))
        && let Some(Ok(rules)) = Matcher::rules(pattern, |name| tools::is_known(name) || tools::is_mcp(name))
    {
        return Ok(rules);
    }
    regex(pattern)
}

/// The tool's names, or what the event has instead.
pub(super) fn subjects(event: &Event, dialect: Dialect) -> Option<Vec<Cow<'_, str>>> {
    match event.tool_name() {
        Some(name) => Some(tools::names(name, dialect)),
        // Of the file its name counts, wherever it lies.
        None if event.name() == EventKind::FileChanged => {
            event.matched().map(|path| vec![path.rsplit(['/', '\\']).next().unwrap_or(path).into()])
        }
        None => event.matched().map(|matched| vec![matched.into()]),
    }
}

/// Is there something that a block stops? The start of a sub-agent is nothing that Claude Code, Codex and Copilot can stop.
pub(super) fn can_block(event: EventKind) -> bool {
    event.can_block() && event != EventKind::SubagentStart
}

/// Is a block of this event, which comes too late, what the model is told?
pub(super) fn is_told_the_model(event: EventKind) -> bool {
    matches!(event, EventKind::PostToolUse | EventKind::PostToolUseFailure)
}

/// Reads the fields of Claude Code's output by its own rules.
pub(super) fn read_own(
    fields: &mut Fields<'_, '_>,
    envelope: &mut Envelope,
    event: EventKind,
    dialect_event_name: &str,
) {
    if fields.boolean("continue") == Some(false) {
        envelope.opinion.halt = true;
    }
    let stop_reason = fields.string("stopReason");
    envelope.opinion.system_message = fields.string("systemMessage");
    let known = |word: &str| match word {
        "approve" | "allow" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "defer" => Some(Decision::Defer),
        "block" | "deny" => Some(Decision::Deny),
        _ => None,
    };
    envelope.opinion.decision = fields.decision("decision", "\"approve\" or \"block\"", known);
    envelope.opinion.reason = fields.string("reason");
    fields.nested("hookSpecificOutput", "hookSpecificOutput.", |fields| {
        if let Some(name) = fields.string("hookEventName")
            && !same(&name, dialect_event_name)
        {
            fields.fail(BadEnvelope::OtherEvent { found: name, event });
        }
        envelope.opinion.context.extend(fields.string("additionalContext"));
        // A deny of either place holds.
        let decision = fields.decision("permissionDecision", "\"allow\", \"deny\", \"ask\" or \"defer\"", known);
        envelope.opinion.decision = envelope.opinion.decision.max(decision);
        if let Some(reason) = fields.string("permissionDecisionReason") {
            envelope.opinion.reason = Some(reason);
        }
        if event.takes_input() {
            envelope.opinion.updated_input = fields.patch("updatedInput").map(Patch::replacing);
        }
        if is_told_the_model(event) {
            envelope.opinion.updated_result =
                fields.json("updatedToolOutput").or_else(|| fields.json("updatedMCPToolOutput"));
        }
        if event == EventKind::PermissionRequest {
            fields.nested("decision", "hookSpecificOutput.decision.", |fields| {
                let behavior = fields.decision("behavior", "\"allow\" or \"deny\"", known);
                envelope.opinion.decision = envelope.opinion.decision.max(behavior);
                if let Some(message) = fields.string("message") {
                    envelope.opinion.reason = Some(message);
                }
                envelope.opinion.halt |= fields.boolean("interrupt").unwrap_or(false);
                if let Some(input) = fields.patch("updatedInput") {
                    envelope.opinion.updated_input = Some(input.replacing());
                }
            });
        }
        if event == EventKind::MessageDisplay {
            envelope
                .opinion
                .agent_output
                .extend(fields.json(DISPLAY_CONTENT).map(|content| (DISPLAY_CONTENT.into(), content)));
        }
        if matches!(event, EventKind::Elicitation | EventKind::ElicitationResult) {
            let action = fields.decision("action", "\"accept\", \"decline\" or \"cancel\"", |word| match word {
                "accept" => Some(Decision::Allow),
                "decline" | "cancel" => Some(Decision::Deny),
                _ => None,
            });
            envelope.opinion.decision = envelope.opinion.decision.max(action);
        }
    });
    if envelope.opinion.halt && stop_reason.is_some() {
        envelope.opinion.reason = stop_reason;
    }
    tell_the_model(envelope, event);
}

/// A block of what has happened already is what the model is told.
pub(super) fn tell_the_model(envelope: &mut Envelope, event: EventKind) {
    if !event.can_block()
        && is_told_the_model(event)
        && envelope.opinion.decision == Some(Decision::Deny)
        && let Some(reason) = envelope.opinion.reason.take_if(|_| !envelope.opinion.halt)
    {
        envelope.opinion.context.push(reason);
    }
}

/// What of a verdict another agent that reads Claude Code's fields may have to be told otherwise.
#[derive(Clone, Copy)]
pub(super) struct Said<'v> {
    pub(super) decision: Option<Decision>,
    pub(super) system_message: Option<&'v str>,
    pub(super) updated_input: Option<&'v Patch>,
    /// Is it told that the turn ends?
    pub(super) halts: bool,
    /// Does the event know `"decision": "block"`?
    pub(super) knows_block: bool,
    /// Does the event know `additionalContext`?
    pub(super) knows_context: bool,
}

impl<'v> Said<'v> {
    /// What the verdict has.
    pub(super) fn of(verdict: &'v Verdict) -> Self {
        Self {
            decision: verdict.opinion.decision,
            system_message: verdict.opinion.system_message.as_deref(),
            updated_input: verdict.opinion.updated_input.as_ref(),
            halts: verdict.opinion.halt,
            knows_block: can_block(verdict.event) || is_told_the_model(verdict.event),
            knows_context: !matches!(
                verdict.event,
                EventKind::PermissionRequest
                    | EventKind::PermissionDenied
                    | EventKind::PreCompact
                    | EventKind::PostCompact
                    | EventKind::SessionEnd
                    | EventKind::PreModelSwitch
            ),
        }
    }
}

/// A verdict in Claude Code's fields.
pub(super) fn render_own(verdict: &Verdict, dialect_event_name: &str) -> Rendered {
    render_said(verdict, dialect_event_name, Said::of(verdict))
}

/// The same, with `said` in the place of what the verdict has.
pub(super) fn render_said(verdict: &Verdict, dialect_event_name: &str, said: Said<'_>) -> Rendered {
    let mut out = OutputFields::default();
    if said.halts {
        out.set("continue", false).text("stopReason", verdict.opinion.reason.as_deref());
    }
    out.text("systemMessage", said.system_message);
    let is_denied = said.decision == Some(Decision::Deny);
    let mut own = OutputFields::default();
    match verdict.event {
        EventKind::PreToolUse | EventKind::PreModelSwitch => {
            if let Some(decision) = said.decision {
                own.set("permissionDecision", decision.as_str());
                own.text("permissionDecisionReason", verdict.opinion.reason.as_deref());
            }
            own.input("updatedInput", said.updated_input);
        }
        EventKind::PermissionRequest => {
            let mut decision = OutputFields::default();
            match said.decision {
                Some(Decision::Allow) => decision.set("behavior", "allow").input("updatedInput", said.updated_input),
                Some(Decision::Deny) => {
                    decision.set("behavior", "deny").text("message", verdict.opinion.reason.as_deref())
                }
                _ => &mut decision,
            };
            if !decision.0.is_empty() {
                own.set("decision", decision.0);
            }
        }
        _ if is_denied && said.knows_block => {
            out.set("decision", "block").text("reason", verdict.opinion.reason.as_deref());
        }
        _ => {}
    }
    if verdict.event == EventKind::MessageDisplay {
        for (name, json) in &verdict.opinion.agent_output {
            if let Ok(value) = serde_json::from_str::<Value>(json.get()) {
                own.set(name, value);
            }
        }
    }
    if said.knows_context {
        own.text("additionalContext", context(verdict).as_deref());
    }
    if !own.0.is_empty() {
        own.0.shift_insert(0, "hookEventName".to_owned(), dialect_event_name.into());
        out.set("hookSpecificOutput", own.0);
    }
    // Exit code 2 is the block that nothing can undo; but beside it the JSON that ends the turn is not read.
    if is_denied && !said.halts { Rendered::block(out.0, verdict) } else { Rendered::object(out.0) }
}

/// The hooks of the plugins that are installed and enabled. What cannot be read names no plugin.
///
/// A plugin is enabled or not by the user's and the administrator's settings. One that only the project's settings enable has
/// the project's hooks, which run where they are trusted: a repository can neither disable the user's guards nor start what the
/// user has installed and disabled.
fn plugin_files(user: &Path, settings: &[FoundFile]) -> Vec<FoundFile> {
    let read = |file: &Path, most| -> Option<Value> { serde_json::from_slice(&read_regular(file, most).ok()?).ok() };
    let Some(installed) = read(&user.join("plugins").join("installed_plugins.json"), CONFIG_LIMIT) else {
        return Vec::new();
    };
    // The last file of an origin that names a plugin counts, and of origins the highest.
    let mut enabled: BTreeMap<String, (bool, Origin)> = BTreeMap::new();
    for file in settings {
        let settings = read(&file.path, if file.origin == Origin::Project { PROJECT_FILE_BYTES } else { CONFIG_LIMIT });
        let plugins = settings.as_ref().and_then(|settings| settings.get("enabledPlugins")?.as_object());
        for (name, value) in plugins.into_iter().flatten() {
            let is_enabled = value.as_bool() == Some(true);
            match enabled.get_mut(name) {
                // The project may switch off what it alone has enabled.
                Some(known) if file.origin.may_change(known.1) => *known = (is_enabled, file.origin),
                // Disabled by the user, and enabled by the project: as the project's.
                Some(known) if is_enabled && !known.0 => *known = (true, file.origin),
                Some(_) => {}
                None => _ = enabled.insert(name.clone(), (is_enabled, file.origin)),
            }
        }
    }
    let mut files = Vec::new();
    for (name, installs) in installed.get("plugins").and_then(Value::as_object).into_iter().flatten() {
        let Some((true, origin)) = enabled.get(name) else { continue };
        // One object in the files of older versions, and a list since a plugin may be installed for several projects.
        let installs = installs.as_array().map_or(std::slice::from_ref(installs), Vec::as_slice);
        if let Some(path) = installs.iter().rev().find_map(|install| install.get("installPath")?.as_str()) {
            files.extend(plugin::hook_files(Path::new(path)).into_iter().map(|file| FoundFile::new(file, *origin)));
        }
    }
    files
}
