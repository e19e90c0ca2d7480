//! `initialize`, sessions, and what the other parameters have in common.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::by_name::by_name;

/// The `id` of a request: a whole number, or a string of at most 256 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RequestId {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
}

/// `initialize`: the first request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InitializeParams {
    /// The newest version of the protocol that the client speaks. The answer has the version that is spoken from now on: the client's,
    /// or hookshell's own where the client's is higher.
    pub protocol_version: u32,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Peer>,
    /// What the client answers.
    #[serde(default, deserialize_with = "by_name")]
    pub capabilities: ClientCapabilities,
    /// What holds for every request that does not say otherwise.
    #[serde(default, deserialize_with = "by_name")]
    pub defaults: Options,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What the client answers. What it does not, hooks are answered as where nobody is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClientCapabilities {
    /// `ui/select`, `ui/confirm`, `ui/input` and `ui/notify`.
    #[serde(default)]
    pub ui: bool,
    /// `llm/complete`. Without it hooks of the types `prompt` and `agent` ask the model that the environment names.
    #[serde(default)]
    pub llm: bool,
}

/// How much of a run is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LogMode {
    /// Nothing.
    Off,
    /// What each hook decided, unless `HOOKSHELL_LOG` says otherwise.
    On,
    /// Also the tool's input, the prompt and the hooks' output.
    Payload,
}

/// How a request is done. `initialize` has what holds for all of them (`defaults`), and each request (`options`) what is different
/// for it: a member that is absent there is that of `defaults`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Config files; a later file takes precedence. Without any, the user's and the project's are looked for. `[]` is as none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configs: Option<Vec<PathBuf>>,
    /// Scripts or programs that are hooks themselves, in addition to the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Vec<PathBuf>>,
    /// The agent by whose rules configs are read and hooks run: `crush`, `claude`, `codex`, `gemini`, `cursor`, `copilot` or `qwen`.
    /// Detected from each file's path and contents unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Ignore discovered hooks; use only `configs` and `hooks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_hooks: Option<bool>,
    /// Run a project's hooks even if they are not trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_project: Option<bool>,
    /// The working directory: absolute. hookshell's own unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The project's root directory: absolute. The working directory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// Variables of hooks and commands beside hookshell's own environment; `null` takes one out. Those of `options` lie over those of
    /// `defaults`. Where configs, trust and the log are, hookshell's own environment says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, Option<String>>>,
    /// The session's identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Deny where a guard could not be asked: see `hooks/run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_closed: Option<bool>,
    /// How much is logged; as the environment says (`HOOKSHELL_LOG`) unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogMode>,
    /// Which one runs if a bundled utility and a program on PATH have the same name: `bundled`, `path` or `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utilities: Option<String>,
    /// What to do with a script for a shell that is not installed: `interpret` or `fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_shell: Option<String>,
    /// What runs scripts for a shell: `installed` or `in-process`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_scripts: Option<String>,
    /// Limits of what a script may use, `NAME=VALUE` each, as `--limit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Vec<String>>,
}

/// The answer to `initialize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InitializeResult {
    /// The version of the protocol that is spoken from now on.
    pub protocol_version: u32,
    /// `hookshell` and its version.
    pub server: Peer,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What it refuses.
    pub limits: Limits,
}

/// What hookshell can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Capabilities {
    /// The requests and notifications that it takes.
    pub methods: Vec<String>,
    /// The agents whose rules it knows.
    pub dialects: Vec<String>,
}

/// What hookshell refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// The longest message of the client's, in bytes.
    pub max_message_bytes: u64,
    /// How many requests may wait for their turn.
    pub max_queued_requests: u64,
    /// How many bytes the requests that wait may have together.
    pub max_queued_bytes: u64,
}

/// `$/cancel`, in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CancelParams {
    /// The request. One that has ended, or never was, is passed over.
    pub id: RequestId,
}

/// `session/end`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SessionEndParams {
    /// The session; that of `defaults` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// No parameters: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// Nothing to say: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Empty {}
