//! Reading lines and blocks.

use std::io;

use memchr::memchr;

use crate::io::{BUFFER, MemoryCharge, Running, Source};
use crate::utility::Stopped;

/// What was left of an input.
pub struct Rest {
    /// The bytes.
    pub data: Vec<u8>,
    /// What ended the reading before the end of the file.
    pub error: Option<io::Error>,
    /// To be kept as long as the data.
    pub kept: Option<MemoryCharge>,
}

/// An input with a buffer that grows with the longest line only.
pub struct Input {
    source: Source,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// How much may still be read.
    allowed: u64,
    /// Counts the buffer once there is one.
    kept: Option<MemoryCharge>,
    /// What ended the reading before the end of the file.
    pub error: Option<io::Error>,
}

impl Input {
    /// From its beginning.
    pub fn new(source: Source) -> Self {
        Self { source, buffer: Vec::new(), start: 0, end: 0, ended: false, allowed: u64::MAX, kept: None, error: None }
    }

    /// Reads only so many bytes, so that what follows them is for the next reader.
    pub fn at_most(mut self, count: u64) -> Self {
        self.allowed = count;
        self
    }

    /// How much may still be read.
    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    /// What is read from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Reads more after what is in the buffer; `false` at the end of the file or after an error.
    fn fill(&mut self, running: &Running<'_>) -> Result<bool, Stopped> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            let size = self.buffer.len().saturating_mul(2).max(BUFFER);
            self.kept.get_or_insert_with(|| running.keep()).resize(&mut self.buffer, size)?;
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let most = usize::try_from(self.allowed).unwrap_or(usize::MAX).min(room.len());
        match running.read(&self.source, room.get_mut(..most).unwrap_or_default())? {
            Ok(0) => self.ended = true,
            Ok(count) => {
                self.end += count;
                self.allowed -= count as u64;
            }
            Err(error) => {
                self.error = Some(error);
                self.ended = true;
            }
        }
        Ok(!self.ended)
    }

    /// The bytes at hand; reads when there are none. Empty at the end. They stay until they are consumed.
    pub fn block(&mut self, running: &Running<'_>) -> Result<&[u8], Stopped> {
        if self.start == self.end {
            self.fill(running)?;
        }
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    /// At least `count` bytes unless the file ends before.
    pub fn at_least(&mut self, running: &Running<'_>, count: usize) -> Result<&[u8], Stopped> {
        while self.end - self.start < count && self.fill(running)? {}
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    /// Takes bytes that [`Input::block`] gave.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// Passes over so many bytes, or all that there are; says how many.
    pub fn skip(&mut self, running: &Running<'_>, count: u64) -> Result<u64, Stopped> {
        let mut left = count;
        while left > 0 {
            let now = (self.block(running)?.len() as u64).min(left);
            if now == 0 {
                break;
            }
            self.consume(usize::try_from(now).unwrap_or(usize::MAX));
            left -= now;
        }
        Ok(count - left)
    }

    /// The next line with its delimiter, which the last one may lack; `None` at the end.
    pub fn line(&mut self, running: &Running<'_>, delimiter: u8) -> Result<Option<&[u8]>, Stopped> {
        let mut scanned = 0;
        loop {
            let rest = self.buffer.get(self.start + scanned..self.end).unwrap_or_default();
            if let Some(at) = memchr(delimiter, rest) {
                let from = self.start;
                self.start += scanned + at + 1;
                return Ok(self.buffer.get(from..self.start));
            }
            scanned = self.end - self.start;
            if !self.fill(running)? {
                let from = self.start;
                self.start = self.end;
                return Ok(if from == self.end { None } else { self.buffer.get(from..self.end) });
            }
        }
    }

    /// The next line without its delimiter.
    pub fn text(&mut self, running: &Running<'_>, delimiter: u8) -> Result<Option<&[u8]>, Stopped> {
        Ok(self.line(running, delimiter)?.map(|line| line.strip_suffix(&[delimiter]).unwrap_or(line)))
    }

    /// Is everything read and taken? Reads when nothing is at hand.
    pub fn at_end(&mut self, running: &Running<'_>) -> Result<bool, Stopped> {
        Ok(self.block(running)?.is_empty())
    }

    /// Everything that is left.
    pub fn rest(mut self, running: &Running<'_>) -> Result<Rest, Stopped> {
        while self.fill(running)? {}
        self.buffer.truncate(self.end);
        self.buffer.drain(..self.start);
        Ok(Rest { data: self.buffer, error: self.error, kept: self.kept })
    }
}
