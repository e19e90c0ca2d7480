//! Becoming another program: `execve`, in a forked child or in this process.
#![allow(unsafe_code, reason = "execve and what precedes it have no safe interface")]

use std::ffi::{CStr, c_char};
use std::io;
use std::os::fd::RawFd;

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::raw_request::{RawRequest, can_enter, spawn_error};
use crate::signal_state::{ignore_in_place, reset_in_place, reset_signals};
use crate::{Resource, ResourceLimit, SpawnError, SpawnRequest};

/// See [`crate::replace_process`].
pub(crate) fn replace_process(request: &SpawnRequest<'_>) -> SpawnError {
    let prepared = match RawRequest::new(request) {
        Ok(prepared) => prepared,
        Err(error) => return error,
    };
    // What can be known beforehand, while nothing has been changed.
    if let Err(source) = can_enter(request.cwd) {
        return SpawnError::Cwd { path: request.cwd.to_path_buf(), source };
    }
    if request.program.is_dir() {
        return SpawnError::IsDirectory;
    }
    if let Err(error) = accessat(CWD, request.program, Access::EXEC_OK, AtFlags::EACCESS) {
        return spawn_error(error.raw_os_error(), request);
    }
    let error = become_program(&ExecImage::new(&prepared, request, &reset_signals(false)));
    spawn_error(error.raw_os_error().unwrap_or(libc::EINVAL), request)
}

/// Everything that `execve` and the calls before it need, with nothing left to allocate.
pub(super) struct ExecImage<'a> {
    program: &'a CStr,
    cwd: &'a CStr,
    moves: &'a [(RawFd, RawFd)],
    null: &'a [RawFd],
    close: &'a [RawFd],
    umask: Option<u32>,
    signals: &'a [i32],
    ignored_signals: u64,
    limits: &'a [ResourceLimit],
    /// NULL-terminated arrays of pointers to NUL-terminated strings that live for `'a`.
    argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
}

impl<'a> ExecImage<'a> {
    /// `signals` get their default actions, before those that `request` wants ignored are.
    pub(super) fn new(prepared: &'a RawRequest, request: &SpawnRequest<'a>, signals: &'a [i32]) -> Self {
        Self {
            program: &prepared.program,
            cwd: &prepared.cwd,
            moves: &prepared.fds.moves,
            null: &prepared.fds.null,
            close: &prepared.fds.close,
            umask: request.umask,
            signals,
            ignored_signals: request.ignored_signals,
            limits: request.limits,
            argv: prepared.argv(),
            envp: prepared.envp(),
        }
    }
}

/// Sets descriptors, working directory, umask, signals, and calls `execve`. Returns only if something failed. Async-signal-safe: an
/// [`io::Error`] of an error number is a plain value.
pub(super) fn become_program(image: &ExecImage<'_>) -> io::Error {
    for &(source, target) in image.moves {
        // SAFETY: plain system call on numbers. The target is not close-on-exec: source and target differ.
        if unsafe { libc::dup2(source, target) } < 0 {
            return io::Error::last_os_error();
        }
    }
    for &target in image.null {
        if let Err(error) = open_null(target) {
            return error;
        }
    }
    for &target in image.close {
        // SAFETY: plain system call; whether the number was open does not matter.
        unsafe { libc::close(target) };
    }
    // SAFETY: plain system call on a NUL-terminated string.
    if unsafe { libc::chdir(image.cwd.as_ptr()) } < 0 {
        return io::Error::last_os_error();
    }
    if let Some(mask) = image.umask {
        // SAFETY: cannot fail. Every `mode_t` holds nine bits.
        unsafe { libc::umask((mask & 0o777) as libc::mode_t) };
    }
    for limit in image.limits {
        set_limit(limit);
    }
    reset_in_place(image.signals);
    ignore_in_place(image.ignored_signals);
    // SAFETY: `ExecImage` holds NULL-terminated arrays of NUL-terminated strings that are alive.
    unsafe { libc::execve(image.program.as_ptr(), image.argv.as_ptr(), image.envp.as_ptr()) };
    io::Error::last_os_error()
}

/// A limit that the system does not know, or refuses, stays as it is.
fn set_limit(limit: &ResourceLimit) {
    let value = |value: Option<u64>| value.map_or(libc::RLIM_INFINITY, |value| value as libc::rlim_t);
    let Some(resource) = resource_number(limit.resource) else { return };
    let limit = libc::rlimit { rlim_cur: value(limit.soft), rlim_max: value(limit.hard) };
    // SAFETY: the structure is alive during the call.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// What the system enforces of this process; `None`: nothing, or it does not know the limit.
pub(crate) fn soft_limit(resource: Resource) -> Option<u64> {
    #[allow(clippy::unnecessary_cast, reason = "the type differs between systems")]
    let number = |value: libc::rlim_t| value as u64;
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the structure is alive during the call.
    let failed = unsafe { libc::getrlimit(resource_number(resource)?, &raw mut limit) } != 0;
    (!failed && limit.rlim_cur != libc::RLIM_INFINITY).then_some(number(limit.rlim_cur))
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type ResourceNumber = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type ResourceNumber = libc::c_int;

fn resource_number(resource: Resource) -> Option<ResourceNumber> {
    Some(match resource {
        Resource::Core => libc::RLIMIT_CORE,
        Resource::Data => libc::RLIMIT_DATA,
        Resource::FileSize => libc::RLIMIT_FSIZE,
        Resource::LockedMemory => libc::RLIMIT_MEMLOCK,
        Resource::ResidentSet => libc::RLIMIT_RSS,
        Resource::OpenFiles => libc::RLIMIT_NOFILE,
        Resource::Stack => libc::RLIMIT_STACK,
        Resource::CpuTime => libc::RLIMIT_CPU,
        Resource::Processes => libc::RLIMIT_NPROC,
        Resource::AddressSpace => libc::RLIMIT_AS,
        #[cfg(any(target_os = "linux", target_os = "android"))]
        Resource::Nice => libc::RLIMIT_NICE,
        #[cfg(any(target_os = "linux", target_os = "android"))]
        Resource::PendingSignals => libc::RLIMIT_SIGPENDING,
        #[cfg(any(target_os = "linux", target_os = "android"))]
        Resource::MessageQueues => libc::RLIMIT_MSGQUEUE,
        #[cfg(any(target_os = "linux", target_os = "android"))]
        Resource::RealTimePriority => libc::RLIMIT_RTPRIO,
        #[cfg(any(target_os = "linux", target_os = "android"))]
        Resource::RealTimeTime => libc::RLIMIT_RTTIME,
        #[cfg(any(target_os = "linux", target_os = "android"))]
        Resource::Locks => libc::RLIMIT_LOCKS,
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        Resource::Nice
        | Resource::PendingSignals
        | Resource::MessageQueues
        | Resource::RealTimePriority
        | Resource::RealTimeTime
        | Resource::Locks => return None,
    })
}

/// Opens the null device under this number.
pub(super) fn open_null(target: RawFd) -> io::Result<()> {
    let access = if target == 0 { libc::O_RDONLY } else { libc::O_WRONLY };
    // SAFETY: the path is a literal.
    let opened = unsafe { libc::open(c"/dev/null".as_ptr(), access | libc::O_CLOEXEC) };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    if opened == target {
        // The number was free: only the flag is in the way.
        // SAFETY: plain system call on our own descriptor.
        unsafe { libc::fcntl(opened, libc::F_SETFD, 0) };
        return Ok(());
    }
    // SAFETY: plain system calls; `opened` is ours.
    let moved = unsafe { libc::dup2(opened, target) };
    let error = io::Error::last_os_error();
    // SAFETY: likewise, and not used again.
    unsafe { libc::close(opened) };
    if moved < 0 { Err(error) } else { Ok(()) }
}

/// How many bytes arguments and environment may take together (`ARG_MAX`).
pub(super) fn argument_space() -> usize {
    // SAFETY: no memory is involved.
    let limit = unsafe { libc::sysconf(libc::_SC_ARG_MAX) };
    usize::try_from(limit).unwrap_or(usize::MAX)
}
