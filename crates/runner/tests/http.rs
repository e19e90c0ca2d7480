//! Hooks of the type `http`, against a server in this process.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use hookshell_runner::{
    Config, Decision, Dialect, Environment, Event, HookReport, OnFailure, Runner, ToolInput, Trust, Verdict,
};
use serde_json::{Value, json};

/// A request that came.
#[derive(Debug)]
struct Received {
    /// Its lines, without the body.
    head: String,
    body: String,
}

impl Received {
    /// What stands in the headers of this name.
    fn header(&self, name: &str) -> Vec<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
    }
}

/// A server that does the same with each request.
struct Server {
    url: String,
    received: Receiver<Received>,
}

impl Server {
    fn new(answer: impl Fn(&Received, TcpStream) + Send + Sync + Clone + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, received) = channel();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let (sender, answer) = (sender.clone(), answer.clone());
                std::thread::spawn(move || {
                    if let Some(request) = request(&stream) {
                        answer(&request, stream);
                        let _ = sender.send(request);
                    }
                });
            }
        });
        Self { url, received }
    }

    /// One that answers with a status, headers and a body.
    fn answering(status: u16, headers: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self::new(move |_, stream| reply(stream, status, headers, &body))
    }

    /// How many requests came.
    fn count(&self) -> usize {
        self.received.try_iter().count()
    }
}

/// A client that has gone is no failure of the server's.
fn reply(mut stream: TcpStream, status: u16, headers: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
}

fn request(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { head, body: String::from_utf8_lossy(&body).into_owned() })
}

/// A config of Claude Code's with these hooks on PreToolUse.
fn claude(hooks: &Value) -> Config {
    config(Dialect::Claude, &json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
}

fn config(dialect: Dialect, config: &Value) -> Config {
    let text = config.to_string();
    let mut config = Config::in_dialect(Some(dialect));
    let errors = config.add(&text, "settings.json");
    assert!(errors.is_empty(), "{text}: {errors:?}");
    config
}

fn event() -> Event {
    let input = ToolInput::parse(r#"{"command":"ls -l"}"#).unwrap();
    Event::pre_tool_use("Bash", input, std::env::temp_dir()).with_session_id("s1")
}

const VARIABLES: [(&str, &str); 4] =
    [("TOKEN", "t-1"), ("SECRET", "s-1"), ("LINES", "one\r\nx-evil: two"), ("COPILOT_HOOK_ALLOW_LOCALHOST", "1")];

fn run(config: Config, event: &Event) -> Verdict {
    let runner = Runner::builder().config(config).env(VARIABLES).trust(|_: &_, _: &_| Trust::Trusted).build().unwrap();
    runner.run_blocking(event)
}

fn run_one(config: Config) -> HookReport {
    run(config, &event()).hooks.remove(0)
}

/// `outcome decision reason`, the server's address as URL.
fn show(hook: &HookReport, server: &Server) -> String {
    let reason = hook.opinion.reason.as_deref().unwrap_or("-").replace(&server.url, "URL");
    format!("{} {} {reason}", hook.outcome.as_str(), hook.opinion.decision.map_or("-", Decision::as_str))
}

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

#[test]
fn the_event_is_posted_and_the_answer_counts() {
    let server = Server::answering(200, "", DENY);
    let verdict = run(claude(&json!([{"type": "http", "url": server.url}])), &event());
    assert_eq!((verdict.opinion.decision, verdict.opinion.reason.as_deref()), (Some(Decision::Deny), Some("no")));
    let hook = &verdict.hooks[0];
    assert_eq!((hook.name.as_str(), hook.exit_code), (server.url.as_str(), None));
    assert_eq!(hook.route, Some(format!("POST {}", server.url)));
    let received = server.received.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(received.head.starts_with("POST /hook HTTP/1.1\r\n"), "{received:?}");
    assert_eq!(received.header("content-type"), ["application/json"]);
    let payload: Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!((&payload["hook_event_name"], &payload["tool_name"]), (&json!("PreToolUse"), &json!("Bash")));
    assert_eq!(payload["tool_input"], json!({"command": "ls -l"}));
}

#[test]
fn claude_code_takes_json_of_a_good_answer_and_nothing_else() {
    let failed = |what: &str| format!("Http - the server gave no answer: {what}");
    let cases: Vec<(u16, &'static str, Vec<u8>, String)> = vec![
        (200, "", b"".into(), "NoOpinion - -".to_owned()),
        (200, "", b" \r\n".into(), "NoOpinion - -".to_owned()),
        (204, "", b"".into(), "NoOpinion - -".to_owned()),
        (200, "", b"{}".into(), "NoOpinion - -".to_owned()),
        (200, "content-type: text/html\r\n", DENY.into(), "Decided deny no".to_owned()),
        (201, "", DENY.into(), "Decided deny no".to_owned()),
        (299, "", format!(" \u{feff}{DENY}\n").trim_start().into(), "Decided deny no".to_owned()),
        (200, "", b"{\"decision\":\"block\",\"reason\":\"d\xe9ny\"}".into(), "Decided deny d\u{fffd}ny".to_owned()),
        (
            200,
            "",
            b"denied".into(),
            failed("Claude Code takes only a JSON object for an answer, and it begins with \"denied\""),
        ),
        (
            200,
            "",
            format!("[{DENY}]").into(),
            failed(&format!(
                "Claude Code takes only a JSON object for an answer, and it begins with {:?}",
                format!("[{DENY}").chars().take(60).collect::<String>()
            )),
        ),
        (
            200,
            "",
            b"{\"decision\":\"block\"".into(),
            failed("its answer is no JSON: EOF while parsing an object at line 1 column 19"),
        ),
        (300, "", DENY.into(), failed("URL answered with status 300, and redirects are not followed")),
        (400, "", DENY.into(), failed("URL answered with status 400")),
        (403, "", DENY.into(), failed("URL answered with status 403")),
        (500, "", b"".into(), failed("URL answered with status 500")),
        (503, "retry-after: 0\r\n", DENY.into(), failed("URL answered with status 503")),
    ];
    for (status, headers, body, expected) in cases {
        let server = Server::answering(status, headers, body.clone());
        let hook = run_one(claude(&json!([{"type": "http", "url": server.url}])));
        assert_eq!(show(&hook, &server), expected, "{status} {}", String::from_utf8_lossy(&body));
        std::thread::sleep(Duration::from_millis(1));
        // It is asked once.
        assert_eq!(server.received.recv_timeout(Duration::from_secs(20)).is_ok() as usize + server.count(), 1);
        if status >= 300 && body == DENY.as_bytes() {
            let lost = "Claude Code ignores this answer: ";
            assert!(hook.warnings.iter().any(|warning| warning.starts_with(lost)), "{:?}", hook.warnings);
        }
    }
}

#[test]
fn a_failure_denies_where_the_hook_says_so() {
    let server = Server::answering(500, "", "");
    let mut own = Config::default();
    let given = claude(&json!([{"type": "http", "url": server.url}]));
    let mut hook = given.hooks()[0].clone();
    hook.on_failure = OnFailure::Deny;
    own.push(hook);
    let verdict = run(own, &event());
    assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
}

#[test]
fn no_redirect_is_followed() {
    let other = Server::answering(200, "", DENY);
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}\r\n", other.url);
        let server = Server::new(move |_, stream| reply(stream, status, &location, b""));
        let hook = run_one(claude(&json!([{"type": "http", "url": server.url}])));
        assert_eq!(
            show(&hook, &server),
            format!(
                "Http - the server gave no answer: URL answered with status {status}, and redirects are not followed"
            )
        );
    }
    assert_eq!(other.count(), 0);
}

#[test]
fn what_is_no_answer_in_time_is_a_failure() {
    type Answer = fn(&Received, TcpStream);
    let silence: Answer = |_, stream| {
        let _ = (&stream).read(&mut [0]);
    };
    let trickle: Answer = |_, mut stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", DENY.len());
        for byte in DENY.bytes() {
            if stream.write_all(&[byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let headers: Answer = |_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x: y\r\n").is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    for (name, answer) in [("silence", silence), ("trickle", trickle), ("headers", headers)] {
        let server = Server::new(answer);
        let started = Instant::now();
        let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "timeout": 0.5}])));
        assert_eq!(show(&hook, &server), "TimedOut - timed out after 0.5 s", "{name}");
        assert!(started.elapsed() < Duration::from_secs(10), "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn a_server_that_does_not_read_is_not_waited_for_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let kept = std::thread::spawn(move || listener.accept().unwrap());
    let input = ToolInput::parse(&json!({"command": "x".repeat(16 << 20)}).to_string()).unwrap();
    let event = Event::pre_tool_use("Bash", input, std::env::temp_dir());
    let started = Instant::now();
    let hook = run(claude(&json!([{"type": "http", "url": url, "timeout": 0.7}])), &event).hooks.remove(0);
    assert_eq!(hook.outcome.as_str(), "TimedOut", "{:?}", hook.opinion.reason);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    drop(kept.join());
}

#[test]
fn an_answer_that_is_broken_is_none() {
    let cut = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{DENY}", DENY.len() + 9);
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n{DENY}", "x: y\r\n".repeat(100_000));
    for (name, text) in [
        ("nothing", ""),
        ("no HTTP", "hello\r\n"),
        ("cut off", cut.as_str()),
        ("two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x"),
        ("many headers", many.as_str()),
        ("packed", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\n\r\n{\"decision\":\"block\"}"),
        ("a chunk that is too short", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{}"),
    ] {
        let text = text.to_owned();
        let server = Server::new(move |_, mut stream| drop(stream.write_all(text.as_bytes())));
        let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "timeout": 20}])));
        assert_eq!((hook.outcome.as_str(), hook.opinion.decision), ("Http", None), "{name}: {:?}", hook.opinion.reason);
    }
    // One that never comes to its answer.
    let server = Server::new(|_, mut stream| {
        let again = b"HTTP/1.1 102 Processing\r\n\r\n".repeat(1000);
        while stream.write_all(&again).is_ok() {}
    });
    let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "timeout": 20}])));
    assert_eq!(hook.outcome.as_str(), "Http", "{:?}", hook.opinion.reason);
    // Nobody listens there.
    let url = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    let hook = run_one(claude(&json!([{"type": "http", "url": url, "timeout": 20}])));
    assert_eq!(hook.outcome.as_str(), "Http", "{:?}", hook.opinion.reason);
}

#[test]
fn an_answer_does_not_grow_without_end() {
    let server = Server::new(|_, mut stream| {
        let block = vec![b' '; 1 << 16];
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{}");
        while stream.write_all(&block).is_ok() {}
    });
    let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "timeout": 60}])));
    assert_eq!(show(&hook, &server), "Http - the server gave no answer: its answer is larger than 16777216 bytes");

    let large = [DENY.as_bytes(), &vec![b' '; 15 << 20]].concat();
    let server = Server::answering(200, "", large);
    let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "timeout": 60}])));
    assert_eq!(show(&hook, &server), "Decided deny no");
}

#[test]
fn headers_have_only_variables_that_are_allowed() {
    let cases = [
        (json!({"X-A": "plain"}), json!([]), vec!["plain"]),
        (json!({"X-A": "Bearer $TOKEN"}), json!(["TOKEN"]), vec!["Bearer t-1"]),
        (json!({"X-A": "a${TOKEN}b"}), json!(["TOKEN", "SECRET"]), vec!["at-1b"]),
        (json!({"X-A": "a${SECRET}b$SECRET"}), json!(["TOKEN"]), vec!["ab"]),
        (json!({"X-A": "a$TOKEN"}), json!([]), vec!["a"]),
        (json!({"X-A": "a$UNSET"}), json!(["UNSET"]), vec!["a"]),
        (json!({"X-A": "a$LINES"}), json!(["LINES"]), vec!["aonex-evil: two"]),
        (json!({"X-A": "a\r\nX-Evil: b"}), json!([]), vec!["aX-Evil: b"]),
        (json!({"x-a": "1", "X-A": "2"}), json!([]), vec!["2"]),
    ];
    let server = Server::answering(200, "", "{}");
    for (headers, allowed, expected) in cases {
        let hook = json!({"type": "http", "url": server.url, "headers": headers, "allowedEnvVars": allowed});
        let hook = run_one(claude(&json!([hook])));
        assert_eq!(hook.outcome.as_str(), "NoOpinion", "{headers}: {:?}", hook.opinion.reason);
        let received = server.received.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(received.header("x-a"), expected, "{headers}");
        assert!(received.header("x-evil").is_empty(), "{received:?}");
        assert!(allowed.to_string().contains("SECRET") || !received.head.contains("s-1"), "{received:?}");
    }
    // A name that would break out, and what says where the request ends.
    for headers in [json!({"X-A\r\nX-Evil": "b"}), json!({"X A": "b"})] {
        let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "headers": headers}])));
        assert_eq!(hook.outcome.as_str(), "Http", "{headers}");
        assert_eq!(server.count(), 0, "{headers}");
    }
    // What says where the request ends is not the config's to say.
    let headers = json!({"Content-Length": "2", "transfer-encoding": "chunked", "X-A": "a"});
    let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "headers": headers}])));
    assert_eq!(hook.outcome.as_str(), "NoOpinion", "{:?}", hook.opinion.reason);
    let received = server.received.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(received.header("content-length"), [received.body.len().to_string()]);
    assert!(received.header("transfer-encoding").is_empty() && received.body.ends_with("}\n"), "{received:?}");
}

#[test]
fn copilot_cli_reads_answers_by_its_own_rules() {
    let deny = r#"{"permissionDecision":"deny","permissionDecisionReason":"no"}"#;
    let cases = [
        (200, deny, "Decided deny no"),
        (204, "", "NoOpinion - -"),
        (200, "{}", "NoOpinion - -"),
        (404, "", "Decided deny URL answered with status 404"),
        (302, "", "Decided deny URL answered with status 302, and redirects are not followed"),
        (500, deny, "Decided deny URL answered with status 500"),
        (
            200,
            "no",
            "Http - the server gave no answer: Copilot CLI ignores this answer: it is no JSON: expected ident at line 1 column 2",
        ),
    ];
    let hook =
        |url: &str| json!({"version": 1, "hooks": {"preToolUse": [{"type": "http", "url": url, "timeoutSec": 20}]}});
    for (status, body, expected) in cases {
        let server = Server::answering(status, "", body);
        let hook = run_one(config(Dialect::Copilot, &hook(&server.url)));
        assert_eq!(show(&hook, &server), expected, "{status} {body}");
    }
    // A permission is not given without an answer either.
    for (status, body, expected) in [
        (500, "", "Decided deny URL answered with status 500"),
        (200, "no", "Decided deny its answer is no JSON: expected ident at line 1 column 2"),
        (200, "", "NoOpinion - -"),
    ] {
        let server = Server::answering(status, "", body);
        let hook = json!({"type": "http", "url": server.url, "timeoutSec": 20});
        let config = config(Dialect::Copilot, &json!({"version": 1, "hooks": {"permissionRequest": [hook]}}));
        let event = Event::permission_request("bash", ToolInput::default(), std::env::temp_dir());
        assert_eq!(show(&run(config, &event).hooks[0], &server), expected, "{status} {body}");
    }
    // Too late is no denial.
    let server = Server::new(|_, stream| drop((&stream).read(&mut [0])));
    let late = json!({"version": 1, "hooks": {"preToolUse": [{"type": "http", "url": server.url, "timeoutSec": 0.4}]}});
    assert_eq!(show(&run_one(config(Dialect::Copilot, &late)), &server), "TimedOut - timed out after 0.4 s");
    // A variable with lines in it fails, and is not cut to one.
    let server = Server::answering(200, "", "{}");
    let lines = json!({"version": 1, "hooks": {"preToolUse": [
        {"type": "http", "url": server.url, "headers": {"X-A": "$LINES"}, "allowedEnvVars": ["LINES"]}]}});
    let lines = run_one(config(Dialect::Copilot, &lines));
    assert_eq!(
        show(&lines, &server),
        "Decided deny the value of the header \"X-A\" has a character that no header can have"
    );
    assert_eq!(server.count(), 0);
}

#[test]
fn copilot_cli_sends_what_decides_only_encrypted_and_nothing_to_this_machine() {
    let server = Server::answering(200, "", "{}");
    let run = |event: &str, names: Value, variables: &[(&str, &str)]| {
        let hook = json!({"type": "http", "url": server.url, "allowedEnvVars": names});
        let config = config(Dialect::Copilot, &json!({"version": 1, "hooks": {event: [hook]}}));
        let env: Environment = variables.iter().copied().collect();
        let runner = Runner::builder().config(config).env(env).build().unwrap();
        let input = ToolInput::default();
        let event = match event {
            "preToolUse" => Event::pre_tool_use("bash", input, std::env::temp_dir()),
            _ => Event::post_tool_use("bash", input, hookshell_runner::JsonText::default(), std::env::temp_dir()),
        };
        let hook = runner.run_blocking(&event).hooks.remove(0);
        let sent = server.received.recv_timeout(Duration::from_millis(if hook.outcome.as_str() == "NoOpinion" {
            20_000
        } else {
            1
        }));
        format!("{} {} {}", hook.outcome.as_str(), hook.opinion.decision.map_or("-", Decision::as_str), sent.is_ok())
    };
    let (local, of_auth) = (("COPILOT_HOOK_ALLOW_LOCALHOST", "1"), ("COPILOT_HOOK_ALLOW_HTTP_AUTH_HOOKS", "1"));
    let cases = [
        ("preToolUse", json!([]), vec![], "Http - false"),
        ("preToolUse", json!([]), vec![("COPILOT_HOOK_ALLOW_LOCALHOST", "true")], "Http - false"),
        ("preToolUse", json!([]), vec![of_auth], "Decided deny false"),
        ("preToolUse", json!([]), vec![local], "NoOpinion - true"),
        ("preToolUse", json!(["A"]), vec![local], "NoOpinion - true"),
        ("preToolUse", json!(["A"]), vec![of_auth], "Http - false"),
        ("postToolUse", json!([]), vec![], "Http - false"),
        ("postToolUse", json!(["A"]), vec![], "Http - false"),
        ("postToolUse", json!([]), vec![local], "NoOpinion - true"),
    ];
    for (event, names, variables, expected) in cases {
        assert_eq!(run(event, names.clone(), &variables), expected, "{event} {names} {variables:?}");
    }
}

#[test]
fn the_headers_of_the_later_of_two_with_one_address_are_sent() {
    let server = Server::answering(200, "", "{}");
    let hook = |value: &str| json!({"type": "http", "url": server.url, "headers": {"X-A": value}});
    let verdict = run(claude(&json!([hook("1"), hook("2")])), &event());
    assert_eq!(verdict.hooks.len(), 1);
    let received = server.received.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!((received.header("x-a"), server.count()), (vec!["2"], 0));
}

#[test]
fn a_name_and_a_password_in_the_address_are_sent_and_not_shown() {
    let server = Server::answering(500, "", "");
    let url = server.url.replace("//", "//user:p%40ss@");
    let hook = run_one(claude(&json!([{"type": "http", "url": url}])));
    assert_eq!(show(&hook, &server), "Http - the server gave no answer: URL answered with status 500");
    let received = server.received.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(received.header("authorization"), ["Basic dXNlcjpwQHNz"]);
    let shown = format!("{} {:?}", hook.name, hook.route);
    assert!(!shown.contains("user") && !shown.contains("p%40ss"), "{shown}");
}

#[test]
fn claude_code_runs_none_on_session_start() {
    let server = Server::answering(200, "", "{}");
    let given = config(
        Dialect::Claude,
        &json!({"hooks": {"SessionStart": [{"hooks": [{"type": "http", "url": server.url}]}]}}),
    );
    let event = Event::session_start("startup", std::env::temp_dir());
    let hook = run(given, &event).hooks.remove(0);
    let reason = "the server gave no answer: Claude Code runs no hooks of the type `http` on SessionStart";
    assert_eq!((hook.outcome.as_str(), hook.opinion.reason.as_deref(), server.count()), ("Http", Some(reason), 0));
}

#[test]
fn a_hook_that_says_async_is_waited_for_all_the_same() {
    let server = Server::answering(200, "", DENY);
    let hook = run_one(claude(&json!([{"type": "http", "url": server.url, "async": true}])));
    assert_eq!(show(&hook, &server), "Decided deny no");
}

#[test]
fn hooks_run_at_the_same_time() {
    let server = Server::new(|_, stream| {
        std::thread::sleep(Duration::from_millis(700));
        reply(stream, 200, "", b"{}");
    });
    let hook = |n: usize| json!({"type": "http", "url": format!("{}/{n}", server.url)});
    let hooks = Value::Array((0..6).map(hook).collect());
    let started = Instant::now();
    let verdict = run(claude(&hooks), &event());
    assert!(verdict.hooks.iter().all(|hook| hook.outcome.as_str() == "NoOpinion"), "{:?}", verdict.hooks);
    assert!(started.elapsed() < Duration::from_millis(3500), "{:?}", started.elapsed());
}

#[test]
fn a_run_that_is_dropped_lets_go_of_the_server() {
    let server = Server::new(|_, stream| {
        // It ends when the client goes.
        let _ = (&stream).read(&mut [0]);
    });
    let runner = Runner::builder()
        .config(claude(&json!([{"type": "http", "url": server.url, "timeout": 600}])))
        .env(Environment::new())
        .build()
        .unwrap();
    let event = event();
    let run = runner.start(event, |_| ());
    std::thread::sleep(Duration::from_millis(300));
    drop(run);
    server.received.recv_timeout(Duration::from_secs(20)).unwrap();
}
