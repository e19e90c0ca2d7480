//! Verdicts as hooks of other agents say them.

use serde_json::{Map, Value};

use crate::tool_input::Patch;
use crate::verdict::Verdict;

/// What a program prints to say a verdict as a hook of some agent would.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rendered {
    /// One JSON object, without a newline.
    pub stdout: String,
    /// The reason, where the agent reads it from standard error; may be empty.
    pub stderr: String,
    /// The exit code.
    pub exit_code: u8,
    /// The exit code where `stdout` could not be written: a block holds, and what was to be asked of the user is blocked.
    pub exit_code_unprinted: u8,
}

/// The exit code that blocks for every agent.
pub(super) const BLOCK: u8 = 2;

impl Rendered {
    /// An object that is read where the exit code is 0. ([`Verdict::render`] says which one blocks where it is not.)
    pub(super) fn object(object: Map<String, Value>) -> Self {
        Self { stdout: Value::Object(object).to_string(), stderr: String::new(), exit_code: 0, exit_code_unprinted: 0 }
    }

    /// A block by exit code 2, whose reason is on standard error. The object is for agents that read it all the same.
    pub(super) fn block(object: Map<String, Value>, verdict: &Verdict) -> Self {
        Self {
            stdout: Value::Object(object).to_string(),
            stderr: verdict.opinion.reason.clone().unwrap_or_else(|| format!("a hook blocked {}", verdict.event)),
            exit_code: BLOCK,
            exit_code_unprinted: BLOCK,
        }
    }
}

/// Builds an object from what there is.
#[derive(Default)]
pub(super) struct Fields(pub(super) Map<String, Value>);

impl Fields {
    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    pub(super) fn text(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.set(key, value);
        }
        self
    }

    /// The tool's new input.
    pub(super) fn input(&mut self, key: &str, input: Option<&Patch>) -> &mut Self {
        if let Some(input) = input.and_then(|input| serde_json::from_str::<Value>(input.to_input().get()).ok()) {
            self.set(key, input);
        }
        self
    }
}

/// Everything that the model is told: the context, and the files.
pub(super) fn context(verdict: &Verdict) -> Option<String> {
    match (verdict.context(), verdict.context_files_note()) {
        (None, note) => note,
        (context, None) => context,
        (Some(context), Some(note)) => Some(format!("{context}\n{note}")),
    }
}
