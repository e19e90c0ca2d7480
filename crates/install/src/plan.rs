//! What `install` and `uninstall` will do, before anything is done.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hookshell_contract::Origin;
use similar::TextDiff;

use crate::agent::{Agent, Way};
use crate::config::Config;
use crate::error::Error;
use crate::files::{self, Change, Owner};
use crate::machine::{Machine, is_older};
use crate::place::Placing;
use crate::plugin;
use crate::unit::Unit;

/// Whose configs are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The user's and the project's.
    #[default]
    Both,
    /// The user's.
    User,
    /// The project's.
    Project,
}

impl Scope {
    pub(crate) fn has(self, origin: Origin) -> bool {
        match origin {
            Origin::User => self != Self::Project,
            Origin::Project => self != Self::User,
            _ => false,
        }
    }
}

/// What is to be done, and what was found on the way.
#[derive(Debug, Default)]
pub struct Plan {
    units: Vec<Unit>,
    /// Programs that are put somewhere, before anything names them, or taken away, after nothing does.
    placings: Vec<Placing>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Configs that are left as they are.
    pub problems: Vec<Error>,
    /// The agents that were looked for and have no config, or none of these.
    pub without_config: Vec<Agent>,
    /// Was anything found that could be wired, or be taken back?
    pub has_found: bool,
    /// The files with hooks that were looked at to be wired, each with the first agent that reads it.
    shared: Vec<(PathBuf, Agent)>,
}

impl Plan {
    /// Wires the hooks of these agents (of all that are found, if none is named).
    pub fn install(machine: &Machine, agents: &[Agent], scope: Scope) -> Self {
        let mut plan = Self::default();
        for agent in Agent::ALL {
            if !agents.is_empty() && !agents.contains(&agent) {
                continue;
            }
            let before = plan.units.len();
            if agent.way() == Way::Plugin {
                plan.install_plugin(machine, agent, scope, agents.contains(&agent));
            } else {
                plan.each_config(machine, agent, scope, |plan, config| {
                    plan.take(config)?;
                    config.install(&mut plan.notes)
                });
            }
            if plan.units.len() == before {
                continue;
            }
            match age(machine, agent) {
                Some(Age::TooOld(error)) => {
                    plan.units.truncate(before);
                    plan.problems.push(error);
                }
                Some(Age::Unknown(note)) => plan.notes.push(note),
                None => {}
            }
        }
        plan
    }

    /// Brings back what was there before.
    pub fn uninstall(machine: &Machine, agents: &[Agent], scope: Scope) -> Self {
        let mut plan = Self::default();
        for agent in Agent::ALL {
            if !agents.is_empty() && !agents.contains(&agent) {
                continue;
            }
            if agent.way() == Way::Plugin {
                plan.uninstall_plugin(machine, agent, scope);
            } else {
                plan.each_config(machine, agent, scope, |plan, config| config.uninstall(&mut plan.notes));
            }
        }
        plan
    }

    /// Puts hookshell's own file somewhere, unless it is there.
    pub(crate) fn place(&mut self, exe: &Path, at: &Path) {
        self.placings.extend(Placing::put(exe, at));
    }

    /// Takes it away.
    pub(crate) fn unplace(&mut self, at: &Path) {
        self.placings.push(Placing::Take(at.to_owned()));
    }

    fn each_config(
        &mut self,
        machine: &Machine,
        agent: Agent,
        scope: Scope,
        work: impl Fn(&mut Self, &Config<'_>) -> Result<Option<Unit>, Error>,
    ) {
        let mut seen: Vec<PathBuf> = Vec::new();
        let configs = agent.configs(machine);
        let mut configs = configs.iter().filter(|file| scope.has(file.origin) && !file.is_plugins).peekable();
        if configs.peek().is_none() {
            self.without_config.push(agent);
        } else {
            self.has_found = true;
        }
        for file in configs {
            let unit = Config::read(machine, file).and_then(|config| match config {
                Some(config) if !seen.contains(&config.target) => {
                    seen.push(config.target.clone());
                    work(self, &config)
                }
                _ => Ok(None),
            });
            match unit {
                Ok(unit) => self.units.extend(unit),
                Err(error) => self.problems.push(error),
            }
        }
    }

    /// Notes whose file a config is; an error where it is another agent's already: each would wire what the other has written.
    fn take(&mut self, config: &Config<'_>) -> Result<(), Error> {
        if !config.has_hooks() {
            return Ok(());
        }
        match self.shared.iter().find(|(target, _)| *target == config.target) {
            Some((_, agent)) if *agent != config.agent() => Err(config.shared_with(*agent)),
            _ => {
                self.shared.push((config.target.clone(), config.agent()));
                Ok(())
            }
        }
    }

    fn install_plugin(&mut self, machine: &Machine, agent: Agent, scope: Scope, is_named: bool) {
        let (path, owner) = match scope {
            Scope::Project => {
                (plugin::project_path(agent, machine), machine.project().map(|root| Owner::Project(root.to_owned())))
            }
            _ => (plugin::user_path(agent, machine), Some(Owner::User)),
        };
        let (Some(path), Some(owner)) = (path, owner) else { return };
        // `…/opencode/plugin/hookshell.js`: the agent's own directory.
        let is_there = machine.find(agent).is_some() || path.ancestors().nth(2).is_some_and(Path::is_dir);
        if !is_there && !is_named {
            return;
        }
        self.has_found = true;
        let after = plugin::text(agent);
        match files::read(&path) {
            Ok(Some(before)) if !before.starts_with(plugin::MARK) => {
                self.notes.push(format!("{}: somebody else has written it; it was left as it is", path.display()));
            }
            Ok(before) => {
                let change = Change {
                    shown: path.clone(),
                    path,
                    before,
                    after: Some(after),
                    is_private: false,
                    is_shown: true,
                    owner,
                };
                self.add(agent, "its plugin calls hookshell", vec![change]);
            }
            Err(error) => self.problems.push(error),
        }
    }

    fn uninstall_plugin(&mut self, machine: &Machine, agent: Agent, scope: Scope) {
        let user =
            plugin::user_path(agent, machine).filter(|_| scope != Scope::Project).map(|path| (path, Owner::User));
        let root = machine.project().map(Path::to_owned);
        let project =
            plugin::project_path(agent, machine).filter(|_| scope != Scope::User).zip(root.map(Owner::Project));
        for (path, owner) in user.into_iter().chain(project) {
            match files::read(&path) {
                Ok(Some(before)) if before.starts_with(plugin::MARK) => {
                    let change = Change {
                        shown: path.clone(),
                        path,
                        before: Some(before),
                        after: None,
                        is_private: false,
                        is_shown: true,
                        owner,
                    };
                    self.add(agent, "its plugin is removed", vec![change]);
                }
                Ok(_) => {}
                Err(error) => self.problems.push(error),
            }
        }
    }

    pub(crate) fn add(&mut self, agent: Agent, what: &str, changes: Vec<Change>) {
        if let Some(first) = changes.iter().find(|change| change.is_change()) {
            let summary = format!("{}: {}: {what}", agent.name(), first.shown.display());
            let config = first.shown.clone();
            self.units.push(Unit { summary, config, changes });
        }
    }

    #[cfg(test)]
    pub(crate) fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        self.units.is_empty() && self.placings.is_empty()
    }

    /// What is done, a line for each config.
    pub fn summaries(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|unit| &*unit.summary)
    }

    /// Checks what can be checked without doing it: of a config that could not be written nothing is left in the plan, and `problems`
    /// has why.
    pub fn rehearse(&mut self) {
        let Self { units, problems, .. } = self;
        units.retain(|unit| match unit.check() {
            Ok(()) => true,
            Err(error) => {
                problems.push(error);
                false
            }
        });
    }

    /// All changes of configs as a unified diff. Of what changes only files that nobody but hookshell reads, a line for each file.
    pub fn diff(&self) -> String {
        let mut diff = String::new();
        for placing in &self.placings {
            let _ = writeln!(diff, "{}", placing.planned());
        }
        for unit in &self.units {
            let mut changes = unit.changes.iter().filter(|change| change.is_change()).peekable();
            if changes.peek().is_some() && unit.changes.iter().all(|change| !change.is_shown || !change.is_change()) {
                for change in changes {
                    let what = if change.after.is_some() { "written" } else { "removed" };
                    let _ = writeln!(diff, "{}: it would be {what}", change.shown.display());
                }
            }
        }
        for change in
            self.units.iter().flat_map(|unit| &unit.changes).filter(|change| change.is_shown && change.is_change())
        {
            let name = |side: &str, text: &Option<String>| match text {
                Some(_) => format!("{side}/{}", change.shown.display().to_string().trim_start_matches('/')),
                None => "/dev/null".to_owned(),
            };
            let (before, after) =
                (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
            let lines = TextDiff::from_lines(before, after);
            let mut unified = lines.unified_diff();
            let _ = write!(diff, "{}", unified.header(&name("a", &change.before), &name("b", &change.after)));
        }
        diff
    }

    /// Does it. Gives the lines of what was done, and adds what went wrong to `problems`: of such a config nothing is changed.
    /// `is_stopped` is asked before each config, and before a program is taken away: what is left then stays in the plan.
    pub fn apply(&mut self, is_stopped: &dyn Fn() -> bool) -> Vec<String> {
        let mut done = Vec::new();
        if is_stopped() {
            return done;
        }
        let (taken, put) = std::mem::take(&mut self.placings).into_iter().partition(Placing::is_take);
        self.placings = taken;
        let put: Vec<Placing> = put;
        for placing in put {
            match placing.apply() {
                Ok(line) => done.push(line),
                Err(error) => {
                    // What would name the program is not written.
                    self.problems.push(error);
                    self.units.clear();
                }
            }
        }
        while !self.units.is_empty() && !is_stopped() {
            let unit = self.units.remove(0);
            match unit.apply() {
                Ok(()) => done.push(unit.summary),
                Err(error) => self.problems.push(error),
            }
        }
        if !self.placings.is_empty() && !is_stopped() {
            for placing in std::mem::take(&mut self.placings) {
                // Configs may name the program until all of them are written.
                if !self.problems.is_empty() {
                    self.notes.push(placing.left());
                    continue;
                }
                match placing.apply() {
                    Ok(line) => done.push(line),
                    Err(error) => self.problems.push(error),
                }
            }
        }
        done
    }
}

/// What keeps an agent from reading what its config would get, or may do so.
enum Age {
    TooOld(Error),
    /// It does not say its version.
    Unknown(String),
}

/// Is the agent's program new enough for what its config would get? One that is not on PATH may be an editor's.
fn age(machine: &Machine, agent: Agent) -> Option<Age> {
    let needed = agent.oldest()?;
    let program = machine.program(agent)?;
    let agent = agent.name();
    match program.version {
        Some(found) => is_older(&found, needed).then_some(Age::TooOld(Error::TooOld { agent, found, needed })),
        None => Some(Age::Unknown(format!(
            "{}: it does not say its version, and {agent} reads what was wired from {needed} on: look which one it is",
            program.path.display()
        ))),
    }
}
