//! Unix.
#![allow(unsafe_code, reason = "getrusage and getpwnam_r have no safe interface")]

use std::ffi::{CStr, CString, OsString};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, accessat};

use super::{Access, CpuTimes, Ids};

pub(super) fn host_umask() -> Option<u32> {
    #[cfg(target_os = "linux")]
    {
        // Since Linux 4.7 (proc_pid_status(5)). The thread's: it may have a file system context of its own.
        let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
        u32::from_str_radix(mask.trim(), 8).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}

/// Entries are some hundred bytes; a directory service that answers with more than this is not believed.
const LARGEST_ENTRY: usize = 1 << 20;

pub(super) fn home_of(user: &[u8]) -> Option<PathBuf> {
    let user = CString::new(user).ok()?;
    let mut buffer: Vec<libc::c_char> = vec![0; 1024];
    loop {
        let mut entry = MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: all pointers are to live objects of the sizes that are passed.
        let result = unsafe {
            libc::getpwnam_r(user.as_ptr(), entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &mut found)
        };
        match result {
            libc::EINTR => {}
            libc::ERANGE if buffer.len() < LARGEST_ENTRY => buffer.resize(buffer.len() * 4, 0),
            0 if !found.is_null() => {
                // SAFETY: `found` points to `entry`, which is filled in; its strings lie in `buffer`, which is alive.
                let home = unsafe {
                    let directory = (*found).pw_dir;
                    if directory.is_null() {
                        return None;
                    }
                    CStr::from_ptr(directory).to_bytes().to_vec()
                };
                return Some(PathBuf::from(OsString::from_vec(home)));
            }
            _ => return None,
        }
    }
}

pub(super) fn cpu_times() -> CpuTimes {
    let (user, system) = usage(libc::RUSAGE_SELF);
    let (children_user, children_system) = usage(libc::RUSAGE_CHILDREN);
    CpuTimes { user, system, children_user, children_system }
}

fn usage(who: libc::c_int) -> (Duration, Duration) {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: fills in the object when it returns 0.
    let usage = unsafe {
        if libc::getrusage(who, usage.as_mut_ptr()) != 0 {
            return (Duration::ZERO, Duration::ZERO);
        }
        usage.assume_init()
    };
    (duration(usage.ru_utime), duration(usage.ru_stime))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

pub(super) fn access(path: &Path, mode: Access) -> bool {
    let mode = match mode {
        Access::Read => rustix::fs::Access::READ_OK,
        Access::Write => rustix::fs::Access::WRITE_OK,
        Access::Execute => rustix::fs::Access::EXEC_OK,
    };
    accessat(CWD, path, mode, AtFlags::EACCESS).is_ok()
}

pub(super) fn ids() -> Ids {
    Ids {
        uid: rustix::process::getuid().as_raw(),
        euid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        egid: rustix::process::getegid().as_raw(),
    }
}

pub(super) fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

pub(super) fn hostname() -> OsString {
    OsString::from_vec(rustix::system::uname().nodename().to_bytes().to_vec())
}

pub(super) fn group_ids() -> Vec<u32> {
    rustix::process::getgroups().unwrap_or_default().iter().map(|group| group.as_raw()).collect()
}

/// Calls one of the functions that look up an entry of the user or group database, with a buffer that is large enough. `read`
/// takes what is wanted from the entry.
fn look_up<E, T>(
    mut call: impl FnMut(*mut E, *mut libc::c_char, usize, *mut *mut E) -> libc::c_int,
    read: impl FnOnce(&E) -> T,
) -> Option<T> {
    let mut buffer: Vec<libc::c_char> = vec![0; 1024];
    loop {
        let mut entry = MaybeUninit::<E>::uninit();
        let mut found = std::ptr::null_mut();
        match call(entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &mut found) {
            libc::EINTR => {}
            libc::ERANGE if buffer.len() < LARGEST_ENTRY => buffer.resize(buffer.len() * 4, 0),
            0 if !found.is_null() => {
                // SAFETY: `found` points to `entry`, which is filled in; its strings lie in `buffer`, which is alive.
                return Some(read(unsafe { &*found }));
            }
            _ => return None,
        }
    }
}

/// A string of an entry.
fn owned(text: *const libc::c_char) -> Vec<u8> {
    if text.is_null() {
        return Vec::new();
    }
    // SAFETY: the database's strings end with a NUL, and are alive while their entry is read.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}

pub(super) fn user_name(id: u32) -> Option<Vec<u8>> {
    look_up(
        // SAFETY: all pointers are to live objects of the sizes that are passed.
        |entry, buffer, size, found| unsafe { libc::getpwuid_r(id, entry, buffer, size, found) },
        |entry: &libc::passwd| owned(entry.pw_name),
    )
}

pub(super) fn group_name(id: u32) -> Option<Vec<u8>> {
    look_up(
        // SAFETY: all pointers are to live objects of the sizes that are passed.
        |entry, buffer, size, found| unsafe { libc::getgrgid_r(id, entry, buffer, size, found) },
        |entry: &libc::group| owned(entry.gr_name),
    )
}

pub(super) fn user_ids(name: &[u8]) -> Option<(u32, u32)> {
    let name = CString::new(name).ok()?;
    look_up(
        // SAFETY: all pointers are to live objects of the sizes that are passed.
        |entry, buffer, size, found| unsafe { libc::getpwnam_r(name.as_ptr(), entry, buffer, size, found) },
        |entry: &libc::passwd| (entry.pw_uid, entry.pw_gid),
    )
}

pub(super) fn group_id(name: &[u8]) -> Option<u32> {
    let name = CString::new(name).ok()?;
    look_up(
        // SAFETY: all pointers are to live objects of the sizes that are passed.
        |entry, buffer, size, found| unsafe { libc::getgrnam_r(name.as_ptr(), entry, buffer, size, found) },
        |entry: &libc::group| entry.gr_gid,
    )
}
