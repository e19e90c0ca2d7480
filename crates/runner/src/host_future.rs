//! Waiting for a future of the host's on a thread of ours.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::cancel::CancelToken;

/// Why there is nothing that the future gave.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The deadline came first.
    TimedOut,
    /// Nobody waits any more.
    Cancelled,
    /// The system gave no runtime for it.
    NoRuntime(io::Error),
}

/// Makes a future and waits for what it gives, on this thread, which is none of a runtime's: at most until the deadline, and until it is
/// cancelled. Then the future is dropped.
///
/// The host's runtime, where there is one, is the current one for the future, but it is not what keeps the deadline: where nobody
/// drives it any more (a hook in the background, after its run) its timers stand still.
pub(crate) fn wait<F: Future>(
    deadline: Instant,
    cancel: &CancelToken,
    make: impl FnOnce() -> F,
) -> Result<F::Output, Unanswered> {
    let host = Handle::try_current().ok();
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Unanswered::NoRuntime)?;
    let given = runtime.block_on(in_time(deadline, cancel, make, host.as_ref()));
    // What still blocks (a name that is looked up) is not waited for.
    runtime.shutdown_background();
    given
}

async fn in_time<F: Future>(
    deadline: Instant,
    cancel: &CancelToken,
    make: impl FnOnce() -> F,
    host: Option<&Handle>,
) -> Result<F::Output, Unanswered> {
    let (sender, cancelled) = oneshot::channel::<()>();
    let _guard = cancel.on_cancel(move || sender.send(()).unwrap_or_default());
    let mut cancelled = pin!(cancelled);
    let mut future = pin!({
        let _entered = host.map(Handle::enter);
        make()
    });
    let first = poll_fn(|cx| {
        if cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(Unanswered::Cancelled));
        }
        let _entered = host.map(Handle::enter);
        future.as_mut().poll(cx).map(Ok)
    });
    tokio::time::timeout_at(deadline.into(), first).await.unwrap_or(Err(Unanswered::TimedOut))
}
