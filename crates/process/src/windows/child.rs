//! Waiting for one child.
#![allow(unsafe_code, reason = "process handles have no safe interface")]

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::sync::{Arc, OnceLock, Weak};

use windows_sys::Win32::Foundation::{HANDLE, WAIT_FAILED, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, INFINITE, TerminateProcess, WaitForMultipleObjects, WaitForSingleObject,
};

use super::tree::Registry;
use crate::handle::check;
use crate::{ChildStatus, Interrupt, WaitError};

/// One started process, as its tree and its [`Child`](crate::Child) know it. The open handle keeps the process id from being given to
/// another.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    id: u32,
    handle: OwnedHandle,
    registry: Weak<Registry>,
    ended: OnceLock<ChildStatus>,
}

/// How often the flag is looked at when there was no handle left for the wake event, in milliseconds.
const WITHOUT_EVENT: u32 = 20;

impl Process {
    pub(super) fn new(id: u32, handle: OwnedHandle, registry: Weak<Registry>) -> Self {
        Self { shared: Arc::new(Shared { id, handle, registry, ended: OnceLock::new() }) }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn id(&self) -> u32 {
        self.shared.id
    }

    fn raw(&self) -> HANDLE {
        self.shared.handle.as_raw_handle()
    }

    pub(crate) fn wait(&self) -> Result<ChildStatus, WaitError> {
        if let Some(&status) = self.shared.ended.get() {
            return Ok(status);
        }
        // SAFETY: the handle is open.
        if unsafe { WaitForSingleObject(self.raw(), INFINITE) } != WAIT_OBJECT_0 {
            return Err(WaitError::Os(io::Error::last_os_error()));
        }
        self.record_end()
    }

    pub(crate) fn try_wait(&self) -> Result<Option<ChildStatus>, WaitError> {
        if let Some(&status) = self.shared.ended.get() {
            return Ok(Some(status));
        }
        // SAFETY: the handle is open.
        match unsafe { WaitForSingleObject(self.raw(), 0) } {
            WAIT_OBJECT_0 => self.record_end().map(Some),
            WAIT_FAILED => Err(WaitError::Os(io::Error::last_os_error())),
            _ => Ok(None),
        }
    }

    pub(crate) fn wait_interruptible(&self, interrupt: &Interrupt) -> Result<Option<ChildStatus>, WaitError> {
        let event = interrupt.waker().event();
        let mut handles = vec![self.raw()];
        handles.extend(event.as_ref().map(|event| event.as_raw_handle()));
        let count = if handles.len() == 2 { 2 } else { 1 };
        let timeout = if event.is_some() { INFINITE } else { WITHOUT_EVENT };
        while !interrupt.is_raised() {
            // SAFETY: `count` open handles.
            match unsafe { WaitForMultipleObjects(count, handles.as_ptr(), 0, timeout) } {
                WAIT_OBJECT_0 => break,
                WAIT_FAILED => return Err(WaitError::Os(io::Error::last_os_error())),
                _ => {}
            }
        }
        self.try_wait()
    }

    fn record_end(&self) -> Result<ChildStatus, WaitError> {
        let mut code = 0;
        // SAFETY: the handle is open, `code` is alive.
        check(unsafe { GetExitCodeProcess(self.raw(), &mut code) }).map_err(WaitError::Os)?;
        let status = *self.shared.ended.get_or_init(|| ChildStatus::Exited(code.cast_signed()));
        if let Some(registry) = self.shared.registry.upgrade() {
            registry.forget(self);
        }
        Ok(status)
    }

    /// Ends the process with that exit code, unless it has ended.
    pub(super) fn terminate(&self, code: u32) -> io::Result<()> {
        if !matches!(self.try_wait(), Ok(None)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        // SAFETY: the handle is open.
        check(unsafe { TerminateProcess(self.raw(), code) })
    }
}
