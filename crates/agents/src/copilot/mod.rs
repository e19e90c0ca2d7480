//! Copilot CLI's contract, as version 1.0.102 keeps it (`tests/agents/copilot.py`; docs/dialects/copilot.md). Events in camel case
//! are its own; those in Pascal case have Claude Code's names.

mod config;
mod http;
mod matcher;
mod output;
mod payload;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jsonc_parser::ast::Object;

use crate::agent::Agent;
use crate::config::{
    AnswerRules, ConfigRules, Contract, Exit, ExitMeaning, FILES, FileRules, FoundFile, HookConfig, HttpRules,
    MatchRules, Places, Reader, Shape, StartRules, SyntaxErrorMeaning, project_file, unlisted, user_file,
};
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::render::{BLOCK, Rendered};
use crate::variables::of_path;
use crate::verdict::{HookReport, Verdict};
use hookshell_process::Environment;

/// Copilot CLI's contract.
pub(crate) struct Copilot;

/// Its events.
pub(super) const EVENTS: &[(&str, EventKind)] = &[
    ("preToolUse", EventKind::PreToolUse),
    ("preMcpToolCall", EventKind::PreMcpToolCall),
    ("permissionRequest", EventKind::PermissionRequest),
    ("postToolUse", EventKind::PostToolUse),
    ("postToolUseFailure", EventKind::PostToolUseFailure),
    ("userPromptSubmitted", EventKind::UserPromptSubmit),
    ("userPromptTransformed", EventKind::UserPromptTransformed),
    ("sessionStart", EventKind::SessionStart),
    ("sessionEnd", EventKind::SessionEnd),
    ("agentStop", EventKind::Stop),
    ("subagentStart", EventKind::SubagentStart),
    ("subagentStop", EventKind::SubagentStop),
    ("errorOccurred", EventKind::ErrorOccurred),
    ("preCompact", EventKind::PreCompact),
    ("notification", EventKind::Notification),
    ("PreToolUse", EventKind::PreToolUse),
    ("PreMcpToolCall", EventKind::PreMcpToolCall),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("PostToolUse", EventKind::PostToolUse),
    ("PostToolUseFailure", EventKind::PostToolUseFailure),
    ("UserPromptSubmit", EventKind::UserPromptSubmit),
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("Stop", EventKind::Stop),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentStop),
    ("ErrorOccurred", EventKind::ErrorOccurred),
    ("PreCompact", EventKind::PreCompact),
    ("Notification", EventKind::Notification),
];

/// The keys of its hooks, and ours that it passes over. (`config.rs` reads those of commands.)
const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("bash", "bash"),
    ("powershell", "powershell"),
    ("command", "command"),
    ("linux", ""),
    ("osx", ""),
    ("windows", ""),
    ("exec", ""),
    ("args", "args"),
    ("cwd", "cwd"),
    ("env", "env"),
    ("timeoutSec", "timeout"),
    ("timeout", "timeout"),
    ("matcher", "matcher"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("name", "name"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("shell_scripts", "shell_scripts"),
    ("comment", ""),
    ("description", ""),
    ("url", ""),
    ("headers", ""),
    ("allowedEnvVars", ""),
    ("statusMessage", ""),
];

/// Is the event one of those with Claude Code's names?
pub(crate) fn is_claude_style(dialect_event_name: &str) -> bool {
    dialect_event_name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Does a matcher count on an event? On the others a hook runs whatever its matcher is.
pub(crate) fn knows_matchers(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::PermissionRequest | EventKind::SubagentStart
    )
}

/// Does a file hold settings, among them hooks, and not hooks alone?
pub(crate) fn is_settings(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "settings.json" || name == "settings.local.json")
}

impl Agent for Copilot {
    fn name(&self) -> &'static str {
        "Copilot CLI"
    }

    fn events(&self) -> &'static [(&'static str, EventKind)] {
        EVENTS
    }

    fn render(&self, verdict: &Verdict, _: &str) -> Rendered {
        output::render(verdict)
    }
}

impl ConfigRules for Copilot {
    fn shape(&self) -> Shape {
        Shape::Flat
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    fn keeps_nulls(&self) -> bool {
        true
    }

    fn reads_file(&self, reader: &mut Reader<'_, '_>, root: &Object<'_>) -> bool {
        reader.copilot(root);
        true
    }

    fn submits_prompt(&self, event: EventKind) -> bool {
        event == EventKind::SessionStart
    }

    fn default_timeout(&self, _: EventKind, _: &str) -> Duration {
        Duration::from_secs(30)
    }

    fn dedupes(&self) -> bool {
        false
    }
}

impl FileRules for Copilot {
    fn project_variable(&self) -> Option<&'static str> {
        Some("COPILOT_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".github", ".claude"]
    }

    /// In the order in which the agent runs their hooks.
    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let mut files = Vec::new();
        if let Some(user) = places.user("COPILOT_HOME", ".copilot") {
            let mut found = Vec::new();
            hook_files(&user.join("hooks"), usize::MAX, &mut found);
            found.push(user.join("settings.json"));
            files.extend(found.into_iter().map(user_file));
        }
        let settings = |directory: &Path| ["settings.json", "settings.local.json"].map(|name| directory.join(name));
        if let (Some(github), Some(claude)) = (places.project(".github"), places.project(".claude")) {
            let mut found = Vec::new();
            // One more than is read says that there are more.
            hook_files(&github.join("hooks"), FILES + 1, &mut found);
            found.extend(settings(&claude));
            found.extend(settings(&github.join("copilot")));
            files.extend(found.into_iter().map(project_file));
        }
        files
    }

    fn place_in_project(&self) -> Option<&'static str> {
        Some("a .json file in .github/hooks")
    }
}

impl MatchRules for Copilot {
    /// As of an event in camel case.
    fn matcher(&self, pattern: &str, _: EventKind) -> Result<Matcher, MatcherError> {
        matcher::read(pattern, "preToolUse")
    }

    fn subjects<'e>(&self, dialect_event_name: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>> {
        if !knows_matchers(event.name()) {
            return None;
        }
        let subject = match event.tool_name() {
            Some(tool) if is_claude_style(dialect_event_name) => matcher::claude_name(tool),
            Some(tool) => matcher::own_tool_name(tool),
            None => event.matched()?.into(),
        };
        Some(vec![subject])
    }

    /// Events with Claude Code's names have its tools, too.
    fn tools_of(&self, own: Dialect, dialect_event_name: &str) -> Dialect {
        if is_claude_style(dialect_event_name) { Dialect::Claude } else { own }
    }
}

impl StartRules for Copilot {
    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
        payload::build(dialect_event_name, event)
    }

    fn variables(&self, hook: &HookConfig, event: &Event, _: &Environment) -> Vec<(&'static str, OsString)> {
        let project = of_path(event.project_dir());
        let mut variables = vec![
            ("COPILOT_CLI", OsString::from("1")),
            ("COPILOT_PROJECT_DIR", project.clone()),
            ("CLAUDE_PROJECT_DIR", project),
        ];
        // Of a file of settings there is none.
        let file = hook.place.as_ref().map(|place| &*place.file).filter(|file| !is_settings(file));
        let directory = file.and_then(|file| std::path::absolute(file).ok());
        if let Some(directory) = directory.as_deref().and_then(Dialect::config_directory) {
            variables.push(("COPILOT_HOOK_DIR", of_path(&directory)));
        }
        variables
    }

    fn is_sequential(&self) -> bool {
        true
    }

    fn http(&self) -> Option<&'static dyn HttpRules> {
        Some(&Self)
    }

    fn variable_prefix(&self) -> &'static str {
        "COPILOT_"
    }
}

impl AnswerRules for Copilot {
    fn can_block(&self, event: EventKind) -> bool {
        matches!(
            event,
            EventKind::PreToolUse
                | EventKind::PermissionRequest
                | EventKind::UserPromptSubmit
                | EventKind::Stop
                | EventKind::SubagentStop
        )
    }

    /// bash ends with 2 then, and that blocks two events only.
    fn syntax_error(&self, event: EventKind) -> SyntaxErrorMeaning {
        if self.exit_meaning(event, BLOCK, true).is_deny() {
            SyntaxErrorMeaning::Block
        } else {
            SyntaxErrorMeaning::Failure
        }
    }

    /// What is not started at all has one too. All else is said by [`AnswerRules::read_exit`].
    fn exit_meaning(&self, event: EventKind, status: u8, _: bool) -> ExitMeaning {
        match (status, event) {
            (0, _) => ExitMeaning::Envelope,
            (_, EventKind::PreToolUse | EventKind::PermissionRequest) => ExitMeaning::DenyByEnvelope,
            _ => ExitMeaning::Error,
        }
    }

    fn read_exit(&self, exit: &Exit<'_>) -> Option<Result<Option<Envelope>, BadEnvelope>> {
        Some(Ok(output::read(exit)))
    }

    fn envelope(&self, stdout: &[u8], event: EventKind, dialect_event_name: &str) -> Result<Envelope, BadEnvelope> {
        Ok(output::read(&Exit {
            hook: None,
            dialect_event_name,
            event,
            status: 0,
            is_killed: false,
            stdout,
            stderr: &[],
        })
        .unwrap_or_default())
    }

    fn stops(&self, event: EventKind, result: &HookReport) -> bool {
        output::stops(event, result)
    }

    /// A later answer takes the place of an earlier one, where it may: a project's never takes a user's back.
    fn settle(&self, event: &Event, results: &mut [&mut HookReport]) {
        for at in 1..results.len() {
            let (earlier, rest) = results.split_at_mut(at);
            let Some(later) = rest.first() else { continue };
            for result in earlier.iter_mut().filter(|result| later.origin.may_change(result.origin)) {
                output::replace(event.name(), result, later);
            }
        }
    }

    fn denies_unknown_codes(&self) -> bool {
        true
    }

    fn tells_user(&self) -> bool {
        false
    }
}

impl Contract for Copilot {
    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of hooks with bash, powershell, command or exec; a matcher is a regular expression for the tool's whole name; strict JSON",
            ),
            ("payload", "sessionId, timestamp, cwd, toolName, toolArgs, …; of events in Pascal case Claude Code's"),
            (
                "variables",
                "COPILOT_PROJECT_DIR, CLAUDE_PROJECT_DIR, COPILOT_HOOK_DIR, COPILOT_CLI, and the hook's own env",
            ),
            (
                "exit codes",
                "0: standard output is read; 2: denied on preToolUse and permissionRequest, elsewhere as 0; other: denied on these two, else a failure",
            ),
            (
                "output",
                "permissionDecision, permissionDecisionReason, modifiedArgs (replaces the input), additionalContext; behavior and message; decision and reason; hookSpecificOutput on PreToolUse only",
            ),
            ("timeout", "in seconds (timeoutSec); 30 without one"),
        ]
    }
}

/// How deep directories of hooks are looked into, and how many of them.
const DEPTH: usize = 8;
const DIRECTORIES: usize = 256;

/// The `*.json` files below a directory in the order in which the agent reads them: backwards by name, and those of the
/// directories in it after its own. Hidden ones are passed over. More than `most` are not listed.
fn hook_files(directory: &Path, most: usize, files: &mut Vec<PathBuf>) {
    let mut waiting = vec![(directory.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((directory, depth)) = waiting.pop() {
        looked_at += 1;
        let Ok(entries) = directory.read_dir() else {
            files.extend(unlisted(&directory));
            continue;
        };
        let room = most.saturating_sub(files.len());
        let is_hidden = |path: &Path| path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| !is_hidden(path));
        let mut own = Vec::new();
        let mut below = Vec::new();
        for path in paths {
            if path.is_dir() {
                if depth < DEPTH && looked_at + waiting.len() + below.len() < DIRECTORIES {
                    below.push((path, depth + 1));
                }
            } else if path.extension().is_some_and(|extension| extension == "json") && own.len() < room {
                own.push(path);
            }
        }
        own.sort_unstable_by(|left, right| right.cmp(left));
        files.append(&mut own);
        // The last is looked at first.
        below.sort_unstable();
        waiting.append(&mut below);
        if files.len() >= most {
            return;
        }
    }
}
