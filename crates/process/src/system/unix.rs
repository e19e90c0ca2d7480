//! Unix.
#![allow(unsafe_code, reason = "getrusage has no safe interface")]

use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
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

#[cfg(target_os = "linux")]
pub(super) fn ancestors(limit: usize) -> Vec<OsString> {
    let mut names = Vec::new();
    let mut id = parent_id();
    while names.len() < limit && id > 1 {
        let Some(stat) = crate::unix::proc_stat::ProcStat::read(id) else { break };
        names.push(OsString::from_vec(stat.name().to_vec()));
        id = stat.number(4).unwrap_or(0);
    }
    names
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ancestors(_limit: usize) -> Vec<OsString> {
    Vec::new()
}

pub(super) fn hostname() -> OsString {
    OsString::from_vec(rustix::system::uname().nodename().to_bytes().to_vec())
}

pub(super) fn group_ids() -> Vec<u32> {
    rustix::process::getgroups().unwrap_or_default().iter().map(|group| group.as_raw()).collect()
}
