//! A command's output on its way to the client.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hookshell_process::sync::lock;
use serde::Serialize;

use crate::outbox::{Item, Outbox, Source};
use crate::protocol::{OutputStream, RequestId};
use crate::{base64, escape};

/// How many bytes of one command may wait to be sent. Whoever writes more waits.
const MAX_WAITING: usize = 512 * 1024;

/// The most bytes of one message: a client gets something to show, and other messages come in between.
const CHUNK: usize = 128 * 1024;

/// The longest part of a character that is kept for its rest.
const MAX_PART: usize = 3;

/// The output of one `shell/exec`.
pub struct OutputChannel {
    id: RequestId,
    outbox: Outbox,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What waits, in the order in which it came.
    waiting: VecDeque<(OutputStream, Vec<u8>)>,
    bytes: usize,
    /// The beginning of a character of each stream, until its rest comes.
    parts: [Vec<u8>; 2],
    /// It stands in the outbox.
    is_posted: bool,
    /// How many bytes more may be sent; `None`: any number.
    credit: Option<u64>,
    is_closed: bool,
    /// Nothing more comes: beginnings of characters are not kept any more.
    is_finished: bool,
    sent: [u64; 2],
}

impl OutputChannel {
    /// The output of a request; `window`: how many bytes may be sent before the client acknowledges any.
    pub fn new(id: RequestId, outbox: Outbox, window: Option<u64>) -> Arc<Self> {
        let state = State { credit: window, ..State::default() };
        Arc::new(Self { id, outbox, state: Mutex::new(state), changed: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics under the lock.
        lock(&self.state)
    }

    /// Takes bytes of the command's. It waits while too many wait; after [`OutputChannel::close`] they are dropped.
    pub fn write(self: &Arc<Self>, stream: OutputStream, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let is_full = |state: &mut State| state.bytes >= MAX_WAITING && !state.is_closed;
            let mut state = self.changed.wait_while(self.state(), is_full).unwrap_or_else(PoisonError::into_inner);
            if state.is_closed || self.outbox.is_dead() {
                return;
            }
            let (now, rest) = bytes.split_at(bytes.len().min(MAX_WAITING - state.bytes));
            match state.waiting.back_mut() {
                Some((last, data)) if *last == stream && data.len() + now.len() <= CHUNK => data.extend_from_slice(now),
                _ => state.waiting.push_back((stream, now.to_vec())),
            }
            state.bytes += now.len();
            bytes = rest;
            self.post(state);
        }
    }

    /// Lets so many bytes more be sent.
    pub(crate) fn acknowledge(self: &Arc<Self>, bytes: u64) {
        let mut state = self.state();
        if let Some(credit) = &mut state.credit {
            *credit = credit.saturating_add(bytes);
            self.post(state);
        }
    }

    fn post(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        if state.may_send() && !state.is_posted {
            state.is_posted = true;
            drop(state);
            self.outbox.post(Item::Source(Arc::<Self>::clone(self)));
        }
    }

    /// Nobody wants what comes from now on: who waits is woken.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting.clear();
        state.parts = Default::default();
        state.bytes = 0;
        drop(state);
        self.changed.notify_all();
    }

    /// The command has ended: sends what is left, which waits for the client's acknowledgement, and gives the bytes that were
    /// sent of standard output and of standard error.
    pub fn finish(self: &Arc<Self>) -> [u64; 2] {
        self.state().is_finished = true;
        loop {
            let mut lines = Vec::new();
            // What the outbox has taken before is written before this.
            self.append_to(&mut lines);
            if !lines.is_empty() {
                self.outbox.send_line(lines);
                continue;
            }
            let is_stuck = |state: &mut State| {
                state.has_waiting() && !state.may_send() && !state.is_closed && !self.outbox.is_dead()
            };
            let state = self.changed.wait_while(self.state(), is_stuck).unwrap_or_else(PoisonError::into_inner);
            if !state.may_send() || state.is_closed || self.outbox.is_dead() {
                return state.sent;
            }
        }
    }
}

impl Source for OutputChannel {
    fn append_to(&self, lines: &mut Vec<u8>) -> bool {
        let mut state = self.state();
        let begin = lines.len();
        while lines.len() - begin < 2 * CHUNK && state.credit != Some(0) {
            let Some((stream, data)) = state.waiting.pop_front() else { break };
            state.take(&self.id, stream, data, lines);
        }
        if state.waiting.is_empty() && state.is_finished && state.credit != Some(0) {
            for stream in [OutputStream::Stdout, OutputStream::Stderr] {
                let part = std::mem::take(state.part(stream));
                if !part.is_empty() {
                    state.send(&self.id, stream, &part, lines);
                }
            }
        }
        let has_more = state.may_send();
        state.is_posted = has_more;
        drop(state);
        self.changed.notify_all();
        has_more
    }
}

impl State {
    fn part(&mut self, stream: OutputStream) -> &mut Vec<u8> {
        let [stdout, stderr] = &mut self.parts;
        match stream {
            OutputStream::Stdout => stdout,
            OutputStream::Stderr => stderr,
        }
    }

    fn has_waiting(&self) -> bool {
        !self.waiting.is_empty() || self.is_finished && self.parts.iter().any(|part| !part.is_empty())
    }

    fn may_send(&self) -> bool {
        self.credit != Some(0) && self.has_waiting()
    }

    /// Makes a message of bytes, as far as there is credit. What is left goes back, and the beginning of a character is kept.
    fn take(&mut self, id: &RequestId, stream: OutputStream, mut data: Vec<u8>, lines: &mut Vec<u8>) {
        // So much that no character is divided for lack of credit.
        let credit = self.credit.map_or(usize::MAX, |credit| usize::try_from(credit).unwrap_or(usize::MAX));
        let room = credit.max(MAX_PART + 1);
        if data.len() > room {
            let rest = data.split_off(room);
            self.waiting.push_front((stream, rest));
        }
        self.bytes = self.bytes.saturating_sub(data.len());
        let part = self.part(stream);
        if !part.is_empty() {
            data.splice(0..0, part.drain(..));
        }
        if let Err(error) = std::str::from_utf8(&data)
            && error.error_len().is_none()
        {
            let begun = data.split_off(error.valid_up_to());
            *self.part(stream) = begun;
        }
        if !data.is_empty() {
            self.send(id, stream, &data, lines);
        }
    }

    fn send(&mut self, id: &RequestId, stream: OutputStream, data: &[u8], lines: &mut Vec<u8>) {
        let count = data.len() as u64;
        if let Some(credit) = &mut self.credit {
            *credit = credit.saturating_sub(count);
        }
        let [stdout, stderr] = &mut self.sent;
        match stream {
            OutputStream::Stdout => *stdout += count,
            OutputStream::Stderr => *stderr += count,
        }
        append_message(id, stream, data, lines);
    }
}

/// A `$/output` with these bytes: as text where they are, and have no NUL, which takes six bytes in JSON.
fn append_message(id: &RequestId, stream: OutputStream, data: &[u8], lines: &mut Vec<u8>) {
    #[derive(Serialize)]
    struct Notification<'m> {
        jsonrpc: &'static str,
        method: &'static str,
        params: Params<'m>,
    }
    #[derive(Serialize)]
    struct Params<'m> {
        id: &'m RequestId,
        stream: OutputStream,
    }
    let begin = lines.len();
    let message = Notification { jsonrpc: "2.0", method: "$/output", params: Params { id, stream } };
    if serde_json::to_writer(&mut *lines, &message).is_err() {
        // Strings into memory: it cannot fail.
        lines.truncate(begin);
        return;
    }
    // The member with the output stands in front of the two braces.
    lines.truncate(lines.len().saturating_sub(2));
    match std::str::from_utf8(data).ok().filter(|_| memchr::memchr(0, data).is_none()) {
        Some(text) => {
            lines.extend_from_slice(br#","text":"#);
            escape::append_string(text, lines);
        }
        None => {
            lines.extend_from_slice(br#","base64":""#);
            lines.extend_from_slice(base64::encode(data).as_bytes());
            lines.push(b'"');
        }
    }
    lines.extend_from_slice(b"}}\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Collected;

    fn messages(window: Option<u64>, writes: &[(OutputStream, &[u8])]) -> Vec<String> {
        let collected = Collected::default();
        let outbox = Outbox::new(Box::new(collected.clone()), || ());
        let channel = OutputChannel::new(RequestId::Number(1), outbox, window);
        for (stream, bytes) in writes {
            channel.write(*stream, bytes);
        }
        channel.acknowledge(if window.is_some() { 1000 } else { 0 });
        channel.finish();
        let all = collected.lines();
        let member = |line: &serde_json::Value| {
            let params = &line["params"];
            let data = params.get("text").or(params.get("base64")).and_then(serde_json::Value::as_str).unwrap_or("");
            format!(
                "{}{} {data}",
                params["stream"].as_str().unwrap(),
                if params.get("base64").is_some() { "64" } else { "" }
            )
        };
        all.iter().map(member).collect()
    }

    #[test]
    fn writes_come_in_order_and_are_put_together() {
        use OutputStream::{Stderr, Stdout};
        let all = messages(None, &[(Stdout, b"a"), (Stdout, b"b"), (Stderr, b"c"), (Stdout, b"d")]);
        assert_eq!(all, ["stdout ab", "stderr c", "stdout d"]);
    }

    #[test]
    fn a_character_is_never_divided() {
        use OutputStream::{Stderr, Stdout};
        let euro = "€".as_bytes();
        let all = messages(None, &[(Stdout, &euro[..1]), (Stderr, b"x"), (Stdout, &euro[1..]), (Stderr, &euro[..2])]);
        assert_eq!(all, ["stderr x", "stdout €", "stderr64 4oI="]);
        let all = messages(Some(1), &[(Stdout, "a€€€".as_bytes())]);
        assert_eq!(all.join("").replace("stdout ", ""), "a€€€");
    }

    #[test]
    fn what_is_no_text_is_base64() {
        let all = messages(None, &[(OutputStream::Stdout, b"a\xff"), (OutputStream::Stderr, b"\0")]);
        assert_eq!(all, ["stdout64 Yf8=", "stderr64 AA=="]);
    }

    #[test]
    fn a_closed_channel_holds_nobody_up() {
        let outbox = Outbox::new(Box::new(Collected::default()), || ());
        let channel = OutputChannel::new(RequestId::Number(1), outbox, Some(0));
        let writer = Arc::clone(&channel);
        let thread = std::thread::spawn(move || writer.write(OutputStream::Stdout, &vec![b'x'; 4 * MAX_WAITING]));
        while channel.state().bytes < MAX_WAITING {
            std::thread::yield_now();
        }
        channel.close();
        thread.join().unwrap();
        assert_eq!(channel.finish(), [0, 0]);
    }
}
