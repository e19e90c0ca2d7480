//! Nothing waits for ever.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy machine (or under Wine), and short enough to fail in.
pub const MAX_WAIT: Duration = Duration::from_secs(60);

/// What the body gives, computed on a thread of its own.
///
/// # Panics
/// It panics, or takes longer than `limit`: the thread is left behind then.
pub fn within<T: Send + 'static>(limit: Duration, what: &str, body: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let _ = sender.send(catch_unwind(AssertUnwindSafe(body)));
    });
    match receiver.recv_timeout(limit) {
        Ok(Ok(value)) => value,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => panic!("it did not end within {limit:?}: {what}"),
    }
}

/// Waits until it holds.
///
/// # Panics
/// It does not within [`MAX_WAIT`].
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + MAX_WAIT;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
