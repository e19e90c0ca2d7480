//! The processes of one run: a job object, or single children.

use std::collections::HashMap;
use std::io;
use std::os::windows::io::AsHandle;
use std::sync::{Arc, Mutex};

use super::batch::{is_batch_file, start_batch_file};
use super::child::Process;
use super::job::Job;
use super::spawn::{Started, start_program};
use crate::sync::lock;
use crate::{SpawnError, SpawnRequest};

#[derive(Debug)]
pub(crate) struct Tree {
    isolated: bool,
    registry: Arc<Registry>,
}

/// Nothing is kept for a program that is being started.
#[derive(Debug)]
pub(crate) struct Reservation;

/// What the tree and its children both know.
#[derive(Debug)]
pub(super) struct Registry {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    job: Option<Arc<Job>>,
    /// Children whose end has not been seen, by process id.
    children: HashMap<u32, Process>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Killed,
    Released,
}

/// 128 + `SIGKILL`: what a shell shows for a killed child on Unix.
const KILLED: u32 = 137;

/// Signals whose default action is the end of the process, in Linux's numbering: HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1
/// SEGV USR2 PIPE ALRM TERM.
const ENDING: std::ops::RangeInclusive<i32> = 1..=15;

/// What a run that is to stop gets.
const TERM: i32 = 15;

impl Tree {
    pub(crate) fn new(isolated: bool) -> Self {
        let state = State { phase: Phase::Running, job: None, children: HashMap::new() };
        Self { isolated, registry: Arc::new(Registry { state: Mutex::new(state) }) }
    }

    pub(crate) fn spawn(&self, request: &SpawnRequest<'_>) -> Result<Process, SpawnError> {
        let job = {
            let mut state = lock(&self.registry.state);
            if state.phase != Phase::Running {
                return Err(SpawnError::Ended);
            }
            if self.isolated && state.job.is_none() {
                state.job = Some(Arc::new(Job::new().map_err(SpawnError::Os)?));
            }
            state.job.clone()
        };
        let started = if is_batch_file(request.program) {
            let started = start_batch_file(request, self.isolated)?;
            if let Some(job) = &job {
                // Not suspended (the standard library keeps the thread's handle to itself): what `cmd.exe` starts in its
                // first moments could escape, and it has not loaded itself by then.
                let _ = job.assign(started.handle.as_handle());
            }
            started
        } else {
            start_program(request, job.as_deref(), self.isolated)?
        };
        Ok(self.register(started))
    }

    fn register(&self, started: Started) -> Process {
        let process = Process::new(started.id, started.handle, Arc::downgrade(&self.registry));
        let phase = {
            let mut state = lock(&self.registry.state);
            if state.phase != Phase::Released {
                state.children.insert(process.id(), process.clone());
            }
            state.phase
        };
        // Killed while it was starting.
        if phase == Phase::Killed {
            self.kill();
        }
        process
    }

    /// Windows has no request to end for processes without a console: they end, as by a TERM that they do not catch.
    pub(crate) fn terminate(&self) {
        self.signal_all(TERM);
    }

    /// Has a child ever been started?
    pub(crate) fn was_used(&self) -> bool {
        let state = lock(&self.registry.state);
        state.job.is_some() || !state.children.is_empty()
    }

    pub(crate) fn signal_all(&self, signal: i32) {
        if !ENDING.contains(&signal) {
            return;
        }
        let (job, children) = {
            let state = lock(&self.registry.state);
            (state.job.clone(), state.children.values().cloned().collect::<Vec<_>>())
        };
        let code = 128 + signal.unsigned_abs();
        if let Some(job) = job {
            let _ = job.terminate(code);
        }
        for child in children {
            let _ = child.terminate(code);
        }
    }

    pub(crate) fn kill(&self) {
        let (job, children) = {
            let mut state = lock(&self.registry.state);
            if state.phase == Phase::Released {
                return;
            }
            state.phase = Phase::Killed;
            (state.job.clone(), state.children.values().cloned().collect::<Vec<_>>())
        };
        if let Some(job) = job {
            let _ = job.terminate(KILLED);
        }
        // Those of a tree without a job.
        for child in children {
            let _ = child.terminate(KILLED);
        }
    }

    pub(crate) fn release(&self) {
        let mut state = lock(&self.registry.state);
        let killed = state.phase == Phase::Killed;
        state.phase = Phase::Released;
        state.children.clear();
        let job = state.job.take();
        drop(state);
        if let Some(job) = job
            && !killed
        {
            // If it could not be lifted, they end with the handle: nothing can be done about it.
            let _ = job.lift_kill_on_close();
        }
    }

    /// An isolated tree for a part of what this one is for.
    #[allow(clippy::unused_self, reason = "on Unix the trees of a run are counted together")]
    pub(crate) fn part(&self) -> Self {
        Self::new(true)
    }

    /// There are no copies of processes.
    #[allow(clippy::unused_self, reason = "on Unix the trees of a run are counted together")]
    pub(crate) fn in_copy(&self) -> Self {
        Self::new(false)
    }

    /// Nothing is started by copies of this process.
    #[allow(clippy::unused_self, reason = "on Unix the tree knows them")]
    pub(crate) fn kill_orphans(&self) {}

    /// See [`crate::ProcessTree::admit`]. `live_children` are those of the whole tree.
    #[allow(clippy::unused_self, reason = "on Unix the tree counts for itself")]
    pub(crate) fn admit(&self, most: usize, live_children: impl Fn() -> usize) -> Option<Reservation> {
        (live_children() < most).then_some(Reservation)
    }

    /// See [`crate::ProcessTree::has_live_processes`].
    #[allow(clippy::unused_self, reason = "on Unix the tree counts for itself")]
    pub(crate) fn has_live_processes(&self, most: usize, live_children: impl Fn() -> usize) -> bool {
        live_children() >= most
    }

    pub(crate) fn live_children(&self) -> usize {
        let children: Vec<Process> = lock(&self.registry.state).children.values().cloned().collect();
        children.iter().filter(|child| matches!(child.try_wait(), Ok(None))).count()
    }

    pub(crate) fn signal(&self, pid: u32, signal: i32) -> io::Result<()> {
        let child = lock(&self.registry.state).children.get(&pid).cloned().ok_or(io::ErrorKind::NotFound)?;
        match signal {
            0 => match child.try_wait() {
                Ok(None) => Ok(()),
                _ => Err(io::ErrorKind::NotFound.into()),
            },
            signal if ENDING.contains(&signal) => child.terminate(128 + signal.unsigned_abs()),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Registry {
    /// The end of this child has been seen. Its id may be another child's by now, which stays.
    pub(super) fn forget(&self, process: &Process) {
        let mut state = lock(&self.state);
        if state.children.get(&process.id()).is_some_and(|known| known.is(process)) {
            state.children.remove(&process.id());
        }
    }
}
