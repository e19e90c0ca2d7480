//! `hookshell exec` and `hookshell explain` as a user calls them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use serde_json::{Value, json};
use support::{Output, hookshell};

#[test]
fn exec_has_the_commands_streams_and_exit_code() {
    let cases: &[(&str, &str, i32, &str, &str)] = &[
        ("echo out; echo err >&2; exit 5", "", 5, "out\n", "err\n"),
        ("cat", "in\n", 0, "in\n", ""),
        ("cat | { read -r a; echo \"<$a>\"; }", "in\n", 0, "<in>\n", ""),
        ("exit 2", "", 2, "", ""),
        ("exit 49", "", 49, "", ""),
        ("-x", "", 127, "", "bash: line 1: -x: command not found\n"),
        ("", "", 0, "", ""),
    ];
    for (command, stdin, code, stdout, stderr) in cases {
        let output = hookshell(["exec", command]).stdin(stdin).output();
        let expected = Output { code: Some(*code), stdout: (*stdout).into(), stderr: (*stderr).into() };
        assert_eq!(output, expected, "{command}");
    }
}

/// bash ends with 0 at the first, with 127 at the second: a guard that cannot be read would let everything through.
#[test]
fn a_command_that_cannot_be_read_denies() {
    for command in ["if [[ a == b; then echo x; fi; exit 2", "x=$(if true); exit 2", "true\nif [[ a", "if ("] {
        let output = hookshell(["exec", command]).output();
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{command}: {output:?}");
        assert!(output.stderr.starts_with("bash: -c: line "), "{command}: {output:?}");
    }
}

#[test]
fn a_limit_is_a_failure_and_no_deny() {
    let output = hookshell(["exec", "--limit", "call-depth=50", "f() { f; }; f; echo no"]).output();
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""));
    assert!(output.stderr.contains(": limit call-depth of 50 reached: "), "{}", output.stderr);
    let output = hookshell(["exec", "--limit", "calls=50", "echo no"]).output();
    assert_eq!((output.code, output.stdout.as_str()), (Some(64), ""));
    assert!(output.stderr.contains("unknown limit; there are call-depth, "), "{}", output.stderr);
}

#[test]
fn exec_runs_a_file_of_shell_source_wherever_it_is() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hook.sh"), "echo \"$0 $1\"\r\nexit 3\r\n").unwrap();
    let output = hookshell(["exec", "./hook.sh 'a b'"]).cwd(dir.path()).output();
    assert_eq!(output, Output { code: Some(3), stdout: "./hook.sh a b\n".into(), stderr: String::new() });
    let missing = hookshell(["exec", "./missing.sh"]).cwd(dir.path()).output();
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(127), ""));
    assert_eq!(missing.stderr, "bash: line 1: ./missing.sh: No such file or directory\n");
}

#[test]
fn wrong_command_lines_exit_64_and_run_nothing() {
    for args in
        [&["exec"][..], &["exec", "echo", "hi"], &["explain", "ls", "-l"], &["explain", "--frob", "ls"], &["frob"], &[]]
    {
        let output = hookshell(args).output();
        assert_eq!((output.code, output.stdout.as_str()), (Some(64), ""), "{args:?}");
        assert_ne!(output.stderr, "", "{args:?}");
    }
}

#[test]
fn explain_says_where_a_command_goes_and_runs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("plain.sh"), "echo > ran\n").unwrap();
    std::fs::write(dir.path().join("bad.sh"), "#!/no/such/interpreter-of-mine\n").unwrap();
    // Command, argv[0], route, a part of the reasons.
    let cases = [
        ("echo > ran", json!("echo"), "shell", "built into the shell"),
        ("cat x > ran", json!("cat"), "shell", "bundled utility"),
        ("echo a | cat > ran", Value::Null, "shell", "more than one simple command"),
        ("", Value::Null, "shell", "no command"),
        (" # nothing", Value::Null, "shell", "no command"),
        ("./plain.sh a", json!("./plain.sh"), "shell-source", "a file is started"),
        ("./missing.sh", json!("./missing.sh"), "not-startable", "No such file or directory"),
        ("./bad.sh", json!("./bad.sh"), "not-startable", "interpreter-of-mine"),
        ("\"$X\"/a.sh > ran", json!("\"$X\"/a.sh"), "shell", "after expansion"),
        ("if then", Value::Null, "shell", "syntax error"),
    ];
    for (command, argv0, route, reason) in cases {
        let output = hookshell(["explain", "--json", command]).cwd(dir.path()).output();
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{command}");
        let explanation: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(explanation["command"], command);
        assert_eq!(explanation["argv0"], argv0, "{command}");
        assert_eq!(explanation["route"], route, "{command}");
        assert!(explanation["reasons"].to_string().contains(reason), "{command}: {explanation}");
        assert!(!dir.path().join("ran").exists(), "{command}");
    }
    let text = hookshell(["explain", "./plain.sh 'a b'"]).cwd(dir.path()).output().stdout;
    assert!(text.starts_with("tokens:  ./plain.sh 'a b'\nargv[0]: ./plain.sh\nroute:   "), "{text}");
}

#[test]
fn help_has_examples_on_every_command() {
    for command in ["run", "exec", "explain", "check", "doctor", "sh"] {
        let output = hookshell([command, "--help"]).output();
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{command}");
        assert!(output.stdout.contains("Examples:"), "{command}: {}", output.stdout);
        assert!(!output.stdout.contains('\u{1b}'), "{command}: colour without a terminal");
    }
    let help = hookshell(["help", "run"]).output();
    assert_eq!(help.stdout, hookshell(["run", "--help"]).output().stdout);
    let version = hookshell(["--version"]).output();
    assert_eq!(version.stdout, format!("hookshell {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn doctor_says_what_would_be_used() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    let git = dir.path().join(name);
    // It says hookshell's version.
    std::fs::copy(env!("CARGO_BIN_EXE_hookshell"), &git).unwrap();
    let run = |args: &[&str]| hookshell(args).env("PATH", dir.path()).cwd(dir.path()).output();
    let report: Value = serde_json::from_str(&run(&["doctor", "--json"]).stdout).unwrap();
    let found = |name: &str| report["interpreters"].as_array().unwrap().iter().find(|i| i["name"] == name).unwrap();
    assert_eq!(found("git")["program"], git.to_str().unwrap());
    assert_eq!(found("git")["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(found("bun")["program"], Value::Null);
    assert!(report["utilities"].as_array().unwrap().iter().any(|utility| utility["name"] == "cat"));
    assert_eq!(report["config_files"], json!([]));
    let text = run(&["doctor"]).stdout;
    assert!(text.contains(&format!("git      {:<10} {}\n", env!("CARGO_PKG_VERSION"), git.display())), "{text}");
    assert!(text.contains("bun      -          not found\n"), "{text}");
    let text = hookshell(["doctor"]).env("HOOKSHELL_LLM_URL", "localhost:1/v1").cwd(dir.path()).output().stdout;
    let server = text.split_once("model server: localhost:1/v1, ").map(|(_, rest)| rest).unwrap_or_default();
    assert!(
        server.contains("\n  error: it cannot be asked: its address \"localhost:1/v1\" does not begin with"),
        "{text}"
    );
}

#[test]
fn which_program_runs_is_a_setting() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| hookshell(args).env("PATH", dir.path()).cwd(dir.path()).output();
    assert_eq!(run(&["exec", "echo a | cat"]).stdout, "a\n");
    let off = run(&["exec", "--utilities", "off", "echo a | cat"]);
    assert_eq!((off.code, &*off.stderr), (Some(127), "bash: line 1: cat: command not found\n"));
    assert_eq!(run(&["sh", "--utilities=off", "-c", "cat"]).code, Some(127));
    assert_eq!(run(&["exec", "--utilities", "some", ":"]).code, Some(64));
    // No bash is there.
    assert_eq!(run(&["exec", "--missing-shell", "interpret", "bash -c 'echo $((1+1))'"]).stdout, "2\n");
    assert_eq!(run(&["exec", "--missing-shell", "fail", "bash -c 'echo $((1+1))'"]).code, Some(127));
    assert_eq!(run(&["sh", "--missing-shell", "interpret", "-c", "bash -c 'echo $0' x"]).stdout, "x\n");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_command_of_exec() {
    let child = hookshell(["exec", "trap 'echo bye' EXIT; echo ready >&2; sleep 20"]).start();
    std::thread::sleep(std::time::Duration::from_millis(400));
    let status = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
    let output = support::finish(child);
    assert_eq!((output.code, output.stdout.as_str()), (Some(143), "bye\n"));
}

/// Ctrl-Break is what can be sent to one process group alone; Ctrl-C goes the same way.
#[cfg(windows)]
#[test]
fn ctrl_break_ends_the_command_and_runs_its_traps() {
    if hookshell_test_support::under_wine("without a console GenerateConsoleCtrlEvent fails") {
        return;
    }
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    for command in ["exec", "sh -c"] {
        let script = "trap 'echo bye' EXIT; echo ready >ready; sleep 20";
        let dir = tempfile::tempdir().unwrap();
        let args: Vec<&str> = command.split(' ').chain([script]).collect();
        let child = hookshell(args).cwd(dir.path()).flags(CREATE_NEW_PROCESS_GROUP).start();
        while !dir.path().join("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        hookshell_process::send_console_break(child.id()).unwrap();
        let output = support::finish(child);
        assert_eq!((output.code, output.stdout.as_str()), (Some(130), "bye\n"), "{command}");
    }
}

#[cfg(windows)]
#[test]
fn doctor_lists_what_was_passed_over_and_what_stands_in() {
    let dir = tempfile::tempdir().unwrap();
    let apps = dir.path().join("WindowsApps");
    std::fs::create_dir(&apps).unwrap();
    std::fs::write(apps.join("bash.exe"), "MZ").unwrap();
    for name in ["python.exe", "powershell.exe"] {
        std::fs::copy(env!("CARGO_BIN_EXE_hookshell"), dir.path().join(name)).unwrap();
    }
    let path = format!("{};{}", apps.display(), dir.path().display());
    let run = |args: &[&str]| hookshell(args).env("PATH", &path).env("ProgramFiles", "none").cwd(dir.path()).output();
    let report: Value = serde_json::from_str(&run(&["doctor", "--json"]).stdout).unwrap();
    let found = |name: &str| report["interpreters"].as_array().unwrap().iter().find(|i| i["name"] == name).unwrap();
    let python = found("python3");
    assert_eq!((&python["instead"], &python["version"]), (&json!("python"), &json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!(found("pwsh")["instead"], "powershell");
    let passed_over = found("bash")["passed_over"][0].clone();
    assert!(passed_over["file"].as_str().unwrap().ends_with("bash.exe"), "{passed_over}");
    assert!(passed_over["reason"].as_str().unwrap().contains("WSL"), "{passed_over}");
    assert!(run(&["doctor"]).stdout.contains("(python3 is not on PATH: python is used)"));
    let explained = run(&["explain", "python3 x.py"]).stdout;
    assert!(explained.contains("python.exe") && explained.contains("because:"), "{explained}");
    let explained = run(&["explain", "bash -c true"]).stdout;
    assert!(explained.contains("was passed over: it starts WSL") && explained.contains("missing_shell"), "{explained}");
}

#[test]
fn a_command_of_several_words_is_to_be_quoted() {
    let directory = tempfile::tempdir().unwrap();
    let output = hookshell(["exec", "echo", "hi"]).stdin("").cwd(directory.path()).output();
    assert_eq!(output.code, Some(64), "{output:?}");
    let hint = "hint: the command is one argument, in quotes: hookshell exec \"echo hi\"\n";
    assert!(output.stderr.ends_with(hint), "{output:?}");
    let output = hookshell(["exec", "echo", "a b"]).stdin("").cwd(directory.path()).output();
    assert!(output.stderr.ends_with("hookshell exec \"COMMAND ARGUMENT…\"\n"), "{output:?}");
}
