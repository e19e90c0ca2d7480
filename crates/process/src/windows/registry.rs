//! Reading the registry.
#![allow(unsafe_code, reason = "the registry has no safe interface")]

use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::{OsStrExt, OsStringExt};

use windows_sys::Win32::Foundation::ERROR_SUCCESS;
use windows_sys::Win32::System::Registry::{HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW};

/// More than any path: a longer value is not read.
const UNITS: usize = 1024;

/// See [`crate::system::registry_string`].
pub(crate) fn registry_string(of_user: bool, key: &str, name: &str) -> Option<OsString> {
    let wide = |text: &str| OsStr::new(text).encode_wide().chain([0]).collect::<Vec<u16>>();
    let (key, name) = (wide(key), wide(name));
    let mut buffer = [0u16; UNITS];
    let mut bytes = u32::try_from(size_of_val(&buffer)).ok()?;
    let hive = if of_user { HKEY_CURRENT_USER } else { HKEY_LOCAL_MACHINE };
    // SAFETY: both texts end with a NUL and outlive the call; `bytes` is the size of `buffer`, which is written at most
    // that far; the type is not asked for.
    let status = unsafe {
        RegGetValueW(
            hive,
            key.as_ptr(),
            name.as_ptr(),
            RRF_RT_REG_SZ,
            std::ptr::null_mut(),
            buffer.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if status != ERROR_SUCCESS {
        return None;
    }
    let units = usize::try_from(bytes).ok()? / 2;
    let value = buffer.get(..units)?;
    // The function promises a NUL at the end.
    Some(OsString::from_wide(value.strip_suffix(&[0]).unwrap_or(value)))
}
