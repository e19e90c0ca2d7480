//! A client of `hookshell serve`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use hookshell_test_support::MAX_WAIT;
use serde_json::{Value, json};

use crate::support::{self, hookshell};

/// A client.
pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) received: Receiver<Value>,
    next: i64,
}

impl Client {
    pub(crate) fn raw() -> Self {
        Self::with(hookshell(["serve"]))
    }

    pub(crate) fn with(run: support::Run) -> Self {
        let mut child = run.start_open();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        Self { received: receive(stdout), child, stdin, next: 0 }
    }

    /// A client that was initialized with these defaults.
    pub(crate) fn new(defaults: Value) -> Self {
        Self::of(hookshell(["serve"]), json!({}), defaults)
    }

    pub(crate) fn of(run: support::Run, capabilities: Value, defaults: Value) -> Self {
        let mut client = Self::with(run);
        let params = json!({"protocol_version": 1, "capabilities": capabilities, "defaults": defaults});
        assert!(client.result("initialize", params)["protocol_version"] == 1);
        client
    }

    pub(crate) fn line(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.line(message.to_string().as_bytes());
    }

    /// Sends a request and gives its `id`.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn next(&mut self) -> Value {
        self.received.recv_timeout(MAX_WAIT).expect("a message in time")
    }

    /// The answer to a request, and what came before it.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> (Value, Vec<Value>) {
        let id = id.into();
        let mut before = Vec::new();
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return (message, before);
            }
            before.push(message);
        }
    }

    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let (answer, _) = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn error(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let (answer, _) = self.answer(id);
        assert!(answer.get("result").is_none(), "{answer}");
        answer["error"].clone()
    }

    /// It still does its work.
    pub(crate) fn is_well(&mut self) {
        assert_eq!(self.result("shell/exec", json!({"command": "exit 7"}))["exit_code"], 7);
    }

    /// Waits for the end of the process.
    pub(crate) fn exit_code(mut self) -> Option<i32> {
        self.stdin = None;
        let until = Instant::now() + MAX_WAIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn receive(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let Ok(line) = line else { return };
            let message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    received
}

/// A config that denies what has `rm` in it, and options for it.
pub(crate) fn guarded(directory: &Path) -> Value {
    let config = directory.join("crush.json");
    write_guard(&config, "not that");
    json!({"configs": [config], "cwd": directory})
}

pub(crate) fn write_guard(config: &Path, reason: &str) {
    let command = format!("case $CRUSH_TOOL_INPUT_COMMAND in (*rm*) echo '{reason}' >&2; exit 2;; esac");
    let hooks = json!({"hooks": {"PreToolUse": [{"name": "guard", "status_message": "looking", "command": command}]}});
    std::fs::write(config, hooks.to_string()).unwrap();
}

pub(crate) fn call(command: &str) -> Value {
    json!({"event": "PreToolUse", "tool": "bash", "input": {"command": command}})
}
