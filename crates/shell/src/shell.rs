//! The interpreter's state, and what a host does with it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bstr::BString;
use hookshell_process::Interrupt;
use hookshell_syntax::{Dialect, SyntaxError};

use crate::args::Args;
use crate::base::BaseEnvironment;
use crate::call::{Frame, Positional};
use crate::cancel::CancelToken;
use crate::config::{Identity, ShellConfig};
use crate::fds::FdTable;
use crate::flow::{Divert, Flow, divert};
use crate::jobs::{Jobs, RunState};
use crate::limits::{Limit, Limits};
use crate::options::{Opt, Options};
use crate::pattern::Cache;
use crate::pool::Pool;
use crate::process_signals::SignalSource;
use crate::seam::{Environment, Executor};
use crate::settled::Settled;
use crate::stream::{Capture, Stream};
use crate::traps::Traps;
use crate::usage::{Account, Usage};
use crate::utility::UtilitySet;
use crate::vars::Variables;

/// What all execution environments of a run share.
pub(crate) struct Host {
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) utilities: Arc<dyn UtilitySet>,
    pub(crate) pool: Pool,
    /// Ends this run.
    pub(crate) cancel: CancelToken,
    /// By which the host ends it.
    outer: CancelToken,
    pub(crate) limits: Limits,
    pub(crate) usage: Arc<Usage>,
    /// It is a script that another run has started in process, and a part of that run.
    pub(crate) is_nested: bool,
    pub(crate) run: RunState,
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
    fn successor(&self, outer: CancelToken, limits: Limits) -> Self {
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
            run: RunState::new(self.process_id),
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
    pub(crate) fn copied(
        &self,
        id: u32,
        limits: Limits,
        executor: Arc<dyn Executor>,
        utilities: Arc<dyn UtilitySet>,
        most_copies: Option<usize>,
    ) -> Self {
        let copy = self.successor(CancelToken::inherited(), limits);
        Self {
            executor,
            utilities,
            pool: Pool::new(),
            run: RunState::of_copy(id),
            signal_source: std::sync::OnceLock::new(),
            most_copies: most_copies.map_or_else(std::sync::OnceLock::new, std::sync::OnceLock::from),
            copy_id: Some(id),
            ..copy
        }
    }
}

/// An interpreter: one execution environment in the sense of XCU 2.13.
///
/// It is `Send` and is run on a thread of a [`Pool`], whose stacks the depth limits are made for.
pub struct Shell {
    pub(crate) host: Arc<Host>,
    pub(crate) vars: Variables,
    /// What subshells inherit and seldom change: functions, aliases, the working directory, IFS and others.
    pub(crate) settled: Settled,
    pub(crate) positional: Positional,
    pub(crate) options: Options,
    pub(crate) dialect: Dialect,
    pub(crate) fds: FdTable,
    /// `$?`
    pub(crate) status: u8,
    pub(crate) pipe_status: smallvec::SmallVec<[u8; 4]>,
    /// `$!`
    pub(crate) background_id: Option<u32>,
    /// `$_`
    pub(crate) last_argument: Vec<u8>,
    /// What the list is assigned to that is about to be expanded and traced: `name=`.
    pub(crate) traced_list: Option<Vec<u8>>,
    pub(crate) jobs: Jobs,
    pub(crate) traps: Traps,
    /// The interrupt of blocking calls: the soft one, or the hard one while traps run after a cancel.
    pub(crate) interrupt: Interrupt,
    /// Ends this environment, or the whole run.
    pub(crate) cancel: CancelToken,
    /// The line of the command that runs.
    pub(crate) line: u32,
    /// Where the simple command stands that ran last.
    pub(crate) command_start: u32,
    /// The line of the last command that could fail by itself: LINENO of the ERR trap.
    pub(crate) error_line: u32,
    /// The file that is read: `$0` in error messages is this one's name.
    pub(crate) source: Arc<[u8]>,
    pub(crate) frames: Vec<Frame>,
    /// BASH_ARGV: the positional parameters when it was first asked for.
    pub(crate) first_arguments: Option<Positional>,
    /// Functions that are active: the scope of locals.
    pub(crate) function_depth: u32,
    /// Nested calls of every kind, against [`Limits::call_depth`].
    pub(crate) depth: u32,
    /// Nested `.`
    pub(crate) source_depth: u32,
    /// Nested `eval` and traps.
    pub(crate) eval_depth: u32,
    /// Texts of variables whose values are being evaluated: one's subscript may lead to the next.
    pub(crate) value_depth: u32,
    /// Namerefs to elements whose array is being looked up: a nameref may be among those arrays.
    pub(crate) nameref_depth: usize,
    /// What the state of this environment counts as.
    pub(crate) account: Account,
    pub(crate) loop_depth: u32,
    /// `$?` as the last `return` found it: what the RETURN trap sees.
    pub(crate) status_before_return: u8,
    /// Over 0 where a failing command does not end the shell (conditions, `!`, all but the last of `&&` and `||`).
    pub(crate) errexit_ignored: u32,
    /// The simple command that runs now stands behind a `!` that does not shelter from errexit.
    pub(crate) is_negated: bool,
    /// This is a subshell: how deep (BASH_SUBSHELL).
    pub(crate) subshell_depth: u32,
    /// How deep a subshell was of which `exec` has made a program.
    pub(crate) replaced_depth: u32,
    /// Where the standard error of the last subshell with redirections led.
    pub(crate) subshell_error: Option<Arc<Stream>>,
    /// The next compound command is a subshell with redirections that `time` is for.
    pub(crate) times_subshell: bool,
    /// How many of those bash does not count: simple commands of pipelines.
    pub(crate) uncounted_subshells: u32,
    /// This environment is that of a simple command of the main shell: an expansion error ends it as it ends that.
    pub(crate) is_own_command: bool,
    /// The complete commands that were read from the script or standard input (`\#` in prompts).
    pub(crate) commands_read: u64,
    /// The depth at which a stage's environment is one of them until its command is called; 0: none.
    pub(crate) uncounted_stage: u32,
    /// The DEBUG trap has run for the command that this environment was made for.
    pub(crate) debug_trap_ran: bool,
    /// The next simple or compound command is all that this environment runs (a stage, a background list): its
    /// redirections last to the end of the environment.
    pub(crate) is_sole: bool,
    /// bash: a simple command in the background has its empty standard input only behind the expansion of its words.
    pub(crate) null_stdin_due: bool,
    /// This environment, or the one that it is a stage of, is a pipeline in the background: bash has none of its own for that.
    pub(crate) is_background_pipeline: bool,
    /// bash: the EXIT trap that a control structure sets, as a stage or in the background, does not run.
    pub(crate) skips_exit_trap: bool,
    /// bash: how many texts (`eval`, sourced files) deep the commands of this environment stand that it reads or holds itself.
    /// Their redirections last until the EXIT trap has run. `None`: they come from a text (`-c`, `$( )`), which undoes them.
    pub(crate) reads_at: Option<u32>,
    /// bash: an error has ended a function, so FUNCNAME shows `main` outside of functions.
    pub(crate) shows_main: bool,
    /// This environment was made for the subshell command that runs next, which needs no other one.
    pub(crate) forked: bool,
    /// The first character of PS4 is repeated by this: command substitutions, `eval` and `.`.
    pub(crate) trace_depth: u32,
    /// Standard input of a compound command around was redirected: background lists keep it (bash).
    pub(crate) stdin_redirected: bool,
    /// What `local -` saved: the depths of its function and subshell, and the options to return to.
    pub(crate) local_options: Vec<(u32, u32, Options)>,
    /// BASHPID
    pub(crate) own_id: u32,
    pub(crate) getopts: crate::builtins::GetoptsState,
    /// The last signal that this environment has sent to itself was not handled by a trap.
    pub(crate) killed_itself: bool,
    /// The signal that ended this environment (with [`Divert::Die`]).
    pub(crate) died_of: i32,
    /// The C locale: every byte is a character.
    pub(crate) bytes: bool,
    /// FUNCNEST: so many functions may be called within each other; 0 is no limit of the script's own.
    pub(crate) function_nesting: usize,
    /// TMOUT: how long `read` waits where it is not told.
    pub(crate) read_timeout: Option<Duration>,
    /// How the last command that a signal ended did so, until it has been reported.
    pub(crate) death: Option<crate::exec::Death>,
    /// Where the command stands that bash's subshell ends as, in its own process: its death is the subshell's.
    pub(crate) replaced_last: Option<u32>,
    /// The simple command that the command string ends with: its address, which nothing else has while the program is there.
    pub(crate) last_command: Option<usize>,
    /// Nobody is told of such deaths (in the command substitutions of a command string).
    pub(crate) quiet_deaths: bool,
    pub(crate) syntax_error: Option<Box<SyntaxError>>,
    pub(crate) random: u32,
    pub(crate) seconds_base: (Instant, i64),
    /// Status of the last command substitution of the command being expanded; for commands without a name.
    pub(crate) substitution_status: Option<u8>,
    /// Options that steer the parser have changed since the program was parsed.
    pub(crate) parse_epoch: u32,
    /// Buffers that are used again.
    pub(crate) spare_args: Vec<Args>,
    /// Empty lists for the arguments of functions.
    pub(crate) spare_positional: Vec<Arc<Args>>,
    pub(crate) spare_bytes: Vec<Vec<u8>>,
    /// Those of command substitutions that have ended, empty.
    pub(crate) spare_captures: Vec<(Arc<Stream>, Capture)>,
    /// Those of `case`, `[[ ]]` and `${x#…}`.
    pub(crate) patterns: Cache,
    /// The process substitutions of the commands being run.
    pub(crate) substitutions: Vec<crate::expand::Substitution>,
    pub(crate) printing_trace: bool,
    /// This subshell on the thread of its parent has a mailbox for signals.
    pub(crate) has_mailbox: bool,
    /// Where the trace of `set -x` goes (BASH_XTRACEFD).
    pub(crate) trace_fd: u32,
    /// The unit was dropped for something that does not end a shell in POSIX mode.
    pub(crate) is_lenient_discard: bool,
    /// A built-in is called by `command`, so that its errors do not end the shell.
    pub(crate) by_command: bool,
    /// A built-in assigns: see [`Shell::for_builtin`].
    pub(crate) assigns_for_builtin: bool,
    /// The name of that built-in, for messages about arithmetic; empty: none is to be named.
    pub(crate) assigning: &'static str,
    /// The built-in that runs has failed in a way that ends a shell in POSIX mode if it is a special one.
    pub(crate) special_failed: bool,
    /// The text that is read next is that of `command eval`, whose syntax errors do not end the shell.
    pub(crate) syntax_error_goes_on: bool,
    /// The script comes from standard input (`$-` has an `s`).
    pub(crate) reads_stdin: bool,
    /// The script reads BASH_COMMAND: commands are noted for it.
    pub(crate) uses_bash_command: bool,
    /// Where bundled utilities and programs have the same name.
    pub(crate) utility_choices: crate::exec::Choices,
}

impl Shell {
    /// An interpreter in its initial state.
    pub fn new(config: ShellConfig) -> Self {
        Self::with_base(config, &BaseEnvironment::default())
    }

    /// An interpreter in its initial state whose environment lies over another one: quicker to make, the second time.
    pub fn with_base(config: ShellConfig, base: &BaseEnvironment) -> Self {
        Self::with_usage(config, base, None)
    }

    /// An interpreter whose use of resources counts as that of the run that it is a part of, if it is.
    fn with_usage(config: ShellConfig, base: &BaseEnvironment, usage: Option<Arc<Usage>>) -> Self {
        let (process_id, is_process) = match config.identity {
            Identity::Process => (hookshell_process::system::process_id(), true),
            Identity::Virtual(id) => (id, false),
        };
        let run_cancel = config.cancel.child();
        let cancel = run_cancel.child();
        let interrupt = cancel.interrupt().clone();
        let name: Arc<[u8]> = config.name.as_slice().into();
        let is_nested = usage.is_some();
        let limits = config.limits.fitted();
        let usage = usage.unwrap_or_else(|| Arc::new(Usage::new(limits, run_cancel.clone())));
        let host = Arc::new(Host {
            executor: config.executor,
            utilities: config.utilities,
            pool: config.pool,
            cancel: run_cancel,
            outer: config.cancel,
            limits,
            usage: usage.clone(),
            is_nested,
            run: RunState::new(process_id),
            process_id,
            is_process,
            is_command_string: config.is_command_string,
            started: Instant::now(),
            regexes: crate::regex::RegexCache::default(),
            signal_source: std::sync::OnceLock::new(),
            most_copies: std::sync::OnceLock::new(),
            copy_id: None,
        });
        let mut shell = Self {
            vars: Variables::default(),
            settled: Settled::new(name.clone(), config.cwd.as_path().into()),
            positional: Positional { args: Arc::new(config.args.iter().collect()), start: 0 },
            source: name,
            options: Options::default(),
            dialect: config.dialect,
            fds: config.fds,
            status: 0,
            pipe_status: smallvec::SmallVec::new(),
            background_id: None,
            last_argument: Vec::new(),
            traced_list: None,
            jobs: Jobs::default(),
            traps: Traps::default(),
            interrupt,
            cancel,
            line: 1,
            command_start: 0,
            error_line: 1,
            frames: Vec::new(),
            first_arguments: None,
            function_depth: 0,
            depth: 0,
            source_depth: 0,
            eval_depth: 0,
            value_depth: 0,
            nameref_depth: 0,
            account: Account::new(usage),
            loop_depth: 0,
            status_before_return: 0,
            errexit_ignored: 0,
            is_negated: false,
            subshell_depth: 0,
            replaced_depth: 0,
            subshell_error: None,
            times_subshell: false,
            uncounted_subshells: 0,
            is_own_command: false,
            commands_read: 0,
            uncounted_stage: 0,
            debug_trap_ran: false,
            is_sole: false,
            null_stdin_due: false,
            is_background_pipeline: false,
            skips_exit_trap: false,
            reads_at: None,
            shows_main: false,
            forked: false,
            trace_depth: 0,
            stdin_redirected: false,
            local_options: Vec::new(),
            own_id: process_id,
            getopts: crate::builtins::GetoptsState::default(),
            killed_itself: false,
            died_of: 0,
            bytes: false,
            function_nesting: 0,
            read_timeout: None,
            death: None,
            replaced_last: None,
            last_command: None,
            quiet_deaths: false,
            syntax_error: None,
            random: process_id ^ host.started.elapsed().subsec_nanos() ^ crate::initial::seed(),
            seconds_base: (host.started, 0),
            substitution_status: None,
            parse_epoch: 0,
            spare_args: Vec::new(),
            spare_positional: Vec::new(),
            spare_bytes: Vec::new(),
            spare_captures: Vec::new(),
            patterns: Cache::default(),
            substitutions: Vec::new(),
            printing_trace: false,
            has_mailbox: false,
            trace_fd: 2,
            is_lenient_discard: false,
            by_command: false,
            syntax_error_goes_on: false,
            assigns_for_builtin: false,
            assigning: "",
            special_failed: false,
            reads_stdin: false,
            uses_bash_command: false,
            utility_choices: crate::exec::Choices::default(),
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
        self.depth >= self.host.limits.call_depth || crate::pool::stack_is_used_up()
    }

    #[inline]
    pub(crate) fn opt(&self, opt: Opt) -> bool {
        self.options.has(opt)
    }

    /// Closes every descriptor of this environment; those of its background lists stay.
    pub fn close_descriptors(&mut self) {
        self.fds = FdTable::default();
    }

    /// How long the run's background lists are still waited for is the host's business: this waits until none is left
    /// (threads of compound lists; programs live on by themselves) or `give_up` says so.
    pub fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        self.host.run.wait_for_threads(give_up);
    }

    /// The limit that has ended the run, in words: one that a background list has reached after the script's own end, too.
    pub fn limit_reached(&self) -> Option<String> {
        self.host.usage.reached().map(|limit| limit.message)
    }

    /// Threads of background lists and pipeline stages that still run.
    pub fn live_threads(&self) -> usize {
        self.host.run.live_threads()
    }

    /// A copy for a stage or list that runs on another thread: a subshell environment.
    pub(crate) fn fork(&mut self) -> Self {
        let mut shell = Self {
            host: self.host.clone(),
            vars: self.vars.clone(),
            settled: self.settled.clone(),
            positional: self.positional.clone(),
            options: self.options,
            dialect: self.dialect,
            fds: self.fds.clone(),
            status: self.status,
            pipe_status: self.pipe_status.clone(),
            background_id: self.background_id,
            last_argument: self.last_argument.clone(),
            traced_list: None,
            jobs: self.jobs.for_subshell(),
            traps: self.traps.clone(),
            interrupt: self.interrupt.clone(),
            cancel: self.cancel.clone(),
            line: self.line,
            command_start: self.command_start,
            error_line: self.error_line,
            source: self.source.clone(),
            frames: self.frames.clone(),
            first_arguments: self.first_arguments.clone(),
            function_depth: self.function_depth,
            depth: 0,
            source_depth: self.source_depth,
            eval_depth: self.eval_depth,
            value_depth: 0,
            nameref_depth: 0,
            account: self.account.copy(),
            loop_depth: self.loop_depth,
            status_before_return: 0,
            errexit_ignored: self.errexit_ignored,
            is_negated: false,
            subshell_depth: self.subshell_depth + 1,
            replaced_depth: 0,
            subshell_error: None,
            times_subshell: false,
            uncounted_subshells: self.uncounted_subshells,
            is_own_command: false,
            commands_read: self.commands_read,
            uncounted_stage: 0,
            debug_trap_ran: false,
            is_sole: false,
            null_stdin_due: false,
            is_background_pipeline: self.is_background_pipeline,
            skips_exit_trap: false,
            reads_at: None,
            shows_main: self.shows_main,
            forked: false,
            trace_depth: self.trace_depth,
            stdin_redirected: self.stdin_redirected,
            local_options: self.local_options.clone(),
            own_id: self.host.run.next_id(),
            getopts: self.getopts.clone(),
            killed_itself: false,
            died_of: 0,
            bytes: self.bytes,
            function_nesting: self.function_nesting,
            read_timeout: self.read_timeout,
            death: None,
            replaced_last: None,
            last_command: None,
            quiet_deaths: self.quiet_deaths,
            syntax_error: None,
            random: self.random.wrapping_mul(0x9e37_79b9).wrapping_add(self.host.run.next_id()),
            seconds_base: self.seconds_base,
            substitution_status: None,
            parse_epoch: self.parse_epoch,
            spare_args: Vec::new(),
            spare_positional: Vec::new(),
            spare_bytes: Vec::new(),
            spare_captures: Vec::new(),
            patterns: Cache::default(),
            substitutions: self.substitutions.clone(),
            printing_trace: false,
            has_mailbox: false,
            trace_fd: self.trace_fd,
            is_lenient_discard: false,
            by_command: false,
            syntax_error_goes_on: false,
            assigns_for_builtin: false,
            assigning: "",
            special_failed: false,
            reads_stdin: self.reads_stdin,
            uses_bash_command: self.uses_bash_command,
            utility_choices: self.utility_choices.clone(),
        };
        shell.leave_coprocesses();
        shell.traps.enter_subshell();
        shell.traps.drop_untraced(self.opt(Opt::Functrace), self.opt(Opt::Errtrace));
        shell
    }

    /// An interpreter for a script file that is started as a command: exported variables only.
    pub(crate) fn fresh(
        &self,
        env: &Environment,
        name: &[u8],
        args: Vec<BString>,
        fds: FdTable,
        is_command_string: bool,
    ) -> Self {
        self.fresh_within(self.cancel.clone(), env, name, args, fds, is_command_string)
    }

    /// [`Self::fresh`], for a part of the run that can be stopped alone.
    pub(crate) fn fresh_within(
        &self,
        cancel: CancelToken,
        env: &Environment,
        name: &[u8],
        args: Vec<BString>,
        fds: FdTable,
        is_command_string: bool,
    ) -> Self {
        let config = ShellConfig {
            executor: self.host.executor.clone(),
            utilities: self.host.utilities.clone(),
            pool: self.host.pool.clone(),
            cancel,
            env: env.clone(),
            cwd: self.settled.cwd.to_path_buf(),
            fds,
            name: name.into(),
            args,
            dialect: self.dialect,
            limits: self.host.limits,
            identity: Identity::Virtual(self.host.run.next_id()),
            is_command_string,
        };
        let mut shell = Self::with_usage(config, &BaseEnvironment::default(), Some(self.host.usage.clone()));
        shell.settled.umask = self.settled.umask;
        shell.settled.resource_limits = self.settled.resource_limits.clone();
        shell.depth = self.depth;
        shell.source_depth = self.source_depth;
        shell.eval_depth = self.eval_depth;
        shell.traps = self.traps.ignored_only();
        if let Some(most) = self.host.most_copies.get() {
            let _ = shell.host.most_copies.set(*most);
        }
        if self.cancel.is_cancelled() {
            // A command of a trap that runs during the grace.
            shell.interrupt = shell.cancel.hard_interrupt().clone();
        }
        shell
    }

    // Messages ------------------------------------------------------------------------------------------------------

    /// Writes an error message in bash's shape: `name: line N: message`.
    pub(crate) fn error(&mut self, message: impl AsRef<[u8]>) {
        let mut text = Vec::new();
        text.extend_from_slice(&self.source);
        let before: &[u8] = if self.opt(Opt::Gnuerrfmt) { b":" } else { b": line " };
        text.extend_from_slice(before);
        text.extend_from_slice(format!("{}: ", self.line).as_bytes());
        text.extend_from_slice(message.as_ref());
        text.push(b'\n');
        self.write_error(&text);
    }

    /// What an error of an expansion or assignment, whose message is written, makes of the unit. bash (`report_error`):
    /// under `set -e` the shell ends at once, in conditions too; an error of arithmetic only drops the unit.
    pub(crate) fn reported<T>(&mut self) -> Flow<T> {
        if self.opt(Opt::Errexit) {
            // The status is that of the command before, if that was a failure.
            self.status = self.status.max(1);
            return divert(Divert::Exit);
        }
        self.status = 1;
        divert(Divert::Discard)
    }

    /// Writes to standard error; where that is closed or broken there is nobody to tell.
    pub(crate) fn write_error(&mut self, text: &[u8]) {
        if let Some(stream) = self.fds.get(2) {
            let stream = stream.clone();
            let _ = stream.write_all(text, &self.interrupt);
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
        if self.host.usage.reach(&message, true) {
            self.error(&message);
            self.host.usage.has_told();
        } else {
            // To stop the run would interrupt whoever is writing the message.
            self.host.usage.wait_until_told();
        }
        self.host.usage.stop();
        self.status = 2;
        divert(Divert::Stop)
    }

    /// After a run that a limit has ended: what comes next is a run of its own.
    #[cold]
    pub(crate) fn renew(&mut self) {
        self.host = Arc::new(self.host.successor(self.host.outer.clone(), self.host.limits));
        self.account = Account::new(self.host.usage.clone());
        self.account.correct(self.state_bytes());
        self.cancel = self.host.cancel.child();
        self.interrupt = self.cancel.interrupt().clone();
        self.jobs = Jobs::default();
        // They count as state of the run before.
        self.spare_captures.clear();
        if !self.settled.coprocesses.is_empty() {
            self.settled.coprocesses.clear();
        }
    }

    /// Has somebody told the run to stop?
    #[inline]
    pub(crate) fn is_stopping(&self) -> bool {
        self.cancel.is_cancelled() && self.interrupt.is_raised()
    }
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell")
            .field("name", &bstr::BStr::new(&*self.settled.name))
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}
