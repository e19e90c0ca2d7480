//! Runs commands: one interpreter per invocation, on the pool's threads, with a deadline.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_process::Lookout;
use hookshell_process::sync::lock;
use hookshell_shebang::base_name;
use hookshell_shell::{
    CancelReason, Executor, Language, Limits, MissingShell, Pool, RunToken, ShellScripts, UtilitySet,
};
use hookshell_utilities::Preference;

use crate::deadlines::Deadlines;
use crate::explain::Explanation;
use crate::host_thread::HostThread;
use crate::invocation::{Invocation, Outcome};
use crate::platform::Platform;
use crate::route::Route;
use crate::run::{Message, Messages, Run};
use crate::shared::{ExecutorLayer, Shared};
use crate::shells::is_shell;

/// Runs commands. Cheap to clone; clones share the pool and the caches, and nothing else: parallel runs are isolated.
#[derive(Clone)]
pub struct Dispatcher {
    shared: Arc<Shared>,
}

/// One of the runs that have not ended.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Builds a [`Dispatcher`].
#[derive(Clone)]
pub struct DispatcherBuilder {
    platform: Platform,
    missing_shell: Option<MissingShell>,
    shell_scripts: ShellScripts,
    utilities: Arc<dyn UtilitySet>,
    limits: Limits,
    pool: Pool,
    layer: Option<ExecutorLayer>,
    copies_process: bool,
    watches_deadlines_later: bool,
}

/// A run that was started. Dropping it neither stops the run nor waits for it.
#[derive(Clone)]
pub struct Handle {
    cancel: RunToken,
    messages: Messages,
    supervision: Supervision,
    pool: Pool,
    deadlines: Arc<Deadlines>,
}

/// What brings a run to its end and gives its outcome to the one who started it. The first who has a reason does it: the
/// run's own thread when it has ended, or a thread of the pool at the deadline or when it is cancelled. So a run that
/// just ends needs one thread and no other to be woken.
#[derive(Clone, Default)]
struct Supervision {
    supervised: Arc<Mutex<Option<Supervised>>>,
}

/// A run that nobody has brought to its end yet.
struct Supervised {
    cancel: RunToken,
    grace: Duration,
    /// Does it.
    work: Job,
}

type Job = Box<dyn FnOnce() + Send>;

impl Supervision {
    /// Supervises on this thread, where nobody does or has done.
    fn run(&self) {
        let supervised = lock(&self.supervised).take();
        if let Some(supervised) = supervised {
            (supervised.work)();
        }
    }

    /// Stops the run on a thread of the pool. Where no thread is left, nobody waits for it: it is told to end, its own thread
    /// gives the outcome, and at the end of its grace it is killed by the thread of the deadlines.
    fn stop_in(&self, pool: &Pool, deadlines: &Arc<Deadlines>, reason: CancelReason) {
        let Some((cancel, grace)) = lock(&self.supervised).as_ref().map(|run| (run.cancel.clone(), run.grace)) else {
            return;
        };
        let supervision = self.clone();
        if pool.run(move || supervision.run()).is_ok() {
            return;
        }
        cancel.cancel(reason);
        let (supervision, killed) = (self.clone(), cancel.clone());
        let is_watched = Instant::now().checked_add(grace).is_some_and(|at| {
            let kill = move || {
                killed.kill(reason);
                supervision.run();
            };
            deadlines.set(at, kill).is_ok()
        });
        if !is_watched {
            cancel.kill(reason);
            self.run();
        }
    }
}

impl Handle {
    /// Tells the run to stop, and has it killed after its grace.
    pub fn cancel(&self) {
        // Where it is refused the run has ended.
        if self.messages.send(Message::Cancel) {
            self.supervision.stop_in(&self.pool, &self.deadlines, CancelReason::Cancelled);
        }
    }

    /// The run's token: for a host that passes signals on.
    pub fn token(&self) -> &RunToken {
        &self.cancel
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

impl Default for Dispatcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for DispatcherBuilder {
    fn default() -> Self {
        Self {
            platform: Platform::HOST,
            missing_shell: None,
            shell_scripts: ShellScripts::default(),
            utilities: Arc::new(hookshell_utilities::standard()),
            limits: Limits::default(),
            pool: Pool::new(),
            layer: None,
            copies_process: false,
            watches_deadlines_later: false,
        }
    }
}

impl DispatcherBuilder {
    /// What is done about scripts for a shell that is not there, unless the invocation says otherwise.
    #[must_use]
    pub fn missing_shell(mut self, missing_shell: MissingShell) -> Self {
        self.missing_shell = Some(missing_shell);
        self
    }

    /// What runs scripts for sh, bash, dash, ash or ksh, unless the invocation says otherwise.
    #[must_use]
    pub fn shell_scripts(mut self, shell_scripts: ShellScripts) -> Self {
        self.shell_scripts = shell_scripts;
        self
    }

    /// What runs where a bundled utility and a program on PATH have the same name.
    #[must_use]
    pub fn utilities(mut self, preference: Preference) -> Self {
        self.utilities = Arc::new(hookshell_utilities::standard().preferring(preference));
        self
    }

    /// What a script may use up.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The threads that shell code runs on, to be shared with other users of it.
    #[must_use]
    pub fn pool(mut self, pool: Pool) -> Self {
        self.pool = pool;
        self
    }

    /// Puts a layer over the executor of each run.
    #[must_use]
    pub fn layer(mut self, layer: impl Fn(Arc<dyn Executor>) -> Arc<dyn Executor> + Send + Sync + 'static) -> Self {
        self.layer = Some(Arc::new(layer));
        self
    }

    /// Lets background lists of commands (`( … ) &`) be processes that live on by themselves, as in other shells: copies of
    /// this process (Unix; elsewhere nothing changes). For a host that is the process and runs commands: one that embeds
    /// them would be copied too, with all that it holds.
    #[must_use]
    pub fn copying_process(mut self) -> Self {
        self.copies_process = true;
        self
    }

    /// The host calls [`Dispatcher::watch_deadlines`] a moment after it has started commands: no thread is started for their
    /// deadlines before. Most commands have ended by then.
    #[must_use]
    pub fn watching_deadlines_later(mut self) -> Self {
        self.watches_deadlines_later = true;
        self
    }

    /// Builds it.
    pub fn build(self) -> Dispatcher {
        // Unique in this process and, as good as, among all: two hooks must not share `/tmp/x.$$`.
        let random = RandomState::new().build_hasher().finish();
        let first = u32::try_from(random & 0x3fff_ffff).unwrap_or_default();
        Dispatcher {
            shared: Arc::new(Shared {
                platform: self.platform,
                missing_shell: self.missing_shell.unwrap_or(self.platform.missing_shell()),
                shell_scripts: self.shell_scripts,
                utilities: self.utilities,
                limits: self.limits,
                pool: self.pool,
                host_thread: HostThread::default(),
                layer: self.layer,
                prober: Arc::default(),
                programs: Arc::default(),
                abandoned: Arc::default(),
                deadlines: match self.watches_deadlines_later {
                    true => Arc::new(Deadlines::watched_later()),
                    false => Arc::default(),
                },
                background: AtomicUsize::new(0),
                running: Arc::default(),
                next_id: AtomicU32::new(first),
                copies_process: self.copies_process,
            }),
        }
    }
}

impl Dispatcher {
    /// A dispatcher with the defaults of this system.
    pub fn new() -> Self {
        DispatcherBuilder::default().build()
    }

    /// A builder.
    pub fn builder() -> DispatcherBuilder {
        DispatcherBuilder::default()
    }

    /// Runs a command and waits for its end: at most its timeout, its grace and a short bound for the hard stop, also
    /// when something in it ignores the stop. Any thread will do, one with a small stack too.
    pub fn run(&self, invocation: Invocation) -> Outcome {
        let messages = Messages::default();
        Run::begin(&self.shared, invocation, messages.clone(), None, None, || ()).supervise(&messages)
    }

    /// A command will be started in a few dozen microseconds: wakes a thread for it, while the caller still makes it ready.
    pub fn expect_command(&self) {
        self.shared.pool.expect_job();
    }

    /// Starts a command and returns at once; `done` gets its outcome on a thread of the pool.
    pub fn start(&self, invocation: Invocation, done: impl FnOnce(Outcome) + Send + 'static) -> Handle {
        let messages = Messages::default();
        let supervision = Supervision::default();
        // What ends before all is in its place waits for it.
        let mut state = lock(&supervision.supervised);
        let deadlines = &self.shared.deadlines;
        // Before it begins: what nobody would stop is not begun.
        let set = invocation.timeout.and_then(|timeout| Instant::now().checked_add(timeout)).map(|at| {
            let (pool, due, later) = (self.shared.pool.clone(), supervision.clone(), Arc::downgrade(deadlines));
            deadlines.set(at, move || {
                if let Some(deadlines) = later.upgrade() {
                    due.stop_in(&pool, &deadlines, CancelReason::TimedOut);
                }
            })
        });
        let (set, refused) = match set.transpose() {
            Ok(set) => (set, None),
            Err(error) => (None, Some(error)),
        };
        let at_end = supervision.clone();
        let lookout = self.shared.host_thread.take_up();
        let run = Run::begin(&self.shared, invocation, messages.clone(), refused, lookout, move || at_end.run());
        let (cancel, grace, begun) = (run.cancel_token().clone(), run.grace(), run.has_begun());
        let received = messages.clone();
        let running = Running::begin(&self.shared.running);
        let set = set.map(|deadline| (deadlines.clone(), deadline));
        let work: Job = Box::new(move || {
            // Whoever supervises needs nobody to wake it.
            if let Some((deadlines, deadline)) = set {
                deadlines.take_back(deadline);
            }
            let outcome = run.supervise(&received);
            received.close();
            drop(running);
            done(outcome);
        });
        *state = Some(Supervised { cancel: cancel.clone(), grace, work });
        drop(state);
        let pool = self.shared.pool.clone();
        if !begun {
            // Nothing is waited for; but what is done with the outcome is another thread's business, where there is one.
            let failed = supervision.clone();
            if pool.run(move || failed.run()).is_err() {
                supervision.run();
            }
        }
        Handle { cancel, messages, supervision, pool, deadlines: deadlines.clone() }
    }

    /// The next command that is started waits until the caller [runs it itself](Self::run_kept): no other thread is needed for it then.
    /// The caller hears neither of deadlines nor of anything else meanwhile: the lookout begins to watch before the command does
    /// anything for which it may have to wait, or when its moment is over. For a process that ends with the command: what its shell has
    /// in memory is not taken apart.
    pub fn keep_next(&self, lookout: Arc<Lookout>) {
        self.shared.host_thread.offer(lookout);
    }

    /// Runs on the calling thread the command that was kept for it, to its end, which is told as for any other. It has a stack of its
    /// own (Linux; elsewhere a thread of the pool runs it). Nothing is kept from then on.
    pub fn run_kept(&self) {
        self.shared.host_thread.run(&self.shared.pool);
    }

    /// Has a thread watch the deadlines of all commands that continue, and of those that will be started: for a dispatcher that was
    /// built with [`DispatcherBuilder::watching_deadlines_later`]; else one does already. `false`: the system gives no thread.
    /// Commands whose deadline has come were told to stop, and this is to be called again soon.
    pub fn watch_deadlines(&self) -> bool {
        self.shared.deadlines.watch()
    }

    /// Runs work on a thread of the pool, whose stack is large: for what recurses, as parsers do. `None`: it panicked, or
    /// there are no more threads.
    pub fn call<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        self.shared.pool.call(work)
    }

    /// Is it the name of a built-in of the shell or of a bundled utility? On Windows `/usr/bin/env` is one as well: scripts'
    /// own paths of programs lead nowhere there, and stand for their names.
    pub fn has_command(&self, name: &[u8]) -> bool {
        self.shared.has_command(name)
    }

    /// Does the program in the words of a bundled utility's call compile: jq's filter, a script of sed or awk, grep's patterns?
    /// Nothing is run; the files that the words name as programs are read. It recurses as deep as the program nests: on a thread of
    /// [`Self::call`].
    pub fn language_of(&self, words: &[Vec<u8>], env: &[(OsString, OsString)], cwd: &Path) -> Language {
        self.shared.utilities.language(words, &Arc::new(env.to_vec()), cwd)
    }

    /// Does the in-process shell do the work of a shell of this name or path (`bash`, `C:\Git\bin\sh.exe`) where that is not
    /// found? `missing_shell` is what is set for the one invocation.
    pub fn stands_in_for(&self, name: &[u8], missing_shell: Option<MissingShell>) -> bool {
        missing_shell.unwrap_or(self.shared.missing_shell) == MissingShell::Interpret && self.is_shell(name)
    }

    /// Does the in-process shell do the work of a shell of this name or path, whether it is installed or not?
    /// `shell_scripts` is what is set for the one invocation.
    pub fn replaces(&self, name: &[u8], shell_scripts: Option<ShellScripts>) -> bool {
        shell_scripts.unwrap_or(self.shared.shell_scripts) == ShellScripts::InProcess && self.is_shell(name)
    }

    fn is_shell(&self, name: &[u8]) -> bool {
        let platform = self.shared.platform;
        let name = match platform {
            Platform::Windows => name.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default(),
            Platform::Unix => base_name(name),
        };
        is_shell(platform, name)
    }

    /// Waits until no run that has ended has a background list going on any more (`( … ) &`; programs live on by
    /// themselves), or `give_up` says so. Each ends with its own run's deadline at the latest. For a host that is about
    /// to exit: its exit would end them.
    pub fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        /// How often it looks.
        const POLL_INTERVAL: Duration = Duration::from_millis(5);
        while self.shared.background.load(Ordering::Acquire) > 0 && !give_up() {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until every run that was started has ended, or `give_up` says so. For a host that is about to exit and has
    /// cancelled its runs: what ignores the request to stop is killed after the grace by this process only.
    pub fn wait_for_runs(&self, give_up: &dyn Fn() -> bool) {
        /// How often it looks.
        const POLL_INTERVAL: Duration = Duration::from_millis(5);
        while self.shared.running.load(Ordering::Acquire) > 0 && !give_up() {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// How many runs were given up because something in them could not be stopped, and still continue.
    pub fn abandoned(&self) -> usize {
        self.shared.abandoned.load(Ordering::Relaxed)
    }

    /// Says what would be done with a command, and runs nothing.
    pub fn explain(&self, invocation: &Invocation) -> Explanation {
        let shared = self.shared.clone();
        let invocation = invocation.clone();
        // Parsing recurses: on a thread whose stack is known to be enough.
        let explained = self.shared.pool.call(move || shared.explain(&invocation));
        explained.unwrap_or_else(|| Explanation {
            tokens: Vec::new(),
            argv0: None,
            route: Route::NotStartable { reason: "no more threads, or an internal error".into() },
            program: None,
            argv: Vec::new(),
            reasons: Vec::new(),
        })
    }
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatcher")
            .field("platform", &self.shared.platform)
            .field("missing_shell", &self.shared.missing_shell)
            .field("shell_scripts", &self.shared.shell_scripts)
            .field("abandoned", &self.abandoned())
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Dispatcher>();
    shared::<Handle>();
};
