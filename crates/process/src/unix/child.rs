//! Waiting for one child without ever reaping it under somebody else's feet.
#![allow(unsafe_code, reason = "kill(2) for arbitrary signal numbers has no safe interface")]

use std::io;
use std::sync::{Arc, Mutex, Weak};

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};

use super::census::Place;
use super::tree::Registry;
use crate::sync::lock;
use crate::{ChildStatus, Interrupt, WaitError};

/// One started process, as its tree and its [`Child`](crate::Child) know it.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pid: Pid,
    registry: Weak<Registry>,
    /// Where it is counted.
    places: Vec<Place>,
    state: Mutex<State>,
}

/// Invariant: as long as `reaped` is false the process id is this child's (a zombie at least), unless the host reaps our
/// children. Nobody waits for the id, or signals it, outside of that time.
#[derive(Debug)]
struct State {
    /// How it ended; `None` inside: the host reaped it.
    ended: Option<Option<ChildStatus>>,
    reaped: bool,
    /// Leads a process group that may still be killed: stays a zombie.
    keep: bool,
    /// Threads inside a blocking wait that does not reap. The last one to leave reaps.
    waiting: usize,
}

/// How often it is looked whether a process has ended where nothing tells.
const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(5);

impl Process {
    pub(super) fn new(pid: Pid, leads_group: bool, registry: Weak<Registry>, places: Vec<Place>) -> Self {
        let state = State { ended: None, reaped: false, keep: leads_group, waiting: 0 };
        Self { shared: Arc::new(Shared { pid, registry, places, state: Mutex::new(state) }) }
    }

    pub(super) fn pid(&self) -> Pid {
        self.shared.pid
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn id(&self) -> u32 {
        self.shared.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub(crate) fn wait(&self) -> Result<ChildStatus, WaitError> {
        self.while_unreaped(|| {
            // Does not reap, so that any number of threads can do it at once.
            wait_id(self.shared.pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        })?
        // A wait without NOHANG has a result.
        .ok_or(WaitError::StatusLost)
    }

    pub(crate) fn try_wait(&self) -> Result<Option<ChildStatus>, WaitError> {
        self.while_unreaped(|| {
            wait_id(self.shared.pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG)
        })
    }

    /// Has its end not come yet? Where it has, the process is reaped.
    pub(super) fn is_alive(&self) -> bool {
        matches!(self.try_wait(), Ok(None))
    }

    pub(crate) fn wait_interruptible(&self, interrupt: &Interrupt) -> Result<Option<ChildStatus>, WaitError> {
        #[cfg(target_os = "linux")]
        {
            let mut no_pidfd = false;
            let result = self.while_unreaped(|| {
                // Within `while_unreaped` the id cannot have been given to another process.
                match rustix::process::pidfd_open(self.shared.pid, rustix::process::PidfdFlags::empty()) {
                    Ok(pidfd) => {
                        use std::os::fd::AsFd;
                        super::io::wait_for(interrupt, pidfd.as_fd(), rustix::event::PollFlags::IN)?;
                    }
                    // Reaped by the host: the wait says so.
                    Err(Errno::SRCH) => {}
                    // Before Linux 5.3, in a sandbox, or no descriptor left.
                    Err(_) => {
                        no_pidfd = true;
                        return Ok(None);
                    }
                }
                wait_id(self.shared.pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG)
            });
            if !no_pidfd {
                return result;
            }
        }
        self.wait_on_thread(interrupt)
    }

    /// Without a pidfd: a thread waits.
    pub(super) fn wait_on_thread(&self, interrupt: &Interrupt) -> Result<Option<ChildStatus>, WaitError> {
        let process = self.clone();
        match interrupt.try_blocking(move || process.wait()) {
            Ok(Some(result)) => return result.map(Some),
            Ok(None) => return self.try_wait(),
            Err(_) => {}
        }
        // No thread either: to wait here would be deaf to the interrupt.
        loop {
            let ended = self.try_wait();
            if !matches!(ended, Ok(None)) || !interrupt.sleep(POLL_INTERVAL) {
                return ended;
            }
        }
    }

    /// Runs a wait that does not reap, and records what it found. `None`: it has not ended.
    fn while_unreaped(
        &self,
        wait: impl FnOnce() -> Result<Option<WaitIdStatus>, WaitError>,
    ) -> Result<Option<ChildStatus>, WaitError> {
        let mut state = lock(&self.shared.state);
        if let Some(ended) = state.ended {
            return ended.map(Some).ok_or(WaitError::StatusLost);
        }
        state.waiting += 1;
        drop(state);
        let found = wait();
        let mut state = lock(&self.shared.state);
        state.waiting -= 1;
        // Another thread may have been faster, and may even have seen more than this one.
        if state.ended.is_none() {
            match &found {
                Ok(Some(status)) => state.ended = Some(child_status(status)),
                Err(WaitError::StatusLost) => {
                    state.ended = Some(None);
                    state.reaped = true;
                }
                Ok(None) | Err(WaitError::Os(_)) => {}
            }
        }
        let ended = state.ended;
        state.reap_if_due(self.shared.pid);
        drop(state);
        match (ended, found) {
            (None, Ok(_)) => Ok(None),
            (None, Err(error)) => Err(error),
            (Some(ended), _) => {
                self.shared.places.iter().for_each(Place::leave);
                if let Some(registry) = self.shared.registry.upgrade() {
                    registry.forget(self);
                }
                ended.map(Some).ok_or(WaitError::StatusLost)
            }
        }
    }

    /// The group that this process leads is given up: it need not stay a zombie.
    pub(super) fn give_up_group(&self) {
        let mut state = lock(&self.shared.state);
        state.keep = false;
        state.reap_if_due(self.shared.pid);
    }

    /// Whether the process id, and so the id of the group that it leads, is certainly still this child's.
    pub(super) fn holds_id(&self) -> bool {
        lock(&self.shared.state).holds_id(self.shared.pid)
    }

    /// Signals the process unless its end has been seen.
    pub(super) fn signal(&self, signal: i32) -> io::Result<()> {
        let state = lock(&self.shared.state);
        if state.ended.is_some() || !state.holds_id(self.shared.pid) {
            return Err(Errno::SRCH.into());
        }
        kill(self.shared.pid.as_raw_nonzero().get(), signal)
    }

    /// Signals the group that the process leads, whether it has ended itself or not.
    pub(super) fn signal_group(&self, signal: i32) -> io::Result<()> {
        let state = lock(&self.shared.state);
        if !state.keep || !state.holds_id(self.shared.pid) {
            return Err(Errno::SRCH.into());
        }
        kill(-self.shared.pid.as_raw_nonzero().get(), signal)
    }
}

impl State {
    fn reap_if_due(&mut self, pid: Pid) {
        if self.ended.is_some() && !self.keep && self.waiting == 0 && !self.reaped {
            self.reaped = true;
            // Its status is known; nothing is to be learnt from an error.
            let _ = wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
    }

    /// Also asks the kernel, for the sake of hosts that reap our children.
    fn holds_id(&self, pid: Pid) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !self.reaped && !matches!(wait_id(pid, options), Err(WaitError::StatusLost))
    }
}

fn wait_id(pid: Pid, options: WaitIdOptions) -> Result<Option<WaitIdStatus>, WaitError> {
    loop {
        return match waitid(WaitId::Pid(pid), options) {
            Ok(status) => Ok(status),
            Err(Errno::INTR) => continue,
            Err(Errno::CHILD) => Err(WaitError::StatusLost),
            Err(error) => Err(WaitError::Os(error.into())),
        };
    }
}

fn child_status(status: &WaitIdStatus) -> Option<ChildStatus> {
    if let Some(code) = status.exit_status() {
        // macOS passes all 32 bits; POSIX's status has eight.
        return Some(ChildStatus::Exited(code & 0xff));
    }
    let signal = status.terminating_signal()?;
    Some(ChildStatus::Signaled { signal, core_dumped: status.dumped() })
}

impl From<io::Error> for WaitError {
    fn from(error: io::Error) -> Self {
        Self::Os(error)
    }
}

fn kill(target: i32, signal: i32) -> io::Result<()> {
    // SAFETY: no memory is involved. The callers make sure that the id is our child's or its group's.
    if unsafe { libc::kill(target, signal) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::super::tree::Tree;
    use super::*;
    use crate::SpawnRequest;

    /// Starts a script of `/bin/sh`.
    pub(in crate::unix) fn shell(tree: &Tree, script: &str) -> Process {
        tree.spawn(&SpawnRequest {
            program: Path::new("/bin/sh"),
            argv: &["sh", "-c", script].map(Into::into),
            env: &[("PATH".into(), "/usr/bin:/bin".into())],
            cwd: Path::new("/"),
            fds: &[],
            umask: None,
            close_missing: false,
            ignored_signals: 0,
            limits: &[],
        })
        .unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no posix_spawn")]
    fn without_a_pidfd_a_thread_waits() {
        let tree = Tree::new(true);
        let interrupt = Interrupt::new();
        let child = shell(&tree, "exit 3");
        assert_eq!(child.wait_on_thread(&interrupt).unwrap(), Some(ChildStatus::Exited(3)));
        let child = shell(&tree, "sleep 60");
        let raiser = interrupt.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            raiser.raise();
        });
        assert_eq!(child.wait_on_thread(&interrupt).unwrap(), None);
        thread.join().unwrap();
        assert_eq!(interrupt.abandoned(), 1);
        tree.kill();
        assert_eq!(child.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGKILL, core_dumped: false });
        let end = Instant::now() + Duration::from_secs(10);
        while interrupt.abandoned() != 0 {
            assert!(Instant::now() < end, "the thread is never uncounted");
            std::thread::sleep(Duration::from_millis(1));
        }
        tree.release();
    }
}
