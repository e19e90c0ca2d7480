//! `explain`, `check` and `doctor`: what the commands of the same names print with `--json`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::session::Options;
use crate::by_name::by_name;

/// `explain`: how a command would run, or without one the hooks that would run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExplainParams {
    /// The command, as a config has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What is different for this request.
    #[serde(default, deserialize_with = "by_name")]
    pub options: Options,
}

/// The result of `explain`: one of the two.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainResult {
    /// How the command would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Explanation>"))]
    pub explanation: Option<Box<RawValue>>,
    /// The hooks, each with how it would run, as `hookshell explain --json` prints them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<serde_json::Map<String, serde_json::Value>>>"))]
    pub hooks: Option<Box<RawValue>>,
}

/// How a command would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// The command.
    pub command: String,
    /// Its words.
    pub tokens: Vec<String>,
    /// The program that it names.
    pub argv0: Option<String>,
    /// `shell`, `shell-source`, `interpreter`, `binary` or `not-startable`.
    pub route: String,
    /// The route in words.
    pub description: String,
    /// The program that would be started.
    pub program: Option<String>,
    /// Its arguments, with its name.
    pub argv: Vec<String>,
    /// Why so.
    pub reasons: Vec<String>,
}

/// `check`: what is wrong with configs and with what they name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckParams {
    /// Config files; those of `options`, or else those that are found, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<PathBuf>>,
    /// Also report what a strict POSIX shell does not accept.
    #[serde(default)]
    pub portable: bool,
    /// What is different for this request.
    #[serde(default, deserialize_with = "by_name")]
    pub options: Options,
}

/// The result of `check`, as `hookshell check --json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckResult {
    /// The files that were read.
    pub files: Vec<String>,
    /// How many hooks they have.
    pub hooks: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// How many findings comments, config keys and options have switched off.
    pub ignored: u64,
    /// A config could not be read.
    pub unreadable: bool,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// How bad it is: `error` or `warning`.
    pub severity: String,
    /// What kind it is: `HS401`, for example.
    pub code: String,
    /// The file: a config, or a script that it names.
    pub file: String,
    /// The line; the first is 1.
    pub line: Option<u64>,
    /// The column in characters; the first is 1.
    pub column: Option<u64>,
    /// What messages call the hook, where it is about one.
    pub hook: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
}

/// `doctor`: what this machine has that hooks use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DoctorParams {
    /// What is different for this request. `cwd` and `env` count.
    #[serde(default, deserialize_with = "by_name")]
    pub options: Options,
}

/// The result of `doctor`: the object that `hookshell doctor --json` prints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct DoctorResult(pub serde_json::Map<String, serde_json::Value>);
