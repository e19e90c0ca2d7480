//! The process group of one job.

use std::io;
use std::sync::{Arc, Mutex};

use rustix::io::Errno;
use rustix::process::Pid;

use super::child::Process;
use crate::SpawnError;
use crate::sync::lock;

/// See [`crate::ProcessGroup`].
#[derive(Debug, Clone)]
pub(crate) struct Group {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    leader: Option<Process>,
    /// Those that were started in it, without those that were seen to have ended.
    members: Vec<Process>,
    /// Further ones may be started.
    open: bool,
}

impl Group {
    pub(super) fn new() -> Self {
        Self { state: Arc::new(Mutex::new(State { leader: None, members: Vec::new(), open: true })) }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// Starts a process in it. `start` is given the number of the group (0: the process is to lead one), `register` whether
    /// it leads.
    pub(super) fn start(
        &self,
        mut start: impl FnMut(i32) -> Result<Pid, SpawnError>,
        register: impl FnOnce(Pid, bool) -> Process,
    ) -> Result<Process, SpawnError> {
        // Until it is started: two first processes must not lead two groups.
        let mut state = lock(&self.state);
        let leader = state.leader.as_ref().filter(|leader| leader.holds_id());
        let number = leader.map_or(0, |leader| leader.pid().as_raw_nonzero().get());
        let (pid, leads) = match start(number) {
            // The group is gone (macOS does not count zombies), or exec itself was not permitted: then this fails again.
            Err(SpawnError::Os(error))
                if number != 0 && matches!(error.raw_os_error(), Some(libc::EPERM | libc::ESRCH)) =>
            {
                (start(0)?, true)
            }
            started => (started?, number == 0),
        };
        let process = register(pid, leads);
        if leads {
            if let Some(before) = state.leader.replace(process.clone()) {
                before.give_up_group();
            }
            if !state.open {
                process.give_up_group();
            }
        }
        state.members.retain(Process::is_alive);
        state.members.push(process.clone());
        Ok(process)
    }

    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.open = false;
        if let Some(leader) = &state.leader {
            leader.give_up_group();
        }
    }

    pub(crate) fn id(&self) -> Option<u32> {
        lock(&self.state).leader.as_ref().map(Process::id)
    }

    pub(super) fn leader(&self) -> Option<Pid> {
        lock(&self.state).leader.as_ref().map(Process::pid)
    }

    pub(crate) fn stopped_by(&self) -> Option<i32> {
        let mut state = lock(&self.state);
        state.members.retain(Process::is_alive);
        let mut stopped_by = None;
        for member in &state.members {
            stopped_by = Some(member.stopped_by()?);
        }
        stopped_by
    }

    pub(crate) fn signal(&self, signal: i32) -> io::Result<()> {
        match &lock(&self.state).leader {
            Some(leader) => leader.signal_job(signal),
            None => Err(Errno::SRCH.into()),
        }
    }

    /// Nothing is left of it, nor will be.
    pub(super) fn is_over(&self) -> bool {
        let state = lock(&self.state);
        !state.open
            && state.leader.as_ref().is_none_or(|leader| leader.signal_job(0).is_err_and(|error| is_nobody(&error)))
    }
}

fn is_nobody(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}
