//! What of every agent's hooks is wired.

use std::path::{Path, PathBuf};

use hookshell_agents::Dialect;
use hookshell_contract::Origin;

use crate::agent::{Agent, ConfigFile, Way};
use crate::codex_trust::States;
use crate::config::Config;
use crate::error::Error;
use crate::forms::{list, side_of, stranded};
use crate::listed::{Listed, State};
use crate::machine::{Machine, Program};
use crate::{files, plugin, side_form, toml_form};

/// An agent, and what is wired of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct AgentStatus {
    /// Which.
    pub agent: Agent,
    /// Its program on PATH.
    pub program: Option<Program>,
    /// The config files that it reads and that exist.
    pub configs: Vec<ConfigStatus>,
    /// Of an agent whose hooks are plugins: where ours is, or would be, and whether it is there.
    pub plugin: Option<(PathBuf, bool)>,
}

/// A config file.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfigStatus {
    /// The file.
    pub path: PathBuf,
    /// Whose it is.
    pub origin: Origin,
    /// Is it a plugin's? `install` does not change these.
    pub is_plugins: bool,
    /// The side file that its hooks were moved to.
    pub side: Option<PathBuf>,
    /// The hooks, in order; or why they cannot be read.
    pub hooks: Result<Vec<Listed>, Error>,
    /// Why hooks that were moved to the side file do not run.
    pub lost: Option<Error>,
}

/// Every agent that is found: its program is on PATH, or it has a config.
pub fn status(machine: &Machine) -> Vec<AgentStatus> {
    let all = Agent::ALL.into_iter().map(|agent| of_agent(machine, agent));
    all.filter(|status| {
        status.program.is_some() || !status.configs.is_empty() || matches!(status.plugin, Some((_, true)))
    })
    .collect()
}

fn of_agent(machine: &Machine, agent: Agent) -> AgentStatus {
    let configs = agent.configs(machine).into_iter().map(|file| {
        let side = Dialect::side_file(&file.path);
        let has_side = agent.way() == Way::Line && side.is_file();
        let mut hooks = hooks(agent, &file, &side, has_side);
        let lost = Config::hooks_lost(machine, &file).filter(|_| hooks.is_ok());
        if let (Agent::Codex, Ok(hooks)) = (agent, &mut hooks) {
            mark_trust(machine, &file.path, hooks);
        }
        ConfigStatus {
            path: file.path,
            origin: file.origin,
            is_plugins: file.is_plugins,
            side: Some(side).filter(|_| has_side),
            hooks,
            lost,
        }
    });
    let plugin = plugin::user_path(agent, machine).map(|path| {
        let text = files::read(&path).ok().flatten();
        (path, text.is_some_and(|text| text.starts_with(plugin::MARK)))
    });
    AgentStatus { agent, program: machine.program(agent), configs: configs.collect(), plugin }
}

/// Says of every wired hook of Codex whether its line is trusted and on. What cannot be read is said elsewhere.
fn mark_trust(machine: &Machine, config: &Path, hooks: &mut [Listed]) {
    let read = |path: &Path| files::read(path).ok().flatten().unwrap_or_default();
    let of_user = machine.user_directory("CODEX_HOME", ".codex").map(|directory| read(&directory.join("config.toml")));
    let states = States::read(&of_user.unwrap_or_default());
    let text = read(config);
    let groups = if is_toml(config) { toml_form::groups(&text) } else { side_form::groups(Dialect::Codex, &text) };
    for (event, groups) in groups.unwrap_or_default() {
        let lines = states.of_lines(config, &event, &groups, side_form::is_line);
        let of_event = hooks.iter_mut().filter(|hook| hook.state == State::Wired && hook.event == event);
        of_event.for_each(|hook| {
            hook.trusted_by_agent = lines.map(|lines| lines.are_trusted);
            hook.enabled_by_agent = lines.map(|lines| lines.are_enabled);
        });
    }
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

fn hooks(agent: Agent, file: &ConfigFile, side: &Path, has_side: bool) -> Result<Vec<Listed>, Error> {
    let path = &file.path;
    let text = files::read(path)?.unwrap_or_default();
    let moved = if has_side { side_of(side)?.1 } else { None };
    let syntax = |syntax| Error::Syntax { path: path.clone(), syntax };
    let mut listed = list(agent, is_toml(path), &text, moved.as_ref()).map_err(syntax)?;
    listed.extend(moved.iter().flat_map(|moved| stranded(agent, is_toml(path), &text, moved)));
    if file.is_plugins {
        listed.iter_mut().filter(|hook| hook.state == State::Plain).for_each(|hook| hook.state = State::Plugin);
    }
    Ok(listed)
}
