//! The hooks that a command is about: those of the files that are named, and of the files that are found.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hookshell_runner::{
    Config, ConfigError, Dialect, FoundFile, Origin, Runner, RunnerBuilder, Trust, TrustStore, discover_hook_files,
    discover_user_hook_files, state_folder,
};

use crate::commands::HookSources;
use crate::failure::{Failure, Sysexit};
use crate::model;
use crate::output::note;

/// A file that may have hooks.
#[derive(Debug)]
pub(crate) struct HookFile {
    pub(crate) file: FoundFile,
    /// Is it a hook by itself, and no config?
    pub(crate) is_hook: bool,
}

impl HookFile {
    /// Adds its hooks to a config, and gives what is wrong with it.
    pub(crate) fn add_to(&self, config: &mut Config) -> Vec<ConfigError> {
        if self.is_hook { config.add_hook_file(&self.file) } else { config.add_found(&self.file) }
    }
}

/// What is found for a project: the agent's configs (Crush's unless it is named) and hook files, the user's before the
/// project's.
pub(crate) fn find(dialect: Option<Dialect>, project: &Path) -> Vec<HookFile> {
    let env = |name: &str| std::env::var_os(name);
    let configs = dialect.unwrap_or_default().discover(project, env).into_iter();
    let mut files: Vec<HookFile> = configs.map(|file| HookFile { file, is_hook: false }).collect();
    let is_project = |file: &HookFile| file.file.origin == Origin::Project;
    // What an administrator manages stands behind the project's configs, and stays there.
    let begin = files.iter().position(is_project).unwrap_or(files.len());
    let end = files.iter().rposition(is_project).map_or(files.len(), |last| last + 1);
    let hooks = discover_hook_files(project, env).into_iter().map(|file| HookFile { file, is_hook: true });
    let (theirs, ours): (Vec<_>, Vec<_>) = hooks.partition(is_project);
    files.splice(end..end, theirs);
    files.splice(begin..begin, ours);
    files
}

/// Those of them that are the user's or an administrator's: nothing of a project is looked at.
fn find_own(dialect: Option<Dialect>) -> Vec<HookFile> {
    let env = |name: &str| std::env::var_os(name);
    let configs = dialect.unwrap_or_default().discover_own(env).into_iter();
    let mut files: Vec<HookFile> = configs.map(|file| HookFile { file, is_hook: false }).collect();
    let end = files.iter().position(|file| file.file.origin == Origin::Managed).unwrap_or(files.len());
    let hooks = discover_user_hook_files(env).into_iter().map(|file| HookFile { file, is_hook: true });
    files.splice(end..end, hooks);
    files
}

/// Those of them that are the project's.
pub(crate) fn find_of_project(dialect: Option<Dialect>, project: &Path) -> Vec<HookFile> {
    let mut files = find(dialect, project);
    files.retain(|file| file.file.origin == Origin::Project);
    files
}

/// The config files of every agent that are found for a project, each once.
pub(crate) fn of_all_agents(project: &Path) -> Vec<HookFile> {
    by_agent(project).into_iter().map(|(_, file)| HookFile { file, is_hook: false }).collect()
}

/// Likewise, each with the first agent that reads it.
fn by_agent(project: &Path) -> Vec<(Dialect, FoundFile)> {
    let mut files: Vec<(Dialect, FoundFile)> = Vec::new();
    for dialect in Dialect::ALL {
        for file in dialect.discover(project, |name| std::env::var_os(name)) {
            if !files.iter().any(|(_, other)| other.path == file.path) {
                files.push((dialect, file));
            }
        }
    }
    files
}

/// Where nothing was found although it was looked for, and no agent was named: what [`configs_of_agents`] says.
pub(crate) fn other_agents(sources: &HookSources, project: &Path) -> Option<String> {
    let looked = sources.config.is_empty() && !sources.no_hooks;
    if looked && sources.dialect.is_none() { configs_of_agents(project, |_| true) } else { None }
}

/// The agents beside Crush that have configs for a project, and how they are asked for; `None` where there are none.
/// `is_meant` says which files count.
pub(crate) fn configs_of_agents(project: &Path, is_meant: impl Fn(&FoundFile) -> bool) -> Option<String> {
    let mut agents: Vec<Dialect> =
        by_agent(project).into_iter().filter(|(_, file)| is_meant(file)).map(|(dialect, _)| dialect).collect();
    agents.dedup();
    agents.retain(|dialect| *dialect != Dialect::Native);
    let named = |dialect: &Dialect| format!("{} (--dialect {})", dialect.agent(), dialect.as_str());
    let named: Vec<String> = agents.iter().map(named).collect();
    match named.split_last() {
        None => None,
        Some((only, [])) => Some(format!("there is a config of {only}")),
        Some((last, others)) => Some(format!("there are configs of {} and {last}", others.join(", "))),
    }
}

/// Is it a regular file that begins with a `#!` line, or has the extension of a script? (To open a FIFO waits.)
pub(crate) fn is_script(path: &Path) -> bool {
    const EXTENSIONS: [&str; 9] = ["sh", "bash", "py", "js", "mjs", "cjs", "rb", "pl", "ps1"];
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    if EXTENSIONS.contains(&&*extension) {
        return path.is_file();
    }
    let mut head = [0; 2];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"#!"
}

/// The files that the options name, else, unless they say otherwise, those that are found.
pub(crate) fn files(sources: &HookSources, project: &Path) -> Vec<HookFile> {
    named_or(sources, || find(sources.dialect, project))
}

/// Likewise, without those of a project.
pub(crate) fn own_files(sources: &HookSources) -> Vec<HookFile> {
    named_or(sources, || find_own(sources.dialect))
}

fn named_or(sources: &HookSources, find: impl FnOnce() -> Vec<HookFile>) -> Vec<HookFile> {
    let given =
        |path: &PathBuf, is_hook| HookFile { file: FoundFile { path: path.clone(), origin: Origin::Given }, is_hook };
    let mut files = match sources.config.is_empty() && !sources.no_hooks {
        true => find(),
        false => sources.config.iter().map(|path| given(path, false)).collect(),
    };
    files.extend(sources.hook.iter().map(|path| given(path, true)));
    files
}

/// The hooks of files, by the rules of the agent, or as each file looks like. What is odd is noted unless it is to be
/// quiet; every error is reported, not only the first.
pub(crate) fn load(files: &[HookFile], dialect: Option<Dialect>, is_quiet: bool) -> Result<Config, Failure> {
    match load_what_is_right(files, dialect, is_quiet)? {
        (config, None) => Ok(config),
        (_, Some(failure)) => Err(failure.hint(CORRECT_FIRST)),
    }
}

/// Likewise, but what is wrong in the config of another agent costs only what it stands in, as it does in that agent: its other
/// hooks run, and what is wrong comes beside them.
pub(crate) fn load_what_is_right(
    files: &[HookFile],
    dialect: Option<Dialect>,
    is_quiet: bool,
) -> Result<(Config, Option<Failure>), Failure> {
    let mut config = Config::in_dialect(dialect);
    let (mut errors, mut of_agents) = (Vec::new(), Vec::new());
    for file in files {
        let before = config.sources().len();
        let found = file.add_to(&mut config);
        let is_agents = config.sources().get(before).is_some_and(|source| source.dialect != Dialect::Native);
        if is_agents { of_agents.extend(found) } else { errors.extend(found) }
    }
    for warning in config.warnings().iter().filter(|_| !is_quiet) {
        note(&format!("warning: {warning}"));
    }
    if !errors.is_empty() {
        errors.extend(of_agents);
        return Err(failure(&errors).hint(CORRECT_FIRST));
    }
    Ok((config, (!of_agents.is_empty()).then(|| failure(&of_agents))))
}

/// The advice where a config keeps every hook from being run.
const CORRECT_FIRST: &str = "no hook was run; correct the config first";

fn failure(errors: &[ConfigError]) -> Failure {
    let is_missing = |error: &ConfigError| matches!(error, ConfigError::Read { source, .. } if source.kind() != io::ErrorKind::InvalidData);
    let missing = errors.iter().all(is_missing);
    let code = if missing { Sysexit::NoInput } else { Sysexit::Data };
    Failure::with_reasons(code, "config", errors.iter().map(ToString::to_string).collect())
}

/// The user's trust in the hooks of projects; `None` where the environment names no folder for it.
pub(crate) fn trust_store() -> Option<TrustStore> {
    let folder = state_folder(|name| std::env::var_os(name))?;
    Some(TrustStore::new(folder, std::env::vars_os().collect()))
}

/// A runner of these hooks: those of the project run where they are trusted, or where `trust_project` says so.
pub(crate) fn runner(config: Config, project: &Path, trust_project: bool) -> RunnerBuilder {
    let asks = config.hooks().iter().any(|hook| hook.origin == Origin::Project);
    let builder = model::set_up(Runner::builder(), &config).config(config);
    match asks.then(trust_store) {
        _ if trust_project => builder.trust(|_: &_, _: &_| Trust::Trusted),
        Some(Some(store)) => builder.trust(store.project(project)),
        Some(None) => builder.trust(|_: &_, _: &_| Trust::Untrusted(NO_STATE_FOLDER.to_owned())),
        None => builder,
    }
}

/// Why a project's hook does not run where nobody's trust can be looked up.
const NO_STATE_FOLDER: &str = "it was found in the project, and the environment names no folder in which trust is kept: set \
                               XDG_STATE_HOME or HOME (on Windows LOCALAPPDATA)";
