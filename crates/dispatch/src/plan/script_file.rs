//! The files that code is taken from: each is opened once, however much of it is looked at.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use bstr::ByteSlice;
use hookshell_process::text;
use hookshell_shebang::Head;
use hookshell_shell::ExecError;

use super::Planner;
use crate::probe::{ProbeError, Probed};

/// The largest script that is read into memory.
const SCRIPT_SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// A file that was looked at.
pub(super) struct ProbedFile {
    pub(super) probed: Probed,
    /// Open after the bytes that were looked at; `None` where those were known.
    rest: Option<File>,
    /// All of it, once it was read.
    contents: OnceCell<Vec<u8>>,
}

/// A file of shell source that is to be run.
#[derive(Clone, Copy)]
pub(super) struct ScriptFile<'f> {
    pub(super) path: &'f Path,
    /// Its path as the command or a `#!` line has it: `$0`.
    pub(super) given: &'f [u8],
    /// What was seen of it.
    pub(super) file: &'f ProbedFile,
    /// `$1` and so on.
    pub(super) args: &'f [Vec<u8>],
    /// What `env` sets for it.
    pub(super) assignments: &'f [(Vec<u8>, Vec<u8>)],
}

impl Planner<'_> {
    /// What kind of file it is. Of one that was looked at before the run, that is what it was then.
    pub(super) fn probe(&self, path: &Path) -> Result<Result<ProbedFile, ProbeError>, ExecError> {
        let probed = self.prober.open(path).map(ProbedFile::new);
        let Some(guard) = self.guard.filter(|guard| guard.knows(path)) else { return Ok(probed) };
        if matches!(&probed, Ok(file) if matches!(file.probed.head(), None | Some(Head::Binary(_)))) {
            // The system opens it by itself, and large ones are not read for this.
            return Ok(probed);
        }
        let contents = match &probed {
            Ok(file) => file.read(path, text::from_path(path).as_ref(), true)?,
            Err(_) => &[],
        };
        guard.check(path, contents).map_err(ExecError::Refused)?;
        let known = Probed::of(contents);
        Ok(probed.map(|file| ProbedFile { probed: known, ..file }))
    }
}

impl ProbedFile {
    fn new((probed, rest): (Probed, Option<File>)) -> Self {
        Self { probed, rest, contents: OnceCell::new() }
    }

    /// The bytes of the file; `name` is what a message calls it. `at_once`: as [`crate::probe::open`] has it.
    ///
    /// # Errors
    /// It cannot be read, or it is larger than what is read.
    pub(super) fn read(&self, path: &Path, name: &[u8], at_once: bool) -> Result<&[u8], ExecError> {
        if let Some(contents) = self.contents.get() {
            return Ok(contents);
        }
        let metadata = match &self.rest {
            Some(file) => file.metadata(),
            None => fs::metadata(path),
        };
        let len = metadata.map_or(0, |metadata| metadata.len());
        if len > SCRIPT_SIZE_LIMIT {
            return Err(ExecError::Refused(format!(
                "{}: a script of {len} bytes; at most {SCRIPT_SIZE_LIMIT} are read",
                name.as_bstr()
            )));
        }
        let mut bytes = Vec::new();
        let read = match &self.rest {
            Some(file) => {
                bytes.extend_from_slice(self.probed.bytes());
                file.take(SCRIPT_SIZE_LIMIT + 1).read_to_end(&mut bytes)
            }
            None => crate::probe::open(path, at_once)
                .and_then(|file| file.take(SCRIPT_SIZE_LIMIT + 1).read_to_end(&mut bytes)),
        };
        read.map_err(|error| match error.kind() {
            std::io::ErrorKind::PermissionDenied => ExecError::PermissionDenied,
            std::io::ErrorKind::NotFound => ExecError::NoSuchFile,
            _ => ExecError::Os(error.to_string()),
        })?;
        // A device or a pipe says nothing of its length.
        if bytes.len() as u64 > SCRIPT_SIZE_LIMIT {
            return Err(ExecError::Refused(format!(
                "{}: a script of more than {SCRIPT_SIZE_LIMIT} bytes",
                name.as_bstr()
            )));
        }
        Ok(self.contents.get_or_init(|| bytes))
    }
}
