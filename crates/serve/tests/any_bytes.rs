//! Whatever a client writes: each answer is a message, and a good request after it is done.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test: a panic fails it")]

use std::io::{self, Cursor, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_serve::protocol::{
    Capabilities, ErrorCode, InitializeParams, InitializeResult, Limits, PROTOCOL_VERSION, Peer, RpcError,
};
use hookshell_serve::{EndReason, Outbox, Questions, Responder, Server, Service, to_result};
use hookshell_test_support::Random;
use serde_json::Value;
use serde_json::value::RawValue;

/// Does every request at once.
struct Echo;

impl Service for Echo {
    fn initialize(&self, _: InitializeParams, _: Questions) -> Result<InitializeResult, RpcError> {
        Ok(InitializeResult {
            protocol_version: PROTOCOL_VERSION,
            server: Peer { name: "echo".to_owned(), version: None },
            capabilities: Capabilities { methods: Vec::new(), dialects: Vec::new() },
            limits: Limits { max_message_bytes: 1, max_queued_requests: 1, max_queued_bytes: 1 },
        })
    }

    fn call(&self, method: &str, _: Option<&RawValue>, responder: Responder) {
        responder.respond(match method {
            "check" => Err(RpcError::new(ErrorCode::InvalidParams, "no")),
            // It is lost.
            "explain" => return,
            method => to_result(&method),
        });
    }

    fn end(&self) {}
}

#[derive(Clone, Default)]
struct Collected(Arc<Mutex<Vec<u8>>>);

impl Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A request that must be answered whatever came before it.
const LAST: &[u8] = b"\n{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"hooks/run\",\"params\":{}}\n";

/// Pieces of messages, valid and not.
const PIECES: &[&[u8]] = &[
    br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol_version":1}}"#,
    br#"{"jsonrpc":"2.0","id":"a","method":"hooks/run","params":{}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"check"}"#,
    br#"{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}"#,
    br#"{"jsonrpc":"2.0","method":"shell/ack","params":{"id":"a","bytes":-1}}"#,
    br#"{"jsonrpc":"2.0","id":null,"method":"explain"}"#,
    br#"{"jsonrpc":"2.0","id":"h1","result":{}}"#,
    br#"{"jsonrpc":"1.0","id":3,"method":"doctor"}"#,
    br#"{"jsonrpc":"2.0","id":{},"method":"nosuch"}"#,
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"\"",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xc3",
    b"\0",
    b"\r",
    b"\n",
    b"1e999",
    b"null",
    b"\xef\xbb\xbf",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

fn stream(random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..random.below(12) {
        let piece = *random.pick(PIECES);
        let end = if random.chance(4) { random.below(piece.len() + 1) } else { piece.len() };
        out.extend_from_slice(piece.get(..end).unwrap_or(piece));
        if random.chance(2) {
            out.push(b'\n');
        }
    }
    out
}

#[test]
fn any_bytes_are_answered_and_nothing_else_breaks() {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut random = Random::new(29);
    for round in 0..1_000 {
        let mut input = stream(&mut random);
        input.extend_from_slice(LAST);
        let shown = input.escape_ascii().to_string();
        let collected = Collected::default();
        let server = Server::new(Echo, Outbox::new(Box::new(collected.clone()), || ()));
        let (sender, ended) = channel();
        server.start(Cursor::new(input), move |how| sender.send(how).unwrap()).unwrap();
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(EndReason::Input), "{round}");
        server.stop();
        let told = || collected.0.lock().unwrap().clone();
        let has_last = |text: &[u8]| text.ends_with(b"\n") && text.windows(6).any(|window| window == b"\"last\"");
        while !has_last(&told()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let text = told();
        assert!(has_last(&text), "{round}: no answer: {shown}: {}", text.escape_ascii());
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let message: Value =
                serde_json::from_slice(line).unwrap_or_else(|error| panic!("{round}: {error}: {shown}"));
            assert_eq!(message["jsonrpc"], "2.0", "{round}: {shown}");
            let is_answer = message.get("result").is_some() != message.get("error").is_some();
            assert!(is_answer || message.get("method").is_some(), "{round}: {message}: {shown}");
        }
    }
}
