//! A hook's command line and its environment, in the words of its agent.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use hookshell_dispatch::Environment;

use super::given::Given;
use crate::config::HookConfig;
use crate::environment::{Variables, is_agents_name};
use crate::report::Failure;
use crate::settings::Settings;

/// A hook's command line, and its environment over the host's: the event's, what its dialect adds, and its own variables.
pub(super) fn prepared(
    hook: &HookConfig,
    given: &Given<'_>,
    settings: &Settings,
) -> Result<(String, Environment), Failure> {
    let variables = &given.variables;
    let contract = hook.dialect.contract();
    if !contract.has_own_variables() {
        return Ok((hook.command_line(), with_own_variables(variables, &hook.env)));
    }
    let variables = given.of_agents.get_or_init(|| of_agents(variables));
    let added = contract.variables(hook, given.event, &given.host);
    let options = contract.put_in(hook, given.event, &given.host);
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
    let env = with_own_variables(&env, &contract.more_variables(hook, given.event, &given.host));
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

/// An environment with other variables laid over it.
pub(super) fn with_own_variables<N, V>(variables: &Environment, own: &[(N, V)]) -> Environment
where
    N: AsRef<OsStr>,
    V: AsRef<OsStr>,
{
    match own.is_empty() {
        true => variables.clone(),
        false => Environment::of_unique(laid_over(variables, own)),
    }
}

pub(super) fn laid_over<N, V>(variables: &[(OsString, OsString)], own: &[(N, V)]) -> Variables
where
    N: AsRef<OsStr>,
    V: AsRef<OsStr>,
{
    let mut variables = variables.to_vec();
    // Windows has one variable for `Path` and `PATH`.
    let key = |name: &OsStr| if cfg!(windows) { name.to_ascii_lowercase() } else { name.to_owned() };
    if own.len() > FEW {
        // Each would be looked for among all.
        let mut places: HashMap<OsString, usize> =
            variables.iter().enumerate().map(|(at, (name, _))| (key(name.as_ref()), at)).collect();
        for (name, value) in own {
            let (name, value) = (name.as_ref(), value.as_ref());
            let at = *places.entry(key(name)).or_insert(variables.len());
            match variables.get_mut(at) {
                Some((_, old)) => *old = value.into(),
                None => variables.push((name.into(), value.into())),
            }
        }
        return variables;
    }
    for (name, value) in own {
        let (name, value) = (name.as_ref(), value.as_ref());
        let is_same = |other: &OsStr| {
            if cfg!(windows) { other.eq_ignore_ascii_case(name) } else { other == name }
        };
        match variables.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, old)) => *old = value.into(),
            None => variables.push((name.into(), value.into())),
        }
    }
    variables
}

/// So many variables are laid over others without a table.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use super::{Environment, FEW, Variables, laid_over, with_own_variables};

    #[test]
    fn variables_are_laid_over_in_one_way_however_many_they_are() {
        let host: Variables = [("A", "1"), ("PATH", "/bin"), ("B", "2")].map(|(n, v)| (n.into(), v.into())).into();
        let few: Vec<(String, String)> = [("PATH", "/own"), ("N", "n"), ("A", "a"), ("N", "m")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let many: Vec<_> = few.iter().cloned().cycle().take(FEW * 4).collect();
        assert_eq!(laid_over(&host, &few), laid_over(&host, &many));
        let shared = Environment::of_unique(host.clone());
        assert_eq!(*with_own_variables::<String, String>(&shared, &[]), *host);
    }
}
