//! A hook that is alone runs on the thread of its request, which may not be held up by it.

use std::path::Path;

use hookshell_test_support::eventually;
use serde_json::{Value, json};

use crate::client::{Client, call};

/// A client whose only hook is this one, in Claude Code's form.
fn client(directory: &Path, hook: &Value) -> Client {
    let config = directory.join("settings.json");
    std::fs::write(&config, json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string()).unwrap();
    Client::new(json!({"configs": [config], "cwd": directory, "dialect": "claude"}))
}

/// Writes `done` when there is a file `go`.
const UNTIL_GO: &str = "while [ ! -e go ]; do sleep 0.01; done; echo >done";

#[test]
fn a_lone_hook_that_continues_after_its_answer_does_not_hold_it_up() {
    let hooks = [
        json!({"type": "command", "command": format!("echo '{{\"async\":true}}'; {UNTIL_GO}")}),
        json!({"type": "command", "command": format!("{{ {UNTIL_GO}; }} >/dev/null 2>&1 & exit 0")}),
        json!({"type": "command", "command": UNTIL_GO, "async": true}),
    ];
    for hook in hooks {
        let directory = tempfile::tempdir().unwrap();
        let mut client = client(directory.path(), &hook);
        let params = || json!({"event": "PreToolUse", "tool": "Bash", "input": {"command": "ls"}});
        assert_eq!(client.result("hooks/run", params())["exit_code"], 0, "{hook}");
        assert!(!directory.path().join("done").exists(), "{hook}");
        std::fs::write(directory.path().join("go"), "").unwrap();
        eventually("the hook ends", || directory.path().join("done").exists());
    }
}

#[test]
fn a_lone_hook_that_cannot_be_told_to_end_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let hook = json!({"type": "command", "command": "trap '' TERM; while :; do :; done", "timeout": 1});
    let mut client = client(directory.path(), &hook);
    let slow = client.ask("hooks/run", call("ls"));
    // Meanwhile the others are answered.
    assert_eq!(client.result("session/end", json!({"session": "none"})), json!({}));
    let (answer, _) = client.answer(slow);
    assert!(answer["result"]["verdict"].to_string().contains("timed out"), "{answer}");
}

#[test]
fn a_lone_hook_is_cancelled_and_another_takes_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let hook =
        json!({"type": "command", "command": "[ ! -e go ] || exit 2; echo >started; while :; do sleep 0.01; done"});
    let mut client = client(directory.path(), &hook);
    for _ in 0..20 {
        let slow = client.ask("hooks/run", call("ls"));
        eventually("the hook runs", || directory.path().join("started").exists());
        client.notify("$/cancel", json!({"id": slow}));
        assert_eq!(client.answer(slow).0["error"]["code"], -32800);
        std::fs::remove_file(directory.path().join("started")).unwrap();
    }
    // At once, whether it has begun or not.
    for _ in 0..50 {
        let slow = client.ask("hooks/run", call("ls"));
        client.notify("$/cancel", json!({"id": slow}));
        assert_eq!(client.answer(slow).0["error"]["code"], -32800);
    }
    std::fs::write(directory.path().join("go"), "").unwrap();
    assert_eq!(client.result("hooks/run", call("ls"))["exit_code"], 2);
}

#[test]
fn a_lone_hook_that_continues_ends_with_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let command = "trap 'echo >stopped; exit' TERM; echo '{\"async\":true}'; while :; do sleep 0.01; done";
    let mut client = client(directory.path(), &json!({"type": "command", "command": command}));
    assert_eq!(client.result("hooks/run", call("ls"))["exit_code"], 0);
    assert!(!directory.path().join("stopped").exists());
    drop(client.stdin.take());
    eventually("the hook is told to end", || directory.path().join("stopped").exists());
    assert!(client.child.wait().unwrap().success());
}

#[test]
fn background_lists_end_at_their_deadline_whether_or_not_the_client_reads() {
    let directory = tempfile::tempdir().unwrap();
    let mut client = client(directory.path(), &json!({"type": "command", "command": "exit 0"}));
    let list = "{ while :; do echo >>ticks; sleep 0.01; done; } >/dev/null 2>&1 &";
    let params = json!({"command": format!("{list} printf '%0100d' 1"), "window": 10, "timeout": 0.5, "grace": 0.1});
    let exec = client.ask("shell/exec", params);
    let ticks = || std::fs::metadata(directory.path().join("ticks")).map_or(0, |metadata| metadata.len());
    eventually("the list runs", || ticks() > 0);
    eventually("the list has ended", || {
        let before = ticks();
        std::thread::sleep(std::time::Duration::from_millis(200));
        ticks() == before
    });
    client.notify("shell/ack", json!({"id": exec, "bytes": 100}));
    let (answer, _) = client.answer(exec);
    assert_eq!(answer["result"]["stdout_bytes"], 100, "{answer}");
}
