//! What is trusted, as the file has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the file that is written.
///
/// 1: the text of a path is what it is shown as, and files have no `named`.
/// 2: the text of a path is `path_text`'s.
pub(super) const VERSION: u32 = 2;

/// The whole file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Records {
    pub(super) version: u32,
    /// By the project's directory, links followed.
    pub(super) projects: BTreeMap<String, Project>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Project {
    /// When: RFC 3339, UTC.
    pub(super) trusted: String,
    /// Hooks with unknowns do not run.
    #[serde(default)]
    pub(super) strict: bool,
    pub(super) hooks: Vec<HookRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HookRecord {
    pub(super) event: String,
    pub(super) command: String,
    /// The SHA-256 of the definition.
    pub(super) definition: String,
    pub(super) files: Vec<FileRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// The path by which it was named: one below the project's directory begins with `./`. Version 1 has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) named: Option<String>,
    /// Where it is, links followed.
    pub(super) path: String,
    pub(super) sha256: String,
}

/// A project whose hooks are trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TrustedProject {
    /// Its directory, as `hookshell trust --revoke` takes it: a path that is no Unicode is escaped (`escaped:/src/%FF`).
    pub project: String,
    /// When that was said: RFC 3339, UTC.
    pub trusted: String,
    /// Hooks that run what is only known when it runs are refused.
    pub strict: bool,
    /// The commands of its hooks, each with its event.
    pub hooks: Vec<(String, String)>,
    /// The files that they name.
    pub files: Vec<String>,
}

impl TrustedProject {
    pub(super) fn new(project: &str, record: &Project) -> Self {
        let files = record.hooks.iter().flat_map(|hook| &hook.files).map(|file| file.path.clone());
        let mut files: Vec<String> = files.collect();
        files.sort();
        files.dedup();
        Self {
            project: project.to_owned(),
            trusted: record.trusted.clone(),
            strict: record.strict,
            hooks: record.hooks.iter().map(|hook| (hook.event.clone(), hook.command.clone())).collect(),
            files,
        }
    }
}
