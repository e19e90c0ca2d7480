//! What can be waited for, the table of jobs, and what a run's environments share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookshell_process::sync::lock;
use hookshell_process::{Child, Interrupt};
use hookshell_utility::RunToken;

use crate::executor::ExecError;
use crate::traps::SIGINT;

mod death;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use death::{Death, STATE_WIDTH};
pub(crate) use table::{JobEntry, Jobs, NoJob};

/// How often somebody who waits for a thread looks whether the run was stopped for good. The end of the thread wakes
/// it at once.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What all environments of a run share: ids, live threads, signals that were sent to them.
pub(crate) struct RunState {
    next_id: AtomicU32,
    pub(crate) threads: Mutex<usize>,
    pub(crate) thread_ended: Condvar,
    /// The environments that signals can be sent to.
    mailboxes: Mutex<HashMap<u32, Mailbox>>,
    pending: AtomicUsize,
    status_lost: AtomicBool,
    first_failure: Mutex<Option<(u8, String)>>,
    /// The environment that a copy of the process was made for has an EXIT trap.
    has_exit_trap: AtomicBool,
    /// So many commands have a limited time: their utilities can be ended alone.
    timed: AtomicUsize,
    /// Those commands and who has started them, which a signal of a terminal does not reach: `timeout` has a process group of its own.
    apart: Mutex<Vec<RunToken>>,
    /// Signals that a terminal gives to the whole group may come and be trapped, and end utilities alone, too.
    expects_group_signals: AtomicBool,
    /// Those utilities.
    utilities: Mutex<Vec<EndableUtility>>,
    /// Whose business an INT is that nobody traps: [`OWN`], [`LEFT`] or [`CAME`].
    interrupts: AtomicU8,
}

/// An INT ends the process.
const OWN: u8 = 0;
/// The program that runs in the foreground decides.
const LEFT: u8 = 1;
/// The same, and one has come.
const CAME: u8 = 2;

/// A utility that a signal can end and not what it is a part of.
#[derive(Clone)]
struct EndableUtility {
    token: RunToken,
    /// That of its environment.
    caller: RunToken,
    /// The signals that its environment ignores, as bits.
    ignored: u64,
    /// The signal that has ended it; 0: none.
    ended_by: Arc<AtomicI32>,
}

impl RunState {
    pub(crate) fn new(process_id: u32) -> Self {
        let first = process_id.max(crate::config::FIRST_VIRTUAL_ID) + 1;
        Self {
            next_id: AtomicU32::new(first),
            threads: Mutex::new(0),
            thread_ended: Condvar::new(),
            mailboxes: Mutex::new(HashMap::new()),
            pending: AtomicUsize::new(0),
            status_lost: AtomicBool::new(false),
            first_failure: Mutex::new(None),
            has_exit_trap: AtomicBool::new(false),
            timed: AtomicUsize::new(0),
            apart: Mutex::default(),
            expects_group_signals: AtomicBool::new(false),
            utilities: Mutex::default(),
            interrupts: AtomicU8::new(OWN),
        }
    }

    /// That of a copy of the process: its virtual ids are not those of another copy.
    #[cfg(unix)]
    pub(crate) fn of_copy(process_id: u32) -> Self {
        /// So many for each, above what Linux gives out for processes (22 bits).
        const BITS: u32 = 8;
        Self::new(crate::config::FIRST_VIRTUAL_ID + (process_id << BITS & 0x3fff_ffff))
    }

    /// The environment that a copy of the process was made for has set or reset its EXIT trap.
    pub(crate) fn set_exit_trap(&self, is_set: bool) {
        self.has_exit_trap.store(is_set, Ordering::Release);
    }

    #[cfg(unix)]
    pub(crate) fn has_exit_trap(&self) -> bool {
        self.has_exit_trap.load(Ordering::Acquire)
    }

    /// A new virtual process id.
    pub(crate) fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn live_threads(&self) -> usize {
        *lock(&self.threads)
    }

    pub(crate) fn wait_for_threads(&self, give_up: &dyn Fn() -> bool) {
        let mut threads = lock(&self.threads);
        while *threads > 0 && !give_up() {
            threads = self.thread_ended.wait_timeout(threads, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Is a signal waiting for some environment? One atomic load.
    #[inline]
    pub(crate) fn has_signals(&self) -> bool {
        self.pending.load(Ordering::Relaxed) > 0
    }

    /// Makes the id of an environment one that signals can be sent to. `handled` are the signals that do not end it
    /// (as [`crate::traps::Traps::handled`] has them), `cancel` ends what it is busy with, `job` is what others wait for.
    pub(crate) fn register(&self, id: u32, handled: u64, cancel: RunToken, job: Option<Arc<ThreadState>>) {
        lock(&self.mailboxes)
            .insert(id, Mailbox { queue: Vec::new(), handled, cancel, job, program: None, stages: None, nudge: None });
    }

    /// A script begins: signals can be sent to its id. Where it takes the place of an environment, what that one had is given
    /// back to [`Self::leave`].
    pub(crate) fn enter(&self, id: u32, handled: u64, cancel: RunToken) -> Option<Replaced> {
        if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
            return Some(Replaced {
                handled: std::mem::replace(&mut mailbox.handled, handled),
                cancel: std::mem::replace(&mut mailbox.cancel, cancel),
            });
        }
        self.register(id, handled, cancel, None);
        None
    }

    /// The script has ended.
    pub(crate) fn leave(&self, id: u32, replaced: Option<Replaced>) {
        match replaced {
            None => self.unregister(id),
            Some(Replaced { handled, cancel }) => {
                if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
                    mailbox.handled = handled;
                    mailbox.cancel = cancel;
                }
            }
        }
    }

    pub(crate) fn unregister(&self, id: u32) {
        if let Some(left) = lock(&self.mailboxes).remove(&id) {
            self.pending.fetch_sub(left.queue.len(), Ordering::Relaxed);
        }
    }

    /// A program takes the place of the environment (`exec`), or has ended.
    pub(crate) fn set_program(&self, id: u32, program: Option<u32>) {
        if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
            mailbox.program = program;
        }
    }

    /// The process that has taken the place of the environment: it is who gets the signals.
    pub(crate) fn program_of(&self, id: u32) -> Option<u32> {
        lock(&self.mailboxes).get(&id)?.program
    }

    /// The environment is a pipeline in the background: a signal for the job is for its stages too.
    pub(crate) fn collect_stages(&self, id: u32) {
        if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
            mailbox.stages = Some(Vec::new());
        }
    }

    /// The environment has started a stage of a pipeline.
    pub(crate) fn add_stage(&self, id: u32, stage: u32) {
        if let Some(stages) = lock(&self.mailboxes).get_mut(&id).and_then(|mailbox| mailbox.stages.as_mut()) {
            stages.push(stage);
        }
    }

    /// The stages but the last of a pipeline in the background.
    pub(crate) fn stages_of(&self, id: u32) -> Vec<u32> {
        lock(&self.mailboxes).get(&id).and_then(|mailbox| mailbox.stages.clone()).unwrap_or_default()
    }

    /// The environment has set or reset traps.
    pub(crate) fn set_handled(&self, id: u32, handled: u64) {
        if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
            mailbox.handled = handled;
        }
    }

    /// Does any environment trap or ignore the signal?
    #[cfg(unix)]
    pub(crate) fn is_handled_by_any(&self, signal: i32) -> bool {
        lock(&self.mailboxes).values().any(|mailbox| has_bit(mailbox.handled, signal))
    }

    /// Sends a signal to an environment of this run; `false` where there is none with that id. One that ends it does so
    /// at once for those who wait for it; the environment itself learns of it as soon as it can.
    pub(crate) fn signal(&self, id: u32, signal: i32) -> bool {
        let mut mailboxes = lock(&self.mailboxes);
        let Some(mailbox) = mailboxes.get_mut(&id) else { return false };
        let Some(wake) = self.put(mailbox, signal) else { return false };
        // What is woken may look into its mailbox.
        drop(mailboxes);
        wake.raise();
        true
    }

    /// Puts a signal into a mailbox: what wakes its environment; `None` where that has ended.
    fn put(&self, mailbox: &mut Mailbox, signal: i32) -> Option<Wake> {
        if mailbox.job.as_ref().is_some_and(|job| job.has_ended()) {
            return None;
        }
        if signal == 0 {
            return Some(Wake::Nobody);
        }
        mailbox.queue.push(signal);
        self.pending.fetch_add(1, Ordering::Relaxed);
        let is_handled = has_bit(mailbox.handled, signal);
        if (!is_handled || signal == SIGKILL) && crate::traps::ends_by_default(signal) {
            if let Some(job) = &mailbox.job {
                job.end(End { status: 128u8.saturating_add(u8::try_from(signal).unwrap_or(0)), signal });
            }
            return Some(Wake::End(mailbox.cancel.clone()));
        }
        Some(mailbox.nudge.clone().map_or(Wake::Nobody, Wake::Nudge))
    }

    /// Runs a command with a limited time as this part of the run, for the utility that the environment with the token `caller` runs.
    pub(crate) fn run_timed<T>(&self, caller: &RunToken, part: &RunToken, run: impl FnOnce() -> T) -> T {
        let is_caller =
            |utility: &&EndableUtility| utility.caller.is_within(caller) && caller.is_within(&utility.caller);
        let utility = lock(&self.utilities).iter().find(is_caller).map(|utility| utility.token.clone());
        lock(&self.apart).extend(utility.clone().into_iter().chain([part.clone()]));
        self.timed.fetch_add(1, Ordering::Relaxed);
        let result = run();
        self.timed.fetch_sub(1, Ordering::Relaxed);
        let is_mine = |other: &RunToken| utility.iter().chain([part]).any(|mine| other.is_within(mine));
        lock(&self.apart).retain(|other| !is_mine(other));
        result
    }

    /// Has any command a limited time?
    #[inline]
    pub(crate) fn has_timed(&self) -> bool {
        self.timed.load(Ordering::Relaxed) > 0
    }

    /// Runs a utility so that the signal of a time limit, or of a terminal, ends it and not what it is a part of; and says which signal
    /// has ended it.
    pub(crate) fn run_utility<T>(
        &self,
        cancel: &RunToken,
        ignored: u64,
        run: impl FnOnce(&RunToken) -> T,
    ) -> (T, Option<i32>) {
        if !self.has_timed() && !self.expects_group_signals.load(Ordering::Relaxed) {
            return (run(cancel), None);
        }
        let (own, ended_by) = (cancel.child(), Arc::<AtomicI32>::default());
        let (token, caller) = (own.clone(), cancel.clone());
        lock(&self.utilities).push(EndableUtility { token, caller, ignored, ended_by: ended_by.clone() });
        let result = run(&own);
        lock(&self.utilities).retain(|utility| !utility.token.is_within(&own));
        let signal = ended_by.load(Ordering::Acquire);
        (result, (signal != 0).then_some(signal))
    }

    /// The script traps a signal that a terminal may give to the whole group.
    pub(crate) fn expect_group_signals(&self) {
        self.expects_group_signals.store(true, Ordering::Relaxed);
    }

    /// A terminal has given the signal to the whole process group: what is a part of this process gets it, and would be a process of
    /// its own by another shell. `false` where the environment with this id, the process's own, neither traps nor ignores it.
    pub(crate) fn signal_group(&self, id: u32, signal: i32) -> bool {
        let mailboxes = lock(&self.mailboxes);
        if !mailboxes.get(&id).is_some_and(|mailbox| has_bit(mailbox.handled, signal)) {
            return false;
        }
        let apart = lock(&self.apart).clone();
        let is_in_group = |token: &RunToken| !apart.iter().any(|part| token.is_within(part));
        self.put_in_all(mailboxes, signal, |_, token| is_in_group(token));
        self.end_utilities(signal, is_in_group);
        true
    }

    /// The signal goes to all environments of this part but the one with this id, as to a process group.
    pub(crate) fn signal_others(&self, id: u32, part: &RunToken, signal: i32) {
        self.put_in_all(lock(&self.mailboxes), signal, |other, token| other != id && token.is_within(part));
        self.end_utilities(signal, |token| token.is_within(part));
    }

    /// Puts a signal into the mailboxes of all environments that are meant, by their ids and tokens. All have it before any is woken, as a
    /// process group has: else who waits for another, or reads what it writes, could continue by its end alone.
    fn put_in_all(
        &self,
        mut mailboxes: MutexGuard<'_, HashMap<u32, Mailbox>>,
        signal: i32,
        are_meant: impl Fn(u32, &RunToken) -> bool,
    ) {
        let meant = mailboxes.iter_mut().filter(|(id, mailbox)| are_meant(**id, &mailbox.cancel));
        let wakes: Vec<Wake> = meant.filter_map(|(_, mailbox)| self.put(mailbox, signal)).collect();
        drop(mailboxes);
        wakes.iter().for_each(Wake::raise);
    }

    /// The signal ends these utilities, but for those that ignore it.
    fn end_utilities(&self, signal: i32, are: impl Fn(&RunToken) -> bool) {
        if !crate::traps::ends_by_default(signal) {
            return;
        }
        let mut utilities = lock(&self.utilities).clone();
        utilities.retain(|utility| are(&utility.token) && !has_bit(utility.ignored, signal));
        // All have it before any ends, as processes have: else who reads what another writes could end by its end alone.
        utilities.iter().for_each(|utility| utility.ended_by.store(signal, Ordering::Release));
        utilities.iter().for_each(|utility| utility.token.end());
    }

    /// The time of a command is over, whose environment has this id: the signal goes to all that it has started, as to a
    /// process group. `false` where the command is no script that traps or ignores the signal, and ends by it.
    pub(crate) fn signal_part(&self, id: u32, part: &RunToken, signal: i32) -> bool {
        let mailboxes = lock(&self.mailboxes);
        if !mailboxes.get(&id).is_some_and(|mailbox| has_bit(mailbox.handled, signal)) {
            return false;
        }
        self.put_in_all(mailboxes, signal, |_, token| token.is_within(part));
        part.tree().signal_all(signal);
        self.end_utilities(signal, |token| token.is_within(part));
        true
    }

    /// From now on an INT that nobody traps is left to the program that runs in the foreground, until [`Self::take_back_interrupts`].
    pub(crate) fn leave_interrupts(&self) {
        // One that has come stays known.
        let _ = self.interrupts.compare_exchange(OWN, LEFT, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The program has ended. Has an INT come meanwhile?
    pub(crate) fn take_back_interrupts(&self) -> bool {
        self.interrupts.swap(OWN, Ordering::AcqRel) == CAME
    }

    /// A signal has come that the process does not handle: is it left to the program that runs in the foreground?
    pub(crate) fn is_left_to_program(&self, signal: i32) -> bool {
        let note = |state: u8| (state != OWN).then_some(CAME);
        signal == SIGINT && self.interrupts.fetch_update(Ordering::AcqRel, Ordering::Acquire, note).is_ok()
    }

    /// Puts a signal of an environment to itself into its mailbox: it looks as soon as its command has ended.
    pub(crate) fn post(&self, id: u32, signal: i32) -> bool {
        let mut mailboxes = lock(&self.mailboxes);
        let Some(mailbox) = mailboxes.get_mut(&id) else { return false };
        mailbox.queue.push(signal);
        self.pending.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Puts a signal from outside into the mailbox of an environment that does not end by it; `false` where it would.
    pub(crate) fn post_handled(&self, id: u32, signal: i32) -> bool {
        let mut mailboxes = lock(&self.mailboxes);
        let Some(mailbox) = mailboxes.get_mut(&id) else { return false };
        if !has_bit(mailbox.handled, signal) {
            return false;
        }
        mailbox.queue.push(signal);
        self.pending.fetch_add(1, Ordering::Relaxed);
        let nudge = mailbox.nudge.clone();
        drop(mailboxes);
        if let Some(nudge) = nudge {
            nudge.raise();
        }
        true
    }

    /// The blocking call that an environment is in; one whose signals wait already is woken at once.
    pub(crate) fn set_nudge(&self, id: u32, nudge: Option<Interrupt>) {
        if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
            if let Some(nudge) = &nudge
                && !mailbox.queue.is_empty()
            {
                nudge.raise();
            }
            mailbox.nudge = nudge;
        }
    }

    /// Drops the waiting signals that `keep` does not want.
    pub(crate) fn retain_signals(&self, id: u32, keep: impl Fn(i32) -> bool) {
        if let Some(mailbox) = lock(&self.mailboxes).get_mut(&id) {
            let before = mailbox.queue.len();
            mailbox.queue.retain(|signal| keep(*signal));
            self.pending.fetch_sub(before - mailbox.queue.len(), Ordering::Relaxed);
        }
    }

    /// Does a signal wait for this environment?
    pub(crate) fn has_signals_for(&self, id: u32) -> bool {
        self.has_signals() && lock(&self.mailboxes).get(&id).is_some_and(|mailbox| !mailbox.queue.is_empty())
    }

    /// Does a signal that is not this one wait for an environment?
    pub(crate) fn has_other_signal_for(&self, id: u32, signal: i32) -> bool {
        lock(&self.mailboxes).get(&id).is_some_and(|mailbox| mailbox.queue.iter().any(|waiting| *waiting != signal))
    }

    /// The first of the signals that wait for an environment.
    pub(crate) fn first_signal(&self, id: u32) -> Option<i32> {
        lock(&self.mailboxes).get(&id)?.queue.first().copied()
    }

    /// Takes the signals that wait for an environment.
    pub(crate) fn take_signals(&self, id: u32) -> Vec<i32> {
        match lock(&self.mailboxes).get_mut(&id) {
            Some(mailbox) if !mailbox.queue.is_empty() => {
                self.pending.fetch_sub(mailbox.queue.len(), Ordering::Relaxed);
                std::mem::take(&mut mailbox.queue)
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn note_status_lost(&self) {
        self.status_lost.store(true, Ordering::Relaxed);
    }

    /// Was the exit status of a child lost because the host reaps our children?
    pub(crate) fn is_status_lost(&self) -> bool {
        self.status_lost.load(Ordering::Relaxed)
    }

    pub(crate) fn note_failure(&self, error: &ExecError) {
        lock(&self.first_failure).get_or_insert_with(|| (error.status(), error.to_string()));
    }
}

/// A process or thread that can be waited for.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) id: u32,
    pub(crate) kind: JobKind,
}

#[derive(Debug, Clone)]
pub(crate) enum JobKind {
    Process(Arc<Child>),
    Thread(Arc<ThreadState>),
}

/// How a thread's environment ended, and the news of it.
#[derive(Debug, Default)]
pub(crate) struct ThreadState {
    pub(crate) status: Mutex<Option<End>>,
    pub(crate) ended: Condvar,
}

/// The exit status of a thread's environment, and the signal that has ended it (0: none has).
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) status: u8,
    pub(crate) signal: i32,
}

impl ThreadState {
    /// It has ended; the first status stays.
    pub(crate) fn end(&self, end: End) {
        lock(&self.status).get_or_insert(end);
        self.ended.notify_all();
    }

    fn has_ended(&self) -> bool {
        lock(&self.status).is_some()
    }
}

/// Is the signal among these, of which signal 1 is bit 0?
fn has_bit(signals: u64, signal: i32) -> bool {
    u32::try_from(signal - 1).ok().and_then(|bit| signals.checked_shr(bit)).unwrap_or(0) & 1 == 1
}

/// What an environment had whose place a script has taken.
pub(crate) struct Replaced {
    handled: u64,
    cancel: RunToken,
}

/// Where signals for one environment are put.
struct Mailbox {
    queue: Vec<i32>,
    handled: u64,
    cancel: RunToken,
    job: Option<Arc<ThreadState>>,
    /// The process that has taken its place.
    program: Option<u32>,
    /// Where it is a pipeline in the background: the stages that it has started.
    stages: Option<Vec<u32>>,
    /// What a blocking call that a signal interrupts is made through.
    nudge: Option<Interrupt>,
}

/// What an environment is woken by when it has a signal.
enum Wake {
    /// It looks when its command has ended.
    Nobody,
    /// It ends.
    End(RunToken),
    /// It may be in a call that the signal interrupts.
    Nudge(Interrupt),
}

impl Wake {
    fn raise(&self) {
        match self {
            Self::Nobody => {}
            Self::End(run) => run.end(),
            Self::Nudge(call) => call.raise(),
        }
    }
}

const SIGKILL: i32 = 9;

impl Job {
    pub(crate) fn process(child: Arc<Child>) -> Self {
        Self { id: child.id(), kind: JobKind::Process(child) }
    }

    /// A job that has ended before it began.
    pub(crate) fn ended(id: u32, status: u8) -> Self {
        let state = ThreadState { status: Mutex::new(Some(End { status, signal: 0 })), ended: Condvar::new() };
        Self { id, kind: JobKind::Thread(Arc::new(state)) }
    }

    /// `$!` and what `wait` takes.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Its exit status, if it has ended.
    pub(crate) fn try_status(&self) -> Option<u8> {
        match &self.kind {
            JobKind::Process(child) => match child.try_wait() {
                Ok(status) => status.map(hookshell_process::ChildStatus::shell_status),
                Err(_) => Some(127),
            },
            JobKind::Thread(state) => lock(&state.status).map(|end| end.status),
        }
    }

    /// How a signal has ended it, if one has.
    pub(super) fn death(&self) -> Option<Death> {
        match &self.kind {
            JobKind::Process(child) => Death::of(child.id(), child.try_wait().ok()??),
            JobKind::Thread(state) => {
                let signal = (*lock(&state.status))?.signal;
                (signal > 0).then_some(Death { id: self.id, signal, core_dumped: false })
            }
        }
    }
}
