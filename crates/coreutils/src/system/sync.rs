//! `sync`: write what is cached to the disks.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse};
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `sync [-d | -f] [FILE]…` (GNU). All disks are the system's to write on Windows.
    Sync, "sync"
}

const OPTIONS: &[OptionSpec] = &[flag(b'd', "data"), flag(b'f', "file-system")];

struct Command<'a> {
    data_only: bool,
    /// The whole file system that a file is on.
    all_of_system: bool,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    if parsed.has(b'd') && parsed.has(b'f') {
        return Err(Unsupported::mistake("-d with -f"));
    }
    Ok(Command { data_only: parsed.has(b'd'), all_of_system: parsed.has(b'f'), files: parsed.operands })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if command.files.is_empty() {
        if command.data_only {
            running.message(b"--data needs at least one argument")?;
            return Ok(1);
        }
        all_disks();
        return Ok(0);
    }
    let mut status = 0;
    for file in command.files {
        running.check()?;
        let path = running.path(file);
        let opened = if file.is_empty() { Err(std::io::ErrorKind::NotFound.into()) } else { open(running, &path) };
        let synced = match opened {
            Ok(opened) if command.data_only => opened.sync_data(),
            Ok(opened) if command.all_of_system => file_system(&opened),
            Ok(opened) => opened.sync_all(),
            Err(error) => {
                running.report_error_of("error opening", file, &error)?;
                status = 1;
                continue;
            }
        };
        if let Err(error) = synced {
            running.report_error_of("error syncing", file, &error)?;
            status = 1;
        }
    }
    Ok(status)
}

#[cfg(unix)]
fn all_disks() {
    rustix::fs::sync();
}

#[cfg(not(unix))]
fn all_disks() {}

#[cfg(target_os = "linux")]
fn file_system(file: &std::fs::File) -> std::io::Result<()> {
    Ok(rustix::fs::syncfs(file)?)
}

/// Other systems write all file systems, or this file.
#[cfg(not(target_os = "linux"))]
fn file_system(file: &std::fs::File) -> std::io::Result<()> {
    all_disks();
    file.sync_all()
}

fn open(running: &Running<'_>, path: &std::path::Path) -> std::io::Result<std::fs::File> {
    use hookshell_process::Opening;
    let read = running.open_as(path, Opening { nonblocking: true, ..Opening::to_read() });
    // Windows writes only through what is open for writing.
    if cfg!(windows) || read.is_err() {
        running.open_as(path, Opening { nonblocking: true, ..Opening::to_write() }).or(read)
    } else {
        read
    }
}
