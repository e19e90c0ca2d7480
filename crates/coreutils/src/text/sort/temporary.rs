//! Temporary files: sorted chunks that memory has no room for.

use std::io;
use std::path::PathBuf;

use hookshell_process::text;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::output::Output;

use super::Command;
use super::chunk::Chunk;
use super::merge::{Origin, merge};

/// What temporary files are called in messages: they have no names.
pub(super) const TEMPORARY: &[u8] = b"temporary file";

/// Makes one temporary file of several.
pub(super) fn merge_runs(
    running: &Running<'_>,
    command: &Command<'_>,
    runs: Vec<(Origin, &[u8])>,
) -> Result<io::Result<Input>, Failure> {
    use std::io::{Seek, SeekFrom};
    let file = match hookshell_process::anonymous_file(&temporary(running, command).0) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let stream = std::sync::Arc::new(hookshell_utility::Stream::from_file(file));
    let mut out = Output::to(running, stream.clone());
    if let Some((_, error)) = merge(&command.order, runs, &mut out)? {
        return Ok(Err(error));
    }
    out.flush()?;
    if let Some(file) = stream.file()
        && let Err(error) = (&**file).seek(SeekFrom::Start(0))
    {
        return Ok(Err(error));
    }
    Ok(Ok(Input::new(Source::Stream(stream))))
}

/// Where temporary files go, and its name.
pub(super) fn temporary(running: &Running<'_>, command: &Command<'_>) -> (PathBuf, Vec<u8>) {
    let from_env = |name| running.context().variable(name).filter(|value| !value.is_empty());
    let name = match command.temporary {
        Some(name) => name.to_vec(),
        None => match from_env("TMPDIR").or_else(|| from_env("TEMP").filter(|_| cfg!(windows))) {
            Some(name) => text::from_os(name).into_owned(),
            None => if cfg!(windows) { b"." } else { &b"/tmp"[..] }.to_vec(),
        },
    };
    (running.path(&name), name)
}

/// Writes the sorted chunk into a temporary file and empties it.
pub(super) fn spill(
    running: &Running<'_>,
    command: &Command<'_>,
    chunk: &mut Chunk,
) -> Result<io::Result<Input>, Failure> {
    use std::io::{Seek, SeekFrom, Write};
    chunk.sort(&command.order, running)?;
    let written = hookshell_process::anonymous_file(&temporary(running, command).0).and_then(|file| {
        let mut writer = io::BufWriter::with_capacity(hookshell_utility::io::BUFFER, &file);
        for line in chunk.sorted(&command.order) {
            writer.write_all(line)?;
            writer.write_all(&[command.order.end])?;
        }
        writer.flush()?;
        drop(writer);
        (&file).seek(SeekFrom::Start(0))?;
        Ok(file)
    });
    chunk.clear();
    running.check()?;
    Ok(written.map(|file| Input::new(Source::File(file, hookshell_process::FileKind::Regular))))
}
