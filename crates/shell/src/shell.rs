//! The interpreter's state. What it does with it stands in [`crate::interpreter`].

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use hookshell_process::text;
use hookshell_utility::{FdTable, RunToken, Stream, UtilitySet};

use crate::context::Context;
use crate::environment::Environment;
use crate::executor::Executor;
use crate::flow::{Divert, Flow, divert};
use crate::jobs::{Jobs, RunState};
use crate::limits::{Limit, Limits};
use crate::options::Opt;
use crate::paths::shell_path;
use crate::pool::Pool;
use crate::process_signals::SignalSource;
use crate::scratch::Scratch;
use crate::traps::Traps;
use crate::usage::{Account, Usage};
use crate::vars::Variables;

/// What all execution environments of a run share.
pub(crate) struct Host {
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) utilities: Arc<dyn UtilitySet>,
    pub(crate) pool: Pool,
    /// Ends this run.
    pub(crate) cancel: RunToken,
    /// By which the host ends it.
    pub(crate) outer: RunToken,
    pub(crate) limits: Limits,
    pub(crate) usage: Arc<Usage>,
    /// The standard error that the process was started with, where the run is the process: it is told there of limits, whatever the
    /// script has made of its own.
    pub(crate) stderr: Option<Arc<Stream>>,
    /// It is a script that another run has started in process, and a part of that run.
    pub(crate) is_nested: bool,
    pub(crate) run: Arc<RunState>,
    /// `$$`
    pub(crate) process_id: u32,
    /// `$$` is the real process.
    pub(crate) is_process: bool,
    pub(crate) is_command_string: bool,
    pub(crate) started: Instant,
    /// Compiled expressions of `[[ =~ ]]`.
    pub(crate) regexes: crate::regex::RegexCache,
    /// Where the signals of the process come from.
    pub(crate) signal_source: std::sync::OnceLock<Arc<dyn SignalSource>>,
    /// Background lists become processes: so many may live at once.
    pub(crate) most_copies: std::sync::OnceLock<usize>,
    /// This process is a copy that runs one background list: its id, which is that of the list's environment.
    pub(crate) copy_id: Option<u32>,
}

impl Host {
    /// That of a run which comes in the place of this one, with limits of its own.
    pub(crate) fn successor(&self, outer: RunToken, limits: Limits) -> Self {
        let cancel = outer.child();
        Self {
            executor: self.executor.clone(),
            utilities: self.utilities.clone(),
            pool: self.pool.clone(),
            usage: Arc::new(Usage::new(limits, cancel.clone())),
            cancel,
            outer,
            limits,
            stderr: self.stderr.clone(),
            is_nested: false,
            run: Arc::new(RunState::new(self.process_id)),
            process_id: self.process_id,
            is_process: self.is_process,
            is_command_string: self.is_command_string,
            started: self.started,
            regexes: crate::regex::RegexCache::default(),
            signal_source: self.signal_source.clone(),
            most_copies: self.most_copies.clone(),
            copy_id: self.copy_id,
        }
    }

    /// That of a copy of this process, which shares no lock with it.
    #[cfg(unix)]
    pub(crate) fn forked(
        &self,
        id: u32,
        limits: Limits,
        executor: Arc<dyn Executor>,
        utilities: Arc<dyn UtilitySet>,
        most_copies: Option<usize>,
        stderr: Option<Arc<Stream>>,
    ) -> Self {
        let copy = self.successor(self.cancel.in_copy(), limits);
        Self {
            executor,
            utilities,
            pool: Pool::new(),
            run: Arc::new(RunState::of_copy(id)),
            signal_source: std::sync::OnceLock::new(),
            most_copies: most_copies.map_or_else(std::sync::OnceLock::new, std::sync::OnceLock::from),
            copy_id: Some(id),
            stderr,
            ..copy
        }
    }
}

/// An interpreter: one execution environment in the sense of XCU 2.13.
///
/// It is `Send` and is run on a thread of a [`Pool`], whose stacks the depth limits are made for.
///
/// A subshell has a clone of the `Environment`, is a level of the `Context`, and begins with an empty `Scratch` where it
/// has a thread of its own.
pub struct Shell {
    pub(crate) host: Arc<Host>,
    // The tables of the environment that keep journals: a subshell on the same thread undoes its changes by them.
    pub(crate) vars: Variables,
    pub(crate) jobs: Jobs,
    pub(crate) traps: Traps,
    /// What the state of this environment counts as.
    pub(crate) account: Account,
    pub(crate) env: Environment,
    pub(crate) context: Context,
    pub(crate) scratch: Scratch,
}

impl Shell {
    /// Has the nesting of calls reached its limit?
    #[inline]
    pub(crate) fn is_too_deep(&self) -> bool {
        self.context.depth >= self.host.limits.call_depth || crate::stack::is_used_up()
    }

    #[inline]
    pub(crate) fn opt(&self, opt: Opt) -> bool {
        self.env.options.has(opt)
    }

    /// The working directory: absolute.
    pub fn cwd(&self) -> &Path {
        &self.env.inherited.cwd
    }

    /// The logical working directory as scripts see it. On Windows `/x` stays that, although its drive is known.
    pub(crate) fn pwd(&self) -> Vec<u8> {
        let own = shell_path(&text::from_os(self.env.inherited.cwd.as_os_str()));
        match self.vars.scalar_bytes(b"PWD") {
            Some(pwd @ [b'/', ..])
                if cfg!(windows)
                    && shell_path(&text::from_path(&self.env.inherited.cwd.join(text::to_path(pwd)))) == own =>
            {
                pwd.to_vec()
            }
            _ => own,
        }
    }

    /// Closes every descriptor of this environment; those of its background lists stay.
    pub fn close_descriptors(&mut self) {
        self.env.fds = FdTable::default();
    }

    /// How long the run's background lists are still waited for is the host's business: this waits until none is left
    /// (threads of compound lists; programs live on by themselves) or `give_up` says so.
    pub fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        self.host.run.wait_for_threads(give_up);
    }

    /// The limit that has ended the run, in words: one that a background list has reached after the script's own end, too.
    pub fn limit_reached(&self) -> Option<String> {
        self.host.usage.budget.reached().map(|limit| limit.message)
    }

    /// Threads of background lists and pipeline stages that still run.
    pub fn live_threads(&self) -> usize {
        self.host.run.live_threads()
    }

    /// A copy for a stage or list that runs on another thread: a subshell environment.
    pub(crate) fn fork(&mut self) -> Self {
        let id = self.host.run.next_id();
        let mut shell = Self {
            host: self.host.clone(),
            vars: self.vars.clone(),
            jobs: self.jobs.for_subshell(),
            traps: self.traps.clone(),
            account: self.account.copy(),
            env: self.env.clone(),
            context: self.context.fork(id),
            scratch: Scratch { utility_choices: self.scratch.utility_choices.clone(), ..Scratch::default() },
        };
        shell.env.leave_coprocesses();
        shell.traps.enter_subshell();
        shell.traps.drop_untraced(self.opt(Opt::Functrace), self.opt(Opt::Errtrace));
        shell
    }

    // Messages ------------------------------------------------------------------------------------------------------

    /// Writes an error message in bash's shape: `name: line N: message`.
    pub(crate) fn error(&mut self, message: impl AsRef<[u8]>) {
        let text = self.located(message);
        self.write_error(&text);
    }

    fn located(&self, message: impl AsRef<[u8]>) -> Vec<u8> {
        let mut text = Vec::new();
        text.extend_from_slice(&self.context.source);
        let before: &[u8] = if self.opt(Opt::Gnuerrfmt) { b":" } else { b": line " };
        text.extend_from_slice(before);
        text.extend_from_slice(format!("{}: ", self.context.line).as_bytes());
        text.extend_from_slice(message.as_ref());
        text.push(b'\n');
        text
    }

    /// Writes the message of what has ended the run.
    #[cold]
    pub(crate) fn tell_of_limit(&mut self, message: &str) {
        let text = self.located(message);
        match &self.host.stderr {
            Some(stderr) => {
                let _ = stderr.write_all(&text, &self.context.interrupt);
            }
            None => self.write_error(&text),
        }
    }

    /// Writes `name: line N: builtin: message`.
    pub(crate) fn builtin_error(&mut self, name: &[u8], message: impl AsRef<[u8]>) {
        let gnu = self.opt(Opt::Gnuerrfmt);
        self.env.options.set(Opt::Gnuerrfmt, false);
        self.error([name, b": ", message.as_ref()].concat());
        self.env.options.set(Opt::Gnuerrfmt, gnu);
    }

    /// What an error of an expansion or assignment, whose message is written, makes of the unit. bash (`report_error`):
    /// under `set -e` the shell ends at once, in conditions too; an error of arithmetic only drops the unit.
    pub(crate) fn reported<T>(&mut self) -> Flow<T> {
        if self.opt(Opt::Errexit) {
            // The status is that of the command before, if that was a failure.
            self.env.status = self.env.status.max(1);
            return divert(Divert::Exit);
        }
        self.env.status = 1;
        divert(Divert::Discard)
    }

    /// Writes to standard error; where that is closed or broken there is nobody to tell.
    pub(crate) fn write_error(&mut self, text: &[u8]) {
        if let Some(stream) = self.env.fds.get(2) {
            let stream = stream.clone();
            let _ = stream.write_all(text, &self.context.interrupt);
        }
    }

    /// Ends the run because a limit was reached; `what` says what has reached it.
    #[cold]
    pub(crate) fn exceed<T>(&mut self, limit: Limit, what: impl std::fmt::Display) -> Flow<T> {
        self.stop_run(self.host.usage.message(limit, what))
    }

    /// Ends the run, all of its environments and processes, because there is not enough of something.
    #[cold]
    pub(crate) fn stop_run<T>(&mut self, message: String) -> Flow<T> {
        if self.host.usage.budget.reach(&message, true) {
            self.tell_of_limit(&message);
            self.host.usage.budget.has_told();
        } else {
            // To stop the run would interrupt whoever is writing the message.
            self.host.usage.budget.wait_until_told();
        }
        self.host.usage.budget.stop();
        self.env.status = 2;
        divert(Divert::Stop)
    }

    /// Has somebody told the run to stop?
    #[inline]
    pub(crate) fn is_stopping(&self) -> bool {
        self.context.cancel.is_cancelled() && self.context.interrupt.is_raised()
    }
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell")
            .field("name", &bstr::BStr::new(&*self.env.inherited.name))
            .field("line", &self.context.line)
            .finish_non_exhaustive()
    }
}
