//! The project that a config is of, and what is said of the whole file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookshell_dispatch::Platform;

use super::finding::shown;
use super::{Checker, Finding, FindingCode, Severity};
use crate::config::Guess;
use crate::config::{Config, HookConfig};
use crate::dialect::Dialect;

/// Directories whose configs are copied elsewhere before an agent reads them.
const TEMPLATES: [&str; 13] = [
    "template",
    "templates",
    "example",
    "examples",
    "sample",
    "samples",
    "skeleton",
    "skeletons",
    "scaffold",
    "boilerplate",
    "fixtures",
    "testdata",
    "stubs",
];

/// Where the files of a hook may be if they are not where it runs.
pub(super) enum Elsewhere {
    /// Nowhere.
    Nowhere,
    /// In this directory: that of the project around the config's own.
    In(PathBuf),
    /// Where the config is copied to.
    Anywhere,
}

impl Elsewhere {
    /// May the file be there?
    pub(super) fn may_have(&self, file: &str) -> bool {
        match self {
            Self::Nowhere => false,
            Self::In(directory) => !file.is_empty() && directory.join(file).exists(),
            Self::Anywhere => true,
        }
    }
}

impl Checker {
    /// The directory that a hook's event is in, and the hook's project.
    pub(super) fn place_of_event(&self, hook: &HookConfig) -> (PathBuf, PathBuf) {
        let project = hook.place.as_ref().and_then(|place| self.project_of(&place.file));
        let cwd = project.clone().filter(|project| self.is_nested(project)).unwrap_or_else(|| self.cwd.clone());
        (cwd, project.unwrap_or_else(|| self.cwd.clone()))
    }

    /// Is it a project below the checker's directory?
    fn is_nested(&self, project: &Path) -> bool {
        project != self.cwd && project.starts_with(&self.cwd)
    }

    /// Where a hook's files may be if they are not where it runs.
    pub(super) fn elsewhere(&self, hook: &HookConfig) -> Elsewhere {
        let project = hook.place.as_ref().and_then(|place| self.project_of(&place.file));
        let Some(project) = project.filter(|project| self.is_nested(project)) else { return Elsewhere::Nowhere };
        let below = project.strip_prefix(&self.cwd).unwrap_or(&project);
        let is_template = |part: &OsStr| TEMPLATES.iter().any(|name| part.eq_ignore_ascii_case(name));
        match below.components().any(|part| is_template(part.as_os_str())) {
            true => Elsewhere::Anywhere,
            false => Elsewhere::In(self.cwd.clone()),
        }
    }

    /// The project that an agent's file in it is for: what its `.claude` stands in, or a `crush.json` below the checker's directory.
    /// Not the home directory, whose is the user's.
    pub(super) fn project_of(&self, file: &Path) -> Option<PathBuf> {
        if self.is_cwd_fixed {
            return None;
        }
        let file: PathBuf = std::path::absolute(file).ok()?.components().collect();
        let dir = Dialect::config_directory(&file)?;
        let is_place = |dialect: Dialect| dialect.contract().project_places().iter().any(|place| file.ends_with(place));
        let is_agents = dir.file_name()?.to_str()?.starts_with('.');
        if !is_agents && Dialect::ALL.into_iter().any(is_place) {
            return self.is_nested(&dir).then_some(dir);
        }
        let project = dir.parent()?;
        let home = Platform::HOST.variable(&self.env, "HOME").map(PathBuf::from);
        (is_agents && home.as_deref() != Some(project)).then(|| project.to_owned())
    }

    /// What is odd about a config as a whole. `is_right`: nothing else in it is.
    pub(super) fn of_whole(&self, file: &Path, config: &Config, text: &[u8], is_right: bool) -> Option<Finding> {
        let finding = |code, message: String| Finding {
            severity: Severity::Warning,
            code,
            file: shown(file),
            line: Some(1),
            column: Some(1),
            hook: None,
            message,
        };
        let is_config = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if config.hooks().is_empty() && is_config && is_right {
            let is_blank = text.trim_ascii().is_empty();
            let has_key = String::from_utf8_lossy(text).contains("\"hooks\"");
            let message = match (is_blank, has_key) {
                (true, _) => "the file is empty, so it has no hooks: { \"hooks\": { \"PreToolUse\": [ … ] } }",
                (_, true) => "the file has no hooks: `hooks` is empty",
                _ => return None,
            };
            return Some(finding(FindingCode::NoHooks, message.to_owned()));
        }
        let source = config.sources().first()?;
        if config.hooks().is_empty() || source.why != Guess::Path || self.is_read(file) {
            return None;
        }
        let dialect = source.dialect;
        let where_to = dialect.contract().place_in_project()?;
        let message = format!("{} never reads this file: move its hooks into {where_to}", dialect.agent());
        Some(finding(FindingCode::NeverRead, message))
    }

    /// Does an agent read the file where it lies? Of what lies in no agent's directory nobody knows.
    fn is_read(&self, file: &Path) -> bool {
        const DIRECTORIES: [&str; 7] = [".claude", ".codex", ".gemini", ".cursor", ".github", ".copilot", ".qwen"];
        let Ok(file) = std::path::absolute(file) else { return true };
        let file: PathBuf = file.components().collect();
        let is_agents =
            |directory: &&Path| directory.file_name().is_some_and(|name| DIRECTORIES.iter().any(|own| name == *own));
        // Below its own directory an agent has plugins, caches and worktrees, which have their own rules.
        let Some(directory) = file.ancestors().skip(1).take(2).find(is_agents) else { return true };
        let Some(project) = directory.parent() else { return true };
        let variable = |name: &str| Platform::HOST.variable(&self.env, name).map(Into::into);
        let found = Dialect::ALL.into_iter().flat_map(|dialect| dialect.discover(project, variable));
        let is_same = |path: &Path| {
            path == file || matches!((path.canonicalize(), file.canonicalize()), (Ok(one), Ok(other)) if one == other)
        };
        let is_side = file.parent().and_then(Path::file_name).is_some_and(|name| name == Dialect::SIDE_DIRECTORY);
        is_side || found.into_iter().any(|found| is_same(&found.path))
    }
}
