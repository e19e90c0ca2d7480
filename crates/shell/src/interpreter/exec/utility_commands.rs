//! The commands that a bundled utility runs (`xargs`, `find -exec`, `timeout`, …): how they start, how they end, and their time limit.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookshell_process::sync::lock;
use hookshell_process::{Interrupt, signals};
use hookshell_utility::{
    CancelReason, CommandCall, CommandEnd, CommandOutcome, Commands, Done, FdTable, RunToken, ShellCall, StartedShell,
    Stopped, TimeLimit,
};

use crate::flow::NEXT;
use crate::interpreter::NewShell;
use crate::jobs::{Job, JobKind};
use crate::shell::Shell;

/// There is no such process, in the systems that have numbers of errors.
const ESRCH: i32 = 3;

/// The commands of a utility that a shell runs.
pub(super) struct ShellCommands<'a>(pub(super) &'a Shell);

impl Commands for ShellCommands<'_> {
    fn is_guest(&self) -> bool {
        !self.0.host.is_process
    }

    fn may_run(&self, path: &Path, contents: &[u8]) -> Result<(), String> {
        self.0.host.executor.may_run(path, contents)
    }

    fn signal(&self, id: u32, signal: i32) -> io::Result<()> {
        let host = &self.0.host;
        if host.is_process {
            return signals::send(id, signal);
        }
        let is_nobody = |error: &io::Error| matches!(error.raw_os_error(), None | Some(ESRCH));
        host.cancel.tree().signal(id, signal).map_err(|error| {
            if !is_nobody(&error) {
                return error;
            }
            // One that has ended meanwhile is nobody's: the system says so.
            match signals::send(id, 0) {
                Err(gone) if is_nobody(&gone) => gone,
                _ => io::Error::other("it is no process of this run"),
            }
        })
    }

    fn is_alive(&self, id: u32) -> bool {
        let Self(caller) = self;
        let host = &caller.host;
        id == caller.context.subshell.id
            || host.run.signal(id, 0)
            || host.cancel.tree().signal(id, 0).is_ok()
            || match signals::send(id, 0) {
                Ok(()) => true,
                // Somebody else's process.
                Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
            }
    }

    fn run(&self, command: &CommandCall<'_>) -> Result<CommandEnd, Stopped> {
        self.run_for(command, None).map(|outcome| outcome.end)
    }

    fn run_for(&self, command: &CommandCall<'_>, limit: Option<TimeLimit>) -> Result<CommandOutcome, Stopped> {
        let Self(caller) = self;
        let not_started = |reason: String| {
            let end = CommandEnd::NotStarted { status: 126, reason };
            Ok(CommandOutcome { end, signal: None, timed_out: false })
        };
        let Some(limit) = limit else {
            return self.run_within(self.fresh_for(&caller.context.cancel, command), command);
        };
        let part = caller.context.cancel.part();
        let shell = self.fresh_for(&part, command);
        let timer = match Timer::start(&shell, &part, limit) {
            Ok(timer) => timer,
            Err(error) => return not_started(format!("cannot limit its time: {}", super::reason(&error))),
        };
        let run = || self.run_within(shell, command);
        let result = caller.leaving_interrupts(|| caller.host.run.run_timed(&caller.context.cancel, &part, run));
        let timed_out = timer.stop();
        caller.context.cancel.end_part(&part);
        match result {
            Ok(outcome) => Ok(CommandOutcome { timed_out, ..outcome }),
            // It was ended here, as by the signal.
            Err(Stopped::Cancelled) if timed_out && !caller.context.cancel.is_cancelled() => {
                let signal = if part.is_killed() { KILL } else { limit.signal };
                let signal = u8::try_from(signal).unwrap_or(0);
                let end = CommandEnd::Ended(128_u8.wrapping_add(signal));
                Ok(CommandOutcome { end, signal: Some(signal), timed_out })
            }
            Err(stopped) => Err(stopped),
        }
    }

    fn start(&self, command: &CommandCall<'_>, done: Done) -> Result<Box<dyn StartedShell>, String> {
        let Self(caller) = self;
        let mut starter = self.fresh_for(&caller.context.cancel, command);
        if starter.is_too_deep() {
            return Err("utilities call each other too deeply".to_owned());
        }
        let mut shell = starter.fork();
        shell.context.depth = starter.context.depth;
        // Only the thread holds its descriptors.
        starter.env.fds = FdTable::default();
        let argv = command.argv.clone();
        let started = starter.spawn_thread(shell, move |shell| {
            let mut ending = Ending::default();
            let (end, flow) = match shell.run_for_utility(&argv, &mut ending) {
                ControlFlow::Continue(end) => (end, NEXT),
                ControlFlow::Break(divert) => (CommandEnd::Ended(shell.env.status), ControlFlow::Break(divert)),
            };
            done(CommandOutcome { end, signal: ending.signal, timed_out: false });
            flow
        });
        match started {
            ControlFlow::Continue(job) => Ok(Box::new(ShellOnThread { starter, job })),
            ControlFlow::Break(_) => Err("there are too many threads".to_owned()),
        }
    }

    fn start_shell(&self, line: &ShellCall<'_>) -> Result<Box<dyn StartedShell>, String> {
        let Self(caller) = self;
        let mut starter = caller.fresh(NewShell {
            env: line.env,
            name: b"sh",
            args: Vec::new(),
            fds: line.fds.clone(),
            is_command_string: false,
            id: None,
        });
        starter.env.inherited.cwd = Arc::from(line.cwd);
        starter.context.depth += 1;
        if starter.is_too_deep() {
            return Err("commands are nested too deeply".to_owned());
        }
        let mut shell = starter.fork();
        // It is that shell, not a subshell of it: `$$` is its own number, and `kill $$` ends it.
        shell.context = starter.context.clone();
        // Only the thread holds its descriptors: the end of a pipe is seen when it ends.
        starter.env.fds = FdTable::default();
        let source: Arc<[u8]> = line.source.into();
        match starter.spawn_thread(shell, move |shell| shell.run_sourced(&source, false).map_continue(|_| ())) {
            ControlFlow::Continue(job) => Ok(Box::new(ShellOnThread { starter, job })),
            ControlFlow::Break(_) => Err("there are too many threads".to_owned()),
        }
    }
}

/// A command line on a thread of its own.
struct ShellOnThread {
    starter: Shell,
    job: Job,
}

impl StartedShell for ShellOnThread {
    fn wait(&mut self) -> Result<u8, Stopped> {
        match self.starter.wait_for_job(&self.job) {
            ControlFlow::Continue(()) => Ok(self.starter.env.status),
            ControlFlow::Break(_) => Err(Stopped::Cancelled),
        }
    }

    fn ended_by(&self) -> Option<u8> {
        let JobKind::Thread(state) = &self.job.kind else { return None };
        let end = (*lock(&state.status))?;
        u8::try_from(end.signal).ok().filter(|signal| *signal > 0)
    }
}

impl ShellCommands<'_> {
    /// A shell of its own for a command.
    fn fresh_for(&self, cancel: &RunToken, command: &CommandCall<'_>) -> Shell {
        let Self(caller) = self;
        let new = NewShell {
            env: command.env,
            name: &caller.env.inherited.name,
            args: Vec::new(),
            fds: command.fds.clone(),
            is_command_string: false,
            id: None,
        };
        let mut shell = caller.fresh_within(cancel.clone(), new);
        shell.env.inherited.cwd = Arc::from(command.cwd);
        shell.context.line = caller.context.line;
        shell.context.depth += 1;
        if shell.vars.scalar_bytes(b"PATH").is_none() {
            // `execvp` has a path of its own where there is none.
            shell.set_initial(b"PATH", crate::paths::DEFAULT_PATH.as_bytes(), false);
        }
        shell.vars.give_environment(command.env);
        shell
    }

    fn run_within(&self, mut shell: Shell, command: &CommandCall<'_>) -> Result<CommandOutcome, Stopped> {
        let Self(caller) = self;
        let mut ending = Ending::default();
        let end = if shell.is_too_deep() {
            CommandEnd::NotStarted { status: 126, reason: "utilities call each other too deeply".to_owned() }
        } else {
            match shell.run_for_utility(command.argv, &mut ending) {
                ControlFlow::Continue(end) => end,
                // At a time limit it is known how a process took the signal.
                ControlFlow::Break(crate::flow::Divert::Stop)
                    if !ending.is_known || caller.context.cancel.is_cancelled() =>
                {
                    return Err(Stopped::Cancelled);
                }
                ControlFlow::Break(_) => CommandEnd::Ended(shell.env.status),
            }
        };
        Ok(CommandOutcome { end, signal: ending.signal, timed_out: false })
    }
}

/// What is known of how a command ended.
#[derive(Default)]
pub(super) struct Ending {
    /// The signal that ended it.
    pub(super) signal: Option<u8>,
    /// It was a process, and has ended by itself or by a signal.
    pub(super) is_known: bool,
}

/// The number of the signal KILL, on every system.
const KILL: i32 = 9;

/// Ends a part of the run when its time is over.
struct Timer {
    interrupt: Interrupt,
    timed_out: Arc<AtomicBool>,
}

impl Timer {
    /// `shell` is what runs the command, and `part` its token.
    fn start(shell: &Shell, part: &RunToken, limit: TimeLimit) -> io::Result<Self> {
        let timer = Self { interrupt: Interrupt::new(), timed_out: Arc::default() };
        let Some(after) = limit.after else { return Ok(timer) };
        let (interrupt, timed_out, part) = (timer.interrupt.clone(), timer.timed_out.clone(), part.clone());
        let (run, id) = (shell.host.run.clone(), shell.context.subshell.id);
        shell.host.pool.run(move || {
            if !interrupt.sleep(after) {
                return;
            }
            timed_out.store(true, Ordering::SeqCst);
            if limit.signal == KILL {
                part.kill(CancelReason::TimedOut);
                return;
            }
            if !run.signal_part(id, &part, limit.signal) {
                part.cancel_with(CancelReason::TimedOut, limit.signal);
            }
            if let Some(kill_after) = limit.kill_after
                && interrupt.sleep(kill_after)
            {
                part.kill(CancelReason::TimedOut);
            }
        })?;
        Ok(timer)
    }

    /// The command has ended. Was it the time?
    fn stop(&self) -> bool {
        self.interrupt.raise();
        self.timed_out.load(Ordering::SeqCst)
    }
}
