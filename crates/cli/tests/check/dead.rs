//! Hooks that never run, or do nothing: what their agent does not read, and commands without a command.

use crate::called::{check_with_programs as check, write};

#[test]
fn configs_that_are_dead_in_their_agent_are_found() {
    let hook = r#"[{"hooks":[{"type":"command","command":"true"}]}]"#;
    let event = |event: &str| format!(r#"{{"hooks":{{"{event}":{hook}}}}}"#);
    let flat = |rest: &str| format!(r#"{{"hooks":{{"PreToolUse":[{{"command":"true"{rest}}}]}}}}"#);
    let cases: Vec<(&str, String, &[&str])> = vec![
        (
            "crush.json",
            r#"{"hook":{"PreToolUse":[]}}"#.to_owned(),
            &["`hook` is ignored: did you mean `hooks`? [HS110]"],
        ),
        (".claude/settings.json", format!(r#"{{"Hooks":{{"Stop":{hook}}}}}"#), &["did you mean `hooks`? [HS110]"]),
        ("crush.json", String::new(), &["crush.json:1:1: warning: the file is empty, so it has no hooks", "[HS124]"]),
        (".claude/settings.json", r#"{"hooks":{}}"#.to_owned(), &["`hooks` is empty [HS124]"]),
        ("crush.json", flat(r#","matcher":"^Bash$""#), &["matches no tool of Crush, which calls it `bash` [HS202]"]),
        (
            "crush.json",
            event("PreToolUse"),
            &[
                "`hooks.PreToolUse[0].hooks`: these hooks stand as Claude Code's do, in groups; Crush wants each by itself",
                "[HS113]",
            ],
        ),
        (".gemini/settings.json", event("PreTooluse"), &["no event `PreTooluse`: did you mean `BeforeTool`? [HS111]"]),
        (
            ".cursor/hooks.json",
            r#"{"version":1,"hooks":{"PreTooluse":[{"command":"true"}]}}"#.to_owned(),
            &["Cursor has no event `PreTooluse`", "did you mean `preToolUse`? [HS111]"],
        ),
        (
            ".claude/hooks.json",
            event("Stop"),
            &["Claude Code never reads this file: move its hooks into .claude/settings.json [HS123]"],
        ),
        (".cursor/settings.json", flat(""), &["Cursor never reads this file: move its hooks into .cursor/hooks.json"]),
        (
            ".claude/settings.json",
            event("Stop").replace("true", "${CLAUDE_PLUGIN_ROOT}/x.sh"),
            &["Claude Code does not start it: its command has ${CLAUDE_PLUGIN_ROOT}, and it is no plugin's [HS302]"],
        ),
        (
            ".claude/settings.json",
            event("Stop").replace("true", "echo $CURSOR_VERSION $TOOL_NAME $CLAUDE_FILE_PATHS"),
            &[
                "nobody sets CURSOR_VERSION: it is Cursor's, and Claude Code does not set it [HS314]",
                "nobody sets TOOL_NAME: the event is JSON on standard input, of which `jq -r .tool_name` reads this [HS314]",
                "of which `jq -r .tool_input.file_path` reads this [HS314]",
            ],
        ),
        (
            ".claude/settings.json",
            event("Stop").replace("true", "$CLAUDE_PLUGIN_ROOT/x.sh"),
            &[
                "nobody sets CLAUDE_PLUGIN_ROOT: only the hooks of a plugin have it, and this file is no plugin's [HS314]",
            ],
        ),
        ("crush.json", flat("").replace("true", "./gaurd.sh"), &["did you mean `guard.sh`?) [HS302]"]),
        (
            "crush.json",
            flat("").replace("true", "bash gaurd.sh"),
            &["does not exist (did you mean `guard.sh`?) [HS305]"],
        ),
    ];
    for (name, text, parts) in cases {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), name, &text);
        write(directory.path(), "guard.sh", "exit 2\n");
        let output = check(directory.path(), &[name]);
        assert_eq!(output.code, Some(1), "{text}: {output:?}");
        for part in parts {
            assert!(output.stdout.contains(part), "{text}: {part}: {output:?}");
        }
    }
}

#[test]
fn a_command_without_a_command_in_it_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write(directory, "off.sh", "#!/bin/sh\n# exit 2\n");
    write(directory, "empty.sh", "");
    write(directory, "on.sh", "#!/bin/sh\n# exit 2\n:\n");
    let hooks = ["#exit 2", "./off.sh", "bash empty.sh", "./on.sh", "true # exit 2"];
    let hooks: Vec<_> = hooks.map(|command| serde_json::json!({ "command": command })).into();
    write(directory, "crush.json", &serde_json::json!({ "hooks": { "PreToolUse": hooks } }).to_string());
    let output = check(directory, &["crush.json"]);
    let found: Vec<&str> = output.stdout.lines().filter(|line| line.ends_with("[HS317]")).collect();
    let [inline, off, empty] = &found[..] else { panic!("{output:?}") };
    assert!(
        inline.contains("warning: #exit 2: the command is only a comment: it runs nothing and lets every"),
        "{inline}"
    );
    assert!(off.starts_with("off.sh:1:1: warning: ./off.sh: the script is only a comment"), "{off}");
    assert!(empty.starts_with("empty.sh:1:1: warning: "), "{empty}");
    assert!(empty.contains("the script is empty"), "{empty}");
}

#[test]
fn what_is_for_people_or_for_another_project_is_no_finding() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let config = r#"{"$schema":"x","hooks":{"_comment":"a","PreToolUse":[{"_comment":"b","hooks":[{"//":"c","type":"command","command":".claude/hooks/g.sh"},{"type":"command","command":"bash \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/g.sh"}]}]}}"#;
    write(directory, "sub/.claude/settings.json", config);
    write(directory, "sub/.claude/hooks/g.sh", "exit 0\n");
    write(directory, "templates/app/.claude/settings.json", config);
    write(
        directory,
        "other/crush.json",
        r#"{"hooks":{"_comment":"a","PreToolUse":[{"_comment":"b","command":"./g.sh"}]}}"#,
    );
    write(directory, "other/g.sh", "exit 0\n");
    let output = check(directory, &["."]);
    assert_eq!(output.code, Some(0), "{output:?}");
    // Whoever says what the project is has it so.
    let output = check(directory, &["--cwd", ".", "sub/.claude/settings.json"]);
    assert!(output.code == Some(1) && output.stdout.contains("[HS302]"), "{output:?}");
    let output = check(directory, &["--cwd", "sub", "sub/.claude/settings.json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    // What lies nowhere is missing.
    std::fs::remove_file(directory.join("sub/.claude/hooks/g.sh")).unwrap();
    let output = check(directory, &["sub/.claude/settings.json"]);
    assert!(
        output.code == Some(1) && output.stdout.contains("[HS302]") && output.stdout.contains("[HS305]"),
        "{output:?}"
    );
}

#[test]
fn a_directory_is_looked_through_for_files_that_no_agent_reads() {
    let directory = tempfile::tempdir().unwrap();
    let config = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}"#;
    write(directory.path(), ".claude/hooks.json", config);
    let output = check(directory.path(), &["."]);
    assert!(output.code == Some(1) && output.stdout.contains("[HS123]"), "{output:?}");
}

#[test]
fn hook_for_hooks_in_a_group_is_a_slip_too() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write(
        directory,
        "c.json",
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hook":[{"type":"command","command":"exit 2"}]}]}}"#,
    );
    let said = "unknown key `hooks.PreToolUse[0].hook` is ignored: did you mean `hooks`?";
    for agent in ["native", "claude"] {
        let found = check(directory, &["c.json", "--dialect", agent]);
        assert!(found.stdout.contains(said), "{agent}: {found:?}");
    }
}
