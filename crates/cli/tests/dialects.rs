//! Other agents' configs as their users have them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::Value;
use support::{Output, hookshell};
use tempfile::TempDir;

const CLAUDE: &str = r#"{ "permissions": { "allow": [] }, "hooks": {
  "PreToolUse": [
    { "matcher": "Bash", "hooks": [
      { "type": "command", "command": "read -r p; case $p in (*'\"tool_name\":\"Bash\"'*'rm -rf'*) echo \"not in ${CLAUDE_PROJECT_DIR##*[/\\\\]}\" >&2; exit 2;; esac", "timeout": 5 } ] },
    { "matcher": "Write", "hooks": [ { "type": "command", "if": "Write(*.lock)", "command": "echo locked >&2; exit 2" } ] } ],
  "PostToolUse": [ { "matcher": "Edit|Write", "hooks": [ { "type": "command", "command": "echo 2 warnings >&2; exit 2" } ] } ],
  "SessionStart": [ { "hooks": [ { "type": "command", "command": "echo be kind" } ] } ]
} }"#;

const CURSOR: &str = r#"{ "version": 1, "hooks": {
  "beforeShellExecution": [ { "matcher": "curl", "command": "echo '{\"permission\":\"deny\",\"agent_message\":\"no net\",\"user_message\":\"blocked\"}'" } ],
  "stop": [ { "command": "echo '{\"followup_message\":\"run the tests\"}'" } ]
} }"#;

const CODEX: &str = "model = \"x\"\n\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n\
                     command = 'echo no >&2; exit 2'\n";

const GEMINI: &str = r#"{ "hooks": { "BeforeTool": [ { "matcher": "run_shell_command", "hooks": [
  { "name": "plain", "type": "command", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"ls -l\"}}}'", "timeout": 5000 } ] } ] } }"#;

const COPILOT: &str = r#"{ "version": 1, "hooks": { "preToolUse": [ { "type": "command", "bash": "echo broken >&2; exit 1", "powershell": "exit 1", "timeoutSec": 5 } ] } }"#;

/// A project with a config of every agent.
fn project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, text) in [
        (".claude/settings.json", CLAUDE),
        (".cursor/hooks.json", CURSOR),
        (".codex/config.toml", CODEX),
        (".gemini/settings.json", GEMINI),
        (".github/hooks/guard.json", COPILOT),
    ] {
        let file = dir.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    dir
}

fn run(project: &Path, args: &[&str], stdin: &str) -> Output {
    let home = project.join("home");
    hookshell(std::iter::once(&"run").chain(args)).cwd(project).env("HOME", &home).stdin(stdin).output()
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn configs_are_run_by_their_own_agents_rules() {
    let project = project();
    let rm = r#"{"command":"rm -rf /"}"#;
    let curl = r#"{"command":"curl x"}"#;
    // The arguments, the event on standard input, the exit code and the verdict's reason, context or input.
    type Case<'a> = (&'a [&'a str], &'a str, i32, Option<&'a str>);
    let name = project.path().file_name().unwrap().to_str().unwrap().to_owned();
    let in_project = format!("not in {name}");
    let cases: [Case<'_>; 9] = [
        (
            &["PreToolUse", "--config", ".claude/settings.json", "--tool", "Bash", "--input", rm],
            "",
            2,
            Some(&in_project),
        ),
        (
            &["PreToolUse", "--config", ".claude/settings.json", "--tool", "bash", "--input", rm],
            "",
            2,
            Some(&in_project),
        ),
        (&["PreToolUse", "--config", ".claude/settings.json", "--tool", "Bash", "--input", curl], "", 0, None),
        (
            &[
                "PreToolUse",
                "--config",
                ".claude/settings.json",
                "--tool",
                "Write",
                "--input",
                r#"{"file_path":"a.lock"}"#,
            ],
            "",
            2,
            Some("locked"),
        ),
        (&["PreToolUse", "--config", ".cursor/hooks.json", "--tool", "bash", "--input", curl], "", 2, Some("no net")),
        (
            &["beforeShellExecution", "--config", ".cursor/hooks.json"],
            "\u{feff}{\"conversation_id\":\"c\",\"command\":\"curl x\"}",
            2,
            Some("no net"),
        ),
        (&["PreToolUse", "--config", ".codex/config.toml", "--tool", "bash", "--input", curl], "", 2, Some("no")),
        (&["PreToolUse", "--config", ".codex/config.toml", "--tool", "edit"], "", 0, None),
        (
            &["preToolUse", "--config", ".github/hooks/guard.json"],
            r#"{"sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#,
            2,
            Some("the hook `echo broken >&2; exit 1` failed (exit code 1), and Copilot CLI then denies the call"),
        ),
    ];
    for (args, stdin, code, reason) in cases {
        // PowerShell is what runs Copilot's hook on Windows.
        if cfg!(windows) && args.contains(&".github/hooks/guard.json") {
            continue;
        }
        let output = run(project.path(), args, stdin);
        assert_eq!(output.code, Some(code), "{args:?}: {output:?}");
        assert_eq!(json(&output)["reason"].as_str(), reason, "{args:?}");
    }
    let output = run(project.path(), &["SessionStart", "--config", ".claude/settings.json"], "{}");
    assert_eq!(json(&output)["context"], "be kind");
    let args = ["BeforeTool", "--config", ".gemini/settings.json", "--tool", "bash", "--input", r#"{"command":"ls"}"#];
    assert_eq!(json(&run(project.path(), &args, ""))["updated_input"]["command"], "ls -l");
}

/// `PreToolUse` is the event of a call, whatever Cursor calls it; `preToolUse` is one of the events that it has for one.
#[test]
fn an_event_by_our_name_runs_all_of_cursors_hooks_for_it() {
    let project = project();
    let curl = r#"{"command":"curl x"}"#;
    for (event, code) in [("PreToolUse", 2), ("pretooluse", 2), ("beforeShellExecution", 2), ("preToolUse", 0)] {
        let args = [event, "--dialect", "cursor", "--trust-project", "--tool", "bash", "--input", curl];
        let output = run(project.path(), &args, "");
        assert_eq!(output.code, Some(code), "{event}: {output:?}");
    }
}

/// Claude Code lays its files of settings over each other.
#[test]
fn settings_that_switch_hooks_off_speak_for_the_other_files() {
    let deny = |who: &str| {
        format!(
            r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"echo {who} >&2; exit 2"}}]}}]}}}}"#
        )
    };
    let off = r#"{"disableAllHooks":true}"#.to_owned();
    let cases = [
        (deny("user"), deny("project"), deny("local"), "user\nproject\nlocal"),
        (off.clone(), deny("project"), deny("local"), ""),
        // A repository does not switch the user's own guards off.
        (deny("user"), off.clone(), deny("local"), "user"),
        (deny("user"), deny("project"), off.clone(), "user"),
        (deny("user"), deny("project"), r#"{"disableAllHooks":false}"#.to_owned(), "user\nproject"),
    ];
    for (user, project, local, expected) in cases {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let root = dir.path().join("project");
        for (file, text) in [
            (home.join(".claude/settings.json"), &user),
            (root.join(".claude/settings.json"), &project),
            (root.join(".claude/settings.local.json"), &local),
        ] {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let args = ["run", "PreToolUse", "--dialect", "claude", "--trust-project", "--tool", "Bash"];
        let output = hookshell(args).env("HOME", &home).env("USERPROFILE", &home).cwd(&root).output();
        // Of several denials Claude Code shows one: each hook's own says which ran.
        let verdict = json(&output);
        let reasons = verdict["hooks"].as_array().unwrap().iter().filter_map(|hook| hook["reason"].as_str());
        let reasons = reasons.collect::<Vec<_>>().join("\n").replace('\r', "");
        assert_eq!(reasons, expected, "{user} {project} {local}: {output:?}");
    }
}

/// Hooks are one of Codex's features, and it lays its files over each other, too.
#[test]
fn a_feature_that_is_off_switches_codexs_hooks_off() {
    let deny = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo user >&2; exit 2"}]}]}}"#;
    let own =
        "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"echo own >&2; exit 2\"\n";
    let off = |key: &str| format!("[features]\n{key} = false\n{own}");
    let cases = [
        (own.to_owned(), String::new(), vec!["user", "own"]),
        (off("hooks"), own.to_owned(), vec![]),
        (off("codex_hooks"), own.to_owned(), vec![]),
        (format!("features = {{ hooks = true, codex_hooks = false }}\n{own}"), String::new(), vec!["user", "own"]),
        (format!("features = {{ hooks = false, codex_hooks = true }}\n{own}"), String::new(), vec![]),
        // A repository does not switch the user's own guards off.
        (own.to_owned(), off("hooks"), vec!["user", "own"]),
    ];
    for (user, project, expected) in cases {
        let dir = tempfile::tempdir().unwrap();
        let (home, root) = (dir.path().join("home"), dir.path().join("project"));
        for (file, text) in [
            (home.join(".codex/hooks.json"), deny),
            (home.join(".codex/config.toml"), &user),
            (root.join(".codex/config.toml"), &project),
        ] {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let args = ["run", "PreToolUse", "--dialect", "codex", "--trust-project", "--tool", "Bash"];
        let output = hookshell(args).env("HOME", &home).env("USERPROFILE", &home).cwd(&root).output();
        let verdict = json(&output);
        let ran = verdict["hooks"].as_array().unwrap().iter().filter_map(|hook| hook["stderr"].as_str());
        assert_eq!(ran.map(str::trim_end).collect::<Vec<_>>(), expected, "{user} {project}: {output:?}");
        let is_told = output.stderr.contains("switches them off");
        assert_eq!(is_told, expected.is_empty() || project.contains("false"), "{user} {project}: {output:?}");
    }
}

#[test]
fn a_prompt_that_copilot_submits_is_no_question_to_a_model() {
    let project = tempfile::tempdir().unwrap();
    let hook = r#"{"type":"prompt","prompt":"/review"}"#;
    let config = format!("{{\"version\":1,\"hooks\":{{\"sessionStart\":[{hook}],\"preToolUse\":[{hook}]}}}}");
    std::fs::write(project.path().join("copilot.json"), config).unwrap();
    // On another event it is left out.
    for (event, tool, outcome) in [("sessionStart", None, Some("Unsupported")), ("preToolUse", Some("bash"), None)] {
        let tool = tool.iter().flat_map(|tool| ["--tool", tool]);
        let args: Vec<&str> =
            [event, "--config", "copilot.json", "--dialect", "copilot"].into_iter().chain(tool).collect();
        let output = run(project.path(), &args, "");
        assert_eq!(json(&output)["hooks"][0]["outcome"].as_str(), outcome, "{output:?}");
    }
    let output = hookshell(["check", "--dialect", "copilot", "copilot.json"]).cwd(project.path()).output();
    assert_eq!(output.code, Some(1));
    assert!(
        output.stdout.contains("is \"prompt\", a text that only Copilot CLI can take for the user's"),
        "{output:?}"
    );
}

#[test]
fn an_agents_own_files_are_found() {
    let project = project();
    let args = ["SessionStart", "--dialect", "claude", "--trust-project"];
    assert_eq!(json(&run(project.path(), &args, "{}"))["context"], "be kind");
    // Without a word of it only Crush's files are looked for.
    assert_eq!(json(&run(project.path(), &["SessionStart"], "{}"))["hooks"], Value::Array(Vec::new()));
}

#[test]
fn the_verdict_is_printed_as_the_agent_reads_it() {
    let project = project();
    let claude = ["--config", ".claude/settings.json", "--output", "claude"];
    let bash = ["PreToolUse", "--tool", "Bash", "--input", r#"{"command":"rm -rf /"}"#];
    let output = run(project.path(), &[&bash[..], &claude[..]].concat(), "");
    assert_eq!(output.code, Some(2));
    assert_eq!(json(&output)["hookSpecificOutput"]["permissionDecision"], "deny");
    // Nothing but the reason, although the config has a warning.
    assert!(output.stderr.starts_with("not in ") && output.stderr.lines().count() == 1, "{output:?}");

    let edit = ["PostToolUse", "--tool", "Edit"];
    let output = run(project.path(), &[&edit[..], &claude[..]].concat(), "");
    assert_eq!(output.code, Some(0));
    assert_eq!(output.stdout, "{\"decision\":\"block\",\"reason\":\"2 warnings\"}\n");

    let output = run(project.path(), &["stop", "--config", ".cursor/hooks.json", "--output", "cursor"], "{}");
    assert_eq!((output.code, &*output.stdout), (Some(0), "{\"followup_message\":\"run the tests\"}\n"));
    let shell = ["beforeShellExecution", "--config", ".cursor/hooks.json", "--output", "cursor"];
    let output = run(project.path(), &shell, r#"{"command":"curl x"}"#);
    assert_eq!(
        (output.code, &*output.stdout),
        (Some(0), "{\"permission\":\"deny\",\"user_message\":\"blocked\",\"agent_message\":\"no net\"}\n")
    );
}

/// Codex says the directory of a call, and starts its hooks in the session's.
#[test]
fn codexs_hooks_run_in_the_sessions_directory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    let text = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"[ -d sub ] && [ -z \"$CLAUDE_PROJECT_DIR\" ] && { echo here >&2; exit 2; }"}]}]}}"#;
    std::fs::write(dir.path().join("hooks.json"), text).unwrap();
    let call = serde_json::json!({ "session_id": "s", "cwd": dir.path().join("sub"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let args = ["PreToolUse", "--dialect", "codex", "--config", "hooks.json"];
    let output = run(dir.path(), &args, &call.to_string());
    assert_eq!((output.code, json(&output)["reason"].as_str()), (Some(2), Some("here")), "{output:?}");
}

#[test]
fn a_file_that_codex_drops_costs_its_own_hooks_alone() {
    let dir = tempfile::tempdir().unwrap();
    let text = |top: &str| {
        format!(
            r#"{{{top}"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"echo no >&2; exit 2"}}]}}]}}}}"#
        )
    };
    let bad =
        [text("\"version\":1,"), format!("{} // x", text("")), text("").replace("PreToolUse\":[", "PreToolUse\":[,")];
    std::fs::write(dir.path().join("good.json"), text("")).unwrap();
    for bad in bad {
        std::fs::write(dir.path().join("bad.json"), &bad).unwrap();
        let args = |files: &[&'static str]| {
            let mut args = vec!["PreToolUse", "--dialect", "codex", "--tool", "Bash"];
            files.iter().for_each(|file| args.extend(["--config", file]));
            args
        };
        let both = run(dir.path(), &args(&["bad.json", "good.json"]), "");
        assert_eq!((both.code, json(&both)["reason"].as_str()), (Some(2), Some("no")), "{bad}: {both:?}");
        assert!(both.stderr.contains("bad.json:1:"), "{bad}: {both:?}");
        let alone = run(dir.path(), &args(&["bad.json"]), "");
        assert_eq!(alone.code, Some(65), "{bad}: {alone:?}");
        let checked = hookshell(["check", "--dialect", "codex", "bad.json"]).cwd(dir.path()).output();
        assert_ne!(checked.code, Some(0), "{bad}: {checked:?}");
    }
}

#[test]
fn check_and_explain_know_the_agents() {
    let project = project();
    let ruled = CLAUDE.replace(r#""matcher": "Write", "#, r#""matcher": "Write(*.lock)", "#);
    std::fs::write(project.path().join(".claude/settings.json"), ruled).unwrap();
    let check = |args: &[&str]| hookshell(std::iter::once(&"check").chain(args)).cwd(project.path()).output();
    let output = check(&[".claude/settings.json", ".cursor/hooks.json", ".codex/config.toml", ".gemini/settings.json"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let mut lines = output.stdout.lines();
    assert!(lines.next().unwrap().contains("(write `matcher` for the tool, and the rule as `if`)"), "{output:?}");
    assert_eq!(lines.next(), Some("4 files, 7 hooks, 1 finding"));

    let explain = |args: &[&str]| hookshell(std::iter::once(&"explain").chain(args)).cwd(project.path()).output();
    let output = explain(&["--config", ".gemini/settings.json"]);
    assert!(output.stdout.contains("rules:   Gemini CLI's, by the file's path\n"), "{output:?}");
    assert!(output.stdout.contains("timeout: 5 s\n"), "{output:?}");
    let output = explain(&["--config", ".cursor/hooks.json", "--json"]);
    let hooks = json(&output);
    assert_eq!(
        (&hooks[0]["dialect"], &hooks[0]["dialect_event_name"]),
        (&"cursor".into(), &"beforeShellExecution".into())
    );
    assert_eq!(hooks[0]["event"], "PreToolUse");
}

#[test]
fn scripts_after_the_agents_variables_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let claude = dir.path().join(".claude");
    std::fs::create_dir_all(&claude).unwrap();
    let command = |script: &str| format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/{script}");
    let text = serde_json::json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": command("gone.sh") }] }] } });
    std::fs::write(claude.join("settings.json"), text.to_string()).unwrap();
    let output = hookshell(["check", ".claude/settings.json"]).cwd(dir.path()).output();
    // A directory whose name needs quotes is not looked into.
    if dir.path().to_str().unwrap().chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c)) {
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stdout.contains("gone.sh"), "{output:?}");
    }
}

/// Published hooks put the variables of directories where a backslash is a quote: patterns, `eval`, `read`, `sed` and JSON.
#[test]
fn the_projects_dir_is_no_quote_in_scripts() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
        d=$CLAUDE_PROJECT_DIR f=$CLAUDE_PROJECT_DIR/src/a.ts
        [[ $f == $d/* ]] && [ "${f#$d/}" = src/a.ts ] && [ "${f/$d/X}" = X/src/a.ts ] && [ "$PWD" = "$d" ] || exit 3
        case $f in $CLAUDE_PROJECT_DIR/*) ;; *) exit 4 ;; esac
        for s in $d/*.json; do [ -f "$s" ] || exit 5; done
        [ "$(echo "$f" | sed "s|$d/||")" = src/a.ts ] && echo "$f" | grep -q "^$d/" || exit 6
        eval "cd $d" && read dir <<<"$d" && cd "$dir" && [ "$(echo -e "$d")" = "$d" ] || exit 7
        echo "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",
            \"permissionDecisionReason\":\"in $d\"}}"
    "#;
    let config =
        serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": script }] }] } });
    std::fs::write(dir.path().join("settings.json"), config.to_string()).unwrap();
    let args = ["PreToolUse", "--dialect", "claude", "--config", "settings.json", "--tool", "Bash", "--input", "{}"];
    let output = run(dir.path(), &args, "");
    assert_eq!(output.code, Some(2), "{output:?}");
    let reason = json(&output)["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("in ") && !reason.contains('\\'), "{reason}");
}

#[test]
fn a_word_that_is_no_dialect_is_a_wrong_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["Stop", "--dialect", "cobol"], "{}");
    assert_eq!(output.code, Some(64));
    assert!(
        output.stderr.contains("they are crush (or native), claude, codex, gemini, cursor, copilot and qwen"),
        "{output:?}"
    );
}

/// One entry that is wrong does not silence the guard beside it where it does not do so in the agent. Codex reads the hooks of a
/// file together: what it cannot read costs the file, and a matcher that is none costs its group; Claude Code uses nothing of a file with
/// such a hook.
#[test]
fn what_is_wrong_in_an_agents_config_costs_only_what_it_stands_in() {
    let guard = r#"{"type":"command","command":"echo no >&2; exit 2"}"#;
    let wrong = [
        r#"{"hooks":[{"type":"command"}]}"#,
        r#"{"hooks":[{"type":"command","command":5}]}"#,
        r#"{"matcher":"[","hooks":[{"type":"command","command":"exit 0"}]}"#,
        r#"{"hooks":[{"type":"command","command":"exit 0","timeout":[1]}]}"#,
        r#"{"hooks":5}"#,
        "5",
    ];
    for wrong in wrong {
        for (dialect, event) in [("claude", "PreToolUse"), ("codex", "PreToolUse"), ("gemini", "BeforeTool")] {
            let dir = tempfile::tempdir().unwrap();
            let text = format!(r#"{{"hooks":{{"{event}":[{wrong},{{"hooks":[{guard}]}}]}}}}"#);
            std::fs::write(dir.path().join("c.json"), text).unwrap();
            let args = [event, "--config", "c.json", "--dialect", dialect, "--tool", "Bash"];
            let output = run(dir.path(), &args, "");
            // Of Claude Code's and Codex' files a matcher costs only itself.
            let is_used = !["claude", "codex"].contains(&dialect) || wrong.contains("\"[\"");
            assert_eq!(output.code, Some(if is_used { 2 } else { 65 }), "{dialect} {wrong}: {output:?}");
            assert!(output.stderr.contains("hookshell: config: "), "{dialect} {wrong}: {output:?}");
            assert!(output.stderr.contains("c.json:1:"), "{dialect} {wrong}: {output:?}");
            let says = output.stderr.contains("Claude Code uses nothing of this file");
            assert_eq!(says, dialect == "claude" && !is_used, "{dialect} {wrong}: {output:?}");
        }
    }
}

/// After `cd sub` Claude Code keeps `CLAUDE_PROJECT_DIR`, and the project's guards run.
#[test]
fn the_project_is_the_one_that_the_agent_says() {
    let root = tempfile::tempdir().unwrap();
    let sub = root.path().join("sub");
    std::fs::create_dir_all(&sub).unwrap();
    let cases = [
        ("claude", "CLAUDE_PROJECT_DIR", ".claude/settings.json", "PreToolUse"),
        ("gemini", "GEMINI_PROJECT_DIR", ".gemini/settings.json", "BeforeTool"),
    ];
    for (dialect, variable, file, event) in cases {
        let file = root.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let command = format!("[ \\\"${variable}\\\" -ef .. ] && echo no >&2 && exit 2");
        let hook = format!(r#"{{"type":"command","command":"{command}"}}"#);
        std::fs::write(file, format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{hook}]}}]}}}}"#)).unwrap();
        let args = ["run", event, "--dialect", dialect, "--trust-project", "--tool", "Bash", "--input", "{}"];
        let output = hookshell(args).env(variable, root.path()).cwd(&sub).output();
        assert_eq!(output.code, Some(2), "{dialect}: {output:?}");
        let output = hookshell(args).env(variable, "sub").cwd(&sub).output();
        assert_eq!(output.code, Some(0), "a relative one is not set: {dialect}: {output:?}");
    }
}

/// Where no variable says which the project is: the directory that the agent was started in, with its config.
#[test]
fn the_project_is_where_the_config_is_when_the_agent_has_gone_on() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("sub")).unwrap();
    std::fs::create_dir_all(root.path().join(".claude")).unwrap();
    let hook = r#"{"type":"command","command":"[ \"$CLAUDE_PROJECT_DIR\" -ef .. ] && echo no >&2 && exit 2"}"#;
    let text = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hook}]}}]}}}}"#);
    std::fs::write(root.path().join(".claude/settings.json"), text).unwrap();
    let payload = |cwd: &Path| {
        serde_json::json!({ "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Bash", "tool_input": {} })
            .to_string()
    };
    let run = |cwd: &Path| {
        let args = ["run", "PreToolUse", "--dialect", "claude", "--config", ".claude/settings.json"];
        let home = root.path().join("home");
        hookshell(args).cwd(root.path()).env("HOME", &home).env("USERPROFILE", &home).stdin(payload(cwd)).output()
    };
    assert_eq!(run(&root.path().join("sub")).code, Some(2));
    // What lies elsewhere is a project of its own.
    let other = tempfile::tempdir().unwrap();
    assert_eq!(run(other.path()).code, Some(0));
}

/// The model is told what a hook of the background says that wakes it.
#[test]
fn a_hook_that_wakes_the_agent_is_heard() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("asyncRewake", "echo look >&2; exit 2", Some("look")),
        ("asyncRewake", "echo look >&2; exit 1", None),
        ("async", "echo look >&2; exit 2", None),
    ];
    for (key, command, context) in cases {
        let text = format!(
            r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","{key}":true,"command":"{command}"}}]}}]}}}}"#
        );
        std::fs::write(dir.path().join("c.json"), text).unwrap();
        let args = ["PreToolUse", "--config", "c.json", "--dialect", "claude", "--tool", "Bash"];
        let output = run(dir.path(), &args, "");
        assert_eq!(output.code, Some(0), "{output:?}");
        let verdict = json(&output);
        assert_eq!(verdict["context"].as_str(), context, "{key} {command}: {output:?}");
        assert_eq!(verdict["hooks"][0]["outcome"], "Started", "{key} {command}");
    }
}
