//! Threads beside those of the host.

use std::io;
use std::thread::{Builder, JoinHandle};

use crate::own_signals::direct_signals_to_this_thread;

/// Starts a thread with a stack of `stack` bytes, which hears no signal that is sent to the process
/// ([`direct_signals_to_this_thread`](crate::direct_signals_to_this_thread)).
///
/// The kernel gives such a signal to any thread that does not block it. The one that is to hear it blocks all while it starts a
/// child: what the child sends at once would be heard by another thread then, and later than the child's end is seen.
///
/// # Errors
/// The system gives no more threads.
pub fn start_thread<T: Send + 'static>(
    name: &str,
    stack: usize,
    body: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).stack_size(stack).spawn(move || {
        direct_signals_to_this_thread(false);
        body()
    })
}
