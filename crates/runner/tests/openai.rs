//! The client of OpenAI-compatible servers, against a server in this process that speaks the same protocol.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use hookshell_runner::Environment;
use hookshell_runner::{Config, Decision, Event, OpenAiClient, Runner, ToolInput, Verdict};
use serde_json::{Value, json};

/// What the server does with one request.
#[derive(Clone)]
enum Act {
    /// Status, headers and body.
    Reply(u16, &'static str, String),
    /// These bytes as they are, and the end of the connection.
    Raw(String),
    /// Nothing, with the connection open.
    Silence,
}

/// A server that goes through its acts, one for each request.
struct Server {
    url: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    fn new(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for act in acts {
                let Ok((mut stream, _)) = listener.accept() else { return };
                kept.lock().unwrap().push(request(&stream));
                // A client that has gone is no failure of the server's.
                let _ = match act {
                    Act::Reply(status, headers, body) => write!(
                        stream,
                        "HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
                        body.len()
                    ),
                    Act::Raw(text) => stream.write_all(text.as_bytes()),
                    Act::Silence => {
                        open.push(stream);
                        Ok(())
                    }
                };
            }
            // Silent connections stay open until the client goes.
            for mut stream in open {
                let _ = stream.read(&mut [0]);
            }
        });
        Self { url, requests }
    }
}

/// The head of a request and its body.
fn request(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
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
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

fn completion(text: &str) -> String {
    json!({"id": "c", "object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
    .to_string()
}

fn run(client: OpenAiClient, timeout: f64) -> Verdict {
    let config = format!(
        "{{\"hooks\":{{\"PreToolUse\":[{{\"type\":\"prompt\",\"prompt\":\"Safe?\",\"timeout\":{timeout}}}]}}}}"
    );
    let config = Config::parse(&config, "c.json").unwrap();
    let runner = Runner::builder().config(config).env(Environment::new()).llm_client(client).build().unwrap();
    let event = Event::pre_tool_use("bash", ToolInput::parse(r#"{"command":"ls"}"#).unwrap(), std::env::temp_dir());
    runner.run_blocking(&event)
}

/// `outcome decision reason`, the server's address as URL.
fn show(server: &Server, timeout: f64) -> String {
    let verdict = run(OpenAiClient::new(&server.url).with_model("m"), timeout);
    let hook = &verdict.hooks[0];
    let reason = hook.opinion.reason.as_deref().unwrap_or("-").replace(&server.url, "URL");
    format!("{} {} {reason}", hook.outcome.as_str(), hook.opinion.decision.map_or("-", Decision::as_str))
}

#[test]
fn a_decision_comes_over_http() {
    let server = Server::new(vec![Act::Reply(200, "", completion(r#"{"allow":false,"reason":"no"}"#))]);
    let client = OpenAiClient::new(format!("{}/", server.url)).with_model("small").with_key("k-1");
    assert_eq!(
        format!("{client:?}"),
        format!("OpenAiClient {{ base_url: {:?}, key: Some(\"…\"), model: Some(\"small\"), .. }}", server.url)
    );
    let verdict = run(client, 60.0);
    assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
    assert_eq!(verdict.opinion.reason.as_deref(), Some("no"));
    let requests = server.requests.lock().unwrap();
    let (head, body) = &requests[0];
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.to_ascii_lowercase().contains("\r\nauthorization: bearer k-1\r\n"), "{head}");
    assert_eq!(body["model"], "small");
    assert_eq!(body["max_tokens"], 2048);
    assert_eq!(body["messages"][0]["role"], "system");
    assert_eq!(body["messages"][1]["role"], "user");
    assert!(body["messages"][1]["content"].as_str().unwrap().starts_with("Safe?\n\nThe event:\n{\"event\":"));
    assert_eq!(body.get("tools"), None);
}

#[test]
fn what_is_no_answer_is_a_failure_that_says_why() {
    let good = || Act::Reply(200, "", completion(r#"{"allow":true}"#));
    let at_once = "retry-after: 0\r\n";
    let busy = |status| Act::Reply(status, at_once, r#"{"error":{"message":"too\nmany"}}"#.to_owned());
    let ok = |body: &str| vec![Act::Reply(200, "", body.to_owned())];
    let no_completion =
        "Model - the model gave no answer: URL/chat/completions answered with what is no chat completion: ";
    let cases: Vec<(Vec<Act>, f64, String)> = vec![
        (vec![busy(429), good()], 60.0, "Decided allow -".to_owned()),
        (vec![busy(503), good()], 60.0, "Decided allow -".to_owned()),
        (
            vec![busy(429), busy(429)],
            60.0,
            "Model - the model gave no answer: URL/chat/completions answered with status 429: too many".to_owned(),
        ),
        (
            vec![Act::Reply(500, at_once, "oops".to_owned()), Act::Reply(500, at_once, String::new())],
            60.0,
            "Model - the model gave no answer: URL/chat/completions answered with status 500".to_owned(),
        ),
        // There is no time for the second try.
        (
            vec![Act::Reply(429, "retry-after: 600\r\n", String::new())],
            60.0,
            "Model - the model gave no answer: URL/chat/completions answered with status 429".to_owned(),
        ),
        (
            vec![Act::Reply(401, "", r#"{"error":"bad key"}"#.to_owned())],
            60.0,
            "Model - the model gave no answer: URL/chat/completions answered with status 401: bad key".to_owned(),
        ),
        (
            vec![Act::Reply(302, "location: http://127.0.0.1:1/\r\n", String::new())],
            60.0,
            "Model - the model gave no answer: URL/chat/completions answered with status 302".to_owned(),
        ),
        (vec![Act::Silence], 0.2, "TimedOut - timed out after 0.2 s".to_owned()),
        (
            vec![Act::Raw("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"choices\":[".to_owned())],
            60.0,
            format!("{no_completion}it is cut off"),
        ),
        (ok("<html>a proxy's page</html>"), 60.0, format!("{no_completion}expected value at line 1 column 1")),
        (ok("{}"), 60.0, format!("{no_completion}{{}}")),
        (ok(r#"{"error":{"message":"no such model"}}"#), 60.0, format!("{no_completion}no such model")),
        (vec![Act::Raw("SSH-2.0-OpenSSH\r\n\r\n".to_owned())], 60.0, "Model - the model gave no answer: ".to_owned()),
        (
            ok(r#"{"choices":[{"message":{"content":"{\"allow\":true}"},"finish_reason":"length"}]}"#),
            60.0,
            "BadAnswer - the model's answer is no decision: it was cut off".to_owned(),
        ),
        (
            ok(r#"{"choices":[{"message":{"content":null}}]}"#),
            60.0,
            "BadAnswer - the model's answer is no decision: it has no object with `allow`".to_owned(),
        ),
        (
            ok(r#"{"choices":[{"message":{"content":[{"type":"text","text":"{\"allow\":true}"}]}}]}"#),
            60.0,
            "Decided allow -".to_owned(),
        ),
    ];
    for (index, (acts, timeout, expected)) in cases.into_iter().enumerate() {
        let shown = show(&Server::new(acts), timeout);
        assert!(shown.starts_with(&expected), "case {index}: {shown}\n    expected: {expected}");
    }
}

#[test]
fn a_server_that_is_not_there_and_a_missing_model_are_failures() {
    // Bound and closed again: nobody listens there.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let verdict = run(OpenAiClient::new(format!("http://{gone}/v1")).with_model("m"), 60.0);
    assert_eq!(verdict.hooks[0].outcome.as_str(), "Model");
    let reason = verdict.hooks[0].opinion.reason.clone().unwrap();
    assert!(reason.contains(&format!("cannot reach http://{gone}/v1/chat/completions: ")), "{reason}");

    let verdict = run(OpenAiClient::new("http://127.0.0.1:1"), 60.0);
    assert!(verdict.hooks[0].opinion.reason.as_deref().unwrap().contains("no model is named"));

    let verdict = run(OpenAiClient::new("no address").with_model("m"), 60.0);
    assert_eq!(verdict.hooks[0].outcome.as_str(), "Model", "{:?}", verdict.hooks[0].opinion.reason);
}
