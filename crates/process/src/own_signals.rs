//! What this process and its threads do with signals.

#[cfg(unix)]
use crate::signal_state;

/// Blocks `SIGPIPE` on the calling thread, so that a write into a closed pipe is an error
/// ([`std::io::ErrorKind::BrokenPipe`]) and not the end of the host, whatever the host's disposition is.
///
/// Threads that this thread starts inherit it; children do not (they start with an empty mask). To be called at the
/// top of every thread that runs shell code. Nothing to do on Windows.
pub fn block_sigpipe_on_this_thread() {
    #[cfg(unix)]
    signal_state::block_sigpipe_on_this_thread();
}

/// Blocks (`false`) or unblocks (`true`) the signals that the process may be sent on the calling thread, so that their
/// handlers run on the thread of the host's choice. Threads that this thread starts inherit it; children do not. Signals of
/// faults, and `SIGPIPE`, are left as they are. Nothing to do on Windows.
pub fn direct_signals_to_this_thread(here: bool) {
    #[cfg(unix)]
    signal_state::direct_signals_to_this_thread(here);
    #[cfg(not(unix))]
    let _ = here;
}

/// From now on `came` is set when the signal comes, and before it `by_terminal` where a terminal gives it to all processes of its
/// foreground group (INT and QUIT on Linux; elsewhere that is never set).
///
/// # Errors
/// The system installs no handler for this signal.
#[cfg(unix)]
pub fn note_signal(
    signal: i32,
    came: std::sync::Arc<std::sync::atomic::AtomicBool>,
    by_terminal: std::sync::Arc<std::sync::atomic::AtomicBool>,
) -> std::io::Result<()> {
    signal_state::note_signal(signal, came, by_terminal)
}

/// For a program of ours, at its start: has its children's ends be told, whatever it inherited. A parent that ignores `SIGCHLD`
/// hands that on, and the kernel keeps no exit status for who ignores it. Nothing to do on Windows.
pub fn expect_children() {
    #[cfg(unix)]
    signal_state::expect_children();
}

/// For a program of ours, at its start: a write beyond the limit of a file's size is an error, not the program's end
/// (`SIGXFSZ`). Children get the default back. Nothing to do on Windows.
pub fn survive_full_files() {
    #[cfg(unix)]
    signal_state::survive_full_files();
}

/// In a copy of this process: ignores these signals, as bits (signal 1 is bit 0), as the process did that it is a copy of
/// ([`ignored_signals`]).
#[cfg(unix)]
pub fn ignore_signals(signals: u64) {
    signal_state::ignore(signals);
}

/// The signals that are ignored now, as bits: signal 1 is bit 0. Before a program installs handlers these are the ones that it was
/// started with as ignored, and `SIGPIPE`, which the Rust runtime ignores. None on Windows.
pub fn ignored_signals() -> u64 {
    ignored_signals_of(1..=64)
}

/// Those of these signals, each from 1 to 64, that are ignored now, as [`ignored_signals`] gives them: each is a question to the system.
pub fn ignored_signals_of(signals: impl IntoIterator<Item = i32>) -> u64 {
    #[cfg(unix)]
    return signal_state::ignored_signals_of(signals.into_iter());
    #[cfg(not(unix))]
    {
        drop(signals);
        0
    }
}
