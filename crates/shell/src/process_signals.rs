//! Signals that reach the process from outside, where the interpreter is the process (`hookshell sh`). Everywhere else
//! signals are virtual.

/// The host's side: it catches the signals of the process.
pub trait SignalSource: Send + Sync {
    /// Something begins that a signal must not just end with the process: there is a trap now, or a program of the script's,
    /// or a utility at work in files. Until then the system's own action is the right one, and the host may have it.
    fn listen(&self) {}

    /// The script traps or ignores `signal`: from now on it goes to [`crate::SignalSender::send`] when it comes.
    fn catch(&self, signal: i32);

    /// Takes a signal that has come and was not given to [`crate::SignalSender::send`] yet, if it is one of these bits (signal 1 is
    /// bit 0).
    fn take(&self, signals: u64) -> Option<i32>;

    /// Returns when the host has done what it does of the signals that have come and are none of these bits. A signal that ends a
    /// child and is to end this process, too, has done so before the next command begins.
    fn settle(&self, handled: u64) {
        let _ = handled;
    }
}
