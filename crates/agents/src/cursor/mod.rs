//! Cursor's contract: beside events for all tools it has events of its own for shell commands, MCP tools and files.

mod output;
mod payload;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::agent::Agent;
use crate::claude;
use crate::config::{
    AnswerRules, ConfigRules, Contract, ExitMeaning, FileRules, FoundFile, HookConfig, MatchRules, Origin, Places,
    Shape, StartRules, managed_file, project_file, user_file,
};
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope, Printed};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::json::RawObject;
use crate::matcher::{Matcher, MatcherError};
use crate::payload_writer::{Payload, json_string};
use crate::render::{BLOCK, Fields as OutputFields, Rendered, context};
use crate::tools::{self, Tool};
use crate::variables::of_path;
use crate::verdict::Verdict;
use hookshell_process::Environment;

use self::output::read;
use self::payload::{own_call, own_detail, own_members};

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

impl ConfigRules for Cursor {
    fn shape(&self) -> Shape {
        Shape::Flat
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    fn default_timeout(&self, _: EventKind, _: &str) -> Duration {
        Duration::from_secs(60)
    }

    fn dedupes(&self) -> bool {
        false
    }
}

impl FileRules for Cursor {
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

    fn place_in_project(&self) -> Option<&'static str> {
        Some(".cursor/hooks.json")
    }
}

impl MatchRules for Cursor {
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

    fn matches_prompts(&self) -> bool {
        true
    }
}

impl StartRules for Cursor {
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

    fn variables(&self, _: &HookConfig, event: &Event, _: &Environment) -> Vec<(&'static str, OsString)> {
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

    fn variable_prefix(&self) -> &'static str {
        "CURSOR_"
    }

    /// On the session's start they say them in their output.
    fn sets_variables(&self) -> bool {
        true
    }
}

impl AnswerRules for Cursor {
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
}

impl Contract for Cursor {
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
