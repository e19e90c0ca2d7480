//! Reading configs, and the native shape: `hooks` → event → list of hooks.

mod problems;
mod values;

use std::path::{Path, PathBuf};

use hookshell_shell::{MissingShell, ShellScripts};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged};

use super::budget::{Budget, Spent};
use super::document::{Document, drop_nulls, first_member};
use super::foreign::ForeignKeys;
use super::kind_reader::has_key;
use super::{
    Config, ConfigError, ConfigSource, Contract, Guess, HookConfig, HookKind, OnFailure, Origin, Place, Refusal,
    WarningKind,
};
use crate::agent::{Agent, any_event};
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::nearest::nearest;

/// The keys of a hook that are acted on.
pub(crate) const KEYS: [&str; 18] = [
    "matcher",
    "command",
    "timeout",
    "name",
    "on_failure",
    "require_env",
    "env",
    "cwd",
    "command_windows",
    "args",
    "async",
    "once",
    "status_message",
    "if",
    "include_sub_agents",
    "missing_shell",
    "ignore_findings",
    "shell_scripts",
];

/// The keys of `hooks` that are not events: defaults for the hooks of the file.
const DEFAULTS: [&str; 6] =
    ["on_failure", "include_sub_agents", "missing_shell", "ignore_findings", "shell_scripts", "fail_closed"];

/// What reading asks of all agents. Who knows them gives it.
pub(crate) struct Agents {
    /// All of them.
    pub(crate) all: &'static [&'static dyn Agent],
    /// The rules of a dialect.
    pub(crate) contract: fn(Dialect) -> &'static dyn Contract,
    /// The dialect of a file.
    pub(crate) guess: GuessDialect,
}

/// Guesses a file's dialect by its path, the object that it is, and the object of its hooks.
type GuessDialect = fn(&Path, Option<&Object<'_>>, Option<&Object<'_>>) -> (Dialect, Guess);

/// Adds a config text's hooks and warnings to `config`; gives what is wrong with it.
pub(crate) fn read(text: &str, file: &Path, config: &mut Config, agents: &Agents) -> Vec<ConfigError> {
    let document = Document::new(text, file);
    let mut reader = Reader {
        document: &document,
        file,
        config,
        errors: Vec::new(),
        defaults: Defaults::default(),
        agents,
        dialect: Dialect::default(),
        agent: (agents.contract)(Dialect::default()),
        is_in_group: false,
        is_lost: false,
        is_own: false,
    };
    match document.parse() {
        Err(error) => {
            // Whose the file is may be known all the same.
            let (dialect, why) = reader.guessed(None, None);
            if (agents.contract)(dialect).owns_unreadable() {
                reader.config.sources.push(ConfigSource { file: file.to_owned(), dialect, why });
            }
            reader.errors.push(error);
        }
        // An empty file configures nothing.
        Ok(None) => {}
        Ok(Some(mut root)) => {
            let keeps_nulls = reader.config.dialect.is_none_or(|dialect| (agents.contract)(dialect).keeps_nulls());
            let whole = (keeps_nulls && text.contains("null")).then(|| root.clone());
            drop_nulls(&mut root);
            reader.root(&root, whole.as_ref());
        }
    }
    reader.errors
}

/// What reads a file.
pub struct Reader<'d, 't> {
    pub(crate) document: &'d Document<'t>,
    pub(crate) file: &'d Path,
    pub(crate) config: &'d mut Config,
    pub(crate) errors: Vec<ConfigError>,
    defaults: Defaults,
    agents: &'d Agents,
    pub(crate) dialect: Dialect,
    /// The rules of that.
    pub(crate) agent: &'static dyn Contract,
    /// Is it among the hooks of a group?
    pub(crate) is_in_group: bool,
    /// Is the hook or group that is read left out, because of a limit on the project's, or because its agent does not run it?
    pub(crate) is_lost: bool,
    /// Is what the agent would not run, for how it is written, run all the same? It is in files of the user's own and an
    /// administrator's, whose guards are not lost by a slip, and where only the file's shape says whose it is.
    pub(crate) is_own: bool,
}

/// What the hooks of a file have unless they say otherwise.
#[derive(Default)]
struct Defaults {
    on_failure: OnFailure,
    include_sub_agents: bool,
    missing_shell: Option<MissingShell>,
    shell_scripts: Option<ShellScripts>,
}

impl Reader<'_, '_> {
    fn root(&mut self, root: &Value<'_>, whole: Option<&Value<'_>>) {
        let Some(root) = self.object(root, "the config") else {
            return;
        };
        let hooks: Vec<_> = root.properties.iter().filter(|prop| prop.name.as_str() == "hooks").collect();
        let first = hooks.first().map(|hooks| &hooks.value);
        let (dialect, why) = self.guessed(Some(root), first.and_then(Value::as_object));
        self.dialect = dialect;
        self.agent = (self.agents.contract)(dialect);
        let last = hooks.last().filter(|_| self.agent.strictness().last_of_two);
        let events = last.map(|hooks| &hooks.value).or(first);
        let is_known = matches!(why, Guess::Told | Guess::Path);
        self.is_own = !is_known
            || dialect == Dialect::Native && why == Guess::Path
            || matches!(self.config.origin, Origin::User | Origin::Managed);
        self.config.sources.push(ConfigSource { file: self.file.to_owned(), dialect, why });
        let agent = self.agent;
        if agent.reads_file(self, whole.and_then(Value::as_object).unwrap_or(root)) {
            return;
        }
        // Of the agent's own keys nothing is looked at, not even whether one stands twice.
        if let [first, .., second] = hooks.as_slice() {
            self.duplicate(first, second, "hooks".to_owned());
        }
        if !agent.reads_beside(self, root) {
            return;
        }
        if self.agent.http().is_some() {
            self.http_limits(root);
        }
        let refusal = if is_known { self.refusal(root, true) } else { None };
        let is_off = |this: &mut Self| this.is_switched_off(root, events.and_then(Value::as_object));
        if dialect != Dialect::Native && refusal.is_none() && is_off(self) {
            return;
        }
        let before = self.config.hooks.len();
        let last = hooks.last().filter(|_| agent.strictness().exact_elsewhere && !self.is_own);
        self.hooks_of(root, last.map(|hooks| &hooks.value).or(events));
        let Some(refusal) = refusal else { return };
        let agent = self.agent.name();
        let what = if refusal.key.is_empty() { "it".to_owned() } else { format!("`{}`", refusal.key) };
        let why = format!("{what} must be {}, found {}", refusal.expected, refusal.found);
        if self.is_own || self.is_of_project() && self.refusal(root, false).is_none() {
            self.warn(refusal.range, WarningKind::FileIgnored { agent, why });
            return;
        }
        self.config.hooks.truncate(before);
        let place = self.document.place(refusal.range);
        // They say of the same what the error says, or that it was replaced.
        self.config.warnings.retain(|warning| {
            let is_same =
                matches!(warning.kind, WarningKind::TypeNotSupported { .. } | WarningKind::TimeoutNotTaken { .. });
            warning.place != place || !is_same
        });
        self.errors.push(ConfigError::FileIgnored { place, agent, why });
    }

    /// Why the agent of the file uses nothing of it. `needs_type`: not where a hook only has no `type`: in a project's file it
    /// runs where the project is trusted.
    fn refusal(&self, root: &Object<'_>, needs_type: bool) -> Option<Refusal> {
        let contract = self.agent;
        let text = self.document.whole();
        if !contract.checks_files() {
            return None;
        }
        if !text.contains("null") {
            return contract.refusal(text, root, needs_type);
        }
        // What is null was taken out of the tree.
        match self.document.parse().ok().flatten()? {
            Value::Object(root) => contract.refusal(text, &root, needs_type),
            _ => None,
        }
    }

    fn hooks_of(&mut self, root: &Object<'_>, events: Option<&Value<'_>>) {
        let dialect = self.dialect;
        self.misplaced_events(root);
        if let Some(prop) = root.properties.iter().rfind(|prop| prop.name.as_str() == "fail_closed") {
            self.fail_closed(&prop.value, "fail_closed");
        }
        let Some(events) = events.and_then(|events| self.object(events, "hooks")) else {
            return;
        };
        self.duplicates(events, "hooks");
        if dialect != Dialect::Native {
            self.foreign(root, events);
            return;
        }
        for prop in events.properties.iter().filter(|prop| DEFAULTS.contains(&prop.name.as_str())) {
            let key = format!("hooks.{}", prop.name.as_str());
            match prop.name.as_str() {
                "on_failure" => self.defaults.on_failure = self.on_failure(&prop.value, key).unwrap_or_default(),
                "fail_closed" => self.fail_closed(&prop.value, &key),
                "missing_shell" => self.defaults.missing_shell = self.missing_shell(&prop.value, key),
                "ignore_findings" => {
                    let codes = self.arguments(&prop.value, &key).unwrap_or_default();
                    self.config.ignored_findings.extend(codes);
                }
                "shell_scripts" => self.defaults.shell_scripts = self.shell_scripts(&prop.value, key),
                _ => self.defaults.include_sub_agents = self.boolean(&prop.value, key).unwrap_or_default(),
            }
        }
        for event in events.properties.iter().filter(|prop| !DEFAULTS.contains(&prop.name.as_str())) {
            let name = event.name.as_str();
            match name.parse() {
                Ok(known) => self.event(known, &event.value, &format!("hooks.{name}")),
                Err(_) if is_comment(name) => {}
                Err(_) if self.has_warned_enough() => {}
                Err(mut error) => {
                    if let Ok((own, _)) = any_event(name, self.agents.all) {
                        error.nearest = Some(own.as_str());
                    }
                    // What is no list is rather a setting of the file's than hooks.
                    let setting = nearest(name, DEFAULTS).filter(|_| event.value.as_array().is_none());
                    let kind = match setting {
                        Some(_) => WarningKind::UnknownKey { key: format!("hooks.{name}"), nearest: setting },
                        None => WarningKind::UnknownEvent(error),
                    };
                    self.warn(event.name.range(), kind);
                }
            }
        }
    }

    /// The dialect of the file, and why.
    fn guessed(&self, root: Option<&Object<'_>>, events: Option<&Object<'_>>) -> (Dialect, Guess) {
        match self.config.dialect {
            Some(dialect) => (dialect, Guess::Told),
            None => (self.agents.guess)(self.file, root, events),
        }
    }

    /// Warns of lists of hooks that stand where `hooks` should or beside it, and of a slip of that word.
    pub(crate) fn misplaced_events(&mut self, root: &Object<'_>) {
        for prop in root.properties.iter().filter(|prop| prop.name.as_str() != "hooks") {
            let name = prop.name.as_str();
            let is_event = |name: &str| name.parse::<EventKind>().is_ok() || self.known_event(name).is_some();
            let has_events = prop
                .value
                .as_object()
                .is_some_and(|object| object.properties.iter().any(|event| is_event(event.name.as_str())));
            if has_events && let Some(meant) = nearest(name, ["hooks"]) {
                self.warn(prop.name.range(), WarningKind::UnknownKey { key: name.to_owned(), nearest: Some(meant) });
                continue;
            }
            let objects = prop
                .value
                .as_array()
                .map(|list| !list.elements.is_empty() && list.elements.iter().all(|entry| entry.as_object().is_some()));
            if objects == Some(true) && (name.parse::<EventKind>().is_ok() || self.known_event(name).is_some()) {
                self.warn(prop.name.range(), WarningKind::Misplaced { name: name.to_owned() });
            }
        }
    }

    /// An event by its name in the agent's dialect, in any case: the name as the agent writes it, and ours.
    pub(crate) fn known_event(&self, name: &str) -> Option<(&'static str, EventKind)> {
        let agent: &dyn Agent = self.agent;
        agent.event(name)
    }

    /// The agent's event whose name is nearest, or which another agent calls so.
    pub(crate) fn nearest_event(&self, name: &str) -> Option<&'static str> {
        nearest_event(self.agent, self.agents.all, name)
    }

    pub(crate) fn place_of(&self, range: Range) -> Place {
        self.document.place(range)
    }

    fn event(&mut self, event: EventKind, hooks: &Value<'_>, path: &str) {
        let Value::Array(hooks) = hooks else {
            self.wrong_type(hooks, path.to_owned(), "an array of hooks");
            return;
        };
        for (index, hook) in hooks.elements.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if let Some(object) = self.object(hook, &path) {
                if let Some(hooks) = grouped(object) {
                    let place = self.document.place(hooks);
                    self.errors.push(ConfigError::Grouped { place, key: format!("{path}.hooks") });
                    continue;
                }
                let mut hook = HookConfig::new(event, "");
                hook.include_sub_agents = self.defaults.include_sub_agents;
                hook.missing_shell = self.defaults.missing_shell;
                hook.shell_scripts = self.defaults.shell_scripts;
                if event == EventKind::PreToolUse {
                    hook.on_failure = self.defaults.on_failure;
                }
                self.hook(hook, object, &path);
            }
        }
    }

    /// Reads a hook's keys into `hook`, which has what it has unless they say otherwise.
    pub(crate) fn hook(&mut self, mut hook: HookConfig, object: &Object<'_>, path: &str) {
        let (errors, warnings) = (self.errors.len(), self.config.warnings.len());
        self.is_lost = false;
        self.duplicates(object, path);
        hook.kind = self.kind(object, path, hook.event);
        if self.dialect == Dialect::Native {
            hook.timeout = hook.kind.default_timeout();
        }
        hook.place = Some(self.document.place(object.range));
        let is_command = matches!(hook.kind, HookKind::Command);
        let mut has_command = false;
        let mut foreign = ForeignKeys::default();
        for prop in &object.properties {
            let key = format!("{path}.{}", prop.name.as_str());
            let value = &prop.value;
            match self.native_key(prop.name.as_str()) {
                "" => {}
                "command" => {
                    has_command = true;
                    hook.command = self.command(value, key).unwrap_or_default();
                    hook.command_text = self.document.quoted(value.range());
                }
                "matcher" => hook.matcher = self.matcher(value, key, hook.event).unwrap_or_default(),
                "timeout" => {
                    let longest = self.agent.longest_timeout(hook.event);
                    hook.timeout = self.timeout(value, key, hook.timeout).min(longest);
                }
                "name" => hook.name = self.string(value, key).filter(|name| !name.trim().is_empty()),
                "on_failure" => hook.on_failure = self.on_failure(value, key).unwrap_or_default(),
                "missing_shell" => hook.missing_shell = self.missing_shell(value, key),
                "ignore_findings" => hook.ignored_findings = self.arguments(value, &key).unwrap_or_default(),
                "shell_scripts" => hook.shell_scripts = self.shell_scripts(value, key),
                "require_env" => hook.require_env = self.boolean(value, key).unwrap_or(true),
                "include_sub_agents" => hook.include_sub_agents = self.boolean(value, key).unwrap_or_default(),
                "async" => hook.is_async = self.boolean(value, key).unwrap_or_default() || hook.rewakes,
                "async_rewake" => {
                    hook.rewakes = self.boolean(value, key).unwrap_or_default();
                    hook.is_async |= hook.rewakes;
                }
                "once" => hook.once = self.boolean(value, key).unwrap_or_default(),
                "status_message" => hook.status_message = self.string(value, key),
                "command_windows" => hook.command_windows = self.command(value, key),
                "cwd" => hook.cwd = self.text(value, key).map(PathBuf::from),
                "args" => hook.args = self.arguments(value, &key),
                "env" => hook.env = self.variables(value, &key).unwrap_or_default(),
                "if" => hook.condition = self.condition(value, key),
                "type" => {}
                other if has_key(&hook.kind, other) => {}
                _ if matches!(hook.kind, HookKind::Unsupported { .. }) => {}
                _ => self.foreign_key(prop, key, &hook.kind, &mut foreign),
            }
        }
        if hook.is_installed_line() && self.config.warnings.len() > warnings {
            // hookshell has written the number, and means what the agent reads.
            let of_hook = self.config.warnings.split_off(warnings).into_iter();
            let of_hook = of_hook.filter(|warning| !matches!(warning.kind, WarningKind::ReadAs { .. }));
            self.config.warnings.extend(of_hook);
        }
        hook.once &= self.agent.heeds_once();
        let is_wrong = foreign.is_wrong;
        has_command |= foreign.complete(&mut hook);
        if !has_command && !is_wrong && is_command {
            self.missing(object.range, format!("{path}.command"));
        }
        hook.is_async &= !hook.kind.is_http();
        if has_command && !is_command {
            // A command of a hook that is none is not run.
            hook.command.clear();
        }
        let is_lost = std::mem::take(&mut self.is_lost);
        // Of one without a command there is nothing to run; what is wrong in a key that the agent does not know costs nothing there.
        let contract = self.agent;
        let is_kept = contract.strictness().keeps_odd_hooks || contract.takes(object);
        let is_kept = is_kept && is_command && !hook.command.is_empty();
        if (self.errors.len() == errors || is_kept) && !is_lost && self.may_spend(object.range, |budget| budget.hook())
        {
            self.config.hooks.push(hook);
        }
    }

    /// Is it a file of a project that nobody may trust?
    fn is_of_project(&self) -> bool {
        self.config.origin == Origin::Project
    }

    /// Is it within what may be spent on a project? The first time that it is not is reported.
    pub(crate) fn may_spend(&mut self, range: Range, spend: impl FnOnce(&mut Budget) -> Spent) -> bool {
        if !self.is_of_project() {
            return true;
        }
        match spend(&mut self.config.budget) {
            Ok(()) => true,
            Err(reached) => {
                let place = self.document.place(range);
                self.errors.extend(reached.map(|reached| reached.error(self.file, Some(place))));
                false
            }
        }
    }
}

/// The event of an agent whose name is nearest, or which another of them all calls so.
fn nearest_event(agent: &dyn Contract, all: &'static [&'static dyn Agent], name: &str) -> Option<&'static str> {
    let events = agent.events();
    nearest(name, events.iter().map(|(own, _)| *own)).or_else(|| {
        let event = match any_event(name, all) {
            Ok((event, _)) => event,
            Err(unknown) => unknown.nearest?.parse().ok()?,
        };
        events.iter().find(|(_, ours)| *ours == event).map(|(own, _)| *own)
    })
}

/// Is a key one that only says something to people: `_comment`, `$schema`, `//`?
pub(crate) fn is_comment(key: &str) -> bool {
    key.starts_with(['_', '$', '#']) || key.starts_with("//") || ["comment", "comments"].contains(&key)
}

/// Where the list of hooks stands in what is a group of hooks, as Claude Code has them.
fn grouped(object: &Object<'_>) -> Option<Range> {
    let has = |key: &str| first_member(object, key);
    let hooks = has("hooks").filter(|prop| prop.value.as_array().is_some() && has("command").is_none())?;
    Some(hooks.range)
}

#[cfg(test)]
mod tests;
