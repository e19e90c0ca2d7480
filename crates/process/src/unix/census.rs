//! What is alive of a whole run: also what a copy of this process ([`super::Tree::copy`]) has started and left behind.
#![allow(unsafe_code, reason = "memory that a process and its copies share has no safe interface")]

use std::collections::HashSet;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::time::{Duration, Instant};

/// A table of processes in memory that this process shares with its copies. Each entry is one atomic word, so that a process
/// that is killed in the middle of anything leaves nothing half done.
///
/// Who starts a process enters it; who sees its end takes it out. Whose starter has ended meanwhile is looked at
/// when there seem to be too many.
#[derive(Debug)]
pub(crate) struct Census {
    table: NonNull<Table>,
}

#[repr(C)]
struct Table {
    /// Entries from here on were never used.
    end: AtomicUsize,
    /// How often everything was killed. A copy that was made before starts nothing more.
    stops: AtomicU64,
    entries: [AtomicU64; CAPACITY],
}

/// As many processes as Linux has by default. Pages of the table that no entry was in take no memory.
const CAPACITY: usize = 32_768;

/// A start that takes longer (a working directory on a file system that does not answer) is not waited for.
const LONGEST_START: Duration = Duration::from_millis(500);

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A program, or a place that is kept for one which this process is just starting.
    Program,
    /// A copy of a process of the run.
    Copy,
    /// No process, and not counted: this process is just making one, which it enters before it takes this out.
    Start,
}

/// An entry: the process id (Linux has none from 2^22 on), what it is about, and when it was entered, in hundredths of a
/// second: a process of that id that was started later is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Entry(u64);

const TIME_BITS: u32 = 40;
const TIME: u64 = (1 << TIME_BITS) - 1;
const KIND_BITS: u32 = 2;
const KIND: u64 = (1 << KIND_BITS) - 1;

impl Entry {
    fn new(pid: i32, kind: Kind) -> Self {
        let kind = match kind {
            Kind::Copy => 0,
            Kind::Program => 1,
            Kind::Start => 2,
        };
        Self(u64::from(pid.unsigned_abs()) << (TIME_BITS + KIND_BITS) | kind << TIME_BITS | (now() & TIME))
    }

    fn pid(self) -> i32 {
        i32::try_from(self.0 >> (TIME_BITS + KIND_BITS)).unwrap_or(i32::MAX)
    }

    fn kind(self) -> Kind {
        match self.0 >> TIME_BITS & KIND {
            0 => Kind::Copy,
            1 => Kind::Program,
            _ => Kind::Start,
        }
    }

    fn is_alive(self) -> bool {
        match look(self.pid()) {
            Look::Ended => false,
            Look::Alive => true,
            Look::Started(time) => self.is_since(time),
        }
    }

    /// Was what has started at that time there when this was entered?
    fn is_since(self, time: u64) -> bool {
        /// The clock of the entry and that of the start are rounded each by itself.
        const ROUNDING: u64 = 1;
        time & TIME <= (self.0 & TIME) + ROUNDING
    }

    /// Kills the process, if the system says that it is the one which was entered.
    fn kill(self) {
        let is_the_same = || matches!(look(self.pid()), Look::Started(time) if self.is_since(time));
        #[cfg(target_os = "linux")]
        {
            use rustix::io::Errno;
            use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
            let Some(pid) = Pid::from_raw(self.pid()) else { return };
            match pidfd_open(pid, PidfdFlags::empty()) {
                // The id may be another process's by now: the descriptor then is one for that. What it is for stays the same from here on.
                Ok(pidfd) if !is_the_same() || pidfd_send_signal(&pidfd, Signal::KILL).is_ok() => return,
                Err(Errno::SRCH) => return,
                // Before Linux 5.3, in a sandbox, or no descriptor left.
                Ok(_) | Err(_) => {}
            }
        }
        if is_the_same() {
            // SAFETY: a plain system call. The id was this process's a moment ago, and ids are given out in turn.
            unsafe { libc::kill(self.pid(), libc::SIGKILL) };
        }
    }
}

// SAFETY: the table consists of atomics, and lives as long as the census.
unsafe impl Send for Census {}
// SAFETY: likewise.
unsafe impl Sync for Census {}

impl Census {
    /// `None`: the system has no memory for it.
    pub(crate) fn new() -> Option<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the system's choice touches no other memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Table>(), access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        // Zeros are a table without entries; the mapping begins at a page.
        NonNull::new(base.cast()).map(|table| Self { table })
    }

    fn table(&self) -> &Table {
        // SAFETY: the mapping is that of `new`: aligned, initialised with zeros, and there until the drop.
        unsafe { self.table.as_ref() }
    }

    fn used(&self) -> &[AtomicU64] {
        let table = self.table();
        &table.entries[..table.end.load(Ordering::Acquire).min(CAPACITY)]
    }

    /// Enters a process. `None`: the table is full of live ones.
    pub(crate) fn enter(self: &Arc<Self>, pid: i32, kind: Kind) -> Option<Place> {
        let entry = Entry::new(pid, kind);
        let table = self.table();
        for is_pruned in [false, true] {
            if is_pruned {
                self.prune();
            }
            for (index, place) in table.entries.iter().enumerate() {
                if place.load(Ordering::Relaxed) != 0 {
                    continue;
                }
                // First the end: an entry beyond it would not be seen.
                table.end.fetch_max(index + 1, Ordering::AcqRel);
                if place.compare_exchange(0, entry.0, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                    return Some(Place { census: Arc::clone(self), index, entry, owner: own_id() });
                }
            }
        }
        None
    }

    /// Do so many programs live?
    pub(crate) fn has_programs(&self, most: usize) -> bool {
        let count = |census: &Self| census.entries().filter(|entry| entry.kind() == Kind::Program).count();
        if count(self) < most {
            return false;
        }
        self.prune();
        count(self) >= most
    }

    /// Do so many processes live, copies included?
    pub(crate) fn has_processes(&self, most: usize) -> bool {
        if self.processes().count() < most {
            return false;
        }
        self.prune();
        // A copy that has become a program is entered as both.
        let (programs, copies): (Vec<Entry>, Vec<Entry>) =
            self.processes().partition(|entry| entry.kind() == Kind::Program);
        let is_copy = |copy: &Entry| !programs.iter().any(|program| program.pid() == copy.pid());
        programs.len() + copies.into_iter().filter(is_copy).count() >= most
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        self.used().iter().map(|place| Entry(place.load(Ordering::Acquire))).filter(|entry| entry.0 != 0)
    }

    fn processes(&self) -> impl Iterator<Item = Entry> {
        self.entries().filter(|entry| entry.kind() != Kind::Start)
    }

    /// How often everything was killed.
    pub(crate) fn stops(&self) -> u64 {
        self.table().stops.load(Ordering::SeqCst)
    }

    /// Notes that this process is making another one, until the place is left. `None`: everything was killed since `stops` were
    /// counted.
    pub(crate) fn begin_start(self: &Arc<Self>, stops: u64) -> Option<Place> {
        // Where the table is full of live processes nothing more is admitted.
        let place = self.enter(own_id(), Kind::Start)?;
        // Either this sees the stop, or who stops sees the place.
        fence(Ordering::SeqCst);
        if self.stops() == stops {
            return Some(place);
        }
        place.leave();
        None
    }

    /// Kills everything that lives of what was entered, but for this process. What other processes are just making is waited for, a
    /// moment: once it is entered it is killed with who has made it.
    pub(crate) fn kill(&self) {
        self.table().stops.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let own = own_id();
        let until = Instant::now() + LONGEST_START;
        let mut killed = HashSet::new();
        loop {
            let mut starting: HashSet<i32> = self
                .entries()
                .filter(|entry| entry.kind() == Kind::Start && entry.is_alive())
                .map(Entry::pid)
                .collect();
            if Instant::now() >= until {
                starting.clear();
            }
            let mut found = false;
            for entry in self.processes().filter(|entry| entry.pid() != own && !starting.contains(&entry.pid())) {
                if killed.insert(entry) {
                    entry.kill();
                    found = true;
                }
            }
            if starting.is_empty() && !found {
                return;
            }
            if !starting.is_empty() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Takes out what has ended.
    fn prune(&self) {
        for place in self.used() {
            let entry = Entry(place.load(Ordering::Acquire));
            if entry.0 != 0 && !entry.is_alive() {
                // Whoever was faster has taken it out, or has another one there by now.
                let _ = place.compare_exchange(entry.0, 0, Ordering::AcqRel, Ordering::Relaxed);
            }
        }
    }
}

impl Drop for Census {
    fn drop(&mut self) {
        // SAFETY: the mapping is that of `new`, and nobody of this process has a pointer into it any more.
        unsafe { libc::munmap(self.table.as_ptr().cast(), size_of::<Table>()) };
    }
}

/// The place of one process in the table.
#[derive(Debug)]
pub(crate) struct Place {
    census: Arc<Census>,
    index: usize,
    entry: Entry,
    /// Who has entered it: in a copy, what its original has started cannot be waited for, and is not seen ending.
    owner: i32,
}

impl Place {
    /// Its end was seen.
    pub(crate) fn leave(&self) {
        if self.owner == own_id()
            && let Some(place) = self.census.table().entries.get(self.index)
        {
            // It may have been taken out before.
            let _ = place.compare_exchange(self.entry.0, 0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
}

/// A place that is kept for a program until that has been started.
#[derive(Debug)]
pub(crate) struct Reservation(Option<Place>);

impl Reservation {
    /// Keeps a place, if less than `most` programs live. It is this process's: which is right, too, where the program takes the
    /// place of this process.
    pub(crate) fn new(census: &Arc<Census>, most: usize) -> Option<Self> {
        // First the place and then the count: of two that begin at once, at most one has a place too many.
        let reservation = Self(Some(census.enter(own_id(), Kind::Program)?));
        (!census.has_programs(most.saturating_add(1))).then_some(reservation)
    }

    /// Where there is no census to keep a place in.
    pub(crate) fn uncounted() -> Self {
        Self(None)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(place) = &self.0 {
            place.leave();
        }
    }
}

fn own_id() -> i32 {
    // SAFETY: a plain system call.
    unsafe { libc::getpid() }
}

enum Look {
    /// There is no such process, or it waits to be reaped.
    Ended,
    /// It lives since then, by the clock of [`now`].
    Started(u64),
    /// It lives; the system does not say since when.
    Alive,
}

fn look(pid: i32) -> Look {
    // SAFETY: signal 0 does nothing but ask.
    if unsafe { libc::kill(pid, 0) } != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH) {
        return Look::Ended;
    }
    look_closely(pid)
}

/// In hundredths of a second since the system was started, as `/proc` counts.
#[cfg(target_os = "linux")]
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time, or nothing where the clock is unknown (before Linux 2.6.39).
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time) };
    u64::try_from(time.tv_sec).unwrap_or(0) * 100 + u64::try_from(time.tv_nsec).unwrap_or(0) / 10_000_000
}

/// Field 3 is the state, 22 the time of the start in clock ticks since the system was started.
#[cfg(target_os = "linux")]
fn look_closely(pid: i32) -> Look {
    let Some(stat) = super::proc_stat::ProcStat::read(pid) else { return Look::Alive };
    if matches!(stat.field(3), Some(b"Z" | b"X" | b"x")) {
        return Look::Ended;
    }
    let ticks = stat.number::<u64>(22);
    // SAFETY: a plain library call.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    match (ticks, u64::try_from(per_second)) {
        (Some(ticks), Ok(per_second)) if per_second > 0 => Look::Started(ticks * 100 / per_second),
        _ => Look::Alive,
    }
}

/// In hundredths of a second of the calendar, which is what macOS notes for processes.
#[cfg(not(target_os = "linux"))]
fn now() -> u64 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis() / 10).unwrap_or(0)
}

/// What the system has to say of a process in the table `PROC_PIDTBSDINFO`; nothing of one that waits to be reaped.
#[cfg(target_os = "macos")]
fn look_closely(pid: i32) -> Look {
    let mut info = std::mem::MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = libc::c_int::try_from(size_of::<libc::proc_bsdinfo>()).unwrap_or(0);
    // SAFETY: the call writes at most `size` bytes; zeros are a value of the structure.
    let info = unsafe {
        if libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, info.as_mut_ptr().cast(), size) != size {
            let has_ended = std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
            return if has_ended { Look::Ended } else { Look::Alive };
        }
        info.assume_init()
    };
    Look::Started(info.pbi_start_tvsec * 100 + info.pbi_start_tvusec / 10_000)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn look_closely(_pid: i32) -> Look {
    Look::Alive
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn sleeper() -> std::process::Child {
        Command::new("/bin/sleep").arg("600").stdin(Stdio::null()).spawn().unwrap()
    }

    fn enter(census: &Arc<Census>, child: &std::process::Child, kind: Kind) -> Place {
        census.enter(i32::try_from(child.id()).unwrap(), kind).unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri starts no programs")]
    fn what_has_ended_counts_no_more_although_nobody_has_said_so() {
        let census = Arc::new(Census::new().unwrap());
        let (mut first, mut second) = (sleeper(), sleeper());
        let _places = [enter(&census, &first, Kind::Program), enter(&census, &second, Kind::Copy)];
        assert!(census.has_programs(1) && !census.has_programs(2));
        assert!(census.has_processes(2) && !census.has_processes(3));
        // One that has become a program is one process.
        let _again = enter(&census, &second, Kind::Program);
        assert!(census.has_programs(2) && !census.has_processes(3));
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(census.has_programs(1) && !census.has_programs(2));
        second.kill().unwrap();
        second.wait().unwrap();
        assert!(!census.has_processes(1));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri starts no programs")]
    fn another_process_of_the_same_id_is_not_the_one_that_was_entered() {
        let census = Arc::new(Census::new().unwrap());
        let mut child = sleeper();
        let place = enter(&census, &child, Kind::Program);
        assert!(place.entry.is_alive());
        let earlier = Entry(place.entry.0 - 1_000);
        assert_eq!(earlier.is_alive(), cfg!(not(any(target_os = "linux", target_os = "macos"))));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no shared mappings")]
    fn places_are_kept_for_as_many_as_may_live_and_given_back() {
        let census = Arc::new(Census::new().unwrap());
        let first = Reservation::new(&census, 2).unwrap();
        let second = Reservation::new(&census, 2).unwrap();
        assert!(Reservation::new(&census, 2).is_none());
        drop(first);
        let third = Reservation::new(&census, 2).unwrap();
        assert!(Reservation::new(&census, 2).is_none());
        drop((second, third));
        assert!(!census.has_processes(1));
        assert!(Reservation::new(&census, 0).is_none());
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[cfg_attr(miri, ignore = "Miri starts no programs")]
    fn everything_is_killed_but_what_has_only_the_id_of_what_was_entered() {
        use std::os::unix::process::ExitStatusExt;
        let census = Arc::new(Census::new().unwrap());
        let (mut first, mut second, mut other) = (sleeper(), sleeper(), sleeper());
        let _places = [enter(&census, &first, Kind::Program), enter(&census, &second, Kind::Copy)];
        let earlier = Entry(enter(&census, &other, Kind::Program).entry.0 - 1_000);
        census.table().entries[2].store(earlier.0, Ordering::Release);
        census.kill();
        assert_eq!(first.wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(second.wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(other.try_wait().unwrap(), None);
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[cfg_attr(miri, ignore = "Miri starts no programs")]
    fn what_is_just_being_made_is_waited_for_and_nothing_more_is_made() {
        let census = Arc::new(Census::new().unwrap());
        let stops = census.stops();
        let start = census.begin_start(stops).unwrap();
        assert!(!census.has_processes(1));
        let killer = {
            let census = Arc::clone(&census);
            std::thread::spawn(move || census.kill())
        };
        while census.stops() == stops {
            std::thread::yield_now();
        }
        assert!(census.begin_start(stops).is_none());
        let mut child = sleeper();
        let _place = enter(&census, &child, Kind::Program);
        start.leave();
        killer.join().unwrap();
        child.wait().unwrap();
        assert!(census.begin_start(census.stops()).is_some());
    }
}
