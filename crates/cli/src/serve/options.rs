//! How a request is done: by its own options, the client's defaults, and the command line, in this order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookshell_runner::{Dialect, Environment};
use hookshell_serve::protocol::{LogMode, Options};

use super::ServeArgs;
use crate::failure::{Failure, Sysexit};
use crate::options::HookSources;

/// What holds for one request.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) sources: HookSources,
    pub(super) trust_project: bool,
    pub(super) cwd: Option<PathBuf>,
    pub(super) project: Option<PathBuf>,
    /// Beside our own environment; `None` takes a variable out.
    pub(super) env: BTreeMap<String, Option<String>>,
    pub(super) session: String,
    pub(super) fail_closed: bool,
    pub(super) no_log: bool,
    pub(super) log_payload: bool,
    /// Options of dispatch, as words of a command line.
    pub(super) dispatch: Vec<String>,
}

impl Settings {
    /// What holds.
    ///
    /// # Errors
    /// A word is none that is known, or a name none that a variable can have.
    pub(super) fn new(args: &ServeArgs, defaults: &Options, own: &Options) -> Result<Self, Failure> {
        let dialect = own.dialect.as_deref().or(defaults.dialect.as_deref());
        let dialect = dialect.map(str::parse::<Dialect>).transpose().map_err(|error| wrong("dialect", error))?;
        let mut settings = Self {
            sources: HookSources {
                config: first(&own.configs, &defaults.configs).unwrap_or_else(|| args.sources.config.clone()),
                hook: first(&own.hooks, &defaults.hooks).unwrap_or_else(|| args.sources.hook.clone()),
                no_hooks: first(&own.no_hooks, &defaults.no_hooks).unwrap_or(args.sources.no_hooks),
                dialect: dialect.or(args.sources.dialect),
            },
            trust_project: first(&own.trust_project, &defaults.trust_project).unwrap_or(args.trust_project),
            cwd: first(&own.cwd, &defaults.cwd).or_else(|| args.cwd.clone()),
            project: first(&own.project, &defaults.project).or_else(|| args.project.clone()),
            env: defaults.env.clone().unwrap_or_default(),
            session: first(&own.session, &defaults.session).or_else(|| args.session.clone()).unwrap_or_default(),
            fail_closed: fail_closed(args, defaults, own),
            no_log: args.no_log,
            log_payload: args.log_payload,
            dispatch: Vec::new(),
        };
        settings.env.extend(own.env.iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        if let Some(name) = settings.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
            return Err(wrong("env", format!("{name:?} is no name of a variable")));
        }
        let has_nul = |value: &Option<String>| value.as_ref().is_some_and(|value| value.contains('\0'));
        if let Some((name, _)) = settings.env.iter().find(|(_, value)| has_nul(value)) {
            return Err(wrong("env", format!("the value of {name} holds a NUL, which no variable can hold")));
        }
        if let Some(mode) = own.log.or(defaults.log) {
            (settings.no_log, settings.log_payload) = match mode {
                LogMode::Off => (true, false),
                LogMode::On => (false, false),
                LogMode::Payload => (false, true),
            };
        }
        let mut word = |option: &str, value: &str| settings.dispatch.push(format!("--{option}={value}"));
        if let Some(value) = own.utilities.as_ref().or(defaults.utilities.as_ref()) {
            word("utilities", value);
        }
        if let Some(value) = own.missing_shell.as_ref().or(defaults.missing_shell.as_ref()) {
            word("missing-shell", value);
        }
        if let Some(value) = own.shell_scripts.as_ref().or(defaults.shell_scripts.as_ref()) {
            word("shell-scripts", value);
        }
        // A limit of a request lies over the same one of the defaults.
        for value in defaults.limits.iter().chain(&own.limits).flatten() {
            word("limit", value);
        }
        Ok(settings)
    }

    /// The environment of hooks and commands.
    pub(super) fn environment(&self, own: &Environment) -> Environment {
        let mut env = own.clone();
        for (name, value) in &self.env {
            match value {
                Some(value) => env.set(name, value),
                None => env.remove(name),
            }
        }
        env
    }
}

/// Is an event to be denied whose hooks cannot be asked?
pub(super) fn fail_closed(args: &ServeArgs, defaults: &Options, own: &Options) -> bool {
    first(&own.fail_closed, &defaults.fail_closed).unwrap_or(args.fail_closed)
}

fn first<T: Clone>(own: &Option<T>, default: &Option<T>) -> Option<T> {
    own.as_ref().or(default.as_ref()).cloned()
}

fn wrong(option: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(Sysexit::Usage, format!("options.{option}"), why)
}
