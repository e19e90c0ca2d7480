//! Windows.
#![allow(unsafe_code, reason = "system calls without a safe interface")]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_SHARING_VIOLATION, FILETIME, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::SystemInformation::{ComputerNameDnsHostname, GetComputerNameExW};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

use super::{Access, CpuTimes, Ids};

pub(super) fn host_umask() -> Option<u32> {
    None
}

pub(super) fn home_of(_: &[u8]) -> Option<PathBuf> {
    None
}

pub(super) fn cpu_times() -> CpuTimes {
    let mut times = [FILETIME::default(); 4];
    let [created, exited, kernel, user] = &mut times;
    // SAFETY: the pseudo handle is always valid; the four structures are alive.
    if unsafe { GetProcessTimes(GetCurrentProcess(), created, exited, kernel, user) } == 0 {
        return CpuTimes::default();
    }
    CpuTimes { user: duration(*user), system: duration(*kernel), ..CpuTimes::default() }
}

/// A `FILETIME` that is a span: units of 100 nanoseconds.
fn duration(time: FILETIME) -> Duration {
    let ticks = (u64::from(time.dwHighDateTime) << 32) | u64::from(time.dwLowDateTime);
    Duration::from_nanos(ticks.saturating_mul(100))
}

pub(super) fn access(path: &Path, mode: Access) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else {
        return false;
    };
    if metadata.is_dir() {
        return match mode {
            Access::Read => std::fs::read_dir(path).is_ok(),
            Access::Write => !metadata.permissions().readonly() && std::fs::read_dir(path).is_ok(),
            Access::Execute => true,
        };
    }
    let opens = |options: &mut OpenOptions| match options.open(path) {
        Ok(_) => true,
        // Somebody has it open for himself: the permission is not what is missing.
        Err(error) => error.raw_os_error() == Some(ERROR_SHARING_VIOLATION.cast_signed()),
    };
    match mode {
        Access::Read => opens(OpenOptions::new().read(true)),
        Access::Write => !metadata.permissions().readonly() && opens(OpenOptions::new().write(true)),
        Access::Execute => has_program_extension(path) || begins_like_a_program(path),
    }
}

fn has_program_extension(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| ["exe", "com", "bat", "cmd"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

fn begins_like_a_program(path: &Path) -> bool {
    let mut head = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && (&head == b"MZ" || &head == b"#!")
}

pub(super) fn ids() -> Ids {
    Ids { uid: 1000, euid: 1000, gid: 1000, egid: 1000 }
}

pub(super) fn ancestors(_limit: usize) -> Vec<OsString> {
    Vec::new()
}

pub(super) fn parent_id() -> u32 {
    // SAFETY: a plain system call.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if snapshot == INVALID_HANDLE_VALUE {
        return 0;
    }
    // SAFETY: the handle is new and ours.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    let mut entry =
        PROCESSENTRY32W { dwSize: size_of::<PROCESSENTRY32W>().try_into().unwrap_or(0), ..Default::default() };
    // SAFETY: the snapshot is open, the entry says its own size.
    let mut found = unsafe { Process32FirstW(snapshot.as_raw_handle(), &mut entry) };
    while found != 0 {
        if entry.th32ProcessID == super::process_id() {
            return entry.th32ParentProcessID;
        }
        // SAFETY: likewise.
        found = unsafe { Process32NextW(snapshot.as_raw_handle(), &mut entry) };
    }
    0
}

pub(super) fn hostname() -> OsString {
    // A DNS label has at most 63 characters; the call says so if it needs more, and then there is no name.
    let mut buffer = [0_u16; 256];
    let mut length = 256;
    // SAFETY: the buffer is of the length that is passed.
    if unsafe { GetComputerNameExW(ComputerNameDnsHostname, buffer.as_mut_ptr(), &mut length) } == 0 {
        return OsString::new();
    }
    let length = usize::try_from(length).unwrap_or(0);
    OsString::from_wide(buffer.get(..length).unwrap_or_default())
}
