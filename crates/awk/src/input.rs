//! Reading records.

use std::io;
use std::sync::Arc;

use hookshell_regex::SearchError;
use hookshell_utility::Stopped;
use hookshell_utility::io::{BUFFER, MemoryCharge, Running, Source};

use super::regex::Regex;

/// A record may be so long.
const MAX_RECORD: usize = 1 << 30;

/// What stands between records (RS).
#[derive(Debug, Clone)]
pub(super) enum RecordSeparator {
    Byte(u8),
    /// Blank lines.
    Paragraphs,
    Regex(Arc<Regex>),
}

/// Why no record was read.
#[derive(Debug)]
pub(super) enum ReadError {
    Stopped(Stopped),
    System(io::Error),
    Search(SearchError),
}

impl From<Stopped> for ReadError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<SearchError> for ReadError {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

/// An input and what was read ahead of it.
pub(super) struct Reader {
    source: Source,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// Counts the buffer once it has grown.
    kept: Option<MemoryCharge>,
}

impl Reader {
    pub(super) fn new(source: Source) -> Self {
        Self { source, buffer: Vec::new(), start: 0, end: 0, at_end: false, kept: None }
    }

    /// Reads more; `false` at the end of the input.
    fn fill(&mut self, running: &Running<'_>) -> Result<bool, ReadError> {
        if self.at_end {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.end >= MAX_RECORD {
                return Err(ReadError::System(io::Error::other("the record is too long")));
            }
            let size = (self.buffer.len() * 2).max(BUFFER);
            // The record itself is there beside it.
            self.kept.get_or_insert_with(|| running.keep()).room(&mut self.buffer, size - self.end)?;
            self.kept.get_or_insert_with(|| running.keep()).set(if size > BUFFER { 2 * size } else { size })?;
            self.buffer.resize(size, 0);
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        match running.read(&self.source, room)? {
            Ok(0) => {
                self.at_end = true;
                Ok(false)
            }
            Ok(count) => {
                self.end += count;
                Ok(true)
            }
            Err(error) => Err(ReadError::System(error)),
        }
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Reads the next record to the end of `out`; `false` when there is none.
    pub(super) fn read(
        &mut self,
        running: &Running<'_>,
        separator: &RecordSeparator,
        out: &mut Vec<u8>,
    ) -> Result<bool, ReadError> {
        match separator {
            RecordSeparator::Byte(byte) => self.read_to_byte(running, *byte, out),
            RecordSeparator::Paragraphs => self.read_paragraph(running, out),
            RecordSeparator::Regex(regex) => self.read_to_match(running, regex, out),
        }
    }

    /// Gives the first `length` bytes, and drops `after` more.
    fn give(&mut self, length: usize, after: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.unread().get(..length).unwrap_or_default());
        self.start = (self.start + length + after).min(self.end);
    }

    /// What is left at the end of the input is a record, if it is something.
    fn last(&mut self, out: &mut Vec<u8>) -> bool {
        let length = self.unread().len();
        self.give(length, 0, out);
        length > 0
    }

    fn read_to_byte(&mut self, running: &Running<'_>, byte: u8, out: &mut Vec<u8>) -> Result<bool, ReadError> {
        let mut searched = 0;
        loop {
            if let Some(at) = memchr::memchr(byte, self.unread().get(searched..).unwrap_or_default()) {
                self.give(searched + at, 1, out);
                return Ok(true);
            }
            searched = self.unread().len();
            if !self.fill(running)? {
                return Ok(self.last(out));
            }
        }
    }

    fn read_paragraph(&mut self, running: &Running<'_>, out: &mut Vec<u8>) -> Result<bool, ReadError> {
        loop {
            let newlines = self.unread().iter().take_while(|byte| **byte == b'\n').count();
            self.start += newlines;
            if !self.unread().is_empty() {
                break;
            }
            if !self.fill(running)? {
                return Ok(false);
            }
        }
        let mut searched = 0;
        loop {
            if let Some(at) = memchr::memmem::find(self.unread().get(searched..).unwrap_or_default(), b"\n\n") {
                self.give(searched + at, 2, out);
                // All newlines after it belong to the separator: they are skipped before the next record.
                return Ok(true);
            }
            searched = self.unread().len().saturating_sub(1);
            if !self.fill(running)? {
                let found = self.last(out);
                if out.last() == Some(&b'\n') {
                    out.pop();
                }
                return Ok(found);
            }
        }
    }

    fn read_to_match(&mut self, running: &Running<'_>, regex: &Regex, out: &mut Vec<u8>) -> Result<bool, ReadError> {
        if self.unread().is_empty() && !self.fill(running)? {
            return Ok(false);
        }
        loop {
            let mut from = 0;
            let found = loop {
                match regex.find(self.unread(), from)? {
                    // An empty match separates nothing.
                    Some((at, end)) if at == end => {
                        from = at + 1;
                        if from > self.unread().len() {
                            break None;
                        }
                    }
                    found => break found,
                }
            };
            match found {
                // With more input it might be longer.
                Some((_, end)) if end == self.unread().len() && !self.at_end => {}
                Some((at, end)) => {
                    self.give(at, end - at, out);
                    return Ok(true);
                }
                None => {}
            }
            if !self.fill(running)? && found.is_none() {
                return Ok(self.last(out));
            }
        }
    }
}
