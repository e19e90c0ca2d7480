//! `hookshell run`: an event's hooks, and the verdict.

mod answer;
mod args;
mod describe;
mod env_file;
mod event;
mod hooks;
pub(crate) mod logging;
mod problems;
mod request;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::time::SystemTime;

use self::answer::{PrintedVerdict, exit_code, is_no_verdict, relay_answer};
pub(crate) use self::args::{EXAMPLES, RunArgs};
pub(crate) use self::describe::describe;
pub(crate) use self::event::{EventSource, KnownEvent, above, event, event_name, name_in, project};
pub(crate) use self::hooks::waking;
use self::hooks::{Completion, Hooks};
use self::request::Request;
use crate::as_hook;
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::output::{self, note};
use crate::relay;
use crate::signals::signal_status;

/// The exit code that blocks for every agent.
pub(crate) const BLOCKED: u8 = 2;

/// Is a command line one of `run` that is to block where it is wrong?
pub(crate) fn is_fail_closed(args: &[OsString]) -> bool {
    args.first().is_some_and(|command| command == "run") && args.iter().any(|arg| arg == "--fail-closed")
}

/// For another agent standard error is the reason of a block, and has nothing else.
fn is_quiet(args: &RunArgs) -> bool {
    args.output.is_some() && !args.verbose
}

/// Runs an event's hooks.
pub(crate) fn main(args: RunArgs) -> ExitCode {
    let is_closed = args.fail_closed;
    run(args).unwrap_or_else(|failure| failed(failure, is_closed))
}

/// Nothing was decided.
fn failed(failure: Failure, is_closed: bool) -> ExitCode {
    let code = failure.report();
    // The agent must not continue as if there were no hook.
    if is_closed { ExitCode::from(BLOCKED) } else { code }
}

fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    check_parent(&args)?;
    let request = Request::read(&args)?;
    if !request.may_continue_in_background(&args) {
        return run_hooks(args, request);
    }
    let (is_verbose, is_closed, payload) = (args.verbose, request.is_closed, request.payload.clone());
    let mut own = Some((args, request));
    // A copy of this process takes them out of its own memory, and this one has them still.
    let relayed = relay::run(&payload, |mark| match own.take() {
        Some((args, request)) => run_relayed(RunArgs { relayed: Some(mark), ..args }, request),
        None => ExitCode::from(Sysexit::Software as u8),
    });
    match relayed {
        Ok(relayed) => return relay_answer(relayed, is_closed),
        Err(error) if is_verbose => {
            note(&format!(
                "warning: a hook that continues in the background is waited for: no process can be started: {error}"
            ));
        }
        Err(_) => {}
    }
    match own {
        Some((args, request)) => run_hooks(args, request),
        None => Ok(ExitCode::from(Sysexit::Software as u8)),
    }
}

/// In the process that another one waits for.
fn run_relayed(args: RunArgs, request: Request) -> ExitCode {
    let is_closed = args.fail_closed;
    check_parent(&args).and_then(|()| run_hooks(args, request)).unwrap_or_else(|failure| failed(failure, is_closed))
}

/// The process that waits for the answer must be there.
fn check_parent(args: &RunArgs) -> Result<(), Failure> {
    // One for the hooks of the background is started with the same words, and answers nobody.
    if !args.background && args.relayed.as_ref().is_some_and(|mark| !relay::ends_with_parent(mark)) {
        return Err(Failure::new(Sysexit::Software, "--relayed", "the process that waits for the answer has ended"));
    }
    Ok(())
}

/// Runs the hooks.
fn run_hooks(args: RunArgs, mut request: Request) -> Result<ExitCode, Failure> {
    let is_closed = args.fail_closed;
    let hooks = Hooks::of(&args, &mut request)?;
    let (event, began) = (request.event.clone(), SystemTime::now());
    Ok(hooks.run(&event, args.relayed.is_some(), move |ended| {
        let done = ended.and_then(|(hooks, completion)| end(&args, request, hooks, completion, began));
        done.unwrap_or_else(|failure| failed(failure, is_closed))
    }))
}

/// Prints the verdict, and does what is left to do.
fn end(
    args: &RunArgs,
    mut request: Request,
    hooks: Hooks,
    completion: Completion,
    began: SystemTime,
) -> Result<ExitCode, Failure> {
    let event = request.event;
    let (mut verdict, mut report) = match completion {
        Completion::Verdict(verdict, report) => (*verdict, report),
        // Nothing was decided, and nothing is printed.
        Completion::Signalled(signal) => return Ok(ExitCode::from(signal_status(signal))),
    };
    if args.background {
        hooks.wait_for_background(|| ());
        hooks.flush_exports();
        return Ok(ExitCode::from(0));
    }
    hooks.start_background(&verdict, &request.payload);
    hooks.wait_for_waking(&mut verdict);

    if args.verbose && request.files == 0 && report.files == 0 {
        describe::note_no_config(args, &request.root);
    }
    report.notes().iter().filter(|_| !is_quiet(args)).for_each(|line| note(line));
    let sources = &args.sources;
    if request.files == 0 && report.files == 0 && sources.config.is_empty() && !sources.no_hooks {
        request.problems.add(as_hook::in_files_never_read(sources.dialect, &request.root));
    }
    request.problems.add(hooks.runners().flat_map(|runner| runner.missed(&event)).map(|(_, line)| line));
    let broken = request.problems.tell(args, request.is_closed, &mut verdict, &mut report);
    if let Some(agent) = args.output {
        as_hook::shorten(&mut verdict, agent.is_default());
    }
    if args.verbose {
        describe::note_hooks(hooks.runners(), &event, &verdict);
    }
    env_file::append(args, &verdict);

    let mut answer = PrintedVerdict::new(args.output, &verdict);
    let (code, printed) = match &args.relayed {
        None => answer.print(),
        // The process that waits for the answer prints it.
        Some(_) => (answer.report_reason(), Ok(())),
    };
    logging::append(args, &event, &verdict);
    hooks.export(&event, &verdict, began);
    let code = exit_code(args, &verdict, code, broken.as_ref());
    if let Err(error) = printed
        // A deny and a halt are in the exit code too: they hold.
        && is_no_verdict(code)
    {
        hooks.flush_exports();
        return Err(Failure::new(Sysexit::Io, "standard output", error));
    }
    if args.verbose {
        // What goes wrong there is said, too.
        hooks.flush_exports();
    }
    match &args.relayed {
        None => {
            if hooks.exports() {
                output::close();
            }
            hooks.wait_for_background(output::close);
        }
        Some(mark) => {
            // The one that waits for the answer may have been ended; the hooks of the background continue.
            relay::outlive_parent();
            drop(answer.response(code).map(|response| response.give(mark)));
            hooks.wait_for_background(|| ());
        }
    }
    hooks.flush_exports();
    hooks.leave();
    let _ = ManuallyDrop::new((verdict, report, event));
    Ok(ExitCode::from(code))
}
