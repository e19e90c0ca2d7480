//! Background lists where hookshell is the process: they are processes of their own, as in other shells.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(20);

/// Runs it to the end of its output and of its process; fails where that takes until a list in the background (60 s) has ended.
fn hookshell(args: &[&str], input: &str) -> Output {
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookshell"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A hook need not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < DEADLINE, "{args:?} waits for its background list");
    output
}

fn sh(script: &str) -> (String, Option<i32>) {
    let output = hookshell(&["sh", "-c", script], "");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.code())
}

/// Waits until the file says that.
fn await_text(file: &Path, wanted: &str) {
    let begun = Instant::now();
    while fs::read_to_string(file).unwrap_or_default() != wanted {
        assert!(begun.elapsed() < DEADLINE, "{} has {:?}", file.display(), fs::read_to_string(file));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_alive(id: &str) -> bool {
    Command::new("kill").args(["-0", id]).stderr(Stdio::null()).status().unwrap().success()
}

fn await_end(id: &str) {
    let begun = Instant::now();
    while is_alive(id) {
        assert!(begun.elapsed() < DEADLINE, "{id} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn kill(id: &str) {
    let _ = Command::new("kill").args(["-9", id]).stderr(Stdio::null()).status().unwrap();
}

#[test]
fn the_shell_ends_and_the_list_continues() {
    let dir = tempfile::tempdir().unwrap();
    for (index, list) in [
        "(sleep 0.3; echo late >FILE) >/dev/null 2>&1 &",
        "{ sleep 0.3; echo late >FILE; } >/dev/null 2>&1 &",
        "f() { sleep 0.3; echo late >FILE; }; f >/dev/null 2>&1 &",
        "for i in 1; do sleep 0.3; echo late >FILE; done >/dev/null 2>&1 &",
        "echo x | while read l; do (sleep 0.3; echo late >FILE) >/dev/null 2>&1 & done",
        "exec >/dev/null 2>&1; (sleep 0.3; echo late | cat >FILE) &",
    ]
    .iter()
    .enumerate()
    {
        let file = dir.path().join(index.to_string());
        let script = format!("{}\nexit 7", list.replace("FILE", file.to_str().unwrap()));
        for args in [&["sh", "-c"][..], &["exec"]] {
            let _ = fs::remove_file(&file);
            let output = hookshell(&[args, &[script.as_str()]].concat(), "");
            assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), &b""[..]), "{args:?} {script}");
            assert!(!file.exists(), "{args:?} has waited for {script}");
            await_text(&file, "late\n");
        }
    }
}

#[test]
fn a_run_gives_its_verdict_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("hooks.json");
    let file = dir.path().join("id");
    let hook = format!("(echo $BASHPID >{}; sleep 60; x) >/dev/null 2>&1 & echo no >&2; exit 2", file.display());
    // Two hooks at once: each is a copy of a process with other threads.
    let other = "(sleep 0.1; :) & sleep 0.2";
    let hooks = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": hook}, {"type": "command", "command": other},
    ]}]}});
    fs::write(&config, hooks.to_string()).unwrap();
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let output = hookshell(&["run", "--config", config.to_str().unwrap(), "PreToolUse"], event);
    assert_eq!(output.status.code(), Some(2));
    let verdict: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&verdict["decision"], &verdict["reason"]), (&"deny".into(), &"no".into()));
    let id = fs::read_to_string(&file).unwrap();
    assert!(is_alive(id.trim()), "the list has ended with the run");
    kill(id.trim());
}

#[test]
fn a_hook_whose_time_is_over_takes_its_list_along() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("hooks.json");
    let file = dir.path().join("id");
    let hook = format!("(trap '' TERM; echo $BASHPID >{}; sleep 60; sleep 60) & wait", file.display());
    let hooks = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": hook, "timeout": 1},
    ]}]}});
    fs::write(&config, hooks.to_string()).unwrap();
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    hookshell(&["run", "--config", config.to_str().unwrap(), "PreToolUse"], event);
    await_end(fs::read_to_string(&file).unwrap().trim());
}

#[test]
fn the_id_of_a_list_is_that_of_a_process() {
    let (id, _) = sh("(sleep 60; x) >/dev/null 2>&1 & echo $!");
    assert!(is_alive(id.trim()), "{id}");
    // The signal of another process ends it, and its program continues as that of any shell.
    Command::new("kill").arg(id.trim()).status().unwrap();
    await_end(id.trim());
    // bash: a subshell is the program that it ends with.
    let dir = tempfile::tempdir().unwrap();
    for (index, list) in ["(cd /; exec PROGRAM)", "(cd /; PROGRAM)", "(cd / && x=1 PROGRAM)"].iter().enumerate() {
        let file = dir.path().join(index.to_string());
        let program = format!("/bin/sh -c 'echo $$ >{}; exec sleep 60'", file.display());
        let (id, _) = sh(&format!("{} >/dev/null 2>&1 & echo $!", list.replace("PROGRAM", &program)));
        await_text(&file, &id);
        kill(id.trim());
    }
    // And a command that is alone is its program, whatever its name comes from.
    for (index, list) in
        ["$p PROGRAM", "\"$p\" PROGRAM", "x=1 $p PROGRAM", "(\"$p\" PROGRAM >&2)", "$(echo $p) PROGRAM <&-"]
            .iter()
            .enumerate()
    {
        let file = dir.path().join(format!("alone{index}"));
        let program = format!("-c 'echo $$ >{}; exec sleep 60'", file.display());
        let (id, _) = sh(&format!("p=/bin/sh; {} >/dev/null 2>&1 & echo $!", list.replace("PROGRAM", &program)));
        await_text(&file, &id);
        kill(id.trim());
    }
}

#[test]
fn lists_see_signals_traps_and_the_state_of_their_shell() {
    for (script, output) in [
        ("(exit 7) & wait $!; echo $?", "7\n"),
        ("(sleep 60; x) & kill $!; wait $!; echo $?", "143\n"),
        ("trap 'echo usr1' USR1; (sleep 0.1; kill -USR1 $$) & wait; echo $?; wait", "usr1\n138\n"),
        (
            "x=1; f() { local y=2; { echo $x $y $FUNCNAME $BASH_SUBSHELL; x=3; return 4; } & wait $!; echo $? $x; }; f",
            "1 2 f 1\n4 1\n",
        ),
        ("a=(1 2); (echo ${a[@]}; a+=(3); echo ${#a[@]}) & wait; echo ${#a[@]}", "1 2\n3\n2\n"),
        ("printf '1\\n2\\n3\\n' | { read a; (read b; echo $a $b) <&0 & wait; read c; echo $c; }", "1 2\n3\n"),
        ("(umask 077; ulimit -n 50; umask; ulimit -n) & wait", "0077\n50\n"),
        ("(coproc cat; echo hi >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x) & wait", "hi\n"),
        ("trap 'echo exit' EXIT; (echo sub) & wait; echo main", "sub\nmain\nexit\n"),
        ("(echo a; exec nosuch; echo b) 2>/dev/null & wait $!; echo $?", "a\n127\n"),
        ("for i in 1 2 3; do (exit $i) & ids+=($!); done; for p in ${ids[@]}; do wait $p; echo $?; done", "1\n2\n3\n"),
        // A list of a list does not keep it.
        ("((sleep 60; x) >/dev/null 2>&1 & echo $!) & wait $!; echo $?", "N\n0\n"),
    ] {
        let printed = sh(script).0;
        let (id, rest) = printed.split_once('\n').unwrap_or_default();
        if output.starts_with('N') {
            kill(id);
            assert_eq!(format!("N\n{rest}"), output, "{script}");
        } else {
            assert_eq!(printed, output, "{script}");
        }
    }
}

#[test]
fn a_list_reads_on_when_its_shell_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    for index in 0..5 {
        let file = dir.path().join(index.to_string());
        // What is written to the pipe fits: nobody waits for its reader but the list.
        let (_, status) =
            sh(&format!("seq 20000 | {{ read first; {{ sleep 0.1; wc -l >{}; }} <&0 & }}", file.display()));
        assert_eq!(status, Some(0));
        await_text(&file, "19999\n");
    }
}

#[test]
fn a_function_that_a_list_calls_reaches_the_shell_with_its_signal() {
    let script = "trap 'echo usr1; exit 3' USR1; tell() { kill -USR1 $$; }; later() { tell; }
        (sleep 0.1; later) & wait; echo not reached";
    for args in [&["sh", "-c"][..], &["exec"]] {
        let output = hookshell(&[args, &[script]].concat(), "");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b"usr1\n"[..]), "{args:?}");
    }
}

#[test]
fn lists_have_random_numbers_of_their_own() {
    let (printed, _) = sh("for i in 1 2 3 4; do (for j in 1 2 3 4 5 6; do uuidgen; mktemp -u; done) & wait; done");
    let lines: std::collections::BTreeSet<&str> = printed.lines().collect();
    assert_eq!((printed.lines().count(), lines.len()), (48, 48), "{printed}");
}

#[test]
fn a_signal_that_the_host_ignores_does_not_end_a_list() {
    let dir = tempfile::tempdir().unwrap();
    let (id, go, file) = (dir.path().join("id"), dir.path().join("go"), dir.path().join("file"));
    let script = format!(
        "(echo $BASHPID >{}; until [ -e {} ]; do sleep 0.01; done; echo late >{}) >/dev/null 2>&1 &",
        id.display(),
        go.display(),
        file.display()
    );
    for args in ["sh -c", "exec"] {
        // What nohup(1) does.
        let nohup = format!("trap '' HUP; exec {} {args} \"$1\"", env!("CARGO_BIN_EXE_hookshell"));
        assert!(Command::new("/bin/sh").args(["-c", &nohup, "sh", &script]).status().unwrap().success());
        let begun = Instant::now();
        while fs::read_to_string(&id).unwrap_or_default().is_empty() {
            assert!(begun.elapsed() < DEADLINE, "the list does not begin");
            std::thread::sleep(Duration::from_millis(10));
        }
        let number = fs::read_to_string(&id).unwrap();
        Command::new("kill").args(["-HUP", number.trim()]).status().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        fs::write(&go, "").unwrap();
        await_text(&file, "late\n");
        for path in [&id, &go, &file] {
            fs::remove_file(path).unwrap();
        }
        await_end(number.trim());
    }
}

#[test]
fn the_exit_trap_of_a_list_runs_when_a_signal_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    let (up, bye) = (dir.path().join("up"), dir.path().join("bye"));
    let (id, _) = sh(&format!(
        "(trap 'echo bye >{}' EXIT; echo up >{}; sleep 60; x) >/dev/null 2>&1 & echo $!",
        bye.display(),
        up.display()
    ));
    await_text(&up, "up\n");
    Command::new("kill").arg(id.trim()).status().unwrap();
    await_text(&bye, "bye\n");
    await_end(id.trim());
}

#[test]
fn functions_that_call_themselves_stay_within_the_limits_of_the_run() {
    for script in [":(){ :|:& };:", "f(){ f & f & }; f", "f(){ (f; f) & }; f"] {
        let output = hookshell(&["sh", "--limit", "threads=20", "-c", script], "");
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("limit threads of 20 reached"), "{script}");
    }
}

#[test]
fn many_lists_that_do_nothing_are_no_processes() {
    let begun = Instant::now();
    assert_eq!(sh("for ((i = 0; i < 5000; i++)); do :& done; wait; echo $i"), ("5000\n".into(), Some(0)));
    // As processes they would take seconds in a debug build; what is asserted is only that it ends.
    assert!(begun.elapsed() < DEADLINE);
    // Those that write are, up to a number: none is lost.
    let (lines, _) = sh("for ((i = 0; i < 100; i++)); do echo $i & done; wait");
    assert_eq!(lines.lines().count(), 100);
}
