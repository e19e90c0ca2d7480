//! `hookshell check` as a user calls it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::Value;
use support::{Output, hookshell};

fn write(dir: &Path, name: &str, text: &str) {
    std::fs::write(dir.join(name), text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn check(dir: &Path, args: &[&str]) -> Output {
    let args: Vec<&str> = [&["check"], args].concat();
    hookshell(args).env("PATH", dir).cwd(dir).output()
}

/// The output for one hook of PreToolUse.
fn one(dir: &Path, hook: &str, args: &[&str]) -> Output {
    write(dir, "c.json", &format!("{{\"hooks\":{{\"PreToolUse\":[{hook}]}}}}"));
    check(dir, &[args, &["c.json"]].concat())
}

#[test]
fn what_is_wrong_is_found_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "ok.sh", "[[ a == a* ]] && exit 2\nexit 0\n");
    write(dir, "broken.sh", "echo a\nif true; then\n");
    write(dir, "crlf.sh", "#!/usr/bin/env bash\r\necho a\r\n");
    write(dir, "none.py", "#!/usr/bin/env no-such-python\n");
    write(dir, &format!("bash{}", std::env::consts::EXE_SUFFIX), "MZ");
    std::fs::create_dir(dir.join("directory")).unwrap();
    write(dir, "ok.ps1", "exit 0\n");
    write(dir, &format!("pwsh{}", std::env::consts::EXE_SUFFIX), "MZ");
    let missing = dir.join("gone.js").display().to_string();
    write(dir, &format!("node{}", std::env::consts::EXE_SUFFIX), "MZ");
    let cases: &[(&str, &[&str])] = &[
        (r#"{"command":"./ok.sh"}"#, &[]),
        (r#"{"command":"echo \"a\"; case x in x) exit 2;; esac"}"#, &[]),
        (r#"{"command":"[[ -n ${X-} ]] && echo no >&2"}"#, &[]),
        (
            r#"{"command":"echo \"é\\n\"; if true; then )"}"#,
            &["c.json:1:66: error: ", "syntax error near unexpected token `)'"],
        ),
        (r#"{"name":"guard","command":"./missing.sh"}"#, &["c.json:1:25: error: guard: it cannot be started: "]),
        (r#"{"command":"./directory"}"#, &["it cannot be started: "]),
        (r#"{"command":"./broken.sh"}"#, &["broken.sh:3:1: error: ./broken.sh: syntax error: unexpected end of file"]),
        (r#"{"command":"bash crlf.sh"}"#, &["crlf.sh:1:1: error: bash crlf.sh: the script has CRLF line ends"]),
        (r#"{"command":"./none.py"}"#, &["it cannot be started: ", "no-such-python"]),
        (r#"{"type":"prompt","prompt":"is it safe?"}"#, &[]),
        (r#"{"type":"agent","prompt":"look"}"#, &[]),
        (
            r#"{"type":"agent","prompt":"look","tools":["bash"]}"#,
            &["c.json:1:25: warning: look: a sub-agent has no tool `bash` here: it has read, glob and grep"],
        ),
        (r#"{"type":"prompt","prompt":"a","async":true}"#, &["a: the model's answer counts for nothing: "]),
        (r#"{"type":"module","module":"gone.py"}"#, &["error: gone.py: its module ", "gone.py does not exist"]),
        (r#"{"type":"http","url":"http://a"}"#, &["c.json:1:33: warning: this hook will not run: "]),
        (r#"{"command":"node gone.js"}"#, &["error: node gone.js: its script ", &missing]),
        (
            r#"{"command":"no-such-program -x"}"#,
            &["there is no command `no-such-program` on PATH, and none is bundled"],
        ),
        (r#"{"command":"cat -n"}"#, &[]),
        (
            r#"{"command":"cd /; no-such-program"}"#,
            &["warning: cd /; no-such-program: there is no command `no-such-program`"],
        ),
        // What stands in pipelines, lists and compound commands is looked at too.
        (r#"{"command":"cat | ./gone.sh"}"#, &["warning: cat | ./gone.sh: it cannot be started: "]),
        (r#"{"command":"true && bash gone.sh"}"#, &["its script ", "gone.sh does not exist"]),
        (r#"{"command":"bash gone.sh || pwsh -File gone.ps1"}"#, &["its script ", "gone.ps1 does not exist"]),
        (r#"{"command":"bash gone.sh || true"}"#, &["warning: bash gone.sh || true: its script "]),
        (
            r#"{"command":"./gone.sh 2>/dev/null || exit 0"}"#,
            &["warning: ./gone.sh 2>/dev/null || exit 0: it cannot be "],
        ),
        (r#"{"command":"no-such-program || true"}"#, &[]),
        (r#"{"command":"bash -eu gone.sh"}"#, &["error: bash -eu gone.sh: its script "]),
        (r#"{"command":"bash -c gone.sh"}"#, &[]),
        (r#"{"command":"node --no-warnings gone.js"}"#, &["error: node --no-warnings gone.js: its script "]),
        (r#"{"command":"env A=b ./gone.sh"}"#, &["error: env A=b ./gone.sh: it cannot be started: "]),
        (r#"{"command":"exec bash gone.sh"}"#, &["error: exec bash gone.sh: its script "]),
        (r#"{"command":"timeout 5 ./ok.sh 'a b'"}"#, &[]),
        (r#"{"command":"a-first && b-then || exit 0"}"#, &[]),
        (r#"{"command":"command -v jqx >/dev/null && jqx ."}"#, &[]),
        (r#"{"command":"f() { no-such-program; }; f"}"#, &["there is no command `no-such-program`"]),
        (r#"{"command":"f() { ./ok.sh; }; f"}"#, &[]),
        (r#"{"command":"cd directory && ./gone.sh"}"#, &[]),
        (r#"{"command":"if no-such-program; then ./ok.sh; fi"}"#, &["there is no command `no-such-program`"]),
        // Who knows what is found there.
        (r#"{"command":"PATH=./bin:$PATH interp"}"#, &[]),
        (r#"{"command":"export PATH=$PWD/bin:$PATH; interp x"}"#, &[]),
        (r#"{"command":"MYPATH=x interp"}"#, &["there is no command `interp`"]),
        (r#"{"command":"X=1 ./gone.sh >out"}"#, &["it cannot be started: "]),
        (r#"{"command":"\"$CRUSH_PROJECT_DIR\"/gone.sh | cat"}"#, &["it cannot be started: "]),
        (r#"{"command":"[ -x ./gone.sh ] && ./gone.sh"}"#, &[]),
        (r#"{"command":"if [[ -f \"gone.sh\" ]]; then bash \"gone.sh\" x; fi"}"#, &[]),
        (r#"{"command":"[ -n \"$X\" ] && ./gone.sh"}"#, &["it cannot be started: "]),
        (r#"{"command":"echo a | ./broken.sh"}"#, &["broken.sh:3:1: warning: "]),
        (r#"{"command":"(./ok.sh; bash ok.sh) | cat; case a in a) ./ok.sh;; esac; for i in 1; do cat; done"}"#, &[]),
        (r#"{"command":":","matcher":"^bsh$"}"#, &["warning: :: the matcher \"^bsh$\" matches no tool that is known"]),
        (r#"{"command":":","matcher":"^mcp__github"}"#, &[]),
        (r#"{"command":":","timeout":30000}"#, &["the timeout is 30000 seconds: are milliseconds meant?"]),
        (
            r#"{"command":":"}],"include_sub_agent":[true"#,
            &["these hooks will not run: unknown event `include_sub_agent`"],
        ),
        (
            r#"{"command":":"}],"on_failre":"deny","Stop":["#,
            &["c.json:1:42: warning: unknown key `hooks.on_failre` is ignored: did you mean `on_failure`?"],
        ),
        (r#"{"comand":":","command":":"}"#, &["c.json:1:26: warning: unknown key `hooks.PreToolUse[0].comand`"]),
        (r#"{"command":5}"#, &["c.json:1:36: error: `hooks.PreToolUse[0].command` must be a string, found a number"]),
        (r#"{"command":":","cwd":"gone"}"#, &["its directory "]),
        (r#"{"command":":","timeout":5000}"#, &["the timeout is 5000 seconds: are milliseconds meant?"]),
        (r#"{"command":":","timeout":60}"#, &[]),
        (r#"{"command":"node directory"}"#, &["error: node directory: its script ", "is a directory"]),
        (r#"{"command":"ok.sh/x"}"#, &["it cannot be started: "]),
        (r#"{"command":"directory/gone.sh --x"}"#, &["it cannot be started: "]),
        (r#"{"command":"./ok.sh/x"}"#, &["it cannot be started: "]),
        (r#"{"command":"\"$CRUSH_PROJECT_DIR\"/ok.sh"}"#, &[]),
        (r#"{"command":"$CRUSH_PROJECT_DIR/gone.sh"}"#, &["it cannot be started: "]),
        (
            r#"{"command":"pwsh -NoProfile -Command 'exit 2'"}"#,
            &["warning: pwsh -NoProfile -Command 'exit 2': PowerShell's -Command makes 1"],
        ),
        (r#"{"command":"pwsh -c 'exit 2'"}"#, &["PowerShell's -Command makes 1"]),
        (r#"{"command":"pwsh -NoProfile -File ok.ps1"}"#, &[]),
        (r#"{"command":"pwsh ok.ps1"}"#, &[]),
        (r#"{"command":"pwsh -File gone.ps1"}"#, &["its script "]),
        (r#"{"command":"bash","args":["gone.sh"]}"#, &["its script "]),
        (r#"{"type":"http","url":"http://127.0.0.1/"}"#, &["this hook will not run: "]),
    ];
    for (hook, expected) in cases {
        let output = one(dir, hook, &[]);
        let findings = output.stdout.lines().count() - 1;
        assert_eq!(output.code, Some(i32::from(findings > 0)), "{hook}: {output:?}");
        assert_eq!(findings > 0, !expected.is_empty(), "{hook}: {}", output.stdout);
        for part in *expected {
            let shown = output.stdout.replace('\\', "/");
            assert!(shown.contains(&part.replace('\\', "/")), "{hook}: {part}: {shown}");
        }
    }
}

/// Each agent calls its tools by names of its own.
#[test]
fn a_matcher_for_another_agents_tool_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let flat = |event: &str, matcher: &str| {
        format!(r#"{{"version":1,"hooks":{{"{event}":[{{"matcher":"{matcher}","command":":"}}]}}}}"#)
    };
    let groups = |event: &str, matcher: &str| {
        format!(r#"{{"hooks":{{"{event}":[{{"matcher":"{matcher}","hooks":[{{"type":"command","command":":"}}]}}]}}}}"#)
    };
    let cases = [
        ("claude", groups("PreToolUse", "bash"), "of Claude Code, which calls it `Bash`"),
        ("claude", groups("PostToolUse", "edit|write"), "of Claude Code, which calls it `Write`"),
        ("claude", groups("PreToolUse", "Bash|edit"), ""),
        ("claude", groups("PreToolUse", "Skill"), ""),
        ("claude", groups("PreToolUse", ".*"), ""),
        ("claude", groups("PreToolUse", "mcp__x__bash"), ""),
        ("codex", groups("PreToolUse", "Edit|Write"), ""),
        ("codex", groups("PreToolUse", "run_shell_command"), "of Codex, which calls it `Bash`"),
        ("gemini", groups("BeforeTool", "Bash"), "of Gemini CLI, which calls it `run_shell_command`"),
        ("gemini", groups("BeforeTool", "write_file|replace"), ""),
        ("cursor", flat("preToolUse", "Bash"), "of Cursor, which calls it `Shell`"),
        ("cursor", flat("preToolUse", "MCP:github"), ""),
        ("cursor", flat("beforeShellExecution", "Bash"), ""),
        ("copilot", flat("preToolUse", "Write"), "of Copilot CLI, which calls it `create`"),
    ];
    for (dialect, config, expected) in cases {
        write(dir.path(), "c.json", &config);
        let output = check(dir.path(), &["--dialect", dialect, "c.json"]);
        assert_eq!(output.code, Some(i32::from(!expected.is_empty())), "{dialect} {config}: {output:?}");
        assert!(output.stdout.contains(expected), "{dialect} {config}: {output:?}");
    }
}

#[test]
fn scripts_and_the_files_of_other_agents_are_checked_too() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "x.sh", "#!/no/such/directory/sh\n");
    let output = check(dir, &["--missing-shell=fail", "x.sh"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("/no/such/directory/sh: bad interpreter"), "{output:?}");
    // By its extension, too.
    write(dir, "lib.bash", "f() { echo; }\n");
    write(dir, "y.sh", "# shellcheck shell=sh\nif\n");
    assert_eq!(check(dir, &["lib.bash"]).stdout, "1 file, 1 hook, 0 findings\n");
    let output = check(dir, &["y.sh"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("syntax error"), "{output:?}");
    std::fs::create_dir(dir.join(".claude")).unwrap();
    write(dir, ".claude/settings.json", r#"{"hooks":{"Stp":[]}}"#);
    let output = hookshell(["check"]).env("HOME", dir.join("home")).env("XDG_CONFIG_HOME", "").cwd(dir).output();
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("did you mean `Stop`?"), "{output:?}");
}

#[test]
fn the_portable_opinion_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let hook = r#"{"command":"cat <<<x"}"#;
    assert_eq!(one(dir.path(), hook, &[]).code, Some(0));
    let output = one(dir.path(), hook, &["--portable"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("warning: cat <<<x: not portable to every sh: "), "{output:?}");
    assert_eq!(one(dir.path(), r#"{"command":"cat <x | wc"}"#, &["--portable", "--utilities=bundled"]).code, Some(0));
}

#[test]
fn the_report_is_json_too_and_an_unreadable_config_is_2() {
    let dir = tempfile::tempdir().unwrap();
    let output = one(dir.path(), r#"{"command":"./x"}"#, &["--json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&report["hooks"], &report["files"][0]), (&1.into(), &"c.json".into()));
    assert_eq!(report["findings"][0]["severity"], "error");
    assert_eq!(report["findings"][0]["line"], 1);
    let output = check(dir.path(), &["gone.json"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.starts_with("gone.json: error: no such file or directory [HS101]\n"), "{output:?}");
    let nothing = hookshell(["check"]).env("HOME", dir.path()).env("XDG_CONFIG_HOME", "").cwd(dir.path());
    let nothing = nothing.output();
    assert_eq!((nothing.code, &*nothing.stdout), (Some(66), ""), "{nothing:?}");
}

#[test]
fn a_syntax_error_has_its_place_in_the_config_with_escapes_and_lines() {
    let dir = tempfile::tempdir().unwrap();
    let config = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"command\": \"echo \\\"x\\\" | grep x; fi\" }\n    ]\n  }\n}\n";
    write(dir.path(), "c.json", config);
    let output = check(dir.path(), &["--json", "c.json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let finding = &report["findings"][0];
    let column = config.lines().nth(3).unwrap().find("fi\"").unwrap() + 1;
    assert_eq!((&finding["file"], &finding["line"], &finding["column"]), (&"c.json".into(), &4.into(), &column.into()));
    assert_eq!((&finding["severity"], output.code), (&"error".into(), Some(1)));
}

#[test]
fn exit_codes_are_0_1_and_2() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "good.json", r#"{"hooks":{"PreToolUse":[{"command":"true"}]}}"#);
    write(dir.path(), "bad.json", r#"{"hooks":{"PreToolUse":[{"command":"fi"}]}}"#);
    for (files, code) in [(&["good.json"][..], 0), (&["good.json", "bad.json"], 1), (&["gone.json", "bad.json"], 2)] {
        for more in [&[][..], &["--json"], &["--portable"]] {
            let output = check(dir.path(), &[more, files].concat());
            assert_eq!((output.code, &*output.stderr), (Some(code), ""), "{files:?} {more:?}: {output:?}");
        }
    }
}

#[test]
fn a_shell_that_is_stood_in_for_is_not_missed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "ok.sh", "exit 0\n");
    let cases: &[(&str, &[&str])] = &[
        (r#"{"command":"bash ok.sh"}"#, &[]),
        (r#"{"command":"sh -c 'exit 2'"}"#, &[]),
        (r#"{"command":"bash gone.sh"}"#, &["error: bash gone.sh: its script ", "gone.sh does not exist"]),
        (r#"{"command":"zsh ok.sh"}"#, &["there is no command `zsh`"]),
        (r#"{"command":"bash ok.sh","missing_shell":"fail"}"#, &["there is no command `bash`"]),
        (r#"{"command":"bash ok.sh","missing_shell":"fail","shell_scripts":"in-process"}"#, &[]),
    ];
    for (hook, expected) in cases {
        let output = one(dir, hook, &["--missing-shell", "interpret"]);
        let is_fine = output.stdout.starts_with("1 file, 1 hook, 0 findings");
        assert!(is_fine == expected.is_empty(), "{hook}: {output:?}");
        assert!(expected.iter().all(|part| output.stdout.contains(part)), "{hook}: {output:?}");
    }
    let output = one(dir, r#"{"command":"bash ok.sh"}"#, &["--missing-shell", "fail"]);
    assert!(output.stdout.contains("there is no command `bash`"), "{output:?}");
}

#[test]
fn a_command_that_was_written_for_another_shell_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        (r#"{"command":"%CLAUDE_PROJECT_DIR%/x.cmd"}"#, "(%CLAUDE_PROJECT_DIR% is expanded by cmd only"),
        (r#"{"command":"hooks\\x.cmd a"}"#, "(to the shell a backslash outside quotes is no separator"),
        (r#"{"command":"no-such-program hooks\\x.js"}"#, "(to the shell a backslash outside quotes is no separator"),
    ];
    for (hook, expected) in cases {
        let output = one(dir.path(), hook, &[]);
        assert!(output.stdout.contains(expected), "{hook}: {output:?}");
    }
}

#[cfg(windows)]
#[test]
fn paths_of_unix_programs_are_commands() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "ok.sh", "exit 0\n");
    for hook in [
        r#"{"command":"/usr/local/bin/env bash ok.sh"}"#,
        r#"{"command":"/usr/local/bin/bash ok.sh"}"#,
        r#"{"command":"\"C:\\Program Files\\none\\bash.exe\" -c ':'"}"#,
        r#"{"command":"/usr/local/bin/jq ."}"#,
    ] {
        let output = one(dir.path(), hook, &[]);
        assert!(output.stdout.starts_with("1 file, 1 hook, 0 findings"), "{hook}: {output:?}");
    }
}

#[test]
#[cfg(windows)]
fn the_launcher_of_wsl_is_passed_over_with_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let apps = dir.path().join("WindowsApps");
    std::fs::create_dir(&apps).unwrap();
    write(&apps, "bash.exe", "MZ");
    write(dir.path(), "x.sh", "exit 0\n");
    write(dir.path(), "c.json", r#"{"hooks":{"PreToolUse":[{"command":"bash x.sh"}]}}"#);
    let output = hookshell(["check", "c.json"]).env("PATH", &apps).cwd(dir.path()).output();
    assert!(output.stdout.contains("was passed over: it starts WSL"), "{output:?}");
}

#[test]
#[cfg(unix)]
fn a_script_is_judged_by_its_own_interpreter() {
    let dir = tempfile::tempdir().unwrap();
    // As pyenv has it: `python3` is itself a script, for bash.
    write(dir.path(), "bash", "MZ");
    let bash = dir.path().join("bash");
    write(dir.path(), "python3", &format!("#!{}\nexec true\n", bash.display()));
    write(dir.path(), "ok.py", "#!/usr/bin/env python3\nimport sys\nsys.exit(f(2))\r\n");
    let output = one(dir.path(), r#"{"command":"./ok.py"}"#, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn extended_patterns_that_a_script_switches_on_are_no_error() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "ok.sh", "shopt -s nullglob extglob\ncase $1 in ?(sudo\\ )rm*) exit 2 ;; esac\necho !(*.md)\n");
    let output = one(dir.path(), r#"{"command":"./ok.sh"}"#, &[]);
    assert_eq!(output.stdout, "1 file, 1 hook, 0 findings\n");
    let inline = r#"{"command":"shopt -s extglob\n[[ $CRUSH_TOOL_NAME == x ]] || echo !(x)"}"#;
    assert_eq!(one(dir.path(), inline, &[]).stdout, "1 file, 1 hook, 0 findings\n");
    write(dir.path(), "ok.sh", "echo !(*.md)\n");
    let output = one(dir.path(), r#"{"command":"./ok.sh"}"#, &[]);
    assert!(output.stdout.contains("ok.sh:1:7: error: ./ok.sh: syntax error near unexpected token `('"), "{output:?}");
}

#[test]
fn a_script_of_another_language_without_its_first_line_is_not_startable() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "guard.py", "import sys\nsys.exit(2)\n");
    let output = one(directory.path(), r#"{"command":"./guard.py"}"#, &[]);
    let wanted = "./guard.py has no #! line, and its interpreter is not guessed from `.py`: write `python3 ./guard.py` as the command, or #!/usr/bin/env python3 as its first line [HS302]\n";
    assert!(output.stdout.contains(wanted), "{output:?}");
    let event = ["run", "PreToolUse", "--tool", "bash"];
    let verdict = hookshell(event.iter().chain(&["--config", "c.json"])).stdin("").cwd(directory.path()).output();
    assert_eq!(verdict.code, Some(0), "{verdict:?}");
    assert!(verdict.stderr.contains("./guard.py has no #! line"), "{verdict:?}");
    // Whoever names a shell for it has it read.
    write(directory.path(), &format!("bash{}", std::env::consts::EXE_SUFFIX), "MZ");
    let output = one(directory.path(), r#"{"command":"bash guard.py"}"#, &[]);
    assert!(output.stdout.contains("(it is read as shell code here: name its own interpreter) [HS301]"), "{output:?}");
}

/// A script with the findings of a run, each as `LINE CODE`.
fn codes(dir: &Path, args: &[&str]) -> Vec<String> {
    let output = check(dir, &[&["--json"], args].concat());
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| format!("{} {}", finding["line"], finding["code"].as_str().unwrap())).collect()
}

/// Shells on PATH, so that scripts for them can be started.
fn shells(dir: &Path) {
    let program = if cfg!(windows) { "MZ" } else { "\u{7f}ELF\0" };
    // And what scripts use, so that it is not missed.
    for name in [
        "sh", "bash", "dash", "cat", "cp", "date", "dirname", "grep", "jq", "ls", "mktemp", "nproc", "readlink", "rm",
        "sed", "stat", "timeout", "tr",
    ] {
        write(dir, &format!("{name}{}", std::env::consts::EXE_SUFFIX), program);
    }
}

#[test]
fn what_a_target_does_not_have_is_told_for_each_line() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let script = "#!/bin/bash\nsed -i 's/a/b/' f\nd=$(date -d yesterday +%F)\nreadlink -f \"$0\"\nstat -c %Y f\n\
                  cat /proc/self/status\ngrep -oP '\\d+' f\ntimeout 5 ls\ndeclare -A m\nrg x\ncommand -v fd && fd x\n\
                  sed -i '' s/a/b/ f\nif true; then echo \"$(nproc)\"; fi\nsed -i.bak s/a/b/ f\n";
    write(dir, "x.sh", script);
    let macos = [
        "2 HS403", "3 HS403", "4 HS403", "5 HS403", "6 HS404", "7 HS403", "8 HS402", "9 HS407", "10 HS402", "13 HS402",
    ];
    assert_eq!(codes(dir, &["--target", "macos", "x.sh"]), macos);
    assert_eq!(codes(dir, &["--target", "linux", "x.sh"]), ["10 HS402", "12 HS403"]);
    // There it runs in process, with utilities that are like GNU's.
    assert_eq!(codes(dir, &["--target", "windows", "x.sh"]), ["6 HS404", "10 HS402", "12 HS403"]);
    assert_eq!(codes(dir, &["--target", "windows", "--missing-shell", "fail", "x.sh"])[0], "1 HS405");
    let in_process = ["--target", "macos", "--shell-scripts", "in-process", "x.sh"];
    assert_eq!(codes(dir, &in_process), ["6 HS404", "10 HS402", "12 HS403"]);
    assert!(codes(dir, &["x.sh"]).is_empty());
}

/// Scripts that are written for several systems ask which one they run on, or try one command after the other.
#[test]
fn code_for_another_system_is_no_finding() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    for (code, macos, linux) in [
        ("if [ \"$(uname)\" = Darwin ]; then sed -i '' p f; else sed -i p f; fi", 0, 0),
        ("if [ \"$(uname -s)\" != Darwin ]; then sed -i p f; fi", 0, 0),
        ("if [[ $OSTYPE == darwin* ]]; then stat -c %s f; fi", 1, 0),
        ("if [[ $OSTYPE == linux* ]]; then cat /proc/cpuinfo; else date -d now; fi", 1, 0),
        ("case \"$(uname -s)\" in Darwin) stat -f %m f;; *) stat -c %Y f;; esac", 0, 0),
        ("case $OSTYPE in linux*) date -d now;; msys*|cygwin*) date -v1d;; darwin*) date -v1d;; esac", 0, 0),
        ("os=$(uname -s)\ncase $os in Linux) os=linux;; Darwin) os=mac;; esac\n[ $os = mac ] && date -v1d", 0, 0),
        ("mac() { [ \"$(uname)\" = Darwin ]; }\nif mac; then date -v1d; else date -d now; fi", 0, 0),
        ("[ \"$(uname)\" = Darwin ] || exit 0\ndate -v1d", 0, 0),
        ("if [ \"$(uname)\" = Darwin ]; then exit 0; fi\ndate -d now", 0, 0),
        ("if [ -n \"$WSL_DISTRO_NAME\" ]; then clip.exe < f; else ls; fi", 0, 0),
        ("if grep -qi microsoft /proc/version 2>/dev/null; then clip.exe < f; fi", 0, 0),
        ("if uname | grep -qi linux; then date -d now; fi", 0, 0),
        ("[ \"$(uname)\" = Darwin ] && date -v1d || date -d now", 0, 0),
        ("if [ \"$(uname -m)\" = arm64 ]; then date -d now; fi", 1, 0),
        ("[ \"$(uname -m)\" = x86_64 ] || exit 0\ndate -d now", 1, 0),
        ("case \"$(uname -s)-$(uname -m)\" in Darwin-*) date -v1d;; esac", 0, 0),
        ("mac() { date -v1d; }\nlinux() { date -d now; }\ncase $(uname) in Darwin) mac;; Linux) linux;; esac", 0, 0),
        ("mac() { date -v1d; }\ncase $(uname) in Darwin) mac;; esac\nmac", 0, 1),
        ("old() { date -d now; }\nif [ \"$1\" = x ]; then old; fi", 1, 0),
        ("x=$(stat -c %Y f 2>/dev/null || stat -f %m f)", 0, 0),
        ("x=$(stat -c %Y f || stat -f %m f || echo 0)", 0, 0),
        ("x=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 4)", 0, 0),
        ("x=$(readlink -f \"$0\" 2>/dev/null || echo \"$0\")", 0, 0),
        ("date -d a || date -d b", 2, 0),
        ("grep -qP x f || exit 0", 1, 0),
        ("grep -qP x f 2>/dev/null || { echo no; exit 2; }", 1, 0),
        ("if date --version >/dev/null 2>&1; then date -d now; else date -v1d; fi", 0, 0),
        ("if date -d now >/dev/null 2>&1; then x=$(date -d now); else x=$(date -v1d); fi", 0, 0),
        ("if grep -qP x f; then exit 2; else exit 0; fi", 1, 0),
        ("[ -r /proc/version ] && cat /proc/version", 0, 0),
        ("[ -d /proc/1 ] || exit 0", 1, 0),
        ("case $1 in /proc/*|/Users/*) exit 2;; esac; [[ $1 == /proc/* ]] && exit 2", 0, 0),
        ("grep -q /proc/ f; sed /proc/d f; echo /proc/x", 0, 0),
    ] {
        write(dir, "x.sh", &format!("#!/bin/bash\n{code}\nexit 0\n"));
        for (target, expected) in [("macos", macos), ("linux", linux)] {
            let found = check(dir, &["--target", target, "--ignore", "HS304,HS312,HS313", "x.sh"]).stdout;
            assert_eq!(found.lines().count() - 1, expected, "{target}: {code}: {found}");
        }
    }
}

/// In every place where a command may stand.
#[test]
fn a_target_is_asked_about_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let lines = [
        "if [[ \"$(date -d a)\" ]]; then :; fi",
        "[[ -r /proc/x ]]",
        "echo $(( $(date -d b) / 2 ))",
        "(( $(date -d c) > 2 ))",
        "x=(a $(date -d d))",
        "echo \"${1:-$(date -d e)}\"",
        "x=`date -d \\$f`",
        "bash -c 'date -d g'",
        "eval 'date -d h'",
        "trap 'date -d i' EXIT",
        "find . -exec stat -c %s {} +",
        "find . -print0 | xargs -0 -n1 stat -c %s",
        "sudo -u me date -d j",
        "nice -n 5 date -d k",
        "dd if=/proc/y",
        "f() { :; } < /proc/z",
        "lower=${x,,}",
        "case ${x^^} in a) ;; esac",
        "[[ ${x,,} == y ]]",
        "for i in {1..10..2} {01..3}; do :; done",
        "exec {fd}>f",
        "echo \"${x:0:-1}\" ${y[-1]}",
        "[ -v x ] && [[ -v x ]]",
        "printf '%(%F)T' -1",
        "read -t 0.5 x",
        "sed 's/a/\\U&/' f",
        "sed -n '/x/{p;q}' f",
        "date +%s%3N",
    ];
    write(dir, "x.sh", &format!("#!/bin/bash\n{}\nexit 0\n", lines.join("\n")));
    let found = codes(dir, &["--target", "macos", "--ignore", "HS304,HS402", "x.sh"]);
    for (index, line) in lines.iter().enumerate() {
        assert!(found.iter().any(|found| found.starts_with(&format!("{} HS4", index + 2))), "{line}: {found:?}");
    }
    assert_eq!(codes(dir, &["--target", "linux", "--ignore", "HS304,HS402", "x.sh"]), [""; 0]);
}

#[test]
fn a_script_is_found_below_home_and_after_wrappers() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    write(dir, "here.sh", "#!/bin/bash\nif grep -q rm; then echo no >&2; exit 1; fi\n");
    for (command, code) in [
        ("$HOME/gone.sh", "HS302"),
        ("bash \\\"$HOME/gone.sh\\\"", "HS305"),
        ("bash \\\"${HOME}\\\"/gone.sh; exit 0", "HS305"),
        ("\\\"$HOME\\\"/here.sh", "HS313"),
        ("timeout -k 1 5 bash here.sh", "HS313"),
        ("env -u X bash gone.sh", "HS305"),
        ("x=$(nosuch a); exit 0", "HS304"),
        #[cfg(unix)]
        ("/bin/sh gone.sh", "HS305"),
        #[cfg(unix)]
        ("/usr/bin/env -u X sh gone.sh", "HS305"),
        #[cfg(unix)]
        ("/bin/sh here.sh", "HS313"),
    ] {
        write(dir, "c.json", &format!("{{\"hooks\":{{\"PreToolUse\":[{{\"command\":\"{command}\"}}]}}}}"));
        let home = dir.to_str().unwrap();
        let output = hookshell(["check", "--json", "c.json"]).env("PATH", dir).env("HOME", home).cwd(dir).output();
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let found: Vec<&str> =
            report["findings"].as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
        assert_eq!(found, [code], "{command}");
    }
}

/// A script that the installed bash runs has no bundled utilities: without jq it fails, and the call goes through.
#[cfg(unix)]
#[test]
fn a_command_that_a_script_does_not_find_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    std::fs::remove_file(dir.join("jq")).unwrap();
    let script = |code: &str| write(dir, "x.sh", &format!("#!/bin/bash\n{code}\nexit 0\n"));
    script("x=$(jq -r .a)\nprettier x\nehco x");
    assert_eq!(codes(dir, &["x.sh"]), ["2 HS304", "4 HS304"]);
    assert_eq!(codes(dir, &["--shell-scripts", "in-process", "x.sh"]), [""; 0]);
    script("FILE_PATH=$(jq -r .a)\nneed() { command -v git; }\nneed jq");
    assert_eq!(codes(dir, &["x.sh"]), ["2 HS304"]);
    for code in [
        "command -v jq >/dev/null || exit 0\njq .",
        "need() { command -v \"$1\" >/dev/null || exit 0; }\nneed jq\njq .",
        "for c in jq git; do command -v \"$c\" >/dev/null || exit 0; done\njq .",
        "jq() { cat; }\njq .",
        "x=$(jq . 2>/dev/null || cat)",
        "PATH=$PATH:/opt/bin\njq .",
        ". \"$HOME/lib.sh\"\njq .",
        "cat | tr a b",
    ] {
        script(code);
        assert_eq!(codes(dir, &["x.sh"]), [""; 0], "{code}");
    }
}

#[test]
fn a_target_is_checked_in_the_files_that_a_script_reads() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::create_dir(dir.join("lib")).unwrap();
    let guard = "#!/usr/bin/env bash\n. \"$(dirname \"$0\")/lib/a.sh\"\nsource lib/b.sh\nbash ./other.sh\nhelper\n";
    std::fs::write(dir.join("guard.sh"), guard).unwrap();
    std::fs::write(dir.join("lib/a.sh"), "helper() { stat -c %s f; }\n. ./guard.sh\n").unwrap();
    std::fs::write(dir.join("lib/b.sh"), "true\ndate -d now\n").unwrap();
    std::fs::write(dir.join("other.sh"), "#!/bin/sh\n\ngrep -oP x f\n").unwrap();
    shells(dir);
    let found = |target: &str| {
        let output = check(dir, &["--json", "--target", target, "guard.sh"]).stdout;
        let report: Value = serde_json::from_str(&output).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let place = |finding: &Value| {
            format!("{}:{}", finding["file"].as_str().unwrap_or_default().replace('\\', "/"), finding["line"])
        };
        let mut places = findings.map(place).collect::<Vec<_>>();
        places.sort();
        places
    };
    assert_eq!(found("macos"), ["lib/a.sh:1", "lib/b.sh:2", "other.sh:3"]);
    assert!(found("linux").is_empty());
}

#[test]
fn shells_and_interpreters_of_a_target_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (line, target, expected) in [
        ("#!/bin/zsh", "linux", &["1 HS405"][..]),
        ("#!/bin/zsh", "macos", &[]),
        ("#!/usr/bin/env zsh", "windows", &["1 HS405"]),
        ("#!/usr/bin/env fish", "macos", &["1 HS405"]),
        ("#!/usr/bin/env python3", "windows", &["1 HS406"]),
        ("#!/usr/bin/env node", "macos", &["1 HS406"]),
        ("#!/usr/bin/env perl", "macos", &[]),
        ("#!/bin/sh", "windows", &[]),
    ] {
        // What this machine itself does not have is told otherwise.
        if target == std::env::consts::OS {
            continue;
        }
        write(dir, "x", &format!("{line}\n:\n"));
        assert_eq!(codes(dir, &["--target", target, "x"]), expected, "{line} {target}");
    }
    // An inline command runs in process, where the utilities are bundled.
    let inline = |command: &str| format!(r#"{{"hooks":{{"PreToolUse":[{{"command":"{command}"}}]}}}}"#);
    for (command, target, expected) in [
        ("date -d yesterday | jq .", "macos", &[][..]),
        ("cat | osascript -e x", "windows", &["1 HS402"]),
        ("node -e 1", "windows", &["1 HS406"]),
        ("echo > /proc/x; pbcopy", "macos", &["1 HS404"]),
    ] {
        if target == std::env::consts::OS {
            continue;
        }
        write(dir, "c.json", &inline(command));
        assert_eq!(codes(dir, &["--target", target, "c.json"]), expected, "{command} {target}");
    }
    assert_eq!(check(dir, &["--target", "beos", "c.json"]).code, Some(64));
}

#[test]
fn scripts_for_sh_are_checked_for_posix() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let body = "\nx=1\n[[ $x = 1 ]] && exit 2\nexit 0\n";
    for (first, expected) in [
        ("#!/bin/sh", &["3 HS401"][..]),
        ("#!/usr/bin/env dash", &["3 HS401"]),
        ("#!/bin/bash", &[]),
        ("# no line", &[]),
    ] {
        write(dir, "x.sh", &format!("{first}{body}"));
        assert_eq!(codes(dir, &["x.sh"]), expected, "{first}");
    }
    // What POSIX has is no finding.
    let portable = "#!/bin/sh\nset -eu\nf() {\n  local a=\"${1:-x}\" b='#'\n  a=${a%%.*}\n  printf '%s\\n' \"$a\" \"${#b}\"\n}\n\
        while read -r line || [ -n \"$line\" ]; do case \"$line\" in (a*|[!b]*) f \"$line\" ;; *) : ;; esac; done <<'E'\n$x\nE\n\
        i=$((1 + 2)); until [ \"$i\" -le 0 ]; do i=$((i - 1)); done\nfor w in \"$@\"; do echo \"$w\" >&2; done\n\
        x=$(cat <<E\n${HOME:?none} `echo b`\nE\n)\n{ echo a; } 2>/dev/null | (cat) && ! false || exit 2\ntrap 'rm -f \"$x\"' EXIT\nexec 3>&1\n";
    write(dir, "x.sh", portable);
    assert_eq!(check(dir, &["x.sh"]).stdout, "1 file, 1 hook, 0 findings\n");
}

#[test]
fn findings_are_switched_off_by_comment_key_and_option() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    for (script, expected) in [
        ("#!/bin/sh\n[[ a ]] # hookshell: ignore=HS401\n", ""),
        ("#!/bin/sh\n# hookshell: ignore=HS401 because\n[[ a ]]\n", ""),
        ("#!/bin/sh\n# hookshell: ignore-file=HS301,HS401\n\n[[ a ]]\n", ""),
        ("#!/bin/sh\n# hookshell: ignore=HS301\n[[ a ]]\n", "3 HS401"),
        ("#!/bin/sh\n# hookshell: ignore=HS000\n:\n", "2 HS901"),
        ("#!/bin/sh\n# hookshell: ignore-file=HS317\n", ""),
    ] {
        write(dir, "x.sh", script);
        assert_eq!(codes(dir, &["x.sh"]).join(" "), expected, "{script}");
    }
    write(dir, "x.sh", "#!/bin/sh\n[[ a ]]\n");
    let output = check(dir, &["--ignore", "hs401", "x.sh"]);
    assert_eq!((output.code, &*output.stdout), (Some(0), "1 file, 1 hook, 0 findings, 1 ignored\n"));
    assert_eq!(check(dir, &["--ignore", "HS000", "x.sh"]).code, Some(64));
    for (config, expected) in [
        (r#"{"hooks":{"ignore_findings":["HS304"],"PreToolUse":[{"command":"nope"},{"command":"nope2"}]}}"#, ""),
        (r#"{"hooks":{"PreToolUse":[{"command":"nope","ignore_findings":["HS304"]},{"command":"nope2"}]}}"#, "1 HS304"),
        ("{\"hooks\":{\"PreToolUse\":[\n// hookshell: ignore=HS304\n{\"command\":\"nope\"}]}}", ""),
        ("{\"hooks\":{\"PreToolUse\":[{\"command\":\"nope # hookshell: ignore=HS304\"}]}}", ""),
        (r#"{"hooks":{"ignore_findings":["HS3"],"PreToolUse":[{"command":":"}]}}"#, "null HS901"),
        (r#"{"hooks":{"ignore_findings":"HS304","PreToolUse":[{"command":":"}]}}"#, "1 HS103"),
    ] {
        write(dir, "c.json", config);
        assert_eq!(codes(dir, &["c.json"]).join(" "), expected, "{config}");
    }
}

#[test]
fn fail_on_error_lets_warnings_pass() {
    let dir = tempfile::tempdir().unwrap();
    for (hook, of_warning, of_error) in
        [(r#"{"command":":","timeout":5000}"#, 1, 0), (r#"{"command":"fi"}"#, 1, 1), (r#"{"command":":"}"#, 0, 0)]
    {
        assert_eq!(one(dir.path(), hook, &["--fail-on", "warning"]).code, Some(of_warning), "{hook}");
        assert_eq!(one(dir.path(), hook, &["--fail-on", "error"]).code, Some(of_error), "{hook}");
    }
}

#[test]
fn a_directory_is_checked_with_the_configs_and_scripts_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    std::fs::create_dir_all(dir.join("p/.claude/hooks")).unwrap();
    std::fs::create_dir_all(dir.join("p/node_modules")).unwrap();
    std::fs::create_dir_all(dir.join("empty")).unwrap();
    write(dir, "p/crush.json", r#"{"hooks":{"PreToolUse":[{"command":"fi"}]}}"#);
    write(dir, "p/.claude/settings.json", r#"{"hooks":{"Stp":[]}}"#);
    write(dir, "p/.claude/hooks/a.sh", "if\n");
    write(dir, "p/.claude/hooks/b", "#!/bin/sh\nfi\n");
    write(dir, "p/.claude/hooks/c.py", "x = = 1\n");
    write(dir, "p/node_modules/d.sh", "if\n");
    let found = |args: &[&str]| {
        let output = check(dir, &[&["--json"], args].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let files = report["files"].as_array().unwrap().iter();
        files.map(|file| file.as_str().unwrap().replace('\\', "/")).collect::<Vec<_>>()
    };
    assert_eq!(found(&["p"]), ["p/.claude/settings.json", "p/crush.json", "p/.claude/hooks/a.sh", "p/.claude/hooks/b"]);
    assert_eq!(found(&["p/.claude"]), ["p/.claude/settings.json", "p/.claude/hooks/a.sh", "p/.claude/hooks/b"]);
    assert_eq!(check(dir, &["p"]).code, Some(1));
    assert_eq!(check(dir, &["empty"]).code, Some(66));
}

/// The anchor that renderers of Markdown make of a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.to_lowercase().replace(' ', "-");
    heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

#[test]
fn sarif_holds_to_its_schema() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let schema = std::fs::read_to_string(support::workspace("crates/cli/tests/schemas/sarif-2.1.0.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    write(dir, "good.json", "{}");
    write(
        dir,
        "c d.json",
        "{\"hooks\":{\"Stp\":[],\n\"PreToolUse\":[{\"command\":\"é; fi\"},{\"command\":\"nope\"}]}}",
    );
    for (files, count) in [(&["good.json"][..], 0), (&["c d.json", "gone.json"], 4)] {
        let output = check(dir, &[&["--format", "sarif"], files].concat());
        let log: Value = serde_json::from_str(&output.stdout).unwrap();
        let errors: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), count, "{results:?}");
        for result in results {
            let rule = &log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
        }
        // What a rule leads to is there.
        let page = std::fs::read_to_string(support::workspace("docs/findings.md")).unwrap();
        let headings: Vec<String> = page.lines().filter_map(|line| line.strip_prefix("### ")).map(anchor).collect();
        for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
            let help = rule["help"]["text"].as_str().unwrap();
            let place = help.split_once("docs/findings.md#").unwrap().1.split(' ').next().unwrap();
            assert!(headings.iter().any(|heading| heading == place), "{place}: {headings:?}");
        }
        assert!(!output.stdout.contains("example.com"), "{}", output.stdout);
    }
    let output = check(dir, &["--format", "sarif", "c d.json"]);
    let log: Value = serde_json::from_str(&output.stdout).unwrap();
    let location = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "c%20d.json");
    assert_eq!(location["region"], serde_json::json!({ "startLine": 2, "startColumn": 30 }));
}

#[test]
fn findings_are_annotations_too() {
    let dir = tempfile::tempdir().unwrap();
    let output = one(dir.path(), r#"{"name":"a","command":"fi"}"#, &["--format", "github"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.stdout.starts_with("::error file=c.json,line=1,col=48,title=HS301::a: syntax error near"),
        "{output:?}"
    );
    assert!(output.stdout.ends_with("\n1 file, 1 hook, 1 finding\n"), "{output:?}");
    assert_eq!(check(dir.path(), &["--format", "text", "--no-hooks", "c.json"]).code, Some(1));
}

/// A script of two hooks that is found in the directory as well.
#[test]
fn a_finding_of_a_script_is_said_once_with_the_path_that_people_use() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".claude/hooks")).unwrap();
    write(dir.path(), ".claude/hooks/g.sh", "#!/bin/sh\n[[ a ]]\n");
    let hook = r#"{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/g.sh"}"#;
    let config = format!(
        r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hook}]}}],"Stop":[{{"hooks":[{hook},{{"type":"command","command":"fi"}}]}}]}}}}"#
    );
    write(dir.path(), ".claude/settings.json", &config);
    let sh = format!("sh{}", std::env::consts::EXE_SUFFIX);
    write(dir.path(), &sh, "MZ");
    for (directory, format) in [(".", "text"), (".claude", "text"), ("./.claude", "text"), (".", "github")] {
        let output = check(dir.path(), &["--format", format, directory]);
        let shown = |path: &str| match format {
            "text" => format!("{}:", path.replace('/', std::path::MAIN_SEPARATOR_STR)),
            _ => format!("file={path},"),
        };
        let count = |code: &str, path: &str| {
            let is_of = |line: &&str| {
                line.contains(code) && line.contains(&shown(path)) && !line.contains("./.claude/settings")
            };
            output.stdout.lines().filter(is_of).count()
        };
        let counts = (count("HS401", ".claude/hooks/g.sh"), count("HS301", ".claude/settings.json"));
        assert_eq!(counts, (1, 1), "{directory} {format}: {output:?}");
    }
}

/// Of each agent's configs in a project, by the hook of pre-commit that checks them.
#[test]
fn pre_commit_hands_over_every_agents_config() {
    let hooks = std::fs::read_to_string(support::workspace(".pre-commit-hooks.yaml")).unwrap();
    let patterns: Vec<&str> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("files: '")?.strip_suffix('\'')).collect();
    assert_eq!(patterns.len(), 2, "{hooks}");
    let dir = tempfile::tempdir().unwrap();
    let matches = |pattern: &str, path: &str| {
        let code = "printf '%s\\n' \"$2\" | grep -Eq -e \"$1\"";
        hookshell(["sh", "-c", code, "sh", pattern, path]).cwd(dir.path()).output().code == Some(0)
    };
    let project = dir.path().canonicalize().unwrap();
    let configs = hookshell_runner::Dialect::ALL.into_iter().flat_map(|dialect| {
        for directory in [".github/hooks", ".claude", ".codex", ".gemini", ".cursor", ".qwen", ".github/copilot"] {
            std::fs::create_dir_all(project.join(directory)).unwrap();
            for name in ["settings.json", "settings.local.json", "hooks.json", "config.toml"] {
                std::fs::write(project.join(directory).join(name), "{}").unwrap();
            }
        }
        for name in ["crush.json", ".crush.json"] {
            std::fs::write(project.join(name), "{}").unwrap();
        }
        dialect.discover(&project, |_| None)
    });
    let mut seen = 0;
    for config in configs {
        let Ok(path) = config.path.strip_prefix(&project) else { continue };
        let path = path.to_string_lossy().replace('\\', "/");
        seen += 1;
        assert!(patterns.iter().all(|pattern| matches(pattern, &path)), "{path}");
    }
    assert!(seen >= 10, "{seen}");
    assert!(matches(patterns[0], "a/.claude/hooks/x.sh") && !matches(patterns[0], "src/x.sh"));
    assert!(matches(patterns[1], "a/x.hooktest.json") && !matches(patterns[1], "package.json"));
}
