//! The project's hooks in `hookshell run`: read and run beside the user's, which never wait for them.

use std::path::Path;
use std::sync::{Arc, Mutex};

use hookshell_process::sync::lock;
use hookshell_runner::{Config, ConfigError, Dialect, Event, EventKind, ProjectRun, Runner};

use crate::failure::{Failure, Sysexit};
use crate::options::HookSources;
use crate::{as_hook, sources};

/// What a project may bring along, and how it is run: reads its config, and makes a runner of its hooks where it has any.
pub(crate) struct Project(Box<dyn FnOnce() -> (Option<Runner>, Report) + Send>);

/// What was found while the project's config was read.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// How many files it has.
    pub(crate) files: usize,
    /// What is odd in them, a line each.
    pub(crate) warnings: Vec<String>,
    /// How many more there are.
    pub(crate) warnings_left_out: usize,
    /// Those by which hooks are lost.
    pub(crate) lost: Vec<String>,
    /// The hooks that are hookshell itself, a line each.
    pub(crate) itself: Vec<String>,
    /// What is wrong in them.
    pub(crate) errors: Vec<ConfigError>,
    /// Why its hooks could not be run at all.
    pub(crate) failure: Option<Failure>,
}

/// How many warnings about a project's config are shown: a project may have any number.
const WARNINGS_SHOWN: usize = 5;

/// What is wrong in the user's own configs, with what was done about it. `has_run`: did any hook run?
pub(crate) fn left_out(broken: Failure, has_run: bool) -> Failure {
    broken.hint(format!("correct it: what is wrong was left out; {}", rest(has_run)))
}

/// What has happened beside what is wrong in a config.
fn rest(has_run: bool) -> &'static str {
    if has_run { "the other hooks ran" } else { "no other hook is for this event" }
}

impl Report {
    /// Everything that is wrong, as one failure of one line; `None` if nothing is. `has_run`: did any hook run?
    pub(crate) fn config_failure(&self, has_run: bool) -> Option<Failure> {
        if let Some(failure) = &self.failure {
            return Some(failure.clone());
        }
        let first = self.errors.first()?;
        let more = match self.errors.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more: `hookshell check` lists them)"),
        };
        Some(
            Failure::new(Sysexit::Data, "config", format!("{first}{more}"))
                .hint(format!("correct the project's config: what is wrong in it was left out; {}", rest(has_run))),
        )
    }

    /// What is to be noted of what is odd.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> =
            self.warnings.iter().take(WARNINGS_SHOWN).map(|warning| format!("warning: {warning}")).collect();
        let more = self.warnings.len().saturating_sub(WARNINGS_SHOWN) + self.warnings_left_out;
        if more > 0 {
            notes.push(format!("warning: the project's config: {more} more (`hookshell check` lists them)"));
        }
        notes
    }
}

/// A project whose hooks are being read and run.
pub(crate) struct Started {
    pub(crate) run: ProjectRun,
    report: Arc<Mutex<Report>>,
}

impl Started {
    /// What was found so far.
    pub(crate) fn report(&self) -> Report {
        std::mem::take(&mut *lock(&self.report))
    }
}

impl Project {
    /// The project in this directory; `None` if the command line names the hooks, or the project has nothing that could have
    /// any.
    pub(crate) fn of(
        sources: &HookSources,
        root: &Path,
        own: &Config,
        event: EventKind,
        build: impl FnOnce(Config) -> Result<Runner, Failure> + Send + 'static,
    ) -> Option<Self> {
        let may_have_hooks = may_have_hooks(sources, root);
        let (dialect, root, config) = (sources.dialect, root.to_owned(), own.for_project());
        let load =
            move || load(dialect, &root, config, Some(event), |config| as_hook::take_itself_out(config, event), build);
        may_have_hooks.then(|| Self::loading(load))
    }

    /// A project whose hooks this reads.
    pub(crate) fn loading(load: impl FnOnce() -> (Option<Runner>, Report) + Send + 'static) -> Self {
        Self(Box::new(load))
    }

    /// Begins to read and to run its hooks.
    pub(crate) fn start(self, event: &Event, wake: impl Fn() + Send + Sync + 'static) -> std::io::Result<Started> {
        let report = Arc::<Mutex<Report>>::default();
        let theirs = Arc::clone(&report);
        let load = move || {
            let (runner, found) = self.load();
            *lock(&theirs) = found;
            runner
        };
        Ok(Started { run: ProjectRun::start(event.clone(), load, wake)?, report })
    }

    /// Reads its config, and makes a runner of its hooks where it has any.
    pub(crate) fn load(self) -> (Option<Runner>, Report) {
        (self.0)()
    }
}

/// Is a project's config looked for, and has the project anything that could be one?
pub(crate) fn may_have_hooks(sources: &HookSources, root: &Path) -> bool {
    let is_looked_for = sources.config.is_empty() && !sources.no_hooks;
    is_looked_for && sources.dialect.unwrap_or_default().may_find_project_files(root, |name| std::env::var_os(name))
}

/// Reads the config of the project in this directory into `config`, and makes a runner of its hooks where it has any. `event` is what
/// happens, where that is known. `edit` may take hooks out, and says so.
pub(crate) fn load(
    dialect: Option<Dialect>,
    root: &Path,
    mut config: Config,
    event: Option<EventKind>,
    edit: impl FnOnce(&mut Config) -> Vec<String>,
    build: impl FnOnce(Config) -> Result<Runner, Failure>,
) -> (Option<Runner>, Report) {
    let files = sources::find_of_project(dialect, root);
    let mut report = Report { files: files.len(), ..Report::default() };
    for file in &files {
        report.errors.extend(file.add_to(&mut config));
    }
    report.warnings = config.warnings().iter().map(ToString::to_string).collect();
    report.warnings_left_out = config.warnings_left_out();
    report.lost = as_hook::lost(&config, event);
    report.itself = edit(&mut config);
    if config.hooks().is_empty() {
        return (None, report);
    }
    match build(config) {
        Ok(runner) => (Some(runner), report),
        Err(failure) => {
            report.failure = Some(failure);
            (None, report)
        }
    }
}
