//! A client for tests, in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Keeps what is written.
#[derive(Clone, Default)]
pub(crate) struct Collected(Arc<Mutex<Vec<u8>>>);

impl Collected {
    /// The messages so far.
    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        let all = self.0.lock().unwrap();
        all.split_inclusive(|byte| *byte == b'\n').map(|line| serde_json::from_slice(line).unwrap()).collect()
    }
}

impl Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
