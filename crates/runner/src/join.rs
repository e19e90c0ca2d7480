//! Hooks that run at the same time, and the wait for them.

use std::time::{Duration, Instant};

use crate::execute::{Cancel, Command, End, Execute, Ran};

/// What the executor may take beyond timeout and grace: its own bound for a hard stop (half a second) and for draining
/// the outputs. Only one that does not come back at all is waited for so long; after it the caller goes on without it.
const REPORT_SLACK: Duration = Duration::from_secs(1);

/// Commands that were started together. Each result is kept by its index. Dropping it cancels what has not ended.
pub(crate) struct Join {
    slots: Vec<Slot>,
}

struct Slot {
    started: Instant,
    /// When the caller stops waiting; `None` where that is further away than the clock reaches.
    give_up: Option<Instant>,
    handle: Box<dyn Cancel>,
    ran: Option<Ran>,
}

impl Join {
    /// Starts every command before any is waited for. `send` is called once for each, with its index, on any thread.
    pub(crate) fn start<S>(executor: &dyn Execute, commands: Vec<Command>, send: S) -> Self
    where
        S: FnOnce(usize, Ran) + Clone + Send + 'static,
    {
        let slots = commands
            .into_iter()
            .enumerate()
            .map(|(index, command)| {
                let started = Instant::now();
                let patience = command.timeout.saturating_add(command.grace).saturating_add(REPORT_SLACK);
                let report = Report { send: Some((index, send.clone())) };
                Slot {
                    started,
                    give_up: started.checked_add(patience),
                    handle: executor.start(command, Box::new(move |ran| report.done(ran))),
                    ran: None,
                }
            })
            .collect();
        Self { slots }
    }

    /// Keeps a result. One that comes twice, or after it was given up, is dropped.
    pub(crate) fn accept(&mut self, index: usize, ran: Ran) {
        if let Some(slot) = self.slots.get_mut(index)
            && slot.ran.is_none()
        {
            slot.ran = Some(ran);
        }
    }

    /// Until when to wait for the next result: `None` when all have ended or were given up.
    pub(crate) fn wait_until(&self) -> Option<Instant> {
        let pending = self.slots.iter().filter(|slot| slot.ran.is_none());
        // Far, where there is no deadline: the wait is then taken up again.
        let far = || Instant::now() + Duration::from_secs(3600);
        pending.map(|slot| slot.give_up.unwrap_or_else(far)).max()
    }

    /// Gives up what should have ended by now.
    pub(crate) fn give_up(&mut self) {
        let now = Instant::now();
        for slot in &mut self.slots {
            if slot.ran.is_none() && slot.give_up.is_some_and(|at| at <= now) {
                slot.handle.cancel();
                slot.ran = Some(Ran::ended(End::TimedOut, now.saturating_duration_since(slot.started)));
            }
        }
    }

    /// The results, in the order of the commands.
    pub(crate) fn finish(mut self) -> Vec<Ran> {
        let now = Instant::now();
        let take = |slot: &mut Slot| {
            slot.ran.replace(Ran::ended(End::Cancelled, Duration::ZERO)).unwrap_or_else(|| {
                slot.handle.cancel();
                Ran::ended(End::Cancelled, now.saturating_duration_since(slot.started))
            })
        };
        self.slots.iter_mut().map(take).collect()
    }
}

impl Drop for Join {
    fn drop(&mut self) {
        for slot in self.slots.iter().filter(|slot| slot.ran.is_none()) {
            slot.handle.cancel();
        }
    }
}

/// Sends a command's result; where it is dropped unused, that the command panicked.
struct Report<S: FnOnce(usize, Ran)> {
    send: Option<(usize, S)>,
}

impl<S: FnOnce(usize, Ran)> Report<S> {
    fn done(mut self, ran: Ran) {
        if let Some((index, send)) = self.send.take() {
            send(index, ran);
        }
    }
}

impl<S: FnOnce(usize, Ran)> Drop for Report<S> {
    fn drop(&mut self) {
        if let Some((index, send)) = self.send.take() {
            send(index, Ran::ended(End::Panicked, Duration::ZERO));
        }
    }
}
