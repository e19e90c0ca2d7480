//! A verdict that cannot be printed lets nothing through.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test helpers: a panic fails the test, and a skip is printed"
)]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

const AGENTS: [&str; 8] = ["", "native", "claude", "codex", "gemini", "cursor", "copilot", "qwen"];

/// What standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stdout {
    /// `>&-`
    Closed,
    /// `>/dev/full`
    Full,
    /// A pipe that nobody reads any more.
    Broken,
    /// Open for reading only.
    ReadOnly,
    /// `>/dev/null`
    Null,
}

/// The exit code and standard error of a run whose hook prints `output`.
fn run(dir: &Path, agent: &str, event: &str, output: &str, stdout: Stdout) -> (Option<i32>, String) {
    let command = format!("printf %s '{output}'");
    let config = json!({ "hooks": { event: [{ "command": command }] } }).to_string();
    std::fs::write(dir.join("hooks.json"), config).unwrap();
    let redirected = if stdout == Stdout::Closed { "exec \"$@\" >&-" } else { "exec \"$@\"" };
    let mut command = Command::new("/bin/sh");
    command.args(["-c", redirected, "sh", env!("CARGO_BIN_EXE_hookshell"), "run", event, "--config", "hooks.json"]);
    if event == "PreToolUse" {
        command.args(["--tool", "bash", "--input", r#"{"command":"ls"}"#]);
    }
    if !agent.is_empty() {
        command.args(["--output", agent]);
    }
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", dir).env("HOOKSHELL_LOG", "off");
    command.current_dir(dir).stdin(Stdio::null()).stderr(Stdio::piped());
    match stdout {
        Stdout::Closed => command.stdout(Stdio::piped()),
        Stdout::Full => command.stdout(File::options().write(true).open("/dev/full").unwrap()),
        Stdout::Broken => command.stdout(std::io::pipe().unwrap().1),
        Stdout::ReadOnly => command.stdout(File::open(dir.join("hooks.json")).unwrap()),
        Stdout::Null => command.stdout(Stdio::null()),
    };
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn outputs() -> Vec<Stdout> {
    let mut all = vec![Stdout::Closed, Stdout::Broken, Stdout::ReadOnly];
    if Path::new("/dev/full").exists() {
        all.push(Stdout::Full);
    } else {
        hookshell_test_support::skip_part("there is no /dev/full");
    }
    all
}

const DENY: &str = r#"{"decision":"deny","reason":"no rm"}"#;
const HALT: &str = r#"{"halt":true,"reason":"no more"}"#;
const ASK: &str = r#"{"decision":"ask","reason":"sure?"}"#;
/// What runs must be what the hook made of it.
const CHANGE: &str = r#"{"decision":"allow","reason":"safer","updated_input":{"command":"true"}}"#;

#[test]
fn what_denies_halts_or_asks_blocks_where_it_cannot_be_printed() {
    let dir = tempfile::tempdir().unwrap();
    for stdout in outputs() {
        for agent in AGENTS {
            for (said, reason) in [(DENY, "no rm"), (HALT, "no more"), (ASK, "sure?"), (CHANGE, "safer")] {
                let (code, stderr) = run(dir.path(), agent, "PreToolUse", said, stdout);
                let is_native = matches!(agent, "" | "native");
                let expected = if is_native && said == HALT { 49 } else { 2 };
                assert_eq!(code, Some(expected), "{agent} {said} {stdout:?}: {stderr}");
                // A stream that was closed is the null device. Without `--output` the exit code has said all of it there.
                let is_said = agent.is_empty() && stdout == Stdout::Closed && (said == DENY || said == HALT);
                assert!(is_said || stderr.contains(reason), "{agent} {said} {stdout:?}: {stderr}");
            }
        }
    }
}

#[test]
fn what_is_said_nowhere_else_blocks_where_nobody_reads_it() {
    let dir = tempfile::tempdir().unwrap();
    for agent in AGENTS {
        for said in [DENY, HALT, ASK] {
            let (code, stderr) = run(dir.path(), agent, "PreToolUse", said, Stdout::Null);
            let is_native = matches!(agent, "" | "native");
            let expected = if is_native && said == HALT { 49 } else { 2 };
            assert_eq!(code, Some(expected), "{agent} {said}: {stderr}");
        }
        for said in ["", r#"{"decision":"allow"}"#] {
            let (code, stderr) = run(dir.path(), agent, "PreToolUse", said, Stdout::Null);
            assert_eq!((code, stderr.as_str()), (Some(0), ""), "{agent} {said}");
        }
    }
}

#[test]
fn an_allow_or_no_opinion_that_cannot_be_printed_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    for stdout in outputs() {
        for agent in AGENTS {
            for said in ["", r#"{"decision":"allow"}"#] {
                let (code, stderr) = run(dir.path(), agent, "PreToolUse", said, stdout);
                // A stream that was closed is the null device: nothing is lost there.
                let expected = if stdout == Stdout::Closed { 0 } else { 74 };
                assert_eq!(code, Some(expected), "{agent} {said:?} {stdout:?}: {stderr}");
            }
        }
    }
}

/// A block of the turn's end would have the agent continue.
#[test]
fn a_halt_of_what_ends_anyway_does_not_have_the_agent_continue() {
    let dir = tempfile::tempdir().unwrap();
    for agent in &AGENTS[2..] {
        let (code, stderr) = run(dir.path(), agent, "Stop", HALT, Stdout::Broken);
        assert_eq!(code, Some(74), "{agent}: {stderr}");
        let (code, stderr) = run(dir.path(), agent, "Stop", DENY, Stdout::Broken);
        assert_eq!(code, Some(2), "{agent}: {stderr}");
    }
}
