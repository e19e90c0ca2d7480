//! `set -m`: what ends a run ends the process groups of its jobs, too.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "test helpers: a panic fails the test")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hookshell_test_support::{eventually, with_default_signals};

/// Jobs of each kind, whose ids and those of what they start are in the file `pids`; the last one is stopped.
const SCRIPT: &str = r#"set -m
sleep 60 & echo $! >>pids
{ sleep 60; :; } & echo $! >>pids
/bin/sh -c 'echo $$ >>pids; sleep 60 & echo $! >>pids; wait' &
/bin/sh -c 'sleep 60 & echo $! >>pids' & wait $!
sleep 60 | sleep 60 & jobs -p >>pids
sleep 60 & echo $! >>pids; kill -STOP $!
until [ "$(wc -l <pids)" -ge 9 ]; do sleep 0.05; done
: >ready
/bin/sh -c 'echo $$ >>pids; exec sleep 60'
"#;

fn start(dir: &Path, args: &[&str]) -> Child {
    fs::write(dir.join("jobs.sh"), SCRIPT).unwrap();
    let mut command = with_default_signals(Path::new(env!("CARGO_BIN_EXE_hookshell")));
    command.args(args).current_dir(dir).env("HOME", dir).env("HOOKSHELL_LOG", "off");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn lives(id: &str) -> bool {
    Command::new("/bin/kill").args(["-0", id]).stderr(Stdio::null()).status().unwrap().success()
}

/// All of them have ended.
fn assert_ended(dir: &Path) {
    let ids = fs::read_to_string(dir.join("pids")).unwrap();
    let mut ids: Vec<&str> = ids.lines().filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).collect();
    assert!(ids.len() >= 8, "{ids:?}");
    eventually("what a job runs lives on", || {
        ids.retain(|id| lives(id));
        ids.is_empty()
    });
}

#[test]
fn the_timeout_of_a_hook_ends_its_jobs() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = r#"{"hooks":{"PreToolUse":[{"command":"bash ./jobs.sh","timeout":3}]}}"#;
    fs::write(dir.path().join("hooks.json"), hooks).unwrap();
    let args = ["run", "PreToolUse", "--config", "hooks.json", "--dialect", "crush", "--shell-scripts", "in-process"];
    let mut run = start(dir.path(), &[&args[..], &["--tool", "bash", "--input", "{}"]].concat());
    eventually("the jobs are started", || dir.path().join("ready").exists());
    assert!(run.wait().unwrap().success());
    assert_ended(dir.path());
}

#[test]
fn a_signal_for_the_process_ends_the_jobs_of_its_script() {
    for args in [&["exec", "--shell-scripts", "in-process", "bash ./jobs.sh"][..], &["sh", "jobs.sh"]] {
        let dir = tempfile::tempdir().unwrap();
        let mut run = start(dir.path(), args);
        eventually("the jobs are started", || dir.path().join("ready").exists());
        assert!(Command::new("/bin/kill").arg(run.id().to_string()).status().unwrap().success());
        run.wait().unwrap();
        assert_ended(dir.path());
    }
}
