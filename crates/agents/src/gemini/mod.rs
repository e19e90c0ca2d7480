//! Gemini CLI's contract.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::Environment;
use jsonc_parser::ast::{Object, ObjectProp, Value as JsonValue};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::agent::{Agent, AgentOutput};
use crate::claude;
use crate::config::{
    AnswerRules, ConfigRules, Contract, Exit, ExitMeaning, FileRules, FoundFile, HookConfig, MatchRules, Places, Shape,
    StartRules, Strictness, first_member, json_files_of_directories, managed_file, project_file, user_file,
};
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope, Fields, Printed, trimmed};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::matcher::{Matcher, MatcherError};
use crate::opinion::Opinion;
use crate::payload_writer::{Payload, json_string};
use crate::read_file::{CONFIG_LIMIT, read_regular};
use crate::render::{Fields as OutputFields, Rendered, context};
use crate::tool_input::Patch;
use crate::variables::of_path;
use crate::verdict::Verdict;

/// Gemini CLI's contract.
pub(super) struct Gemini;

/// Its events.
pub(super) const EVENTS: &[(&str, EventKind)] = &[
    ("BeforeTool", EventKind::PreToolUse),
    ("AfterTool", EventKind::PostToolUse),
    ("BeforeAgent", EventKind::UserPromptSubmit),
    ("AfterAgent", EventKind::Stop),
    ("BeforeModel", EventKind::BeforeModel),
    ("AfterModel", EventKind::AfterModel),
    ("BeforeToolSelection", EventKind::BeforeToolSelection),
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("Notification", EventKind::Notification),
    ("PreCompress", EventKind::PreCompact),
];

/// The keys of its hooks.
const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("command", "command"),
    ("timeout", "timeout"),
    ("name", "name"),
    ("env", "env"),
    ("cwd", "cwd"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("shell_scripts", "shell_scripts"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("description", ""),
];

fn of_hooks_config<'v, 'a>(root: &'v Object<'a>) -> Option<&'v Object<'a>> {
    first_member(root, "hooksConfig")?.value.as_object()
}

impl Agent for Gemini {
    fn name(&self) -> &'static str {
        "Gemini CLI"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        EVENTS
    }

    fn is_void_with_a_block(&self, name: &str) -> bool {
        is_of_request(name)
    }

    fn join_output(&self, last: &mut [AgentOutput], said: &[&AgentOutput]) {
        join_tool_configs(last, said);
    }

    fn render(&self, verdict: &Verdict, dialect_event_name: &str) -> Rendered {
        let mut out = OutputFields::default();
        if verdict.opinion.halt {
            out.set("continue", false).text("stopReason", verdict.opinion.reason.as_deref());
        }
        if let Some(decision) = verdict.opinion.decision {
            // Gemini CLI does not know "defer".
            out.set("decision", if decision == Decision::Defer { "ask" } else { decision.as_str() });
            out.text("reason", verdict.opinion.reason.as_deref());
        }
        out.text("systemMessage", verdict.opinion.system_message.as_deref());
        let mut own = OutputFields::default();
        own.input("tool_input", verdict.opinion.updated_input.as_ref())
            .text("additionalContext", context(verdict).as_deref());
        for (name, json) in &verdict.opinion.agent_output {
            if let Ok(value) = serde_json::from_str::<Value>(json.get()) {
                own.set(name, value);
            }
        }
        if !own.0.is_empty() {
            own.0.shift_insert(0, "hookEventName".to_owned(), dialect_event_name.into());
            out.set("hookSpecificOutput", own.0);
        }
        let is_denied = verdict.opinion.decision == Some(Decision::Deny);
        if is_denied && !verdict.opinion.halt { Rendered::block(out.0, verdict) } else { Rendered::object(out.0) }
    }
}

impl ConfigRules for Gemini {
    fn shape(&self) -> Shape {
        Shape::Groups
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    fn switched_off<'v, 'a>(
        &self,
        root: &'v Object<'a>,
        events: Option<&'v Object<'a>>,
    ) -> Option<(&'v ObjectProp<'a>, &'static str)> {
        let of_config = of_hooks_config(root).and_then(|config| first_member(config, "enabled"));
        let of_hooks = events.and_then(|events| first_member(events, "enabled"));
        let both = [(of_config, "hooksConfig.enabled"), (of_hooks, "hooks.enabled")];
        let mut both = both.into_iter().filter_map(|(prop, key)| Some((prop?, key)));
        both.find(|(prop, _)| prop.value.as_boolean_lit().is_some_and(|lit| !lit.value))
    }

    fn disabled(&self, root: &Object<'_>, events: &Object<'_>) -> HashSet<String> {
        let list = |object: &Object<'_>| -> HashSet<String> {
            let list = first_member(object, "disabled").and_then(|prop| prop.value.as_array());
            let list = list.map(|list| list.elements.as_slice()).unwrap_or_default();
            list.iter().filter_map(JsonValue::as_string_lit).map(|name| name.value.clone().into_owned()).collect()
        };
        let mut names = list(events);
        names.extend(of_hooks_config(root).map(list).unwrap_or_default());
        names
    }

    fn settings(&self) -> &'static [&'static str] {
        &["enabled", "disabled", "notifications"]
    }

    fn timeout_in_milliseconds(&self) -> bool {
        true
    }

    /// It passes over what it does not know; a hook runs whatever else is wrong with it. A `"1000"` is its timeout.
    fn strictness(&self) -> Strictness {
        Strictness {
            exact_events: true,
            needs_group: true,
            kinds: Some(&["command"]),
            timeout_as_text: true,
            ..Strictness::default()
        }
    }

    fn default_timeout(&self, _: EventKind, _: &str) -> Duration {
        Duration::from_secs(60)
    }
}

impl FileRules for Gemini {
    fn project_variable(&self) -> Option<&'static str> {
        Some("GEMINI_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".gemini"]
    }

    /// Its settings, and the hooks of the user's extensions. Which of these are enabled is not looked at: a guard that the user
    /// has installed runs.
    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let user = places.home().map(|home| home.join(".gemini"));
        let extensions = user.as_deref().map(|user| user.join("extensions"));
        let extensions = extensions.map(|directory| extension_hooks(&directory)).unwrap_or_default();
        let user = user.map(|user| user.join("settings.json"));
        let project = places.project(".gemini").map(|directory| directory.join("settings.json"));
        let system = places.system("gemini-cli", "GeminiCli", "gemini-cli").join("settings.json");
        let own = extensions.into_iter().chain(user).map(user_file);
        own.chain(project.map(project_file)).chain([managed_file(system)]).collect()
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".gemini/settings.json")
    }
}

impl MatchRules for Gemini {
    /// A regular expression where it is about a tool, elsewhere an exact text.
    fn matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError> {
        match event {
            EventKind::PreToolUse | EventKind::PostToolUse => {
                claude::regex_or_rules(pattern, |pattern| Ok(Matcher::of_javascript(pattern)?))
            }
            _ if matches!(pattern.trim(), "" | "*") => Ok(Matcher::default()),
            _ => Ok(Matcher::names(pattern, &[])),
        }
    }

    fn subjects<'e>(&self, _: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        claude::subjects(event, Dialect::Gemini)
    }
}

impl StartRules for Gemini {
    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Gemini);
        payload.string("session_id", event.session_id()).given_or("transcript_path", "\"\"").cwd();
        payload.string("hook_event_name", dialect_event_name);
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        payload.given_or("timestamp", &json_string(&now)).detail();
        payload.finish()
    }

    /// What stands in the hooks of an extension.
    fn put_in(&self, hook: &HookConfig, event: &Event, _: &Environment) -> Vec<(String, String)> {
        let Some(root) = &hook.plugin_root else { return Vec::new() };
        let separator = std::path::MAIN_SEPARATOR_STR;
        [
            ("extensionPath", &*root.to_string_lossy()),
            ("workspacePath", &*event.project_dir().to_string_lossy()),
            ("/", separator),
            ("pathSeparator", separator),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec()
    }

    fn splits_project_variable(&self) -> bool {
        false
    }

    fn variables(&self, _: &HookConfig, event: &Event, host: &Environment) -> Vec<(&'static str, OsString)> {
        let project = of_path(event.project_dir());
        // The agent's own counts, where it started us.
        let is_set = host.iter().any(|(name, _)| name == "GEMINI_PLANS_DIR");
        let plans = plans_directory(event).filter(|_| !is_set);
        let plans = plans.map(|directory| ("GEMINI_PLANS_DIR", of_path(&directory)));
        let own = [
            ("GEMINI_PROJECT_DIR", project.clone()),
            ("GEMINI_SESSION_ID", event.session_id().into()),
            ("GEMINI_CWD", of_path(event.cwd())),
            ("CLAUDE_PROJECT_DIR", project),
        ];
        own.into_iter().chain(plans).collect()
    }

    fn takes_turns_together(&self) -> bool {
        true
    }

    fn variable_prefix(&self) -> &'static str {
        "GEMINI_"
    }
}

impl AnswerRules for Gemini {
    fn can_block(&self, event: EventKind) -> bool {
        // The compression is only told of.
        event.can_block() && event != EventKind::PreCompact
    }

    /// Of a hook that could not be started: each code but 0 and 1 denies, where there is a text.
    fn exit_meaning(&self, event: EventKind, status: u8, said: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            1 => ExitMeaning::Error,
            _ if said && self.can_block(event) => ExitMeaning::Deny,
            _ if said && event == EventKind::PostToolUse => ExitMeaning::Feedback,
            _ => ExitMeaning::Error,
        }
    }

    /// As Gemini CLI 0.61.0 does: of standard output, or where that is blank of standard error, JSON counts at every exit
    /// code, and of plain text the exit code says what it is. A JSON string is read once more.
    fn read_exit(&self, exit: &Exit<'_>) -> Option<Result<Option<Envelope>, BadEnvelope>> {
        let (event, status, stdout, stderr) = (exit.event, exit.code(), exit.stdout, exit.stderr);
        let (stdout, stderr) = (String::from_utf8_lossy(trimmed(stdout)), String::from_utf8_lossy(trimmed(stderr)));
        let text = if stdout.is_empty() { stderr } else { stdout };
        if text.is_empty() {
            return Some(Ok(None));
        }
        let inner: Option<String> = serde_json::from_str(&text).ok();
        let json = inner.as_deref().unwrap_or(&text).trim();
        if json.starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok() {
            return Some(Envelope::read(json, |fields, envelope| read(fields, envelope, event)).map(Some));
        }
        // Other JSON says nothing.
        if inner.is_none() && serde_json::from_str::<IgnoredAny>(json).is_ok() {
            return Some(Ok((status == 0).then(Envelope::default)));
        }
        let text = text.into_owned();
        Some(Ok(match (status, self.exit_meaning(event, status, true)) {
            // Shown to the user.
            (0, _) => Some(Opinion { system_message: Some(text), ..Opinion::default() }.into()),
            (_, ExitMeaning::Deny) => Some(Opinion::deny(Some(text)).into()),
            (_, ExitMeaning::Feedback) => Some(Envelope::context(&text)),
            _ => None,
        }))
    }

    /// Where it blocks, this is not asked.
    fn ignored_exit(&self, event: EventKind, status: u8, _: bool) -> Option<&'static str> {
        (status > 1 && self.can_block(event)).then_some(
            "an exit code blocks only from 2 on and with a reason, as plain text on standard error, or on standard output",
        )
    }

    fn envelope(&self, stdout: &[u8], event: EventKind, _: &str) -> Result<Envelope, BadEnvelope> {
        match Printed::of(stdout)? {
            Printed::Nothing => Ok(Envelope::default()),
            Printed::Json(text) => Envelope::read(text, |fields, envelope| read(fields, envelope, event)),
            // Shown to the user.
            Printed::Text(text) => {
                Ok(Opinion { system_message: Some(text.trim().to_owned()), ..Opinion::default() }.into())
            }
        }
    }
}

impl Contract for Gemini {
    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of groups of a matcher, `sequential` and hooks; a matcher is a regular expression on tools, elsewhere an exact text",
            ),
            (
                "payload",
                "session_id, transcript_path, cwd, hook_event_name, timestamp, tool_name, tool_input, tool_response, prompt, …",
            ),
            ("variables", "GEMINI_PROJECT_DIR, GEMINI_SESSION_ID, GEMINI_CWD, GEMINI_PLANS_DIR, CLAUDE_PROJECT_DIR"),
            (
                "exit codes",
                "JSON on standard output (standard error where that is blank) counts at every code; of a text 0: shown to the user, 1: a warning, other: blocked, the text is the reason",
            ),
            (
                "output",
                "decision, reason, systemMessage, continue, stopReason, hookSpecificOutput (tool_input replaces the input; llm_request, llm_response, toolConfig, tailToolCallRequest and clearContext are handed on); plain text is shown to the user",
            ),
            ("timeout", "in milliseconds; 60000 without one"),
        ]
    }
}

/// Where the agent keeps the session's plans, beside its transcript: `…/chats/session-….json` and `…/SESSION/plans`.
fn plans_directory(event: &Event) -> Option<PathBuf> {
    let transcript = event.member("transcript_path")?;
    let transcript: String = serde_json::from_str(transcript.get()).ok()?;
    let chats = Path::new(&transcript).parent()?;
    let session = event.session_id();
    let is_known = chats.ends_with("chats") && !session.is_empty() && !session.contains(['/', '\\']);
    is_known.then(|| chats.with_file_name(session).join("plans"))
}

/// Which tools the model may choose from.
const TOOL_CONFIG: &str = "toolConfig";

/// A call that follows the tool's at once: its result takes the place of the tool's.
const TAIL_CALL: &str = "tailToolCallRequest";

/// The agent forgets the conversation when its turn ends.
const CLEAR_CONTEXT: &str = "clearContext";

/// Is it about what the model is to be sent? (An answer to be used instead of the model's holds with a block too.)
fn is_of_request(name: &str) -> bool {
    name == "llm_request" || name == TOOL_CONFIG
}

/// Joins what several hooks say of the tools that the model may choose from, as Gemini CLI does: those that any of them
/// allows, unless one of them allows none.
fn join_tool_configs(last: &mut [AgentOutput], given: &[&AgentOutput]) {
    let configs: Vec<Value> = given
        .iter()
        .filter(|(name, _)| *name == TOOL_CONFIG)
        .filter_map(|(_, json)| serde_json::from_str(json.get()).ok())
        .collect();
    let Some((_, joined)) = last.iter_mut().find(|(name, _)| *name == TOOL_CONFIG).filter(|_| configs.len() > 1) else {
        return;
    };
    let has = |mode: &str| configs.iter().any(|config| config.get("mode").and_then(Value::as_str) == Some(mode));
    let mode = ["NONE", "ANY"].into_iter().find(|mode| has(mode)).unwrap_or("AUTO");
    let lists = configs.iter().filter_map(|config| config.get("allowedFunctionNames")?.as_array());
    let mut names: Vec<&str> = lists.flatten().filter_map(Value::as_str).filter(|_| mode != "NONE").collect();
    names.sort_unstable();
    names.dedup();
    let config = serde_json::json!({ "mode": mode, "allowedFunctionNames": names });
    if let Ok(config) = JsonText::parse(&config.to_string()) {
        *joined = config;
    }
}

fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    if fields.boolean("continue") == Some(false) {
        // A session begins all the same.
        envelope.opinion.halt = event != EventKind::SessionStart;
    }
    envelope.opinion.system_message = fields.string("systemMessage");
    // Its words are these, in lower case, and it passes over every other.
    envelope.opinion.decision = fields.string("decision").and_then(|word| match word.as_str() {
        "allow" | "approve" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "deny" | "block" => Some(Decision::Deny),
        _ => None,
    });
    envelope.opinion.reason = fields.string("reason");
    if let Some(reason) = fields.string("stopReason").filter(|_| envelope.opinion.halt) {
        envelope.opinion.reason = Some(reason);
    }
    fields.nested("hookSpecificOutput", "hookSpecificOutput.", |fields| {
        let context = fields.string("additionalContext");
        // That of a call, of a turn's end, and beside a block never reaches its model.
        let is_blocked = envelope.opinion.decision == Some(Decision::Deny) && event != EventKind::SessionStart;
        let is_lost = matches!(event, EventKind::PreToolUse | EventKind::Stop) || is_blocked;
        envelope.opinion.context.extend(context.filter(|_| !is_lost));
        if event == EventKind::PreToolUse {
            envelope.opinion.updated_input = fields.patch("tool_input").map(Patch::replacing);
        }
        let names: &[&'static str] = match event {
            EventKind::BeforeModel => &["llm_request", "llm_response"],
            EventKind::AfterModel => &["llm_response"],
            EventKind::BeforeToolSelection => &[TOOL_CONFIG],
            // Of a result that is blocked no other call follows.
            EventKind::PostToolUse if !is_blocked && !envelope.opinion.halt => &[TAIL_CALL],
            EventKind::Stop => &[CLEAR_CONTEXT],
            _ => &[],
        };
        let is_meant = |name: &str, json: &JsonText| match name {
            TAIL_CALL => json.get().starts_with('{'),
            CLEAR_CONTEXT => json.get() == "true",
            _ => true,
        };
        let given = names.iter().filter_map(|name| Some((Cow::Borrowed(*name), fields.json(name)?)));
        envelope.opinion.agent_output.extend(given.filter(|(name, json)| is_meant(name, json)).collect::<Vec<_>>());
    });
    claude::tell_the_model(envelope, event);
}

/// The hooks of the extensions in a directory, also of those that are linked to where they are written.
fn extension_hooks(directory: &Path) -> Vec<PathBuf> {
    const INSTALLED: &str = ".gemini-extension-install.json";
    let linked = |installed: &Path| -> Option<PathBuf> {
        let installed: Value = serde_json::from_slice(&read_regular(installed, CONFIG_LIMIT).ok()?).ok()?;
        let is_linked = installed.get("type").and_then(Value::as_str) == Some("link");
        let source = installed.get("source").and_then(Value::as_str).filter(|_| is_linked)?;
        Some(PathBuf::from(source)).filter(|source| source.is_absolute())
    };
    let roots = json_files_of_directories(directory, INSTALLED).into_iter();
    let roots = roots.filter_map(|file| linked(&file).or_else(|| file.parent().map(Path::to_owned)));
    roots.map(|root| root.join("hooks").join("hooks.json")).collect()
}
