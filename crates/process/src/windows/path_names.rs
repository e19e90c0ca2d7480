//! The two names that a file may have on Windows: `C:\Program Files` and `C:\PROGRA~1`.
#![allow(unsafe_code, reason = "system calls without a safe interface")]

use std::ffi::OsString;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{GetLongPathNameW, GetShortPathNameW};

/// More than any path has, in units of UTF-16.
const UNITS: usize = 32_768;

/// See [`crate::system::long_path`].
pub(crate) fn long_path(path: &Path) -> Option<PathBuf> {
    // SAFETY: the text ends with a NUL and is alive; the buffer has as many units as is said.
    renamed(path, |text, buffer, units| unsafe { GetLongPathNameW(text, buffer, units) })
}

/// See [`crate::system::short_path`].
pub(crate) fn short_path(path: &Path) -> Option<PathBuf> {
    // SAFETY: the text ends with a NUL and is alive; the buffer has as many units as is said.
    renamed(path, |text, buffer, units| unsafe { GetShortPathNameW(text, buffer, units) })
}

fn renamed(path: &Path, ask: impl FnOnce(*const u16, *mut u16, u32) -> u32) -> Option<PathBuf> {
    let text: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut buffer = vec![0u16; UNITS];
    let units = ask(text.as_ptr(), buffer.as_mut_ptr(), u32::try_from(UNITS).ok()?);
    let name = buffer.get(..usize::try_from(units).ok()?).filter(|name| !name.is_empty())?;
    Some(OsString::from_wide(name).into())
}
