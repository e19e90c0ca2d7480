//! The slow path: fork and exec, for what `posix_spawn` cannot do (the umask, ignored signals), and for systems whose `posix_spawn` cannot do enough.
//!
//! Not through `std::process::Command::pre_exec`: its own error pipe may have a number that a request wants for the child.
#![allow(unsafe_code, reason = "fork, and what runs between it and exec, have no safe interface")]

use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::exec::{ExecImage, become_program};
use super::fds::copy_outside;
use super::raw_request::RawRequest;
use crate::SpawnRequest;
use crate::signal_state::{all_signals, reset_signals};

/// As [`posix_spawn`](super::spawn::posix_spawn), with all that a request may want. Returns when the child's `execve` succeeded, or with its
/// error number.
pub(super) fn fork_exec(
    prepared: &RawRequest,
    group: Option<i32>,
    isolated: bool,
    request: &SpawnRequest<'_>,
) -> Result<i32, i32> {
    let os_error = |error: std::io::Error| error.raw_os_error().unwrap_or(libc::EIO);
    // Closed by the child's exec; carries the error number otherwise.
    let (mut reader, writer) = std::io::pipe().map_err(os_error)?;
    let is_target = |fd: RawFd| fd <= 2 || prepared.fds.moves.iter().any(|&(_, target)| target == fd);
    let mut writer = OwnedFd::from(writer);
    if is_target(writer.as_raw_fd()) {
        // The one that it replaces is closed: what it would keep open here is what is waited for below.
        writer = copy_outside(&writer, &is_target).map_err(os_error)?;
    }
    let signals = reset_signals(isolated);
    let image = ExecImage::new(prepared, request, &signals);
    let everything = all_signals();
    let mut before = crate::signal_state::set_of(&[]);
    // No handler of the host's may run in the child.
    // SAFETY: both sets are initialised.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &everything, &mut before) };
    // SAFETY: the child makes async-signal-safe calls only, on memory that was prepared before, and leaves through
    // `execve` or `_exit`, so that nothing of this process is unwound or dropped twice.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        child(&image, group, writer.as_raw_fd());
    }
    let fork_error = std::io::Error::last_os_error();
    // SAFETY: the set was filled in above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    if pid < 0 {
        return Err(os_error(fork_error));
    }
    drop(writer);
    let mut errno = [0; 4];
    if reader.read_exact(&mut errno).is_err() {
        return Ok(pid);
    }
    // It never became the program: nobody else knows of it.
    // SAFETY: no memory is involved.
    while unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) } < 0
        && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
    {}
    Err(i32::from_ne_bytes(errno))
}

/// The forked child.
fn child(image: &ExecImage<'_>, group: Option<i32>, report: RawFd) -> ! {
    let errno = match group {
        // SAFETY: a plain system call.
        Some(group) if unsafe { libc::setpgid(0, group) } < 0 => std::io::Error::last_os_error(),
        _ => become_program(image),
    };
    let bytes = errno.raw_os_error().unwrap_or(libc::EIO).to_ne_bytes();
    // SAFETY: the buffer is alive; four bytes into an empty pipe are written at once or not at all. `_exit` runs nothing of
    // this process's.
    unsafe {
        libc::write(report, bytes.as_ptr().cast(), bytes.len());
        libc::_exit(127)
    }
}
