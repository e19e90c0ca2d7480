//! The seam between the runner and non-command hooks: a language model, a module, code of the host.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

use crate::cancel::CancelToken;
use crate::envelope::Envelope;
use crate::event::Event;
use crate::outcome::Failure;
use crate::ui::Waiting;

/// A hook that is no command.
pub(crate) trait NativeHook: Send + Sync {
    /// Begins and returns at once. `done` is called once, on any thread; where it is dropped uncalled, the hook counts
    /// as panicked, and so it does where this panics.
    ///
    /// The runner cancels the call ([`HostCall::cancel`]) when its timeout is over, or the run is dropped, and does not
    /// wait for it then; of a hook that runs in the background (`"async": true`) the timeout is for the hook itself to keep.
    fn start(&self, call: HostCall, done: HostDone);
}

/// What such a hook is given.
#[derive(Debug, Clone)]
pub(crate) struct HostCall {
    /// What happened; it has the session's identifier and the directories.
    pub(crate) event: Arc<Event>,
    /// The event as hooks read it: one line of JSON with its newline.
    pub(crate) payload: Arc<[u8]>,
    /// How long it may take, from its start.
    pub(crate) timeout: Duration,
    /// Tells when nobody waits for it any more.
    pub(crate) cancel: CancelToken,
    /// The time in which it waits for a person, which does not count against its timeout.
    pub(crate) waiting: Arc<Waiting>,
}

impl HostCall {
    /// When it must have answered, where it begins now.
    pub(crate) fn deadline(&self) -> Instant {
        let now = Instant::now();
        // Further away than the clock reaches is a day at least.
        now.checked_add(self.timeout).unwrap_or(now + Duration::from_secs(24 * 60 * 60))
    }
}

/// What it gave.
#[derive(Debug)]
pub(crate) struct NativeResponse {
    /// What a command would print as its envelope. Fields that the event has no use for are dropped by the runner.
    pub(crate) response: Result<Envelope, Failure>,
    /// How it was run, for people.
    pub(crate) route: Option<String>,
    pub(crate) elapsed: Duration,
}

/// Called with what a hook gave.
pub(crate) type HostDone = Box<dyn FnOnce(NativeResponse) + Send>;

#[cfg(test)]
mod tests;

/// Runs blocking code for a hook on a thread of its own, where the tokio runtime of the caller is the current one too, if there is one.
/// A panic of it is the failure `Panicked`.
pub(crate) fn on_thread<F>(call: HostCall, done: HostDone, route: String, work: F)
where
    F: FnOnce(&HostCall) -> Result<Envelope, Failure> + Send + 'static,
{
    let started = Instant::now();
    // Where no thread can be had, it is here that the call is answered.
    let done = Arc::new(std::sync::Mutex::new(Some(done)));
    let report = {
        let done = Arc::clone(&done);
        move |response| {
            let done = lock(&done).take();
            if let Some(done) = done {
                done(NativeResponse { response, route: Some(route), elapsed: started.elapsed() });
            }
        }
    };
    let runtime = tokio::runtime::Handle::try_current().ok();
    let spawned = std::thread::Builder::new().name("hookshell-hook".to_owned()).spawn(move || {
        let _current = runtime.as_ref().map(tokio::runtime::Handle::enter);
        let response = catch_unwind(AssertUnwindSafe(|| work(&call))).unwrap_or(Err(Failure::Panicked));
        report(response);
    });
    if let Err(error) = spawned {
        let done = lock(&done).take();
        if let Some(done) = done {
            let response = Err(Failure::Spawn(format!("no thread: {error}")));
            done(NativeResponse { response, route: None, elapsed: started.elapsed() });
        }
    }
}
