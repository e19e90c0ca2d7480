//! Threads inside a blocking read or write, and how they are got out of it.
#![allow(unsafe_code, reason = "CancelSynchronousIo has no safe interface")]

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use windows_sys::Win32::System::IO::CancelSynchronousIo;
use windows_sys::Win32::System::Threading::{GetCurrentThreadId, OpenThread, THREAD_TERMINATE};

use crate::handle::owned;
use crate::sync::lock;

/// Threads that have announced a blocking call. A thread is on the list from before the call until after it, and nothing else
/// that it does is cancelled: cancelling and leaving take the same lock.
#[derive(Debug)]
pub(crate) struct BlockedThreads {
    list: Arc<Mutex<List>>,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    threads: Vec<(u64, OwnedHandle)>,
}

impl BlockedThreads {
    pub(crate) fn new() -> Self {
        Self { list: Arc::default() }
    }

    /// Puts the calling thread on the list until the guard is dropped. It looks at the flag after this.
    pub(crate) fn enter(&self) -> io::Result<Entered<'_>> {
        // The access that cancelling asks for. A real handle: the pseudo handle means whoever uses it.
        // SAFETY: plain system calls; the handle is new.
        let thread = unsafe { owned(OpenThread(THREAD_TERMINATE, 0, GetCurrentThreadId())) }?;
        let mut list = lock(&self.list);
        let number = list.next;
        list.next += 1;
        list.threads.push((number, thread));
        Ok(Entered { list: &self.list, number })
    }

    /// Cancels the calls of all threads on the list until they have left it. A thread may be between its announcement and the
    /// call, where there is nothing to cancel yet: so it is tried again, by a thread of its own if need be.
    pub(crate) fn cancel(&self) {
        if cancel_once(&self.list) {
            return;
        }
        let list = Arc::clone(&self.list);
        let started = thread::Builder::new().name("hookshell-cancel".into()).spawn(move || {
            while !cancel_once(&list) {
                thread::sleep(PAUSE);
            }
        });
        if started.is_err() {
            for _ in 0..100 {
                if cancel_once(&self.list) {
                    return;
                }
                thread::sleep(PAUSE);
            }
        }
    }
}

const PAUSE: Duration = Duration::from_millis(1);

/// `true`: nobody is left.
fn cancel_once(list: &Mutex<List>) -> bool {
    let list = lock(list);
    for (_, thread) in &list.threads {
        // SAFETY: the handle is open as long as it is on the list. "Not found" is the case that is tried again.
        unsafe { CancelSynchronousIo(thread.as_raw_handle()) };
    }
    list.threads.is_empty()
}

/// The calling thread is on the list.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    list: &'a Mutex<List>,
    number: u64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        lock(self.list).threads.retain(|&(number, _)| number != self.number);
    }
}
