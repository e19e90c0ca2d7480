//! Spans of hooks' runs, sent to a collector of this process.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Run, hookshell};

/// How long a request of the exporter may take to come.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A collector that sends on what it is given: each request's line, content type (and key) and body.
fn collector() -> (String, Receiver<(String, String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = request(&stream);
            let answered = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}");
            if answered.is_err() || sender.send(request).is_err() {
                return;
            }
        }
    });
    (url, receiver)
}

fn request(stream: &TcpStream) -> (String, String, Value) {
    let mut reader = BufReader::new(stream);
    let (mut first, mut kind, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let (name, value) = line.trim().split_once(':').unwrap_or_default();
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.trim().parse().unwrap(),
            "content-type" => kind = value.trim().to_owned(),
            "x-key" => kind.push_str(&format!("; key {}", value.trim())),
            "" => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (first.trim().to_owned(), kind, serde_json::from_slice(&body).unwrap())
}

fn attributes(span: &Value) -> BTreeMap<String, Value> {
    let attributes = span["attributes"].as_array().unwrap().iter();
    attributes
        .map(|attribute| {
            let value = attribute["value"].as_object().unwrap().values().next().unwrap().clone();
            (attribute["key"].as_str().unwrap().to_owned(), value)
        })
        .collect()
}

const HOOKS: &str = r#"{"hooks":{"PreToolUse":[
    {"name":"guard","command":"echo 'a secret' >&2; exit 2"},
    {"name":"broken","command":"exit 7"}]}}"#;

fn run(directory: &Path, endpoint: &str) -> Run {
    std::fs::write(directory.join("crush.json"), HOOKS).unwrap();
    let args = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--input", r#"{"command":"secret"}"#];
    hookshell([&args[..], &["--session", "s1", "-v"]].concat()).cwd(directory).env("HOOKSHELL_OTLP_ENDPOINT", endpoint)
}

#[test]
fn each_hook_of_a_run_is_a_span() {
    let directory = tempfile::tempdir().unwrap();
    let (url, received) = collector();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let output =
        run(directory.path(), &url).env("TRACEPARENT", parent).env("HOOKSHELL_OTLP_HEADERS", "x-key=a%2Cb").output();
    assert_eq!(output.code, Some(2), "{output:?}");
    let (line, kind, body) = received.recv_timeout(MAX_WAIT).unwrap();
    assert_eq!((&*line, &*kind), ("POST /v1/traces HTTP/1.1", "application/json; key a,b"));
    let resource = &body["resourceSpans"][0];
    assert_eq!(attributes(&resource["resource"])["service.name"], "hookshell");
    let spans = resource["scopeSpans"][0]["spans"].as_array().unwrap();
    let [guard, broken] = spans.as_slice() else { panic!("{body}") };
    for span in [guard, broken] {
        assert_eq!(span["traceId"], "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(span["parentSpanId"], "b7ad6b7169203331");
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        assert_eq!(span["name"], "hook PreToolUse");
        let time = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") > 1_500_000_000_000_000_000);
        assert!(time("endTimeUnixNano") >= time("startTimeUnixNano"));
    }
    assert_ne!(guard["spanId"], broken["spanId"]);
    let of_guard = attributes(guard);
    let expected = [
        ("hookshell.event", "PreToolUse"),
        ("hookshell.hook", "guard"),
        ("hookshell.outcome", "Decided"),
        ("hookshell.decision", "deny"),
        ("gen_ai.tool.name", "bash"),
        ("session.id", "s1"),
        ("process.exit.code", "2"),
    ];
    for (key, value) in expected {
        assert_eq!(of_guard[key], value, "{key}");
    }
    assert_eq!(of_guard["hookshell.halt"], false);
    assert_eq!(guard.get("status"), None);
    assert_eq!((&broken["status"]["code"], &broken["status"]["message"]), (&2.into(), &"ExitCode".into()));
    assert!(!body.to_string().contains("secret"), "payloads are not sent: {body}");
}

#[test]
fn a_session_of_serve_sends_the_spans_of_each_event() {
    let directory = tempfile::tempdir().unwrap();
    let (url, received) = collector();
    std::fs::write(directory.path().join("crush.json"), HOOKS).unwrap();
    let mut lines =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol_version":1}}"#.to_owned() + "\n";
    for id in 2..4 {
        lines += &format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"hooks/run\",\"params\":{{\"event\":\"PreToolUse\",\"tool\":\"t{id}\",\"input\":{{}}}}}}\n"
        );
    }
    let serve = hookshell(["serve", "--config", "crush.json"]).cwd(directory.path());
    let mut child = serve.env("HOOKSHELL_OTLP_ENDPOINT", &url).start_open();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    let mut tools: Vec<Value> = Vec::new();
    let mut traces: Vec<Value> = Vec::new();
    for _ in 2..4 {
        let (_, _, body) = received.recv_timeout(MAX_WAIT).unwrap();
        let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        tools.push(attributes(span)["gen_ai.tool.name"].clone());
        traces.push(span["traceId"].clone());
        assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(span.get("parentSpanId"), None);
    }
    tools.sort_by_key(Value::to_string);
    assert_eq!(tools, ["t2", "t3"]);
    assert_ne!(traces[0], traces[1]);
    // The end of the input ends it.
    drop(stdin);
    let output = support::finish(child);
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn a_collector_that_is_not_there_or_hangs_changes_no_verdict() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody listens at the port of a listener that is gone.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = run(directory.path(), &format!("http://{gone}")).output();
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("HOOKSHELL_OTLP_ENDPOINT: http://127.0.0.1:"), "{}", output.stderr);
    // It takes the connection and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let began = Instant::now();
    let output = run(directory.path(), &format!("http://{}", silent.local_addr().unwrap())).output();
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "it waits two seconds at most, and took {:?}", began.elapsed());
    assert!(output.stderr.contains("HOOKSHELL_OTLP_ENDPOINT: http://127.0.0.1:"), "{}", output.stderr);
}

#[test]
fn what_a_collector_does_not_take_is_said_without_a_password() {
    let directory = tempfile::tempdir().unwrap();
    for status in ["307 Moved\r\nlocation: http://127.0.0.1:1/", "401 No", "503 Busy"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answering = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            request(&stream);
            let answer = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let output = run(directory.path(), &format!("http://user:password@{address}")).output();
        answering.join().unwrap();
        assert_eq!(output.code, Some(2), "{output:?}");
        let said = format!("HOOKSHELL_OTLP_ENDPOINT: http://{address}/v1/traces: http status: {}\n", &status[..3]);
        assert!(output.stderr.contains(&said) && !output.stderr.contains("password"), "{said}: {}", output.stderr);
    }
}
