//! The streams that the process was started with.

use std::fs::File;
use std::io;
use std::sync::Arc;

use hookshell_shell::{FdTable, Stream};

/// The table of the process's own descriptors: duplicates, so that the script may close them. To be called before the
/// process opens anything.
///
/// A standard stream that was closed at the start is the null device: it is opened there before `main`.
/// Descriptors from 3 on are there on Linux (5.6 and later); programs that are started inherit those numbers also after
/// the script has closed them.
pub(super) fn inherited() -> FdTable {
    let mut fds = FdTable::default();
    for (fd, file) in beyond_standard() {
        fds.replace(fd, Some(Arc::new(Stream::from_file(file))));
    }
    for (fd, file) in [(0, own(&io::stdin())), (1, own(&io::stdout())), (2, own(&io::stderr()))] {
        fds.replace(fd, file.ok().map(|file| Arc::new(Stream::from_file(file))));
    }
    fds
}

/// Duplicates of the open descriptors from 3 on, with their numbers.
#[cfg(target_os = "linux")]
fn beyond_standard() -> Vec<(u32, File)> {
    use std::os::fd::AsRawFd;

    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

    let Ok(directory) = std::fs::read_dir("/proc/self/fd") else {
        return Vec::new();
    };
    // The directory's own descriptor is among them; it is closed before they are duplicated.
    let numbers: Vec<i32> = directory.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    let numbers: Vec<i32> = numbers.into_iter().filter(|number| *number > 2).collect();
    if numbers.len() < 2 {
        return Vec::new();
    }
    // The safe way from a number to a descriptor: a process is asked for it, as any other would be.
    let Ok(process) = pidfd_open(getpid(), PidfdFlags::empty()) else {
        return Vec::new();
    };
    let files = numbers.into_iter().filter(|number| *number != process.as_raw_fd()).filter_map(|number| {
        let file = pidfd_getfd(&process, number, PidfdGetfdFlags::empty()).ok()?;
        Some((u32::try_from(number).ok()?, File::from(file)))
    });
    files.collect()
}

#[cfg(not(target_os = "linux"))]
fn beyond_standard() -> Vec<(u32, File)> {
    Vec::new()
}

#[cfg(unix)]
fn own(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn own(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}
