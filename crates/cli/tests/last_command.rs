//! The program that a command string ends with takes the place of `hookshell sh -c` and `hookshell exec`, as it does in bash: hooks tell sessions
//! apart by their parent's process id, which is then the agent's.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use support::{Output, hookshell};

/// A script whose `$0` is hookshell.
fn sh(script: &str) -> Output {
    hookshell(["sh", "-c", script, env!("CARGO_BIN_EXE_hookshell")]).output()
}

#[test]
fn the_parent_of_the_last_program_is_who_has_started_the_shell() {
    let program = r#""$0" sh -c 'echo $PPID $SHLVL'"#;
    let cases = [
        ("PROGRAM", true),
        ("A=b PROGRAM\n", true),
        ("x=$(PROGRAM); PROGRAM", true),
        (":; PROGRAM", true),
        (":\n: && cd / && PROGRAM", true),
        ("false || PROGRAM", true),
        ("trap '' INT; PROGRAM", true),
        ("set -e; PROGRAM", true),
        ("PROGRAM; :", false),
        (":; : && PROGRAM", false),
        ("PROGRAM 2>&1", false),
        ("! PROGRAM", false),
        ("PROGRAM | { read -r line; echo \"$line\"; }", false),
        ("{ PROGRAM; }", false),
        ("if :; then PROGRAM; fi", false),
        ("f() { PROGRAM; }; f", false),
        ("eval 'PROGRAM'", false),
        ("trap 'x=1' EXIT; PROGRAM", false),
        ("trap 'x=1' INT; PROGRAM", false),
        (": & PROGRAM", false),
    ];
    let expected = std::process::id().to_string();
    for (script, is_replaced) in cases {
        let text = match script.strip_prefix("eval '") {
            Some(_) => "eval '\"$0\" sh -c \"echo \\$PPID \\$SHLVL\"'".to_owned(),
            None => script.replace("PROGRAM", program),
        };
        let output = sh(&text);
        let (parent, level) = output.stdout.trim().split_once(' ').unwrap_or_else(|| panic!("{script}: {output:?}"));
        assert_eq!(parent == expected, is_replaced, "{script}: {output:?}");
        assert_eq!(level, if is_replaced { "1" } else { "2" }, "{script}");
    }
}

#[test]
fn so_it_is_for_exec() {
    let own = env!("CARGO_BIN_EXE_hookshell");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hook"), "#!/bin/sh\necho $PPID\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(dir.path().join("hook"), mode).unwrap();
    let expected = format!("{}\n", std::process::id());
    for command in ["./hook", "cd . && ./hook", &format!("'{own}' sh -c 'echo $PPID'"), "echo $PPID", "exec ./hook"] {
        let output = hookshell(["exec", command]).cwd(dir.path()).output();
        assert_eq!(output, Output { code: Some(0), stdout: expected.clone(), stderr: String::new() }, "{command}");
    }
    let child = hookshell(["exec", "echo $$; ./hook; :"]).cwd(dir.path()).start();
    let id = child.id();
    assert_eq!(support::finish(child).stdout, format!("{id}\n{id}\n"));
}

#[test]
fn its_end_is_the_shells() {
    assert_eq!(sh(r#""$0" sh -c 'exit 7'"#).code, Some(7));
    assert_eq!(sh(r#"false || "$0" sh -c 'kill -TERM $$'"#).code, None);
    let missing = sh("no-such-program-here");
    assert_eq!(missing.code, Some(127));
    assert!(missing.stderr.ends_with(": line 1: no-such-program-here: command not found\n"), "{missing:?}");
    let handled = sh("command_not_found_handle() { echo \"no $1\"; return 3; }; no-such-program-here");
    assert_eq!((handled.code, handled.stdout.as_str()), (Some(3), "no no-such-program-here\n"));
}

#[test]
fn what_runs_on_threads_of_the_process_ends_before_it() {
    let cases = [
        (r#"{ sleep 0.2; echo late; } & "$0" sh -c 'echo first'"#, "first\nlate\n"),
        (r#"{ sleep 0.2; echo late; } & exec "$0" sh -c 'echo first'"#, "first\nlate\n"),
        (r#"exec > >(while read -r line; do echo "<$line>"; done); "$0" sh -c 'echo x'"#, "<x>\n"),
        (r#"exec > >(while read -r line; do echo "<$line>"; done); exec "$0" sh -c 'echo x'"#, "<x>\n"),
        (r#""$0" sh -c 'read -r x < "$1"; echo "$x"' x <(echo data)"#, "data\n"),
    ];
    for (script, stdout) in cases {
        let output = sh(script);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), stdout), "{script}: {}", output.stderr);
    }
}
