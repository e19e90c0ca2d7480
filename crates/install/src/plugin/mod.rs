//! The plugins of agents whose hooks are code: a few lines that call `hookshell run`.

use std::path::PathBuf;

use crate::agent::Agent;
use crate::machine::Machine;

/// The first line of what we have written.
pub(crate) const MARK: &str = "// Written by `hookshell install`; `hookshell uninstall` removes it. Changes are lost.";

/// What the plugin of an agent is.
pub(crate) fn text(agent: Agent) -> String {
    let body = if agent == Agent::Opencode { OPENCODE } else { PI };
    format!("{MARK}\n{COMMON}{body}")
}

/// Where it is: the user's, and the project's.
pub(crate) fn user_path(agent: Agent, machine: &Machine) -> Option<PathBuf> {
    match agent {
        Agent::Opencode => Some(machine.config_home()?.join("opencode").join("plugin").join("hookshell.js")),
        Agent::Pi => Some(machine.home()?.join(".pi").join("agent").join("extensions").join("hookshell.ts")),
        _ => None,
    }
}

pub(crate) fn project_path(agent: Agent, machine: &Machine) -> Option<PathBuf> {
    let project = machine.project()?;
    match agent {
        Agent::Opencode => Some(project.join(".opencode").join("plugin").join("hookshell.js")),
        Agent::Pi => Some(project.join(".pi").join("extensions").join("hookshell.ts")),
        _ => None,
    }
}

/// What both have. A plugin of the user's and one of the project's see the same objects of a call: the second leaves it to the first.
const COMMON: &str = include_str!("common.js");

const OPENCODE: &str = include_str!("opencode.js");

const PI: &str = include_str!("pi.js");
