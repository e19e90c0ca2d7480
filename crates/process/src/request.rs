//! What is to be started.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use crate::ResourceLimit;

/// One program start, every part of it explicit: nothing of the host's environment, working directory or descriptors
/// is used unless it stands here.
#[derive(Debug, Clone, Copy)]
pub struct SpawnRequest<'a> {
    /// The file that starts: absolute, resolved by the caller. No `PATH` is searched, no extension added, and a file
    /// that the kernel does not know ([`SpawnError::ExecFormat`](crate::SpawnError::ExecFormat)) is not handed to a shell.
    pub program: &'a Path,
    /// The arguments, `argv[0]` included. Unix: passed byte for byte. Windows: quoted by the C runtime's rules, and
    /// `argv[0]` is always the program (it is what names the command for `cmd.exe` and the runtime alike).
    pub argv: &'a [OsString],
    /// The whole environment. Unix: passed in this order. Windows: sorted, and of names that differ only in case the
    /// last one counts; Windows programs expect `SystemRoot` to be among them.
    pub env: &'a [(OsString, OsString)],
    /// The child's working directory, absolute.
    pub cwd: &'a Path,
    /// The child's descriptor number and our file that becomes it; of several with one number the last counts. Of 0,
    /// 1 and 2 the missing ones are the null device, or with `close_missing` closed. Numbers above 2 exist on Unix only.
    pub fds: &'a [(u32, &'a File)],
    /// Unix: the child finds a standard descriptor that is missing in `fds` closed (`cmd >&-`). Windows has the null device
    /// all the same.
    pub close_missing: bool,
    /// The child's file mode creation mask; `None`: this process's. Windows has none and ignores it.
    pub umask: Option<u32>,
    /// The signals that the child ignores from its start (`trap '' INT`), as bits: signal 1 is bit 0. Windows has none.
    pub ignored_signals: u64,
    /// The resource limits that the child starts with; the others are this process's. What the system refuses stays as it is.
    /// Windows has none.
    pub limits: &'a [ResourceLimit],
}
