//! Copies of this process (`fork` without `exec`), for a shell whose background lists are processes.
#![allow(unsafe_code, reason = "fork, signal masks and the closing of inherited descriptors have no safe interface")]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::exec::open_null;
use super::fds::copy_outside;
use super::library_locks::hold_calls;
use super::pending_spawns::{Held, Start};
use crate::copy::CopyEnd;
use crate::signal_state::{all_signals, reset_in_place, set_of};

/// Makes the copy. It joins `group` (0: leads one; `None`: stays in ours), closes what it has inherited but for `kept`, and
/// ends as `run` says.
///
/// Returns in this process, with the copy's id, when the copy has closed what is not its own.
pub(super) fn copy_process(
    group: Option<i32>,
    kept: Vec<File>,
    run: impl FnOnce(Vec<File>) -> CopyEnd,
) -> io::Result<i32> {
    // Until it has closed them, the copy holds every descriptor of ours.
    let start = Start::begin();
    let (mut reader, writer) = io::pipe()?;
    let mut writer = OwnedFd::from(writer);
    if writer.as_raw_fd() <= 2 {
        // Those are closed in the copy. The one that it replaces is closed here.
        writer = copy_outside(&writer, &|fd| fd <= 2)?;
    }
    let everything = all_signals();
    let Some(calls) = hold_calls() else {
        return Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another thread is in a call that copies would wait for",
        ));
    };
    let held = Held::new();
    let unreaped = super::unreaped::Held::new();
    let mut before = set_of(&[]);
    // No handler of ours may run in the copy.
    // SAFETY: both sets are initialised.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &everything, &mut before) };
    // SAFETY: the copy has this thread only. Its callers see to it that no other thread holds a lock that `run` takes, and
    // `calls` does for those of libraries; the allocator's are in order (glibc, musl and macOS look after them). Nothing of this process is unwound or dropped there:
    // it ends in `end`.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        drop(calls);
        held.forget();
        unreaped.forget();
        drop(start);
        in_copy(group, kept, writer, run);
    }
    let fork_error = io::Error::last_os_error();
    drop(held);
    drop(unreaped);
    drop(calls);
    // SAFETY: the set was filled in above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    if pid < 0 {
        return Err(fork_error);
    }
    if let Some(group) = group {
        // Whoever of the two is first: a signal for the group must find it.
        // SAFETY: a plain system call on our child.
        unsafe { libc::setpgid(pid, group) };
    }
    drop(writer);
    // The end of the file: nothing is ever written.
    let _ = reader.read(&mut [0]);
    Ok(pid)
}

/// What the copy does.
fn in_copy(group: Option<i32>, kept: Vec<File>, report: OwnedFd, run: impl FnOnce(Vec<File>) -> CopyEnd) -> ! {
    if let Some(group) = group {
        // SAFETY: a plain system call.
        unsafe { libc::setpgid(0, group) };
    }
    // The handlers belong to who installed them, and so do the descriptors that they write to. What the host ignores the
    // programs of an isolated tree do not; those two are errors of calls here.
    let is_isolated = group.is_some();
    let is_reset = |&signal: &i32| match disposition(signal) {
        Some(libc::SIG_DFL) | None => false,
        Some(libc::SIG_IGN) => is_isolated && !matches!(signal, libc::SIGPIPE | libc::SIGXFSZ),
        Some(_) => !matches!(signal, libc::SIGSEGV | libc::SIGBUS),
    };
    reset_in_place(&(1..=31).filter(is_reset).collect::<Vec<_>>());
    // Whatever thread this is, and whatever that blocks for the sake of others.
    let mut mask = set_of(&[libc::SIGPIPE]);
    for signal in AWAITED {
        // One that is ignored (`nohup`) would be heard of all the same where it is blocked.
        if disposition(signal) != Some(libc::SIG_IGN) {
            // SAFETY: the set is initialised.
            unsafe { libc::sigaddset(&raw mut mask, signal) };
        }
    }
    // SAFETY: the set is initialised.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &mask, std::ptr::null_mut()) };
    for fd in 0..=2 {
        // SAFETY: a plain system call. Whoever owns the number is gone with its thread, or never used again.
        unsafe { libc::close(fd) };
        let _ = open_null(fd);
    }
    let mut own: Vec<RawFd> = kept.iter().map(AsRawFd::as_raw_fd).collect();
    own.push(report.as_raw_fd());
    close_others(&own);
    drop(report);
    // The parent's frames are below: nothing may unwind into them.
    let end = catch_unwind(AssertUnwindSafe(|| run(kept))).unwrap_or(CopyEnd::Signaled(libc::SIGABRT));
    end_copy(end)
}

/// The signals that end a process by default and can be waited for: those of faults, and `SIGPIPE`, are left as they are.
const AWAITED: [i32; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
];

/// In a copy that has nobody who waits for its signals: they do again what they do by default, but for these.
pub(crate) fn restore_signals(but: &[i32]) {
    let mut blocked = but.to_vec();
    blocked.push(libc::SIGPIPE);
    // SAFETY: the set is initialised; no old set is asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &set_of(&blocked), std::ptr::null_mut()) };
}

/// See [`crate::next_signal_of_copy`].
pub(crate) fn next_signal_of_copy() -> Option<i32> {
    let mut signal = 0;
    // SAFETY: the set is initialised; the number is written before the call returns 0.
    let failed = unsafe { libc::sigwait(&set_of(&AWAITED), &mut signal) };
    (failed == 0).then_some(signal)
}

/// What the process does about the signal: a handler, or one of the two that are none. Those for SEGV and BUS are the Rust
/// runtime's, which tell an overflow of the stack from other faults. `None`: there is no such signal.
fn disposition(signal: i32) -> Option<libc::sighandler_t> {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: nothing is installed; the old action is read only where the call has written it.
    unsafe {
        if libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) != 0 {
            return None;
        }
        Some(action.assume_init().sa_sigaction)
    }
}

/// Closes every descriptor above 2 but these.
fn close_others(own: &[RawFd]) {
    #[cfg(target_os = "linux")]
    {
        let mut sorted = own.to_vec();
        sorted.sort_unstable();
        let mut first: libc::c_uint = 3;
        let mut is_done = true;
        for fd in sorted.iter().map(|&fd| fd.unsigned_abs()).chain([libc::c_uint::MAX]) {
            if first < fd {
                let last = if fd == libc::c_uint::MAX { fd } else { fd - 1 };
                // SAFETY: a plain system call. What owned the numbers is never used, nor dropped, in the copy.
                is_done &= unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0;
            }
            first = fd.saturating_add(1);
        }
        if is_done {
            return;
        }
    }
    // Before Linux 5.9, and elsewhere: those that the system lists, or all that there can be.
    let listed: Option<Vec<RawFd>> = std::fs::read_dir("/dev/fd")
        .ok()
        .map(|entries| entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect());
    /// More are not looked for.
    const MOST: u64 = 65_536;
    let most = super::soft_limit(crate::Resource::OpenFiles).unwrap_or(MOST).min(MOST);
    let all = listed.unwrap_or_else(|| (0..RawFd::try_from(most).unwrap_or(RawFd::MAX)).collect());
    for fd in all {
        if fd > 2 && !own.contains(&fd) {
            // SAFETY: likewise.
            unsafe { libc::close(fd) };
        }
    }
}

/// See [`crate::end_copy`].
pub(crate) fn end_copy(end: CopyEnd) -> ! {
    let status = match end {
        CopyEnd::Exited(status) => i32::from(status),
        CopyEnd::Signaled(signal) => {
            reset_in_place(&[signal]);
            // SAFETY: plain calls on an initialised set; the process is about to end in any case.
            unsafe {
                libc::pthread_sigmask(libc::SIG_UNBLOCK, &set_of(&[signal]), std::ptr::null_mut());
                // To this thread, which does not block it.
                libc::raise(signal);
            }
            // The first process of a container is not ended by its own signals.
            128 + signal
        }
    };
    // SAFETY: nothing of the process that this is a copy of is flushed, unwound or dropped.
    unsafe { libc::_exit(status) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::super::tree::Tree;
    use super::*;
    use crate::{ChildStatus, SpawnError};

    fn copy(tree: &Tree, kept: Vec<File>, run: impl FnOnce(Vec<File>) -> CopyEnd) -> super::super::child::Process {
        match tree.copy(kept, run) {
            Ok(process) => process,
            Err(SpawnError::Os(error)) => panic!("no copy: {error}"),
            Err(error) => panic!("no copy: {error}"),
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no fork")]
    fn a_copy_has_its_files_and_no_others() {
        let tree = Tree::new(false);
        let (mut output, writer) = io::pipe().unwrap();
        let (go, gone) = io::pipe().unwrap();
        let (mut other, other_writer) = io::pipe().unwrap();
        let kept = vec![File::from(OwnedFd::from(writer)), File::from(OwnedFd::from(go))];
        let process = copy(&tree, kept, |mut kept| {
            let _ = kept[1].read(&mut [0]);
            let _ = kept[0].write_all(b"here");
            CopyEnd::Exited(7)
        });
        drop(other_writer);
        // The copy lives, and does not hold the other pipe: its end is seen.
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(other.read(&mut [0])));
        let count = receiver.recv_timeout(Duration::from_secs(20)).expect("the copy holds a descriptor of ours");
        assert_eq!(count.unwrap(), 0);
        assert_eq!(process.try_wait().unwrap(), None);
        drop(gone);
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        assert_eq!(text, "here");
        assert_eq!(process.wait().unwrap(), ChildStatus::Exited(7));
        tree.release();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no fork")]
    fn no_copy_is_made_in_the_middle_of_a_call() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicBool, Ordering};
        let tree = Tree::new(false);
        let (begun, has_begun) = std::sync::mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let thread = std::thread::spawn(move || {
            super::super::while_not_copied(|| {
                begun.send(()).unwrap();
                std::thread::sleep(Duration::from_millis(20));
                over.store(true, Ordering::Release);
            });
        });
        has_begun.recv().unwrap();
        // A thread that does not get its turn is not waited for.
        let process = loop {
            match tree.copy(Vec::new(), |_| CopyEnd::Exited(u8::from(is_over.load(Ordering::Acquire)))) {
                Ok(process) => break process,
                Err(SpawnError::Os(error)) => assert_eq!(error.kind(), io::ErrorKind::ResourceBusy),
                Err(error) => panic!("no copy: {error}"),
            }
        };
        assert_eq!(process.wait().unwrap(), ChildStatus::Exited(1));
        thread.join().unwrap();
        tree.release();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no fork")]
    fn a_copy_is_deaf_to_no_signal_that_its_maker_blocks() {
        let tree = Tree::new(false);
        crate::direct_signals_to_this_thread(false);
        let process = copy(&tree, Vec::new(), |_| {
            std::thread::sleep(Duration::from_secs(60));
            CopyEnd::Exited(0)
        });
        crate::direct_signals_to_this_thread(true);
        process.signal(libc::SIGXCPU).unwrap();
        assert!(matches!(process.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGXCPU, .. }));
        tree.release();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no fork")]
    fn a_copy_hears_of_signals_dies_of_them_and_of_panics() {
        let tree = Tree::new(true);
        let process = copy(&tree, Vec::new(), |_| match next_signal_of_copy() {
            Some(signal) => CopyEnd::Signaled(signal),
            None => CopyEnd::Exited(1),
        });
        process.signal(libc::SIGTERM).unwrap();
        assert_eq!(process.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGTERM, core_dumped: false });
        let process = copy(&tree, Vec::new(), |_| panic!("in the copy"));
        assert!(matches!(process.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGABRT, .. }));
        // A tree that is killed takes its copies along.
        let process = copy(&tree, Vec::new(), |_| {
            std::thread::sleep(Duration::from_secs(60));
            CopyEnd::Exited(0)
        });
        tree.kill();
        assert_eq!(process.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGKILL, core_dumped: false });
        tree.release();
    }
}
