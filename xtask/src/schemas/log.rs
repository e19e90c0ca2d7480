//! `schemas/log.json`: one line of the log.
#![allow(dead_code, reason = "the types are there for their schema")]

use schemars::JsonSchema;
use serde_json::Value;

use super::shape::of_output;

/// The schema.
pub(super) fn schema() -> Value {
    of_output::<LogLine>()
}

/// A line of `hooks.jsonl` and of `hookshell log --json`: one hook's run. Keys are only ever added.
#[derive(JsonSchema)]
#[schemars(title = "hookshell log line")]
struct LogLine {
    /// When it was written, after the run: RFC 3339 in UTC, milliseconds.
    #[schemars(extend("format" = "date-time"))]
    time: String,
    /// The event.
    event: String,
    /// The session's identifier.
    session: String,
    /// The tool, on events that have one.
    tool: Option<String>,
    /// The directory that the event is about.
    cwd: String,
    /// The hook's name, or its command, shortened.
    hook: String,
    /// Its command, as the config has it.
    command: String,
    /// The agent by whose rules it ran.
    #[schemars(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The config that it stands in.
    #[schemars(skip_serializing_if = "Option::is_none")]
    config: Option<String>,
    /// The event as the config has it, in the agent's own words.
    #[schemars(skip_serializing_if = "Option::is_none")]
    config_event: Option<String>,
    /// Its matcher as the config has it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    matcher: Option<String>,
    /// How it was run, where that is known.
    route: Option<String>,
    /// How it came out: `Decided`, `NoOpinion`, `Started`, `Untrusted`, or the name of a failure.
    outcome: String,
    /// Its own decision.
    decision: Option<Decision>,
    /// Did it end the turn?
    halt: bool,
    /// Its exit code, where it exited.
    exit_code: Option<u8>,
    /// How long it ran, in milliseconds.
    ms: u64,
    /// How many files for the agent were dropped, for each reason; with payloads which, and why.
    #[schemars(skip_serializing_if = "Vec::is_empty")]
    dropped_context_files: Vec<String>,
    /// Only where payloads are logged: the tool's input.
    #[schemars(skip_serializing_if = "Option::is_none")]
    tool_input: Option<Value>,
    /// Only where payloads are logged: the prompt.
    #[schemars(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// Only where payloads are logged: the reason of the decision, or what the failure was.
    #[schemars(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Only where payloads are logged: the end of what it wrote to standard error.
    #[schemars(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
enum Decision {
    Allow,
    Ask,
    Defer,
    Deny,
}
