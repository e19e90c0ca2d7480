//! The names of agents' dialects, and what is the same in all of them. What they say is in [`registry`](crate::registry).

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// By whose rules a hook's config is read and the hook is run: payload, variables, exit codes, output, timeouts.
///
/// ```
/// use hookshell_agents::Dialect;
///
/// assert_eq!("claude".parse(), Ok(Dialect::Claude));
/// assert_eq!("crush".parse(), Ok(Dialect::Native));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// The native contract, which is Crush's.
    #[default]
    Native,
    /// Claude Code's.
    Claude,
    /// Codex's.
    Codex,
    /// Gemini CLI's.
    Gemini,
    /// Cursor's.
    Cursor,
    /// Copilot CLI's.
    Copilot,
    /// Qwen Code's.
    Qwen,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 7] =
        [Self::Native, Self::Claude, Self::Codex, Self::Gemini, Self::Cursor, Self::Copilot, Self::Qwen];

    /// Is it the one that holds where no agent is named?
    pub fn is_default(self) -> bool {
        self == Self::default()
    }

    /// Its word on a command line: `native`, `claude`, `codex`, `gemini`, `cursor`, `copilot` or `qwen`. (`crush` is read
    /// as `native`.)
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Qwen => "qwen",
        }
    }

    /// The side file of a config: where `hookshell install` moves the hooks of a config in which the agent then has one line for
    /// each event. It is in the directory [`Dialect::SIDE_DIRECTORY`] of the agent's own directory, where no agent looks for hooks.
    pub fn side_file(config: &Path) -> PathBuf {
        // Copilot CLI reads all files below its `hooks`.
        const DEEPEST: usize = 4;
        let directory = config.parent().unwrap_or(Path::new(""));
        let names = || directory.iter().rev().take(DEEPEST);
        let depth = names().position(|name| name == "hooks").map_or(0, |depth| depth + 1);
        let base = directory.ancestors().nth(depth).unwrap_or(directory);
        let mut parts: Vec<_> = names().take(depth).map(|part| part.to_string_lossy()).collect();
        parts.reverse();
        parts.push(config.file_stem().unwrap_or_default().to_string_lossy());
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = parts.join("-").replace(|letter| !is_plain(letter), "-");
        base.join(Self::SIDE_DIRECTORY).join(name + ".json")
    }

    /// The directory that a config stands in; of a side file the directory of the config whose hooks it has.
    pub fn config_directory(file: &Path) -> Option<PathBuf> {
        let directory = file.parent()?;
        if directory.file_name().is_none_or(|name| name != Self::SIDE_DIRECTORY) {
            return Some(directory.to_owned());
        }
        let mut base = directory.parent()?.to_owned();
        let stem = file.file_stem()?.to_string_lossy();
        let mut parts = stem.split('-').peekable();
        // `hooks-guard.json` is of `hooks/guard.json`.
        while let Some(part) = parts.next() {
            let below = base.join(part);
            if parts.peek().is_none() || !below.is_dir() {
                break;
            }
            base = below;
        }
        Some(base)
    }

    /// The directory of side files.
    pub const SIDE_DIRECTORY: &'static str = "hookshell";
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(word: &str) -> Result<Self, UnknownDialect> {
        match Self::ALL.into_iter().find(|dialect| dialect.as_str() == word) {
            Some(dialect) => Ok(dialect),
            None if word == "crush" => Ok(Self::Native),
            None => Err(UnknownDialect(word.to_owned())),
        }
    }
}

/// A word that is no dialect.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown dialect `{0}`: they are crush (or native), claude, codex, gemini, cursor, copilot and qwen")]
pub struct UnknownDialect(pub String);
