//! `hookshell explain --event`, and a tool's input from a file, as a user calls them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{Output, hookshell};

const CONFIG: &str = r#"{ "hooks": {
    "PreToolUse": [
        { "name": "all", "command": "exit 0" },
        { "name": "edits", "matcher": "^edit$", "command": "exit 0" },
        { "name": "case", "matcher": "^Bash$", "command": "exit 0" },
        { "name": "git", "if": "bash(git *)", "command": "echo git" },
        { "name": "again", "command": "exit 0" },
        { "name": "itself", "command": "hookshell run PreToolUse" }
    ],
    "Stop": [{ "name": "stop", "command": "exit 0" }],
    "PreToolUze": [{ "name": "slip", "command": "exit 0" }]
} }"#;

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("c.json"), CONFIG).unwrap();
    directory
}

fn run(directory: &Path, args: &[&str]) -> Output {
    hookshell(args).stdin("").cwd(directory).output()
}

#[test]
fn each_hook_says_whether_it_runs_and_why_not() {
    let directory = directory();
    let args = ["explain", "--config", "c.json", "--event", "PreToolUse", "--tool", "bash"];
    let shown = run(directory.path(), &[&args[..], &["--input", r#"{"command":"ls"}"#]].concat());
    assert_eq!((shown.code, &*shown.stderr), (Some(0), ""), "{shown:?}");
    let lines = [
        "PreToolUse of `bash`: 1 of 7 hooks would run\n",
        "hook 1 runs\nPreToolUse: all\nfrom:    c.json:3:9 (given)\n",
        "hook 2 does not run: its matcher \"^edit$\" does not match `bash`\nPreToolUse ^edit$: edits\nfrom:    c.json:4:9 (given)\n",
        "hook 3 does not run: its matcher \"^Bash$\" does not match `bash` (the case counts: it would match `Bash`)\n",
        "hook 4 does not run: its `if` \"bash(git *)\" does not hold for this call\n",
        "hook 5 does not run: it is the same as hook 1, which runs once for both\n",
        "hook 6 does not run: it starts `hookshell run` for this event, which is hookshell itself\n",
        "hook 7 does not run: it is for Stop\n",
        "warning: c.json:11:5: these hooks will not run: unknown event `PreToolUze`",
    ];
    for line in lines {
        assert!(shown.stdout.contains(line), "{line}: {shown:?}");
    }
    std::fs::write(directory.path().join("call.json"), r#"{"command":"git push"}"#).unwrap();
    let shown = run(directory.path(), &[&args[..], &["--input", "@call.json", "--json"]].concat());
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&shown["event"], &shown["matched"]), (&json!("PreToolUse"), &json!("bash")));
    let hooks: Vec<_> = shown["hooks"].as_array().unwrap().iter().map(|hook| (&hook["runs"], &hook["why"])).collect();
    let no = |why: &str| (json!(false), json!(why));
    let expected = [
        (json!(true), json!(null)),
        no("matcher"),
        no("matcher"),
        (json!(true), json!(null)),
        no("duplicate"),
        no("itself"),
        no("event"),
    ];
    assert_eq!(hooks, expected.iter().map(|(runs, why)| (runs, why)).collect::<Vec<_>>());
    assert!(shown["warnings"][0].as_str().unwrap().contains("PreToolUze"), "{shown}");
}

#[test]
fn an_events_explanation_needs_what_the_event_needs() {
    let directory = directory();
    let shown = run(directory.path(), &["explain", "--config", "c.json", "--event", "Stop"]);
    assert!(shown.stdout.starts_with("Stop: 1 of 7 hooks would run\n"), "{shown:?}");
    for (args, wanted) in [
        (&["--event", "PreToolUse"][..], "it is empty, and the event is read from it"),
        (&["--event", "Nonesuch"], "hookshell: explain: unknown event `Nonesuch`"),
        (&["--tool", "bash"], "--event"),
        (&["--event", "Stop", "--tool", "bash"], "Stop is not about a tool"),
    ] {
        let shown = run(directory.path(), &[&["explain", "--config", "c.json"][..], args].concat());
        assert!(shown.code >= Some(64) && shown.stderr.contains(wanted), "{shown:?}");
    }
    let unjudged = run(directory.path(), &["explain", "--config", "c.json", "--event", "PreToolUse", "--tool", "bash"]);
    assert!(unjudged.stdout.contains("judged without the tool's input: give it with --input"), "{unjudged:?}");
}

#[test]
fn nothing_of_an_untrusted_projects_runs() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("crush.json"), r#"{"hooks":{"Stop":[{"command":"./guard.sh"}]}}"#).unwrap();
    let shown = hookshell(["explain", "--event", "Stop"])
        .env("HOME", directory.path())
        .env("XDG_CONFIG_HOME", directory.path().join("none"))
        .env("XDG_STATE_HOME", directory.path().join("none"))
        .stdin("")
        .cwd(directory.path())
        .output();
    assert!(shown.stdout.starts_with("Stop: 0 of 1 hook would run\n\nhook 1 does not run: "), "{shown:?}");
    assert!(shown.stdout.contains("trust"), "{shown:?}");
}

#[test]
fn a_tools_input_comes_from_a_file_or_from_standard_input_too() {
    let directory = tempfile::tempdir().unwrap();
    let echo = r#"{"hooks":{"PreToolUse":[{"command":"jq -r .tool_input.command >&2; exit 2"}]}}"#;
    std::fs::write(directory.path().join("c.json"), echo).unwrap();
    let text = r#"{"command":"rm -rf /"}"#;
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(directory.path().join("call.json"), text).unwrap();
    std::fs::write(directory.path().join("mark.json"), format!("\u{feff}{text}\r\n")).unwrap();
    std::fs::write(directory.path().join("utf16.json"), utf16).unwrap();
    let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--input"];
    for given in [text, "@call.json", "@mark.json", "@utf16.json", "-"] {
        let output = hookshell(args.iter().chain(&[given])).stdin(text).cwd(directory.path()).output();
        assert!(output.code == Some(2) && output.stdout.contains(r#""reason":"rm -rf /""#), "{given}: {output:?}");
    }
}

#[test]
fn a_broken_input_says_what_came_and_how_it_comes_whole() {
    let directory = directory();
    std::fs::write(directory.path().join("bad.json"), "[1]").unwrap();
    let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--input"];
    let unchanged = ": a shell may have taken the quotes: write the object into a file and give --input @FILE, or give it on standard input with --input -\n";
    for (given, code, parts) in [
        ("{command:ls}", 65, ["hint: it came as {command:ls}: ", unchanged]),
        ("'{command:ls}'", 65, ["hint: it came as '{command:ls}': ", unchanged]),
        ("", 65, ["hint: it came as nothing: ", unchanged]),
        (
            "@bad.json",
            65,
            ["one JSON object: ", "hint: bad.json has [1]: it must hold one JSON object and nothing else\n"],
        ),
        (
            "-",
            65,
            ["one JSON object: ", "hint: standard input has nothing: it must hold one JSON object and nothing else\n"],
        ),
        (
            "@gone.json",
            66,
            ["hookshell: --input: gone.json: no such file or directory\n", "hint: --input takes a JSON object, @FILE"],
        ),
    ] {
        let output = run(directory.path(), &[&args[..], &[given]].concat());
        assert_eq!(output.code, Some(code), "{given}: {output:?}");
        for part in parts {
            assert!(output.stderr.contains(part), "{given}: {part}: {output:?}");
        }
        // What the shell has taken is not to be typed again.
        assert!(!output.stderr.contains("'{\""), "{output:?}");
    }
}

#[test]
fn a_script_that_is_not_there_says_where_it_was_looked_for_and_a_near_name() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("hooks")).unwrap();
    std::fs::write(directory.path().join("hooks/guard.sh"), "#!/bin/sh\n").unwrap();
    let shown = run(directory.path(), &["explain", "./hooks/gaurd.sh"]);
    assert!(shown.stdout.contains("\nbecause: it was looked for as "), "{shown:?}");
    assert!(shown.stdout.ends_with(": did you mean `guard.sh`?\n"), "{shown:?}");
}
