//! The hooks of an agent's config files.
//!
//! Only the key `hooks` is read; the others are the agent's. The text is JSON with comments and trailing commas; a byte
//! order mark is tolerated.
//!
//! The hooks of several files are taken in the order of the files, the user's first and the project's after it, as one
//! list. So the project takes precedence: where two hooks rewrite the same key of a tool's input, the later one in the
//! list wins. A deny of either holds.

mod budget;
mod codex_file;
mod copilot;
mod discover;
mod document;
mod error;
mod foreign;
mod hook_file;
mod kind;
mod kind_reader;
mod python_module;
mod reader;
mod toml;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{MissingShell, ShellScripts};

use self::budget::{Budget, Reached};
pub use self::budget::{FILE_BYTES, FILES};
pub use self::discover::{FoundFile, discover, discover_files, discover_user_files};
pub use self::discover::{absolute_variable, keep_highest_origin};
pub use self::document::{Document, json_options, kind};
pub use self::error::{ConfigError, Warning, WarningKind, why_unreadable};
pub use self::foreign::plugin_root;
pub use self::hook_file::{discover_hook_files, discover_user_hook_files};
pub use self::kind::{AgentHook, HookKind, HttpHook, InProcessHook, ModuleHook, PromptHook};
use crate::condition::Condition;
use crate::dialect::{Dialect, Guess};
use crate::encoding::to_utf8;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::http::HttpLimits;
use crate::matcher::Matcher;
pub use crate::origin::{Origin, Place};
use crate::read_file::{CONFIG_LIMIT, read_any, read_regular};
pub use crate::report::OnFailure;

/// How long a hook may run unless its config says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// One hook of a config.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookConfig {
    /// The event that it runs on.
    pub event: EventKind,
    /// What it is: a command, unless set.
    pub kind: HookKind,
    /// What messages call it; its command unless it has a name.
    pub name: Option<String>,
    /// The tools that it is for (or what [`Event::matched`](crate::Event::matched) says of other events).
    pub matcher: Matcher,
    /// Of the calls that match, those that it is for.
    pub condition: Option<Condition>,
    /// The command, as the config has it; with `args` the program. Empty unless the hook is a command.
    pub command: String,
    /// The command to run on Windows instead.
    pub command_windows: Option<String>,
    /// The program's arguments, each as it is given: no shell reads them. `None`: the command is shell code.
    pub args: Option<Vec<String>>,
    /// Variables that it gets beside the event's; they come last.
    pub env: Vec<(String, String)>,
    /// The directory that it runs in, relative to the event's; the event's unless set.
    pub cwd: Option<PathBuf>,
    /// Is it started and not waited for? What it says is not read. It is ended with the session.
    pub is_async: bool,
    /// Is its exit code 2 told the model, although it is not waited for?
    pub rewakes: bool,
    /// Is it run once in a session, the first time that it matches?
    pub once: bool,
    /// Does it run on what happens in sub-agents, too?
    pub include_sub_agents: bool,
    /// What a host may show while it runs.
    pub status_message: Option<String>,
    /// How long it may run.
    pub timeout: Duration,
    /// What its failure means.
    pub on_failure: OnFailure,
    /// Must every variable reach its programs exactly? Where one cannot (too large, a NUL) and the hook starts a program, the
    /// call is denied, since a guard that reads the variable would be bypassed. Shell code and bundled utilities see every
    /// variable. A hook that reads its standard input instead may say `false`: its programs go without the variable.
    pub require_env: bool,
    /// What is done about its scripts for a shell that is not there; `None`: what the runner's dispatcher does.
    pub missing_shell: Option<MissingShell>,
    /// The codes of findings that the runner's `Checker` leaves out for it.
    pub ignored_findings: Vec<String>,
    /// What runs its scripts for sh, bash, dash, ash or ksh; `None`: what the dispatcher was built with.
    pub shell_scripts: Option<ShellScripts>,
    /// By whose rules it is run.
    pub dialect: Dialect,
    /// The event's name in that dialect: `beforeShellExecution`.
    pub dialect_event_name: &'static str,
    /// The directory of the plugin that it is of.
    pub plugin_root: Option<PathBuf>,
    /// Do it and the others of the event run one after the other, each with the tool's input as those before have left it?
    pub sequential: bool,
    /// Who named the file that it stands in.
    pub origin: Origin,
    /// Where it stands.
    pub place: Option<Place>,
    /// Where its command's string stands, and how it is written there.
    pub command_text: Option<(Place, Arc<str>)>,
}

/// What keeps a hook from running on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch<'e> {
    /// It is for another event.
    Event,
    /// The event is of a sub-agent, and the hook is for the agent's own.
    SubAgent,
    /// Its agent has the event for calls of other tools only: `beforeShellExecution`.
    Calls,
    /// Its matcher matches none of these names.
    Matcher(Vec<Cow<'e, str>>),
    /// Its `if` does not hold.
    Condition,
}

impl HookConfig {
    /// A hook for every tool, with the default timeout.
    pub fn new(event: EventKind, command: impl Into<String>) -> Self {
        Self {
            event,
            kind: HookKind::Command,
            name: None,
            matcher: Matcher::default(),
            condition: None,
            command: command.into(),
            command_windows: None,
            args: None,
            env: Vec::new(),
            cwd: None,
            is_async: false,
            rewakes: false,
            once: false,
            include_sub_agents: false,
            status_message: None,
            timeout: DEFAULT_TIMEOUT,
            on_failure: OnFailure::Ignore,
            require_env: true,
            missing_shell: None,
            ignored_findings: Vec::new(),
            shell_scripts: None,
            dialect: Dialect::Native,
            dialect_event_name: event.as_str(),
            plugin_root: None,
            sequential: false,
            origin: Origin::Given,
            place: None,
            command_text: None,
        }
    }

    /// Does it run on this event?
    pub fn is_for(&self, event: &Event) -> bool {
        self.mismatch(event).is_none()
    }

    /// What keeps it from running on this event; `None`: it runs.
    pub fn mismatch<'e>(&self, event: &'e Event) -> Option<Mismatch<'e>> {
        if self.event != event.name() {
            return Some(Mismatch::Event);
        }
        if !self.include_sub_agents && event.is_sub_agent() {
            return Some(Mismatch::SubAgent);
        }
        if self.dialect == Dialect::Native {
            if let Some(matched) = event.matched().filter(|matched| !self.matcher.matches(matched)) {
                return Some(Mismatch::Matcher(vec![matched.into()]));
            }
            let holds = self.condition.as_ref().is_none_or(|condition| condition.holds(event));
            return (!holds).then_some(Mismatch::Condition);
        }
        let contract = self.dialect.contract();
        if !contract.is_about(self.dialect_event_name, event) {
            return Some(Mismatch::Calls);
        }
        let names = contract.subjects(self.dialect_event_name, event);
        if let Some(names) = names.filter(|names| !self.matcher.is_for(event, names)) {
            return Some(Mismatch::Matcher(names));
        }
        let holds = self.condition.as_ref().is_none_or(|condition| match event.tool_name() {
            Some(tool) => condition.holds_by(event, &crate::dialect::tool_names(tool, self.dialect)),
            None => !condition.needs_tool(),
        });
        (!holds).then_some(Mismatch::Condition)
    }

    /// The command of this system: on Windows `command_windows`, where there is one.
    pub fn own_command(&self) -> &str {
        match &self.command_windows {
            Some(command) if cfg!(windows) => command,
            _ => &self.command,
        }
    }

    /// The command line as it is run on this system: shell code, or the program and its arguments quoted so that the shell
    /// takes each as it is.
    pub fn command_line(&self) -> String {
        let command = self.own_command();
        match &self.args {
            None => command.to_owned(),
            // In quotes it is neither a keyword (`if`) nor an assignment (`A=b`).
            Some(args) if !command.contains('\'') => {
                let quoted = format!("'{command}'");
                args.iter().fold(quoted, |line, arg| line + " " + &shell_words::quote(arg))
            }
            Some(args) => shell_words::join(std::iter::once(command).chain(args.iter().map(String::as_str))),
        }
    }

    /// The directory that it runs in: its own, or else the event's. Cursor runs the hooks of a project in the project, and
    /// those of its other files in the file's directory.
    pub fn directory(&self, cwd: &Path, project_dir: &Path) -> PathBuf {
        if let Some(own) = &self.cwd {
            return cwd.join(own);
        }
        // What Codex says of a call has the call's directory, and its hooks run in the session's. Claude Code runs its hooks where it was
        // started, where its working directory is gone.
        if self.dialect == Dialect::Codex || self.dialect == Dialect::Claude && !cwd.is_dir() {
            return project_dir.to_owned();
        }
        let file = self.place.as_ref().filter(|_| self.dialect == Dialect::Cursor);
        let file = file.and_then(|place| std::path::absolute(&place.file).ok());
        match file.as_deref().and_then(Dialect::config_directory).as_deref() {
            // Whose a file is does not depend on where the agent works: that may be the user's home directory.
            Some(folder) if matches!(self.origin, Origin::User | Origin::Managed) => folder.to_owned(),
            Some(folder) if folder.parent() == Some(project_dir) => project_dir.to_owned(),
            Some(folder) if folder.file_name().is_some_and(|name| name == ".cursor") => folder.to_owned(),
            _ => cwd.to_owned(),
        }
    }

    /// A hook for every tool that is no command, with the default timeout.
    pub fn of_kind(event: EventKind, kind: HookKind) -> Self {
        Self { timeout: kind.default_timeout(), kind, ..Self::new(event, "") }
    }

    /// Its name, or else the first line of its command (of its prompt, its module's path), shortened.
    pub fn display_name(&self) -> String {
        const CHARS: usize = 60;
        if let Some(name) = &self.name {
            return name.clone();
        }
        let text = self.kind.text();
        let command = if self.command.is_empty() { &*text } else { self.own_command() };
        let command = command.trim();
        let mut name: String = command.lines().next().unwrap_or_default().chars().take(CHARS).collect();
        if name.len() < command.len() {
            name.push('…');
        }
        name
    }
}

/// The hooks of one or more config files, in order.
///
/// ```
/// use hookshell_agents::Config;
///
/// let config = Config::parse(r#"{ "hooks": { "PreToolUse": [{ "command": "./check.sh" }] } }"#, "crush.json")?;
/// assert_eq!(config.hooks()[0].command, "./check.sh");
/// # Ok::<(), hookshell_agents::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Config {
    hooks: Vec<HookConfig>,
    warnings: Vec<Warning>,
    dialect: Option<Dialect>,
    sources: Vec<ConfigSource>,
    /// The codes of findings that files leave out for all that is in them.
    ignored_findings: Vec<String>,
    /// Has the last file that was read switched hooks off?
    is_switched_off: bool,
    /// Whose files switch hooks off: their own, and those of lower origins.
    off: Vec<(Dialect, Origin)>,
    /// What files allow hooks of the type `http`, and whose they are.
    http: Vec<(Dialect, Origin, HttpLimits)>,
    /// Does a file that is not the project's ask for a denial where a hook fails?
    fail_closed: bool,
    /// Whose the file is that is read.
    origin: Origin,
    /// What was read of the project.
    budget: Budget,
    /// How many warnings of the project's are not kept.
    warnings_left_out: usize,
}

/// A config file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigSource {
    /// The file, as it was named.
    pub file: PathBuf,
    /// The dialect that it was read in.
    pub dialect: Dialect,
    /// Why in that.
    pub why: Guess,
}

impl Config {
    /// One without hooks, to which files are added that are all read in this dialect. Without one each file's is guessed: by
    /// its path (`.claude/settings.json`), else by how its hooks stand in it.
    ///
    /// ```
    /// use hookshell_agents::{Config, Dialect};
    ///
    /// let mut config = Config::in_dialect(Some(Dialect::Gemini));
    /// let errors = config.add(
    ///     r#"{ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": "./check.sh", "timeout": 500 }] }] } }"#,
    ///     "settings.json",
    /// );
    /// assert!(errors.is_empty());
    /// assert_eq!(config.hooks()[0].timeout.as_millis(), 500);
    /// ```
    pub fn in_dialect(dialect: Option<Dialect>) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// Reads a config from its text. `file` is what messages call it.
    ///
    /// # Errors
    /// The first thing that is wrong: not JSON, a wrong type, a bad regular expression.
    pub fn parse(text: &str, file: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        match config.add(text, file).into_iter().next() {
            None => Ok(config),
            Some(error) => Err(error),
        }
    }

    /// Reads config files, the user's before the project's.
    ///
    /// # Errors
    /// A file cannot be read, or the first thing that is wrong in one.
    pub fn load<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        for file in files {
            if let Some(error) = config.add_file(file).into_iter().next() {
                return Err(error);
            }
        }
        Ok(config)
    }

    /// Adds the hooks of a config text, and gives everything that is wrong with it. What is wrong is left out.
    pub fn add(&mut self, text: &str, file: impl AsRef<Path>) -> Vec<ConfigError> {
        reader::read(text, file.as_ref(), self)
    }

    /// Adds the hooks of a config file, and gives everything that is wrong with it. What is wrong is left out.
    ///
    /// More than 16 MiB are not read.
    pub fn add_file(&mut self, file: impl AsRef<Path>) -> Vec<ConfigError> {
        let file = file.as_ref();
        self.add_bytes(file, read_any(file, CONFIG_LIMIT))
    }

    fn add_bytes(&mut self, file: &Path, bytes: std::io::Result<Vec<u8>>) -> Vec<ConfigError> {
        let read = |source| ConfigError::Read { file: file.to_owned(), source };
        match bytes {
            Err(source) => vec![read(source)],
            // Windows PowerShell's `>` writes UTF-16.
            Ok(bytes) => match std::str::from_utf8(&to_utf8(&bytes)) {
                Err(error) => {
                    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                    let message = format!("line {line} is not UTF-8 text: save the file as UTF-8");
                    vec![read(std::io::Error::new(std::io::ErrorKind::InvalidData, message))]
                }
                Ok(text) => self.add(text, file),
            },
        }
    }

    /// Adds the hooks of a config file that was found and not named ([`Origin::Given`]: named after all), as [`Config::add_file`] does. Where it is one of
    /// several files of settings (Claude Code's, Gemini CLI's) and switches hooks off, those of the others do not run
    /// either, as far as it may say so ([`Origin::may_change`]): the user's file speaks for the project's too, and the project's
    /// for its own alone. What an administrator manages is switched off by an administrator only.
    ///
    /// Of a project's files only so much is read: 256 files of 1 MiB each and 4 MiB in all, 1000 hooks, and 32 matchers that are
    /// no plain names. What is beyond is an error, and is left out.
    pub fn add_found(&mut self, file: &FoundFile) -> Vec<ConfigError> {
        let before = self.hooks.len();
        self.is_switched_off = false;
        self.origin = file.origin;
        let errors = match self.read_found(file) {
            Ok(bytes) => self.add_bytes(&file.path, bytes),
            Err(reached) => reached.into_iter().map(|reached| reached.error(&file.path, None)).collect(),
        };
        self.origin = Origin::Given;
        for hook in self.hooks.iter_mut().skip(before) {
            hook.origin = file.origin;
        }
        let dialect = self.sources.last().filter(|source| source.file == file.path).map(|source| source.dialect);
        if let Some(dialect @ (Dialect::Claude | Dialect::Gemini | Dialect::Copilot | Dialect::Qwen)) =
            dialect.filter(|_| self.is_switched_off)
        {
            self.off.push((dialect, file.origin));
        }
        self.drop_switched_off();
        errors
    }

    /// A file's bytes, or the limit on a project's files that it is beyond.
    fn read_found(&mut self, file: &FoundFile) -> Result<std::io::Result<Vec<u8>>, Option<Reached>> {
        match file.origin {
            // Who names a file may mean a pipe.
            Origin::Given => Ok(read_any(&file.path, CONFIG_LIMIT)),
            Origin::User | Origin::Managed => Ok(read_regular(&file.path, CONFIG_LIMIT)),
            // A project's; and of what comes to be else no more is trusted.
            _ => {
                self.budget.file()?;
                let bytes = read_regular(&file.path, FILE_BYTES);
                self.budget.bytes(bytes.as_ref().map_or(0, Vec::len))?;
                Ok(bytes)
            }
        }
    }

    fn drop_switched_off(&mut self) {
        if self.off.is_empty() {
            return;
        }
        let off = &self.off;
        self.hooks.retain(|hook| {
            !off.iter().any(|(dialect, origin)| {
                // What is named for this run is only switched off by what is.
                let is_meant = hook.origin != Origin::Given || *dialect == Dialect::Claude && *origin == Origin::Given;
                *dialect == hook.dialect && is_meant && origin.may_change(hook.origin)
            })
        });
    }

    /// An empty config for the project's files alone, which are read after this one's: in the same dialect, and hooks that
    /// these files have switched off are switched off there too.
    #[must_use]
    pub fn for_project(&self) -> Self {
        Self { dialect: self.dialect, off: self.off.clone(), http: self.http.clone(), ..Self::default() }
    }

    /// What settings allow the hooks of the type `http` of this origin. What files of one rank allow is put together, as Claude Code
    /// does; a project's file neither takes from the user's hooks nor gives to its own what the user's files do not.
    pub fn http_limits(&self, dialect: Dialect, origin: Origin) -> HttpLimits {
        let mut limits = HttpLimits::default();
        let of = |is_project: bool| {
            let known = self.http.iter().filter(move |(other, ..)| *other == dialect);
            known.filter(move |(_, whose, _)| (*whose == Origin::Project) == is_project).map(|(_, _, limits)| limits)
        };
        of(false).for_each(|other| limits.join(other));
        if origin == Origin::Project {
            let mut own = HttpLimits::default();
            of(true).for_each(|other| own.join(other));
            limits.urls = limits.urls.or(own.urls);
            limits.variables = limits.variables.or(own.variables);
        }
        limits
    }

    /// Adds a hook at the end.
    pub fn push(&mut self, hook: HookConfig) {
        self.hooks.push(hook);
    }

    /// Adds the hooks and warnings of another config at the end.
    pub fn append(&mut self, other: Self) {
        self.fail_closed |= other.fail_closed;
        self.off.extend(other.off);
        self.http.extend(other.http);
        self.warnings_left_out += other.warnings_left_out;
        self.hooks.extend(other.hooks);
        self.warnings.extend(other.warnings);
        self.sources.extend(other.sources);
    }

    /// The hooks, in order.
    pub fn hooks(&self) -> &[HookConfig] {
        &self.hooks
    }

    /// Takes out the hooks of which `keep` says no.
    pub fn retain_hooks(&mut self, keep: impl FnMut(&HookConfig) -> bool) {
        self.hooks.retain(keep);
    }

    /// Does a file of the user's or an administrator's say `"fail_closed": true`: `hookshell run` denies a call where a hook could not
    /// do its work?
    pub fn is_fail_closed(&self) -> bool {
        self.fail_closed
    }

    /// The files that were read, and in which dialects.
    pub fn sources(&self) -> &[ConfigSource] {
        &self.sources
    }

    /// How many warnings about a project's files are not among [`Config::warnings`], because there are too many.
    pub fn warnings_left_out(&self) -> usize {
        self.warnings_left_out
    }

    /// The codes of findings that the key `ignore_findings` of a whole file names.
    pub fn ignored_findings(&self) -> &[String] {
        &self.ignored_findings
    }

    /// What is odd and was passed over: unknown keys and events, things that are not supported yet.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
