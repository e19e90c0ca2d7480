//! The fast path: `posix_spawn`, which on Linux shares the memory of this process until the child's `execve`, whatever its size.
//!
//! Not through `std::process::Command`: that leaves the child our signal mask (with `SIGPIPE` blocked), needs `pre_exec` and so
//! a real fork for descriptors above 2, and searches (`posix_spawnp`), which on macOS hands an unknown format to `/bin/sh`.
#![allow(unsafe_code, reason = "posix_spawn has no safe interface")]

use std::mem::MaybeUninit;

use super::raw_request::RawRequest;
use crate::signal_state::{reset_signals, set_of};

/// Starts the program in the process group `group` (0: a new one that it leads; `None`: ours). Gives the process id, or an error
/// number.
pub(super) fn posix_spawn(prepared: &RawRequest, group: Option<i32>, isolated: bool) -> Result<i32, i32> {
    let mut actions = FileActions::new()?;
    for &fd in &prepared.fds.null {
        actions.open_null(fd)?;
    }
    for &(source, target) in &prepared.fds.moves {
        actions.dup2(source, target)?;
    }
    for &fd in &prepared.fds.close {
        actions.close(fd)?;
    }
    actions.chdir(prepared)?;
    let attributes = Attributes::new(group, isolated)?;
    let (argv, envp) = (prepared.argv(), prepared.envp());
    let mut pid = 0;
    // SAFETY: all pointers are to initialised objects that outlive the call: the file actions and attributes, and
    // NULL-terminated arrays of NUL-terminated strings owned by `prepared`. The callee does not write to the strings.
    check(unsafe {
        libc::posix_spawn(
            &mut pid,
            prepared.program.as_ptr(),
            &actions.0,
            &attributes.0,
            argv.as_ptr().cast(),
            envp.as_ptr().cast(),
        )
    })?;
    Ok(pid)
}

/// These functions return the error number and leave `errno` alone.
fn check(result: i32) -> Result<(), i32> {
    if result == 0 { Ok(()) } else { Err(result) }
}

struct FileActions(libc::posix_spawn_file_actions_t);

impl FileActions {
    fn new() -> Result<Self, i32> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: initialises the object when it returns 0, which `check` makes sure of.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Ok(Self(actions.assume_init()))
        }
    }

    fn open_null(&mut self, fd: i32) -> Result<(), i32> {
        let access = if fd == 0 { libc::O_RDONLY } else { libc::O_WRONLY };
        // SAFETY: the object is initialised; the path is a literal.
        check(unsafe { libc::posix_spawn_file_actions_addopen(&mut self.0, fd, c"/dev/null".as_ptr(), access, 0) })
    }

    fn close(&mut self, fd: i32) -> Result<(), i32> {
        // SAFETY: the object is initialised.
        check(unsafe { libc::posix_spawn_file_actions_addclose(&mut self.0, fd) })
    }

    fn dup2(&mut self, source: i32, target: i32) -> Result<(), i32> {
        // SAFETY: the object is initialised.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&mut self.0, source, target) })
    }

    fn chdir(&mut self, prepared: &RawRequest) -> Result<(), i32> {
        // SAFETY: the object is initialised, the string NUL-terminated (and copied by the callee).
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(&mut self.0, prepared.cwd.as_ptr()) })
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised, and never used again.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new(group: Option<i32>, isolated: bool) -> Result<Self, i32> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: initialises the object when it returns 0, which `check` makes sure of.
        let mut attributes = unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            Self(attributes.assume_init())
        };
        let mut flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        let (mask, defaults) = (set_of(&[]), set_of(&reset_signals(isolated)));
        // SAFETY: the object and both sets are initialised.
        unsafe {
            check(libc::posix_spawnattr_setsigmask(&mut attributes.0, &mask))?;
            check(libc::posix_spawnattr_setsigdefault(&mut attributes.0, &defaults))?;
        }
        if let Some(group) = group {
            flags |= libc::POSIX_SPAWN_SETPGROUP;
            // SAFETY: the object is initialised.
            check(unsafe { libc::posix_spawnattr_setpgroup(&mut attributes.0, group) })?;
        }
        let flags = libc::c_short::try_from(flags).map_err(|_| libc::EINVAL)?;
        // SAFETY: the object is initialised.
        check(unsafe { libc::posix_spawnattr_setflags(&mut attributes.0, flags) })?;
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised, and never used again.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}
