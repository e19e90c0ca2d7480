//! The hooks of the background of an event whose agent waits for this process: another process of hookshell's runs them.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::process::{Command, Stdio};

/// Starts this command once more, for the hooks of the background alone. It has the same arguments and this payload on standard
/// input, and nothing else of ours: no stream that the agent waits for, and no process group that it ends.
pub(crate) fn start(payload: &[u8]) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (before, after) = arguments.split_at(arguments.len().min(1));
    // After the subcommand: after a `--` it would be no option.
    command.args(before).arg("--background").args(after);
    command.stdin(input(payload)?).stdout(Stdio::null()).stderr(Stdio::null());
    detach(&mut command);
    // It is not waited for: this process ends before it does.
    command.spawn().map(drop)
}

/// A file without a name: a pipe would have to be written by somebody.
fn input(payload: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(payload)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
}

#[cfg(windows)]
fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;

    const DETACHED_PROCESS: u32 = 0x8;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}
