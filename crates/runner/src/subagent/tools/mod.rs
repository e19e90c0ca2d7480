//! The tools of sub-agents: `read`, `glob` and `grep`, within the project.

mod glob;
mod grep;
mod read;
mod walk;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::de::DeserializeOwned;

use super::SubagentTask;
use crate::cancel::CancelToken;
use crate::llm::LlmTool;

/// The most that a tool gives, in bytes.
const RESULT_LIMIT: usize = 64 * 1024;

/// The tools of one sub-agent.
pub(super) struct Tools {
    /// The project's directory, links resolved.
    root: PathBuf,
    /// Of the tools that there are, those that this one may use.
    allowed: Vec<&'static Tool>,
    deadline: Instant,
    cancel: CancelToken,
}

struct Tool {
    name: &'static str,
    description: &'static str,
    parameters: &'static str,
    call: fn(&Tools, &str) -> Result<String, String>,
}

static TOOLS: [Tool; 3] = [
    Tool { name: "read", description: read::DESCRIPTION, parameters: read::PARAMETERS, call: read::call },
    Tool { name: "glob", description: glob::DESCRIPTION, parameters: glob::PARAMETERS, call: glob::call },
    Tool { name: "grep", description: grep::DESCRIPTION, parameters: grep::PARAMETERS, call: grep::call },
];

impl Tools {
    pub(super) fn new(task: &SubagentTask) -> Result<Self, String> {
        let root = &task.project_dir;
        let root = root.canonicalize().map_err(|error| format!("the project {}: {error}", root.display()))?;
        let allowed = TOOLS.iter().filter(|tool| task.tools.iter().any(|name| name == tool.name)).collect();
        Ok(Self { root, allowed, deadline: task.deadline, cancel: task.cancel.clone() })
    }

    /// What the model is told of them.
    pub(super) fn descriptions(&self) -> Vec<LlmTool> {
        self.allowed.iter().map(|tool| LlmTool::new(tool.name, tool.description, tool.parameters)).collect()
    }

    /// What a call gives: the result, or what is wrong, for the model to read.
    pub(super) fn call(&self, name: &str, arguments: &str) -> String {
        let Some(tool) = self.allowed.iter().find(|tool| tool.name == name) else {
            return format!("error: there is no tool `{name}`");
        };
        let mut result = (tool.call)(self, arguments).unwrap_or_else(|error| format!("error: {error}"));
        if result.len() > RESULT_LIMIT {
            let end = (0..=RESULT_LIMIT).rev().find(|at| result.is_char_boundary(*at)).unwrap_or_default();
            result.truncate(end);
            result.push_str("\n[cut off here: ask for less]");
        }
        result
    }

    /// A file or directory of the project, links resolved. What lies outside is refused, whether it exists or not.
    fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || format!("{path}: outside of the project");
        let joined = self.root.join(path);
        match joined.canonicalize() {
            Ok(resolved) if resolved.starts_with(&self.root) => Ok(resolved),
            Ok(_) => Err(outside()),
            Err(error) => {
                let climbs = Path::new(path).components().any(|part| part == std::path::Component::ParentDir);
                if climbs || !joined.starts_with(&self.root) { Err(outside()) } else { Err(format!("{path}: {error}")) }
            }
        }
    }

    /// Opens a file of the project. Only a regular one: others may block, or do something when they are opened.
    fn open(&self, resolved: &Path) -> Result<File, String> {
        let name = self.name(resolved);
        let metadata = resolved.symlink_metadata().map_err(|error| format!("{name}: {error}"))?;
        if !metadata.is_file() {
            return Err(format!("{name}: not a file"));
        }
        File::open(resolved).map_err(|error| format!("{name}: {error}"))
    }

    /// A path as the model knows it: from the project's directory, with slashes.
    fn name(&self, resolved: &Path) -> String {
        let relative = resolved.strip_prefix(&self.root).unwrap_or(resolved).to_string_lossy();
        if cfg!(windows) { relative.replace('\\', "/") } else { relative.into_owned() }
    }

    /// Does anybody still wait for the answer?
    fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }
}

/// Reads a call's arguments.
fn arguments<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(if text.trim().is_empty() { "{}" } else { text })
        .map_err(|error| format!("the arguments are wrong: {error}"))
}
