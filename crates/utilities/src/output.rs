//! Standard output in blocks.

use crate::io::{BUFFER, Failure, Running};

/// Collects what a utility writes to standard output, and writes it in blocks. What is left must be flushed at the end,
/// and before anything else writes to the same place.
pub(crate) struct Output<'r, 'a> {
    running: &'r Running<'a>,
    buffer: Vec<u8>,
}

impl<'r, 'a> Output<'r, 'a> {
    /// With nothing in it.
    pub(crate) fn new(running: &'r Running<'a>) -> Self {
        Self { running, buffer: Vec::new() }
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// What was not written yet, to append to; [`Output::settle`] afterwards writes full blocks.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes when there is a block of it.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes all that was collected.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = self.running.write(&self.buffer);
        self.buffer.clear();
        written
    }
}
