//! What is started for a hook, and what it is given.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{Command, Environment, Input, Invocation, Output, UnpassableVariables};

use super::How;
use crate::cancel::CancelToken;
use crate::config::{HookConfig, HookKind};
use crate::dialect::Dialect;
use crate::environment::{
    EventVariables, Inexact, is_agents_name, laid_over, of_path, with_own_variables, without_ours,
};
use crate::event::Event;
use crate::http::Request;
use crate::native_hook::HostCall;
use crate::outcome::Failure;
use crate::session_env::EnvFile;
use crate::settings::Settings;
use crate::work::Work;

/// What an event's hooks are given, made once for all of them.
pub(super) struct EventInputs<'e> {
    event: &'e Event,
    /// The same for hooks that keep it, made for the first of them.
    shared: OnceCell<Arc<Event>>,
    /// What hooks have of the host and the session.
    pub(super) host: Environment,
    /// What they get over what the host has.
    variables: Environment,
    /// The same for hooks of other agents than ours, made for the first of them.
    of_agents: OnceCell<Environment>,
    inexact: Vec<Inexact>,
    /// The payload of each dialect and event of it, made for the first hook that needs it.
    payloads: RefCell<Vec<Payload>>,
}

/// Of which dialect and event, and what.
type Payload = (Dialect, &'static str, Arc<[u8]>);

impl<'e> EventInputs<'e> {
    /// `of_session`: what hooks have set for the session. It lies over the host's, and under what each event has.
    pub(super) fn new(
        settings: &'e Settings,
        event: &'e Event,
        of_session: impl Iterator<Item = (String, String)>,
    ) -> Self {
        let of_session = without_ours(of_session.map(|(name, value)| (name.into(), value.into())), &settings.naming);
        let host = match of_session.is_empty() {
            true => settings.env.clone(),
            false => Environment::of_unique(laid_over(&settings.env, &of_session)),
        };
        let EventVariables { variables, inexact } = EventVariables::new(of_session, &settings.naming, event);
        Self {
            event,
            shared: OnceCell::new(),
            host,
            variables: Environment::of_unique(variables),
            of_agents: OnceCell::new(),
            inexact,
            payloads: RefCell::default(),
        }
    }

    fn payload(&self, hook: &HookConfig) -> Arc<[u8]> {
        let mut payloads = self.payloads.borrow_mut();
        let dialect_event_name = hook.dialect_event_name;
        let made = payloads.iter().find(|(dialect, event, _)| *dialect == hook.dialect && *event == dialect_event_name);
        if let Some((_, _, payload)) = made {
            return Arc::clone(payload);
        }
        let payload = hook.dialect.contract().payload(hook.dialect_event_name, self.event);
        payloads.push((hook.dialect, dialect_event_name, Arc::clone(&payload)));
        payload
    }
}

/// What is started for a hook, or why nothing is.
pub(super) fn work(
    hook: &HookConfig,
    timeout: Duration,
    settings: &Settings,
    inputs: &EventInputs<'_>,
    env_file: Option<&EnvFile>,
) -> Result<Work, How> {
    let call = || HostCall {
        event: Arc::clone(inputs.shared.get_or_init(|| Arc::new(inputs.event.clone()))),
        payload: inputs.payload(hook),
        timeout,
        cancel: CancelToken::new(),
        waiting: Arc::default(),
    };
    match &hook.kind {
        HookKind::Command => {
            let invocation = Box::new(invocation(hook, timeout, settings, inputs, env_file)?);
            let may_say_async = !hook.is_async && hook.dialect.contract().may_say_async();
            Ok(Work::Command { invocation, says_async: may_say_async.then_some(hook.dialect) })
        }
        HookKind::Http(http) => {
            let request = Request::new(hook, http, &settings.config, &settings.env).map_err(How::Failed)?;
            Ok(Work::Http(Arc::new(request), call()))
        }
        kind => settings
            .services
            .for_kind(kind, &settings.env)
            .map(|hook| Work::NativeHook(hook, call()))
            .map_err(How::Failed),
    }
}

fn invocation(
    hook: &HookConfig,
    timeout: Duration,
    settings: &Settings,
    inputs: &EventInputs<'_>,
    env_file: Option<&EnvFile>,
) -> Result<Invocation, How> {
    let event = inputs.event;
    let denial = |inexact: &Inexact| {
        format!(
            "the hook `{}` cannot be given what it may have to check: {inexact} (a hook that reads its standard input \
             instead can say \"require_env\": false)",
            hook.display_name()
        )
    };
    let must_be_exact = hook.require_env && event.name().can_block();
    if let Some(inexact) = inputs.inexact.iter().find(|inexact| must_be_exact && inexact.unpassable().is_none()) {
        return Err(How::Denied(denial(inexact)));
    }
    let names: Vec<_> = inputs.inexact.iter().filter_map(Inexact::unpassable).map(Into::into).collect();
    let unpassable = (!names.is_empty())
        .then(|| UnpassableVariables { names, refusal: inputs.inexact.first().filter(|_| must_be_exact).map(denial) });
    let cwd = hook.directory(event.cwd(), event.project_dir());
    if hook.cwd.is_some() && !cwd.is_dir() {
        let reason = format!("its directory {} does not exist", cwd.display());
        // As where the command is not found.
        return Err(match hook.dialect.contract().exit_meaning(event.name(), 127, true).is_deny() {
            true => How::Denied(format!("a hook cannot be run: {reason}")),
            false => How::Failed(Failure::Spawn(reason)),
        });
    }
    if let Some(reason) = hook.dialect.contract().refuses(hook) {
        return Err(How::Failed(Failure::Spawn(reason)));
    }
    let (command, mut env) = prepared(hook, inputs, settings).map_err(How::Failed)?;
    if let Some(file) = env_file {
        env = with_own_variables(&env, &[(file.variable, of_path(&file.path))]);
    }
    Ok(Invocation {
        env,
        base_env: settings.base_env.clone(),
        stdin: Input::Bytes(inputs.payload(hook)),
        output: Output::Capture { limit: settings.output_limit },
        timeout: Some(timeout),
        grace: settings.grace,
        missing_shell: hook.missing_shell,
        shell_scripts: hook.shell_scripts,
        unpassable,
        ..Invocation::new(Command::source(command), cwd)
    })
}

/// A hook's command line, and its environment over the host's: the event's, what its dialect adds, and its own variables.
fn prepared(
    hook: &HookConfig,
    inputs: &EventInputs<'_>,
    settings: &Settings,
) -> Result<(String, Environment), Failure> {
    let variables = &inputs.variables;
    let contract = hook.dialect.contract();
    if !contract.has_own_variables() {
        return Ok((hook.command_line(), with_own_variables(variables, &hook.env)));
    }
    let variables = inputs.of_agents.get_or_init(|| of_agents(variables));
    let added = contract.variables(hook, inputs.event, &inputs.host);
    let options = contract.put_in(hook, inputs.event, &inputs.host);
    let with_options = match hook.plugin_root.is_some() {
        true => Some(with_options(hook, &options)?),
        false => None,
    };
    let hook = with_options.as_ref().unwrap_or(hook);
    let command = match &hook.args {
        None => hook.command_line(),
        // No shell reads these: what a shell would put in for variables of the agent's is put in here, as data.
        Some(args) => {
            let put_in = |text: &str| {
                added.iter().fold(text.to_owned(), |text, (name, value)| {
                    text.replace(&format!("${{{name}}}"), &value.to_string_lossy())
                })
            };
            let args = args.iter().map(|arg| put_in(arg)).collect();
            let command_windows = hook.command_windows.as_deref().map(put_in);
            let mut filled = hook.clone();
            (filled.command, filled.command_windows, filled.args) =
                (put_in(&hook.command), command_windows, Some(args));
            filled.command_line()
        }
    };
    let env = with_own_variables(variables, &added);
    let env = with_own_variables(&env, &contract.more_variables(hook, inputs.event, &inputs.host));
    // What the caller has of them is its own.
    let env = with_own_variables(&env, &settings.of_caller);
    Ok((command, with_own_variables(&env, &hook.env)))
}

/// What hooks of other agents get: without the names of an agent, which are the native contract's.
fn of_agents(variables: &Environment) -> Environment {
    Environment::of_unique(variables.iter().filter(|(name, _)| !is_agents_name(name)).cloned().collect::<Vec<_>>())
}

/// A plugin's hook with the options of its plugin put in. One that is not set keeps it from running.
fn with_options(hook: &HookConfig, options: &[(String, String)]) -> Result<HookConfig, Failure> {
    let put_in = |text: &str| {
        let text =
            options.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&format!("${{{key}}}"), value));
        match text.split_once("${user_config.").and_then(|(_, rest)| rest.split_once('}')) {
            Some((key, _)) if hook.plugin_root.is_some() => {
                Err(Failure::Spawn(format!("the plugin's option `{key}` is not set in the user's settings")))
            }
            _ => Ok(text),
        }
    };
    let args =
        hook.args.as_ref().map(|args| args.iter().map(|arg| put_in(arg)).collect::<Result<Vec<String>, Failure>>());
    let command = put_in(&hook.command)?;
    let mut filled = hook.clone();
    (filled.command, filled.args) = (command, args.transpose()?);
    Ok(filled)
}
