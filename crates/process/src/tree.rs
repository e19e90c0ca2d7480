//! The processes of one hook run.

use std::io;
use std::sync::{Arc, Mutex};

use crate::sync::lock;
use crate::{Child, SpawnError, SpawnRequest, platform};

/// All processes that one run starts, and what they start in turn: what can be ended as a whole.
///
/// **Isolated, Unix**: one process group for the whole run. The first child leads it, later ones join it. The leader
/// is waited for without being reaped and stays a zombie until [`release`](Self::release), so that the group's number
/// cannot be given to anybody else while we may still kill it. A child that cannot join (the group is gone) leads one of its
/// own, which belongs to the tree too. A process that leaves the group (`setsid`) escapes if it is not our own child.
///
/// **Isolated, Windows**: one job object that dies with its last handle, so also with the host. Processes cannot break away.
///
/// **Inherited**: children stay in the caller's group and at its terminal, and each live child is ended by itself.
///
/// In a host that ignores `SIGCHLD` or waits for all children, a group whose leader is gone is not signalled any more: its
/// number may be somebody else's by then. Its own children are.
///
/// Dropping the tree is [`release`](Self::release): it kills nothing.
#[derive(Debug)]
pub struct ProcessTree {
    inner: platform::Tree,
    parts: Mutex<Parts>,
    /// Within another tree, which counts its processes.
    is_part: bool,
}

/// The trees within a tree.
#[derive(Debug, Default)]
struct Parts {
    live: Vec<Arc<ProcessTree>>,
    /// Their commands have ended; what these started may live on, and stays within reach. The oldest first.
    ended: Vec<Arc<ProcessTree>>,
    /// No part is made any more.
    closed: bool,
}

/// How many ended parts are remembered: each one with a process group keeps that group's leader as a zombie.
const ENDED_PARTS: usize = 16;

impl ProcessTree {
    /// A tree with a process group or job object of its own.
    #[must_use]
    pub fn isolated() -> Self {
        Self { inner: platform::Tree::new(true), parts: Mutex::default(), is_part: false }
    }

    /// A tree in the caller's process group, for `hookshell sh` and `hookshell exec`.
    #[must_use]
    pub fn inherited() -> Self {
        Self { inner: platform::Tree::new(false), parts: Mutex::default(), is_part: false }
    }

    /// The tree of a copy of this process ([`copy_process`](Self::copy_process)), for the copy: it has none of the processes of
    /// this one, stays in the copy's process group, and is counted together with this one ([`admit`](Self::admit)).
    #[must_use]
    pub fn in_copy(&self) -> Self {
        Self { inner: self.inner.in_copy(), parts: Mutex::default(), is_part: false }
    }

    /// A tree within this one, with a process group or job object of its own: it can be ended alone (`timeout`), and ends
    /// with this one.
    #[must_use]
    pub fn part(&self) -> Arc<Self> {
        let part = Arc::new(Self { inner: self.inner.part(), parts: Mutex::default(), is_part: true });
        let mut parts = lock(&self.parts);
        if parts.closed {
            drop(parts);
            part.kill();
        } else {
            parts.live.push(Arc::clone(&part));
        }
        part
    }

    /// The command that a [`part`](Self::part) was made for has ended. What it has left behind is still ended with this
    /// tree, unless many further parts have come after it.
    pub fn end_part(&self, part: &Arc<Self>) {
        let mut parts = lock(&self.parts);
        let before = parts.live.len();
        parts.live.retain(|live| !Arc::ptr_eq(live, part));
        if parts.live.len() == before || !part.inner.was_used() {
            return;
        }
        parts.ended.push(Arc::clone(part));
        if parts.ended.len() > ENDED_PARTS {
            let oldest = parts.ended.remove(0);
            drop(parts);
            oldest.release();
        }
    }

    fn parts(&self) -> Vec<Arc<Self>> {
        let parts = lock(&self.parts);
        parts.live.iter().chain(&parts.ended).cloned().collect()
    }

    /// Starts a program. Returns when it has started (Unix: when its `execve` succeeded).
    ///
    /// Children have default signal dispositions and an empty signal mask; inherited trees reset `SIGPIPE` only, so that `nohup`
    /// holds. Of our descriptors a child gets the request's and no others.
    ///
    /// # Errors
    /// See [`SpawnError`]; after [`kill`](Self::kill) and [`release`](Self::release) always [`SpawnError::Ended`].
    pub fn spawn(&self, request: &SpawnRequest<'_>) -> Result<Arc<Child>, SpawnError> {
        self.inner.spawn(request).map(|child| Arc::new(Child::new(child)))
    }

    /// Starts a copy of this process (`fork`) that has this thread only and is a child of the tree as a program is. It runs
    /// `run`, with `kept`, and ends as that says; nothing of this process is flushed, unwound or dropped in it.
    ///
    /// Of our descriptors the copy has `kept` and no others (0, 1 and 2 are the null device); of our signal handlers it has
    /// none, and the signals that would end it wait for [`next_signal_of_copy`](crate::next_signal_of_copy). A panic of `run`
    /// ends it as SIGABRT does.
    ///
    /// For a host that is the process: no other thread may hold a lock that `run` takes, and what `run` takes hold of must not own
    /// a descriptor outside `kept`. Locks of the allocator are in order in the copy.
    ///
    /// # Errors
    /// No more processes or descriptors; after [`kill`](Self::kill) and [`release`](Self::release) always
    /// [`SpawnError::Ended`].
    #[cfg(unix)]
    pub fn copy_process(
        &self,
        kept: Vec<std::fs::File>,
        run: impl FnOnce(Vec<std::fs::File>) -> crate::CopyEnd,
    ) -> Result<Arc<Child>, SpawnError> {
        self.inner.copy(kept, run).map(|child| Arc::new(Child::new(child)))
    }

    /// The read end of a pipe that first gives `left` and then everything that comes from `rest`, by a copy of this process
    /// ([`copy_process`](Self::copy_process)): it continues when this process has ended, and ends when either side does.
    ///
    /// # Errors
    /// As for a copy.
    #[cfg(unix)]
    pub fn feed(&self, left: &[u8], rest: &std::fs::File) -> Result<std::fs::File, SpawnError> {
        self.inner.feed(left, rest)
    }

    /// Asks all processes of the tree to end: `SIGTERM`, and `SIGCONT` for the stopped ones. Further children may be started
    /// (a trap's commands).
    ///
    /// Windows has nothing of the kind for processes without a console: they are ended, with exit code 143, and the grace that
    /// follows is for the traps of the script that waits for them.
    pub fn terminate(&self) {
        self.inner.terminate();
        self.parts().iter().for_each(|part| part.terminate());
    }

    /// Sends a signal to all processes of the tree, and `SIGCONT` to the stopped ones unless they are not to continue.
    ///
    /// Windows: a signal whose default action is the end ends them, with exit code 128 + signal; others do nothing.
    pub fn signal_all(&self, signal: i32) {
        self.inner.signal_all(signal);
        self.parts().iter().for_each(|part| part.signal_all(signal));
    }

    /// Ends all processes of the tree at once: `SIGKILL` to the groups and to each child, `TerminateJobObject` with 137. The
    /// children still have to be waited for. Nothing is started any more, and what another thread is just starting is killed as well.
    ///
    /// Of a tree that is no [`part`](Self::part) also the programs whose starter, a copy of this process, has ended. What such a
    /// program has started itself is not known, unless it is in a group of the tree.
    pub fn kill(&self) {
        lock(&self.parts).closed = true;
        self.inner.kill();
        self.parts().iter().for_each(|part| part.kill());
        self.kill_orphans();
    }

    /// As [`kill`](Self::kill), but further processes may be started in the tree.
    pub fn kill_all(&self) {
        const SIGKILL: i32 = 9;
        self.signal_all(SIGKILL);
        self.kill_orphans();
    }

    /// What a part has started is known to the whole only.
    fn kill_orphans(&self) {
        if !self.is_part {
            self.inner.kill_orphans();
        }
    }

    /// The normal end: background processes live on and are no longer ours to kill (Windows: kill-on-close is lifted first).
    ///
    /// Every child that has ended is reaped. For those that live on, one small thread waits until they end, so that a
    /// long-lived host collects no zombies.
    pub fn release(&self) {
        self.inner.release();
        let parts = std::mem::replace(&mut *lock(&self.parts), Parts { closed: true, ..Parts::default() });
        parts.live.iter().chain(&parts.ended).for_each(|part| part.release());
    }

    /// How many children have been started and have not ended. Children that ended without being waited for are
    /// looked at, and do not count.
    #[must_use]
    pub fn live_children(&self) -> usize {
        self.inner.live_children() + self.parts().iter().map(|part| part.live_children()).sum::<usize>()
    }

    /// Keeps a place for one more program, until it has been started; `None` where `most` programs of the whole run live.
    ///
    /// The run is this tree with its parts, the copies of this process and theirs, and what any of them has started: also where
    /// the copy that has started it is gone. A program that has ended does not count, whether it was waited for or not.
    /// Windows: there are no copies, and the programs are [`live_children`](Self::live_children).
    #[must_use]
    pub fn admit(&self, most: usize) -> Option<Admission> {
        self.inner.admit(most, || self.live_children()).map(|reservation| Admission { _reservation: reservation })
    }

    /// Do at least `most` processes of the whole run live, programs and copies of this process together? See
    /// [`admit`](Self::admit).
    #[must_use]
    pub fn has_live_processes(&self, most: usize) -> bool {
        self.inner.has_live_processes(most, || self.live_children())
    }

    /// Sends a signal to one of our children that nobody has seen ending yet.
    ///
    /// Windows: 0 asks whether it lives; HUP, INT, QUIT, ILL, TRAP, ABRT, FPE, KILL, USR1, SEGV, USR2, PIPE, ALRM and
    /// TERM end the process with exit code 128 + signal.
    ///
    /// # Errors
    /// `ESRCH` (Windows: [`io::ErrorKind::NotFound`]) for any other process id, so also for the host's and the system's
    /// other processes; whatever `kill(2)` says.
    pub fn signal(&self, pid: u32, signal: i32) -> io::Result<()> {
        match self.inner.signal(pid, signal) {
            Ok(()) => Ok(()),
            Err(error) => match self.parts().iter().any(|part| part.signal(pid, signal).is_ok()) {
                true => Ok(()),
                false => Err(error),
            },
        }
    }
}

/// The place of a program that is being started ([`ProcessTree::admit`]). Dropping it gives the place back: once the program
/// has been started it has its own.
#[derive(Debug)]
#[must_use = "the place is kept as long as this is"]
pub struct Admission {
    _reservation: platform::Reservation,
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.release();
    }
}
