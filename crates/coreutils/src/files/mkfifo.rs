//! `mkfifo`: make FIFOs.

use std::io;
use std::path::Path;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

use super::mode_change::ModeChange;

/// `mkfifo [-m MODE] NAME…` (XCU `mkfifo`). Windows has no FIFOs in its file system: there each name is an error.
pub(crate) struct Mkfifo;

const OPTIONS: &[OptionSpec] = &[value(b'm', "mode")];

fn read(argv: &Args) -> Result<(Parsed<'_>, Option<ModeChange>), Unsupported> {
    let parsed = parse(argv, OPTIONS)?;
    let invalid = |text: &[u8]| Unsupported::mistake(format!("the mode {}", text.escape_ascii()));
    let mode = parsed.last(b'm').map(|text| ModeChange::parse(text).ok_or_else(|| invalid(text))).transpose()?;
    Ok((parsed, mode))
}

impl Utility for Mkfifo {
    fn name(&self) -> &'static str {
        "mkfifo"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| read(call.argv), run)
    }
}

fn run(running: &Running<'_>, (parsed, change): (Parsed<'_>, Option<ModeChange>)) -> Result<u8, Failure> {
    if parsed.operands.is_empty() {
        return running.usage(b"missing operand");
    }
    let umask = running.context().umask.or_else(hookshell_process::system::host_umask).unwrap_or(0o022);
    let mode = match &change {
        None => 0o666 & !umask,
        Some(change) => change.apply(0o666, false, umask).0,
    };
    if mode & !0o777 != 0 {
        running.message(b"mode must specify only file permission bits")?;
        return Ok(1);
    }
    let mut status = 0;
    for &operand in &parsed.operands {
        running.check()?;
        let made =
            if operand.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { make(&running.path(operand), mode) };
        if let Err(error) = made {
            running.report_error_of("cannot create fifo", operand, &error)?;
            status = 1;
        }
    }
    Ok(status)
}

#[cfg(unix)]
fn make(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    hookshell_process::make_fifo(path, mode)?;
    // The host's umask may have taken bits that the script's leaves.
    let kept = hookshell_process::system::host_umask().unwrap_or(0o777);
    if mode & kept == 0 {
        return Ok(());
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(windows)]
fn make(_: &Path, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
