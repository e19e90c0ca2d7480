//! Handles.
#![allow(unsafe_code, reason = "a raw handle becomes an owned one")]

use std::io;
use std::os::windows::io::{FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};

/// Takes ownership of the handle that a call returned, or reads the error that it left.
///
/// # Safety
/// The handle is null, `INVALID_HANDLE_VALUE`, or open and nobody else's.
pub(crate) unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The result of a call that returns a `BOOL`.
pub(crate) fn check(result: windows_sys::core::BOOL) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
