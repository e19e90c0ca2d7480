//! What utilities share that start a command in their place: `nice`, `nohup`, `setsid`, `stdbuf`.

use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::{CommandEnd, UtilityCall};

/// Does no program of this name stand in PATH? It is a bundled utility then, a built-in, or nothing that could be started.
pub(super) fn runs_in_process(name: &[u8], call: &UtilityCall<'_>) -> bool {
    let path = call.env.iter().find(|(variable, _)| variable == "PATH").map(|(_, value)| text::from_os(value));
    let is_program = path.as_deref().unwrap_or(b"/bin:/usr/bin").split(|byte| *byte == b':').any(|directory| {
        let file = call.cwd.join(text::to_os(directory)).join(text::to_os(name));
        file.is_file() && system::access(&file, system::Access::Execute)
    });
    !name.contains(&b'/') && !is_program
}

/// The status of the command; where it could not be started, after a message that begins with `failed`.
pub(super) fn status_of(running: &Running<'_>, end: CommandEnd, failed: &[u8]) -> Result<u8, Failure> {
    match end {
        CommandEnd::Ended(status) => Ok(status),
        CommandEnd::NotStarted { status, reason } => {
            running.message(&[failed, b": ", reason.as_bytes()].concat())?;
            Ok(status)
        }
    }
}
