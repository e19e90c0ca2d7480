//! The interpreter's state, and what a host does with it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bstr::BString;
use hookshell_syntax::Dialect;
use hookshell_utility::{FdTable, RunToken, UtilitySet};

use crate::base::BaseEnvironment;
use crate::call::Positional;
use crate::config::{Identity, ShellConfig};
use crate::context::Context;
use crate::environment::Environment;
use crate::executor::Executor;
use crate::flow::{Divert, Flow, divert};
use crate::inherited::Inherited;
use crate::jobs::{Jobs, RunState};
use crate::limits::{Limit, Limits};
use crate::options::Opt;
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
    outer: RunToken,
    pub(crate) limits: Limits,
    pub(crate) usage: Arc<Usage>,
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
    fn successor(&self, outer: RunToken, limits: Limits) -> Self {
        let cancel = outer.child();
        Self {
            executor: self.executor.clone(),
            utilities: self.utilities.clone(),
            pool: self.pool.clone(),
            usage: Arc::new(Usage::new(limits, cancel.clone())),
            cancel,
            outer,
            limits,
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
    ) -> Self {
        let copy = self.successor(RunToken::inherited(), limits);
        Self {
            executor,
            utilities,
            pool: Pool::new(),
            run: Arc::new(RunState::of_copy(id)),
            signal_source: std::sync::OnceLock::new(),
            most_copies: most_copies.map_or_else(std::sync::OnceLock::new, std::sync::OnceLock::from),
            copy_id: Some(id),
            ..copy
        }
    }
}

/// What an interpreter begins with that another one starts.
pub(crate) struct NewShell<'a> {
    pub(crate) env: &'a hookshell_utility::Environment,
    /// `$0`
    pub(crate) name: &'a [u8],
    pub(crate) args: Vec<BString>,
    pub(crate) fds: FdTable,
    pub(crate) is_command_string: bool,
    /// `$$`, where it takes the place of an environment; else it is a new number.
    pub(crate) id: Option<u32>,
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
    /// An interpreter in its initial state.
    pub fn new(config: ShellConfig) -> Self {
        Self::with_base(config, &BaseEnvironment::default())
    }

    /// An interpreter in its initial state whose environment lies over another one: quicker to make, the second time.
    pub fn with_base(config: ShellConfig, base: &BaseEnvironment) -> Self {
        Self::part_of(config, base, None)
    }

    /// An interpreter that is a part of the run of another, if it is: what it uses up counts there, and signals find it.
    fn part_of(config: ShellConfig, base: &BaseEnvironment, whole: Option<&Host>) -> Self {
        let (process_id, is_process) = match config.identity {
            Identity::Process => (hookshell_process::system::process_id(), true),
            Identity::Virtual(id) => (id, false),
        };
        let run_cancel = config.cancel.child();
        let cancel = run_cancel.child();
        let name: Arc<[u8]> = config.name.as_slice().into();
        let limits = config.limits.fitted();
        let (usage, run) = match whole {
            Some(whole) => (whole.usage.clone(), whole.run.clone()),
            None => (Arc::new(Usage::new(limits, run_cancel.clone())), Arc::new(RunState::new(process_id))),
        };
        let host = Arc::new(Host {
            executor: config.executor,
            utilities: config.utilities,
            pool: config.pool,
            cancel: run_cancel,
            outer: config.cancel,
            limits,
            usage: usage.clone(),
            is_nested: whole.is_some(),
            run,
            process_id,
            is_process,
            is_command_string: config.is_command_string,
            started: Instant::now(),
            regexes: crate::regex::RegexCache::default(),
            signal_source: whole
                .filter(|whole| whole.process_id == process_id)
                .map_or_else(std::sync::OnceLock::new, |whole| whole.signal_source.clone()),
            most_copies: std::sync::OnceLock::new(),
            // It has taken the place of the list that this process was made for.
            copy_id: whole.and_then(|whole| whole.copy_id).filter(|copy| *copy == process_id),
        });
        let args = Positional { args: Arc::new(config.args.iter().collect()), start: 0 };
        let inherited = Inherited::new(name.clone(), config.cwd.as_path().into());
        let random = crate::random::Generator::new(process_id);
        let mut shell = Self {
            vars: Variables::default(),
            jobs: Jobs::default(),
            traps: Traps::default(),
            account: Account::new(usage.budget.clone()),
            env: Environment::new(inherited, args, config.dialect, config.fds, host.started, random),
            context: Context::new(process_id, name, cancel),
            scratch: Scratch::default(),
            host,
        };
        base.begin(&mut shell, &config.env);
        if config.dialect == Dialect::Posix {
            shell.set_opt(Opt::Posix, true);
        }
        shell
    }

    /// Has the nesting of calls reached its limit?
    #[inline]
    pub(crate) fn is_too_deep(&self) -> bool {
        self.context.depth >= self.host.limits.call_depth || crate::pool::stack_is_used_up()
    }

    #[inline]
    pub(crate) fn opt(&self, opt: Opt) -> bool {
        self.env.options.has(opt)
    }

    /// The working directory: absolute.
    pub fn cwd(&self) -> &Path {
        &self.env.inherited.cwd
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

    /// An interpreter for a script file that is started as a command: exported variables only.
    pub(crate) fn fresh(&self, new: NewShell<'_>) -> Self {
        self.fresh_within(self.context.cancel.clone(), new)
    }

    /// [`Self::fresh`], for a part of the run that can be stopped alone.
    pub(crate) fn fresh_within(&self, cancel: RunToken, new: NewShell<'_>) -> Self {
        let config = ShellConfig {
            executor: self.host.executor.clone(),
            utilities: self.host.utilities.clone(),
            pool: self.host.pool.clone(),
            cancel,
            env: new.env.clone(),
            cwd: self.env.inherited.cwd.to_path_buf(),
            fds: new.fds,
            name: new.name.into(),
            args: new.args,
            dialect: self.env.dialect,
            limits: self.host.limits,
            identity: Identity::Virtual(new.id.unwrap_or_else(|| self.host.run.next_id())),
            is_command_string: new.is_command_string,
        };
        let mut shell = Self::part_of(config, &BaseEnvironment::default(), Some(&self.host));
        shell.env.inherited.umask = self.env.inherited.umask;
        shell.env.inherited.resource_limits = self.env.inherited.resource_limits.clone();
        shell.context.nest_in(&self.context);
        shell.traps = self.traps.ignored_only();
        if let Some(most) = self.host.most_copies.get() {
            let _ = shell.host.most_copies.set(*most);
        }
        if self.context.cancel.is_cancelled() {
            // A command of a trap that runs during the grace.
            shell.context.interrupt = shell.context.cancel.hard_interrupt().clone();
        }
        shell
    }

    // Messages ------------------------------------------------------------------------------------------------------

    /// Writes an error message in bash's shape: `name: line N: message`.
    pub(crate) fn error(&mut self, message: impl AsRef<[u8]>) {
        let mut text = Vec::new();
        text.extend_from_slice(&self.context.source);
        let before: &[u8] = if self.opt(Opt::Gnuerrfmt) { b":" } else { b": line " };
        text.extend_from_slice(before);
        text.extend_from_slice(format!("{}: ", self.context.line).as_bytes());
        text.extend_from_slice(message.as_ref());
        text.push(b'\n');
        self.write_error(&text);
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
            self.error(&message);
            self.host.usage.budget.has_told();
        } else {
            // To stop the run would interrupt whoever is writing the message.
            self.host.usage.budget.wait_until_told();
        }
        self.host.usage.budget.stop();
        self.env.status = 2;
        divert(Divert::Stop)
    }

    /// After a run that a limit has ended: what comes next is a run of its own.
    #[cold]
    pub(crate) fn renew(&mut self) {
        self.host = Arc::new(self.host.successor(self.host.outer.clone(), self.host.limits));
        self.account = Account::new(self.host.usage.budget.clone());
        self.account.correct(self.state_bytes());
        self.context.cancel = self.host.cancel.child();
        self.context.interrupt = self.context.cancel.interrupt().clone();
        self.jobs = Jobs::default();
        // They count as state of the run before.
        self.scratch.spare_captures.clear();
        if !self.env.inherited.coprocesses.is_empty() {
            self.env.inherited.coprocesses.clear();
        }
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
