//! Signal masks and dispositions: ours (a thread's mask only) and a child's.
#![allow(unsafe_code, reason = "signal sets and masks have no safe interface")]

use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// See [`crate::block_sigpipe_on_this_thread`].
pub(crate) fn block_sigpipe_on_this_thread() {
    let set = set_of(&[libc::SIGPIPE]);
    // SAFETY: `set` is initialised; no old set is asked for. It cannot fail with a valid `how`.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
}

/// See [`crate::direct_signals_to_this_thread`].
pub(crate) fn direct_signals_to_this_thread(here: bool) {
    // Those that a call or a fault of a thread raises are its own.
    let own = [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGPIPE,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ];
    let how = if here { libc::SIG_UNBLOCK } else { libc::SIG_BLOCK };
    // Nothing is allocated: a thread that is about to be one has no memory of its own yet.
    let mut signals = set_of(&[]);
    for signal in (1..=31).filter(|signal| !own.contains(signal)) {
        // SAFETY: the set is initialised; the number is a signal's.
        unsafe { libc::sigaddset(&raw mut signals, signal) };
    }
    // SAFETY: the set is initialised; no old set is asked for.
    unsafe { libc::pthread_sigmask(how, &signals, std::ptr::null_mut()) };
}

/// See [`crate::expect_children`].
pub(crate) fn expect_children() {
    // SAFETY: the default disposition runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// See [`crate::survive_full_files`].
pub(crate) fn survive_full_files() {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// See [`crate::ignore_signals`].
pub(crate) fn ignore(signals: u64) {
    for signal in (1..=64).filter(|signal| signals >> (signal - 1) & 1 != 0) {
        // SAFETY: no handler is installed. What cannot be ignored is left as it is.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// See [`crate::ignored_signals_of`].
pub(crate) fn ignored_signals_of(signals: impl Iterator<Item = i32>) -> u64 {
    let is_ignored = |signal: i32| {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: nothing is installed; the old action is written where the call succeeds, and read only then. A number that
        // is no signal, or that the C library keeps for itself, is an error.
        let action = unsafe {
            if libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) != 0 {
                return false;
            }
            action.assume_init()
        };
        action.sa_sigaction == libc::SIG_IGN
    };
    signals.filter(|&signal| is_ignored(signal)).fold(0, |bits, signal| bits | 1 << (signal - 1))
}

/// See [`crate::note_signal`].
pub(crate) fn note_signal(signal: i32, came: Arc<AtomicBool>, by_terminal: Arc<AtomicBool>) -> io::Result<()> {
    let note = move |info: &libc::siginfo_t| {
        // A terminal's signals are the kernel's own; of others it is known who sent them. A timer's (ALRM), and a HUP where a session
        // ends, are the kernel's, too, and may be for this process alone.
        let is_of_terminal = matches!(signal, libc::SIGINT | libc::SIGQUIT);
        if cfg!(target_os = "linux") && is_of_terminal && info.si_code == SI_KERNEL {
            by_terminal.store(true, Ordering::Release);
        }
        came.store(true, Ordering::Release);
    };
    // SAFETY: the action stores into atomics, which is all that a signal handler of ours does.
    unsafe { signal_hook_registry::register_sigaction(signal, note) }.map(drop)
}

/// `siginfo_t.si_code` of a signal that nobody sent (Linux; not in every version of libc for every system).
const SI_KERNEL: i32 = 0x80;

/// A set of exactly these signals.
pub(crate) fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initialises the whole set; `sigaddset` rejects numbers that do not exist and changes nothing then.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for &signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// The set of all signals.
pub(crate) fn all_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` initialises the whole set.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        set.assume_init()
    }
}

/// The signals that a child gets default dispositions for: all standard ones when the run is isolated from its host;
/// else those that a program of ours ignores (`SIGPIPE` by the Rust runtime), while a `SIGHUP` that `nohup` ignored stays ignored.
pub(crate) fn reset_signals(isolated: bool) -> Vec<i32> {
    if isolated {
        (1..=31).filter(|&signal| signal != libc::SIGKILL && signal != libc::SIGSTOP).collect()
    } else {
        vec![libc::SIGPIPE, libc::SIGXFSZ]
    }
}

/// Where [`reset_in_place`] may be called: ignores the signals of these bits (signal 1 is bit 0). Async-signal-safe.
pub(crate) fn ignore_in_place(bits: u64) {
    for signal in 1..=64 {
        if bits >> (signal - 1) & 1 != 0 {
            // SAFETY: async-signal-safe; a number that is no signal is an error that changes nothing.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}

/// In a child between fork and exec, or in a process that is about to be replaced: default dispositions for these, and an empty mask.
/// Async-signal-safe.
///
/// Ignoring a signal first throws away what is pending: a `SIGPIPE` that a write left behind on a thread that
/// blocks it would survive `execve` and end the new program at once.
pub(crate) fn reset_in_place(signals: &[i32]) {
    for &signal in signals {
        // SAFETY: async-signal-safe calls; no handler of ours is installed.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    let empty = set_of(&[]);
    // SAFETY: `empty` is initialised; no old set is asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &empty, std::ptr::null_mut()) };
}
