//! Agents' dialects of the hook contract: one directory for each agent, behind [`Contract`].

mod claude;
pub(crate) mod codex;
mod contract;
pub(crate) mod copilot;
mod cursor;
mod gemini;
mod guess;
mod http;
mod native;
mod payload;
mod places;
mod qwen;
mod render;
mod tools;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

pub use self::claude::Refusal;
pub use self::contract::{Contract, Exit, ExitMeaning, Shape, SyntaxErrorMeaning};
pub use self::guess::Guess;
pub use self::guess::guess;
use self::places::{Places, is_there};
pub use self::tools::{
    any_known, current_name, is_known as is_known_tool, name_instead, names as tool_names, own_tool_name,
};
use crate::agent::{Agent, any_event};
use crate::config::{FoundFile, discover_files, discover_user_files, keep_highest_origin};
use crate::event_kind::{EventKind, UnknownEvent};
use crate::nearest::nearest;

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

    /// What its agent is called: `Claude Code`.
    pub fn agent(self) -> &'static str {
        self.contract().name()
    }

    /// Its rules in a few words: pairs of what they are about and what they say.
    pub fn summary(self) -> &'static [(&'static str, &'static str)] {
        self.contract().summary()
    }

    /// Its agent.
    pub fn rules(self) -> &'static dyn Agent {
        self.contract()
    }

    /// All of its rules.
    pub fn contract(self) -> &'static dyn Contract {
        match self {
            Self::Native => &native::Native,
            Self::Claude => &claude::Claude,
            Self::Codex => &codex::Codex,
            Self::Gemini => &gemini::Gemini,
            Self::Cursor => &cursor::Cursor,
            Self::Copilot => &copilot::Copilot,
            Self::Qwen => &qwen::Qwen,
        }
    }

    /// An event by its name in this dialect, in any case: the name as the dialect writes it, and ours.
    ///
    /// ```
    /// use hookshell_agents::{Dialect, EventKind};
    ///
    /// assert_eq!(Dialect::Gemini.event("beforetool"), Some(("BeforeTool", EventKind::PreToolUse)));
    /// assert_eq!(Dialect::Gemini.event("PreToolUse"), None);
    /// ```
    pub fn event(self, name: &str) -> Option<(&'static str, EventKind)> {
        self.rules().event(name)
    }

    /// An event by the name that any agent has for it: ours, and the agent's own name where the text is exactly that.
    ///
    /// ```
    /// use hookshell_agents::{Dialect, EventKind};
    ///
    /// assert_eq!(Dialect::any_event("BeforeTool"), Ok((EventKind::PreToolUse, Some("BeforeTool"))));
    /// assert_eq!(Dialect::any_event("pre_tool_use"), Ok((EventKind::PreToolUse, None)));
    /// ```
    ///
    /// # Errors
    /// No agent has such an event.
    pub fn any_event(name: &str) -> Result<(EventKind, Option<&'static str>), UnknownEvent> {
        any_event(name, &AGENTS)
    }

    /// The name of an event of ours in this dialect; our own where the dialect has none.
    pub fn event_name(self, event: EventKind) -> &'static str {
        self.rules().event_name(event)
    }

    /// The known event whose name is nearest, or which another agent calls so.
    pub fn nearest_event(self, name: &str) -> Option<&'static str> {
        let events = self.contract().events();
        nearest(name, events.iter().map(|(own, _)| *own)).or_else(|| {
            let event = match Self::any_event(name) {
                Ok((event, _)) => event,
                Err(unknown) => unknown.nearest?.parse().ok()?,
            };
            events.iter().find(|(_, ours)| *ours == event).map(|(own, _)| *own)
        })
    }

    /// The agent's config files that exist, in the order in which they are read: what is read later takes precedence.
    /// Nothing of the process's own environment is read: `env` gives the value of a variable.
    ///
    /// | dialect | files |
    /// | --- | --- |
    /// | Claude Code | plugins' `hooks/hooks.json`, `~/.claude/settings.json`, `.claude/settings.json`, `.claude/settings.local.json`, the managed settings |
    /// | Codex | `hooks.json` and `config.toml` in `~/.codex` and in `.codex` |
    /// | Gemini CLI | `~/.gemini/settings.json`, `.gemini/settings.json`, the system's `settings.json` |
    /// | Cursor | `~/.cursor/hooks.json`, `.cursor/hooks.json`, the enterprise's `hooks.json` |
    /// | Copilot CLI | `~/.copilot/hooks/**/*.json`, `~/.copilot/settings.json`, `.github/hooks/**/*.json`, `settings.json` and `settings.local.json` in `.claude` and `.github/copilot` |
    /// | Qwen Code | extensions' `hooks/hooks.json`, the system's `system-defaults.json`, `~/.qwen/settings.json`, `.qwen/settings.json`, the system's `settings.json` |
    ///
    /// For [`Dialect::Native`] they are those of [`discover`](crate::discover)`("crush", …)`.
    pub fn discover(self, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
        if self == Self::Native {
            return discover_files("crush", project_dir, env);
        }
        self.find(&Places::new(Some(project_dir), &env))
    }

    /// Those of them that are the user's or an administrator's: nothing of a project is looked at, so that what it holds
    /// takes no time.
    pub fn discover_own(self, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
        if self == Self::Native {
            return discover_user_files("crush", env);
        }
        self.find(&Places::new(None, &env))
    }

    /// The project's directory as the agent tells it in a variable, where it does: `CLAUDE_PROJECT_DIR`, which stays the same
    /// after a `cd` of the agent. An empty or relative one is not set.
    pub fn project_dir(self, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        env(self.contract().project_variable()?).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Does the agent tell the project's directory in a variable ([`Dialect::project_dir`])?
    pub fn tells_project(self) -> bool {
        self.contract().project_variable().is_some()
    }

    /// May a project have config files of the agent's, or hook files? It is only looked whether something has the name of
    /// their directories.
    pub fn may_have_project_files(self, project_dir: &Path) -> bool {
        let places = self.contract().project_places().iter().chain([&".hookshell"]);
        places.into_iter().any(|place| project_dir.join(place).symlink_metadata().is_ok())
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

    fn find(self, places: &Places<'_>) -> Vec<FoundFile> {
        let mut files = self.contract().config_files(places);
        files.retain(|file| is_there(&file.path));
        // The hooks that `hookshell install` has moved stand where they stood.
        let sides = |file: FoundFile| {
            let side = FoundFile::new(Self::side_file(&file.path), file.origin);
            std::iter::once(file).chain(Some(side).filter(|side| side.path.is_file()))
        };
        let files: Vec<FoundFile> = files.into_iter().flat_map(sides).collect();
        keep_highest_origin(files)
    }
}

/// All agents' rules, in the order of [`Dialect::ALL`].
pub static AGENTS: [&dyn Agent; 7] =
    [&native::Native, &claude::Claude, &codex::Codex, &gemini::Gemini, &cursor::Cursor, &copilot::Copilot, &qwen::Qwen];

impl From<Dialect> for &'static dyn Agent {
    /// The agent whose dialect it is.
    fn from(dialect: Dialect) -> Self {
        dialect.rules()
    }
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
