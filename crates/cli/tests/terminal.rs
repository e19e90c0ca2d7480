//! What is seen on a terminal: how far long work is, and what the Tab key completes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use hookshell_test_support::has_all;
use serde_json::json;
use support::{hookshell, program, workspace};

const HOOKSHELL: &str = env!("CARGO_BIN_EXE_hookshell");

/// What a terminal has shown of a program when it has ended.
fn on_terminal(directory: &Path, kind: &str, command: &[&str], keys: &str) -> String {
    let script = workspace("crates/cli/tests/terminal.py");
    let arguments = [script.to_str().unwrap()].into_iter().chain(command.iter().copied());
    let run = program(Path::new("python3"), arguments)
        .cwd(directory)
        .env("HOME", directory)
        .env("TERM", kind)
        .env("INPUTRC", "/dev/null");
    let output = run.stdin(keys).output();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{}", output.stdout);
    output.stdout
}

/// The key of a terminal that interrupts is for the whole foreground group: the command that runs dies of it, the trap runs, and the
/// script continues, as in any shell.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_the_utility_that_runs_and_not_the_script() {
    if !has_all(&["python3"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    // The key is pressed when `$run` has shown something.
    let cases = [
        ("$run; echo after $?", "int\r\nafter 130\r\n"),
        ("$run | cat; echo ${PIPESTATUS[@]}", "int\r\n130 130\r\n"),
        ("($run; echo within); echo after $?", "int\r\nafter 130\r\n"),
        ("set -e; $run; echo after", "int\r\n"),
        ("if $run; then echo yes; else echo no $?; fi", "int\r\nno 130\r\n"),
        // `timeout` has a process group of its own, which the key is not for.
        ("timeout 20 sh -c 'echo begun; sleep 2'; echo after $?", "int\r\nafter 0\r\n"),
    ];
    for (script, expected) in cases {
        let run = "awk 'BEGIN { print \"begun\"; fflush(); while (1) x++ }'";
        let script = format!("trap 'echo int' INT\n{}\n", script.replace("$run", run));
        std::fs::write(directory.path().join("script"), script).unwrap();
        let shown = on_terminal(directory.path(), "dumb", &[HOOKSHELL, "sh", "script"], "\u{3}");
        assert!(shown.ends_with(expected), "{expected:?}: {shown:?}");
    }
}

#[test]
fn tests_that_take_long_say_how_far_they_are() {
    if !has_all(&["python3"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: serde_json::Value| {
        std::fs::write(directory.path().join(name), text.to_string()).unwrap();
    };
    write("crush.json", json!({"hooks": {"PreToolUse": [{"command": "sleep 0.2"}]}}));
    let cases: Vec<_> = (0..6)
        .map(|number| json!({"name": format!("case {number}"), "tool_name": "bash", "tool_input": {"command": "ls"}}))
        .map(|mut case| {
            case["expect"] = json!({"decision": null});
            case
        })
        .collect();
    write("slow.hooktest.json", json!({"event": "PreToolUse", "config": "crush.json", "cases": cases}));
    let shown = on_terminal(directory.path(), "xterm", &[HOOKSHELL, "test"], "");
    // Five cases have taken a second when the last one begins. Its line is taken away before its result.
    assert!(
        shown.contains("\r\u{1b}[K\u{1b}[?7ltesting 6/6: slow.hooktest.json: case 5\u{1b}[?7h\r\u{1b}[K"),
        "{shown}"
    );
    assert!(!shown.contains("testing 1/6"), "{shown}");
    assert!(shown.contains("6 cases: 6 ok"), "{shown}");
    let dumb = on_terminal(directory.path(), "dumb", &[HOOKSHELL, "test"], "");
    assert!(!dumb.contains("testing") && dumb.contains("6 cases: 6 ok"), "{dumb}");
    let piped = hookshell(["test"]).cwd(directory.path()).env("TERM", "xterm").output();
    assert_eq!((piped.code, &*piped.stderr), (Some(0), ""), "{piped:?}");
}

/// A file that comes late stands for one that takes long.
#[test]
fn checks_that_take_long_say_how_far_they_are() {
    if !has_all(&["python3", "mkfifo"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let text = json!({"hooks": {"PreToolUse": [{"command": "exit 0"}]}}).to_string();
    let place = |name: &str| directory.path().join(name);
    for name in ["first.json", "last.json"] {
        std::fs::write(place(name), &text).unwrap();
    }
    let late = place("late.json");
    assert!(std::process::Command::new("mkfifo").arg(&late).status().unwrap().success());
    let command = [HOOKSHELL, "check", "first.json", "late.json", "last.json"];
    let check = |kind: &str| {
        let (late, text) = (late.clone(), text.clone());
        // It can be opened once somebody reads it.
        std::thread::spawn(move || {
            let mut file = std::fs::OpenOptions::new().write(true).open(late).unwrap();
            std::thread::sleep(Duration::from_millis(700));
            file.write_all(text.as_bytes()).unwrap();
        });
        on_terminal(directory.path(), kind, &command, "")
    };
    let shown = check("xterm");
    assert!(shown.contains("\r\u{1b}[K\u{1b}[?7lchecking 3/3: last.json\u{1b}[?7h\r\u{1b}[K"), "{shown}");
    assert!(!shown.contains("checking 1/3"), "{shown}");
    assert!(shown.contains("3 files, 3 hooks, 0 findings"), "{shown}");
    let dumb = check("dumb");
    assert!(!dumb.contains("checking") && dumb.contains("3 files, 3 hooks, 0 findings"), "{dumb}");
}

#[test]
fn tab_completes_files_where_a_file_is_due() {
    if !has_all(&["python3", "bash"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("completions.sh"), hookshell(["completions", "bash"]).output().stdout)
        .unwrap();
    std::fs::write(directory.path().join("guard.json"), "{}").unwrap();
    std::fs::create_dir(directory.path().join("sub")).unwrap();
    let cases = [
        ("run PreToolUse --config gua", "<run><PreToolUse><--config><guard.json>"),
        ("run --hook gua", "<run><--hook><guard.json>"),
        ("check gua", "<check><guard.json>"),
        ("test gua", "<test><guard.json>"),
        ("test --record gua", "<test><--record><guard.json>"),
        ("run --cwd su", "<run><--cwd><sub/>"),
        // No file.
        ("run --dialect cop", "<run><--dialect><copilot>"),
    ];
    let mut keys = "source ./completions.sh\n".to_owned();
    for (typed, _) in cases {
        // Tab; then the line becomes one that prints its words.
        keys.push_str(&format!("hookshell {typed}\t\u{1}printf '<%s>' \u{5}; echo\n"));
    }
    keys.push_str("exit\n");
    let shown = on_terminal(directory.path(), "dumb", &["bash", "--norc", "--noprofile", "-i"], &keys);
    for (typed, words) in cases {
        assert!(shown.contains(&format!("\n<hookshell>{words}")), "{typed}: {shown}");
    }
}

/// What each command that has colours says of the same hook that denies, by one rule.
#[test]
fn every_command_has_colours_by_the_same_rule() {
    if !has_all(&["python3"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: serde_json::Value| {
        std::fs::write(directory.path().join(name), text.to_string()).unwrap();
    };
    write("crush.json", json!({"hooks": {"PreToolUse": [{"command": "echo no >&2; exit 2"}]}}));
    let case = json!({"name": "one", "tool_name": "bash", "tool_input": {}, "expect": {"decision": "deny"}});
    write("one.hooktest.json", json!({"event": "PreToolUse", "config": "crush.json", "cases": [case]}));
    write("bad.json", json!({"hooks": {"PreToolUse": [{"command": "exit 1", "nosuch": 1}]}}));
    let state = directory.path();
    let run = hookshell(["run", "PreToolUse", "--config", "crush.json", "--tool", "bash"])
        .cwd(state)
        .env("XDG_STATE_HOME", state)
        .env("HOOKSHELL_LOG", "on")
        .output();
    assert_eq!(run.code, Some(2), "{run:?}");

    // Of these `status` and `doctor` have something to say.
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}});
    std::fs::create_dir(state.join(".claude")).unwrap();
    std::fs::write(state.join(".claude/settings.json"), hooks.to_string()).unwrap();
    let commands: [&[&str]; 7] = [
        &["test"],
        &["check", "bad.json"],
        &["log"],
        &["log", "--stats"],
        &["run", "--help"],
        &["status"],
        &["doctor"],
    ];
    for command in commands {
        let is_coloured = |variables: &[(&str, &str)], on_a_terminal: bool| {
            // `env` comes between, since what a terminal's program gets is that of python's.
            let mut words = vec!["env".to_owned(), format!("XDG_STATE_HOME={}", state.display())];
            // Interpreters are asked for their version, which takes time.
            words.extend(["PATH=/nonexistent".to_owned(), format!("HOME={}", state.display())]);
            words.extend(variables.iter().map(|(name, value)| format!("{name}={value}")));
            words.push(HOOKSHELL.to_owned());
            words.extend(command.iter().map(|word| (*word).to_owned()));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let shown = if on_a_terminal {
                on_terminal(state, "xterm", &words, "")
            } else {
                program(Path::new(words[0]), &words[1..]).cwd(state).output().stdout
            };
            assert!(shown.len() > 20, "{words:?}: {shown}");
            shown.contains("\u{1b}[")
        };
        let rows = [
            (&[][..], true, false),
            (&[("NO_COLOR", "1")], false, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("TERM", "dumb")], false, false),
            (&[("CLICOLOR", "0")], false, false),
            (&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true, true),
            (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false, false),
        ];
        // The rule is one: that a command has it shows in the first rows.
        let count = if matches!(command, ["status" | "doctor"]) { 3 } else { rows.len() };
        for (variables, on_a_terminal, in_a_pipe) in rows.into_iter().take(count) {
            let found = (is_coloured(variables, true), is_coloured(variables, false));
            assert_eq!(found, (on_a_terminal, in_a_pipe), "{command:?} with {variables:?}");
        }
    }
}
