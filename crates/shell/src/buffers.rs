//! Buffers that are used again, so that a command costs no allocation.

use std::sync::Arc;

use hookshell_utility::{Args, Capture, Stream};

use crate::shell::Shell;

impl Shell {
    #[inline]
    pub(crate) fn take_args(&mut self) -> Args {
        self.scratch.spare_args.pop().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn give_args(&mut self, mut args: Args) {
        /// Buffers beyond this are given back to the allocator.
        const KEEP: usize = 64 * 1024;
        if args.byte_len() <= KEEP && self.scratch.spare_args.len() < 16 {
            args.clear();
            self.scratch.spare_args.push(args);
        }
    }

    #[inline]
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        self.scratch.spare_bytes.pop().unwrap_or_default()
    }

    /// What a command substitution writes into.
    pub(crate) fn take_capture(&mut self) -> (Arc<Stream>, Capture) {
        if let Some(spare) = self.scratch.spare_captures.pop() {
            return spare;
        }
        let (limit, held) = (self.host.limits.captured_bytes, self.host.usage.budget.hold(0));
        let (stream, capture) = Stream::capture_held(limit, held, self.take_bytes());
        (Arc::new(stream), capture)
    }

    /// Takes back what [`Self::take_capture`] gave, and gives what was written to it; the stream itself where somebody else
    /// has it, or it has become more than memory.
    pub(crate) fn give_capture(
        &mut self,
        stream: Arc<Stream>,
        capture: Capture,
    ) -> Result<Vec<u8>, (Arc<Stream>, Capture)> {
        // Nobody can get it from elsewhere once only this function has it.
        if Arc::strong_count(&stream) > 1 || Arc::weak_count(&stream) > 0 || !capture.is_small() {
            return Err((stream, capture));
        }
        let buffer = self.take_bytes();
        let output = capture.exchange(buffer);
        if self.scratch.spare_captures.len() < 4 {
            self.scratch.spare_captures.push((stream, capture));
        }
        Ok(output)
    }

    #[inline]
    pub(crate) fn give_bytes(&mut self, mut bytes: Vec<u8>) {
        if bytes.capacity() <= 64 * 1024 && self.scratch.spare_bytes.len() < 16 {
            bytes.clear();
            self.scratch.spare_bytes.push(bytes);
        }
    }
}
