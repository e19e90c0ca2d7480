//! The hooks of an agent's config files.
//!
//! Only the key `hooks` is read; the others are the agent's. The text is JSON with comments and trailing commas; a byte
//! order mark is tolerated.
//!
//! The hooks of several files are taken in the order of the files, the user's first and the project's after it, as one
//! list. So the project takes precedence: where two hooks rewrite the same key of a tool's input, the later one in the
//! list wins. A deny of either holds.

mod budget;
mod contract;
mod discover;
mod document;
mod error;
mod exit;
mod foreign;
mod guess;
mod http_rules;
mod kind;
mod kind_reader;
mod places;
mod reader;
mod toml;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_shell::{MissingShell, ShellScripts};

pub(crate) use self::budget::FILE_BYTES;
pub use self::budget::FILES;
pub(crate) use self::budget::{Budget, Reached};
pub use self::contract::{
    AnswerRules, ConfigRules, Contract, FileRules, MatchRules, Refusal, Shape, StartRules, Strictness,
};
pub(crate) use self::discover::keep_highest_origin;
pub(crate) use self::discover::may_have_project_files;
pub(crate) use self::discover::user_dir;
pub use self::discover::{FoundFile, discover, discover_files, discover_user_files};
pub use self::discover::{absolute_variable, is_repository_root, local_app_data};
pub(crate) use self::document::first_member;
pub use self::document::{Document, json_options, kind};
pub use self::error::{ConfigError, Warning, WarningKind, why_unreadable};
pub use self::exit::{Exit, ExitMeaning, SyntaxErrorMeaning};
pub(crate) use self::foreign::ForeignKeys;
pub use self::foreign::plugin_root;
pub use self::guess::Guess;
pub use self::http_rules::{AddressRule, BodyMeaning, HttpRules};
pub use self::kind::{AgentHook, HookKind, HttpHook, InProcessHook, ModuleHook, PromptHook};
pub use self::places::{Places, not_a_directory_above};
pub(crate) use self::places::{
    directory_with, json_files_of_directories, keep_what_is_there, managed_file, project_file, unlisted, user_file,
    with_cause,
};
pub(crate) use self::reader::{Agents, Reader, is_comment, read};
use crate::condition::Condition;
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::http::HttpLimits;
use crate::matcher::Matcher;
pub use crate::origin::{Origin, Place};
pub use crate::outcome::OnFailure;

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
        let wired = self.exec_command();
        let command = match &wired {
            Some(command) => command,
            None if self.command.is_empty() => &*text,
            None => self.own_command(),
        };
        let command = command.trim();
        let line = command.lines().next().unwrap_or_default();
        let end = line.char_indices().nth(CHARS).map_or(line.len(), |(end, _)| end);
        let more = if end < command.len() { "…" } else { "" };
        [&line[..end], more].concat()
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
    pub(crate) hooks: Vec<HookConfig>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) sources: Vec<ConfigSource>,
    /// The codes of findings that files leave out for all that is in them.
    pub(crate) ignored_findings: Vec<String>,
    /// Has the last file that was read switched hooks off?
    pub(crate) is_switched_off: bool,
    /// Whose files switch hooks off: their own, and those of lower origins.
    pub(crate) off: Vec<(Dialect, Origin)>,
    /// The files and events of hooks that files switch off by their names: they are not among the hooks.
    pub(crate) disabled: Vec<(Arc<Path>, &'static str)>,
    /// What files allow hooks of the type `http`, and whose they are.
    pub(crate) http: Vec<(Dialect, Origin, HttpLimits)>,
    /// Does a file that is not the project's ask for a denial where a hook fails?
    pub(crate) fail_closed: bool,
    /// Whose the file is that is read.
    pub(crate) origin: Origin,
    /// What was read of the project.
    pub(crate) budget: Budget,
    /// How many warnings of the project's are not kept.
    pub(crate) warnings_left_out: usize,
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
        self.disabled.extend(other.disabled);
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

    /// The hooks that files switch off by their names (`hooksConfig.disabled`) and that are not among [these](Self::hooks): their files,
    /// and their events as the agent calls them.
    pub fn disabled(&self) -> &[(Arc<Path>, &'static str)] {
        &self.disabled
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
