//! Hooks of the background, where hookshell is an agent's hook: the agent does not wait for them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use support::hookshell;
use tempfile::TempDir;

/// What the agent sends of a call in this directory, as its hooks get it.
fn payload(dir: &TempDir) -> String {
    let cwd = serde_json::to_string(dir.path().to_str().unwrap()).unwrap();
    format!(
        r#"{{"session_id":"one","transcript_path":"","cwd":{cwd},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls"}}}}"#
    )
}

/// Runs an event's hooks as the agent's hook. Gives what was printed.
fn run_as_hook(dir: &TempDir, dialect: &str, config: &str) -> String {
    std::fs::write(dir.path().join("config.json"), config).unwrap();
    let arguments = ["run", "PreToolUse", "--dialect", dialect, "--output", "claude", "--config", "config.json"];
    let run = hookshell(arguments).stdin(payload(dir)).cwd(dir.path()).env("XDG_STATE_HOME", dir.path().join("state"));
    let output = run.env("LOCALAPPDATA", dir.path().join("state")).output();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
    output.stdout
}

/// Waits until a file has this text.
fn wait_for(path: &Path, text: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::read_to_string(path).unwrap_or_default() != text {
        let seen = std::fs::read_to_string(path);
        assert!(Instant::now() < deadline, "{}: {seen:?}", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_agent_does_not_wait_for_a_hook_of_the_background() {
    let dir = TempDir::new().unwrap();
    // It ends only when the agent has gone on.
    let config = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
        {"type":"command","async":true,"command":"until [ -e gone-on ]; do sleep 0.05; done; cat >late; echo more >>late"},
        {"type":"command","command":"echo once >>awaited; echo '{\"systemMessage\":\"hello\"}'"}]}]}}"#;
    assert_eq!(run_as_hook(&dir, "claude", config), "{\"systemMessage\":\"hello\"}\n");
    assert!(!dir.path().join("late").exists());
    std::fs::write(dir.path().join("gone-on"), "").unwrap();
    wait_for(&dir.path().join("late"), &format!("{}\nmore\n", payload(&dir)));
    // The process of the background does not run it again.
    assert_eq!(std::fs::read_to_string(dir.path().join("awaited")).unwrap(), "once\n");
}

#[test]
fn a_hook_of_the_background_that_runs_once_runs_in_the_first_event() {
    let dir = TempDir::new().unwrap();
    let config = r#"{"hooks":{"PreToolUse":[
        {"async":true,"once":true,"command":"echo one >>first"},
        {"async":true,"command":"echo one >>each"},
        {"once":true,"command":"echo one >>awaited"}]}}"#;
    run_as_hook(&dir, "crush", config);
    wait_for(&dir.path().join("each"), "one\n");
    wait_for(&dir.path().join("first"), "one\n");
    run_as_hook(&dir, "crush", config);
    wait_for(&dir.path().join("each"), "one\none\n");
    assert_eq!(std::fs::read_to_string(dir.path().join("first")).unwrap(), "one\n");
    assert_eq!(std::fs::read_to_string(dir.path().join("awaited")).unwrap(), "one\n");
}
