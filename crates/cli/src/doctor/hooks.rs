//! What hooks depend on beside programs: what is wired, what is trusted, which language model is asked.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use hookshell_dispatch::Platform;
use hookshell_install::{AgentStatus, ConfigStatus, Machine, State};
use hookshell_runner::{Config, Origin, TrustStatus, TrustStore, state_dir, without_secrets};
use serde::Serialize;

use crate::model::Server;
use crate::output::visible;
use crate::style::Style;
use crate::{model, sources};

/// An agent that was found, and how many of its hooks run through hookshell.
#[derive(Debug, Serialize)]
pub(super) struct Wiring {
    /// Its word on a command line.
    agent: &'static str,
    name: &'static str,
    configs: Vec<WiredConfig>,
    /// Of an agent whose hooks are plugins.
    plugin: Option<Plugin>,
}

#[derive(Debug, Serialize)]
struct WiredConfig {
    path: String,
    origin: &'static str,
    hooks: usize,
    wired: usize,
    /// Those that `hookshell install` would wire; the agent runs the others itself.
    not_wired: usize,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct Plugin {
    path: String,
    wired: bool,
}

/// What the user trusts.
#[derive(Debug, Default, Serialize)]
pub(super) struct TrustReport {
    /// The hooks of the project that the directory is in; none: it has no hooks.
    project: Option<ProjectTrust>,
    projects: Vec<TrustedProject>,
    /// Why what is trusted cannot be read.
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct ProjectTrust {
    directory: String,
    hooks: usize,
    trusted: usize,
}

#[derive(Debug, Serialize)]
struct TrustedProject {
    project: String,
    since: String,
    strict: bool,
    hooks: usize,
}

/// The server that hooks of the types `prompt` and `agent` ask.
#[derive(Debug, Serialize)]
pub(super) struct ModelServer {
    url: String,
    model: Option<String>,
    has_key: bool,
    /// The variable that says that it is asked.
    variable: &'static str,
    /// Why it cannot be asked, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// Every agent that is found.
pub(super) fn wiring(env: &[(OsString, OsString)], cwd: &Path) -> Vec<Wiring> {
    let of_agent = |status: AgentStatus| Wiring {
        agent: status.agent.as_str(),
        name: status.agent.name(),
        configs: status.configs.into_iter().map(of_config).collect(),
        plugin: status.plugin.map(|(path, wired)| Plugin { path: path.display().to_string(), wired }),
    };
    hookshell_install::status(&Machine::new(env.to_vec(), cwd)).into_iter().map(of_agent).collect()
}

fn of_config(config: ConfigStatus) -> WiredConfig {
    let (hooks, error) = match config.hooks {
        Ok(hooks) => (hooks, config.lost.map(|error| error.to_string())),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let count = |state: State| hooks.iter().filter(|hook| hook.state == state).count();
    WiredConfig {
        path: config.path.display().to_string(),
        origin: config.origin.as_str(),
        hooks: hooks.len(),
        wired: count(State::Wired),
        not_wired: count(State::Plain) + count(State::Stranded),
        error,
    }
}

/// What is trusted of this project, and of all.
pub(super) fn trust(env: &[(OsString, OsString)], cwd: &Path) -> TrustReport {
    let variable = |name: &str| Platform::HOST.variable(env, name).map(OsStr::to_owned);
    let Some(directory) = state_dir(variable) else { return TrustReport::default() };
    let store = TrustStore::new(directory, env);
    let mut config = Config::default();
    for file in sources::find(None, cwd).iter().filter(|file| file.file.origin == Origin::Project) {
        // What is wrong in it `hookshell check` says.
        let _ = file.add_to(&mut config);
    }
    let hooks = config.hooks();
    let is_trusted = |hook: &&hookshell_runner::HookConfig| {
        store.examine(hook, cwd).is_ok_and(|examined| examined.status == TrustStatus::Trusted)
    };
    let project = (!hooks.is_empty()).then(|| ProjectTrust {
        directory: cwd.display().to_string(),
        hooks: hooks.len(),
        trusted: hooks.iter().filter(is_trusted).count(),
    });
    let (projects, error) = match store.projects() {
        Ok(projects) => (projects, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let of_list = |trusted: hookshell_runner::TrustedProject| TrustedProject {
        hooks: trusted.hooks.len(),
        project: trusted.project,
        since: trusted.trusted,
        strict: trusted.strict,
    };
    TrustReport { project, projects: projects.into_iter().map(of_list).collect(), error }
}

/// The server that the environment describes. What in its address is a password is not shown.
pub(super) fn model(env: &[(OsString, OsString)]) -> Option<ModelServer> {
    let variable = |name: &str| {
        let value = Platform::HOST.variable(env, name)?.to_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    };
    let fault = model::fault_of(variable);
    let Server { url, key, model, named_by } = model::server(variable)?;
    Some(ModelServer { url: without_secrets(&url), model, has_key: key.is_some(), variable: named_by, fault })
}

/// `1 hook`, `2 hooks`.
fn hooks(count: usize) -> String {
    if count == 1 { "1 hook".to_owned() } else { format!("{count} hooks") }
}

/// The lines about it for a person.
pub(super) fn text(wiring: &[Wiring], trust: &TrustReport, model: Option<&ModelServer>, style: Style) -> String {
    let mut out = String::from("\nwired\n");
    let not_wired = style.red("NOT WIRED");
    let error = style.red("error");
    for agent in wiring {
        out.push_str(&format!("  {}:", agent.name));
        match &agent.plugin {
            Some(plugin) if plugin.wired => {
                out.push_str(&format!(" {} by {}\n", style.green("wired"), visible(&plugin.path)));
            }
            Some(_) => out.push_str(&format!(" {not_wired} (`hookshell install {}` does it)\n", agent.agent)),
            None if agent.configs.is_empty() => out.push_str(" it has no config with hooks\n"),
            None => out.push('\n'),
        }
        for config in &agent.configs {
            let what = match &config.error {
                // The path stands before it.
                Some(why) => {
                    let why = why.strip_prefix(&format!("{}: ", config.path)).unwrap_or(why);
                    format!("{error}: {}", visible(why))
                }
                None if config.hooks == 0 => "no hooks".to_owned(),
                None => format!("{} of {} wired", config.wired, hooks(config.hooks)),
            };
            let hint = match config.not_wired {
                0 => String::new(),
                left => format!(", {left} {not_wired} (`hookshell install {}` does it)", agent.agent),
            };
            let path = visible(&config.path);
            out.push_str(&format!("    {path} ({}): {what}{hint}\n", config.origin));
        }
    }
    if wiring.is_empty() {
        out.push_str("  no agent was found\n");
    }
    out.push_str("\ntrusted\n");
    if let Some(project) = &trust.project {
        let ProjectTrust { directory, hooks: all, trusted } = project;
        let count = format!("{trusted} of the project's {}", hooks(*all));
        let count = match trusted < all {
            true => format!("{} (`hookshell trust` shows them and asks)", style.yellow(&count)),
            false => count,
        };
        out.push_str(&format!("  {}: {count}\n", visible(directory)));
    }
    for project in &trust.projects {
        let strict = if project.strict { ", strictly" } else { "" };
        let TrustedProject { project, since, hooks: all, .. } = project;
        out.push_str(&visible(&format!("  {project}: {} since {since}{strict}\n", hooks(*all))));
    }
    match &trust.error {
        Some(why) => out.push_str(&format!("  {error}: {}\n", visible(why))),
        None if trust.projects.is_empty() => out.push_str("  no project's hooks are trusted\n"),
        None => {}
    }
    match model {
        Some(ModelServer { url, model, has_key, variable, fault }) => {
            let model = model.as_deref().unwrap_or("the server's own model");
            let key = if *has_key { "with a key" } else { "without a key" };
            out.push_str(&visible(&format!("\nmodel server: {url}, {model}, {key} (set by {variable})\n")));
            if let Some(fault) = fault {
                out.push_str(&format!("  {error}: it cannot be asked: {}\n", visible(fault)));
            }
        }
        None => out.push_str("\nmodel server: none (HOOKSHELL_LLM_URL or OPENAI_API_KEY sets one)\n"),
    }
    out
}
