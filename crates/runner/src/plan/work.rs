//! What is started for a hook.

use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{Command, Input, Invocation, Output, UnpassableVariables};

use super::How;
use super::given::Given;
use super::variables::{prepared, with_own_variables};
use crate::cancel::CancelToken;
use crate::config::{HookConfig, HookKind};
use crate::environment::{Inexact, of_path};
use crate::http::Request;
use crate::native_hook::HostCall;
use crate::report::Failure;
use crate::session_env::EnvFile;
use crate::settings::Settings;
use crate::work::Work;

/// What is started for a hook, or why nothing is.
pub(super) fn work(
    hook: &HookConfig,
    timeout: Duration,
    settings: &Settings,
    given: &Given<'_>,
    env_file: Option<&EnvFile>,
) -> Result<Work, How> {
    let call = || HostCall {
        event: Arc::clone(given.shared.get_or_init(|| Arc::new(given.event.clone()))),
        payload: given.payload(hook),
        timeout,
        cancel: CancelToken::new(),
        waiting: Arc::default(),
    };
    match &hook.kind {
        HookKind::Command => {
            let invocation = Box::new(invocation(hook, timeout, settings, given, env_file)?);
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
    given: &Given<'_>,
    env_file: Option<&EnvFile>,
) -> Result<Invocation, How> {
    let event = given.event;
    let denial = |inexact: &Inexact| {
        format!(
            "the hook `{}` cannot be given what it may have to check: {inexact} (a hook that reads its standard input \
             instead can say \"require_env\": false)",
            hook.display_name()
        )
    };
    let must_be_exact = hook.require_env && event.name().can_block();
    if let Some(inexact) = given.inexact.iter().find(|inexact| must_be_exact && inexact.unpassable().is_none()) {
        return Err(How::Denied(denial(inexact)));
    }
    let names: Vec<_> = given.inexact.iter().filter_map(Inexact::unpassable).map(Into::into).collect();
    let unpassable = (!names.is_empty())
        .then(|| UnpassableVariables { names, refusal: given.inexact.first().filter(|_| must_be_exact).map(denial) });
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
    let (command, mut env) = prepared(hook, given, settings).map_err(How::Failed)?;
    if let Some(file) = env_file {
        env = with_own_variables(&env, &[(file.variable, of_path(&file.path))]);
    }
    Ok(Invocation {
        env,
        base_env: settings.base_env.clone(),
        stdin: Input::Bytes(given.payload(hook)),
        output: Output::Capture { limit: settings.output_limit },
        timeout: Some(timeout),
        grace: settings.grace,
        missing_shell: hook.missing_shell,
        shell_scripts: hook.shell_scripts,
        unpassable,
        ..Invocation::new(Command::source(command), cwd)
    })
}
