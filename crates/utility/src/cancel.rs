//! Stopping a run from outside.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use hookshell_process::sync::lock;
use hookshell_process::{Interrupt, Lookout, ProcessTree};

/// Why a run was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CancelReason {
    /// Its deadline passed.
    TimedOut = 1,
    /// The host asked for it (or dropped the run).
    Cancelled = 2,
    /// A signal that the host passed on (`hookshell sh`): INT.
    Interrupted = 3,
}

const RUNNING: u8 = 0;
/// Set once the hard stop was ordered: traps are no longer run.
const HARD: u8 = 0x80;

/// The handle by which a host stops a run: shared by the run's threads, its blocking calls and its children.
///
/// It is of one run of the shell. The `CancelToken` of `hookshell-runner` is what a host gives to an event's hooks.
///
/// A stop has two steps. [`RunToken::cancel`] is a virtual TERM: blocking calls return, children get TERM, the
/// interpreter unwinds and runs its TERM and EXIT traps. [`RunToken::kill`] comes after the grace: every child and
/// grandchild is killed and no further command runs.
#[derive(Clone)]
pub struct RunToken {
    inner: Arc<Inner>,
}

struct Inner {
    state: AtomicU8,
    /// Of a whole run: begins to watch over it. It is looked at for each command.
    lookout: Option<Arc<Lookout>>,
    soft: Interrupt,
    hard: Interrupt,
    tree: Arc<ProcessTree>,
    /// Held while a stop is under way: from its reason until the processes of the tree have their signal.
    stopping: Mutex<()>,
    /// Of a part of a run: the token of the whole.
    parent: Option<RunToken>,
}

impl RunToken {
    /// A token whose children form a process tree of their own.
    pub fn isolated() -> Self {
        Self::with_tree(ProcessTree::isolated(), None)
    }

    /// A token whose children stay in the caller's process group and terminal (`hookshell sh`, `hookshell exec`).
    pub fn inherited() -> Self {
        Self::with_tree(ProcessTree::inherited(), None)
    }

    /// As [`Self::isolated`] or [`Self::inherited`], for a run that the lookout begins to watch over before anything in it may have
    /// to wait, or when its moment is over.
    pub fn watched(is_isolated: bool, lookout: Arc<Lookout>) -> Self {
        let tree = if is_isolated { ProcessTree::isolated() } else { ProcessTree::inherited() };
        Self::with_tree(tree, Some(lookout))
    }

    /// Something comes that may have to wait for the system or for others: who watches over the run does so from now on. Where nobody
    /// can, the run is ended.
    #[inline]
    pub fn before_wait(&self) {
        self.before_wait_if(|| true);
    }

    /// Likewise, if that may be long, which is asked only where it matters: most runs are watched over from the start.
    #[inline]
    pub fn before_wait_if(&self, may_be_long: impl FnOnce() -> bool) {
        if let Some(lookout) = self.inner.soft.lookout()
            && may_be_long()
            && !lookout.begin()
        {
            self.kill(CancelReason::Cancelled);
        }
    }

    /// For a copy of this process: a run of its own, whose programs are counted together with this one's.
    pub fn in_copy(&self) -> Self {
        Self::with_tree(self.inner.tree.in_copy(), None)
    }

    fn with_tree(tree: ProcessTree, lookout: Option<Arc<Lookout>>) -> Self {
        Self {
            inner: Arc::new(Inner {
                state: AtomicU8::new(RUNNING),
                hard: Interrupt::watched(lookout.clone()),
                soft: Interrupt::watched(lookout.clone()),
                lookout,
                tree: Arc::new(tree),
                stopping: Mutex::new(()),
                parent: None,
            }),
        }
    }

    /// The token of a part of the run, which can be ended alone.
    pub fn child(&self) -> Self {
        self.child_with(self.inner.tree.clone())
    }

    /// The token of a part of the run whose processes can be ended alone too: [`Self::end_part`] when it is over.
    pub fn part(&self) -> Self {
        self.child_with(self.inner.tree.part())
    }

    fn child_with(&self, tree: Arc<ProcessTree>) -> Self {
        Self {
            inner: Arc::new(Inner {
                state: AtomicU8::new(RUNNING),
                lookout: None,
                soft: self.inner.soft.child(),
                hard: self.inner.hard.child(),
                tree,
                stopping: Mutex::new(()),
                parent: Some(self.clone()),
            }),
        }
    }

    /// Is it the token of a part of what `whole` is for, or that one itself?
    pub fn is_within(&self, whole: &Self) -> bool {
        let mut token = Some(self);
        while let Some(inner) = token {
            if Arc::ptr_eq(&inner.inner, &whole.inner) {
                return true;
            }
            token = inner.inner.parent.as_ref();
        }
        false
    }

    /// What a [`Self::part`] was made for is over.
    pub fn end_part(&self, part: &Self) {
        self.inner.tree.end_part(&part.inner.tree);
    }

    /// Asks the run to stop as [`Self::cancel`] does, with another signal for its children.
    pub fn cancel_with(&self, reason: CancelReason, signal: i32) {
        let first =
            self.inner.state.compare_exchange(RUNNING, reason as u8, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if first {
            self.inner.tree.signal_all(signal);
            self.inner.soft.raise();
        }
    }

    /// Ends this part of the run: a signal has killed it. Its children live on, as those of a process would.
    pub fn end(&self) {
        self.inner.state.store(CancelReason::Cancelled as u8 | HARD, Ordering::Release);
        self.inner.soft.raise();
        self.inner.hard.raise();
    }

    /// Ends everything that this token is for, and its processes, at once. Nothing is closed for good: a host may run
    /// another script in the same tree.
    pub fn stop_run(&self) {
        self.end();
        self.inner.tree.kill_all();
    }

    fn state(&self) -> u8 {
        let own = self.inner.state.load(Ordering::Relaxed);
        match &self.inner.parent {
            Some(parent) if own == RUNNING => parent.state(),
            Some(_) => own,
            None => {
                if own == RUNNING
                    && let Some(lookout) = &self.inner.lookout
                    && !lookout.poll()
                {
                    self.kill(CancelReason::Cancelled);
                    return CancelReason::Cancelled as u8 | HARD;
                }
                own
            }
        }
    }

    /// The process tree of the run.
    pub fn tree(&self) -> &ProcessTree {
        &self.inner.tree
    }

    /// What blocking calls of ordinary commands are made through.
    pub fn interrupt(&self) -> &Interrupt {
        &self.inner.soft
    }

    /// What blocking calls of traps that run during the grace are made through.
    pub fn hard_interrupt(&self) -> &Interrupt {
        &self.inner.hard
    }

    /// Asks the run to stop: the first reason stays.
    pub fn cancel(&self, reason: CancelReason) {
        let _stopping = lock(&self.inner.stopping);
        let first =
            self.inner.state.compare_exchange(RUNNING, reason as u8, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if first {
            self.inner.soft.raise();
            self.inner.tree.terminate();
        }
    }

    /// Waits until a stop that another thread has begun has reached the processes of the tree.
    ///
    /// The interpreter is woken first, so that its traps run before it sees its programs end. It may be through before they
    /// are told: who ends the process then would leave them behind.
    pub fn settle(&self) {
        drop(lock(&self.inner.stopping));
    }

    /// Stops the run for good: kills the whole process tree, and no further command is run.
    pub fn kill(&self, reason: CancelReason) {
        // Whoever is woken finds the hard stop, and not the soft one that it includes.
        let stopped = reason as u8 | HARD;
        let first = self.inner.state.compare_exchange(RUNNING, stopped, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if first {
            self.inner.tree.terminate();
        } else {
            self.inner.state.fetch_or(HARD, Ordering::AcqRel);
        }
        self.inner.soft.raise();
        self.inner.hard.raise();
        self.inner.tree.kill();
    }

    /// Was the run told to stop? One atomic load: cheap enough for every command.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.state() != RUNNING
    }

    /// Was the hard stop ordered?
    #[inline]
    pub fn is_killed(&self) -> bool {
        self.state() & HARD != 0
    }

    /// Why it was told to stop.
    pub fn reason(&self) -> Option<CancelReason> {
        match self.state() & !HARD {
            1 => Some(CancelReason::TimedOut),
            2 => Some(CancelReason::Cancelled),
            3 => Some(CancelReason::Interrupted),
            _ => None,
        }
    }
}

impl std::fmt::Debug for RunToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunToken").field("reason", &self.reason()).field("killed", &self.is_killed()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn who_settles_waits_until_a_stop_has_reached_the_processes() {
        let token = RunToken::inherited();
        let told = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let stopping = token.inner.stopping.lock().unwrap();
            let settled = threads.spawn(|| {
                token.settle();
                told.load(Ordering::SeqCst)
            });
            std::thread::yield_now();
            told.store(true, Ordering::SeqCst);
            drop(stopping);
            assert!(settled.join().unwrap(), "a stop was under way");
        });
        token.cancel(CancelReason::Cancelled);
        token.settle();
        assert_eq!(token.reason(), Some(CancelReason::Cancelled));
    }
}
