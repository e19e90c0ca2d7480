//! What a user is told of a guard that stays open: what happened, where, why and what to do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use hookshell_test_support::has_all;
use support::{Output, hookshell};

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn run(directory: &Path, args: &[&str]) -> Output {
    hookshell(args).env("HOME", directory.join("home")).stdin("").cwd(directory).output()
}

fn check(directory: &Path, args: &[&str]) -> Output {
    run(directory, &[&["check"], args].concat())
}

/// What `run` says on standard error of a call, for this command in a config of Crush's.
fn said_of(directory: &Path, command: &str) -> Output {
    let config = serde_json::json!({ "hooks": { "PreToolUse": [{ "name": "guard", "command": command }] } });
    write(directory, "crush.json", &config.to_string());
    run(directory, &["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--input", r#"{"command":"ls"}"#])
}

#[test]
fn a_hook_that_fails_says_why_and_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "guards/guard.sh", "#!/bin/sh\nexit 2\n");
    write(directory.path(), "guard.rb", "#!/usr/bin/env nonesuch-ruby\n");
    write(directory.path(), "blank.sh", "#!/opt/my nonesuch/interpreter\nexit 2\n");
    let cases: [(&str, &[&str]); 13] = [
        ("exit 1", &["exit code 1 (an exit code denies only with 2, and 0 lets the call run); "]),
        ("echo no >&2; exit 1", &["exit code 1: no (an exit code denies only with 2)"]),
        (
            r#"echo '{"decision":"deny"}'; exit 1"#,
            &["exit code 1; ", "standard output is read where the exit code is 0, so this is ignored: `decision` is"],
        ),
        ("jq -n 'foo'", &["exit code 3: jq: error: foo/0 is not defined at <top-level>, line 1: `foo`"]),
        (
            "x=$(jq -n foo); exit 0",
            &["a jq program in it does not compile: jq: error: foo/0 is not defined at <top-level>, line 1: `foo`; "],
        ),
        ("$NONESUCH_DIR/guard.sh", &["NONESUCH_DIR is empty here: `hookshell check` says who sets it"]),
        ("'$CRUSH_PROJECT_DIR/guard.sh'", &["a variable in single quotes is not expanded: write it in double quotes"]),
        ("./guards/gaurd.sh", &["it was looked for as ", "gaurd.sh: did you mean `guard.sh`?"]),
        ("gards/guard.sh", &["has no directory `gards`: did you mean `guards`?"]),
        ("pyhton3 guard.py", &["pyhton3: command not found (did you mean `python3`?)"]),
        ("./blank.sh", &["a #! line ends the path at its first blank: "]),
        ("./guard.rb", &["nonesuch-ruby is not on PATH; install nonesuch-ruby, or name another interpreter"]),
        ("exec echo hi", &["stdout must be empty or one JSON object, found `hi`"]),
    ];
    for (command, parts) in cases {
        let output = said_of(directory.path(), command);
        assert_eq!(output.code, Some(0), "{command}: {output:?}");
        assert!(output.stderr.starts_with("hookshell: warning: the hook `guard` "), "{command}: {output:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{command}: {output:?}");
        for part in parts {
            assert!(output.stderr.contains(part), "{command}: {part}: {output:?}");
        }
        assert!(output.stderr.ends_with("`hookshell check` looks for the cause\n"), "{command}: {output:?}");
    }
}

/// Nothing is wrong in the config of a hook that is too slow: `check` would find nothing.
#[test]
fn a_hook_that_is_too_slow_says_which_key_gives_it_longer() {
    let directory = tempfile::tempdir().unwrap();
    let flat = |rest: &str| format!(r#"{{"version":1,"hooks":{{"preToolUse":[{{"type":"command",{rest}}}]}}}}"#);
    let groups = r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"sleep 9","timeout":50}]}]}}"#;
    let cases = [
        (
            "crush",
            r#"{"hooks":{"PreToolUse":[{"command":"sleep 9","timeout":0.05}]}}"#.to_owned(),
            "`timeout` (in seconds)",
            25,
        ),
        ("gemini", groups.to_owned(), "`timeout` (in milliseconds)", 35),
        (
            "copilot",
            flat(r#""bash":"sleep 9","powershell":"sleep 9","timeoutSec":0.05"#),
            "`timeoutSec` (in seconds)",
            37,
        ),
    ];
    // PowerShell is what runs Copilot's hook on Windows.
    for (dialect, config, key, column) in cases.into_iter().filter(|case| cfg!(unix) || case.0 != "copilot") {
        write(directory.path(), "c.json", &config);
        let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--dialect", dialect];
        let output = run(directory.path(), &args);
        let line = format!(
            " failed: timed out after 0.05 s; give it a longer {key} at c.json:1:{column}, or make it faster\n"
        );
        assert!(output.stderr.ends_with(&line), "{dialect}: {line} {output:?}");
    }
}

/// Some agents deny where a hook cannot be run: all that a user sees is the denial.
#[test]
fn a_denial_for_a_missing_script_says_whose_it_is_and_where_it_was_looked_for() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "guards/guard.sh", "exit 2\n");
    let gemini =
        |line: &str| format!(r#"{{"hooks":{{"BeforeTool":[{{"hooks":[{{"type":"command","command":"{line}"}}]}}]}}}}"#);
    let copilot = |line: &str| {
        format!(r#"{{"version":1,"hooks":{{"preToolUse":[{{"type":"command","bash":"{line}","powershell":"x"}}]}}}}"#)
    };
    let file = "gaurd.sh: did you mean `guard.sh`?)";
    let cases = [
        ("gemini", gemini("./guards/gaurd.sh"), "the hook `./guards/gaurd.sh` could not be started: ", file),
        ("copilot", copilot("./guards/gaurd.sh"), "the hook `./guards/gaurd.sh` could not be started: ", file),
        ("gemini", gemini("pyhton3 x.py"), "", "pyhton3: command not found (did you mean `python3`?)"),
        (
            "copilot",
            copilot("exit 1"),
            "the hook `exit 1` failed (exit code 1), and Copilot CLI then denies the call",
            "",
        ),
        ("gemini", gemini("echo no >&2; exit 127"), "no", ""),
    ];
    // PowerShell is what runs Copilot's hook on Windows.
    for (dialect, config, begins, ends) in cases.into_iter().filter(|case| cfg!(unix) || case.0 != "copilot") {
        write(directory.path(), "c.json", &config);
        let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--dialect", dialect];
        let output = run(directory.path(), &args);
        let verdict: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let reason = verdict["reason"].as_str().unwrap();
        assert!(output.code == Some(2), "{config}: {output:?}");
        assert!(reason.starts_with(begins) && reason.ends_with(ends), "{config}: {reason}");
    }
}

#[test]
fn a_missing_interpreter_is_told_once_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "guard.rb", "#!/usr/bin/env nonesuch-ruby\n");
    said_of(directory.path(), "./guard.rb");
    let args = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "-v"];
    let output = run(directory.path(), &args);
    assert_eq!(output.stderr.matches("is not on PATH").count(), 1, "{output:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
}

/// A shell that takes the CR for text fails or denies by accident, and its own message does not name the cause.
#[test]
fn a_script_with_windows_line_ends_is_named_as_the_cause() {
    if !has_all(&["bash"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "crlf.sh", "#!/bin/bash\r\nif true; then\r\n  exit 2\r\nfi\r\n");
    let hint = "crlf.sh has CRLF line ends, which its interpreter takes for text: save it with LF line ends";
    let output = said_of(directory.path(), "bash ./crlf.sh");
    assert!(output.stdout.contains(hint) && output.code == Some(2), "{output:?}");
    let output = said_of(directory.path(), "bash ./crlf.sh || exit 1");
    assert!(output.stderr.contains(hint) && output.code == Some(0), "{output:?}");
    // Here it is read as it is meant.
    let output = said_of(directory.path(), "./crlf.sh");
    assert!(!output.stdout.contains(hint) && output.code == Some(2), "{output:?}");
}

#[test]
fn a_denial_for_a_failure_has_what_is_known_of_its_cause() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "guards/guard.sh", "#!/bin/sh\nexit 2\n");
    let hook = r#"{"name":"guard","command":"./guards/gaurd.sh","on_failure":"deny"}"#;
    write(directory.path(), "crush.json", &format!(r#"{{"hooks":{{"PreToolUse":[{hook}]}}}}"#));
    let args = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--output", "claude"];
    let output = run(directory.path(), &args);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(
        output.stderr.contains("the hook `guard` failed: ") && output.stderr.contains("it was looked for as "),
        "{output:?}"
    );
    assert!(output.stderr.contains("did you mean `guard.sh`?"), "{output:?}");
}

/// What an agent does not read beside an exit code of the hook's.
#[cfg(unix)]
#[test]
fn an_answer_beside_an_exit_code_says_that_the_code_is_the_cause() {
    let directory = tempfile::tempdir().unwrap();
    let denying = r#"echo '{\"decision\":\"block\",\"permission\":\"deny\"}'; exit 3"#;
    let cases = [
        (
            "codex",
            "PreToolUse",
            format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"{denying}"}}]}}]}}}}"#),
        ),
        ("cursor", "preToolUse", format!(r#"{{"version":1,"hooks":{{"preToolUse":[{{"command":"{denying}"}}]}}}}"#)),
    ];
    for (agent, event, config) in cases {
        write(directory.path(), "x.json", &config);
        let output =
            run(directory.path(), &["run", event, "--dialect", agent, "--config", "x.json", "--tool", "Shell"]);
        assert_eq!(output.code, Some(0), "{agent}: {output:?}");
        assert!(output.stderr.contains("with exit code 3 standard output is not read"), "{agent}: {output:?}");
    }
}

#[test]
fn a_matcher_in_another_case_is_told_with_v() {
    let directory = tempfile::tempdir().unwrap();
    let group = |matcher: &str| {
        format!(
            r#"{{"hooks":{{"PreToolUse":[{{"matcher":"{matcher}","hooks":[{{"type":"command","command":"exit 0"}}]}}]}}}}"#
        )
    };
    let args = ["run", "PreToolUse", "--dialect", "claude", "--config", "x.json", "--tool", "mcp__srv__do", "-v"];
    for (matcher, is_told) in [("MCP__SRV__DO", true), ("mcp__srv__do", false), ("Edit", false)] {
        write(directory.path(), "x.json", &group(matcher));
        let output = run(directory.path(), &args);
        let line = "hookshell: the hook `exit 0` does not run: its matcher \"MCP__SRV__DO\" does not match `mcp__srv__do` (the case counts: ";
        assert_eq!(output.stderr.contains(line), is_told, "{matcher}: {output:?}");
    }
}

/// It is told where it matters: at a call of the tool that is meant.
#[test]
fn a_matcher_that_matches_no_tool_of_its_agent_is_told_at_the_call() {
    let directory = tempfile::tempdir().unwrap();
    let flat = |matcher: &str| {
        format!(
            r#"[{{"matcher":"{matcher}","type":"command","command":"exit 2","bash":"exit 2","powershell":"exit 2"}}]"#
        )
    };
    let group =
        |matcher: &str| format!(r#"[{{"matcher":"{matcher}","hooks":[{{"type":"command","command":"exit 2"}}]}}]"#);
    let bash = "the matcher \"^Bash$\" matches no tool of ";
    let slip = "the matcher \"Bsh\" matches no tool that is known: did you mean `";
    for (agent, event, shell, read, is_flat, own_bash) in [
        ("crush", "PreToolUse", "bash", "view", true, false),
        ("claude", "PreToolUse", "Bash", "Read", false, true),
        ("codex", "PreToolUse", "Bash", "apply_patch", false, true),
        ("gemini", "BeforeTool", "run_shell_command", "read_file", false, false),
        ("cursor", "preToolUse", "Shell", "Read", true, false),
        ("copilot", "preToolUse", "bash", "view", true, false),
        ("qwen", "PreToolUse", "run_shell_command", "read_file", false, false),
    ] {
        let told = |matcher: &str, tool: &str, more: &[&str]| {
            let hooks = if is_flat { flat(matcher) } else { group(matcher) };
            let hooks =
                if agent != "copilot" { hooks.replace(r#","bash":"exit 2","powershell":"exit 2""#, "") } else { hooks };
            let version = if matches!(agent, "cursor" | "copilot") { r#""version":1,"# } else { "" };
            let file = if agent == "crush" { "crush.json" } else { "x.json" };
            write(directory.path(), file, &format!(r#"{{{version}"hooks":{{"{event}":{hooks}}}}}"#));
            let args = ["run", event, "--dialect", agent, "--config", file, "--tool", tool];
            run(directory.path(), &[&args, more].concat())
        };
        let output = told("^Bash$", shell, &[]);
        assert_eq!(output.stderr.contains(bash), !own_bash, "{agent}: {output:?}");
        if !own_bash {
            let line = format!(", which calls it `{shell}`\n");
            assert!(output.stderr.contains(&line) && output.stderr.contains(".json:1:"), "{agent}: {output:?}");
            assert_eq!(told("^Bash$", shell, &["-v"]).stderr.matches("^Bash$").count(), 1, "{agent}");
            // Where the agent shows it; Copilot CLI shows nobody what a hook says.
            let shown = told("^Bash$", shell, &["--output", agent]);
            let shown = if agent == "copilot" { shown.stderr } else { shown.stdout };
            assert!(shown.contains("matches no tool of "), "{agent}: {shown}");
            let closed = told("^Bash$", shell, &["--fail-closed"]);
            assert!(
                closed.code == Some(2) && closed.stdout.contains("--fail-closed denies the call"),
                "{agent}: {closed:?}"
            );
            // A call of another tool is none that it is meant for.
            assert_eq!(told("^Bash$", read, &[]).stderr, "", "{agent}");
        }
        if matches!(agent, "crush" | "claude" | "copilot") {
            let output = told("Bsh", shell, &[]);
            assert!(output.stderr.contains(&format!("{slip}{shell}`?")), "{agent}: {output:?}");
        }
        // What matches a tool of its own, or what nobody knows, may be meant so.
        for matcher in [&format!("^Bash$|{shell}|{read}"), "MyOwnTool", "^(?!Bash)x"] {
            let output = told(matcher, read, &[]);
            assert!(!output.stderr.contains("matches no tool"), "{agent}: {matcher}: {output:?}");
        }
    }
}

#[test]
fn a_syntax_error_is_no_decision_of_the_hooks() {
    let directory = tempfile::tempdir().unwrap();
    let output = said_of(directory.path(), "if true; then echo");
    assert_eq!(output.code, Some(2), "{output:?}");
    let line = "hookshell: warning: the hook `guard` has a syntax error and denies every call; `hookshell check` shows where\n";
    assert_eq!(output.stderr, line);
    let args = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "-v"];
    let listed = run(directory.path(), &args).stderr;
    assert!(listed.starts_with("hookshell: guard: syntax error, deny, exit code 2, "), "{listed}");
}

#[test]
fn a_path_that_is_split_at_its_blank_is_found_and_told() {
    let root = tempfile::tempdir().unwrap();
    let project = root.path().join("my project");
    write(&project, "guard.sh", "#!/bin/sh\nexit 2\n");
    let config = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"$CLAUDE_PROJECT_DIR/guard.sh"}]}]}}"#;
    write(&project, ".claude/settings.json", config);
    // Windows' own separators are not those that the shell shows.
    if cfg!(unix) {
        let args = ["run", "PreToolUse", "--config", ".claude/settings.json", "--tool", "Bash"];
        let output = run(&project, &args);
        assert!(
            output.stderr.contains("my project is split at its blank: write the variable in double quotes"),
            "{output:?}"
        );
    }
    let found = check(&project, &[".claude/settings.json"]);
    assert!(found.code == Some(1) && found.stdout.contains("[HS310]"), "{found:?}");
    if cfg!(unix) {
        let path = config.replace("$CLAUDE_PROJECT_DIR", &project.display().to_string());
        write(&project, ".claude/settings.json", &path);
        let found = check(&project, &[".claude/settings.json"]);
        assert!(found.stdout.contains("(its path is split at the blank: write it in double quotes, "), "{found:?}");
    }
    // Where the path has no blank today it is a warning, but for an agent that puts it in itself, in quotes.
    let project = root.path().join("project");
    write(&project, "guard.sh", "#!/bin/sh\nexit 2\n");
    write(&project, ".claude/settings.json", config);
    let found = check(&project, &[".claude/settings.json"]);
    assert!(
        found.stdout.contains("warning: $CLAUDE_PROJECT_DIR/guard.sh: $CLAUDE_PROJECT_DIR is split at blanks"),
        "{found:?}"
    );
    let gemini =
        config.replace("PreToolUse", "BeforeTool").replace("CLAUDE", "GEMINI").replace("Bash", "run_shell_command");
    write(&project, ".gemini/settings.json", &gemini);
    let found = check(&project, &[".gemini/settings.json"]);
    assert!(!found.stdout.contains("[HS310]"), "{found:?}");
}

#[test]
fn a_broken_hook_file_costs_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "good.sh", "echo no >&2; exit 2\n");
    write(directory.path(), "bad.sh", "# hookshell: {\"timeout\": }\n");
    let args = ["run", "PreToolUse", "--no-hooks", "--tool", "bash", "--hook", "bad.sh", "--hook", "good.sh"];
    let output = run(directory.path(), &args);
    assert!(output.code == Some(2) && output.stdout.contains(r#""reason":"no""#), "{output:?}");
    assert!(output.stderr.contains("bad.sh:1:1: the settings are no JSON object"), "{output:?}");
    assert!(
        output.stderr.ends_with("hint: correct it: what is wrong was left out; the other hooks ran\n"),
        "{output:?}"
    );
    let output = run(directory.path(), &["run", "PreToolUse", "--no-hooks", "--tool", "bash", "--hook", "gone.sh"]);
    assert!(output.code == Some(66) && output.stderr.contains("gone.sh: no such file"), "{output:?}");
    assert!(output.stderr.ends_with("hint: no hook was run; correct the config first\n"), "{output:?}");
}

#[test]
fn a_type_that_is_misspelled_is_told_once() {
    let directory = tempfile::tempdir().unwrap();
    let config = r#"{"hooks":{"Stop":[{"hooks":[{"type":"comand","command":"true"}]}]}}"#;
    write(directory.path(), ".claude/settings.json", config);
    let output = check(directory.path(), &[".claude/settings.json"]);
    assert!(output.code == Some(1) && output.stdout.matches("comand").count() == 1, "{output:?}");
    // Where it costs the hook alone, the agent's user is told what is meant.
    write(directory.path(), "crush.json", r#"{"hooks":{"PreToolUse":[{"type":"comand","command":"true"}]}}"#);
    let args = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--output", "claude"];
    let output = run(directory.path(), &args);
    assert!(output.stdout.contains("`comand` are not run here: did you mean `command`?"), "{output:?}");
}

#[test]
fn a_config_without_hooks_is_told_where_it_was_named() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "crush.json", "{}");
    let output = run(directory.path(), &["run", "PreToolUse", "--config", "crush.json", "--tool", "bash"]);
    assert_eq!(
        (output.code, &*output.stderr),
        (
            Some(0),
            "hookshell: warning: crush.json has no hooks, so nothing is guarded: name the config that has them (--config), or put them into its `hooks`\n"
        )
    );
}

#[test]
fn a_models_address_without_a_scheme_is_told() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "c.json", r#"{"hooks":{"PreToolUse":[{"type":"prompt","prompt":"is it right?"}]}}"#);
    let output = hookshell(["run", "PreToolUse", "--config", "c.json", "--tool", "bash"])
        .env("HOOKSHELL_LLM_URL", "localhost:1/v1")
        .env("HOOKSHELL_LLM_MODEL", "m")
        .stdin("")
        .cwd(directory.path())
        .output();
    let part = "\"localhost:1/v1\" does not begin with http:// or https://: write http://localhost:1/v1 ";
    assert!(output.stderr.contains(part), "{output:?}");
    let found = |url: &str| hookshell(["check", "c.json"]).env("HOOKSHELL_LLM_URL", url).cwd(directory.path()).output();
    let output = found("localhost:1/v1");
    assert!(output.code == Some(1) && output.stdout.contains(part) && output.stdout.contains("[HS508]"), "{output:?}");
    assert_eq!(found("http://localhost:1/v1").code, Some(0));
    for (url, meant) in
        [("http:/localhost:1/v1", "http://localhost:1/v1"), ("HTTPS:api.example.org", "https://api.example.org")]
    {
        let output = found(url);
        assert!(output.stdout.contains(&format!(": write {meant} (")), "{output:?}");
    }
}

/// Hooks in a file that no agent reads guard nothing, and nobody would know.
#[test]
fn hooks_in_a_file_that_is_never_read_are_told() {
    let group = r#"{"hooks":{"EVENT":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
    for (agent, name, event, tool, right) in [
        ("claude", ".claude/hooks.json", "PreToolUse", "Bash", ".claude/settings.json"),
        ("codex", ".codex/settings.json", "PreToolUse", "Bash", ".codex/hooks.json"),
        ("gemini", ".gemini/hooks.json", "BeforeTool", "run_shell_command", ".gemini/settings.json"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        write(directory, name, &group.replace("EVENT", event));
        let found = check(directory, &[]);
        assert!(found.code == Some(1) && found.stdout.contains("never reads this file"), "{agent}: {found:?}");
        let args = ["run", event, "--dialect", agent, "--tool", tool];
        let line = format!(" never reads this file, so its hooks do not run: move them into {right}");
        let output = run(directory, &args);
        assert!(output.code == Some(0) && output.stderr.contains(&line), "{agent}: {output:?}");
        let output = run(directory, &[&args[..], &["--output", agent]].concat());
        assert!(output.stdout.contains(&line), "{agent}: {output:?}");
        assert_eq!(run(directory, &[&args[..], &["--fail-closed"]].concat()).code, Some(2), "{agent}");
        // Without hooks in it, or beside the right one, it is nobody's mistake.
        write(directory, name, r#"{"mine":1}"#);
        assert_eq!(run(directory, &args).stderr, "", "{agent}");
    }
}

/// What an agent is given of a hook that writes much, in whatever format.
#[test]
fn what_an_agent_is_given_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let hook = "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf '%01000d' 0 >&2; done; exit 2";
    write(directory, "crush.json", &format!(r#"{{"hooks":{{"PreToolUse":[{{"command":"{hook}"}}]}}}}"#));
    for output in ["native", "claude", "cursor"] {
        let args = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--output", output];
        let given = run(directory, &args);
        assert!(
            given.stdout.len() + given.stderr.len() < 60_000,
            "{output}: {}",
            given.stdout.len() + given.stderr.len()
        );
        assert!(format!("{}{}", given.stdout, given.stderr).contains("[hookshell: cut after 8192 of "), "{output}");
    }
}
