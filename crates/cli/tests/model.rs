//! `hookshell run` with hooks that ask a language model: a server in this process that speaks its protocol.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde_json::{Value, json};
use support::{Output, hookshell};

/// A server that gives these messages, one for each request, and sends what it was asked.
fn server(messages: Vec<Value>) -> (String, std::sync::mpsc::Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for message in messages {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = sender.send(request(&stream));
            let body = json!({"choices": [{"message": message}]}).to_string();
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
        }
    });
    (url, receiver)
}

fn request(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn run(dir: &Path, hook: &str, variables: &[(&str, &str)]) -> (Output, Value) {
    std::fs::write(dir.join("c.json"), format!("{{\"hooks\":{{\"PreToolUse\":[{hook}]}}}}")).unwrap();
    let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--input", r#"{"command":"ls"}"#];
    let mut run = hookshell(args).cwd(dir);
    for (name, value) in variables {
        run = run.env(name, value);
    }
    let output = run.output();
    let verdict = serde_json::from_str(&output.stdout).unwrap();
    (output, verdict)
}

#[test]
fn a_prompt_hook_asks_the_server_that_the_environment_names() {
    let dir = tempfile::tempdir().unwrap();
    let (url, asked) = server(vec![says(r#"No: {"allow": false, "reason": "not today"}"#)]);
    let variables = [("HOOKSHELL_LLM_URL", url.as_str()), ("HOOKSHELL_LLM_MODEL", "small")];
    let (output, verdict) = run(dir.path(), r#"{"type":"prompt","prompt":"Safe?"}"#, &variables);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(verdict["reason"], "not today");
    assert_eq!(verdict["hooks"][0]["name"], "Safe?");
    assert_eq!(verdict["hooks"][0]["route"], "prompt to the default model");
    assert_eq!(asked.recv().unwrap()["model"], "small");
}

#[test]
fn without_a_server_the_hook_fails_and_says_what_to_set() {
    let dir = tempfile::tempdir().unwrap();
    let (output, verdict) = run(dir.path(), r#"{"type":"prompt","prompt":"Safe?"}"#, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(verdict["hooks"][0]["outcome"], "NoModel");
    assert!(verdict["hooks"][0]["reason"].as_str().unwrap().contains("set HOOKSHELL_LLM_URL"), "{verdict}");
    let strict = r#"{"type":"prompt","prompt":"Safe?","on_failure":"deny"}"#;
    assert_eq!(run(dir.path(), strict, &[]).0.code, Some(2));
}

#[test]
fn an_agent_hook_reads_the_project_before_it_decides() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("policy.txt"), "no ls\n").unwrap();
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"policy.txt\"}"}}]});
    let (url, asked) = server(vec![call, says("The policy is clear.\nDENY: no ls here")]);
    let variables = [("HOOKSHELL_LLM_URL", url.as_str()), ("HOOKSHELL_LLM_MODEL", "small")];
    let hook = r#"{"type":"agent","name":"policy","prompt":"Does policy.txt allow it?","model":"big"}"#;
    let (output, verdict) = run(dir.path(), hook, &variables);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(verdict["reason"], "no ls here");
    let first = asked.recv().unwrap();
    assert_eq!(first["model"], "big");
    let names: Vec<_> =
        first["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(names, ["read", "glob", "grep"]);
    assert_eq!(first["tools"][0]["function"]["parameters"]["required"], json!(["path"]));
    let second = asked.recv().unwrap();
    assert_eq!(second["messages"][1]["tool_calls"][0]["function"]["arguments"], "{\"path\":\"policy.txt\"}");
    assert_eq!(second["messages"][2], json!({"role": "tool", "content": "1\tno ls\n", "tool_call_id": "t1"}));
}
