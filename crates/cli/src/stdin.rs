//! The event on standard input.

use std::io::{self, Read};
use std::time::Duration;

/// How long is waited for the end, or for more, after an object that is whole.
const LINGER: Duration = Duration::from_millis(100);

/// Reads standard input to its end. There are agents that leave it open: where one JSON object has come whole and nothing
/// follows, the end is not waited for.
pub(crate) fn read_object() -> io::Result<Vec<u8>> {
    let mut whole = Whole::default();
    let mut read = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    while !whole.is_whole() {
        let count = next(&mut buffer)?;
        if count == 0 {
            return Ok(read);
        }
        let new = buffer.get(..count).unwrap_or_default();
        whole.add(new);
        read.extend_from_slice(new);
    }
    add_rest(&mut read, buffer)?;
    Ok(read)
}

/// Appends what follows until the end, or until nothing has come for a while.
#[cfg(unix)]
fn add_rest(read: &mut Vec<u8>, mut buffer: Vec<u8>) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let linger = Timespec { tv_sec: 0, tv_nsec: LINGER.subsec_nanos().into() };
    let stdin = io::stdin();
    loop {
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&linger)) {
            Ok(0) => return Ok(()),
            Err(rustix::io::Errno::INTR) => continue,
            // What cannot be waited for can be read.
            Ok(_) | Err(_) => {}
        }
        let count = next(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        read.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
}

/// Appends what follows until the end, or until nothing has come for a while. A read cannot be given up here: a thread does
/// it, and stays behind.
#[cfg(not(unix))]
fn add_rest(read: &mut Vec<u8>, mut buffer: Vec<u8>) -> io::Result<()> {
    use std::sync::mpsc::{RecvTimeoutError, channel};

    let (sender, receiver) = channel();
    let rest = std::thread::Builder::new().name("hookshell-stdin".into()).spawn(move || {
        loop {
            let count = next(&mut buffer);
            let is_last = !matches!(count, Ok(1..));
            let new = count.map(|count| buffer.get(..count).unwrap_or_default().to_vec());
            if sender.send(new).is_err() || is_last {
                return;
            }
        }
    });
    if rest.is_err() {
        return Ok(());
    }
    loop {
        match receiver.recv_timeout(LINGER) {
            Ok(Ok(new)) => read.extend_from_slice(&new),
            Ok(Err(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn next(buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match io::stdin().lock().read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Says when one JSON object has come whole. What is not UTF-8 or does not begin as an object never has.
#[derive(Default)]
struct Whole {
    has_begun: bool,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    ended: bool,
    is_other: bool,
}

impl Whole {
    fn is_whole(&self) -> bool {
        self.ended && !self.is_other
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.ended || self.is_other {
                return;
            }
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' if self.has_begun => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' => {
                self.has_begun = true;
                self.depth += 1;
            }
            b'[' if self.has_begun => self.depth += 1,
            b'}' | b']' if self.has_begun => {
                self.depth = self.depth.saturating_sub(1);
                self.ended = self.depth == 0;
            }
            // Blanks and a byte order mark before it.
            b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => {}
            _ => self.is_other |= !self.has_begun,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Whole;

    #[test]
    fn an_object_is_whole_at_its_last_brace() {
        let whole = ["{}", " \u{feff}{\"a\":[{\"b\":\"}]\\\"\"}]}", "{\"a\":\"\\\\\"}", "{\"é\":1}", "{\"a\":[1]}"];
        for text in whole {
            // However it comes.
            for size in 1..=text.len() {
                let mut scan = Whole::default();
                let mut chunks = text.as_bytes().chunks(size).peekable();
                while let Some(chunk) = chunks.next() {
                    scan.add(chunk);
                    assert_eq!(scan.is_whole(), chunks.peek().is_none(), "{text} in {size}");
                }
            }
        }
    }

    #[test]
    fn nothing_else_is() {
        for text in ["", " ", "[]", "{", "{\"a\":\"}", "\"{}\"", "x{}", "{\"a\":[}", "\u{0}{\u{0}}"] {
            let mut scan = Whole::default();
            scan.add(text.as_bytes());
            assert!(!scan.is_whole(), "{text}");
        }
    }
}
