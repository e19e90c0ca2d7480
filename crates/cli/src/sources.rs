//! The hooks that a command is about: those of the files that are named, and of the files that are found.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hookshell_runner::{
    Config, ConfigError, Dialect, Environment, FoundFile, HookSource, Origin, Runner, RunnerBuilder, Trust, TrustStore,
    state_dir,
};

use crate::failure::{Failure, Sysexit};
use crate::model;
use crate::options::HookSources;
use crate::output::note;

/// What is found for a project: the agent's configs (Crush's unless it is named) and hook files.
pub(crate) fn find(dialect: Option<Dialect>, project: &Path) -> Vec<HookSource> {
    HookSource::discover(dialect, project, |name| std::env::var_os(name))
}

/// Those of them that are the project's.
pub(crate) fn find_of_project(dialect: Option<Dialect>, project: &Path) -> Vec<HookSource> {
    let mut files = find(dialect, project);
    files.retain(|file| file.file.origin == Origin::Project);
    files
}

/// The config files of every agent that are found for a project, each once.
pub(crate) fn of_all_agents(project: &Path) -> Vec<HookSource> {
    by_agent(project).into_iter().map(|(_, file)| HookSource::config(file)).collect()
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

/// The agents beside Crush that have configs for a project, and how they are asked for; `None` if there are none.
/// `is_meant` says which files count.
pub(crate) fn configs_of_agents(project: &Path, is_meant: impl Fn(&FoundFile) -> bool) -> Option<String> {
    let mut agents: Vec<Dialect> =
        by_agent(project).into_iter().filter(|(_, file)| is_meant(file)).map(|(dialect, _)| dialect).collect();
    agents.dedup();
    agents.retain(|dialect| !dialect.is_default());
    let named = |dialect: &Dialect| format!("{} (--dialect {})", dialect.agent(), dialect.as_str());
    let named: Vec<String> = agents.iter().map(named).collect();
    match named.split_last() {
        None => None,
        Some((only, [])) => Some(format!("there is a config of {only}")),
        Some((last, others)) => Some(format!("there are configs of {} and {last}", others.join(", "))),
    }
}

/// Files of a project in agents' directories, where somebody may have put hooks, although no agent reads them there.
pub(crate) const NEVER_READ: [(Dialect, &str); 9] = [
    (Dialect::Claude, ".claude/hooks.json"),
    (Dialect::Claude, ".claude/hooks/hooks.json"),
    (Dialect::Codex, ".codex/settings.json"),
    (Dialect::Codex, ".codex/hooks/hooks.json"),
    (Dialect::Gemini, ".gemini/hooks.json"),
    (Dialect::Cursor, ".cursor/settings.json"),
    (Dialect::Cursor, ".cursor/hooks/hooks.json"),
    (Dialect::Copilot, ".github/hooks.json"),
    (Dialect::Qwen, ".qwen/hooks.json"),
];

/// Those that are there, of one agent or of all.
pub(crate) fn never_read(dialect: Option<Dialect>, project: &Path) -> Vec<(Dialect, PathBuf)> {
    let files = NEVER_READ.into_iter().filter(|(of, _)| dialect.is_none_or(|dialect| dialect == *of));
    let files = files.map(|(of, file)| (of, project.join(file.replace('/', std::path::MAIN_SEPARATOR_STR))));
    files.filter(|(_, file)| file.is_file()).collect()
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
pub(crate) fn files(sources: &HookSources, project: &Path) -> Vec<HookSource> {
    named_or(sources, || find(sources.dialect, project))
}

/// Likewise, without those of a project.
pub(crate) fn own_files(sources: &HookSources) -> Vec<HookSource> {
    named_or(sources, || HookSource::discover_own(sources.dialect, |name| std::env::var_os(name)))
}

fn named_or(sources: &HookSources, find: impl FnOnce() -> Vec<HookSource>) -> Vec<HookSource> {
    let given = |path: &PathBuf| FoundFile { path: path.clone(), origin: Origin::Given };
    let mut files = match sources.config.is_empty() && !sources.no_hooks {
        true => find(),
        false => sources.config.iter().map(|path| HookSource::config(given(path))).collect(),
    };
    files.extend(sources.hook.iter().map(|path| HookSource::hook(given(path))));
    files
}

/// The hooks of files, by the rules of the agent, or as each file looks like. What is odd is noted unless it is to be
/// quiet; every error is reported, not only the first.
pub(crate) fn load(files: &[HookSource], dialect: Option<Dialect>, is_quiet: bool) -> Result<Config, Failure> {
    match load_what_is_right(files, dialect, is_quiet)? {
        (config, None) => Ok(config),
        (_, Some(failure)) => Err(failure.hint(CORRECT_FIRST)),
    }
}

/// Likewise, but what is wrong in a file costs only what it stands in: the other hooks run, and what is wrong comes beside them. Where
/// nothing is left that could run, it is a failure.
pub(crate) fn load_what_is_right(
    files: &[HookSource],
    dialect: Option<Dialect>,
    is_quiet: bool,
) -> Result<(Config, Option<Failure>), Failure> {
    let mut config = Config::in_dialect(dialect);
    let (mut errors, mut is_agents) = (Vec::new(), false);
    for file in files {
        let before = config.sources().len();
        let found = file.add_to(&mut config);
        // An agent that loses only what is wrong may be right to have no hook for the event.
        let source = config.sources().get(before).filter(|_| !file.is_hook);
        is_agents |=
            !found.is_empty() && source.is_some_and(|source| source.dialect.contract().loses_only_what_is_wrong());
        errors.extend(found);
    }
    for warning in config.warnings().iter().filter(|_| !is_quiet) {
        note(&format!("warning: {warning}"));
    }
    // The hooks of a project are read later, where no config is named.
    let are_all_named = files.iter().all(|file| file.file.origin == Origin::Given);
    if !errors.is_empty() && config.hooks().is_empty() && !is_agents && are_all_named {
        return Err(failure(&errors).hint(CORRECT_FIRST));
    }
    Ok((config, (!errors.is_empty()).then(|| failure(&errors))))
}

/// The advice where a config keeps every hook from being run.
const CORRECT_FIRST: &str = "no hook was run; correct the config first";

fn failure(errors: &[ConfigError]) -> Failure {
    let is_missing = |error: &ConfigError| matches!(error, ConfigError::Read { source, .. } if source.kind() != io::ErrorKind::InvalidData);
    let missing = errors.iter().all(is_missing);
    let code = if missing { Sysexit::NoInput } else { Sysexit::Data };
    Failure::with_reasons(code, "config", errors.iter().map(ToString::to_string).collect())
}

/// The user's trust in the hooks of projects; `None` if the environment names no directory for it.
pub(crate) fn trust_store() -> Option<TrustStore> {
    let directory = state_dir(|name| std::env::var_os(name))?;
    Some(TrustStore::new(directory, std::env::vars_os()))
}

/// A runner of these hooks: those of the project run where they are trusted, or where `trust_project` says so.
pub(crate) fn runner(config: Config, project: &Path, trust_project: bool) -> RunnerBuilder {
    runner_in(config, project, trust_project, Environment::of_process())
}

/// Likewise, with this environment for hooks, by which their files are found, too. Whom the user trusts our own environment says: what
/// a client gives hooks may come from the project.
pub(crate) fn runner_in(config: Config, project: &Path, trust_project: bool, env: Environment) -> RunnerBuilder {
    let asks = config.hooks().iter().any(|hook| hook.origin == Origin::Project);
    let builder = model::set_up(Runner::builder(), &config).config(config).env(env.clone());
    match asks {
        _ if trust_project => builder.trust(|_: &_, _: &_| Trust::Trusted),
        true => match state_dir(|name| std::env::var_os(name)) {
            Some(directory) => builder.trust(TrustStore::new(directory, env).project(project)),
            // No environment names a directory: the reason says what to do.
            None => builder.trust_as_the_user(project, Environment::default()),
        },
        false => builder,
    }
}
