//! Waking a future at a time: on tokio, or on a thread that only parks.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use hookshell_process::sync::lock;

/// Wakes a task at a time.
pub(super) trait Timer: Send {
    /// Ready once it is `at`; else the task is woken then, unless this is called with another time before.
    fn poll_at(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()>;
}

/// On tokio.
#[derive(Default)]
pub(super) struct TokioTimer(Option<Pin<Box<tokio::time::Sleep>>>);

impl Timer for TokioTimer {
    fn poll_at(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at.into())));
        if sleep.deadline() != at.into() {
            sleep.as_mut().reset(at.into());
        }
        sleep.as_mut().poll(cx)
    }
}

/// On a thread of [`block_on`].
#[derive(Clone, Default)]
pub(super) struct ParkTimer(Arc<Mutex<Option<Instant>>>);

impl Timer for ParkTimer {
    fn poll_at(&mut self, at: Instant, _: &mut Context<'_>) -> Poll<()> {
        if at <= Instant::now() {
            return Poll::Ready(());
        }
        *lock(&self.0) = Some(at);
        Poll::Pending
    }
}

/// Runs a future on this thread, with no runtime. `timer` is the one that it uses.
pub(super) fn block_on<T>(future: impl Future<Output = T>, timer: &ParkTimer) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        let at = lock(&timer.0).take();
        match at {
            Some(at) => thread::park_timeout(at.saturating_duration_since(Instant::now())),
            None => thread::park(),
        }
    }
}
