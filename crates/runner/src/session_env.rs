//! Variables that hooks set for a session by writing shell code into a file ([`StartRules::env_file`](hookshell_agents::config::StartRules::env_file)).

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempPath;

use crate::config::HookConfig;
use crate::environment::of_path;
use crate::work::plain;
use hookshell_dispatch::{End, Environment, Invocation, Outcome, Output};

/// Such a file. It is gone when this is dropped.
pub(crate) struct EnvFile {
    /// The variable that names it.
    pub(crate) variable: &'static str,
    pub(crate) path: TempPath,
}

/// How long the code in such a file may take: it sets variables.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// How much is read of what it set.
const OUTPUT_LIMIT: usize = 1024 * 1024;

/// What a shell sets by itself.
const OF_SHELLS: [&str; 6] = ["_", "PWD", "OLDPWD", "SHLVL", "BASHOPTS", "SHELLOPTS"];

/// The file that a hook may write to: there on the events that its agent has it on, for hooks that are waited for. Only its owner
/// can read it.
pub(crate) fn file_for(hook: &HookConfig, host: &Environment) -> Option<EnvFile> {
    if hook.is_async || !hook.dialect.contract().has_env_file(hook.event) {
        return None;
    }
    let variable = hook.dialect.contract().env_file()?;
    let names: &[&str] = if cfg!(windows) { &["TEMP", "TMP"] } else { &["TMPDIR"] };
    let find = |wanted: &str| host.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let dir = names.iter().find_map(|name| find(name)).map(|(_, value)| PathBuf::from(value));
    let dir = dir.filter(|dir| dir.is_dir()).unwrap_or_else(std::env::temp_dir);
    match tempfile::Builder::new().prefix("hookshell-env-").suffix(".sh").tempfile_in(dir) {
        Ok(file) => Some(EnvFile { variable, path: file.into_temp_path() }),
        Err(error) => {
            tracing::warn!(hook = hook.display_name(), %error, "there is no {variable} for it");
            None
        }
    }
}

/// What runs the code in a file and prints the variables that there are then; `None` if nothing was written.
pub(crate) fn reading(file: &EnvFile, cwd: PathBuf, host: &Environment) -> Option<Invocation> {
    if file.path.metadata().map_or(0, |metadata| metadata.len()) == 0 {
        return None;
    }
    let env = host.clone().with(file.variable, of_path(&file.path));
    // What is set without `export` counts too: an agent reads the file in the shell that runs the tool's command.
    let command = format!("set -a; . \"${}\" >&2; env -0", file.variable);
    Some(Invocation {
        timeout: Some(MAX_WAIT),
        grace: Duration::from_millis(500),
        output: Output::Capture { limit: OUTPUT_LIMIT },
        ..plain(&command, cwd, env)
    })
}

/// The variables that [`reading`] found which the host does not have, or has with another value.
pub(crate) fn set_by(variable: &str, outcome: &Outcome, host: &Environment) -> Vec<(String, String)> {
    if outcome.end != End::Exited || outcome.status != 0 || outcome.dropped.stdout > 0 {
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        tracing::warn!(end = ?outcome.end, status = outcome.status, %stderr, "what a hook wrote to {variable} could not be read");
        return Vec::new();
    }
    let is_host = |name: &str, value: &str| {
        host.iter().any(|(other, has)| {
            let is_same = if cfg!(windows) { other.eq_ignore_ascii_case(name) } else { other == OsStr::new(name) };
            is_same && has == OsStr::new(value)
        })
    };
    let printed = String::from_utf8_lossy(&outcome.stdout);
    let pairs = printed.split('\0').filter_map(|pair| pair.split_once('='));
    let is_new = |(name, value): &(&str, &str)| {
        !name.is_empty()
            && *name != variable
            && !OF_SHELLS.contains(name)
            && !name.starts_with("BASH_")
            && !is_host(name, value)
    };
    pairs.filter(is_new).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
