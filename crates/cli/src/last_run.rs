//! Which line of the log is the last of a hook that `status` lists.

use std::path::{Path, PathBuf};

use hookshell_install::{Agent, AgentStatus, ConfigStatus, Listed};
use hookshell_runner::{Dialect, LogEntry, Origin};

/// A hook as `status` finds it.
pub(crate) struct Installed<'s> {
    pub(crate) agent: Agent,
    pub(crate) config: &'s ConfigStatus,
    pub(crate) hook: &'s Listed,
}

/// The log, and all hooks that it may be about.
pub(crate) struct LastRuns<'s> {
    log: Vec<LogEntry>,
    all: Vec<Installed<'s>>,
    project: Option<&'s Path>,
}

/// The last line of a hook.
#[derive(Clone, Copy)]
pub(crate) struct LastRun<'l> {
    pub(crate) entry: &'l LogEntry,
    /// Is it as much another hook's?
    pub(crate) is_shared: bool,
}

impl<'s> LastRuns<'s> {
    pub(crate) fn new(log: Vec<LogEntry>, found: &'s [AgentStatus], project: Option<&'s Path>) -> Self {
        let mut all = Vec::new();
        for status in found {
            for config in &status.configs {
                let hooks = config.hooks.iter().flatten();
                all.extend(hooks.map(|hook| Installed { agent: status.agent, config, hook }));
            }
        }
        Self { log, all, project }
    }

    /// The last line that may be the hook's.
    pub(crate) fn of(&self, hook: &Installed<'_>) -> Option<LastRun<'_>> {
        let entry = self.log.iter().rev().find(|entry| self.is_of(entry, hook))?;
        Some(LastRun { entry, is_shared: self.all.iter().filter(|other| self.is_of(entry, other)).count() > 1 })
    }

    /// Does everything that a line says hold for a hook? What `exec` logs has no config, and of Claude Code's no event; the lines of older
    /// versions have none, either.
    fn is_of(&self, entry: &LogEntry, of: &Installed<'_>) -> bool {
        has_command(entry, of.hook)
            && entry
                .agent
                .as_deref()
                .is_none_or(|agent| of.agent.dialect().is_some_and(|own| own.contract().name() == agent))
            && self.is_in(entry, of.config)
            && has_event(entry, of)
    }

    /// Is a line about the hooks of a config, or of the file that these were moved to?
    fn is_in(&self, entry: &LogEntry, config: &ConfigStatus) -> bool {
        let Some(file) = &entry.config else {
            // The project's are for what happens in the project.
            return match (config.origin, self.project) {
                (Origin::Project, Some(project)) => entry.cwd.is_empty() || is_below(Path::new(&entry.cwd), project),
                _ => true,
            };
        };
        // What was named by a relative path was named where the event is, as far as is known.
        let file = real(&Path::new(&entry.cwd).join(file));
        [Some(&config.path), config.side.as_ref()].into_iter().flatten().any(|path| real(path) == file)
    }
}

/// `exec` has the command as `install` writes it into `args`.
fn has_command(entry: &LogEntry, hook: &Listed) -> bool {
    let in_args = |command: &str| command.replace("${CLAUDE_PROJECT_DIR}", "${CLAUDE_PROJECT_DIR-}");
    let commands = std::iter::once(&hook.command).chain(&hook.other_commands).filter(|command| !command.is_empty());
    let mut commands = commands.flat_map(|command| [command.clone(), in_args(command)]);
    commands.any(|command| entry.has_command(&command))
}

/// Is a line about a hook's event, and its matcher where the line is one that would have it?
fn has_event(entry: &LogEntry, of: &Installed<'_>) -> bool {
    let dialect = of.agent.dialect().unwrap_or_default();
    // Our own contract has no names of its own.
    let own = dialect.event(&of.hook.event).map(|(_, event)| event);
    let event = own.or_else(|| Dialect::any_event(&of.hook.event).ok().map(|(event, _)| event));
    let Some(config_event) = &entry.config_event else {
        return entry.event.is_empty() || event.is_some_and(|event| event.as_str() == entry.event);
    };
    let matcher = of.hook.matcher.as_deref();
    *config_event == of.hook.event
        && match (entry.matcher.as_deref(), matcher, event) {
            // Everything is matched by several texts.
            (None, Some(matcher), Some(event)) => {
                dialect.contract().matcher(matcher, event).is_ok_and(|matcher| matcher.pattern().is_none())
            }
            (logged, matcher, _) => logged == matcher,
        }
}

fn is_below(path: &Path, directory: &Path) -> bool {
    path.starts_with(directory) || real(path).starts_with(real(directory))
}

/// The path, links followed, if there is something.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
