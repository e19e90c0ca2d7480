//! `--follow-symlinks`: what the operands that are links lead to.

use std::io::Error;

use hookshell_process::text;
use hookshell_utility::io::{Running, reason};

/// More links than this are a circle: so many the kernel follows.
const MOST: usize = 40;

/// The names of the files that the operands lead to, up to one that leads nowhere, and the message about that.
pub(crate) fn follow_all(running: &Running<'_>, operands: &[&[u8]]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let mut names = Vec::with_capacity(operands.len());
    for operand in operands {
        match follow(running, operand) {
            Ok(name) => names.push(name),
            Err(message) => return (names, Some(message)),
        }
    }
    (names, None)
}

fn follow(running: &Running<'_>, operand: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    let mut name = operand.to_vec();
    if operand == b"-" {
        return Ok(name);
    }
    for _ in 0..MOST {
        let failed = |error: &Error| [b"couldn't readlink ", &name[..], b": ", reason(error).as_bytes()].concat();
        let path = running.path(&name);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {}
            Ok(_) => return Ok(name),
            Err(error) => return Err(failed(&error)),
        }
        let target = std::fs::read_link(&path).map_err(|error| failed(&error))?;
        let is_absolute = target.is_absolute();
        let target = text::from_path(&target).into_owned();
        let directory = name.iter().rposition(|byte| *byte == b'/').filter(|_| !is_absolute);
        let directory = directory.and_then(|at| name.get(..=at)).unwrap_or_default();
        name = [directory, &target].concat();
    }
    Err([b"couldn't follow symlink ", operand, b": Too many levels of symbolic links"].concat())
}
