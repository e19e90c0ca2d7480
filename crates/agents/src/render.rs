//! Verdicts as hooks of other agents say them.

use serde_json::{Map, Value};

pub(super) use crate::rendered::Rendered;
use crate::tool_input::Patch;
use crate::verdict::Verdict;
pub(super) use hookshell_contract::exit_code::DENY as BLOCK;

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
