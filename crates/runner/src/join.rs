//! Hooks that run at the same time, and the wait for them.

use std::time::{Duration, Instant};

use crate::execute::{Cancel, End, Execute, Ran};
use crate::work::{Ended, Work};

/// What the executor may take beyond timeout and grace: its own bound for a hard stop (half a second) and for draining
/// the outputs. Only one that does not come back at all is waited for so long; after it the caller goes on without it.
const REPORT_SLACK: Duration = Duration::from_secs(1);

/// Hooks' work that was started together. Each result is kept by its index. Dropping it cancels what has not ended.
pub(crate) struct Join {
    slots: Vec<Slot>,
}

struct Slot {
    started: Instant,
    /// When the caller stops waiting; `None` where that is further away than the clock reaches.
    give_up: Option<Instant>,
    handle: Box<dyn Cancel>,
    ended: Option<Ended>,
}

impl Join {
    /// Starts all work before any is waited for. `send` is called once for each, with its index, on any thread.
    pub(crate) fn start<S>(executor: &dyn Execute, work: Vec<Work>, send: S) -> Self
    where
        S: FnOnce(usize, Ended) + Clone + Send + 'static,
    {
        let slots = work
            .into_iter()
            .enumerate()
            .map(|(index, work)| {
                let started = Instant::now();
                let patience = work.patience(REPORT_SLACK);
                let report = Report { send: Some((index, send.clone())) };
                Slot {
                    started,
                    give_up: started.checked_add(patience),
                    handle: work.start(executor, move |ended| report.done(ended)),
                    ended: None,
                }
            })
            .collect();
        Self { slots }
    }

    /// Keeps a result. One that comes twice, or after it was given up, is dropped.
    pub(crate) fn accept(&mut self, index: usize, ended: Ended) {
        if let Some(slot) = self.slots.get_mut(index)
            && slot.ended.is_none()
        {
            slot.ended = Some(ended);
        }
    }

    /// Until when to wait for the next result: the first one is to be given up then. `None` when all have ended or were
    /// given up.
    pub(crate) fn wait_until(&self) -> Option<Instant> {
        let pending = self.slots.iter().filter(|slot| slot.ended.is_none());
        // Far, where there is no deadline: the wait is then taken up again.
        let far = || Instant::now() + Duration::from_secs(3600);
        pending.map(|slot| slot.give_up.unwrap_or_else(far)).min()
    }

    /// Gives up what should have ended by now.
    pub(crate) fn give_up(&mut self) {
        let now = Instant::now();
        for slot in &mut self.slots {
            if slot.ended.is_none() && slot.give_up.is_some_and(|at| at <= now) {
                slot.handle.cancel();
                slot.ended = Some(Ended::Ran(Ran::ended(End::TimedOut, now.saturating_duration_since(slot.started))));
            }
        }
    }

    /// The results, in the order of the work.
    pub(crate) fn finish(mut self) -> Vec<Ended> {
        let now = Instant::now();
        let take = |slot: &mut Slot| {
            slot.ended.replace(Ended::Ran(Ran::ended(End::Cancelled, Duration::ZERO))).unwrap_or_else(|| {
                slot.handle.cancel();
                Ended::Ran(Ran::ended(End::Cancelled, now.saturating_duration_since(slot.started)))
            })
        };
        self.slots.iter_mut().map(take).collect()
    }
}

impl Drop for Join {
    fn drop(&mut self) {
        for slot in self.slots.iter().filter(|slot| slot.ended.is_none()) {
            slot.handle.cancel();
        }
    }
}

/// Sends what became of work; where it is dropped unused, that it panicked.
struct Report<S: FnOnce(usize, Ended)> {
    send: Option<(usize, S)>,
}

impl<S: FnOnce(usize, Ended)> Report<S> {
    fn done(mut self, ended: Ended) {
        if let Some((index, send)) = self.send.take() {
            send(index, ended);
        }
    }
}

impl<S: FnOnce(usize, Ended)> Drop for Report<S> {
    fn drop(&mut self) {
        if let Some((index, send)) = self.send.take() {
            send(index, Ended::Ran(Ran::ended(End::Panicked, Duration::ZERO)));
        }
    }
}
