//! A verdict from its JSON: what `hookshell run` prints, `hooks/run` answers and a log keeps.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::Verdict;
use super::outcome::{Failure, HookOutcome};
use super::{HookReport, ShellUse};
use crate::context_files::{ContextFile, DroppedFile};
use crate::decision::Decision;
use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::opinion::Opinion;
use crate::tool_input::{Patch, ToolInput};

/// The keys. What is not known is passed over: keys are only ever added.
#[derive(Deserialize)]
struct VerdictJson {
    event: String,
    decision: Option<String>,
    halt: bool,
    reason: Option<String>,
    context: Option<String>,
    updated_input: Option<Box<RawValue>>,
    updated_prompt: Option<String>,
    #[serde(default)]
    context_files: Vec<String>,
    hooks: Vec<HookJson>,
    prompt: Option<String>,
    updated_result: Option<Box<RawValue>>,
    system_message: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    agent_output: BTreeMap<String, Box<RawValue>>,
}

#[derive(Deserialize)]
struct HookJson {
    name: String,
    command: String,
    outcome: String,
    decision: Option<String>,
    halt: bool,
    reason: Option<String>,
    exit_code: Option<u8>,
    route: Option<String>,
    ms: u64,
    stderr: String,
    #[serde(default)]
    shells: Vec<ShellJson>,
    #[serde(default)]
    dropped_context_files: Vec<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Deserialize)]
struct ShellJson {
    command: String,
    shell: String,
    reason: String,
}

impl<'de> Deserialize<'de> for Verdict {
    /// Reads what [`Verdict::to_json`] wrote, and gives that text again. What that does not say is as it is where nothing is
    /// known: the context of all hooks is one entry, a context file is resolved to its own path, and a failure is
    /// [`Failure::Reported`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = VerdictJson::deserialize(deserializer)?;
        let opinion = Opinion {
            decision: json.decision.map(|word| decision(&word)).transpose()?,
            halt: json.halt,
            reason: json.reason,
            context: json.context.into_iter().collect(),
            updated_input: json.updated_input.as_deref().map(patch).transpose()?,
            updated_prompt: json.updated_prompt,
            updated_result: json.updated_result.as_deref().map(text).transpose()?,
            system_message: json.system_message,
            env: json.env.into_iter().collect(),
            agent_output: json
                .agent_output
                .into_iter()
                .map(|(name, json)| Ok((Cow::Owned(name), text(&json)?)))
                .collect::<Result<_, D::Error>>()?,
            context_files: json
                .context_files
                .into_iter()
                .map(|path| ContextFile { resolved: PathBuf::from(&path), path })
                .collect(),
        };
        Ok(Self {
            event: json.event.parse::<EventKind>().map_err(D::Error::custom)?,
            opinion,
            prompt: json.prompt,
            hooks: json.hooks.into_iter().map(report).collect::<Result<_, _>>()?,
            dialect_event_name: None,
        })
    }
}

fn report<E: Error>(json: HookJson) -> Result<HookReport, E> {
    let outcome = match &*json.outcome {
        "Decided" => HookOutcome::Decided,
        "NoOpinion" => HookOutcome::NoOpinion,
        "Started" => HookOutcome::Started,
        "Untrusted" => HookOutcome::Untrusted,
        name => {
            let known = HookOutcome::FAILURES.iter().find(|failure| **failure == name);
            let kind = known.ok_or_else(|| E::custom(format!("unknown outcome `{name}`")))?;
            HookOutcome::Failed(Failure::Reported { kind, message: json.reason.clone().unwrap_or_default() })
        }
    };
    Ok(HookReport {
        outcome,
        opinion: Opinion {
            decision: json.decision.map(|word| decision(&word)).transpose()?,
            halt: json.halt,
            reason: json.reason,
            ..Opinion::default()
        },
        dropped_context_files: json
            .dropped_context_files
            .iter()
            .map(|text| {
                let parts = text.strip_prefix("context file `").and_then(|rest| rest.split_once("` dropped: "));
                let (path, reason) =
                    parts.ok_or_else(|| E::custom(format!("`{text}` does not say which context file was dropped")))?;
                Ok(DroppedFile { path: path.to_owned(), reason: reason.to_owned() })
            })
            .collect::<Result<_, E>>()?,
        warnings: json.warnings,
        exit_code: json.exit_code,
        route: json.route,
        shells: json
            .shells
            .into_iter()
            .map(|used| ShellUse { command: used.command, shell: used.shell, reason: used.reason })
            .collect(),
        elapsed: Duration::from_millis(json.ms),
        stderr: json.stderr,
        ..HookReport::new(json.name, json.command)
    })
}

fn decision<E: Error>(word: &str) -> Result<Decision, E> {
    let all = [Decision::Allow, Decision::Ask, Decision::Defer, Decision::Deny];
    all.into_iter()
        .find(|decision| decision.as_str() == word)
        .ok_or_else(|| E::custom(format!("unknown decision `{word}`")))
}

fn patch<E: Error>(json: &RawValue) -> Result<Patch, E> {
    ToolInput::parse(json.get()).map(Patch::from).map_err(E::custom)
}

fn text<E: Error>(json: &RawValue) -> Result<JsonText, E> {
    JsonText::parse(json.get()).map_err(E::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = r###"{"event":"PreToolUse","decision":"deny","halt":true,"reason":"not that","context":"a\nb","updated_input":{"command":"ls","n":1.50},"updated_prompt":"p","context_files":["README.md"],"hooks":[{"name":"guard","command":"./guard.sh","outcome":"Decided","decision":"deny","halt":true,"reason":"not that","exit_code":2,"route":"in-process shell","ms":7,"stderr":"not that\n","shells":[{"command":"./guard.sh","shell":"in-process","reason":"r"}],"dropped_context_files":["context file `x` dropped: missing"],"warnings":["w"]},{"name":"b","command":"b","outcome":"ExitCode","decision":null,"halt":false,"reason":"exit code 1","exit_code":1,"route":null,"ms":0,"stderr":""}],"prompt":"q","context_files_note":"## Referenced files\n- README.md","updated_result":[1,{"a":2}],"system_message":"m","env":{"A":"1","B":"2"},"agent_output":{"watchPaths":["/x"]}}"###;

    #[test]
    fn a_verdict_is_written_as_it_was_read() {
        let verdict: Verdict = serde_json::from_str(ALL).unwrap();
        assert_eq!(verdict.to_json(), ALL);
        assert!(verdict.is_blocked());
        assert_eq!(verdict.exit_code(), 49);
        assert_eq!(verdict.hooks[1].outcome.as_str(), "ExitCode");
        let HookOutcome::Failed(failure) = &verdict.hooks[1].outcome else { panic!("it failed") };
        assert_eq!(failure.to_string(), "exit code 1");
        // Through another format's value, too.
        let value: serde_json::Value = serde_json::from_str(ALL).unwrap();
        assert_eq!(serde_json::from_value::<Verdict>(value).unwrap().hooks.len(), 2);
    }

    #[test]
    fn what_is_no_verdict_says_why() {
        for (from, to, why) in [
            ("\"PreToolUse\"", "\"NoSuchEvent\"", "unknown event `NoSuchEvent`"),
            ("\"decision\":\"deny\"", "\"decision\":\"maybe\"", "unknown decision `maybe`"),
            ("\"ExitCode\"", "\"Odd\"", "unknown outcome `Odd`"),
            ("{\"command\":\"ls\",\"n\":1.50}", "[]", "a tool's input is one JSON object"),
            ("context file `x`", "x", "does not say which context file"),
            ("\"halt\":true,", "", "missing field `halt`"),
        ] {
            let error = serde_json::from_str::<Verdict>(&ALL.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        // A key of a later version is passed over.
        let later = ALL.replacen('{', "{\"later\":1,", 1);
        assert_eq!(serde_json::from_str::<Verdict>(&later).unwrap().to_json(), ALL);
    }
}
