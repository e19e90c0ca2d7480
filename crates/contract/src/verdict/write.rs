//! A verdict as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{HookReport, ShellUse, Verdict};
use crate::decision::Decision;

impl Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let opinion = &self.opinion;
        VerdictJson {
            event: self.event.as_str(),
            decision: opinion.decision.map(Decision::as_str),
            halt: opinion.halt,
            reason: opinion.reason.as_deref(),
            context: self.context(),
            updated_input: self.updated_input().and_then(|input| raw(input.get())),
            updated_prompt: opinion.updated_prompt.as_deref(),
            context_files: self.context_files(),
            hooks: self.hooks.iter().map(HookJson::from).collect(),
            prompt: self.prompt.as_deref(),
            context_files_note: self.context_files_note(),
            updated_result: opinion.updated_result.as_ref().and_then(|result| raw(result.get())),
            system_message: opinion.system_message.as_deref(),
            env: opinion.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            agent_output: opinion
                .agent_output
                .iter()
                .filter_map(|(name, json)| Some((&**name, raw(json.get())?)))
                .collect(),
        }
        .serialize(serializer)
    }
}

fn raw(json: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(json.to_owned()).ok()
}

/// The keys and their order.
#[derive(Serialize)]
struct VerdictJson<'v> {
    event: &'v str,
    decision: Option<&'v str>,
    halt: bool,
    reason: Option<&'v str>,
    context: Option<String>,
    updated_input: Option<Box<RawValue>>,
    updated_prompt: Option<&'v str>,
    context_files: Vec<&'v str>,
    hooks: Vec<HookJson<'v>>,
    /// Of events with a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'v str>,
    /// Where there are files.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_files_note: Option<String>,
    /// Where a hook changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_result: Option<Box<RawValue>>,
    /// Where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'v str>,
    /// Where there are any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<&'v str, &'v str>,
    /// Where there is any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    agent_output: BTreeMap<&'v str, Box<RawValue>>,
}

#[derive(Serialize)]
struct HookJson<'v> {
    name: &'v str,
    command: &'v str,
    outcome: &'v str,
    decision: Option<&'v str>,
    halt: bool,
    reason: Option<&'v str>,
    exit_code: Option<u8>,
    route: Option<&'v str>,
    ms: u64,
    stderr: &'v str,
    /// Which shells ran scripts, where those are not simply the installed ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shells: Vec<ShellJson<'v>>,
    /// Where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped_context_files: Vec<String>,
    /// Where there are any.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'v [String],
}

/// Which shell ran a script or command line.
#[derive(Serialize)]
struct ShellJson<'v> {
    command: &'v str,
    shell: &'v str,
    reason: &'v str,
}

impl<'v> From<&'v ShellUse> for ShellJson<'v> {
    fn from(used: &'v ShellUse) -> Self {
        Self { command: &used.command, shell: &used.shell, reason: &used.reason }
    }
}

impl<'v> From<&'v HookReport> for HookJson<'v> {
    fn from(result: &'v HookReport) -> Self {
        Self {
            name: &result.name,
            command: &result.command,
            outcome: result.outcome.as_str(),
            decision: result.opinion.decision.map(Decision::as_str),
            halt: result.opinion.halt,
            reason: result.opinion.reason.as_deref(),
            exit_code: result.exit_code,
            route: result.route.as_deref(),
            ms: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
            stderr: &result.stderr,
            shells: result.shells.iter().map(ShellJson::from).collect(),
            dropped_context_files: result.dropped_context_files.iter().map(ToString::to_string).collect(),
            warnings: &result.warnings,
        }
    }
}
