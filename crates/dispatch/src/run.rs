//! One run: on a thread of the pool, supervised from another where it has to be stopped.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use bstr::BString;
use hookshell_process::{Environment, Lookout, Mailbox};
use hookshell_shell::{
    BaseEnvironment, CancelReason, Capture, Executor, Exit, ExitCause, FdTable, Identity, OutputSink, RunToken, Shell,
    ShellConfig, Stream,
};

use crate::executor::ProgramExecutor;
use crate::invocation::{Command, Dropped, End, Input, Invocation, Outcome, Output};
use crate::platform::Platform;
use crate::route::Route;
use crate::shared::Shared;
use crate::start_failure::{StartFailure, StartFailureKind};

/// How long a killed run may take to come back before its thread is given up. Killing is a system call; what does not
/// come back after this is a blocking call that nothing can wake.
const KILL_BOUND: Duration = Duration::from_millis(500);

/// How long an output is waited for after its leader has ended, when a program that lives on still holds it. As long
/// as bytes keep coming the wait continues, this many times.
const DRAIN: Duration = Duration::from_millis(100);
const DRAINS: usize = 10;

/// What a `File` invocation runs.
const FILE_SOURCE: &[u8] = b"\"$@\"";

/// What a run and its handles tell its supervisor.
#[derive(Debug)]
pub(crate) enum Message {
    /// It has ended. `background`: threads of its background lists continue, and the run's thread looks after them.
    Ended { exit: Exit, background: bool },
    /// Its thread is gone without an end.
    Died,
    /// The host wants it stopped.
    Cancel,
}

/// A run that was begun.
pub(crate) struct Run {
    started: Instant,
    timeout: Option<Duration>,
    grace: Duration,
    cancel: RunToken,
    /// Begins to watch over it, where the host runs it itself.
    lookout: Option<Arc<Lookout>>,
    executor: Arc<ProgramExecutor>,
    captures: Option<(Capture, Capture)>,
    /// Who gets the outputs as they are written.
    sinks: Vec<Arc<dyn OutputSink>>,
    limit: usize,
    /// Why it was not even begun.
    failed: Option<String>,
    life: Life,
}

/// Shared by the supervisor and the run's thread: who comes last counts.
#[derive(Clone)]
struct Life {
    state: Arc<AtomicU8>,
    abandoned: Arc<std::sync::atomic::AtomicUsize>,
}

const LIVE: u8 = 0;
const ENDED: u8 = 1;
const ABANDONED: u8 = 2;

/// Where a run's messages go.
pub(crate) type Messages = Arc<Mailbox<Message>>;

/// Sends `Died` when a panic takes the thread, and takes an abandoned run off the count at its end.
struct Guard {
    messages: Option<Messages>,
    life: Life,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.life.state.swap(ENDED, Ordering::AcqRel) == ABANDONED {
            self.life.abandoned.fetch_sub(1, Ordering::Relaxed);
        }
        if let Some(messages) = self.messages.take() {
            messages.send(Message::Died);
        }
    }
}

impl Run {
    /// Begins a run on a thread of the pool. `ended` is called there once the run's last message is sent, whatever its
    /// end was; it is not called for a run that could not be begun.
    pub(crate) fn begin(
        shared: &Arc<Shared>,
        invocation: Invocation,
        messages: Messages,
        refused: Option<io::Error>,
        lookout: Option<Arc<Lookout>>,
        ended: impl FnOnce() + Send + 'static,
    ) -> Self {
        let shared = shared.clone();
        let is_kept = lookout.is_some();
        let cancel = match lookout.clone() {
            Some(lookout) => RunToken::watched(invocation.isolated, lookout),
            None if invocation.isolated => RunToken::isolated(),
            None => RunToken::inherited(),
        };
        let mut run = Self {
            started: Instant::now(),
            timeout: invocation.timeout,
            grace: invocation.grace,
            cancel,
            lookout,
            executor: shared.executor(&invocation),
            captures: None,
            sinks: Vec::new(),
            limit: usize::MAX,
            failed: None,
            life: Life { state: Arc::new(AtomicU8::new(LIVE)), abandoned: shared.abandoned.clone() },
        };
        if let Some(error) = refused {
            run.failed = Some(no_thread(&error));
            return run;
        }
        let fds = match run.streams(&invocation, shared.limits.captured_bytes) {
            Ok(fds) => fds,
            Err(error) => {
                run.failed = Some(format!("the standard streams cannot be passed on: {error}"));
                return run;
            }
        };
        if !invocation.cwd.is_absolute() {
            run.failed = Some(format!("the working directory {} is not absolute", invocation.cwd.display()));
            return run;
        }
        let executor = run.executor.clone();
        let cancel = run.cancel.clone();
        let guard = Guard { messages: Some(messages), life: run.life.clone() };
        let token = run.cancel.clone();
        let own = shared.clone();
        let job = move || {
            let mut ended = Some(ended);
            // A panic is told by the guard.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let mut guard = guard;
                let deadline = invocation.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
                let grace = invocation.grace;
                let (exit, mut shell) = interpret(&shared, executor, cancel.clone(), fds, invocation);
                // What reads the outputs must not wait for the shell itself.
                shell.close_descriptors();
                let background = shell.live_threads() > 0 && !cancel.is_cancelled();
                // Where nothing continues it is taken apart when the end is told: nobody waits for that.
                let mut shell = Some(shell);
                let stays = shell
                    .take_if(|_| background)
                    .map(|shell| Outliving::begin(&shared, shell, cancel, deadline, grace));
                if let Some(messages) = guard.messages.take() {
                    messages.send(Message::Ended { exit, background });
                }
                // Whoever is told may take its time, and the thread may be needed elsewhere: another one stays with what continues.
                let stays = stays.and_then(|outliving| shared.pool.hand_on(outliving, Outliving::wait).err());
                if let Some(ended) = ended.take() {
                    ended();
                }
                if let Some(outliving) = stays {
                    outliving.wait();
                }
                if is_kept && !token.is_cancelled() {
                    // The process ends with its command. One that was stopped may have left programs to be reaped.
                    let _ = ManuallyDrop::new(shell);
                }
            }));
            if let Some(ended) = ended {
                ended();
            }
        };
        let begun = match is_kept {
            true => own.host_thread.keep(job).or_else(|job| own.pool.run_when_free(job)),
            false => own.pool.run_when_free(job),
        };
        if let Err(error) = begun {
            run.failed = Some(no_thread(&error));
        }
        run
    }

    /// When it is stopped.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.timeout.and_then(|timeout| self.started.checked_add(timeout))
    }

    /// How long it has after it was told to end.
    pub(crate) fn grace(&self) -> Duration {
        self.grace
    }

    /// Was it begun at all?
    pub(crate) fn has_begun(&self) -> bool {
        self.failed.is_none()
    }

    /// By which it is stopped.
    pub(crate) fn cancel_token(&self) -> &RunToken {
        &self.cancel
    }

    /// `most`: the bytes that are kept of an output, whatever the invocation says.
    fn streams(&mut self, invocation: &Invocation, most: usize) -> io::Result<FdTable> {
        let stdin = match &invocation.stdin {
            Input::Bytes(bytes) => Stream::input(bytes.clone()),
            Input::Null => Stream::null(),
            Input::Inherit => Stream::from_file(own(&io::stdin())?),
        };
        let (stdout, stderr) = match &invocation.output {
            Output::Capture { limit } => {
                let limit = (*limit).min(most);
                let (stdout, out) = match &invocation.first_line {
                    Some(watch) => Stream::capture_watched(limit, watch.clone()),
                    None => Stream::capture(limit),
                };
                let (stderr, err) = Stream::capture(limit);
                self.captures = Some((out, err));
                self.limit = limit;
                (stdout, stderr)
            }
            Output::Forward { stdout, stderr } => {
                self.sinks = [Some(stdout), stderr.as_ref()].into_iter().flatten().cloned().collect();
                let (out, of_out) = Stream::forward(Arc::clone(stdout));
                let Some(stderr) = stderr else {
                    self.captures = Some((of_out.clone(), of_out));
                    let out = Arc::new(out);
                    return Ok(FdTable::new(Arc::new(stdin), Arc::clone(&out), out));
                };
                let (err, of_err) = Stream::forward(Arc::clone(stderr));
                self.captures = Some((of_out, of_err));
                (out, err)
            }
            Output::Inherit => (Stream::from_file(own(&io::stdout())?), Stream::from_file(own(&io::stderr())?)),
        };
        Ok(FdTable::new(Arc::new(stdin), Arc::new(stdout), Arc::new(stderr)))
    }

    /// Waits for the end, with the deadline and the two steps of a stop.
    pub(crate) fn supervise(self, messages: &Mailbox<Message>) -> Outcome {
        if let Some(why) = &self.failed {
            let end = End::NotStarted(not_started(why.clone(), 126));
            return self.outcome(126, end);
        }
        let reason = match receive(messages, self.deadline(), true) {
            Some(Message::Ended { exit, background }) => return self.ended(exit, background),
            Some(Message::Died) => return self.died(),
            Some(Message::Cancel) => CancelReason::Cancelled,
            None => CancelReason::TimedOut,
        };
        self.cancel.cancel(reason);
        let grace = Instant::now().checked_add(self.grace);
        let stopped = receive(messages, grace, false).or_else(|| {
            self.cancel.kill(reason);
            // What waits for who gets the output is woken.
            self.sinks.iter().for_each(|sink| sink.close());
            receive(messages, Instant::now().checked_add(KILL_BOUND), false)
        });
        // Whatever is left of the tree: a program that ignored TERM, a grandchild.
        self.cancel.kill(reason);
        match stopped {
            Some(Message::Ended { exit, .. }) => {
                let end = stop_end(self.cancel.reason().unwrap_or(reason));
                self.outcome(exit.status, end)
            }
            Some(Message::Died) => self.died(),
            Some(Message::Cancel) | None => {
                let state = &self.life.state;
                let abandoned = state.compare_exchange(LIVE, ABANDONED, Ordering::AcqRel, Ordering::Acquire).is_ok();
                if abandoned {
                    self.life.abandoned.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(target: "hookshell::dispatch", "a run that cannot be stopped was given up");
                }
                /// 128 + SIGKILL.
                const KILLED: u8 = 137;
                self.outcome(KILLED, stop_end(reason))
            }
        }
    }

    fn ended(self, exit: Exit, background: bool) -> Outcome {
        // The tree is released only after the drain of the outputs, so that what is counted as its own still is.
        let end = match exit.cause {
            ExitCause::SyntaxError(error) => End::SyntaxError(error),
            ExitCause::Signal(signal) => End::Signaled(signal),
            ExitCause::LimitExceeded(limit) => {
                // Nothing of such a run lives on.
                self.cancel.kill(CancelReason::Cancelled);
                End::LimitExceeded(limit)
            }
            ExitCause::StatusLost => End::StatusLost,
            ExitCause::Cancelled => {
                // By the token itself, which a host may hold.
                self.cancel.kill(CancelReason::Cancelled);
                match self.lookout.as_ref().is_some_and(|lookout| lookout.has_failed()) {
                    true => End::NotStarted(not_started(
                        "no thread can be started that would watch over it".into(),
                        exit.status,
                    )),
                    false => stop_end(self.cancel.reason().unwrap_or(CancelReason::Cancelled)),
                }
            }
            _ => match self.executor.last_failure() {
                Some(failure) if failure.status == exit.status => End::NotStarted(failure),
                _ => End::Exited,
            },
        };
        if !background {
            self.cancel.tree().release();
        }
        self.outcome(exit.status, end)
    }

    fn died(self) -> Outcome {
        self.cancel.kill(CancelReason::Cancelled);
        /// As a program that aborts: 128 + SIGABRT.
        const ABORTED: u8 = 134;
        self.outcome(ABORTED, End::Panicked)
    }

    fn outcome(self, status: u8, end: End) -> Outcome {
        // Whatever the command has made of it.
        let end = self.executor.refusal().map_or(end, |reason| End::UnpassableVariables(reason.to_owned()));
        let end = self.executor.changed().map_or(end, End::Changed);
        let (mut stdout, mut stderr, mut dropped) = (Vec::new(), Vec::new(), Dropped::default());
        if let Some((out, err)) = &self.captures {
            // Both are waited for at the same time.
            let first = Instant::now().checked_add(DRAIN);
            (stdout, dropped.stdout) = drain(out, self.limit, first);
            (stderr, dropped.stderr) = drain(err, self.limit, first);
        }
        Outcome {
            status,
            stdout,
            stderr,
            end,
            route: self.executor.route().cloned().unwrap_or(Route::Shell),
            shells: self.executor.shells(),
            duration: self.started.elapsed(),
            dropped,
        }
    }
}

/// Of a run that was not begun, or that nobody could watch over.
fn not_started(message: String, status: u8) -> StartFailure {
    StartFailure { kind: StartFailureKind::Spawn, command: "hookshell".into(), message, status }
}

/// Why a run was not begun.
fn no_thread(error: &io::Error) -> String {
    format!("no thread can be started: {error}")
}

/// Takes what was captured: all of it, unless a program that lives on holds the stream. `until` is when the first wait for it
/// ends.
fn drain(capture: &Capture, limit: usize, mut until: Option<Instant>) -> (Vec<u8>, usize) {
    let mut data = Vec::new();
    for _ in 0..DRAINS {
        // What was written before the leader's end is there, whether or not the collecting thread has had its turn yet.
        let forwarded = capture.forwarded();
        let complete = capture.catch_up() || capture.wait(until, &|| false) || capture.catch_up();
        until = Instant::now().checked_add(DRAIN);
        let more = capture.take();
        let quiet = more.is_empty() && capture.forwarded() == forwarded;
        data.extend_from_slice(&more);
        if complete || quiet {
            break;
        }
    }
    let beyond = data.len().saturating_sub(limit);
    data.truncate(limit);
    (data, capture.dropped() + beyond)
}

/// The next message; `None` at the deadline. A cancel is passed over where it has been heard already.
fn receive(messages: &Mailbox<Message>, deadline: Option<Instant>, hear_cancel: bool) -> Option<Message> {
    loop {
        match messages.receive_soon(deadline)? {
            Message::Cancel if !hear_cancel => {}
            message => return Some(message),
        }
    }
}

fn stop_end(reason: CancelReason) -> End {
    match reason {
        CancelReason::TimedOut => End::TimedOut,
        CancelReason::Cancelled | CancelReason::Interrupted => End::Cancelled,
    }
}

/// Runs the command to its end; on a pool thread.
fn interpret(
    shared: &Arc<Shared>,
    executor: Arc<ProgramExecutor>,
    cancel: RunToken,
    fds: FdTable,
    mut invocation: Invocation,
) -> (Exit, Shell) {
    if shared.platform == Platform::Windows {
        let mut env = invocation.whole_env().into_owned();
        // The system writes `Path`; to a script it is PATH.
        for (name, _) in &mut env {
            if name.eq_ignore_ascii_case("PATH") {
                *name = "PATH".into();
            }
        }
        invocation.env = Environment::of_unique(env);
        invocation.base_env = BaseEnvironment::default();
    }
    cancel.before_wait_if(|| matches!(invocation.command, Command::File { .. }) || is_large(&invocation));
    let file_words = shared.file_words(&invocation);
    let source: Arc<[u8]> = match &invocation.command {
        Command::Source(source) => shared.source(source),
        Command::File { .. } => FILE_SOURCE.into(),
    };
    let program = shared.programs.parse(&source, invocation.dialect, &shared.limits, &|| cancel.is_cancelled());
    let file_name = shared.file_name(&invocation, &program);
    let layered: Arc<dyn Executor> = match &shared.layer {
        Some(layer) => layer(executor.clone()),
        None => executor.clone(),
    };
    let config = ShellConfig {
        executor: layered,
        utilities: shared.utilities.clone(),
        pool: shared.pool.clone(),
        cancel,
        env: invocation.env.into(),
        cwd: invocation.cwd,
        fds,
        name: invocation.name,
        args: file_words.unwrap_or_default().into_iter().map(BString::from).collect(),
        dialect: invocation.dialect,
        limits: shared.limits,
        identity: match invocation.is_process {
            true => Identity::Process,
            false => Identity::Virtual(shared.next_id()),
        },
        is_command_string: true,
    };
    let mut shell = Shell::with_base(config, &invocation.base_env);
    if shared.copies_process {
        shell.copy_process();
    }
    if let Some(name) = file_name {
        // The shell's own directory: the path by which PWD names it, where that leads to the same one.
        executor.expect_file(name, shell.cwd().to_path_buf());
    }
    let exit = shell.run_program(&program);
    (exit, shell)
}

/// Has it so much text that what is done with it could take long, in steps that nothing can stop?
fn is_large(invocation: &Invocation) -> bool {
    const LARGE: usize = 32 * 1024;
    let source = match &invocation.command {
        Command::Source(source) => source.len(),
        Command::File { .. } => 0,
    };
    let stdin = match &invocation.stdin {
        Input::Bytes(bytes) => bytes.len(),
        Input::Null | Input::Inherit => 0,
    };
    let env = || invocation.env.iter().map(|(_, value)| value.len()).sum::<usize>();
    source + stdin > LARGE || env() > LARGE
}

/// Background lists of a run that has ended, which continue.
struct Outliving {
    shared: Arc<Shared>,
    shell: Shell,
    cancel: RunToken,
    deadline: Option<Instant>,
    grace: Duration,
}

impl Outliving {
    fn begin(shared: &Arc<Shared>, shell: Shell, cancel: RunToken, deadline: Option<Instant>, grace: Duration) -> Self {
        shared.background.fetch_add(1, Ordering::AcqRel);
        Self { shared: Arc::clone(shared), shell, cancel, deadline, grace }
    }

    /// Waits for them.
    fn wait(self) {
        outlive(&self.shell, &self.cancel, self.deadline, self.grace);
        self.shared.background.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Stays with the background lists of a run that has ended, until they have or the run's deadline comes.
fn outlive(shell: &Shell, cancel: &RunToken, deadline: Option<Instant>, grace: Duration) {
    let over = |at: Option<Instant>| at.is_some_and(|at| Instant::now() >= at);
    shell.wait_for_background(&|| over(deadline) || cancel.is_cancelled());
    if shell.live_threads() == 0 {
        cancel.tree().release();
        return;
    }
    cancel.cancel(CancelReason::TimedOut);
    let hard = Instant::now().checked_add(grace);
    shell.wait_for_background(&|| over(hard));
    cancel.kill(CancelReason::TimedOut);
    shell.wait_for_background(&|| over(Instant::now().checked_add(KILL_BOUND)));
}

/// A stream of the process as a file of our own.
#[cfg(unix)]
fn own(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

/// A stream of the process as a file of our own.
#[cfg(windows)]
fn own(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}
