//! `hooks/run`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::session::{Options, RequestId};
use crate::by_name::by_name;

/// `hooks/run`: an event, as `hookshell run` takes it. It is given as `payload`, or as `tool` and `input`, or as `prompt`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunParams {
    /// The event. Any agent's name for it works, in any case, with or without underscores. May be absent where the payload names it
    /// (`hook_event_name`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The event as the agent's own hooks get it on standard input: a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, serde_json::Value>>"))]
    pub payload: Option<Box<RawValue>>,
    /// The tool of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's input: a JSON object; `{}` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, serde_json::Value>>"))]
    pub input: Option<Box<RawValue>>,
    /// The user's prompt, for `UserPromptSubmit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Give the verdict also as a hook of this agent would print it: `rendered` of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Send `$/progress` for each hook.
    #[serde(default)]
    pub progress: bool,
    /// What is different for this request.
    #[serde(default, deserialize_with = "by_name")]
    pub options: Options,
}

/// The result of `hooks/run`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunResult {
    /// What `hookshell run` prints.
    #[cfg_attr(feature = "schema", schemars(with = "Verdict"))]
    pub verdict: Box<RawValue>,
    /// The exit code of `hookshell run`: 0 the call proceeds, 2 it is blocked, 49 the turn ends.
    pub exit_code: u8,
    /// The verdict as a hook of the agent of `output` would print it. A reason of more than 8 KiB is cut there, with a note that says
    /// where all of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<Rendered>,
    /// What the user should be told: an untrusted hook, an error in a config, a guard that could not be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
}

/// A verdict as a hook of another agent would print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rendered {
    /// What it would write to standard output.
    pub stdout: String,
    /// What it would write to standard error.
    pub stderr: String,
    /// Its exit code.
    pub exit_code: u8,
}

/// Something that the user should be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// How bad it is.
    pub level: MessageLevel,
    /// One line or more.
    pub text: String,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MessageLevel {
    /// The hooks ran; something is odd.
    Warning,
    /// A hook or a config did not count.
    Error,
}

/// A verdict, as `hookshell run` prints it. Keys are only ever added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The event, by hookshell's name for it.
    pub event: String,
    /// `allow`, `deny`, `ask` or `defer`; `null`: no hook has an opinion.
    pub decision: Option<String>,
    /// The turn is to end.
    pub halt: bool,
    /// Why, for the model or the user.
    pub reason: Option<String>,
    /// What the model is to be told.
    pub context: Option<String>,
    /// The tool's input that is to be used instead.
    pub updated_input: Option<serde_json::Map<String, serde_json::Value>>,
    /// The prompt that is to be used instead.
    pub updated_prompt: Option<String>,
    /// Files that the agent is referred to.
    pub context_files: Vec<String>,
    /// What each hook gave, in config order.
    pub hooks: Vec<HookReport>,
    /// The user's prompt, of events that have one.
    #[serde(default)]
    pub prompt: Option<String>,
    /// What the model is told of `context_files`.
    #[serde(default)]
    pub context_files_note: Option<String>,
    /// The tool's result that is to be used instead: any JSON value.
    #[serde(default)]
    pub updated_result: Option<serde_json::Value>,
    /// What the user is to be shown.
    #[serde(default)]
    pub system_message: Option<String>,
    /// Variables for the session, which hooks have set.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What hooks said that only their own agent knows, by its name there.
    #[serde(default)]
    pub agent_output: BTreeMap<String, serde_json::Value>,
}

/// What one hook gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookReport {
    /// What messages call it.
    pub name: String,
    /// Its command.
    pub command: String,
    /// How it ended: `Decided`, `NoOpinion`, `Started`, `Untrusted`, or the name of a failure.
    pub outcome: String,
    /// Its decision.
    pub decision: Option<String>,
    /// It ends the turn.
    pub halt: bool,
    /// Why.
    pub reason: Option<String>,
    /// Its exit code.
    pub exit_code: Option<u8>,
    /// How its command ran.
    pub route: Option<String>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Which shells ran its scripts, where those are not simply the installed ones.
    #[serde(default)]
    pub shells: Vec<ShellUse>,
    /// Files that it named and that were left out, and why.
    #[serde(default)]
    pub dropped_context_files: Vec<String>,
    /// What was odd in its output.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Which shell ran a script or a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShellUse {
    /// The script or the command line.
    pub command: String,
    /// The shell.
    pub shell: String,
    /// Why that one.
    pub reason: String,
}

/// `$/progress`: a hook of a `hooks/run` has started or ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgressParams {
    /// The `hooks/run`.
    pub id: RequestId,
    /// Which of the request's hooks: counted in the order of their first `started`, from 0.
    pub hook: u64,
    /// What messages call the hook.
    pub name: String,
    /// What has happened.
    pub state: HookState,
    /// What the host may show while it runs: the hook's `status_message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// How long it took, in milliseconds; once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// What has happened to a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// It was started.
    Started,
    /// It has ended: the verdict says how.
    Ended,
}

/// `hooks/wake`: a hook of the background that may wake the agent (Claude Code's `"asyncRewake": true`) has ended with exit code 2. Its
/// event was answered long ago.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WakeParams {
    /// The session of its event; empty where it has none.
    pub session: String,
    /// The event.
    pub event: String,
    /// The hook.
    pub name: String,
    /// What the model is to be told.
    pub text: String,
}
