//! `schemas/fixture.json`: a `*.hooktest.json` file.
#![allow(dead_code, reason = "the types are there for their schema")]

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::events::AnyEvent;
use super::shape::{also, nothing_required, of};

/// The schema.
pub(super) fn schema() -> Value {
    of::<Fixture>()
}

/// Tests of hooks for `hookshell test`: a case, or `cases` and what they have in common.
#[derive(JsonSchema)]
#[schemars(title = "hookshell fixture", deny_unknown_fields, transform = nothing_required, transform = expects_something)]
struct Fixture {
    /// Where this schema is, for editors.
    #[schemars(rename = "$schema")]
    schema: String,
    /// The cases. Every other key of the file holds for all of them, unless a case says otherwise.
    #[schemars(length(min = 1))]
    cases: Vec<Case>,
    #[schemars(flatten)]
    case: Members,
}

/// One case: an event, and what is expected of the verdict.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = nothing_required, transform = one_kind_of_hooks)]
struct Case {
    #[schemars(flatten)]
    case: Members,
}

#[derive(JsonSchema)]
struct Members {
    /// What the report calls it.
    name: String,
    /// The event, by any agent's name for it.
    #[schemars(extend("default" = "PreToolUse"))]
    event: AnyEvent,
    /// A config whose hooks are tested, relative to the fixture.
    config: String,
    /// A hook file that is tested, relative to the fixture.
    hook: String,
    /// A command that is tested, as it stands in a config.
    command: String,
    /// The agent whose rules hold, if the config does not show it.
    dialect: Dialect,
    /// Variables that the hooks get, over those of `hookshell test`.
    env: BTreeMap<String, String>,
    /// The event's directory, relative to the fixture's. Without it the fixture's directory.
    cwd: String,
    /// Files by name, with their text: the case runs in a temporary directory that has them.
    #[schemars(extend("propertyNames" = { "pattern": INSIDE }))]
    files: BTreeMap<String, String>,
    /// The event as one object, by the names of any agent that is read.
    payload: Map<String, Value>,
    /// What is expected of the verdict. What is absent is not looked at.
    expect: Expect,
    /// The tool.
    tool_name: String,
    /// The tool's input.
    tool_input: Value,
    /// What the tool gave.
    tool_response: Value,
    /// PostToolUseFailure: what the tool said.
    error: String,
    /// UserPromptSubmit: the prompt.
    prompt: String,
    /// UserPromptSubmit: the files that the prompt brings along.
    attachments: Value,
    /// SessionStart: how the session begins.
    source: String,
    /// SessionEnd: why the session ends.
    reason: String,
    /// Stop, SubagentStop: the agent only continues because a hook has blocked its end before.
    stop_hook_active: bool,
    /// Stop, SubagentStop: what the agent said last.
    last_assistant_message: String,
    /// SubagentStop: the sub-agent's name.
    agent_type: String,
    /// PreCompact: why.
    trigger: String,
    /// PreCompact: what the user wants to be kept.
    custom_instructions: String,
    /// Notification: the text. TurnEnd: what the model said, any JSON value.
    message: Value,
    /// Notification: its title.
    title: String,
    /// Notification: its type.
    notification_type: String,
    /// The session's identifier.
    session_id: String,
    /// It happened in a sub-agent.
    is_sub_agent: bool,
    /// The file that the agent keeps the session in.
    transcript_path: String,
    /// The file that the session is kept in.
    session_file: String,
    /// TurnStart, TurnEnd: the turn, counted from 0.
    turn_index: u64,
    /// TurnEnd: what the tools gave.
    tool_results: Value,
    /// SessionBeforeBranch, SessionBranch: the turn that is gone back to.
    target_turn_index: u64,
}

/// What is expected of a verdict. Texts are regular expressions that match somewhere.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = nothing_required)]
struct Expect {
    /// The decision; null: no opinion.
    decision: Option<Decision>,
    /// Does the turn end?
    halt: bool,
    /// The exit code of `hookshell run`.
    #[schemars(extend("enum" = [0, 2, 49]))]
    exit_code: u8,
    /// The reason; null: there is none.
    reason: Option<Pattern>,
    /// What is added to what the model sees; null: nothing is.
    context: Option<Pattern>,
    /// The tool's whole input, compared as JSON; null: nothing changed it.
    updated_input: Value,
    /// The prompt to use instead; null: there is none.
    updated_prompt: Option<Pattern>,
    /// The files that the agent is referred to.
    context_files: Vec<String>,
    /// How the hooks that ran came out, in config order. Without it no hook may fail.
    outcome: OneOrMany,
    /// What some hook wrote to standard error.
    stderr: Pattern,
    /// How many hooks ran.
    hooks: u32,
    /// The longest that a hook may have taken, in milliseconds.
    max_ms: u64,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
enum Decision {
    /// The call is approved.
    Allow,
    /// The user is to be asked.
    Ask,
    /// The call is blocked.
    Deny,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
enum Dialect {
    Native,
    Crush,
    Claude,
    Codex,
    Gemini,
    Cursor,
    Copilot,
    Qwen,
}

#[derive(JsonSchema)]
#[schemars(inline, transparent)]
struct Pattern(#[schemars(extend("format" = "regex"))] String);

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum OneOrMany {
    One(Outcome),
    Many(Vec<Outcome>),
}

/// The names are those of `HookOutcome`, which a test compares.
#[derive(JsonSchema)]
#[schemars(inline)]
enum Outcome {
    Decided,
    NoOpinion,
    Started,
    Untrusted,
    NotFound,
    NotExecutable,
    Parse,
    Spawn,
    ExitCode,
    Signaled,
    BadEnvelope,
    TimedOut,
    Cancelled,
    Panicked,
    OutputLimit,
    LimitExceeded,
    StatusLost,
    NoModel,
    Model,
    BadAnswer,
    BadInput,
    Subagent,
    Module,
    Http,
    Unsupported,
}

/// The name of a file below a directory.
const INSIDE: &str = r"^(?![/\\])(?!(.*[/\\])?\.\.([/\\]|$)).";

/// The hooks are named one way only.
fn one_kind_of_hooks(schema: &mut Schema) {
    let pairs = [["config", "hook"], ["config", "command"], ["hook", "command"]];
    also(schema, pairs.iter().map(|pair| json!({ "not": { "required": pair } })).collect());
}

/// A file says what is expected at the top, or each of its cases does.
fn expects_something(schema: &mut Schema) {
    let of_each = json!({ "cases": { "items": { "required": ["expect"] } } });
    also(
        schema,
        vec![json!({ "anyOf": [{ "required": ["expect"] }, { "required": ["cases"], "properties": of_each }] })],
    );
    one_kind_of_hooks(schema);
}
