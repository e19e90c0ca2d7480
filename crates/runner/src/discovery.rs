//! All hooks that are found for a project, as `hookshell run` finds them: configs, hook files, whose they are, and trust.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookshell_agents::{discover_hook_files, discover_user_hook_files};
use hookshell_dispatch::Environment;

use crate::config::{Config, ConfigError, FoundFile, Origin, Warning};
use crate::dialect::Dialect;
use crate::runner::{Runner, RunnerBuilder};
use crate::state::state_dir;
use crate::trust::{Trust, TrustStore};

/// A file that has hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookSource {
    /// The file, and who named it.
    pub file: FoundFile,
    /// Is it a hook by itself, and no config?
    pub is_hook: bool,
}

impl HookSource {
    /// What is found for a project: the agent's configs (Crush's unless one is named) and hook files; the user's before the
    /// project's, and an administrator's last. `env` are the environment's variables.
    pub fn discover(
        dialect: Option<Dialect>,
        project: &Path,
        env: impl Fn(&str) -> Option<OsString> + Copy,
    ) -> Vec<Self> {
        let configs = dialect.unwrap_or_default().discover(project, env).into_iter();
        let mut sources: Vec<Self> = configs.map(Self::config).collect();
        let is_project = |source: &Self| source.file.origin == Origin::Project;
        // What an administrator manages stands after the project's configs, and stays there.
        let begin = sources.iter().position(is_project).unwrap_or(sources.len());
        let end = sources.iter().rposition(is_project).map_or(sources.len(), |last| last + 1);
        let hooks = discover_hook_files(project, env).into_iter().map(Self::hook);
        let (theirs, ours): (Vec<_>, Vec<_>) = hooks.partition(is_project);
        sources.splice(end..end, theirs);
        sources.splice(begin..begin, ours);
        sources
    }

    /// Those of them that are the user's or an administrator's: nothing of a project is looked at.
    pub fn discover_own(dialect: Option<Dialect>, env: impl Fn(&str) -> Option<OsString> + Copy) -> Vec<Self> {
        let configs = dialect.unwrap_or_default().discover_own(env).into_iter();
        let mut sources: Vec<Self> = configs.map(Self::config).collect();
        let end = sources.iter().position(|source| source.file.origin == Origin::Managed).unwrap_or(sources.len());
        sources.splice(end..end, discover_user_hook_files(env).into_iter().map(Self::hook));
        sources
    }

    /// A config.
    pub fn config(file: FoundFile) -> Self {
        Self { file, is_hook: false }
    }

    /// A hook by itself.
    pub fn hook(file: FoundFile) -> Self {
        Self { file, is_hook: true }
    }

    /// Adds its hooks to a config, and gives what is wrong with it. What is wrong is left out.
    pub fn add_to(&self, config: &mut Config) -> Vec<ConfigError> {
        if self.is_hook { config.add_hook_file(&self.file) } else { config.add_found(&self.file) }
    }
}

/// The hooks of a project and of its user: what `hookshell run` finds, and runs, for the same directory.
///
/// ```no_run
/// use hookshell_runner::{Dialect, DiscoveredHooks};
///
/// let found = DiscoveredHooks::discover(Some(Dialect::Claude), "/home/me/project".as_ref());
/// found.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
/// found.errors().iter().for_each(|error| eprintln!("{error}"));
/// let runner = found.runner().build()?;
/// # Ok::<(), hookshell_runner::BuildError>(())
/// ```
#[derive(Debug)]
pub struct DiscoveredHooks {
    project: PathBuf,
    env: Environment,
    config: Config,
    errors: Vec<ConfigError>,
}

impl DiscoveredHooks {
    /// Reads what the process's environment leads to. `dialect`: `None` is Crush's files, each read as it looks like.
    pub fn discover(dialect: Option<Dialect>, project: &Path) -> Self {
        Self::discover_with(dialect, project, Environment::of_process())
    }

    /// Likewise, with this environment in place of the process's: `HOME`, `XDG_CONFIG_HOME` and the agents' own variables name the
    /// user's directories, and hooks get it.
    pub fn discover_with(dialect: Option<Dialect>, project: &Path, env: impl Into<Environment>) -> Self {
        let env = env.into();
        let mut config = Config::in_dialect(dialect);
        let sources = HookSource::discover(dialect, project, env.lookup());
        let errors = sources.iter().flat_map(|source| source.add_to(&mut config)).collect();
        Self { project: project.to_owned(), env, config, errors }
    }

    /// The hooks.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Everything that is wrong in the files. What is wrong was left out: a host that is to run nothing then looks here first.
    pub fn errors(&self) -> &[ConfigError] {
        &self.errors
    }

    /// What is odd in the files.
    pub fn warnings(&self) -> &[Warning] {
        self.config.warnings()
    }

    /// A runner of these hooks. Those of the project run where the user trusts them (`hookshell trust`); sessions are remembered
    /// where `hookshell run` remembers them.
    pub fn runner(self) -> RunnerBuilder {
        let has_project_hooks = self.config.hooks().iter().any(|hook| hook.origin == Origin::Project);
        let state = state_dir(self.env.lookup());
        let mut builder = Runner::builder().config(self.config).env(self.env.clone());
        if has_project_hooks {
            builder = builder.trust_as_the_user(&self.project, self.env);
        }
        match state {
            Some(state) => builder.remember_sessions(state),
            None => builder,
        }
    }
}

impl RunnerBuilder {
    /// A project's hooks run where the user trusts them (`hookshell trust`); none where this environment names no directory in
    /// which trust is kept.
    pub fn trust_as_the_user(self, project: &Path, env: impl Into<Environment>) -> Self {
        let env = env.into();
        match state_dir(env.lookup()) {
            Some(state) => self.trust(TrustStore::new(state, env).project(project)),
            None => self.trust(|_: &_, _: &_| Trust::Untrusted(NO_STATE_DIRECTORY.to_owned())),
        }
    }
}

/// Why a project's hook does not run where nobody's trust can be looked up.
const NO_STATE_DIRECTORY: &str = "it was found in the project, and the environment names no directory in which trust is kept: \
                                             set XDG_STATE_HOME or HOME (on Windows LOCALAPPDATA)";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{DiscoveredHooks, Environment};
    use crate::event::Event;
    use crate::tool_input::ToolInput;
    use crate::{Decision, Dialect};

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn one_call_finds_what_the_command_line_finds() {
        let root = tempfile::tempdir().unwrap();
        let (home, project) = (root.path().join("home"), root.path().join("project"));
        let deny = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"echo mine >&2; exit 2"}]}]}}"#;
        write(&home.join(".claude").join("settings.json"), deny);
        let theirs = deny.replace("mine", "theirs");
        write(&project.join(".claude").join("settings.json"), &theirs);
        write(&project.join(".claude").join("settings.local.json"), "{ no JSON");
        let mut env: Environment = ["HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]
            .iter()
            .map(|name| (*name, home.clone().into_os_string()))
            .collect();
        env.extend(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let found = DiscoveredHooks::discover_with(Some(Dialect::Claude), &project, env);
        assert_eq!(found.config().hooks().len(), 2);
        assert_eq!(found.errors().len(), 1);
        assert!(found.errors()[0].to_string().contains("settings.local.json"), "{:?}", found.errors());

        let runner = found.runner().build().unwrap();
        let event = Event::pre_tool_use("Bash", ToolInput::parse(r#"{"command":"ls"}"#).unwrap(), &project);
        let verdict = runner.run_blocking(&event);
        // Nobody trusts the project.
        assert_eq!((verdict.opinion.decision, verdict.opinion.reason.as_deref()), (Some(Decision::Deny), Some("mine")));
        assert!(verdict.is_blocked());
        assert_eq!(verdict.untrusted(), 1);
        assert_eq!(verdict.clone().to_json(), verdict.to_json());
    }
}
