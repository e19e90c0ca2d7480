//! The process that an agent waits for, and the copy of it that runs the hooks (Linux).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::process::Child;

use hookshell_test_support::eventually;
use support::{Output, finish};
use tempfile::TempDir;

/// A directory with a Claude config of this command.
fn project(command: &str, timeout: u32) -> TempDir {
    let dir = TempDir::new().unwrap();
    let hook = serde_json::json!({ "type": "command", "command": command, "timeout": timeout });
    let config = serde_json::json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] } });
    std::fs::write(dir.path().join("config.json"), config.to_string()).unwrap();
    dir
}

/// Starts `hookshell run` as the agent's hook, by a shell that changes what the process inherits.
fn start_under(dir: &Path, prelude: &str) -> Child {
    let run = "run PreToolUse --dialect claude --output claude --config config.json --tool Bash";
    let script = format!("{prelude} exec \"$0\" {run} --input '{{}}'");
    support::program("/bin/sh".as_ref(), ["-c", script.as_str(), env!("CARGO_BIN_EXE_hookshell")])
        .cwd(dir)
        .env("HOME", dir)
        .env("XDG_STATE_HOME", dir.join("state"))
        .start()
}

fn run_under(dir: &Path, prelude: &str) -> Output {
    finish(start_under(dir, prelude))
}

/// The process that runs the hooks.
fn copy_of(child: &Child) -> i32 {
    let path = format!("/proc/{0}/task/{0}/children", child.id());
    let mut found = None;
    eventually("there is no copy", || {
        found = std::fs::read_to_string(&path).unwrap().split_whitespace().next().and_then(|id| id.parse().ok());
        found.is_some()
    });
    found.unwrap()
}

fn kill(id: i32, signal: &str) {
    let status = std::process::Command::new("kill").args([signal, &id.to_string()]).status().unwrap();
    assert!(status.success());
}

fn id_of(child: &Child) -> i32 {
    child.id().try_into().unwrap()
}

#[test]
fn the_hooks_run_once_however_few_descriptors_there_are() {
    for most in 3..=20 {
        let dir = project("echo ran >>runs; echo no >&2; exit 2", 30);
        let output = run_under(dir.path(), &format!("ulimit -n {most};"));
        let runs = std::fs::read_to_string(dir.path().join("runs")).unwrap_or_default();
        match &*runs {
            "" => {}
            "ran\n" => assert_eq!(output.code, Some(2), "{most}: {output:?}"),
            _ => panic!("{most}: the hook ran more than once: {runs:?}, {output:?}"),
        }
    }
}

#[test]
fn what_the_process_was_started_to_ignore_the_copy_ignores_as_well() {
    let dir = project("echo >ready; until [ -e go ]; do sleep 0.01; done; echo no >&2; exit 2", 60);
    let child = start_under(dir.path(), "trap '' HUP;");
    let copy = copy_of(&child);
    eventually("the hook does not begin", || dir.path().join("ready").exists());
    kill(copy, "-HUP");
    std::fs::write(dir.path().join("go"), "").unwrap();
    let output = finish(child);
    assert_eq!(output.code, Some(2), "{output:?}");
}

#[test]
fn the_death_of_who_waits_takes_no_grace_away() {
    let dir = project("trap 'sleep 0.3; echo >cleaned' EXIT; echo >ready; sleep 60", 60);
    let child = start_under(dir.path(), "");
    eventually("the hook does not begin", || dir.path().join("ready").exists());
    kill(id_of(&child), "-TERM");
    kill(id_of(&child), "-KILL");
    finish(child);
    eventually("the trap has not run to its end", || dir.path().join("cleaned").exists());
}

#[test]
fn the_copy_ends_with_who_waits_for_it() {
    let dir = project("echo >ready; while :; do :; done", 60);
    let child = start_under(dir.path(), "");
    let copy = copy_of(&child);
    eventually("the hook does not begin", || dir.path().join("ready").exists());
    kill(id_of(&child), "-KILL");
    finish(child);
    eventually("the copy lives on", || {
        // A zombie is dead.
        std::fs::read_to_string(format!("/proc/{copy}/stat")).map_or(true, |stat| stat.contains(") Z"))
    });
}
