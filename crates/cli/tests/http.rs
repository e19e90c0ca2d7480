//! Hooks of the type `http` on the command line: what `run`, `trust`, `check` and `explain` say of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use support::{Output, Run, hookshell};

/// A server that gives each request this answer; `None`: none at all, until the client goes. It sends the heads of requests.
fn server(answer: Option<&str>) -> (String, Receiver<String>) {
    let answer = answer.map(str::to_owned);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let Some(head) = read(&stream) else { continue };
            let _ = sender.send(head);
            match &answer {
                Some(body) => {
                    let length = body.len();
                    let _ = write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
                    );
                }
                None => drop(stream.read(&mut [0])),
            }
        }
    });
    (url, receiver)
}

fn read(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    Some(head)
}

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

/// A project beside a user's directories.
struct Home {
    root: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("project/.claude")).unwrap();
        Self { root }
    }

    /// Gives the project these hooks on PreToolUse, in Claude Code's settings.
    fn hooks(&self, hooks: &Value) {
        let text = json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}}).to_string();
        std::fs::write(self.root.path().join("project/.claude/settings.json"), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Run {
        let root = self.root.path();
        hookshell(args)
            .cwd(&root.join("project"))
            .env("HOME", root)
            .env("XDG_CONFIG_HOME", root.join("config"))
            .env("XDG_STATE_HOME", root.join("state"))
            .env("LOCALAPPDATA", root.join("config"))
            .env("TOKEN", "t-1")
            .env("SECRET", "s-1")
    }

    fn run(&self) -> (Output, Value) {
        let args = ["run", "PreToolUse", "--dialect", "claude", "--tool", "Bash", "--input", r#"{"command":"ls"}"#];
        let output = self.command(&args).output();
        let verdict = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        (output, verdict)
    }

    fn trust(&self) {
        let trusted = self.command(&["trust", "--dialect", "claude", "--yes"]).output();
        assert_eq!(trusted.code, Some(0), "{trusted:?}");
    }
}

#[test]
fn a_projects_server_is_asked_once_it_is_trusted_and_no_more_when_anything_is_changed() {
    let (url, requests) = server(Some(DENY));
    let home = Home::new();
    let hook = |headers: Value, names: Value, url: &str| json!([{"type": "http", "url": url, "headers": headers, "allowedEnvVars": names}]);
    let own = (json!({"X-A": "$TOKEN"}), json!(["TOKEN"]));
    home.hooks(&hook(own.0.clone(), own.1.clone(), &url));

    let (output, verdict) = home.run();
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(verdict["hooks"][0]["outcome"], "Untrusted");
    assert!(requests.try_recv().is_err(), "it was asked before anybody trusted it");

    let asked = home.command(&["trust", "--dialect", "claude"]).output();
    for row in
        [format!("  url:      {url}\n"), "  header:   X-A: $TOKEN\n".into(), "  sends:    the variable TOKEN\n".into()]
    {
        assert!(asked.stdout.contains(&row), "{}", asked.stdout);
    }
    home.trust();
    let listed = home.command(&["trust", "--list"]).output();
    assert!(listed.stdout.contains(&format!("  PreToolUse: {url}\n")), "{listed:?}");

    let (output, verdict) = home.run();
    assert_eq!((output.code, verdict["reason"].as_str()), (Some(2), Some("no")), "{output:?}");
    assert_eq!(verdict["hooks"][0]["route"], format!("POST {url}"));
    let head = requests.recv_timeout(Duration::from_secs(20)).unwrap().to_ascii_lowercase();
    assert!(head.contains("\r\nx-a: t-1\r\n"), "{head}");

    let changed = [
        hook(json!({"X-A": "$SECRET"}), own.1.clone(), &url),
        hook(json!({"X-B": "$TOKEN"}), own.1.clone(), &url),
        hook(json!({}), own.1.clone(), &url),
        hook(own.0.clone(), json!(["TOKEN", "SECRET"]), &url),
        hook(own.0.clone(), json!([]), &url),
        hook(own.0.clone(), own.1.clone(), &format!("{url}/2")),
        hook(own.0.clone(), own.1.clone(), &format!("{url}?x")),
    ];
    for hooks in changed {
        home.hooks(&hooks);
        let (_, verdict) = home.run();
        assert_eq!(verdict["hooks"][0]["outcome"], "Untrusted", "{hooks}");
        assert!(requests.try_recv().is_err(), "{hooks}");
    }
    home.hooks(&hook(json!({"X-A": "$SECRET"}), own.1.clone(), &url));
    let asked = home.command(&["trust", "--dialect", "claude"]).output();
    assert!(asked.stdout.contains("CHANGED: its settings"), "{}", asked.stdout);
}

#[test]
fn a_servers_failure_is_reported() {
    let home = Home::new();
    // Nobody listens there any more.
    let url = format!("http://{}/", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    home.hooks(&json!([{"type": "http", "url": url}]));
    home.trust();
    let (output, verdict) = home.run();
    assert_eq!((output.code, &verdict["hooks"][0]["outcome"]), (Some(0), &json!("Http")), "{output:?}");
    let reason = verdict["hooks"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with(&format!("the server gave no answer: {url}: ")), "{reason}");
    let args = ["run", "PreToolUse", "--dialect", "claude", "--tool", "Bash", "-v"];
    let told = home.command(&args).output();
    assert!(told.stderr.contains(&format!("{url}: Http, ")), "{told:?}");
}

#[test]
fn check_and_explain_say_where_it_is_sent_and_with_what() {
    let home = Home::new();
    home.hooks(&json!([{"type": "http", "url": "http://hooks.example/x", "async": true,
        "headers": {"Authorization": "Bearer $TOKEN", "X-B": "$SECRET", "Content-Length": "1"}, "allowedEnvVars": ["TOKEN"]}]));
    let checked = home.command(&["check", "--dialect", "claude"]).output();
    for line in [
        "unknown key `hooks.PreToolUse[0].hooks[0].async` is ignored",
        "the variable SECRET will be empty in its headers: `allowedEnvVars` does not name it",
        "the header \"Content-Length\" is not sent",
        "the variables in its headers are sent unencrypted",
    ] {
        assert!(checked.stdout.contains(line), "{line}: {checked:?}");
    }
    let explained = home.command(&["explain", "--dialect", "claude"]).output();
    let lines = "type:    http\nurl:     http://hooks.example/x\nheaders: Authorization, X-B, Content-Length\nsends:   the variables TOKEN\n";
    assert!(explained.stdout.contains(lines), "{}", explained.stdout);
    let explained = home.command(&["explain", "--dialect", "claude", "--json"]).output();
    let hooks: Value = serde_json::from_str(&explained.stdout).unwrap();
    assert_eq!((&hooks[0]["url"], &hooks[0]["variables"]), (&json!("http://hooks.example/x"), &json!(["TOKEN"])));

    let path = home.root.path().join("project/.claude/settings.json");
    // Of a file with an address that is none Claude Code uses nothing.
    for (event, url, line) in [
        (
            "SessionStart",
            "http://127.0.0.1/",
            "it will not run: Claude Code runs no hooks of the type `http` on SessionStart",
        ),
        ("Stop", "hooks.example/x", "`hooks.Stop[0].hooks[0].url` must be the address of a server"),
    ] {
        let text = format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{{"type":"http","url":"{url}"}}]}}]}}}}"#);
        std::fs::write(&path, text).unwrap();
        let checked = home.command(&["check", "--dialect", "claude"]).output();
        assert_eq!(checked.code, Some(1), "{checked:?}");
        assert!(checked.stdout.contains(line), "{line}: {checked:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_a_server() {
    let (url, requests) = server(None);
    let home = Home::new();
    home.hooks(&json!([{"type": "http", "url": url, "timeout": 600}]));
    let args = ["run", "PreToolUse", "--dialect", "claude", "--trust-project", "--tool", "Bash"];
    let child = home.command(&args).start();
    requests.recv_timeout(Duration::from_secs(30)).unwrap();
    let status = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
    let started = std::time::Instant::now();
    let output = support::finish(child);
    assert_eq!(output.code, Some(143), "{output:?}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}
