//! What the process that runs the hooks writes, up to its answer's mark.

use std::fs::File;
use std::io::{self, Read};
use std::time::Instant;

use crate::signals::SignalWait;

/// What it writes to its two streams.
pub(super) struct Answer {
    #[cfg(unix)]
    streams: [Reading; 2],
    #[cfg(not(unix))]
    streams: threads::Threads,
}

impl Answer {
    /// Begins to read. `signals` is what is waited with.
    ///
    /// # Errors
    /// There are no threads for it.
    pub(super) fn new(stdout: File, stderr: File, mark: &str, signals: &SignalWait) -> io::Result<Self> {
        let streams = [Reading::new(stdout, mark), Reading::new(stderr, mark)];
        #[cfg(unix)]
        let _ = signals;
        #[cfg(not(unix))]
        let streams = threads::Threads::start(streams, signals)?;
        Ok(Self { streams })
    }

    /// Have both come to their ends?
    pub(super) fn is_whole(&self) -> bool {
        #[cfg(unix)]
        return self.streams.iter().all(|stream| stream.is_whole);
        #[cfg(not(unix))]
        self.streams.are_whole()
    }

    /// Waits until there is more, a signal comes, which it gives, or the deadline.
    pub(super) fn wait(&mut self, signals: &SignalWait, deadline: Instant) -> Option<i32> {
        #[cfg(unix)]
        return poll(&mut self.streams, signals, deadline);
        #[cfg(not(unix))]
        self.streams.wait(signals, deadline)
    }

    /// What was written.
    pub(super) fn into_texts(self) -> (Vec<u8>, Vec<u8>) {
        #[cfg(unix)]
        let [stdout, stderr] = self.streams.map(|stream| stream.text);
        #[cfg(not(unix))]
        let [stdout, stderr] = self.streams.into_texts();
        (stdout, stderr)
    }
}

/// Reads a stream until a line with the mark has come to its end, or until nobody writes any more.
struct Reading {
    from: File,
    mark: Vec<u8>,
    text: Vec<u8>,
    has_mark: bool,
    is_whole: bool,
}

impl Reading {
    fn new(from: File, mark: &str) -> Self {
        Self { from, mark: format!("\0{mark}").into_bytes(), text: Vec::new(), has_mark: false, is_whole: false }
    }

    /// Reads what there is, or waits for it.
    fn read(&mut self) {
        let mut buffer = [0; 16 * 1024];
        let before = self.text.len();
        match self.from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => self.is_whole = true,
            Ok(count) => {
                self.text.extend_from_slice(buffer.get(..count).unwrap_or_default());
                self.has_mark = self.has_mark || has_since(&self.text, before, &self.mark);
                self.is_whole = self.has_mark && self.text.ends_with(b"\n");
            }
        }
    }
}

/// Waits for all at once, on this thread.
#[cfg(unix)]
fn poll(streams: &mut [Reading; 2], signals: &SignalWait, deadline: Instant) -> Option<i32> {
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec};

    // One that has come to its end is ready for ever: there is nothing to be waited for.
    let [stdout, stderr] = streams.each_ref().map(|stream| match stream.is_whole {
        true => signals.as_fd(),
        false => stream.from.as_fd(),
    });
    let mut waited = [signals.as_fd(), stdout, stderr].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
    let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok();
    let is_ready = match rustix::event::poll(&mut waited, left.as_ref()) {
        // Interrupted by the very signal.
        Err(_) => [false; 3],
        Ok(_) => waited.each_ref().map(|waited| !waited.revents().is_empty()),
    };
    let [is_signalled, ready @ ..] = is_ready;
    for (stream, is_ready) in streams.iter_mut().zip(ready) {
        if is_ready && !stream.is_whole {
            stream.read();
        }
    }
    if is_signalled { signals.wait(Instant::now()) } else { signals.take() }
}

/// Threads that read, where a pipe cannot be waited for together with anything else.
#[cfg(not(unix))]
mod threads {
    use std::io;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Instant;

    use hookshell_process::start_thread;

    use super::Reading;
    use crate::signals::SignalWait;

    pub(super) struct Threads {
        receivers: [Receiver<Vec<u8>>; 2],
        texts: [Option<Vec<u8>>; 2],
    }

    impl Threads {
        pub(super) fn start(streams: [Reading; 2], signals: &SignalWait) -> io::Result<Self> {
            let [stdout, stderr] = streams;
            let receivers = [start(stdout, signals)?, start(stderr, signals)?];
            Ok(Self { receivers, texts: [None, None] })
        }

        pub(super) fn are_whole(&self) -> bool {
            self.texts.iter().all(Option::is_some)
        }

        pub(super) fn wait(&mut self, signals: &SignalWait, deadline: Instant) -> Option<i32> {
            let signal = signals.wait(deadline);
            for (text, receiver) in self.texts.iter_mut().zip(&self.receivers) {
                if text.is_none() {
                    *text = receiver.try_recv().ok();
                }
            }
            signal
        }

        pub(super) fn into_texts(self) -> [Vec<u8>; 2] {
            self.texts.map(Option::unwrap_or_default)
        }
    }

    fn start(mut stream: Reading, signals: &SignalWait) -> io::Result<Receiver<Vec<u8>>> {
        let (sender, receiver) = channel();
        let wake = signals.waker();
        start_thread("hookshell-relay", 128 * 1024, move || {
            while !stream.is_whole {
                stream.read();
            }
            // Nobody listens any more where it was given up.
            let _ = sender.send(stream.text);
            wake();
        })?;
        Ok(receiver)
    }
}

/// Has it this text, of which a part stands after `from`?
fn has_since(read: &[u8], from: usize, text: &[u8]) -> bool {
    read.get(from.saturating_sub(text.len())..).unwrap_or_default().windows(text.len()).any(|part| part == text)
}

#[cfg(test)]
mod tests {
    use super::has_since;

    #[test]
    fn the_end_is_found_wherever_it_is_split() {
        for from in 0..=8 {
            assert_eq!(has_since(b"ab\0m\ncd\n", from, b"\0m"), from <= 4, "{from}");
        }
        assert!(!has_since(b"", 0, b"\0m"));
    }
}
