//! What is wrong with a config, and with the commands in it.

use serde_json::Value;

use crate::called::{check, one, write};

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
    let output = crate::support::hookshell(["check", "c.json"]).env("PATH", &apps).cwd(dir.path()).output();
    assert!(output.stdout.contains("was passed over: it starts WSL"), "{output:?}");
}

/// Each agent matches by what it tells hooks, which is not always what its model calls a tool.
#[test]
fn a_matcher_that_no_tool_of_its_agent_has_is_found() {
    let dir = tempfile::tempdir().unwrap();
    for (agent, event, matcher, own) in [
        ("codex", "PreToolUse", "shell", Some("Bash")),
        ("codex", "PreToolUse", "exec_command|local_shell", Some("Bash")),
        ("codex", "PreToolUse", "Bash|shell", None),
        ("codex", "PreToolUse", "Write", None),
        ("qwen", "PreToolUse", "^Bash$", Some("run_shell_command")),
        ("qwen", "PreToolUse", "Bash", None),
        ("qwen", "PreToolUse", "^run_shell", None),
        ("gemini", "BeforeTool", "^Bash$", Some("run_shell_command")),
    ] {
        let hook = serde_json::json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": "exit 0" }] });
        write(dir.path(), "c.json", &serde_json::json!({ "hooks": { event: [hook] } }).to_string());
        let output = check(dir.path(), &["c.json", "--dialect", agent]);
        let line = own.map(|own| format!(", which calls it `{own}` [HS202]"));
        match line {
            Some(line) => assert!(output.stdout.contains(&line), "{agent} {matcher}: {output:?}"),
            None => assert_eq!(output.code, Some(0), "{agent} {matcher}: {output:?}"),
        }
    }
}

/// As all other commands name a config.
#[test]
fn a_config_may_be_named_by_its_option() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "c.json", r#"{"hooks":{"PreToolUse":[{"command":"exit 3x"}]}}"#);
    let named = check(dir.path(), &["c.json"]);
    let output = check(dir.path(), &["--config", "c.json"]);
    assert_eq!((output.code, output.stdout), (named.code, named.stdout));
}
