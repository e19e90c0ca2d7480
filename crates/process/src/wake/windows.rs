//! What a wait for several objects sees when an interrupt is raised.
#![allow(unsafe_code, reason = "events have no safe interface")]

use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::sync::{Arc, Mutex};

use windows_sys::Win32::System::Threading::{CreateEventW, SetEvent};

use crate::handle::owned;
use crate::sync::lock;

/// A manual-reset event, made when it is first waited for.
#[derive(Debug)]
pub(crate) struct Waker {
    event: Mutex<Option<Arc<OwnedHandle>>>,
}

impl Waker {
    pub(crate) fn new() -> Self {
        Self { event: Mutex::new(None) }
    }

    /// The event to wait for. `None`: the system has none left; look at the flag now and then.
    ///
    /// The caller looks at the flag after this call: a raise that came before the event existed has set nothing.
    pub(crate) fn event(&self) -> Option<Arc<OwnedHandle>> {
        let mut event = lock(&self.event);
        if event.is_none() {
            // SAFETY: no security attributes, no name. The handle is new.
            let created = unsafe { owned(CreateEventW(std::ptr::null(), 1, 0, std::ptr::null())) };
            *event = created.ok().map(Arc::new);
        }
        event.clone()
    }

    pub(crate) fn wake(&self) {
        if let Some(event) = &*lock(&self.event) {
            // SAFETY: the handle is open. It fails for no valid event.
            unsafe { SetEvent(event.as_raw_handle()) };
        }
    }
}
