//! Batch files: only through the standard library, whose quoting for `cmd.exe` is the reviewed one (CVE-2024-24576).

use std::ffi::OsStr;
use std::io;
use std::os::windows::io::OwnedHandle;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::PoisonError;

use windows_sys::Win32::System::Threading::CREATE_NO_WINDOW;

use super::spawn::{INHERITABLE_HANDLES, Started, plain_path, spawn_error, standard_streams, until_begun};
use crate::text::to_units;
use crate::windows_environment::environment_block;
use crate::{SpawnError, SpawnPart, SpawnRequest};

/// What `cmd.exe` takes as its own command line (Microsoft, "Command prompt line string limitation").
const CMD_LINE_LIMIT: usize = 8191;

/// `cmd.exe /e:ON /v:OFF /d /c "…"`, with some room.
const CMD_PREFIX: usize = 40;

/// Whether the system would hand the file to `cmd.exe`. It ignores dots and blanks at the end of a name.
pub(super) fn is_batch_file(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    name.ends_with(".bat") || name.ends_with(".cmd")
}

/// Starts a batch file.
pub(super) fn start_batch_file(request: &SpawnRequest<'_>, isolated: bool) -> Result<Started, SpawnError> {
    check(request)?;
    let [input, output, errors] = standard_streams(request)?;
    let mut command = Command::new(plain_path(request.program));
    command
        .args(request.argv.iter().skip(1))
        .env_clear()
        .envs(request.env.iter().map(|(name, value)| (name, value)))
        .current_dir(plain_path(request.cwd))
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(output))
        .stderr(Stdio::from(errors))
        .creation_flags(if isolated { CREATE_NO_WINDOW } else { 0 });
    let inheritable = INHERITABLE_HANDLES.write().unwrap_or_else(PoisonError::into_inner);
    let spawned = until_begun(|| command.spawn());
    drop(inheritable);
    match spawned {
        Ok(child) => Ok(Started { id: child.id(), handle: OwnedHandle::from(child) }),
        // What the standard library refuses without asking the system.
        Err(error) if error.raw_os_error().is_none() && error.kind() == io::ErrorKind::InvalidInput => {
            Err(unsafe_argument(request, request.program.as_os_str()))
        }
        Err(error) => Err(spawn_error(error, request)),
    }
}

/// Refuses what cannot be passed, and says what it is.
fn check(request: &SpawnRequest<'_>) -> Result<(), SpawnError> {
    if to_units(request.program.as_os_str()).contains(&0) {
        return Err(SpawnError::Nul { what: SpawnPart::Program });
    }
    if to_units(request.cwd.as_os_str()).contains(&0) {
        return Err(SpawnError::Nul { what: SpawnPart::WorkingDirectory });
    }
    // For its errors: the standard library has its own.
    environment_block(request.env)?;
    if !request.program.is_file() {
        // `cmd.exe` would be found in its place, and would report the missing file itself.
        return Err(if request.program.is_dir() { SpawnError::IsDirectory } else { SpawnError::NotFound });
    }
    let mut length = CMD_PREFIX + to_units(request.program.as_os_str()).len();
    for (index, argument) in request.argv.iter().enumerate().skip(1) {
        let units = to_units(argument);
        if units.contains(&0) {
            return Err(SpawnError::Nul { what: SpawnPart::Argument(index) });
        }
        if units.iter().any(|&unit| unit == u16::from(b'\n') || unit == u16::from(b'\r')) {
            return Err(unsafe_argument(request, argument));
        }
        length += 3 + units.iter().map(|&unit| quoted_length(unit)).sum::<usize>();
    }
    if length > CMD_LINE_LIMIT {
        return Err(SpawnError::TooLong { what: SpawnPart::CommandLine, limit: CMD_LINE_LIMIT, len: length });
    }
    Ok(())
}

/// How long a unit becomes by the standard library's quoting, at most.
fn quoted_length(unit: u16) -> usize {
    match u8::try_from(unit) {
        Ok(b'%') => 8,
        Ok(b'"' | b'\\') => 2,
        _ => 1,
    }
}

fn unsafe_argument(request: &SpawnRequest<'_>, argument: &OsStr) -> SpawnError {
    SpawnError::UnsafeBatchArgument { script: request.program.to_path_buf(), argument: argument.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_files_are_known_by_their_names() {
        for (name, is) in [
            (r"C:\a.bat", true),
            (r"C:\a.CMD", true),
            (r"C:\a b\npx.cmd", true),
            (r"C:\a.bat. .", true),
            (r"C:\a.exe", false),
            (r"C:\a.bat\b", false),
            (r"C:\bat", false),
        ] {
            assert_eq!(is_batch_file(Path::new(name)), is, "{name}");
        }
    }
}
