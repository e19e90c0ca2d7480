//! The streams that the process was started with.

use std::fs::File;
use std::io;
use std::sync::Arc;

use hookshell_shell::{FdTable, Stream};

/// The table of the process's own descriptors: duplicates, so that the script may close them.
///
/// A standard stream that was closed at the start is the null device: the Rust runtime opens it there before `main`.
pub(crate) fn inherited() -> FdTable {
    let mut fds = FdTable::default();
    for (fd, file) in [(0, own(&io::stdin())), (1, own(&io::stdout())), (2, own(&io::stderr()))] {
        fds.replace(fd, file.ok().map(|file| Arc::new(Stream::from_file(file))));
    }
    fds
}

#[cfg(unix)]
fn own(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn own(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}
