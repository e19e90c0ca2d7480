//! `hookshell run`: an event's hooks, and the verdict.

mod answer;
mod args;
mod describe;
mod event;
mod hooks;
pub(crate) mod logging;

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use hookshell_dispatch::Dispatcher;
use hookshell_process::sync::lock;
use hookshell_runner::{
    BackgroundHooks, Config, Decision, Dialect, Event, HookConfig, HookOutcome, LeftOut, Runner, why_unreadable,
};

use self::answer::{Rendered, hand_on, is_no_verdict};
pub(crate) use self::args::{EXAMPLES, RunArgs};
pub(crate) use self::describe::describe;
use self::event::named_by_payload;
pub(crate) use self::event::{Given, event, event_name, name_in, project};
pub(crate) use self::hooks::waking;
use self::hooks::{Setting, Woken, runner};
use crate::as_hook::{self, Outer};
use crate::decide::{Beside, Decided, decide_with};
use crate::directories::directory_option;
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::otlp::Exporter;
use crate::output::{self, note};
use crate::project::Project;
use crate::relay;
use crate::signals::signal_status;
use crate::{background, project, sources, wired};

/// The exit code that blocks for every agent.
pub(crate) const BLOCKED: u8 = 2;

/// Is a command line one of `run` that is to block where it is wrong?
pub(crate) fn is_fail_closed(args: &[OsString]) -> bool {
    args.first().is_some_and(|command| command == "run") && args.iter().any(|arg| arg == "--fail-closed")
}

/// Runs an event's hooks.
pub(crate) fn main(args: &RunArgs) -> Result<ExitCode, Failure> {
    match run(args) {
        // Nothing was decided: the agent must not continue as if there were no hook.
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
    let (name, dialect_event_name) = event_name(Given::Options("run"), args, &word)?;
    let cwd = directory_option("--cwd", args.cwd.as_deref())?;
    let project = project(Given::Options("run"), args, &cwd)?;
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
    let is_empty = config.hooks().is_empty() && config.warnings().is_empty() && broken.is_none();
    let empty = args.sources.config.iter().filter(|_| is_empty).map(|file| as_hook::has_no_hooks(file));
    let mut wrong: Vec<String> = empty.collect();
    let mut lost = as_hook::lost(&config, Some(name));
    let (event, payload) = event(Given::Options("run"), args, name, dialect_event_name, cwd, project, read)?;
    let event = Arc::new(event);
    let is_closed = args.fail_closed || config.is_fail_closed();
    let outer = Outer::of_environment();
    wrong.extend(as_hook::take_itself_out(&mut config, event.name()));
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
    let (mut verdict, mut beside) =
        match decide_with(&runner, &event, project, Some(&dispatcher), args.relayed.is_some())? {
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
        let said = std::mem::take(&mut *lock(&woken));
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
            failure.hint(format!("correct it: what is wrong was left out; {rest}"))
        })
        .or(beside.report.broken());
    lost.append(&mut beside.report.lost);
    if args.output.is_some() {
        wrong.append(&mut lost);
    }
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
    // Without --output these were said when the config was read.
    wrong.append(&mut lost);
    as_hook::tell(&mut verdict, &wrong, is_closed, args.output.is_some());
    if args.output.is_some() {
        as_hook::shorten(&mut verdict);
    }
    if args.verbose {
        for line in std::iter::once(&runner).chain(&beside.runner).flat_map(|runner| in_another_case(runner, &event)) {
            note(&line);
        }
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
                    // The one that waits for the answer may have been ended; the hooks of the background continue.
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

/// The hooks that did not run since a tool's name stands in another case in their matcher.
fn in_another_case(runner: &Runner, event: &Event) -> Vec<String> {
    let choices = runner.choices(event).into_iter();
    let lines = choices.filter_map(|(hook, why)| match why {
        Some(LeftOut::Matcher { other_case: Some(_), .. }) => {
            Some(format!("the hook `{}` does not run: {}", hook.display_name(), why?))
        }
        _ => None,
    });
    lines.collect()
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
