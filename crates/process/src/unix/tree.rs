//! The processes of one run: a process group, or single children.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, getpgid};

use super::census::{Kind, Reservation};
use super::censuses::Censuses;
use super::child::Process;
use super::copy::{copy_process, restore_signals};
use super::fork::fork_exec;
use super::raw_request::{RawRequest, spawn_error};
use super::unreaped;
use crate::copy::CopyEnd;
use crate::sync::lock;
use crate::{SpawnError, SpawnRequest, start_thread};

#[derive(Debug)]
pub(crate) struct Tree {
    isolated: bool,
    registry: Arc<Registry>,
}

/// What the tree and its children both know.
#[derive(Debug)]
pub(super) struct Registry {
    state: Mutex<State>,
    censuses: Censuses,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Children whose end has not been seen, by process id.
    children: HashMap<u32, Process>,
    /// The leaders of our process groups, ended or not; new children join the last one's.
    leaders: Vec<Process>,
    /// How often all processes were asked to end. One that was being started then has not heard it.
    terminations: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Killed,
    Released,
}

impl Tree {
    pub(crate) fn new(isolated: bool) -> Self {
        Self::counted_by(isolated, Censuses::default())
    }

    /// An isolated tree for a part of what this one is for.
    pub(crate) fn part(&self) -> Self {
        Self::counted_by(true, self.registry.censuses.beside())
    }

    /// The tree of a copy of this process, which stays in its group.
    pub(crate) fn in_copy(&self) -> Self {
        Self::counted_by(false, self.registry.censuses.in_copy())
    }

    fn counted_by(isolated: bool, censuses: Censuses) -> Self {
        let state = State { phase: Phase::Running, children: HashMap::new(), leaders: Vec::new(), terminations: 0 };
        Self { isolated, registry: Arc::new(Registry { state: Mutex::new(state), censuses }) }
    }

    pub(crate) fn spawn(&self, request: &SpawnRequest<'_>) -> Result<Process, SpawnError> {
        let prepared = RawRequest::new(request)?;
        // Until the program is registered.
        let _starting = self.registry.censuses.begin_start().ok_or(SpawnError::Ended)?;
        let mut state = lock(&self.registry.state);
        if state.phase != Phase::Running {
            return Err(SpawnError::Ended);
        }
        let heard = state.terminations;
        if !self.isolated {
            drop(state);
            let pid = start(&prepared, request, None, false)?;
            return Ok(self.register(pid, Kind::Program, false, heard));
        }
        let Some(leader) = state.leaders.last().filter(|leader| leader.holds_id()).cloned() else {
            // Under the lock: two first children must not lead two groups.
            let pid = start(&prepared, request, Some(0), true)?;
            return Ok(self.registry.insert(&mut state, pid, Kind::Program, true));
        };
        drop(state);
        match start(&prepared, request, Some(leader.pid().as_raw_nonzero().get()), true) {
            Ok(pid) => Ok(self.register(pid, Kind::Program, false, heard)),
            // The group is gone (macOS does not count zombies; a leader may leave for another group), or exec itself was
            // not permitted: then this fails again.
            Err(SpawnError::Os(error)) if matches!(error.raw_os_error(), Some(libc::EPERM | libc::ESRCH)) => {
                let pid = start(&prepared, request, Some(0), true)?;
                Ok(self.register(pid, Kind::Program, true, heard))
            }
            Err(error) => Err(error),
        }
    }

    /// See [`crate::ProcessTree::copy_process`].
    pub(crate) fn copy(&self, kept: Vec<File>, run: impl FnOnce(Vec<File>) -> CopyEnd) -> Result<Process, SpawnError> {
        // Until the copy is registered.
        let _starting = self.registry.censuses.begin_start().ok_or(SpawnError::Ended)?;
        let state = lock(&self.registry.state);
        if state.phase != Phase::Running {
            return Err(SpawnError::Ended);
        }
        let heard = state.terminations;
        let leader = match self.isolated {
            true => Some(
                state
                    .leaders
                    .last()
                    .filter(|leader| leader.holds_id())
                    .map_or(0, |leader| leader.pid().as_raw_nonzero().get()),
            ),
            false => None,
        };
        // Nobody else starts anything meanwhile: the process is the host's, and quiet.
        drop(state);
        // What the copy starts is to be counted with what this process does.
        if self.registry.censuses.own().is_none() {
            return Err(SpawnError::Os(io::ErrorKind::OutOfMemory.into()));
        }
        let pid = copy_process(leader, kept, run).map_err(SpawnError::Os)?;
        let pid = Pid::from_raw(pid).ok_or_else(|| SpawnError::Os(io::ErrorKind::InvalidData.into()))?;
        Ok(self.register(pid, Kind::Copy, leader == Some(0), heard))
    }

    /// See [`crate::ProcessTree::feed`].
    pub(crate) fn feed(&self, left: &[u8], rest: &File) -> Result<File, SpawnError> {
        let (reader, writer) = io::pipe().map_err(SpawnError::Os)?;
        let files = vec![rest.try_clone().map_err(SpawnError::Os)?, File::from(OwnedFd::from(writer))];
        self.copy(files, |files| {
            // The keyboard's signals do not end a list in the background, and so not what it reads.
            restore_signals(&[libc::SIGINT, libc::SIGQUIT]);
            if let [rest, writer] = &*files {
                let _ = (&*writer).write_all(left).and_then(|()| io::copy(&mut &*rest, &mut &*writer));
            }
            CopyEnd::Exited(0)
        })?;
        Ok(File::from(OwnedFd::from(reader)))
    }

    /// `heard`: how often all processes had been asked to end when the start began.
    fn register(&self, pid: Pid, kind: Kind, leads_group: bool, heard: u64) -> Process {
        let mut state = lock(&self.registry.state);
        let process = self.registry.insert(&mut state, pid, kind, leads_group);
        let phase = state.phase;
        let is_unheard = state.terminations != heard;
        drop(state);
        // Killed or released while it was starting.
        match phase {
            // In a group that was there it may have heard it: the grace ends it where it has not.
            Phase::Running if is_unheard && (leads_group || !self.isolated) => {
                let _ = process.signal(libc::SIGTERM);
            }
            Phase::Running => {}
            Phase::Killed => {
                let _ = process.signal_group(libc::SIGKILL);
                let _ = process.signal(libc::SIGKILL);
            }
            Phase::Released => self.release(),
        }
        process
    }

    pub(crate) fn terminate(&self) {
        // Who registers from here on sees it, and who has registered before is among those that are told.
        lock(&self.registry.state).terminations += 1;
        self.signal_all(libc::SIGTERM);
    }

    /// Has a child ever been started?
    pub(crate) fn was_used(&self) -> bool {
        let state = lock(&self.registry.state);
        !state.leaders.is_empty() || !state.children.is_empty()
    }

    pub(crate) fn signal_all(&self, signal: i32) {
        let (leaders, children) = self.registry.snapshot();
        let wakes = !matches!(signal, libc::SIGKILL | libc::SIGCONT);
        for signal in [Some(signal), wakes.then_some(libc::SIGCONT)].into_iter().flatten() {
            for leader in &leaders {
                let _ = leader.signal_group(signal);
            }
            for child in &children {
                // One TERM is enough: a second one could end a process that is busy handling the first.
                let group = getpgid(Some(child.pid())).ok();
                if !leaders.iter().any(|leader| Some(leader.pid()) == group) {
                    let _ = child.signal(signal);
                }
            }
        }
    }

    pub(crate) fn kill(&self) {
        {
            let mut state = lock(&self.registry.state);
            if state.phase == Phase::Running {
                state.phase = Phase::Killed;
            }
        }
        let (leaders, children) = self.registry.snapshot();
        for leader in &leaders {
            let _ = leader.signal_group(libc::SIGKILL);
        }
        // Those that left the group, and those of a tree without one.
        for child in &children {
            let _ = child.signal(libc::SIGKILL);
        }
    }

    /// Kills what the run that this tree is the whole of has started and nobody waits for any more: programs whose
    /// starter, a copy of this process, has ended. After [`release`](Self::release) there are none.
    pub(crate) fn kill_orphans(&self) {
        if lock(&self.registry.state).phase != Phase::Released {
            self.registry.censuses.kill();
        }
    }

    pub(crate) fn release(&self) {
        let mut state = lock(&self.registry.state);
        let was_killed = state.phase == Phase::Killed;
        state.phase = Phase::Released;
        let leaders = std::mem::take(&mut state.leaders);
        let children = std::mem::take(&mut state.children);
        drop(state);
        for leader in leaders {
            leader.give_up_group();
        }
        unreaped::reap();
        let alive: Vec<Process> = children.into_values().filter(Process::is_alive).collect();
        if alive.is_empty() {
            return;
        }
        unreaped::leave(&alive);
        let awaited = alive.clone();
        let reaper = start_thread("hookshell-reaper", REAPER_STACK, move || {
            for child in awaited {
                let _ = child.wait();
            }
        });
        if reaper.is_err() {
            reap_soon(alive, if was_killed { LOOKS_FOR_KILLED } else { LOOKS_FOR_ENDING });
        }
    }

    pub(crate) fn live_children(&self) -> usize {
        let (_, children) = self.registry.snapshot();
        children.iter().filter(|child| child.is_alive()).count()
    }

    /// See [`crate::ProcessTree::admit`]. `live_children` are those of the whole tree; the count of them reaps.
    pub(crate) fn admit(&self, most: usize, live_children: impl Fn() -> usize) -> Option<Reservation> {
        match self.registry.censuses.whole() {
            Some(census) => Reservation::new(census, most).or_else(|| {
                // The system may list zombies as alive.
                live_children();
                Reservation::new(census, most)
            }),
            None => (live_children() < most).then(Reservation::uncounted),
        }
    }

    /// See [`crate::ProcessTree::has_live_processes`].
    pub(crate) fn has_live_processes(&self, most: usize, live_children: impl Fn() -> usize) -> bool {
        let Some(census) = self.registry.censuses.used() else { return live_children() >= most };
        census.has_processes(most) && {
            live_children();
            census.has_processes(most)
        }
    }

    pub(crate) fn signal(&self, pid: u32, signal: i32) -> io::Result<()> {
        let child = lock(&self.registry.state).children.get(&pid).cloned();
        match child {
            // A shell reaps its children as they end: to a loop around `kill -0` one that has ended is gone.
            Some(child) if matches!(child.try_wait(), Ok(Some(_))) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
            Some(child) => child.signal(signal),
            None => Err(io::Error::from_raw_os_error(libc::ESRCH)),
        }
    }
}

/// Waits a little for children where there are no more threads that could: most are about to end.
fn reap_soon(mut children: Vec<Process>, looks: u32) {
    for _ in 0..looks {
        children.retain(Process::is_alive);
        if children.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// How often it is looked whether killed children have ended, a millisecond apart: unless the kernel itself holds one, it does.
const LOOKS_FOR_KILLED: u32 = 200;

/// The same of children that were left alone: the first stages of a pipeline end a moment after the last one.
const LOOKS_FOR_ENDING: u32 = 20;

/// The reaper calls `waitid` in a loop.
const REAPER_STACK: usize = 64 * 1024;

impl Registry {
    fn insert(self: &Arc<Self>, state: &mut State, pid: Pid, kind: Kind, leads_group: bool) -> Process {
        let places = self.censuses.enter(pid.as_raw_nonzero().get(), kind);
        let process = Process::new(pid, leads_group, Arc::downgrade(self), places);
        if leads_group {
            state.leaders.push(process.clone());
        }
        state.children.insert(process.id(), process.clone());
        process
    }

    /// The end of this child has been seen. Its id may be another child's by now, which stays.
    pub(super) fn forget(&self, process: &Process) {
        let mut state = lock(&self.state);
        if state.children.get(&process.id()).is_some_and(|known| known.is(process)) {
            state.children.remove(&process.id());
        }
    }

    /// (Leaders, children): signalling takes each child's own lock, and is done outside of this one.
    fn snapshot(&self) -> (Vec<Process>, Vec<Process>) {
        let state = lock(&self.state);
        (state.leaders.clone(), state.children.values().cloned().collect())
    }
}

/// Starts the program in that group (0: a new one; `None`: ours).
fn start(
    prepared: &RawRequest,
    request: &SpawnRequest<'_>,
    group: Option<i32>,
    isolated: bool,
) -> Result<Pid, SpawnError> {
    let mut pause = Duration::from_millis(1);
    loop {
        match start_once(prepared, group, isolated, request) {
            Ok(pid) => {
                return Pid::from_raw(pid).ok_or_else(|| SpawnError::Os(io::ErrorKind::InvalidData.into()));
            }
            // A program that was written a moment ago: a child that another thread is just starting still has its
            // writable descriptor, until its own exec (https://github.com/golang/go/issues/22315).
            Err(libc::ETXTBSY) if pause <= LONGEST_BUSY_PAUSE => {
                thread::sleep(pause);
                pause *= 2;
            }
            Err(errno) => return Err(spawn_error(errno, request)),
        }
    }
}

/// 1 + 2 + … + 64 ms: longer than any start takes, and short for a file that really is being written.
const LONGEST_BUSY_PAUSE: Duration = Duration::from_millis(64);

fn start_once(
    prepared: &RawRequest,
    group: Option<i32>,
    isolated: bool,
    request: &SpawnRequest<'_>,
) -> Result<i32, i32> {
    let _start = super::pending_spawns::Start::begin();
    #[cfg(any(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")), target_os = "macos"))]
    if request.umask.is_none() && request.ignored_signals == 0 && request.limits.is_empty() {
        return super::spawn::posix_spawn(prepared, group, isolated);
    }
    fork_exec(prepared, group, isolated, request)
}
