//! Seeing what a command prints first, while it still runs.

use std::fmt;
use std::sync::Arc;

/// Who is told of the first line that is written ([`Stream::capture_watched`](crate::Stream::capture_watched)), on any thread that writes; it must not wait.
#[derive(Clone)]
pub struct FirstLine(Arc<Watch>);

type Watch = dyn Fn(&[u8]) -> bool + Send + Sync;

impl FirstLine {
    /// `watch` is called with what there is of the line whenever more of it was written, until it returns `true`, or the line is
    /// over or longer than 4 KiB.
    pub fn new(watch: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }

    /// Shows what was written so far. Says whether there is nothing more to see.
    pub(crate) fn look(&self, data: &[u8]) -> bool {
        const MOST: usize = 4096;
        let line = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
        (self.0)(line) || line.len() < data.len() || line.len() > MOST
    }
}

impl fmt::Debug for FirstLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstLine").finish_non_exhaustive()
    }
}
