//! What is written to memory, and who collects it where programs write it.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookshell_process::start_thread;
use hookshell_process::sync::lock;

use crate::budget::{Held, limit_message};
use crate::first_line::FirstLine;

/// Who gets what a run writes, as it is written ([`Stream::forward`](crate::Stream::forward)): on any thread, one call at a time for each stream.
pub trait OutputSink: Send + Sync + std::fmt::Debug {
    /// Takes bytes. It may wait, and whoever writes waits with it; after [`OutputSink::close`] it must not.
    fn write(&self, bytes: &[u8]);

    /// The run is killed: a [`OutputSink::write`] that waits is to come back, and what is written from now on may be dropped.
    fn close(&self);
}

/// What is written to a capture.
#[derive(Debug)]
pub(super) struct CaptureState {
    /// Locked while it is written, also to the sink: that keeps the order.
    data: Mutex<Vec<u8>>,
    /// Gets the bytes instead of `data`.
    sink: Option<Arc<dyn OutputSink>>,
    /// Who sees the first line.
    watch: Option<FirstLine>,
    /// There is more of it to see.
    watches: AtomicBool,
    /// How many bytes the sink has got.
    forwarded: AtomicUsize,
    /// What the data counts as.
    held: Mutex<Option<Held>>,
    /// Something was counted, or dropped.
    is_counted: AtomicBool,
    limit: usize,
    dropped: AtomicUsize,
    /// A collector thread is reading from the promoted pipe.
    collecting: Mutex<bool>,
    collected: Condvar,
    promoted: AtomicBool,
    /// The promoted pipe, until its end was read.
    reader: Mutex<Option<Arc<File>>>,
}

/// What a capture takes uncounted: no more are alive at a time than command substitutions may be nested.
const SMALL: usize = 4096;

/// What one look at a promoted pipe gave.
enum Collected {
    Some(usize),
    Nothing,
    End,
}

impl CaptureState {
    pub(super) fn new(
        limit: usize,
        held: Option<Held>,
        buffer: Vec<u8>,
        sink: Option<Arc<dyn OutputSink>>,
        watch: Option<FirstLine>,
    ) -> Self {
        Self {
            data: Mutex::new(buffer),
            sink,
            watches: AtomicBool::new(watch.is_some()),
            watch,
            forwarded: AtomicUsize::new(0),
            held: Mutex::new(held),
            limit,
            is_counted: AtomicBool::new(false),
            dropped: AtomicUsize::new(0),
            collecting: Mutex::new(false),
            collected: Condvar::new(),
            promoted: AtomicBool::new(false),
            reader: Mutex::new(None),
        }
    }

    /// Counts so many bytes more as state of the run, and ends the run where it has too much, or where not everything is
    /// kept: what writes may never end.
    #[cold]
    fn count(&self, more: usize, overflows: bool) {
        self.is_counted.store(true, Ordering::Relaxed);
        if let Some(held) = &mut *lock(&self.held) {
            if overflows {
                let what = "the output of a command substitution is larger";
                held.end_run_by(&limit_message("captured-bytes", self.limit, what));
            } else if !held.grow(more) {
                held.end_run("the output of a command substitution and other state are larger");
            }
        }
    }

    pub(super) fn append(&self, bytes: &[u8]) {
        self.append_to(&mut lock(&self.data), bytes);
    }

    fn append_to(&self, data: &mut Vec<u8>, bytes: &[u8]) {
        if let Some(sink) = &self.sink {
            sink.write(bytes);
            self.forwarded.fetch_add(bytes.len(), Ordering::Relaxed);
            return;
        }
        let room = self.limit.saturating_sub(data.len());
        let kept = room.min(bytes.len());
        if data.len() + kept > data.capacity().max(SMALL) || kept < bytes.len() {
            self.count(kept.max(data.capacity()), kept < bytes.len());
        }
        data.extend_from_slice(&bytes[..kept]);
        if let Some(watch) = self.watch.as_ref().filter(|_| self.watches.load(Ordering::Relaxed)) {
            // What is beyond the limit is never seen, and no line.
            let is_over = kept < bytes.len() || watch.look(data);
            self.watches.store(!is_over, Ordering::Relaxed);
        }
        if kept < bytes.len() {
            self.dropped.fetch_add(bytes.len() - kept, Ordering::Relaxed);
        }
    }

    /// Makes a pipe whose reader is a thread that continues to collect.
    pub(super) fn promote(self: &Arc<Self>) -> io::Result<File> {
        let (reader, writer) = hookshell_process::pipe()?;
        let reader = Arc::new(reader);
        *lock(&self.collecting) = true;
        *self.reader() = Some(reader.clone());
        self.promoted.store(true, Ordering::Release);
        let state = self.clone();
        let started = start_thread("hookshell-collect", 128 * 1024, move || {
            let mut buffer = vec![0; 64 * 1024];
            while hookshell_process::wait_readable(&reader).is_ok() {
                if let Collected::End = state.collect(&reader, &mut buffer) {
                    break;
                }
            }
            *state.reader() = None;
            drop(reader);
            *lock(&state.collecting) = false;
            state.collected.notify_all();
        });
        if let Err(error) = started {
            *self.reader() = None;
            *lock(&self.collecting) = false;
            return Err(error);
        }
        Ok(writer)
    }

    fn reader(&self) -> MutexGuard<'_, Option<Arc<File>>> {
        lock(&self.reader)
    }

    /// Reads once, without waiting: what is read is in `data` before anybody else looks there or reads.
    #[cfg(unix)]
    fn collect(&self, reader: &File, buffer: &mut [u8]) -> Collected {
        let mut data = lock(&self.data);
        if !hookshell_process::is_readable(reader) {
            return Collected::Nothing;
        }
        let collected = read_once(reader, buffer);
        if let Collected::Some(count) = collected {
            self.append_to(&mut data, &buffer[..count]);
        }
        collected
    }

    /// Reads once; only the collector's thread does.
    #[cfg(windows)]
    fn collect(&self, reader: &File, buffer: &mut [u8]) -> Collected {
        let collected = read_once(reader, buffer);
        if let Collected::Some(count) = collected {
            self.append(&buffer[..count]);
        }
        collected
    }
}

fn read_once(mut reader: &File, buffer: &mut [u8]) -> Collected {
    match reader.read(buffer) {
        Ok(0) => Collected::End,
        Ok(count) => Collected::Some(count),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Collected::Nothing,
        Err(_) => Collected::End,
    }
}

/// The reading side of [`Stream::capture`](crate::Stream::capture).
#[derive(Debug, Clone)]
pub struct Capture {
    state: Arc<CaptureState>,
}

impl Capture {
    pub(super) fn of(state: Arc<CaptureState>) -> Self {
        Self { state }
    }

    /// Waits until every writer of a promoted capture has closed it, `give_up` says so, or `deadline` passes; says
    /// whether all was collected. A capture that stayed in memory is complete at once.
    pub fn wait(&self, deadline: Option<Instant>, give_up: &dyn Fn() -> bool) -> bool {
        /// How often `give_up` is asked: a cancel is rare, and the end of file wakes us itself.
        const ASK: Duration = Duration::from_millis(20);
        let mut collecting = lock(&self.state.collecting);
        while *collecting {
            let mut pause = ASK;
            if let Some(deadline) = deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                pause = pause.min(left);
            }
            if give_up() {
                return false;
            }
            collecting = self.state.collected.wait_timeout(collecting, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Collects what was written until now, without waiting for the thread that does it: on a busy machine that may get its
    /// turn much later. Says whether all was collected; `false` where a writer has not closed it yet. On Windows only
    /// [`Self::wait`] tells.
    pub fn catch_up(&self) -> bool {
        let Some(reader) = self.state.reader().clone() else { return !self.is_collecting() };
        // Somebody may write without end: all that was there fits into so much.
        const MOST: usize = 1024 * 1024;
        let mut buffer = vec![0; 64 * 1024];
        let mut count = 0;
        while count < MOST && hookshell_process::is_readable(&reader) {
            match self.state.collect(&reader, &mut buffer) {
                Collected::End => return true,
                Collected::Some(more) => count += more,
                Collected::Nothing => {}
            }
        }
        false
    }

    fn is_collecting(&self) -> bool {
        *lock(&self.state.collecting)
    }

    /// Takes what was collected so far.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *lock(&self.state.data))
    }

    /// How many bytes were handed on to the sink of [`Stream::forward`](crate::Stream::forward).
    pub fn forwarded(&self) -> usize {
        self.state.forwarded.load(Ordering::Relaxed)
    }

    /// Has it stayed in memory, and taken so little there that nothing was counted?
    pub fn is_small(&self) -> bool {
        !self.is_promoted() && !self.state.is_counted.load(Ordering::Relaxed)
    }

    /// Takes what was collected, and continues with this buffer.
    pub fn exchange(&self, buffer: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut *lock(&self.state.data), buffer)
    }

    /// How many bytes went beyond the limit and were dropped.
    pub fn dropped(&self) -> usize {
        self.state.dropped.load(Ordering::Relaxed)
    }

    /// Did a child inherit it?
    pub(crate) fn is_promoted(&self) -> bool {
        self.state.promoted.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::io::Write;

    use crate::stream::Stream;

    #[cfg(unix)]
    #[test]
    fn what_was_written_is_collected_without_waiting_for_the_thread_that_does_it() {
        let directory = tempfile::tempdir().unwrap();
        for round in 0..300 {
            let (stream, capture) = Stream::capture(1 << 20);
            let file = stream.share(directory.path()).unwrap();
            (&*file).write_all(b"first ").unwrap();
            let is_complete = capture.catch_up();
            assert_eq!((is_complete, &*capture.take()), (false, &b"first "[..]), "round {round}: still open");
            (&*file).write_all(b"second").unwrap();
            drop((file, stream));
            let is_complete = capture.catch_up() || capture.wait(None, &|| false);
            assert_eq!((is_complete, &*capture.take()), (true, &b"second"[..]), "round {round}: closed");
        }
    }

    #[test]
    fn a_capture_that_no_program_has_is_complete_at_once() {
        let (stream, capture) = Stream::capture(4);
        stream.write_all(b"abcdef", &hookshell_process::Interrupt::new()).unwrap();
        assert!(capture.catch_up());
        assert_eq!((capture.take(), capture.dropped()), (b"abcd".to_vec(), 2));
    }
}
