//! What sed reads: lines of files, one after the other.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io;

use hookshell_files::at::{self, Dir, Place};
use hookshell_files::file_stat::FileStat;
use hookshell_process::{FileKind, Opening};
use hookshell_utility::Stopped;
use hookshell_utility::io::{BUFFER, Failure, MemoryCharge, Running, Source};

/// Lines of one file.
pub(crate) struct Lines {
    source: Source,
    buffer: Vec<u8>,
    at: usize,
    at_end: bool,
    /// No byte after a line is taken.
    exact: bool,
    /// Counts the buffer once it has grown.
    kept: Option<MemoryCharge>,
}

impl Lines {
    /// The file after them, where it is one.
    pub(crate) fn file(&self) -> Option<&File> {
        match &self.source {
            Source::File(file, _) => Some(file),
            Source::Stream(stream) => stream.file().map(|file| &**file),
        }
    }

    pub(crate) fn new(source: Source, unbuffered: bool) -> Self {
        let exact = match &source {
            Source::Stream(stream) => {
                stream.file().is_some_and(|file| unbuffered || FileKind::of(file) == FileKind::Regular)
            }
            Source::File(..) => false,
        };
        Self { source, buffer: Vec::new(), at: 0, at_end: false, exact, kept: None }
    }

    /// Reads more; `false` at the end.
    fn fill(&mut self, running: &Running<'_>, end: u8) -> Result<io::Result<bool>, Stopped> {
        if self.at_end {
            return Ok(Ok(false));
        }
        if self.at == self.buffer.len() {
            self.buffer.clear();
        } else if self.at > 0 {
            self.buffer.drain(..self.at);
        }
        self.at = 0;
        if self.exact
            && let Source::Stream(stream) = &self.source
        {
            let before = self.buffer.len();
            let kept = self.kept.get_or_insert_with(|| running.keep());
            let read = running.read_line(stream, end, &mut self.buffer, kept)?;
            self.at_end = self.buffer.len() == before;
            return Ok(read.map(|_| !self.at_end));
        }
        let start = self.buffer.len();
        // A long line is read in growing steps.
        let size = start + BUFFER.max(start);
        self.kept.get_or_insert_with(|| running.keep()).resize(&mut self.buffer, size)?;
        let read = running.read(&self.source, self.buffer.get_mut(start..).unwrap_or_default())?;
        let count = read.as_ref().map_or(0, |count| *count);
        self.buffer.truncate(start + count);
        self.at_end = count == 0;
        Ok(read.map(|count| count > 0))
    }

    /// Is there more? An error counts as the end.
    pub(crate) fn has_more(&mut self, running: &Running<'_>, end: u8) -> Result<bool, Stopped> {
        Ok(self.at < self.buffer.len() || self.fill(running, end)?.unwrap_or(false))
    }

    /// Appends the next line without its end; `None`: there is none, else whether it had its end.
    pub(crate) fn next(
        &mut self,
        running: &Running<'_>,
        end: u8,
        out: &mut Vec<u8>,
    ) -> Result<io::Result<Option<bool>>, Stopped> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            if let Some(found) = memchr::memchr(end, rest.get(searched..).unwrap_or_default()) {
                let length = searched + found;
                out.extend_from_slice(rest.get(..length).unwrap_or_default());
                self.at += length + 1;
                return Ok(Ok(Some(true)));
            }
            searched = rest.len();
            match self.fill(running, end)? {
                Err(error) => return Ok(Err(error)),
                Ok(true) => {}
                Ok(false) if searched == 0 => return Ok(Ok(None)),
                Ok(false) => {
                    out.extend_from_slice(self.buffer.get(self.at..).unwrap_or_default());
                    self.at = self.buffer.len();
                    return Ok(Ok(Some(false)));
                }
            }
        }
    }
}

/// A file that is edited in place.
pub(crate) struct Edited {
    pub(crate) directory: Dir,
    /// Its name in that.
    pub(crate) name: OsString,
    pub(crate) temporary: Place,
}

/// All inputs.
pub(crate) struct Input<'a> {
    pub(crate) waiting: VecDeque<&'a [u8]>,
    pub(crate) current: Option<Lines>,
    /// The name of the current file.
    pub(crate) name: &'a [u8],
    pub(crate) line: u64,
    pub(crate) edited: Option<Edited>,
    pub(crate) status: u8,
    /// Reading failed.
    pub(crate) unreadable: bool,
    pub(crate) unbuffered: bool,
}

impl<'a> Input<'a> {
    /// Opens a file that is not edited; `None` if it cannot be read, which was said then.
    pub(crate) fn open(&mut self, running: &Running<'_>, name: &'a [u8]) -> Result<Option<Lines>, Failure> {
        match running.open(name)? {
            Ok(source) => Ok(Some(Lines::new(source, self.unbuffered))),
            Err(error) if name == b"-" => {
                self.unreadable = true;
                running.report_error(b"read error on stdin", &error)?;
                Ok(None)
            }
            Err(error) => {
                self.status = 2;
                running.report_error(&[b"can't read ", name].concat(), &error)?;
                Ok(None)
            }
        }
    }
}

/// Makes a new file in the directory that is to take the place of another one: nobody may do more with it than with that one, not
/// even for a moment.
pub(crate) fn temporary_in(
    running: &Running<'_>,
    directory: &Dir,
    original: Option<&File>,
    stat: &FileStat,
) -> io::Result<(Place, File)> {
    for attempt in 0..1000_u32 {
        // Two sessions at once make different names by trying.
        let name = format!("sed{:06x}", (std::process::id().wrapping_mul(4099).wrapping_add(attempt)) & 0xff_ffff);
        let temporary = directory.entry(name.as_ref());
        let opening = Opening { create_new: true, mode: stat.mode & 0o700, ..Opening::to_write() };
        match temporary.open(&running.opening(opening)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                let made = file.metadata().map(|made| FileStat::of(&made));
                if made.is_ok_and(|made| (made.uid, made.gid) != (stat.uid, stat.gid)) {
                    at::set_owner(&file, stat);
                }
                if let Some(original) = original {
                    hookshell_files::attributes::copy_access(original, &file);
                }
                let _ = at::set_mode(&file, stat.mode & 0o7777);
                return Ok((temporary, file));
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
