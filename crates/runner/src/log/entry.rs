//! One line of the log.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::agent::Agent;
use crate::beginning::beginning;
use crate::context_files::DroppedFile;
use crate::decision::Decision;
use crate::event::Event;
use crate::outcome::HookOutcome;
use crate::verdict::HookReport;

/// How many bytes of a text are kept, so that one line is never a large part of the log.
const TEXT_LIMIT: usize = 4096;

/// One hook's run, as the log has it. Keys are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogEntry {
    /// When it was written, after the run: RFC 3339 in UTC, milliseconds.
    pub time: String,
    /// The event.
    pub event: String,
    /// The session's identifier.
    #[serde(default)]
    pub session: String,
    /// The tool, on events that have one.
    #[serde(default)]
    pub tool: Option<String>,
    /// The directory that the event is about.
    #[serde(default)]
    pub cwd: String,
    /// The hook's name, or its command, shortened.
    pub hook: String,
    /// Its command, as the config has it.
    #[serde(default)]
    pub command: String,
    /// The agent by whose rules it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The config that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The event as the config has it, in the agent's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_event: Option<String>,
    /// Its matcher as the config has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// How it was run, where that is known.
    #[serde(default)]
    pub route: Option<String>,
    /// How it came out: [`HookOutcome::as_str`](crate::HookOutcome::as_str).
    pub outcome: String,
    /// Its own decision.
    #[serde(default)]
    pub decision: Option<String>,
    /// Did it end the turn?
    #[serde(default)]
    pub halt: bool,
    /// Its exit code, where it exited.
    #[serde(default)]
    pub exit_code: Option<u8>,
    /// How long it ran, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// Where it named files for the agent that lie outside the project or are missing: how many were dropped, and why; only
    /// where payloads are logged also which, as that is the hook's own text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_context_files: Vec<String>,
    /// Only where payloads are logged: the tool's input, as long as it is not too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<Box<RawValue>>,
    /// Only where payloads are logged: the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Only where payloads are logged: the reason of the decision, or what the failure was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Only where payloads are logged: the end of what it wrote to standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

impl LogEntry {
    /// The time as entries have it.
    pub fn now() -> String {
        format!("{:.3}", jiff::Timestamp::now())
    }

    /// A command that an agent has started as its hook by itself, without an event of ours: what is known of the event is added by
    /// the caller. The outcome is `Started`.
    pub fn of_command(command: &str, agent: &dyn Agent) -> Self {
        Self {
            time: Self::now(),
            event: String::new(),
            session: String::new(),
            tool: None,
            cwd: String::new(),
            hook: cut(command),
            command: cut(command),
            agent: Some(agent.name().to_owned()),
            config: None,
            config_event: None,
            matcher: None,
            route: None,
            outcome: "Started".to_owned(),
            decision: None,
            halt: false,
            exit_code: None,
            ms: 0,
            dropped_context_files: Vec::new(),
            tool_input: None,
            prompt: None,
            reason: None,
            stderr: None,
        }
    }

    /// Is it this command? The log has the beginning of a long one.
    pub fn has_command(&self, command: &str) -> bool {
        self.command == beginning(command, TEXT_LIMIT)
    }

    pub(super) fn new(event: &Event, hook: &HookReport, payload: bool) -> Self {
        let mut entry = Self {
            time: Self::now(),
            event: event.name().to_string(),
            session: cut(event.session_id()),
            tool: event.tool_name().map(cut),
            cwd: event.cwd().display().to_string(),
            hook: cut(&hook.name),
            command: cut(&hook.command),
            agent: hook.agent.map(|agent| agent.name().to_owned()),
            config: hook.place.as_ref().map(|place| place.file.display().to_string()),
            config_event: hook.dialect_event_name.map(str::to_owned),
            matcher: hook.matcher.as_deref().map(cut),
            route: hook.route.as_deref().map(cut),
            outcome: hook.outcome.as_str().to_owned(),
            decision: hook.opinion.decision.map(Decision::as_str).map(str::to_owned),
            halt: hook.opinion.halt,
            exit_code: hook.exit_code,
            ms: u64::try_from(hook.elapsed.as_millis()).unwrap_or(u64::MAX),
            dropped_context_files: counts(&hook.dropped_context_files),
            tool_input: None,
            prompt: None,
            reason: None,
            stderr: None,
        };
        if payload {
            entry.dropped_context_files =
                hook.dropped_context_files.iter().map(|file| cut(&file.to_string())).collect();
            let input = event.tool_input().map(|input| input.get()).filter(|input| input.len() <= TEXT_LIMIT);
            entry.tool_input = input.and_then(|input| RawValue::from_string(input.to_owned()).ok());
            entry.prompt = event.prompt().map(cut);
            entry.reason = match &hook.outcome {
                HookOutcome::Failed(failure) => Some(cut(&failure.to_string())),
                _ => hook.opinion.reason.as_deref().map(cut),
            };
            entry.stderr = (!hook.stderr.is_empty()).then(|| cut(&hook.stderr));
        }
        entry
    }
}

/// How many files were dropped for each reason.
fn counts(dropped: &[DroppedFile]) -> Vec<String> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for file in dropped {
        match reasons.iter_mut().find(|(reason, _)| *reason == file.reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((&file.reason, 1)),
        }
    }
    let text = |(reason, count): (&str, usize)| format!("{count} dropped: {}", cut(reason));
    reasons.into_iter().map(text).collect()
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    beginning(text, TEXT_LIMIT).into_owned()
}
