//! What goes wrong on purpose.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, getrlimit, getuid, pidfd_open, pidfd_send_signal, setrlimit,
};

use fastrand::Rng;

/// What is done to one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing: its hooks give what they gave in the quiet run.
    None,
    /// The run is dropped after this time.
    Cancel(Duration),
    /// Its hooks have too little time.
    Timeout,
    /// Nobody waits for its hooks, and the session may end before them.
    Async { is_ended: bool },
    /// Its directory is gone before it begins.
    DeletedBefore,
    /// Its directory is removed after this time.
    DeletedDuring(Duration),
    /// Nothing can be written in its directory.
    ReadOnly,
    /// Its directory is on a file system that is full.
    Full,
}

impl Fault {
    /// For the report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Cancel(_) => "run dropped",
            Self::Timeout => "short timeout",
            Self::Async { is_ended: false } => "async",
            Self::Async { is_ended: true } => "async, session ended",
            Self::DeletedBefore => "directory deleted before",
            Self::DeletedDuring(_) => "directory deleted during",
            Self::ReadOnly => "directory read-only",
            Self::Full => "disk full",
        }
    }
}

/// What is done to the whole process while a batch of events runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weather {
    /// Nothing.
    Fair,
    /// `RLIMIT_NOFILE` is 64.
    FewDescriptors,
    /// `RLIMIT_NPROC` is a little above what is used.
    FewProcesses,
    /// Children are killed.
    Killing,
}

impl Weather {
    /// For the report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fair => "none",
            Self::FewDescriptors => "64 descriptors",
            Self::FewProcesses => "process limit",
            Self::Killing => "children killed",
        }
    }

    /// May it change what a hook gives that is not singled out?
    pub(super) fn disturbs_all(self) -> bool {
        matches!(self, Self::FewDescriptors | Self::FewProcesses)
    }
}

/// A lowered limit of this process, until it is dropped.
#[derive(Debug)]
pub(super) struct Lowered {
    resource: Resource,
    before: Rlimit,
}

impl Lowered {
    /// Lowers the soft limit.
    ///
    /// # Errors
    /// As the system says.
    pub(super) fn to(resource: Resource, limit: u64) -> io::Result<Self> {
        let before = getrlimit(resource);
        setrlimit(resource, Rlimit { current: Some(limit), maximum: before.maximum })?;
        Ok(Self { resource, before })
    }
}

impl Drop for Lowered {
    fn drop(&mut self) {
        // Raising a soft limit back to what it was is always allowed.
        let _ = setrlimit(self.resource, Rlimit { ..self.before });
    }
}

/// How many tasks (threads count too) this user has: what `RLIMIT_NPROC` is compared with.
pub(super) fn tasks_of_this_user() -> u64 {
    let own = getuid().as_raw();
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let is_own = |directory: &Path| {
        fs::metadata(directory).is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == own)
    };
    let processes = entries.flatten().map(|entry| entry.path()).filter(|path| path.join("task").is_dir());
    let counts =
        processes.filter(|path| is_own(path)).map(|path| fs::read_dir(path.join("task")).map_or(0, Iterator::count));
    counts.sum::<usize>() as u64
}

/// The children of this process, zombies too.
pub(super) fn children() -> Vec<i32> {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Kills children of this process, and knows whose they were.
#[derive(Debug, Default)]
pub(super) struct Killer {
    /// The directories of the hooks that lost a child.
    pub(super) hit: HashSet<PathBuf>,
    /// How many.
    pub(super) count: usize,
}

impl Killer {
    /// Kills one child that works in a hook's directory below `roots`, where there is one.
    pub(super) fn strike(&mut self, roots: &Path, random: &mut Rng) {
        let ids = children();
        let Some(&id) = random.choice(&ids) else { return };
        let Some(pid) = Pid::from_raw(id) else { return };
        // The handle is of this child for good, whatever happens to the number.
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        let Ok(cwd) = fs::read_link(format!("/proc/{id}/cwd")) else { return };
        let Ok(below) = cwd.strip_prefix(roots) else { return };
        // ROOT/hN of ROOT/hN/work/…
        let mut parts = below.components();
        let (Some(root), Some(hook)) = (parts.next(), parts.next()) else { return };
        let signal = [Signal::KILL, Signal::KILL, Signal::TERM, Signal::SEGV][random.usize(..4)];
        self.hit.insert(roots.join(root).join(hook));
        if pidfd_send_signal(handle, signal).is_ok() {
            self.count += 1;
        }
    }
}
