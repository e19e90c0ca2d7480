//! The agents that can be wired, and how each of them is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use hookshell_agents::Dialect;
use hookshell_contract::Origin;
use thiserror::Error;

use crate::exec_form;
use crate::machine::{Machine, Program};

/// An agent whose hooks can run through hookshell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// Copilot CLI.
    Copilot,
    /// Crush.
    Crush,
    /// Qwen Code.
    Qwen,
    /// opencode.
    Opencode,
    /// pi.
    Pi,
}

/// A word that is no agent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown agent `{0}`: they are claude, codex, gemini, cursor, copilot, crush, qwen, opencode and pi")]
pub struct UnknownAgent(pub String);

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(word: &str) -> Result<Self, UnknownAgent> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == word).ok_or_else(|| UnknownAgent(word.to_owned()))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the hooks of an agent reach hookshell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Each hook for itself.
    Each(exec_form::Form),
    /// One line for each event, and a side file.
    Line,
    /// A plugin that we write.
    Plugin,
}

/// A config file of an agent.
#[derive(Debug, Clone)]
pub(crate) struct ConfigFile {
    pub(crate) agent: Agent,
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
    /// Is it of a plugin? Nothing is changed there.
    pub(crate) is_plugins: bool,
}

impl Agent {
    /// All agents.
    pub const ALL: [Self; 9] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::Copilot,
        Self::Crush,
        Self::Qwen,
        Self::Opencode,
        Self::Pi,
    ];

    /// Its word on a command line, which is also what its program is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Crush => "crush",
            Self::Qwen => "qwen",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            other => other.dialect().map_or("", Dialect::agent),
        }
    }

    /// By whose rules its hooks are read; `None`: it has no hooks but plugins.
    pub fn dialect(self) -> Option<Dialect> {
        Some(match self {
            Self::Claude => Dialect::Claude,
            Self::Codex => Dialect::Codex,
            Self::Gemini => Dialect::Gemini,
            Self::Cursor => Dialect::Cursor,
            Self::Copilot => Dialect::Copilot,
            Self::Crush => Dialect::Native,
            Self::Qwen => Dialect::Qwen,
            Self::Opencode | Self::Pi => return None,
        })
    }

    /// The names of its programs, one of which is looked for on PATH.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Cursor => &["cursor-agent", "cursor"],
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Copilot => &["copilot"],
            Self::Crush => &["crush"],
            Self::Qwen => &["qwen"],
            Self::Opencode => &["opencode"],
            Self::Pi => &["pi"],
        }
    }

    pub(crate) fn way(self) -> Way {
        match self {
            Self::Claude => Way::Each(exec_form::Form::Arguments),
            Self::Crush => Way::Each(exec_form::Form::Quoted),
            Self::Opencode | Self::Pi => Way::Plugin,
            _ => Way::Line,
        }
    }

    /// The version from which on it knows what is written into its config. Sources: Claude Code's changelog for `args` of a hook;
    /// of the others the first releases with hooks.
    pub(crate) fn oldest(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("2.1.139"),
            _ => None,
        }
    }

    /// The config files of the agent that exist, or that something else keeps from existing.
    pub(crate) fn configs(self, machine: &Machine) -> Vec<ConfigFile> {
        let Some(dialect) = self.dialect() else { return Vec::new() };
        let found = match machine.project() {
            Some(project) => dialect.discover(project, |name| machine.variable(name)),
            None => dialect.discover_own(|name| machine.variable(name)),
        };
        let of_side =
            |path: &Path| path.parent().and_then(Path::file_name).is_some_and(|name| name == Dialect::SIDE_DIRECTORY);
        found
            .into_iter()
            .filter(|file| !of_side(&file.path))
            // Claude Code's own settings are Claude Code's, whoever else reads them.
            .filter(|file| self != Self::Copilot || !has_component(&file.path, ".claude"))
            .map(|file| ConfigFile {
                agent: self,
                is_plugins: self.is_plugins(&file.path),
                path: file.path,
                origin: file.origin,
            })
            .collect()
    }

    /// Does a config file of the agent belong to a plugin or an extension of it?
    fn is_plugins(self, path: &Path) -> bool {
        match self {
            Self::Claude | Self::Qwen => !path.file_name().is_some_and(|name| {
                name.to_str().is_some_and(|name| name.contains("settings") || name.starts_with("system-defaults"))
            }),
            _ => false,
        }
    }
}

impl Machine {
    /// The agent's program on PATH, and its version, which it is asked for.
    pub fn program(&self, agent: Agent) -> Option<Program> {
        let path = self.find(agent)?;
        let version = self.version(&path);
        Some(Program { path, version })
    }

    /// Where the agent's program is.
    pub(crate) fn find(&self, agent: Agent) -> Option<PathBuf> {
        self.find_program(agent.programs())
    }
}

fn has_component(path: &Path, name: &str) -> bool {
    path.components().any(|component| component.as_os_str() == name)
}
