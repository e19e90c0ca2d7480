//! Reading what a reparse point holds.
#![allow(unsafe_code, reason = "DeviceIoControl has no safe interface")]

use std::fs::OpenOptions;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, MAXIMUM_REPARSE_DATA_BUFFER_SIZE,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::FSCTL_GET_REPARSE_POINT;

/// The data of a reparse point, its header included; `None` if the file is none.
pub(crate) fn reparse_point(path: &Path) -> Option<Vec<u8>> {
    let file = OpenOptions::new()
        .access_mode(0)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)
        .ok()?;
    let mut buffer = vec![0u8; usize::try_from(MAXIMUM_REPARSE_DATA_BUFFER_SIZE).ok()?];
    let mut length = 0u32;
    // SAFETY: the handle is open for the whole call; the output buffer is writable up to the size that is given; there is
    // no input and no overlapped structure.
    let done = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_GET_REPARSE_POINT,
            std::ptr::null(),
            0,
            buffer.as_mut_ptr().cast(),
            MAXIMUM_REPARSE_DATA_BUFFER_SIZE,
            &raw mut length,
            std::ptr::null_mut(),
        )
    };
    if done == 0 {
        return None;
    }
    buffer.truncate(usize::try_from(length).ok()?);
    Some(buffer)
}
