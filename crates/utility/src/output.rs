//! Buffered output.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use hookshell_process::{Opened, Opening, host_file_error, is_interrupted, is_refused_link};

use crate::io::{BUFFER, Failure, Running, reason};
use crate::special_file::{SpecialFile, special_name};
use crate::stream::Stream;
use crate::utility::Stopped;

/// Output in blocks. Whoever makes one flushes it at the end; messages flush it first, as C's `error` does.
pub struct Output<'r, 'c> {
    running: &'r Running<'c>,
    /// Standard output when there is none.
    target: Option<Arc<Stream>>,
    buffer: Vec<u8>,
}

impl<'r, 'c> Output<'r, 'c> {
    /// To standard output.
    pub fn new(running: &'r Running<'c>) -> Self {
        Self { running, target: None, buffer: Vec::with_capacity(BUFFER + 1024) }
    }

    /// To a file.
    pub fn to(running: &'r Running<'c>, target: Arc<Stream>) -> Self {
        Self { target: Some(target), ..Self::new(running) }
    }

    /// What writes.
    pub fn running(&self) -> &'r Running<'c> {
        self.running
    }

    /// Appends bytes.
    pub fn push(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.buffer.len() + data.len() > BUFFER {
            self.flush()?;
            if data.len() >= BUFFER {
                return self.write(data);
            }
        }
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    /// Appends one.
    pub fn byte(&mut self, byte: u8) -> Result<(), Failure> {
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        self.buffer.push(byte);
        Ok(())
    }

    /// `count` times the same byte.
    pub fn fill(&mut self, byte: u8, count: usize) -> Result<(), Failure> {
        let mut left = count;
        while left > 0 {
            let step = left.min(BUFFER);
            if self.buffer.len() + step > BUFFER {
                self.flush()?;
            }
            self.buffer.extend(std::iter::repeat_n(byte, step));
            left -= step;
        }
        Ok(())
    }

    /// Formatted text.
    pub fn text(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), Failure> {
        use std::io::Write;
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        // Writing into memory does not fail.
        let _ = self.buffer.write_fmt(text);
        Ok(())
    }

    /// What was not written yet, to append to; [`Output::settle`] afterwards writes full blocks.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes when there is a block of it.
    pub fn settle(&mut self) -> Result<(), Failure> {
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes all that was collected.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let data = std::mem::take(&mut self.buffer);
        let written = self.write(&data);
        self.buffer = data;
        self.buffer.clear();
        written
    }

    fn write(&self, data: &[u8]) -> Result<(), Failure> {
        match &self.target {
            None => self.running.write(data),
            Some(stream) => {
                self.running.check()?;
                self.running.write_to(stream, data)?.map_err(Failure::Write)
            }
        }
    }

    /// `NAME: text`.
    pub fn message(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.flush()?;
        Ok(self.running.message(text)?)
    }

    /// `NAME: what: reason`.
    pub fn report_error(&mut self, what: &[u8], error: &io::Error) -> Result<(), Failure> {
        if is_interrupted(error) {
            return Err(Stopped::Cancelled.into());
        }
        self.message(&[what, b": ", reason(error).as_bytes()].concat())
    }
}

impl Running<'_> {
    /// Writes to a stream; a closed pipe ends the utility.
    pub fn write_to(&self, stream: &Stream, data: &[u8]) -> Result<io::Result<()>, Stopped> {
        match stream.write_all(data, self.interrupt()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Stopped::BrokenPipe),
            Err(error) if is_interrupted(&error) => Err(Stopped::Cancelled),
            written => Ok(written),
        }
    }

    /// Opens an operand for writing, creating it with the script's umask; it is emptied unless `append` is set.
    /// `/dev/stdout`, `/dev/fd/N` are the script's own descriptors.
    pub fn create(&self, operand: &[u8], append: bool) -> io::Result<Arc<Stream>> {
        match special_name(operand) {
            Some(SpecialFile::Descriptor(number)) => return self.descriptor(number),
            Some(SpecialFile::Host) => return Err(host_file_error()),
            Some(SpecialFile::Null | SpecialFile::Device(_)) => return Ok(Arc::new(Stream::null())),
            None => {}
        }
        if operand.is_empty() {
            return Err(ErrorKind::NotFound.into());
        }
        let path = self.path(operand);
        if cfg!(windows) && path.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        match self.open_or_create(&path, append)? {
            Opened::File(file) => Ok(Arc::new(Stream::from_file(file))),
            Opened::Descriptor(number) => self.descriptor(number),
        }
    }

    /// The same of a path.
    pub fn open_or_create(&self, path: &Path, append: bool) -> io::Result<Opened> {
        let opening =
            self.opening(Opening { append, write: !append, truncate: !append, create: true, ..Opening::new() });
        match create_new(path, opening, self.context().umask) {
            // A link that leads nowhere exists, and its target is created.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.open_path(path, opening),
            Err(error) if error.kind() == ErrorKind::NotFound || is_refused_link(&error) => {
                self.open_path(path, opening)
            }
            created => created.map(Opened::File),
        }
    }
}

fn create_new(path: &Path, opening: Opening, umask: Option<u32>) -> io::Result<File> {
    let opening = Opening { create_new: true, truncate: false, ..opening };
    #[cfg(unix)]
    if let Some(umask) = umask {
        use std::os::unix::fs::PermissionsExt;
        let mode = 0o666 & !umask;
        let file = (Opening { mode, ..opening }).open(path)?;
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        return Ok(file);
    }
    let _ = umask;
    opening.open(path)
}
