//! Cursor's contract: beside events for all tools it has events of its own for shell commands, MCP tools and files.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::agent::Agent;
use crate::claude;
use crate::config::{
    Contract, ExitMeaning, FoundFile, HookConfig, Origin, Places, Shape, managed_file, project_file, user_file,
};
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope, Fields, Printed};
use crate::event::{Detail, Event};
use crate::event_kind::EventKind;
use crate::json::RawObject;
use crate::matcher::{Matcher, MatcherError};
use crate::payload_writer::{Payload, json_string};
use crate::read_file::read_regular;
use crate::render::{BLOCK, Fields as OutputFields, Rendered, context};
use crate::tool_input::{Patch, ToolInput};
use crate::tools::{self, Tool};
use crate::variables::{Variables, of_path};
use crate::verdict::Verdict;

/// The most that a hook is told of a file that is to be read.
const CONTENT_LIMIT: u64 = 64 * 1024 * 1024;

/// Cursor's contract.
pub(super) struct Cursor;

/// Its events.
pub(super) const EVENTS: &[(&str, EventKind)] = &[
    ("preToolUse", EventKind::PreToolUse),
    ("beforeShellExecution", EventKind::PreToolUse),
    ("beforeMCPExecution", EventKind::PreToolUse),
    ("beforeReadFile", EventKind::PreToolUse),
    ("beforeTabFileRead", EventKind::PreToolUse),
    ("postToolUse", EventKind::PostToolUse),
    ("afterShellExecution", EventKind::PostToolUse),
    ("afterMCPExecution", EventKind::PostToolUse),
    ("afterFileEdit", EventKind::PostToolUse),
    ("afterTabFileEdit", EventKind::PostToolUse),
    ("postToolUseFailure", EventKind::PostToolUseFailure),
    ("beforeSubmitPrompt", EventKind::UserPromptSubmit),
    ("sessionStart", EventKind::SessionStart),
    ("sessionEnd", EventKind::SessionEnd),
    ("preCompact", EventKind::PreCompact),
    ("stop", EventKind::Stop),
    ("subagentStart", EventKind::SubagentStart),
    ("subagentStop", EventKind::SubagentStop),
    ("afterAgentResponse", EventKind::AfterAgentResponse),
    ("afterAgentThought", EventKind::AfterAgentThought),
    ("workspaceOpen", EventKind::WorkspaceOpen),
];

/// The keys of its hooks.
const KEYS: &[(&str, &str)] = &[
    ("command", "command"),
    ("type", "type"),
    ("timeout", "timeout"),
    ("matcher", "matcher"),
    ("failClosed", "failClosed"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("name", "name"),
    ("env", "env"),
    ("cwd", "cwd"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("shell_scripts", "shell_scripts"),
    // How often a stop hook may have the agent continue: the agent counts.
    ("loop_limit", ""),
    ("description", ""),
];

impl Agent for Cursor {
    fn name(&self) -> &'static str {
        "Cursor"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        EVENTS
    }

    fn own_call(&self, payload: &RawObject<'_>, dialect_event_name: &str) -> Option<(String, String)> {
        own_call(payload, dialect_event_name)
    }

    fn own_members(&self, dialect_event_name: &str) -> &'static [&'static str] {
        own_members(dialect_event_name)
    }

    fn render(&self, verdict: &Verdict, _: &str) -> Rendered {
        let mut out = OutputFields::default();
        let is_denied = verdict.opinion.decision == Some(Decision::Deny);
        let reason = verdict.opinion.reason.as_deref();
        match verdict.event {
            EventKind::UserPromptSubmit => {
                out.set("continue", !is_denied && !verdict.opinion.halt).text("user_message", reason);
            }
            EventKind::Stop | EventKind::SubagentStop if is_denied && !verdict.opinion.halt => {
                // The message is the block.
                let blocked = || format!("a hook blocked {}", verdict.event);
                out.set("followup_message", reason.map_or_else(blocked, str::to_owned));
            }
            EventKind::PreToolUse | EventKind::SubagentStart => {
                if let Some(decision) = verdict.opinion.decision {
                    // Cursor does not know "defer".
                    out.set("permission", if decision == Decision::Defer { "ask" } else { decision.as_str() });
                    out.text("user_message", verdict.opinion.system_message.as_deref().or(reason))
                        .text("agent_message", reason);
                }
                out.input("updated_input", verdict.opinion.updated_input.as_ref());
            }
            // The turn ends as it was about to.
            EventKind::Stop | EventKind::SubagentStop => {}
            _ if verdict.opinion.halt => {
                out.set("continue", false).text("user_message", reason);
            }
            // Nothing is asked of a hook.
            _ => {}
        }
        if verdict.opinion.system_message.is_some() && !out.0.contains_key("user_message") {
            out.text("user_message", verdict.opinion.system_message.as_deref());
        }
        out.text("additional_context", context(verdict).as_deref());
        if verdict.event == EventKind::SessionStart && !verdict.opinion.env.is_empty() {
            let env = verdict.opinion.env.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
            out.set("env", env.collect::<serde_json::Map<_, _>>());
        }
        Rendered::object(out.0)
    }
}

impl Contract for Cursor {
    fn shape(&self) -> Shape {
        Shape::Flat
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    /// Hooks of a project run in the project, and those of other files in the file's directory.
    fn directory(&self, hook: &HookConfig, cwd: &Path, project_dir: &Path) -> PathBuf {
        let file = hook.place.as_ref().and_then(|place| std::path::absolute(&place.file).ok());
        match file.as_deref().and_then(Dialect::config_directory).as_deref() {
            // Whose a file is does not depend on where the agent works: that may be the user's home directory.
            Some(directory) if matches!(hook.origin, Origin::User | Origin::Managed) => directory.to_owned(),
            Some(directory) if directory.parent() == Some(project_dir) => project_dir.to_owned(),
            Some(directory) if directory.file_name().is_some_and(|name| name == ".cursor") => directory.to_owned(),
            _ => cwd.to_owned(),
        }
    }

    fn default_timeout(&self, _: EventKind, _: &str) -> Duration {
        Duration::from_secs(60)
    }

    fn matcher(&self, pattern: &str, _: EventKind) -> Result<Matcher, MatcherError> {
        claude::regex_or_rules(pattern, |pattern| Ok(Matcher::of_javascript(pattern)?))
    }

    /// The type of the tool; of a shell command its whole text.
    fn subjects<'e>(&self, dialect_event_name: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        match dialect_event_name {
            "beforeShellExecution" | "afterShellExecution" => {
                let command = event.tool_input()?.text("command").ok().flatten()?;
                Some(vec![command.into()])
            }
            "beforeReadFile" => Some(vec!["Read".into()]),
            "beforeTabFileRead" => Some(vec!["TabRead".into()]),
            "afterFileEdit" => Some(vec!["Write".into()]),
            "afterTabFileEdit" => Some(vec!["TabWrite".into()]),
            "beforeSubmitPrompt" => Some(vec!["UserPromptSubmit".into()]),
            "stop" => Some(vec!["Stop".into()]),
            _ => claude::subjects(event, Dialect::Cursor),
        }
    }

    fn is_about(&self, dialect_event_name: &str, event: &Event) -> bool {
        // Where the agent said which of its own events it is, hooks of its other events are not meant.
        if let Some(name) = event.dialect_event_name().filter(|name| EVENTS.iter().any(|(own, _)| own == name)) {
            return name == dialect_event_name;
        }
        let name = event.tool_name().unwrap_or_default();
        let tool = tools::tool(name, Dialect::Cursor);
        match dialect_event_name {
            "beforeShellExecution" | "afterShellExecution" => tool == Some(Tool::Shell),
            "beforeMCPExecution" | "afterMCPExecution" => tools::is_mcp(name),
            "beforeReadFile" => tool == Some(Tool::Read) && name != "TabRead",
            "beforeTabFileRead" => name == "TabRead",
            "afterTabFileEdit" => name == "TabWrite",
            "afterFileEdit" => matches!(tool, Some(Tool::Write | Tool::Edit | Tool::MultiEdit)) && name != "TabWrite",
            _ => true,
        }
    }

    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Cursor);
        let session = json_string(event.session_id());
        payload.given_or("conversation_id", &session).given_or("generation_id", "\"\"").given_if("model");
        payload.string("hook_event_name", dialect_event_name).given_if("cursor_version");
        let roots = format!("[{}]", json_string(&event.project_dir().to_string_lossy()));
        payload.given_or("workspace_roots", &roots).given_or("user_email", "null").given_or("transcript_path", "null");
        own_detail(&mut payload, dialect_event_name);
        payload.finish()
    }

    fn variables(&self, _: &HookConfig, event: &Event, _: &Variables) -> Vec<(&'static str, OsString)> {
        let project = of_path(event.project_dir());
        let mut variables = vec![("CURSOR_PROJECT_DIR", project.clone()), ("CLAUDE_PROJECT_DIR", project)];
        let given = [
            ("cursor_version", "CURSOR_VERSION"),
            ("user_email", "CURSOR_USER_EMAIL"),
            ("transcript_path", "CURSOR_TRANSCRIPT_PATH"),
        ];
        for (member, variable) in given {
            let value = event.members().iter().find(|(key, _)| key == member);
            let text: Option<String> = value.and_then(|(_, value)| serde_json::from_str(value.get()).ok());
            variables.extend(text.map(|text| (variable, text.into())));
        }
        variables
    }

    fn can_block(&self, event: EventKind) -> bool {
        // The compaction is only told of.
        event.can_block() && event != EventKind::PreCompact
    }

    fn exit_meaning(&self, event: EventKind, status: u8, _: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            BLOCK if self.can_block(event) => ExitMeaning::Deny,
            _ => ExitMeaning::Error,
        }
    }

    fn envelope(&self, stdout: &[u8], event: EventKind, _: &str) -> Result<Envelope, BadEnvelope> {
        match Printed::of(stdout)? {
            Printed::Nothing => Ok(Envelope::default()),
            Printed::Json(text) => Envelope::read(text, |fields, envelope| read(fields, envelope, event)),
            Printed::Text(text) => Err(BadEnvelope::not_an_object(text)),
        }
    }

    fn dedupes(&self) -> bool {
        false
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".cursor"]
    }

    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let user = places.home().map(|home| home.join(".cursor").join("hooks.json"));
        let project = places.project(".cursor").map(|directory| directory.join("hooks.json"));
        let system = places.system("cursor", "Cursor", "Cursor").join("hooks.json");
        let own = user.into_iter().map(user_file);
        own.chain(project.map(project_file)).chain([managed_file(system)]).collect()
    }

    fn variable_prefix(&self) -> &'static str {
        "CURSOR_"
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".cursor/hooks.json")
    }

    /// On the session's start they say them in their output.
    fn sets_variables(&self) -> bool {
        true
    }

    fn matches_prompts(&self) -> bool {
        true
    }

    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of hooks; a matcher is a regular expression on the tool's type, of shell events on the command's text",
            ),
            (
                "payload",
                "conversation_id, generation_id, hook_event_name, workspace_roots, and what the event has (command, file_path, tool_name, …)",
            ),
            (
                "variables",
                "CURSOR_PROJECT_DIR, CURSOR_VERSION, CURSOR_USER_EMAIL, CURSOR_TRANSCRIPT_PATH, CLAUDE_PROJECT_DIR",
            ),
            (
                "exit codes",
                "0: standard output is read; 2: denied; other: a failure, which is no opinion unless the hook says failClosed",
            ),
            (
                "output",
                "permission, user_message, agent_message, updated_input, additional_context, continue, followup_message, env (sessionStart)",
            ),
            ("timeout", "in seconds; 60 without one"),
        ]
    }
}

/// The tool's call that one of Cursor's own events is about: the tool's name and its input as JSON.
fn own_call(object: &RawObject<'_>, dialect_event_name: &str) -> Option<(String, String)> {
    let get = |field: &str| object.get(field).map_or("\"\"", RawValue::get);
    match dialect_event_name {
        "beforeShellExecution" | "afterShellExecution" => {
            Some(("Shell".to_owned(), format!("{{\"command\":{}}}", get("command"))))
        }
        name @ ("beforeReadFile" | "beforeTabFileRead") => {
            let tool = if name == "beforeReadFile" { "Read" } else { "TabRead" };
            Some((tool.to_owned(), format!("{{\"file_path\":{}}}", get("file_path"))))
        }
        name @ ("afterFileEdit" | "afterTabFileEdit") => {
            let tool = if name == "afterFileEdit" { "Write" } else { "TabWrite" };
            let edits = object.get("edits").map_or("[]", RawValue::get);
            Some((tool.to_owned(), format!("{{\"file_path\":{},\"edits\":{edits}}}", get("file_path"))))
        }
        "beforeMCPExecution" | "afterMCPExecution" => {
            let name: String = serde_json::from_str(get("tool_name")).ok()?;
            let input = object.get("tool_input").map_or("{}", RawValue::get);
            // An object as text.
            let object = serde_json::from_str(input).ok().filter(|text: &String| ToolInput::parse(text).is_ok());
            let input = object.unwrap_or_else(|| input.to_owned());
            Some((if tools::is_mcp(&name) { name } else { format!("MCP:{name}") }, input))
        }
        _ => None,
    }
}

/// The members of the payload that [`own_call`] takes.
fn own_members(dialect_event_name: &str) -> &'static [&'static str] {
    match dialect_event_name {
        "beforeShellExecution" | "afterShellExecution" => &["command"],
        "beforeReadFile" | "beforeTabFileRead" | "afterFileEdit" | "afterTabFileEdit" => &["file_path"],
        "beforeMCPExecution" | "afterMCPExecution" => &["tool_name", "tool_input"],
        _ => &[],
    }
}

/// What an event of Cursor's has beside the common members.
fn own_detail(payload: &mut Payload<'_>, dialect_event_name: &str) {
    let event = payload.event;
    let input = event.tool_input().map_or("{}", |input| input.get());
    let response = match event.detail() {
        Detail::PostToolUse { response, .. } => response.get(),
        _ => "null",
    };
    // What a tool got and gave, as the text that Cursor has for it.
    let text_of = |json: &str| if json.starts_with('"') { json.to_owned() } else { json_string(json) };
    match dialect_event_name {
        "beforeShellExecution" | "afterShellExecution" => {
            let command = payload.input_text("command").unwrap_or_default();
            payload.string("command", &command).cwd();
            if dialect_event_name == "afterShellExecution" {
                payload.given_or("output", &text_of(response)).given_or("duration", "0");
            }
        }
        "beforeMCPExecution" | "afterMCPExecution" => {
            let name = payload.tool_name().unwrap_or_default();
            let name = name.strip_prefix("MCP:").unwrap_or(&name).to_owned();
            payload.string("tool_name", &name).raw("tool_input", &text_of(input));
            if dialect_event_name == "afterMCPExecution" {
                payload.given_or("result_json", &text_of(response)).given_or("duration", "0");
            }
        }
        "beforeReadFile" | "beforeTabFileRead" => {
            let path = payload.input_text("file_path").or_else(|| payload.input_text("path")).unwrap_or_default();
            let content = payload.given("content").map_or_else(
                || {
                    let content = read_regular(&event.cwd().join(&path), CONTENT_LIMIT).unwrap_or_default();
                    json_string(&String::from_utf8(content).unwrap_or_default())
                },
                |content| content.get().to_owned(),
            );
            payload.string("file_path", &path).raw("content", &content);
        }
        "afterFileEdit" | "afterTabFileEdit" => {
            let path = payload.input_text("file_path").or_else(|| payload.input_text("path")).unwrap_or_default();
            let edits = edits(payload);
            payload.string("file_path", &path).raw("edits", &edits);
        }
        _ => general_detail(payload, response, text_of),
    }
}

fn general_detail(payload: &mut Payload<'_>, response: &str, text_of: impl Fn(&str) -> String) {
    let event = payload.event;
    match event.detail() {
        Detail::PreToolUse { call } | Detail::PostToolUse { call, .. } | Detail::PostToolUseFailure { call, .. } => {
            let name = payload.tool_name().unwrap_or_default();
            payload.string("tool_name", &name).raw("tool_input", call.input.get()).cwd();
            match event.detail() {
                Detail::PostToolUse { .. } => {
                    payload.given_or("tool_output", &text_of(response));
                }
                Detail::PostToolUseFailure { error, .. } => {
                    payload.string("error_message", error).given_or("failure_type", "\"error\"");
                }
                _ => {}
            }
        }
        Detail::UserPromptSubmit { prompt, attachments } => {
            let attachments: Vec<String> = attachments
                .iter()
                .map(|path| format!("{{\"type\":\"file\",\"file_path\":{}}}", json_string(path)))
                .collect();
            payload.string("prompt", prompt).given_or("attachments", &format!("[{}]", attachments.join(",")));
        }
        Detail::SessionStart { .. } => {
            payload.string("session_id", event.session_id());
        }
        Detail::SessionEnd { reason } => {
            payload.string("session_id", event.session_id()).string("reason", reason);
        }
        Detail::Stop { .. } => {
            payload.given_or("status", "\"completed\"").given_or("loop_count", "0");
        }
        Detail::SubagentStop { agent, last_message, .. } => {
            let agent = json_string(agent.as_deref().unwrap_or_default());
            let summary = json_string(last_message.as_deref().unwrap_or_default());
            payload.given_or("subagent_type", &agent).given_or("status", "\"completed\"").given_or("summary", &summary);
        }
        Detail::PreCompact { trigger, .. } => {
            payload.string("trigger", trigger);
        }
        Detail::Other { name: EventKind::SubagentStart, matched: Some(agent) } => {
            payload.given_or("subagent_type", &json_string(agent));
        }
        _ => {
            payload.detail();
        }
    }
}

/// The edits of a file: those of the tool's input, or the one that it is.
fn edits(payload: &Payload<'_>) -> String {
    if let Some(edits) = payload.given("edits").map(RawValue::get) {
        return edits.to_owned();
    }
    if let Some(edits) = payload.input_text("edits") {
        return edits;
    }
    let text = |member: &str| json_string(&payload.input_text(member).unwrap_or_default());
    let new = if payload.input_text("new_string").is_some() { text("new_string") } else { text("content") };
    format!("[{{\"old_string\":{},\"new_string\":{new}}}]", text("old_string"))
}

fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    let said = |word: &str| match word {
        "allow" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "deny" => Some(Decision::Deny),
        _ => None,
    };
    envelope.opinion.decision = fields.decision("permission", "\"allow\", \"deny\" or \"ask\"", said);
    // What preToolUse and subagentStart were first told by; `block` and `approve` are other agents' words for it.
    let earlier = fields.decision("decision", "\"allow\" or \"deny\"", |word| match word {
        "block" => Some(Decision::Deny),
        "approve" => Some(Decision::Allow),
        word => said(word),
    });
    if envelope.opinion.decision.is_none() || earlier == Some(Decision::Deny) {
        envelope.opinion.decision = earlier;
    }
    // Older versions wrote them in camel case.
    let user = fields.string("user_message").or_else(|| fields.string("userMessage"));
    let user = user.or_else(|| fields.string("reason"));
    let agent = fields.string("agent_message").or_else(|| fields.string("agentMessage"));
    if fields.boolean("continue") == Some(false) {
        match event {
            EventKind::UserPromptSubmit | EventKind::PreToolUse | EventKind::SubagentStart => {
                envelope.opinion.decision = Some(Decision::Deny);
            }
            // A block of the turn's end has the agent continue.
            _ => envelope.opinion.halt = true,
        }
    }
    match agent {
        Some(agent) => {
            envelope.opinion.reason = Some(agent);
            envelope.opinion.system_message = user;
        }
        None => envelope.opinion.reason = user,
    }
    envelope.opinion.context.extend(fields.string("additional_context"));
    if event == EventKind::PreToolUse {
        envelope.opinion.updated_input = fields.patch("updated_input").map(Patch::replacing);
    }
    if event == EventKind::SessionStart {
        envelope.opinion.env = fields.variables("env");
    }
    // The turn continues with this message: that is what blocking its end is.
    if matches!(event, EventKind::Stop | EventKind::SubagentStop)
        && let Some(message) = fields.string("followup_message").filter(|message| !message.is_empty())
    {
        envelope.opinion.decision = Some(Decision::Deny);
        envelope.opinion.reason = Some(message);
    }
}
