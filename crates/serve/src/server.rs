//! A connection to a client.

use std::io::{self, Read};
use std::sync::Arc;
use std::thread;

use crate::outbox::Outbox;
use crate::pool::{self, Refused};
use crate::reading::{EndReason, IsReady, Reading};
use crate::service::Service;
use crate::shared::{READ_BOUND, Shared};

/// A connection. Cheap to clone: clones are the same.
pub struct Server<S: Service> {
    shared: Arc<Shared<S>>,
}

impl<S: Service> Clone for Server<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<S: Service> Server<S> {
    /// A connection to the client at the other end of `outbox`, whose requests are done on threads of its own.
    pub fn new(service: S, outbox: Outbox) -> Self {
        Self::with_threads(service, outbox, pool::start_thread)
    }

    /// As [`Server::new`], on threads that `start` starts.
    pub fn with_threads(
        service: S,
        outbox: Outbox,
        start: impl Fn(Box<dyn FnOnce() + Send>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { shared: Arc::new(Shared::new(service, outbox, Box::new(start))) }
    }

    /// Takes messages from now on, and calls `ended` when none is taken any more, on another thread. Then requests are still
    /// done: see [`Server::stop`].
    ///
    /// The threads that do the requests also read them: who has read one that nothing follows yet does it, and reads on after it; where it takes
    /// longer than a moment another one reads on. So nobody is woken between a message and its answer, which takes longer than a short hook. Of many
    /// that come at once one thread reads all, and others do them.
    ///
    /// # Errors
    /// The threads that write and read cannot be started.
    pub fn start(
        &self,
        input: impl Read + Send + 'static,
        ended: impl FnOnce(EndReason) + Send + 'static,
    ) -> io::Result<()> {
        self.start_reading(input, None, ended)
    }

    /// As [`Server::start`], of an input that can say by `is_ready` whether a read of it would give something at once, or the end. After each request the
    /// next one is waited for awake for a moment, where there is more than one processor.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_awake(
        &self,
        input: impl Read + Send + 'static,
        is_ready: impl Fn() -> bool + Send + 'static,
        ended: impl FnOnce(EndReason) + Send + 'static,
    ) -> io::Result<()> {
        self.start_reading(input, Some(Box::new(is_ready)), ended)
    }

    fn start_reading(
        &self,
        input: impl Read + Send + 'static,
        is_ready: Option<IsReady>,
        ended: impl FnOnce(EndReason) + Send + 'static,
    ) -> io::Result<()> {
        let writing = self.shared.outbox.clone();
        thread::Builder::new()
            .name("hookshell-write".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || writing.write_waiting())?;
        let reading = Reading::new(Arc::clone(&self.shared), input, is_ready, ended);
        self.shared.workers.submit(0, Box::new(move || reading.read_on()), 0).map_err(|refused| match refused {
            Refused::NoThread(error) => error,
            Refused::Full => io::ErrorKind::ResourceBusy.into(),
        })
    }

    /// Cancels what is done, waits until it is gone or a bound has passed, ends all sessions, and waits a second at most until
    /// the client has read the answers. Whoever calls it first does it.
    pub fn stop(&self) {
        self.shared.stop(READ_BOUND);
        self.shared.end();
        self.shared.flush();
    }
}
