//! An event's hooks that were started, for a host that waits for them in a loop of its own.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use hookshell_process::Mailbox;

use super::{Poll, Progress};
use crate::absolute::RunEvent;
use crate::concurrent::Ended;
use crate::engine::Engine;
use crate::event::Event;
use crate::verdict::Verdict;
use crate::work::Completion;

/// An event's hooks that were started, for a host that waits in a loop of its own ([`Runner::start`](crate::Runner::start)). Dropping it cancels
/// every hook and ends every child.
#[must_use = "dropping it cancels the hooks"]
pub struct StartedRun {
    progress: Progress<'static>,
    messages: Arc<Mailbox<Ended>>,
}

/// Why who waits for a run is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WakeReason {
    /// A hook has ended. Whoever tells it has nothing else to do for it, and may look for itself how far the run has come.
    HookEnded,
    /// Something else has happened: who tells it is still in the middle of it.
    Other,
}

/// How far a run has come.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one, with who waits")]
pub enum RunState {
    /// It continues: to be asked again when it was woken, and at this time at the latest.
    Running(StartedRun, Instant),
    /// The hooks have ended, or were given up.
    Ended(Box<Verdict>),
}

impl StartedRun {
    pub(crate) fn new(engine: &Engine, event: Arc<Event>, wake: impl Fn(WakeReason) + Send + Sync + 'static) -> Self {
        let messages = Arc::<Mailbox<Ended>>::default();
        let sender = messages.clone();
        let notifier = Arc::new(move |(index, ended): Ended| {
            let continues = matches!(*ended, Completion::InBackground(_));
            sender.send((index, ended));
            wake(if continues { WakeReason::Other } else { WakeReason::HookEnded });
        });
        Self { progress: Progress::start(engine, RunEvent::Shared(event), |_| (), notifier), messages }
    }

    /// Looks what has happened, and does not wait.
    pub fn poll(self) -> RunState {
        let Self { mut progress, messages } = self;
        while let Some(ended) = messages.receive(Some(Instant::now())) {
            progress.accept(ended);
        }
        match progress.next() {
            Poll::Done(verdict) => RunState::Ended(Box::new(verdict)),
            Poll::Wait(progress, until) => RunState::Running(Self { progress, messages }, until),
        }
    }
}

impl fmt::Debug for StartedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartedRun").field("event", &self.progress.event.name()).finish_non_exhaustive()
    }
}
