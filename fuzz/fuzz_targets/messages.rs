//! The message loop of `hookshell serve`: any bytes of a client. Each answer is one line of JSON.
#![no_main]

use std::io::{self, Cursor, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use hookshell_serve::protocol::{ErrorCode, InitializeParams, InitializeResult, RpcError};
use hookshell_serve::{Responder, Outbox, Questions, Server, Service, to_result};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use serde_json::value::RawValue;

struct Echo;

impl Service for Echo {
    fn initialize(&self, _: InitializeParams, _: Questions) -> Result<InitializeResult, RpcError> {
        Err(RpcError::new(ErrorCode::InvalidParams, "not here"))
    }

    fn call(&self, method: &str, _: Option<&RawValue>, responder: Responder) {
        responder.respond(to_result(&method));
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

fuzz_target!(|input: &[u8]| {
    let collected = Collected::default();
    let server = Server::new(Echo, Outbox::new(Box::new(collected.clone()), || ()));
    let (sender, ended) = channel();
    server.start(Cursor::new(input.to_vec()), move |how| sender.send(how).unwrap()).unwrap();
    ended.recv().unwrap();
    server.stop();
    let text = collected.0.lock().unwrap().clone();
    for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let message: Value = serde_json::from_slice(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
    }
});
