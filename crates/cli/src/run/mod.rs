//! `hookshell run`: an event's hooks, and the verdict.

mod args;
pub(crate) mod logging;

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use hookshell_dispatch::Dispatcher;
use hookshell_runner::{
    BackgroundHooks, Config, Decision, Dialect, Event, EventKind, HookConfig, HookLog, HookOutcome, HookReport,
    JsonText, PayloadDefaults, Runner, ToolInput, Verdict, state_dir, why_unreadable,
};

pub(crate) use self::args::{EXAMPLES, RunArgs};
use crate::as_hook::{self, Outer};
use crate::decide::{Beside, Decided, decide_with};
use crate::directories::directory_option;
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::otlp::Exporter;
use crate::output::{self, note};
use crate::project::Project;
use crate::relay::{self, Answer, Relayed};
use crate::signals::signal_status;
use crate::{background, input, project, sources, stdin, wired};

/// The exit code that blocks for every agent.
pub(crate) const BLOCKED: u8 = 2;

/// Is a command line one of `run` that is to block where it is wrong?
pub(crate) fn is_fail_closed(args: &[OsString]) -> bool {
    args.first().is_some_and(|command| command == "run") && args.iter().any(|arg| arg == "--fail-closed")
}

/// Runs an event's hooks.
pub(crate) fn main(args: &RunArgs) -> Result<ExitCode, Failure> {
    match run(args) {
        // Nothing was decided: the agent must not go on as if there were no hook.
        Err(failure) if args.fail_closed => {
            failure.report();
            Ok(ExitCode::from(BLOCKED))
        }
        done => done,
    }
}

fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    // One for the hooks of the background is started with the same words, and answers nobody.
    if !args.background && args.relayed.as_ref().is_some_and(|mark| !relay::ends_with_parent(mark)) {
        return Err(Failure::new(Sysexit::Software, "--relayed", "the process that waits for the answer has ended"));
    }
    let (word, read) = match &args.event {
        Some(word) => (word.clone(), None),
        None => named_by_payload()?,
    };
    let (name, dialect_event_name) = event_name(args, &word)?;
    let cwd = directory_option("--cwd", args.cwd.as_deref())?;
    let project = project(args, &cwd)?;
    let root = project.as_deref().unwrap_or(&cwd).to_owned();
    // The user's own first: what the project has is read beside their hooks.
    let mut files = sources::own_files(&args.sources);
    let of_line = wired::resolve(&mut files, &[root.clone(), cwd.clone()], args.output.is_some());
    let root = of_line.clone().unwrap_or(root);
    let project = of_line.or(project);
    // For another agent standard error is the reason of a block, and has nothing else.
    let is_quiet = args.output.is_some() && !args.verbose;
    // The process that waits for this one has said it.
    let is_told = is_quiet || args.relayed.is_some();
    let (mut config, broken) = match sources::load_what_is_right(&files, args.sources.dialect, is_told) {
        // The agent is told in its own words, and the project's hooks run all the same.
        Err(failure) if args.output.is_some() => (Config::in_dialect(args.sources.dialect), Some(failure)),
        loaded => loaded?,
    };
    if args.output.is_none() && config.hooks().is_empty() && config.warnings().is_empty() && broken.is_none() {
        args.sources.config.iter().for_each(|file| note(&format!("warning: {} has no hooks", file.display())));
    }
    let (event, payload) = event(args, name, dialect_event_name, cwd, project, read)?;
    let is_closed = args.fail_closed || config.is_fail_closed();
    let outer = Outer::of_environment();
    let mut wrong = as_hook::take_itself_out(&mut config, event.name());
    let is_itself = outer.why_not(&event);
    if is_itself.is_some() {
        config.retain_hooks(|_| false);
    }
    let of_itself = is_itself.is_some();
    wrong.extend(is_itself);
    if !of_itself && may_go_on(args, &config, &event, &root) {
        match relay::run(&payload) {
            Ok(relayed) => return hand_on(relayed, is_closed),
            Err(error) if args.verbose => {
                note(&format!(
                    "warning: a hook that continues in the background is waited for: no process can be started: {error}"
                ));
            }
            Err(_) => {}
        }
    }
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
            root: root.clone(),
            trust_project: args.trust_project,
            log: logging::of_run(args),
            exporter: exporter.clone(),
            dispatcher: dispatcher.clone(),
            woken: Arc::clone(&woken),
            background,
            env: outer.environment(&event),
        };
        move |config: Config| runner(config, setting)
    };
    let mut project = Project::of(&args.sources, &root, &config, event.name(), build.clone()).filter(|_| !of_itself);
    let mut runner = build(config)?;
    let mut report = None;
    if runner.hooks_for(&event).next().is_none()
        && let Some(project) = project.take()
    {
        // Nothing of the user's waits for it: no thread is needed.
        let (of_project, found) = project.load();
        runner = of_project.unwrap_or(runner);
        report = Some(found);
    }

    let began = SystemTime::now();
    let (mut verdict, mut beside) = match decide_with(&runner, &event, project, Some(&dispatcher))? {
        Decided::Verdict(verdict, beside) => (verdict, *beside),
        // Nothing was decided, and nothing is printed.
        Decided::Signalled(signal) => return Ok(ExitCode::from(signal_status(signal))),
    };
    if let Some(report) = report {
        beside.report = report;
    }
    if args.background {
        wait_for_background(&runner, &beside, &dispatcher, || ());
        exporter.iter().for_each(Exporter::flush);
        return Ok(ExitCode::from(0));
    }
    if background == BackgroundHooks::Elsewhere
        && verdict.hooks.iter().any(|hook| !hook.wakes && matches!(hook.outcome, HookOutcome::Started))
        && let Err(error) = background::start(&payload)
    {
        note(&format!("warning: the hooks of the background were not started: {error}"));
    }
    let may_wake = verdict.hooks.iter().any(|hook| hook.wakes && matches!(hook.outcome, HookOutcome::Started));
    if may_wake && verdict.opinion.decision != Some(Decision::Deny) {
        // The agent waits for this process in any case; what such a hook says with its exit code 2 the model is told.
        wait_for_background(&runner, &beside, &dispatcher, || ());
        let said = std::mem::take(&mut *woken.lock().unwrap_or_else(PoisonError::into_inner));
        verdict.opinion.context.extend(said);
    }
    if args.verbose && files.is_empty() && beside.report.files == 0 {
        let others = sources::other_agents(&args.sources, &root);
        let others = others.map(|others| format!("; {others}")).unwrap_or_default();
        note(&format!("no config file found for {} or the user{others}", root.display()));
    }
    beside.report.notes().iter().filter(|_| !is_quiet).for_each(|line| note(line));
    let broken = broken
        .map(|failure| {
            let rest = if verdict.hooks.is_empty() { "no other hook is for this event" } else { "the other hooks ran" };
            failure.hint(format!("what is wrong was left out; {rest}"))
        })
        .or(beside.report.broken());
    wrong.append(&mut beside.report.itself);
    wrong.extend(broken.iter().map(Failure::one_line));
    wrong.extend(as_hook::failures(&verdict, args.sources.dialect, args.verbose));
    if args.output.is_none_or(|agent| !agent.contract().tells_user() && !is_closed) {
        // What is wrong in a config is printed at the end.
        let of_config = broken.as_ref().map(Failure::one_line);
        wrong
            .iter()
            .filter(|line| Some(*line) != of_config.as_ref())
            .for_each(|line| note(&format!("warning: {line}")));
    }
    as_hook::tell(&mut verdict, &wrong, is_closed, args.output.is_some());
    if args.output.is_some() {
        as_hook::shorten(&mut verdict);
    }
    if args.verbose {
        if verdict.hooks.is_empty() {
            let of = event.matched().map(|matched| format!(" of `{matched}`")).unwrap_or_default();
            note(&format!("no hook is for {}{of}", event.name()));
        }
        for hook in &verdict.hooks {
            note(&describe(hook));
            for file in &hook.dropped_context_files {
                note(&format!("{}: {file}", hook.name));
            }
            for warning in &hook.warnings {
                note(&format!("{}: warning: {}", hook.name, warning.replace('\n', " ")));
            }
        }
    }
    if let Some(file) = args.output.and_then(|agent| agent.contract().env_file())
        && !verdict.opinion.env.is_empty()
    {
        hand_on_variables(file, &verdict.opinion.env, args.verbose);
    }
    let mut rendered = Rendered::new(args.output, &verdict);
    let (code, printed) = match &args.relayed {
        None => rendered.print(),
        Some(_) => {
            let _ = output::print_error(&std::mem::take(&mut rendered.stderr));
            (rendered.code, Ok(()))
        }
    };
    logging::append(args, &event, &verdict);
    exporter.iter().for_each(|exporter| exporter.export(&event, &verdict.hooks, began));
    // A verdict that blocks has the exit code, and for another agent standard error too.
    // An agent drops what a hook says that fails: what there is to say goes before the report.
    let is_said = |output: Option<Dialect>| output.is_some_and(|agent| verdict.render(agent).stdout != "{}");
    let code = match &broken {
        Some(_) if code == 0 && is_said(args.output) => code,
        Some(failure) if code == 0 => {
            let _ = output::print_error(failure.to_string().trim_end());
            // An agent that denies at every other exit code passes over what is wrong in a config of its own.
            let is_its_own = args.output.is_some_and(|agent| agent.contract().denies_unknown_codes())
                && args.sources.dialect == args.output;
            if is_its_own { 0 } else { failure.code as u8 }
        }
        Some(failure) if !is_quiet => {
            let _ = output::print_error(failure.to_string().trim_end());
            code
        }
        _ => code,
    };
    match printed {
        // A deny and a halt are in the exit code too: they hold.
        Err(error) if is_no_verdict(code) => {
            exporter.iter().for_each(Exporter::flush);
            Err(Failure::new(Sysexit::Io, "standard output", error))
        }
        _ => {
            // Background hooks, and background lists of others, run on threads of this process, until their hook's
            // deadline at the latest.
            if args.verbose {
                // What goes wrong there is said, too.
                exporter.iter().for_each(Exporter::flush);
            }
            match &args.relayed {
                None => {
                    if exporter.is_some() {
                        output::close();
                    }
                    wait_for_background(&runner, &beside, &dispatcher, output::close);
                }
                Some(mark) => {
                    // The one that waits for the answer may have been ended; the hooks of the background go on.
                    relay::outlive_parent();
                    drop(rendered.answer(code).map(|answer| answer.give(mark)));
                    wait_for_background(&runner, &beside, &dispatcher, || {});
                }
            }
            exporter.iter().for_each(Exporter::flush);
            Ok(ExitCode::from(code))
        }
    }
}

/// The project's root directory, where it is named or the agent tells it.
pub(crate) fn project(args: &RunArgs, cwd: &Path) -> Result<Option<PathBuf>, Failure> {
    Ok(match &args.project {
        Some(project) => Some(directory_option("--project", Some(project))?),
        // An agent whose model has changed the directory still has the project's hooks.
        None if args.cwd.is_none() => {
            let dialect = args.sources.dialect;
            let told = dialect.and_then(|dialect| dialect.project_dir(|name| std::env::var_os(name)));
            told.or_else(|| dialect.filter(|_| args.output.is_some()).and_then(|dialect| above(dialect, cwd)))
                .or_else(|| dialect.filter(|dialect| dialect.contract().starts_in_project()).map(|_| cwd.to_owned()))
        }
        None => None,
    })
}

/// Waits for what runs on threads of this process; `before` is called first where there is any.
fn wait_for_background(runner: &Runner, beside: &Beside, dispatcher: &Dispatcher, before: impl FnOnce()) {
    let before = Cell::new(Some(before));
    let look = || {
        if let Some(before) = before.take() {
            before();
        }
        // Where no thread is to be had for their deadlines, this one looks.
        dispatcher.watch_deadlines();
        false
    };
    for runner in std::iter::once(runner).chain(&beside.runner) {
        runner.wait_for_background(&look);
    }
}

/// Writes the variables that hooks have set for the session into the agent's own file for them, which the variable `file` names:
/// each hook had one of ours.
fn hand_on_variables(file: &str, variables: &[(String, String)], is_verbose: bool) {
    let Some(path) = std::env::var_os(file).map(PathBuf::from).filter(|path| path.is_absolute()) else {
        return;
    };
    let is_name = |name: &str| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let mut lines = String::new();
    for (name, value) in variables.iter().filter(|(name, _)| is_name(name)) {
        lines.push_str(&format!("export {name}='{}'\n", value.replace('\'', r"'\''")));
    }
    let written =
        OpenOptions::new().append(true).create(true).open(&path).and_then(|mut file| file.write_all(lines.as_bytes()));
    if let Err(error) = written
        && is_verbose
    {
        note(&format!("{file} {}: {}", path.display(), why_unreadable(&error)));
    }
}

/// Is it a file that can be read twice? A pipe and what the shell has opened (`/dev/fd/63`) cannot.
fn is_lasting(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && !["/dev", "/proc"].iter().any(|root| path.starts_with(root))
}

/// Is there a hook that may say, while it runs, that it continues in the background, and an agent that waits for this process?
fn may_go_on(args: &RunArgs, config: &Config, event: &Event, root: &Path) -> bool {
    let of_project =
        || args.sources.dialect.is_some_and(Dialect::may_say_async) && project::may_have_hooks(&args.sources, root);
    let may = |hook: &HookConfig| {
        hook.dialect.may_say_async() && !hook.is_async && hook.kind.as_str() == "command" && hook.is_for(event)
    };
    // The other process reads them once more.
    let given = || {
        let input = args.input.as_deref().and_then(|input| input.strip_prefix('@')).map(Path::new);
        args.sources.config.iter().chain(&args.sources.hook).map(PathBuf::as_path).chain(input)
    };
    args.output.is_some()
        && !args.background
        && args.relayed.is_none()
        && given().all(is_lasting)
        // For these the agent's process waits, whatever the others do.
        && !config.hooks().iter().any(|hook| hook.rewakes && hook.is_for(event))
        && (config.hooks().iter().any(may) || of_project())
}

/// Hands on what another process has answered.
fn hand_on(relayed: Relayed, fail_closed: bool) -> Result<ExitCode, Failure> {
    match relayed {
        Relayed::Answered(Answer { text, code, printed, unprinted, reason }, said) => {
            let _ = output::print_to_stderr(&said);
            let mut rendered = Rendered { text: Ok(text), stderr: String::new(), code: printed, unprinted, reason };
            let (held, failed) = rendered.print();
            let code = if held == 0 { code } else { held };
            match failed {
                Err(error) if is_no_verdict(code) => Err(Failure::new(Sysexit::Io, "standard output", error)),
                _ => Ok(ExitCode::from(code)),
            }
        }
        Relayed::Ended(code, printed, said) => {
            let _ = output::print_to_stderr(&said);
            if said.is_empty() {
                note(&format!("the process that ran the hooks ended with {code} and gave no verdict"));
            }
            let _ = output::print(&printed);
            Ok(ExitCode::from(if fail_closed { BLOCKED } else { code }))
        }
        Relayed::Signalled(signal, said) => {
            let _ = output::print_to_stderr(&said);
            Ok(ExitCode::from(signal_status(signal)))
        }
    }
}

/// Is an exit code none that blocks?
fn is_no_verdict(code: u8) -> bool {
    code == 0 || code == Sysexit::Data as u8 || code == Sysexit::NoInput as u8
}

/// What is printed of a verdict: for an agent as its hooks print it.
struct Rendered {
    text: io::Result<String>,
    stderr: String,
    code: u8,
    /// The exit code with which it holds where it cannot be printed.
    unprinted: u8,
    /// What is then said on standard error.
    reason: String,
}

impl Rendered {
    fn new(output: Option<Dialect>, verdict: &Verdict) -> Self {
        let reason = verdict.opinion.reason.clone().unwrap_or_default();
        match output {
            None => {
                let code = verdict.exit_code();
                let unprinted = verdict.exit_code_unprinted(code);
                Self { text: output::verdict_json(verdict), stderr: String::new(), code, unprinted, reason }
            }
            Some(agent) => {
                let rendered = verdict.render(agent);
                Self {
                    text: Ok(format!("{}\n", rendered.stdout)),
                    reason: if rendered.stderr.is_empty() { reason } else { String::new() },
                    stderr: rendered.stderr,
                    code: rendered.exit_code,
                    unprinted: rendered.exit_code_unprinted,
                }
            }
        }
    }

    /// Prints it. Gives the exit code with which it holds, whether it could be printed or not: what denies, halts or asks is not
    /// let through where nobody can read it.
    fn print(&mut self) -> (u8, io::Result<()>) {
        // A reason that nobody can read leaves the exit code.
        let _ = output::print_error(&self.stderr);
        let text = std::mem::replace(&mut self.text, Ok(String::new()));
        match text.and_then(|text| output::print_verdict(&text, self.code != self.unprinted)) {
            Err(error) if self.unprinted != 0 => {
                let _ = output::print_error(&self.reason);
                note(&format!(
                    "standard output: {error}: the verdict was not printed, and the exit code {} blocks",
                    self.unprinted
                ));
                (self.unprinted, Err(error))
            }
            printed => (self.code, printed),
        }
    }

    /// The same for a process that prints it.
    fn answer(self, code: u8) -> io::Result<Answer> {
        Ok(Answer { text: self.text?, code, printed: self.code, unprinted: self.unprinted, reason: self.reason })
    }
}

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
    env: Vec<(OsString, OsString)>,
}

/// A runner of these hooks, as the command line says.
fn runner(config: Config, setting: Setting) -> Result<Runner, Failure> {
    let Setting { root, trust_project, log, exporter, dispatcher, woken, background, env } = setting;
    let has_background = config.hooks().iter().any(|hook| hook.is_async);
    let mut builder = sources::runner(config, &root, trust_project).background(background).env(env);
    if has_background {
        // The verdict says that they were started: how they came out is logged when they have ended.
        builder = builder.on_background(move |event, hook| {
            if let Some(log) = &log {
                drop(log.append_result(event, hook));
            }
            if let Some(exporter) = &exporter {
                exporter.export(event, std::slice::from_ref(hook), SystemTime::now() - hook.elapsed);
            }
            if let Some(said) = waking(hook) {
                woken.lock().unwrap_or_else(PoisonError::into_inner).push(said);
            }
        });
    }
    if let Some(state) = state_dir(|name| std::env::var_os(name)) {
        builder = builder.remember_sessions(state);
    }
    builder.dispatcher(dispatcher).build().map_err(|error| Failure::new(Sysexit::Software, "run", error))
}

/// The event: by the name that the dialect has for it, or else any agent.
pub(crate) fn event_name(args: &RunArgs, word: &str) -> Result<(EventKind, Option<&'static str>), Failure> {
    if let Some((dialect_event_name, event)) = args.sources.dialect.and_then(|dialect| dialect.event(word))
        // `PreToolUse` is ours and means all hooks for it, those of Cursor's `beforeShellExecution` too; `preToolUse` is
        // Cursor's own.
        && (dialect_event_name == word || word.parse::<EventKind>().is_err())
    {
        return Ok((event, Some(dialect_event_name)));
    }
    Dialect::any_event(word).map_err(|error| Failure::new(Sysexit::Usage, "run", error))
}

/// The event: of the options, or of the payload on standard input; and that payload.
pub(crate) fn event(
    args: &RunArgs,
    name: EventKind,
    dialect_event_name: Option<&'static str>,
    cwd: PathBuf,
    project: Option<PathBuf>,
    read: Option<Vec<u8>>,
) -> Result<(Event, Vec<u8>), Failure> {
    let session = args.session.clone().unwrap_or_default();
    // What was read of standard input.
    let mut used = Vec::<u8>::new();
    let usage = |what, why: String, hint| Err(Failure::new(Sysexit::Usage, what, why).hint(hint));
    let event = match (&args.tool, &args.input, &args.prompt) {
        (None, None, None) => {
            let defaults = PayloadDefaults {
                event: Some(name),
                dialect_event_name,
                cwd,
                project_dir: project,
                session_id: session,
            };
            let wrong = |why: String| {
                Failure::new(Sysexit::Data, "standard input", why)
                    .hint("the event is one JSON object; or give it with --tool and --input, or --prompt")
            };
            let payload = read.map_or_else(|| payload(name), Ok)?;
            if name.needs_data() && payload.trim_ascii().is_empty() {
                return Err(wrong("it is empty, and the event is read from it".to_owned()));
            }
            let event = Event::from_payload(&payload, &defaults).map_err(|error| wrong(error.to_string()))?;
            let started_in = defaults.project_dir.is_none().then_some(defaults.cwd);
            let dialect = args.sources.dialect.unwrap_or_default();
            let event = match started_in.filter(|started_in| is_project_of(dialect, started_in, &event)) {
                Some(started_in) => event.with_project_dir(started_in),
                None => event,
            };
            return Ok((event, payload));
        }
        (None, Some(_), _) => {
            let hint = "name the tool: --tool bash; or give the whole event as JSON on standard input";
            return usage("run", "--input without --tool".to_owned(), hint);
        }
        (Some(tool), input, None) => {
            let input = match input {
                None => ToolInput::default(),
                Some(given) => input::tool_input(given)?,
            };
            if args.input.as_deref() == Some("-") {
                used = input.get().as_bytes().to_vec();
            }
            match name {
                EventKind::PreToolUse => Event::pre_tool_use(tool, input, &cwd),
                EventKind::PermissionRequest => Event::permission_request(tool, input, &cwd),
                EventKind::PostToolUse => Event::post_tool_use(tool, input, JsonText::default(), &cwd),
                EventKind::PostToolUseFailure => Event::post_tool_use_failure(tool, input, "", &cwd),
                _ => {
                    let hint = "give the event as JSON on standard input";
                    return usage("--tool", format!("{name} is not about a tool"), hint);
                }
            }
        }
        (None, None, Some(prompt)) if name == EventKind::UserPromptSubmit => Event::user_prompt_submit(prompt, &cwd),
        (_, _, Some(_)) => {
            let hint = "only UserPromptSubmit has; give a tool's call with --tool and --input";
            return usage("--prompt", format!("{name} has no prompt"), hint);
        }
    };
    let event = event.with_session_id(session).with_project_dir(project.unwrap_or(cwd));
    let event = match dialect_event_name {
        Some(dialect_event_name) => event.with_own_name(dialect_event_name),
        None => event,
    };
    Ok((event, used))
}

/// Is a directory the project's, of an agent whose model has gone on to a directory below it? The agent says the project's in a
/// variable; without that it is where its config files are.
fn is_project_of(dialect: Dialect, directory: &Path, event: &Event) -> bool {
    let home =
        || ["HOME", "USERPROFILE"].iter().any(|name| std::env::var_os(name).is_some_and(|home| directory == home));
    dialect.tells_project()
        && event.cwd() != directory
        && event.cwd().starts_with(directory)
        && dialect.may_have_project_files(directory)
        && !home()
}

/// The nearest directory from which on an agent has files of its own: its project's. The user's home directory is none.
fn above(dialect: Dialect, cwd: &Path) -> Option<PathBuf> {
    let is_home = |directory: &Path| {
        ["HOME", "USERPROFILE"].iter().any(|name| std::env::var_os(name).is_some_and(|home| directory == home))
    };
    let mut directories = cwd.ancestors().take_while(|directory| !is_home(directory));
    directories.find(|directory| dialect.may_have_project_files(directory)).map(Path::to_owned)
}

/// The event that the payload on standard input names, and the payload.
fn named_by_payload() -> Result<(String, Option<Vec<u8>>), Failure> {
    const NAMES: [&str; 3] = ["hook_event_name", "hookEventName", "hookName"];
    let none = |why: &str| {
        Failure::new(Sysexit::Usage, "run", why)
            .hint("name it: hookshell run PreToolUse; or give the whole event as JSON on standard input")
    };
    if io::stdin().is_terminal() {
        return Err(none("no event is named"));
    }
    let payload = payload(EventKind::PreToolUse)?;
    let text = payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&payload);
    let object = serde_json::from_slice::<serde_json::Value>(text).ok();
    let name = NAMES.iter().find_map(|name| object.as_ref()?.get(name)?.as_str().map(str::to_owned));
    match name {
        Some(name) => Ok((name, Some(payload))),
        None => Err(none("no event is named, and standard input has no `hook_event_name`")),
    }
}

fn payload(name: EventKind) -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        if !name.needs_data() {
            return Ok(Vec::new());
        }
        return Err(Failure::new(Sysexit::Usage, "run", "no --tool, and standard input is a terminal")
            .hint(r#"for example: hookshell run PreToolUse --tool bash --input '{"command":"ls"}'"#));
    }
    stdin::read_object().map_err(|error| Failure::new(Sysexit::Io, "standard input", why_unreadable(&error)))
}

/// How the route of a command begins that was not started.
const NOTHING_STARTED: &str = "nothing is started: ";

/// One hook's result in one line.
pub(crate) fn describe(hook: &HookReport) -> String {
    let outcome = if hook.has_syntax_error { "syntax error," } else { hook.outcome.as_str() };
    let mut line = format!("{}: {outcome}", hook.name);
    match hook.opinion.decision {
        Some(decision) => line.push_str(&format!(" {}", decision.as_str())),
        None if hook.has_syntax_error => line.push_str(" no decision"),
        None => {}
    }
    if hook.opinion.halt {
        line.push_str(" halt");
    }
    if let Some(code) = hook.exit_code {
        line.push_str(&format!(", exit code {code}"));
    }
    line.push_str(&format!(", {} ms", hook.elapsed.as_millis()));
    // Why nothing was started is the failure itself.
    if let Some(route) = hook.route.as_ref().filter(|route| !route.starts_with(NOTHING_STARTED)) {
        line.push_str(&format!(", {route}"));
    }
    let why = match &hook.outcome {
        HookOutcome::Failed(failure) => hook.opinion.reason.clone().or_else(|| Some(failure.to_string())),
        _ => hook.opinion.reason.clone(),
    };
    if let Some(why) = why {
        line.push_str(": ");
        line.push_str(&why.replace('\n', " "));
    }
    line
}
