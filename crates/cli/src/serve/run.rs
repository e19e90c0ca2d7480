//! `hooks/run`: what `hookshell run` does, by the same code.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use hookshell_process::sync::lock;
use hookshell_runner::{
    Config, Decision, Dialect, Event, EventKind, HookLog, HookProgress, Runner, Verdict, WakeReason, state_dir,
};
use hookshell_serve::protocol::{
    ErrorCode, HookState, Message, MessageLevel, Options, ProgressParams, Rendered, RequestId, RpcError, RunParams,
    RunResult, WakeParams,
};
use hookshell_serve::{Call, Responder, read_params, to_result};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::cache::{HasRunner, Key, Loaded};
use super::host::{HostModel, HostUi};
use super::options::{self, Settings};
use super::service::{Hooks, error};
use super::waiting::{HooksToRun, Then, Waiter, run_hooks};
use crate::failure::{Failure, Sysexit};
use crate::project::{self, Project, Report};
use crate::run::{self, EventSource, KnownEvent, RunArgs, logging};
use crate::{as_hook, sources};

/// What was made of the user's config files.
pub(super) struct Own {
    runner: Runner,
    config: Config,
    messages: Vec<Message>,
    of_events: OfEvents,
    /// What is wrong in them.
    broken: Option<Arc<Failure>>,
}

/// What is to be said for an event of hooks that were left out or are lost.
type OfEvents = Vec<(EventKind, String)>;

impl HasRunner for Own {
    fn runner(&self) -> Option<&Runner> {
        Some(&self.runner)
    }
}

/// What was made of a project's config files.
pub(super) struct OfProject {
    runner: Option<Runner>,
    messages: Vec<Message>,
    of_events: OfEvents,
    /// What is wrong in them.
    report: Arc<Report>,
}

impl HasRunner for OfProject {
    fn runner(&self) -> Option<&Runner> {
        self.runner.as_ref()
    }
}

/// Runs an event's hooks.
pub(super) fn main(hooks: &Arc<Hooks>, params: Option<&RawValue>, responder: Responder) {
    match read_params::<RunParams>(params).and_then(|params| plan(hooks, &params, responder.call())) {
        Ok(Plan::Hooks(run, to_run)) => run.start(to_run, responder),
        Ok(Plan::Nothing(result)) => responder.respond(to_result(&result)),
        Err(why) if is_fail_closed(hooks, params) => {
            responder.respond(denied(params, &why).and_then(|result| to_result(&result)));
        }
        Err(why) => responder.respond(Err(why)),
    }
}

/// Is the event to be denied where it cannot be understood? As far as that can be read: of what is there twice the last counts.
fn is_fail_closed(hooks: &Hooks, params: Option<&RawValue>) -> bool {
    type Members<'p> = HashMap<Cow<'p, str>, &'p RawValue>;
    fn member<'p>(of: &'p RawValue, name: &str) -> Option<&'p RawValue> {
        serde_json::from_str::<Members<'p>>(of.get()).ok()?.get(name).copied()
    }
    let said = params.and_then(|params| member(member(params, "options")?, "fail_closed"));
    let said = said.and_then(|said| serde_json::from_str(said.get()).ok());
    let own = Options { fail_closed: said, ..Options::default() };
    hooks.client().is_ok_and(|client| options::fail_closed(&hooks.args, &client.defaults, &own))
}

/// The verdict on an event that could not be decided.
fn denied(params: Option<&RawValue>, why: &RpcError) -> Result<RunResult, RpcError> {
    #[derive(Deserialize, Default)]
    struct RequestedOutput {
        #[serde(default)]
        event: Option<String>,
        #[serde(default)]
        output: Option<String>,
    }
    let said: RequestedOutput = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
    let kind = said.event.and_then(|event| Dialect::any_event(&event).ok());
    let kind = kind.map_or(EventKind::PreToolUse, |(kind, _)| kind);
    denial(kind, said.output.and_then(|output| output.parse().ok()), why)
}

fn denial(kind: EventKind, agent: Option<Dialect>, why: &RpcError) -> Result<RunResult, RpcError> {
    let event = Event::other(kind, None, std::env::temp_dir());
    let mut verdict = without_hooks(&event)?;
    let reason = format!("hookshell: the hooks could not be asked: {}", why.message);
    deny(&mut verdict, reason.clone());
    result(&verdict, agent, vec![error_message(reason)])
}

/// The verdict on an event for which no hook is run.
fn without_hooks(event: &Event) -> Result<Verdict, RpcError> {
    let runner = Runner::builder().build().map_err(|error| RpcError::new(ErrorCode::Internal, error.to_string()))?;
    Ok(runner.run_blocking(event))
}

fn error_message(text: String) -> Message {
    Message { level: MessageLevel::Error, text }
}

/// What was found in the configs that an event's hooks come from.
#[derive(Default)]
struct Found {
    messages: Vec<Message>,
    /// What is wrong in the user's, and in the project's.
    own: Option<Arc<Failure>>,
    project: Option<Arc<Report>>,
}

impl Found {
    /// All that is to be said. `has_run`: did any hook run?
    fn messages(self, has_run: bool) -> Vec<Message> {
        let own = self.own.map(|failure| project::left_out((*failure).clone(), has_run));
        let of_project = self.project.and_then(|report| report.config_failure(has_run));
        let broken = own.into_iter().chain(of_project).map(|failure| config_error(&failure));
        self.messages.into_iter().chain(broken).collect()
    }
}

/// What is to be said of a config: a warning is an error where hooks are `lost` by it, which would have guarded something.
fn warnings_and_errors(warnings: impl Iterator<Item = String>, lost: Vec<String>) -> impl Iterator<Item = Message> {
    let mut warnings: Vec<String> = warnings.collect();
    warnings.retain(|warning| !lost.contains(warning));
    let warnings = warnings.into_iter().map(|text| Message { level: MessageLevel::Warning, text });
    warnings.chain(lost.into_iter().map(error_message))
}

/// The hooks that a runner misses for this event.
fn missed(runner: &Runner, event: &Event) -> Vec<Message> {
    runner.missed(event).into_iter().map(|(_, line)| error_message(line)).collect()
}

/// Says what is to be said for this event: what is odd in a config is an error where it has lost hooks for it.
fn tell_of_event(messages: &mut Vec<Message>, all: &OfEvents, event: &Event) {
    for (_, text) in all.iter().filter(|(of, _)| *of == event.name()) {
        messages.retain(|message| message.text != *text);
        messages.push(error_message(text.clone()));
    }
}

fn deny(verdict: &mut Verdict, reason: String) {
    verdict.opinion.decision = Some(Decision::Deny);
    verdict.opinion.reason = Some(match verdict.opinion.reason.take() {
        Some(before) => format!("{before}\n{reason}"),
        None => reason,
    });
}

fn result(verdict: &Verdict, agent: Option<Dialect>, messages: Vec<Message>) -> Result<RunResult, RpcError> {
    let internal = |error: serde_json::Error| RpcError::new(ErrorCode::Internal, format!("the verdict: {error}"));
    let rendered = agent.map(|agent| {
        // The verdict has all of it; what an agent shows is cut as that of `hookshell run --output` is.
        let shown = as_hook::shortened(verdict);
        let rendered = shown.as_ref().unwrap_or(verdict).render(agent);
        Rendered { stdout: rendered.stdout, stderr: rendered.stderr, exit_code: rendered.exit_code }
    });
    let exit_code = verdict.exit_code();
    Ok(RunResult { verdict: to_raw_value(verdict).map_err(internal)?, exit_code, rendered, messages })
}

/// What the command line would be.
fn run_args(params: &RunParams, settings: &Settings) -> Result<RunArgs, RpcError> {
    let output = params.output.as_deref().map(str::parse::<Dialect>).transpose();
    let invalid = |why: String| RpcError::new(ErrorCode::InvalidParams, why);
    let is_payload = params.payload.is_some();
    if is_payload && (params.tool.is_some() || params.input.is_some() || params.prompt.is_some()) {
        return Err(invalid(
            "`params`: `payload` has the whole event: no `tool`, `input` or `prompt` beside it".to_owned(),
        ));
    }
    for (name, value) in [("input", &params.input), ("payload", &params.payload)] {
        if value.as_ref().is_some_and(|value| !value.get().starts_with('{')) {
            return Err(invalid(format!("`params`: `{name}` must be a JSON object")));
        }
    }
    Ok(RunArgs {
        event: params.event.clone(),
        fail_closed: settings.fail_closed,
        sources: settings.sources.clone(),
        trust_project: settings.trust_project,
        output: output.map_err(|error| invalid(format!("`output`: {error}")))?,
        tool: params.tool.clone(),
        input: params.input.as_ref().map(|input| input.get().to_owned()),
        prompt: params.prompt.clone(),
        cwd: settings.cwd.clone(),
        project: settings.project.clone(),
        session: Some(settings.session.clone()).filter(|session| !session.is_empty()),
        no_log: settings.no_log,
        log_payload: settings.log_payload,
        ..RunArgs::default()
    })
}

/// What is to be done for an event.
enum Plan {
    /// No hook is run.
    Nothing(RunResult),
    Hooks(Box<HooksRun>, HooksToRun),
}

/// What is needed for the answer when the hooks of an event have ended.
struct HooksRun {
    hooks: Arc<Hooks>,
    args: RunArgs,
    event: Arc<Event>,
    found: Arc<Mutex<Found>>,
    /// Where it is logged.
    log: Option<HookLog>,
    is_closed: bool,
}

fn plan(hooks: &Arc<Hooks>, params: &RunParams, call: &Call) -> Result<Plan, RpcError> {
    let settings = hooks.settings(&params.options)?;
    let args = run_args(params, &settings)?;
    let failed = |failure: Failure| error(&failure);
    let word = params.event.clone().or_else(|| run::name_in(params.payload.as_deref()?.get().as_bytes())).ok_or_else(
        || RpcError::new(ErrorCode::InvalidParams, "`params`: `event` is missing, and no payload names it"),
    )?;
    let (name, dialect_event_name) = run::event_name(EventSource::Params, &args, &word).map_err(failed)?;
    let dispatcher = hooks.dispatcher(&settings)?;
    if lock(&hooks.kinds_of_threads).contains(&name) {
        // A thread that is woken for nothing is in the way of the answer.
        dispatcher.expect_command();
    }
    let cwd = hooks.directory(&settings)?;
    let project = run::project(EventSource::Params, &args, &cwd).map_err(failed)?;
    let root = project.clone().unwrap_or_else(|| cwd.clone());
    let payload = params.payload.as_ref().map(|payload| payload.get().as_bytes().to_vec()).unwrap_or_default();
    let known = KnownEvent { name, dialect_event_name, cwd, project, payload: Some(payload) };
    let (event, _) = run::event(EventSource::Params, &args, known).map_err(failed)?;
    let is_itself = hooks.outer.why_not(&event);
    let event = Arc::new(hooks.outer.mark_event(event));

    // The sources of the log are those of the process.
    let log = logging::of_process(&args, || hooks.log.clone());
    let making = Making { hooks: Arc::clone(hooks), settings: Arc::new(settings), root, log: log.clone() };
    let own = making.own().map_err(failed)?;
    let is_closed = making.settings.fail_closed || own.made.config.is_fail_closed();
    if let Some(why) = is_itself {
        let mut verdict = without_hooks(&event)?;
        as_hook::tell(&mut verdict, std::slice::from_ref(&why), is_closed, args.output.is_some());
        return Ok(Plan::Nothing(result(&verdict, args.output, vec![error_message(why)])?));
    }
    let mut messages = own.made.messages.clone();
    tell_of_event(&mut messages, &own.made.of_events, &event);
    messages.extend(missed(&own.made.runner, &event));
    let found = Found { messages, own: own.made.broken.clone(), project: None };
    let found = Arc::new(Mutex::new(found));
    let observe = Observe::new(call, params.progress);
    let mut runner = observe.watch(&own.made.runner);
    let mut project = project::may_have_hooks(&making.settings.sources, &making.root).then(|| {
        let (observe, found) = (observe.clone(), Arc::clone(&found));
        let (making, own, event) = (making.clone(), Arc::clone(&own), Arc::clone(&event));
        Project::loading(move || {
            let loaded = making.of_project(&own);
            let mut found = lock(&found);
            found.messages.extend(loaded.made.messages.iter().cloned());
            found.project = Some(Arc::clone(&loaded.made.report));
            tell_of_event(&mut found.messages, &loaded.made.of_events, &event);
            found.messages.extend(loaded.made.runner.iter().flat_map(|runner| missed(runner, &event)));
            drop(found);
            (loaded.made.runner.as_ref().map(|runner| observe.watch(runner)), Report::default())
        })
    });
    if runner.hooks_for(&event).next().is_none()
        && let Some(project) = project.take()
    {
        // Nothing of the user's waits for it: no thread is needed.
        runner = project.load().0.unwrap_or(runner);
    }
    // One alone is run by the thread of its request.
    let is_alone = project.is_none() && runner.hooks_for(&event).nth(1).is_none();
    match is_alone {
        true => lock(&hooks.kinds_of_threads).remove(&name),
        false => lock(&hooks.kinds_of_threads).insert(name),
    };
    let hooks = Arc::clone(hooks);
    let run = Box::new(HooksRun { hooks, args, event: Arc::clone(&event), found, log, is_closed });
    Ok(Plan::Hooks(run, HooksToRun { runner, event, project, is_alone }))
}

impl HooksRun {
    /// Runs them, and answers when they have ended.
    fn start(self: Box<Self>, to_run: HooksToRun, responder: Responder) {
        let began = SystemTime::now();
        let event = &to_run.event;
        let (call, hooks) = (Arc::clone(responder.call()), Arc::clone(&self.hooks));
        let waiter = Waiter::new(hooks.threads.clone(), &responder);
        // The hooks of the end itself are not ended by it.
        let open = (event.name() != EventKind::SessionEnd).then(|| {
            let waiter = Arc::clone(&waiter);
            hooks.open_runs.enter(event.session_id(), call.number(), move || waiter.tell(WakeReason::Other))
        });
        let then: Then = Box::new(move |waited| {
            let is_closed = self.is_closed.then(|| (self.event.name(), self.args.output));
            let mut ran = None;
            let result = waited.and_then(|(verdict, report)| {
                let verdict = ran.insert(verdict);
                let result = self.result(verdict, &report);
                result.or_else(|why| is_closed.map_or(Err(why.clone()), |(kind, agent)| denial(kind, agent, &why)))
            });
            let result = result.and_then(|result| to_result(&result));
            // What is kept of it is nothing that an agent would wait for.
            responder.respond_then(result, move || ran.iter().for_each(|verdict| self.keep(verdict, began)));
        });
        run_hooks(&waiter, to_run, call, open, then);
    }

    /// The result of the request.
    fn result(&self, verdict: &mut Verdict, report: &Report) -> Result<RunResult, RpcError> {
        let Self { hooks, args, event, found, is_closed, .. } = self;
        if event.name() == EventKind::SessionEnd {
            hooks.open_runs.end_all(event.session_id()).wait();
        }
        let has_run = !verdict.hooks.is_empty();
        let mut messages = std::mem::take(&mut *lock(found)).messages(has_run);
        messages.extend(report.config_failure(has_run).iter().map(config_error));
        let failures = as_hook::failures(verdict, args.sources.dialect, false);
        messages.extend(failures.into_iter().map(error_message));
        let is_error = |message: &&Message| message.level == MessageLevel::Error;
        let wrong: Vec<String> = messages.iter().filter(is_error).map(|message| message.text.clone()).collect();
        as_hook::tell(verdict, &wrong, *is_closed, args.output.is_some());
        result(verdict, args.output, messages)
    }

    /// Logs and exports what ran.
    fn keep(&self, verdict: &Verdict, began: SystemTime) {
        logging::append_to(self.log.as_ref(), &self.args, &self.event, verdict);
        self.hooks.exporter.iter().for_each(|exporter| exporter.export(&self.event, &verdict.hooks, began));
    }
}

/// Tells the client of hooks that start and end.
#[derive(Clone)]
struct Observe {
    told: Option<Arc<ProgressTarget>>,
}

struct ProgressTarget {
    id: RequestId,
    tell: Box<dyn Fn(ProgressParams) + Send + Sync>,
    /// How many hooks have started, of the user's and of the project's runner.
    next: Mutex<u64>,
}

impl Observe {
    fn new(call: &Call, is_wanted: bool) -> Self {
        let told = || {
            let notifier = call.notifier();
            let tell = move |params: ProgressParams| notifier.notify("$/progress", &params);
            Arc::new(ProgressTarget { id: call.id().clone(), tell: Box::new(tell), next: Mutex::new(0) })
        };
        Self { told: is_wanted.then(told) }
    }

    /// The runner, which reports on its hooks.
    fn watch(&self, runner: &Runner) -> Runner {
        let Some(told) = self.told.clone() else { return runner.clone() };
        // Of two runners each counts its own.
        let numbers = Mutex::new(Vec::<Option<u64>>::new());
        runner.observed(move |index, hook, progress| {
            let mut numbers = lock(&numbers);
            if numbers.len() <= index {
                numbers.resize(index + 1, None);
            }
            let Some(number) = numbers.get_mut(index) else { return };
            let hook_number = *number.get_or_insert_with(|| {
                let mut next = lock(&told.next);
                *next += 1;
                *next - 1
            });
            drop(numbers);
            let (state, ms) = match progress {
                HookProgress::Started => (HookState::Started, None),
                HookProgress::Ended(after) => {
                    (HookState::Ended, Some(u64::try_from(after.as_millis()).unwrap_or(u64::MAX)))
                }
                _ => return,
            };
            (told.tell)(ProgressParams {
                id: told.id.clone(),
                hook: hook_number,
                name: hook.display_name(),
                state,
                status_message: hook.status_message.clone().filter(|_| state == HookState::Started),
                ms,
            });
        })
    }
}

/// How runners of a request are made.
#[derive(Clone)]
struct Making {
    hooks: Arc<Hooks>,
    settings: Arc<Settings>,
    root: PathBuf,
    log: Option<HookLog>,
}

impl Making {
    fn key(&self, after: Option<u64>) -> Key {
        let Settings { sources, trust_project, env, dispatch, no_log, log_payload, .. } = &*self.settings;
        Key {
            configs: sources.config.clone(),
            hooks: sources.hook.clone(),
            dialect: sources.dialect,
            no_hooks: sources.no_hooks,
            trust_project: *trust_project,
            root: self.root.clone(),
            env: env.clone(),
            dispatch: dispatch.clone(),
            log: (*no_log, *log_payload),
            after,
        }
    }

    /// The user's runner.
    fn own(&self) -> Result<Arc<Loaded<Own>>, Failure> {
        let sources = &self.settings.sources;
        let files = sources::own_files(sources);
        let make = |files: &[hookshell_runner::HookSource]| {
            let (mut config, found) = sources::load_what_is_right(files, sources.dialect, true)?;
            let mut of_events = as_hook::lost_by_name(&config);
            of_events.extend(as_hook::take_itself_out_of_all(&mut config, |_| true));
            let lost = as_hook::lost(&config, None);
            let has_none = config.hooks().is_empty() && config.disabled().is_empty();
            let is_empty = has_none && config.warnings().is_empty() && found.is_none();
            let empty = sources.config.iter().filter(|_| is_empty);
            let empty = empty.map(|file| error_message(as_hook::has_no_hooks(file)));
            let warnings = config.warnings().iter().map(ToString::to_string);
            let messages = warnings_and_errors(warnings, lost);
            let messages = messages.chain(empty).collect();
            let runner = self.runner(config.clone())?;
            Ok(Own { runner, config, messages, of_events, broken: found.map(Arc::new) })
        };
        let runners = &self.hooks.runners;
        runners.own.get(self.key(None), files, make, |old| runners.retire(&old))
    }

    /// The project's, after this one of the user's.
    fn of_project(&self, own: &Loaded<Own>) -> Arc<Loaded<OfProject>> {
        let dialect = self.settings.sources.dialect;
        let files = sources::find_of_project(dialect, &self.root);
        let make = |_: &[hookshell_runner::HookSource]| {
            let config = own.made.config.for_project();
            let mut of_events = Vec::new();
            let take_out = |config: &mut Config| {
                of_events = as_hook::lost_by_name(config);
                of_events.extend(as_hook::take_itself_out_of_all(config, |_| true));
                Vec::new()
            };
            let (runner, mut report) =
                project::load(dialect, &self.root, config, None, take_out, |config| self.runner(config));
            let lost = std::mem::take(&mut report.lost);
            let notes = report.notes().into_iter();
            let notes = notes.map(|note| note.trim_start_matches("warning: ").to_owned());
            let messages = warnings_and_errors(notes, lost).collect();
            Ok::<_, std::convert::Infallible>(OfProject { runner, messages, of_events, report: Arc::new(report) })
        };
        let runners = &self.hooks.runners;
        match runners.projects.get(self.key(Some(own.number)), files, make, |old| runners.retire(&old)) {
            Ok(loaded) => loaded,
            Err(never) => match never {},
        }
    }

    fn runner(&self, config: Config) -> Result<Runner, Failure> {
        let env = self.hooks.outer.of_process(self.settings.environment(&self.hooks.env));
        let mut builder = sources::runner_in(config, &self.root, self.settings.trust_project, env);
        let client = self.hooks.client().ok();
        if let Some(client) = client {
            if client.capabilities.ui {
                builder = builder.ui(HostUi(client.questions.clone()));
            }
            if client.capabilities.llm {
                builder = builder.llm_client(HostModel(client.questions.clone()));
            }
        }
        let (log, exporter) = (self.log.clone(), self.hooks.exporter.clone());
        let questions = client.map(|client| client.questions.clone());
        // The verdict says that hooks of the background were started, and that others continue there as they have said: how they
        // came out is logged when they have ended, and what they tell the model the client hears then.
        builder = builder.on_background(move |event, hook| {
            logging::keep_result(log.as_ref(), exporter.as_ref(), event, hook);
            if let (Some(questions), Some(text)) = (&questions, run::waking(hook)) {
                let (session, name) = (event.session_id().to_owned(), hook.name.clone());
                let event = event.name().to_string();
                questions.notify("hooks/wake", &WakeParams { session, event, name, text });
            }
        });
        builder = match state_dir(|name| std::env::var_os(name)) {
            Some(state) => builder.remember_sessions(state),
            None => builder.share_sessions(self.hooks.sessions.clone()),
        };
        let dispatcher = self
            .hooks
            .dispatcher(&self.settings)
            .map_err(|error| Failure::new(Sysexit::Usage, "options", error.message))?;
        builder.dispatcher(dispatcher).build().map_err(|error| Failure::new(Sysexit::Software, "run", error))
    }
}

/// What is wrong with a config, for the user.
fn config_error(failure: &Failure) -> Message {
    let mut text = failure.reasons().join("\n");
    if let Some(advice) = failure.advice() {
        text.push_str(&format!("\nhint: {advice}"));
    }
    Message { level: MessageLevel::Error, text }
}
