//! Which dialect is which agent's: the one place that knows all agents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent::{Agent, any_event};
use crate::claude::Claude;
use crate::codex::Codex;
use crate::config::{
    Contract, FoundFile, Places, discover_files, discover_user_files, keep_highest_origin, keep_what_is_there,
    may_have_project_files,
};
use crate::copilot::Copilot;
use crate::cursor::Cursor;
use crate::dialect::Dialect;
use crate::event_kind::{EventKind, UnknownEvent};
use crate::gemini::Gemini;
use crate::native::Native;
use crate::qwen::Qwen;

impl Dialect {
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
            Self::Native => &Native,
            Self::Claude => &Claude,
            Self::Codex => &Codex,
            Self::Gemini => &Gemini,
            Self::Cursor => &Cursor,
            Self::Copilot => &Copilot,
            Self::Qwen => &Qwen,
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

    /// May a command that is a hook of this agent say by its first line of output that it continues in the background?
    pub fn may_say_async(self) -> bool {
        self.contract().may_say_async()
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

    /// May config files of the agent's, or hook files, be found for a project, in its directory or where the agent looks above it? It is
    /// only looked whether something has their names. `env` gives the value of a variable.
    pub fn may_find_project_files(self, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> bool {
        self.may_have_project_files(project_dir)
            || self == Self::Native && may_have_project_files("crush", project_dir, env)
    }

    /// May a directory hold config files of the agent's, or hook files? It is only looked whether something has the name of
    /// their directories.
    pub fn may_have_project_files(self, project_dir: &Path) -> bool {
        let places = self.contract().project_places().iter().chain([&".hookshell"]);
        places.into_iter().any(|place| project_dir.join(place).symlink_metadata().is_ok())
    }

    fn find(self, places: &Places<'_>) -> Vec<FoundFile> {
        let mut files = self.contract().config_files(places);
        keep_what_is_there(&mut files);
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
pub static AGENTS: [&dyn Agent; 7] = [&Native, &Claude, &Codex, &Gemini, &Cursor, &Copilot, &Qwen];

impl From<Dialect> for &'static dyn Agent {
    /// The agent whose dialect it is.
    fn from(dialect: Dialect) -> Self {
        dialect.rules()
    }
}
