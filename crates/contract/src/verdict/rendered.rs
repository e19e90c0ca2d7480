//! Verdicts as hooks of other agents say them.

use serde_json::{Map, Value};

use crate::exit_code::DENY;
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

impl Rendered {
    /// Texts and an exit code. ([`Verdict::render`] says which one blocks where standard output cannot be written.)
    pub fn new(stdout: String, stderr: String, exit_code: u8) -> Self {
        Self { stdout, stderr, exit_code, exit_code_unprinted: exit_code }
    }

    /// An object that is read where the exit code is 0. ([`Verdict::render`] says which one blocks where it is not.)
    pub fn object(object: Map<String, Value>) -> Self {
        Self { stdout: Value::Object(object).to_string(), stderr: String::new(), exit_code: 0, exit_code_unprinted: 0 }
    }

    /// A block by exit code 2, whose reason is on standard error. The object is for agents that read it all the same.
    pub fn block(object: Map<String, Value>, verdict: &Verdict) -> Self {
        Self {
            stdout: Value::Object(object).to_string(),
            stderr: verdict.opinion.reason.clone().unwrap_or_else(|| format!("a hook blocked {}", verdict.event)),
            exit_code: DENY,
            exit_code_unprinted: DENY,
        }
    }
}
