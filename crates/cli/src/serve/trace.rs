//! `--log`: every message, as it came and went.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use hookshell_process::sync::lock;

/// The file that messages are appended to. Where it cannot be written the messages continue all the same.
#[derive(Clone)]
pub(super) struct Trace(Arc<Mutex<File>>);

impl Trace {
    pub(super) fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    fn append(&self, bytes: &[u8]) {
        let mut file = lock(&self.0);
        let _ = file.write_all(bytes);
    }
}

/// A reader whose bytes are traced, as whole lines.
pub(super) struct TracedReader<R> {
    reader: R,
    trace: Trace,
    line: Vec<u8>,
}

impl<R> TracedReader<R> {
    pub(super) fn new(reader: R, trace: Trace) -> Self {
        Self { reader, trace, line: Vec::new() }
    }
}

impl<R: Read> Read for TracedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        /// What is kept of a line that does not end: its beginning is written then.
        const MOST: usize = 64 * 1024;
        let count = self.reader.read(buffer)?;
        self.line.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let whole = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let whole = if whole == 0 && (self.line.len() > MOST || count == 0) { self.line.len() } else { whole };
        if whole > 0 {
            self.trace.append(self.line.get(..whole).unwrap_or_default());
            self.line.drain(..whole);
        }
        Ok(count)
    }
}

/// A writer whose bytes are traced, before they are written: who has read the last answer may end this process. What is written is
/// whole lines.
pub(super) struct TracedWriter<W> {
    writer: W,
    trace: Trace,
}

impl<W> TracedWriter<W> {
    pub(super) fn new(writer: W, trace: Trace) -> Self {
        Self { writer, trace }
    }
}

impl<W: Write> Write for TracedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.trace.append(bytes);
        self.writer.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
