//! Hooks of the background, where hookshell is an agent's hook: the agent does not wait for them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
#[cfg(unix)]
use std::process::{Child, Command};
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

/// A Claude config with these commands, each a hook of PreToolUse.
fn claude_config(commands: &[&str]) -> String {
    let hooks: Vec<_> =
        commands.iter().map(|command| serde_json::json!({ "type": "command", "command": command })).collect();
    serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": hooks }] } }).to_string()
}

#[test]
fn the_agent_does_not_wait_for_a_hook_whose_first_line_says_that_it_continues() {
    let dir = TempDir::new().unwrap();
    // It ends only when the agent has gone on; what it prints then counts for nothing.
    let rest = "until [ -e gone-on ]; do sleep 0.05; done; echo late >>late; echo '{\"decision\":\"block\"}'; exit 2";
    let cases = [
        format!("echo '{{\"async\":true}}'; {rest}"),
        format!("printf '{{\"async\": true, \"asyncTimeout\": 5000}}'; {rest}"),
        // Of a shell started as a program, which nobody can take over.
        format!("env sh -c 'echo \"{{\\\"async\\\":true}}\"; {}'", rest.replace('\'', "'\\''")),
    ];
    for hook in cases {
        let beside = "echo '{\"systemMessage\":\"hello\"}'";
        assert_eq!(
            run_as_hook(&dir, "claude", &claude_config(&[&hook, beside])),
            "{\"systemMessage\":\"hello\"}\n",
            "{hook}"
        );
        assert!(!dir.path().join("late").exists(), "{hook}");
        std::fs::write(dir.path().join("gone-on"), "").unwrap();
        wait_for(&dir.path().join("late"), "late\n");
        std::fs::remove_file(dir.path().join("late")).unwrap();
        std::fs::remove_file(dir.path().join("gone-on")).unwrap();
    }
}

#[test]
fn how_a_hook_that_continues_came_out_is_logged() {
    let dir = TempDir::new().unwrap();
    let hook = "echo '{\"async\":true}'; until [ -e gone-on ]; do sleep 0.05; done; exit 3";
    std::fs::write(dir.path().join("config.json"), claude_config(&[hook])).unwrap();
    let state = dir.path().join("state");
    let arguments = ["run", "PreToolUse", "--dialect", "claude", "--output", "claude", "--config", "config.json"];
    let run = hookshell(arguments).stdin(payload(&dir)).cwd(dir.path()).env("HOOKSHELL_LOG", "");
    assert_eq!(run.env("XDG_STATE_HOME", &state).env("LOCALAPPDATA", &state).output().code, Some(0));
    std::fs::write(dir.path().join("gone-on"), "").unwrap();
    let log = state.join("hookshell").join("hooks.jsonl");
    hookshell_test_support::eventually("its outcome is logged", || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let last: Option<serde_json::Value> = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
        last.is_some_and(|entry| entry["outcome"] == "ExitCode" && entry["exit_code"] == 3)
    });
}

#[test]
fn a_hook_that_continues_is_ended_at_its_timeout() {
    let dir = TempDir::new().unwrap();
    let command = "trap 'echo ended >late' TERM; echo '{\"async\":true}'; sleep 60 & wait";
    let hook = serde_json::json!({ "type": "command", "timeout": 5, "command": command });
    let config = serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } }).to_string();
    assert_eq!(run_as_hook(&dir, "claude", &config), "{}\n");
    wait_for(&dir.path().join("late"), "ended\n");
}

/// What another process has decided is what the agent sees, as if this one had run the hooks.
#[test]
fn a_verdict_is_handed_on_whole() {
    let dir = TempDir::new().unwrap();
    let run = |command: &str, options: &[&str]| {
        std::fs::write(dir.path().join("config.json"), claude_config(&[command])).unwrap();
        let mut arguments = vec!["run", "PreToolUse", "--dialect", "claude", "--config", "config.json"];
        arguments.extend(options);
        let run = hookshell(arguments).stdin(payload(&dir)).cwd(dir.path());
        let output = run.env("XDG_STATE_HOME", dir.path()).env("LOCALAPPDATA", dir.path()).output();
        (output.code, output.stdout, output.stderr)
    };
    let (code, stdout, stderr) = run("echo no >&2; exit 2", &["--output", "codex"]);
    assert_eq!((code, &*stderr), (Some(2), "no\n"), "{stdout}");
    // A NUL of the hook's own cuts nothing.
    let (code, stdout, stderr) = run("printf 'a\\0no\\n' >&2; exit 2", &["--output", "codex"]);
    assert!(code == Some(2) && stderr.contains("no"), "{stdout} {stderr:?}");
    let (code, stdout, stderr) = run("echo no >&2; exit 2", &["--output", "claude"]);
    assert_eq!((code, &*stderr), (Some(2), "no\n"), "{stdout}");
    let (code, stdout, stderr) = run("echo '{\"systemMessage\":\"é\"}'", &["--output", "claude"]);
    assert_eq!((code, &*stdout, &*stderr), (Some(0), "{\"systemMessage\":\"é\"}\n", ""));
    // With -v the lines for people are there once.
    let (code, stdout, stderr) = run("exit 3", &["--output", "claude", "-v"]);
    assert_eq!(code, Some(0), "{stdout}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    // The input from standard input is the other process's too.
    let options = ["--output", "claude", "--tool", "Bash", "--input", "-"];
    std::fs::write(dir.path().join("config.json"), claude_config(&["jq -r .tool_input.command >seen"])).unwrap();
    let arguments = ["run", "PreToolUse", "--dialect", "claude", "--config", "config.json"].iter().chain(&options);
    let run = hookshell(arguments).stdin(r#"{"command":"from stdin"}"#).cwd(dir.path());
    assert_eq!(run.env("XDG_STATE_HOME", dir.path()).env("LOCALAPPDATA", dir.path()).output().code, Some(0));
    assert_eq!(std::fs::read_to_string(dir.path().join("seen")).unwrap(), "from stdin\n");
}

#[test]
fn a_hook_of_a_sessions_end_continues_after_it() {
    let dir = TempDir::new().unwrap();
    let command = "echo '{\"async\":true}'; until [ -e gone-on ]; do sleep 0.05; done; echo late >>late";
    let hooks = claude_config(&[command]).replace("PreToolUse", "SessionEnd");
    std::fs::write(dir.path().join("config.json"), hooks).unwrap();
    let arguments = ["run", "SessionEnd", "--dialect", "claude", "--output", "claude", "--config", "config.json"];
    let payload = payload(&dir).replace("PreToolUse", "SessionEnd");
    let run = hookshell(arguments).stdin(payload).cwd(dir.path()).env("XDG_STATE_HOME", dir.path());
    let output = run.env("LOCALAPPDATA", dir.path()).output();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
    std::fs::write(dir.path().join("gone-on"), "").unwrap();
    wait_for(&dir.path().join("late"), "late\n");
}

/// A config that can be read once only is read once.
#[cfg(unix)]
#[test]
fn a_config_from_a_pipe_decides_as_one_from_a_file() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("payload"), payload(&dir)).unwrap();
    let script = "\"$1\" run PreToolUse --dialect claude --output claude --config /dev/fd/3 <payload 3<<'end'\n\
        {\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"echo no >&2; exit 2\"}]}]}}\nend\n";
    let program = Path::new(env!("CARGO_BIN_EXE_hookshell"));
    let run = support::program(program, ["sh", "-c", script, "sh", program.to_str().unwrap()]).cwd(dir.path());
    let output = run.env("XDG_STATE_HOME", dir.path()).output();
    assert_eq!((output.code, &*output.stderr), (Some(2), "no\n"), "{}", output.stdout);
}

/// A hook that has begun, and writes a file when it is ended; and the process that the agent waits for.
#[cfg(unix)]
fn begun(dir: &TempDir) -> Child {
    let command = "trap 'echo ended >ended' TERM; echo begun >begun; sleep 60 & wait";
    std::fs::write(dir.path().join("config.json"), claude_config(&[command])).unwrap();
    let arguments =
        ["run", "PreToolUse", "--dialect", "claude", "--output", "claude", "--config", "config.json", "--tool", "Bash"];
    let child = hookshell(arguments).cwd(dir.path()).env("XDG_STATE_HOME", dir.path()).start();
    wait_for(&dir.path().join("begun"), "begun\n");
    child
}

/// What kills the process that an agent waits for ends the hooks too.
#[cfg(target_os = "linux")]
#[test]
fn a_kill_ends_the_hooks_of_the_other_process() {
    let dir = TempDir::new().unwrap();
    let child = begun(&dir);
    assert!(Command::new("kill").args(["-9", &child.id().to_string()]).status().unwrap().success());
    wait_for(&dir.path().join("ended"), "ended\n");
    drop(child);
}

/// The agent ends what it waits for, and the hook is gone with it.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_hooks_of_the_other_process() {
    let dir = TempDir::new().unwrap();
    let child = begun(&dir);
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let output = support::finish(child);
    assert_eq!((output.code, &*output.stdout), (Some(143), ""), "{}", output.stderr);
    assert_eq!(std::fs::read_to_string(dir.path().join("ended")).unwrap(), "ended\n");
}
