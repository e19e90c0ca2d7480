//! Hooks that run at the same time, and the wait for them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_dispatch::{End, FirstLine};
use hookshell_process::sync::lock;

use crate::absolute::RunEvent;
use crate::gate::Gate;
use crate::observer::Observed;
use crate::plan::Awaited;
use crate::sequence::Sequence;
use crate::trust::Watched;
use crate::ui::Waiting;
use crate::work::{Completion, Execute, Running, Work};

/// The index of work, and how it has ended: in a box, since a channel holds room for many.
pub(crate) type Ended = (usize, Box<Completion>);

/// How the one who waits is told, from any thread.
pub(crate) type Notifier = Arc<dyn Fn(Ended) + Send + Sync>;

/// What the executor may take beyond timeout and grace: its own bound for a hard stop (half a second) and for draining
/// the outputs. Only one that does not come back at all is waited for so long; after it the caller continues without it.
const REPORT_GRACE: Duration = Duration::from_secs(1);

/// How often a deadline that moves on with the clock is looked at: while a person is asked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A deadline, with the time in which a person was asked.
fn later(until: Instant, waiting: Option<&Waiting>) -> Instant {
    waiting.and_then(|waiting| until.checked_add(waiting.total())).unwrap_or(until)
}

/// Hooks' work that was started together, and what is to be started when other work has ended. Each result is kept by its
/// index. Dropping it cancels what has not ended.
pub(crate) struct Concurrent<'e> {
    executor: Arc<dyn Execute>,
    event: RunEvent<'e>,
    notifier: Notifier,
    slots: Vec<Slot>,
    sequence: Option<Sequence>,
    observed: Option<Observed>,
}

struct Slot {
    state: State,
    /// Stands before a project's hook.
    gate: Option<Gate>,
    /// Watches over its files from its start on.
    watched: Option<Watched>,
    ended: Option<Completion>,
}

enum State {
    /// It waits for other work.
    Waiting(Work),
    Started {
        at: Instant,
        /// When the caller stops waiting; `None` if that is further away than the clock reaches.
        give_up: Option<Instant>,
        /// The time in which it waits for a person lies on top of that.
        waiting: Option<Arc<Waiting>>,
        handle: Box<dyn Running>,
        listener: Arc<Mutex<Listener>>,
    },
    /// It was never started, or is not waited for any more.
    Dropped,
}

impl<'e> Concurrent<'e> {
    /// Starts all work before any is waited for, but what the sequence has wait. `notifier` is called once for each that was
    /// started, on any thread, and before that where it says that it continues in the background.
    pub(crate) fn start(
        executor: Arc<dyn Execute>,
        event: RunEvent<'e>,
        awaited: Awaited,
        notifier: Notifier,
        observed: Option<Observed>,
    ) -> Self {
        let Awaited { work, gates, sequence } = awaited;
        let gates = gates.into_iter().chain(std::iter::repeat_with(|| None));
        let slot = |(work, gate)| Slot { state: State::Waiting(work), gate, watched: None, ended: None };
        let slots: Vec<Slot> = work.into_iter().zip(gates).map(slot).collect();
        let mut concurrent = Self { executor, event, notifier, slots, sequence, observed };
        // To read the files of a project's hooks takes time: the user's do not wait for it.
        for is_gated in [false, true] {
            for index in 0..concurrent.slots.len() {
                let is_turn = concurrent.slots.get(index).is_some_and(|slot| slot.gate.is_some() == is_gated);
                if is_turn && !concurrent.sequence.as_ref().is_some_and(|sequence| sequence.waits(index)) {
                    concurrent.begin_from(index);
                }
            }
        }
        concurrent
    }

    /// Starts more work, which nothing stands before and nothing waits for.
    pub(crate) fn start_more(&mut self, work: Vec<Work>) {
        for work in work {
            self.slots.push(Slot { state: State::Waiting(work), gate: None, watched: None, ended: None });
            self.begin_from(self.slots.len() - 1);
        }
    }

    /// Begins work, and where it is not let through what waits for it.
    fn begin_from(&mut self, index: usize) {
        let mut next = Some(index);
        while let Some(index) = next {
            next = self.begin(index).and_then(|ended| self.keep(index, ended));
        }
    }

    /// Begins work. Where it may not be started it ends at once.
    fn begin(&mut self, index: usize) -> Option<Completion> {
        let slot = self.slots.get_mut(index)?;
        match std::mem::replace(&mut slot.state, State::Dropped) {
            State::Waiting(mut work) => {
                let sequence = self.sequence.as_ref().filter(|sequence| sequence.waits(index));
                if let Some(sequence) = sequence {
                    sequence.give_event(index, &mut work);
                }
                if let Some(gate) = slot.gate.take() {
                    match gate.open(sequence.map_or(&*self.event, Sequence::event), &mut work) {
                        Ok(watched) => slot.watched = watched,
                        Err(reason) => return Some(Completion::Untrusted(reason)),
                    }
                }
                let at = Instant::now();
                let give_up = at.checked_add(work.max_wait(REPORT_GRACE));
                let waiting = work.waiting();
                let listener = Arc::new(Mutex::new(Listener::Caller(index, self.notifier.clone())));
                let report = Report { listener: Arc::clone(&listener) };
                watch_first_line(&mut work, index, at, &self.notifier);
                if let Some(observed) = &self.observed {
                    observed.started(index);
                }
                let handle = work.start(&*self.executor, move |ended| report.done(ended));
                slot.state = State::Started { at, give_up, waiting, handle, listener };
            }
            other => slot.state = other,
        }
        None
    }

    /// Keeps a result, and starts what waited for it. One that comes twice, or after it was given up, is dropped.
    pub(crate) fn accept(&mut self, index: usize, ended: Completion) {
        if let Some(next) = self.keep(index, ended) {
            self.begin_from(next);
        }
    }

    /// Keeps a result, and says what waited for it.
    fn keep(&mut self, index: usize, ended: Completion) -> Option<usize> {
        let slot = self.slots.get_mut(index).filter(|slot| slot.ended.is_none())?;
        let fault = slot.watched.take().and_then(|watched| watched.fault());
        let ended = fault.map_or(ended, Completion::Untrusted);
        let next = self.sequence.as_mut().and_then(|sequence| {
            sequence.after(index)?;
            sequence.apply(index, &ended);
            sequence.after(index)
        });
        slot.ended = Some(ended);
        if let (Some(observed), State::Started { at, .. }) = (&self.observed, &slot.state) {
            observed.ended(index, at.elapsed());
        }
        next
    }

    /// Work continues in the background, as it has said after that time: nobody waits for it any more, and its result so far is that.
    /// `adopt` gets what it is cancelled by and what watches over it, and gives who is told of its end. Nothing happens where it has
    /// ended: what it gave is on the way.
    pub(crate) fn move_to_background(
        &mut self,
        index: usize,
        after: Duration,
        adopt: impl FnOnce(Box<dyn Running>, Option<Watched>) -> Box<dyn FnOnce(Completion) + Send>,
    ) {
        let Some(slot) = self.slots.get_mut(index).filter(|slot| slot.ended.is_none()) else { return };
        let State::Started { listener, .. } = &slot.state else { return };
        let listener = Arc::clone(listener);
        // Its end waits for this.
        let mut told = lock(&listener);
        if matches!(*told, Listener::Told) {
            return;
        }
        let watched = slot.watched.take();
        let next = self.keep(index, Completion::InBackground(after));
        let state = self.slots.get_mut(index).map(|slot| std::mem::replace(&mut slot.state, State::Dropped));
        if let Some(State::Started { handle, .. }) = state {
            *told = Listener::Background(adopt(handle, watched));
        }
        drop(told);
        if let Some(next) = next {
            self.begin_from(next);
        }
    }

    /// Until when to wait for the next result: the first one is to be given up then. `None` when all have ended or were
    /// given up.
    pub(crate) fn wait_until(&self) -> Option<Instant> {
        // Far, where there is no deadline: the wait is then taken up again.
        let far = || Instant::now() + Duration::from_secs(3600);
        let pending = self.slots.iter().filter(|slot| slot.ended.is_none());
        let deadlines = pending.filter_map(|slot| match &slot.state {
            State::Started { give_up, waiting, .. } => {
                let until = give_up.map_or_else(far, |until| later(until, waiting.as_deref()));
                let is_asking = waiting.as_deref().is_some_and(Waiting::is_asking);
                // It moves on with the clock: it is looked at from time to time.
                Some(if is_asking { until.max(Instant::now() + POLL_INTERVAL) } else { until })
            }
            // What it waits for has a deadline.
            State::Waiting(_) | State::Dropped => None,
        });
        deadlines.min()
    }

    /// Gives up what should have ended by now.
    pub(crate) fn give_up(&mut self) {
        let now = Instant::now();
        for index in 0..self.slots.len() {
            let overdue = match self.slots.get(index) {
                Some(Slot {
                    state: State::Started { at, give_up: Some(until), waiting, handle, .. },
                    ended: None,
                    ..
                }) if later(*until, waiting.as_deref()) <= now => {
                    handle.cancel();
                    now.saturating_duration_since(*at)
                }
                _ => continue,
            };
            self.accept(index, Completion::Ended(End::TimedOut, overdue));
        }
    }

    /// How work has ended so far, in its order; `None`: it was not started.
    pub(crate) fn ended(&self) -> impl Iterator<Item = Option<&Completion>> {
        self.slots.iter().map(|slot| slot.ended.as_ref())
    }

    /// The results, in the order of the work.
    pub(crate) fn finish(mut self) -> Vec<Completion> {
        let now = Instant::now();
        let cancelled = |elapsed| Completion::Ended(End::Cancelled, elapsed);
        if let Some(sequence) = &self.sequence {
            for (index, slot) in self.slots.iter_mut().enumerate() {
                if let (State::Waiting(_), None, Some(by)) = (&slot.state, &slot.ended, sequence.stopped_by(index)) {
                    slot.ended = Some(Completion::NotAsked(by.to_owned()));
                }
            }
        }
        let take = |slot: &mut Slot| {
            slot.ended.replace(cancelled(Duration::ZERO)).unwrap_or_else(|| match &slot.state {
                State::Started { at, handle, .. } => {
                    handle.cancel();
                    cancelled(now.saturating_duration_since(*at))
                }
                State::Waiting(_) | State::Dropped => cancelled(Duration::ZERO),
            })
        };
        self.slots.iter_mut().map(take).collect()
    }
}

impl Drop for Concurrent<'_> {
    fn drop(&mut self) {
        for slot in self.slots.iter().filter(|slot| slot.ended.is_none()) {
            if let State::Started { handle, .. } = &slot.state {
                handle.cancel();
            }
        }
    }
}

/// Has the caller told as soon as a command says by its first line that it continues in the background.
fn watch_first_line(work: &mut Work, index: usize, at: Instant, notifier: &Notifier) {
    let Work::Command { invocation, says_async: Some(dialect) } = work else { return };
    let dialect = *dialect;
    let notifier = Arc::clone(notifier);
    invocation.first_line = Some(FirstLine::new(move |line| {
        let is_async = line.trim_ascii_end().ends_with(b"}") && dialect.contract().says_async(line);
        if is_async {
            notifier((index, Box::new(Completion::InBackground(at.elapsed()))));
        }
        is_async
    }));
}

/// Who is told how work has ended.
enum Listener {
    /// Who waits for it.
    Caller(usize, Notifier),
    /// It continues in the background.
    Background(Box<dyn FnOnce(Completion) + Send>),
    /// They were.
    Told,
}

/// Tells how work has ended; where it is dropped unused, that it panicked.
struct Report {
    listener: Arc<Mutex<Listener>>,
}

impl Report {
    fn done(self, ended: Completion) {
        self.tell(ended);
    }

    fn tell(&self, ended: Completion) {
        let listener = {
            let mut listener = lock(&self.listener);
            std::mem::replace(&mut *listener, Listener::Told)
        };
        match listener {
            Listener::Caller(index, notifier) => notifier((index, Box::new(ended))),
            Listener::Background(done) => done(ended),
            Listener::Told => {}
        }
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.tell(Completion::Ended(End::Panicked, Duration::ZERO));
    }
}
