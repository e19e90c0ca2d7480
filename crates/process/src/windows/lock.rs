//! Locks of a byte after the end of every file.
#![allow(unsafe_code, reason = "LockFileEx and UnlockFileEx have no safe interface")]

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;

use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, ERROR_NOT_LOCKED};
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};

use crate::FileLock;
use crate::handle::check;

/// The byte's place: such locks keep away reads and writes of the bytes, and no file has this one.
fn place() -> OVERLAPPED {
    OVERLAPPED {
        Internal: 0,
        InternalHigh: 0,
        Anonymous: OVERLAPPED_0 { Anonymous: OVERLAPPED_0_0 { Offset: u32::MAX - 1, OffsetHigh: i32::MAX as u32 } },
        hEvent: std::ptr::null_mut(),
    }
}

pub(crate) fn try_lock(file: &File, lock: FileLock) -> io::Result<bool> {
    // A second lock would stand beside the first one: the old one is given back.
    unlock(file)?;
    let flags = match lock {
        FileLock::Unlocked => return Ok(true),
        FileLock::Shared => LOCKFILE_FAIL_IMMEDIATELY,
        FileLock::Exclusive => LOCKFILE_FAIL_IMMEDIATELY | LOCKFILE_EXCLUSIVE_LOCK,
    };
    let mut at = place();
    // SAFETY: the handle is open for the whole call, which does not wait; the structure lives as long.
    let locked = check(unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut at) });
    match locked {
        Ok(()) => Ok(true),
        Err(error) if is(&error, ERROR_LOCK_VIOLATION) || is(&error, ERROR_IO_PENDING) => Ok(false),
        Err(error) => Err(error),
    }
}

fn unlock(file: &File) -> io::Result<()> {
    let mut at = place();
    // SAFETY: as above.
    match check(unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut at) }) {
        // What was not locked: Windows' word for it, and Wine's.
        Err(error) if is(&error, ERROR_NOT_LOCKED) || is(&error, ERROR_LOCK_VIOLATION) => Ok(()),
        unlocked => unlocked,
    }
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error().and_then(|own| u32::try_from(own).ok()) == Some(code)
}
