//! What `hookshell run` is asked: an event, and the hooks that the user has for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookshell_runner::{Config, Dialect, Environment, Event, HookConfig};

use super::event::{EventSource, KnownEvent, above, event, event_name, named_by_payload, project};
use super::problems::Problems;
use super::{RunArgs, is_quiet};
use crate::as_hook::{self, Outer};
use crate::directories::directory_option;
use crate::failure::Failure;
use crate::project::may_have_hooks;
use crate::{sources, wired};

/// An event, and the hooks of the user's files and of those that were named. The project's own are read beside them.
pub(super) struct Request {
    pub(super) event: Arc<Event>,
    /// What was read of standard input: what another process of hookshell's that runs the same is given.
    pub(super) payload: Vec<u8>,
    pub(super) config: Config,
    /// How many files the hooks are of.
    pub(super) files: usize,
    /// The directory whose own hooks run too.
    pub(super) root: PathBuf,
    /// The events whose hooks are running around this one.
    pub(super) outer: Outer,
    /// One of these is the same event, or they are too deep: no hook runs.
    pub(super) is_nested: bool,
    /// The call is denied where anything is wrong.
    pub(super) is_closed: bool,
    pub(super) problems: Problems,
}

impl Request {
    /// Reads the options, standard input and the user's config files.
    pub(super) fn read(args: &RunArgs) -> Result<Self, Failure> {
        const GIVEN: EventSource = EventSource::Options("run");
        let (word, read) = match &args.event {
            Some(word) => (word.clone(), None),
            None => named_by_payload()?,
        };
        let (name, dialect_event_name) = event_name(GIVEN, args, &word)?;
        let cwd = directory_option("--cwd", args.cwd.as_deref())?;
        let project = project(GIVEN, args, &cwd)?;
        let root = project.as_deref().unwrap_or(&cwd).to_owned();
        // The user's own first: what the project has is read beside their hooks.
        let mut files = sources::own_files(&args.sources);
        let of_line = wired::resolve(&mut files, &[root.clone(), cwd.clone()], args.output.is_some());
        let root = of_line.clone().unwrap_or(root);
        let project = of_line.or(project);
        // The process that waits for this one has said what is odd.
        let is_told = is_quiet(args) || args.relayed.is_some();
        let (mut config, broken) = match sources::load_what_is_right(&files, args.sources.dialect, is_told) {
            // The agent is told in its own words, and the project's hooks run all the same.
            Err(failure) if args.output.is_some() => (Config::in_dialect(args.sources.dialect), Some(failure)),
            loaded => loaded?,
        };
        let mut problems = Problems::of_config(&config, name, &args.sources, broken);
        if args.output.is_some() && !args.sources.config.is_empty() && problems.is_empty() {
            problems.add(as_hook::without_moved_hooks(&config, &files, name, dialect_event_name));
        }
        // Codex's project is where it was started, which is the working directory where nobody says more.
        let is_assumed = || args.sources.dialect.is_some_and(|dialect| dialect.contract().starts_in_project());
        let is_told = project.as_deref().is_some_and(|project| project != cwd || !is_assumed());
        let known = KnownEvent { name, dialect_event_name, cwd: cwd.clone(), project, payload: read };
        let (event, payload) = event(GIVEN, args, known)?;
        let (root, event) = match project_of_payload(args, &cwd, &event).filter(|_| !is_told) {
            Some(root) => (root.clone(), event.with_project_dir(root)),
            None => (root, event),
        };
        let is_closed = args.fail_closed || config.is_fail_closed();
        let outer = Outer::of_environment();
        problems.add(as_hook::take_itself_out(&mut config, event.name()));
        let nested = outer.why_not(&event);
        let is_nested = nested.is_some();
        if is_nested {
            config.retain_hooks(|_| false);
        }
        problems.add(nested);
        let (event, files) = (Arc::new(event), files.len());
        Ok(Self { event, payload, config, files, root, outer, is_nested, is_closed, problems })
    }

    /// Is there an agent that waits for this process, and a hook that may say while it runs that it continues in the background?
    pub(super) fn may_continue_in_background(&self, args: &RunArgs) -> bool {
        // The other process reads them once more.
        let given = || {
            let input = args.input.as_deref().and_then(|input| input.strip_prefix('@')).map(Path::new);
            args.sources.config.iter().chain(&args.sources.hook).map(PathBuf::as_path).chain(input)
        };
        let may_be = !self.is_nested
            && args.output.is_some()
            && !args.background
            && args.relayed.is_none()
            && given().all(is_lasting);
        if !may_be {
            return false;
        }
        let env = Environment::of_process();
        let of_project =
            || args.sources.dialect.is_some_and(Dialect::may_say_async) && may_have_hooks(&args.sources, &self.root);
        let may = |hook: &HookConfig| {
            hook.dialect.may_say_async()
                && !hook.is_async
                && hook.kind.as_str() == "command"
                && hook.is_for(&self.event, &env)
        };
        let hooks = self.config.hooks();
        // For these the agent's process waits, whatever the others do.
        !hooks.iter().any(|hook| hook.rewakes && hook.is_for(&self.event, &env))
            && (hooks.iter().any(may) || of_project())
    }
}

/// The project of the directory that the payload says the agent is in, for hooks that were started elsewhere: there is none around their
/// own working directory.
fn project_of_payload(args: &RunArgs, cwd: &Path, event: &Event) -> Option<PathBuf> {
    let is_elsewhere = args.cwd.is_none() && event.cwd() != cwd && !may_have_hooks(&args.sources, cwd);
    if is_elsewhere { above(args.sources.dialect.unwrap_or_default(), event.cwd()) } else { None }
}

/// Is it a file that can be read twice? A pipe and what the shell has opened (`/dev/fd/63`) cannot.
fn is_lasting(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && !["/dev", "/proc"].iter().any(|root| path.starts_with(root))
}
