//! The hooks of an event in `hookshell run`: their runners, and what the process still has to do for them once there is a verdict.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use hookshell_dispatch::Dispatcher;
use hookshell_process::sync::lock;
use hookshell_runner::{
    BackgroundHooks, Config, Decision, Environment, Event, HookLog, HookOutcome, HookReport, Runner, Verdict, state_dir,
};

use super::request::Request;
use super::{RunArgs, logging};
use crate::decide::{Decided, Subject, decide_and};
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::otlp::Exporter;
use crate::output::note;
use crate::project::{Project, Report};
use crate::{background, sources};

/// What hooks of the background have told the model.
type Woken = Arc<Mutex<Vec<String>>>;

/// The exit code with which they do.
const WAKES: u8 = 2;

/// What a hook of the background that has ended tells the model.
pub(crate) fn waking(hook: &HookReport) -> Option<String> {
    let is_waking = hook.wakes && hook.exit_code == Some(WAKES);
    let said = || hook.opinion.reason.iter().chain(&hook.opinion.context).next().cloned();
    is_waking.then(|| said().unwrap_or_else(|| hook.stderr.clone()))
}

/// An event's hooks.
pub(super) struct Hooks {
    runner: Runner,
    /// What reads the project's, and runs them beside the others.
    project: Option<Project>,
    /// The project's that ran so.
    of_project: Option<Runner>,
    /// What was found in the project's config where it was read first.
    found: Option<Report>,
    dispatcher: Dispatcher,
    exporter: Option<Exporter>,
    woken: Woken,
    background: BackgroundHooks,
    /// The runner has one for the event and no more.
    is_alone: bool,
}

/// How the hooks' run ended.
pub(super) enum Completion {
    /// With a verdict, and what was found in the project's config.
    Verdict(Box<Verdict>, Report),
    /// This signal ended it.
    Signalled(i32),
}

impl Hooks {
    /// Those of a request, whose config this takes, and of its project.
    pub(super) fn of(args: &RunArgs, request: &mut Request) -> Result<Self, Failure> {
        let config = std::mem::take(&mut request.config);
        let dispatcher = args.dispatch.process_builder().watching_deadlines_later().build();
        let woken = Woken::default();
        let exporter = Exporter::of(|name| std::env::var_os(name), args.verbose);
        let background = match args.output {
            _ if args.background => BackgroundHooks::Only,
            // An agent waits for the process that is its hook.
            Some(_) => BackgroundHooks::Elsewhere,
            None => BackgroundHooks::Here,
        };
        let build = {
            let setting = Setting {
                root: request.root.clone(),
                trust_project: args.trust_project,
                log: logging::of_run(args),
                exporter: exporter.clone(),
                dispatcher: dispatcher.clone(),
                woken: Arc::clone(&woken),
                background,
                env: request.outer.environment(&request.event),
            };
            move |config: Config| runner(config, setting)
        };
        let project = Project::of(&args.sources, &request.root, &config, request.event.name(), build.clone());
        let mut project = project.filter(|_| !request.is_nested);
        let mut runner = build(config)?;
        let mut found = None;
        let count = |runner: &Runner| runner.hooks_for(&request.event).take(2).count();
        let mut hooks = count(&runner);
        if hooks == 0
            && let Some(project) = project.take()
        {
            // Nothing of the user's waits for it: no thread is needed.
            let (of_project, report) = project.load();
            if let Some(of_project) = of_project {
                hooks = count(&of_project);
                runner = of_project;
            }
            found = Some(report);
        }
        let is_alone = hooks == 1;
        Ok(Self { runner, project, of_project: None, found, dispatcher, exporter, woken, background, is_alone })
    }

    /// Runs them, the project's beside the user's. `then` is called when they have ended, on this thread or on another one.
    pub(super) fn run(
        mut self,
        event: &Arc<Event>,
        is_relayed: bool,
        then: impl FnOnce(Result<(Self, Completion), Failure>) -> ExitCode + Send + 'static,
    ) -> ExitCode {
        let (runner, dispatcher) = (self.runner.clone(), self.dispatcher.clone());
        let project = self.project.take();
        let is_alone = self.is_alone;
        let subject = Subject { runner: &runner, event, project, dispatcher: &dispatcher, is_alone, is_relayed };
        decide_and(subject, move |decided| {
            then(decided.map(|decided| {
                let completion = match decided {
                    Decided::Verdict(verdict, beside) => {
                        self.of_project = beside.runner;
                        Completion::Verdict(verdict, self.found.take().unwrap_or(beside.report))
                    }
                    Decided::Signalled(signal) => Completion::Signalled(signal),
                };
                (self, completion)
            }))
        })
    }

    /// The runners: the user's, and the project's where it is another.
    pub(super) fn runners(&self) -> impl Iterator<Item = &Runner> {
        std::iter::once(&self.runner).chain(&self.of_project)
    }

    /// Has another process run the hooks of the background that the agent does not wait for.
    pub(super) fn start_background(&self, verdict: &Verdict, payload: &[u8]) {
        let is_left = |hook: &HookReport| !hook.wakes && matches!(hook.outcome, HookOutcome::Started);
        if self.background == BackgroundHooks::Elsewhere
            && verdict.hooks.iter().any(is_left)
            && let Err(error) = background::start(payload)
        {
            note(&format!("warning: the hooks of the background were not started: {error}"));
        }
    }

    /// Waits for the hooks of the background that may tell the model something, and has the verdict say it: an agent waits for this
    /// process in any case.
    pub(super) fn wait_for_waking(&self, verdict: &mut Verdict) {
        let may_wake = verdict.hooks.iter().any(|hook| hook.wakes && matches!(hook.outcome, HookOutcome::Started));
        if may_wake && verdict.opinion.decision != Some(Decision::Deny) {
            self.wait_for_background(|| ());
            verdict.opinion.context.extend(std::mem::take(&mut *lock(&self.woken)));
        }
    }

    /// Waits for what runs on threads of this process: hooks of the background, and background lists of others, until their hook's
    /// deadline at the latest. `before` is called first where there is any.
    pub(super) fn wait_for_background(&self, before: impl FnOnce()) {
        let before = Cell::new(Some(before));
        let look = || {
            if let Some(before) = before.take() {
                before();
            }
            // Where no thread is to be had for their deadlines, this one looks.
            self.dispatcher.watch_deadlines();
            false
        };
        for runner in self.runners() {
            runner.wait_for_background(&look);
        }
    }

    /// Hands the hooks' runs, which began then, over to be sent to a collector.
    pub(super) fn export(&self, event: &Event, verdict: &Verdict, began: SystemTime) {
        self.exporter.iter().for_each(|exporter| exporter.export(event, &verdict.hooks, began));
    }

    /// Are runs sent to a collector?
    pub(super) fn exports(&self) -> bool {
        self.exporter.is_some()
    }

    /// The process ends: what commands leave in memory is not taken apart, for which a thread would be woken.
    pub(super) fn leave(self) {
        let _ = ManuallyDrop::new(self.dispatcher);
    }

    /// Waits until they are sent.
    pub(super) fn flush_exports(&self) {
        self.exporter.iter().for_each(Exporter::flush);
    }
}

/// What hooks are run with.
#[derive(Clone)]
struct Setting {
    root: PathBuf,
    trust_project: bool,
    log: Option<HookLog>,
    exporter: Option<Exporter>,
    dispatcher: Dispatcher,
    woken: Woken,
    background: BackgroundHooks,
    env: Environment,
}

/// A runner of these hooks, as the command line says.
fn runner(config: Config, setting: Setting) -> Result<Runner, Failure> {
    let Setting { root, trust_project, log, exporter, dispatcher, woken, background, env } = setting;
    let builder = sources::runner_in(config, &root, trust_project, env).background(background);
    // The verdict says that hooks of the background were started, and that others continue there as they have said: how they came
    // out is logged when they have ended.
    let mut builder = builder.on_background(move |event, hook| {
        logging::keep_result(log.as_ref(), exporter.as_ref(), event, hook);
        if let Some(said) = waking(hook) {
            lock(&woken).push(said);
        }
    });
    if let Some(state) = state_dir(|name| std::env::var_os(name)) {
        builder = builder.remember_sessions(state);
    }
    builder.dispatcher(dispatcher).build().map_err(|error| Failure::new(Sysexit::Software, "run", error))
}
