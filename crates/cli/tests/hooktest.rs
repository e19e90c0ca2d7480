//! `hookshell test`: fixtures next to hooks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::{Value, json};
#[cfg(unix)]
use support::program;
use support::{Output, hookshell, workspace};

fn dir(fixture: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("guard.sh"), "read -r p; case $p in *'\"rm '*) echo \"no rm\" >&2; exit 2;; esac\n")
        .unwrap();
    std::fs::write(dir.path().join("guard.hooktest.json"), fixture).unwrap();
    dir
}

fn test(dir: &Path, args: &[&str]) -> Output {
    hookshell([&["test"], args].concat()).cwd(dir).output()
}

/// The lines without their times.
fn lines(output: &Output) -> Vec<String> {
    let without_time = |line: &str| line.split(" (").next().unwrap_or_default().to_owned();
    output.stdout.lines().map(without_time).collect()
}

const TWO: &str = r#"{"tool_name": "bash", "cases": [
    {"name": "rm is refused", "tool_input": {"command": "rm x"}, "expect": {"decision": "deny", "reason": "^no rm$"}},
    {"name": "ls passes", "tool_input": {"command": "ls"}, "expect": {"decision": null}}]}"#;

#[test]
fn the_shipped_examples_are_tested() {
    let examples = workspace("examples");
    let output = test(&examples, &["--missing-shell", "interpret"]);
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    let lines = lines(&output);
    assert_eq!(lines.last().unwrap(), "12 cases: 12 ok, 0 failed", "{lines:?}");
    assert!(lines.contains(&"  ok      rm -rf / is refused".to_owned()), "{lines:?}");
}

#[test]
fn cases_are_reported_by_name() {
    let dir = dir(TWO);
    let output = test(dir.path(), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(
        lines(&output),
        ["guard.hooktest.json", "  ok      rm is refused", "  ok      ls passes", "", "2 cases: 2 ok, 0 failed"]
    );
    let output = test(dir.path(), &[".", "refused"]);
    assert_eq!(
        lines(&output),
        ["guard.hooktest.json", "  ok      rm is refused", "", "1 case: 1 ok, 0 failed, 1 left out"]
    );
}

#[test]
fn no_text_of_a_fixture_starts_a_line() {
    let fixture = r#"{"tool_name": "bash", "name": "two\n::error::lines", "tool_input": {"command": "rm x"},
        "expect": {"decision": null, "reason": "a\n::error::b", "stderr": "\n::error::c"}}"#;
    let dir = dir(fixture);
    let output = test(dir.path(), &["-v"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(!output.stdout.lines().any(|line| line.trim_start().starts_with("::")), "{}", output.stdout);
    assert!(lines(&output).contains(&r"  FAILED  two\n::error::lines".to_owned()), "{}", output.stdout);
}

#[test]
fn what_was_expected_and_what_came_are_said() {
    let dir = dir(&TWO.replace("^no rm$", "^never$").replace("null", "\"allow\""));
    let output = test(dir.path(), &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let lines = lines(&output);
    assert_eq!(
        lines[..4],
        [
            "guard.hooktest.json",
            "  FAILED  rm is refused",
            "          reason: expected a match of \"^never$\"",
            "                     found \"no rm\"",
        ]
    );
    assert!(lines[4].starts_with("          | guard.sh: Decided deny, exit code 2, "), "{lines:?}");
    assert!(lines.contains(&"          decision: expected allow".to_owned()), "{lines:?}");
    assert!(lines.contains(&"                       found none".to_owned()), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "2 cases: 0 ok, 2 failed");
}

#[test]
fn the_report_is_json_too() {
    let dir = dir(&TWO.replace("^no rm$", "^never$"));
    let output = test(dir.path(), &["--json"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&report["ok"], &report["failed"], &report["errors"]), (&json!(1), &json!(1), &json!([])));
    let case = &report["cases"][0];
    assert_eq!((&case["name"], &case["ok"], &case["line"]), (&json!("rm is refused"), &json!(false), &json!(2)));
    let failure = json!([{ "what": "reason", "expected": "a match of \"^never$\"", "found": "\"no rm\"" }]);
    assert_eq!(case["failures"], failure);
    assert_eq!(case["verdict"]["decision"], "deny");
}

#[test]
fn a_wrong_fixture_is_exit_code_2_and_the_others_run() {
    let dir = dir(TWO);
    std::fs::write(dir.path().join("a.hooktest.json"), r#"{"tool_nme": "bash", "expect": {}}"#).unwrap();
    std::fs::write(dir.path().join("z.hooktest.json"), r#"{"config": "gone.json", "expect": {}}"#).unwrap();
    let output = test(dir.path(), &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(
        output.stdout.contains("a.hooktest.json:1:2: unknown key `tool_nme`: did you mean `tool_name`?\n"),
        "{output:?}"
    );
    assert!(output.stdout.contains("gone.json: "), "{output:?}");
    assert!(output.stdout.contains("2 cases: 2 ok, 0 failed, "), "{output:?}");
    std::fs::create_dir_all(dir.path().join("empty")).unwrap();
    for (arg, expected) in [
        (
            "gone",
            "hookshell: test: gone: no such file or directory\n\
             hint: the filter comes after the directory: hookshell test . 'rm -rf'\n",
        ),
        ("empty", "hookshell: test: empty: it has no *.hooktest.json\nhint: `hookshell test --help` shows one\n"),
    ] {
        let output = test(dir.path(), &[arg]);
        assert_eq!((output.code, &*output.stdout, &*output.stderr), (Some(66), "", expected));
    }
}

/// Two cases of which one fails, and a fixture that cannot be used.
fn mixed() -> tempfile::TempDir {
    let dir = dir(&TWO.replace("^no rm$", "^<never> & # \\\"x\\\"$"));
    std::fs::write(dir.path().join("z.hooktest.json"), r#"{"config": "gone.json", "expect": {}}"#).unwrap();
    dir
}

#[test]
fn a_filter_that_matches_no_case_is_an_error() {
    let dir = dir(TWO);
    let output = test(dir.path(), &[".", "nosuch"]);
    assert_eq!((output.code, &*output.stdout), (Some(66), ""), "{output:?}");
    assert!(output.stderr.contains("no case has \"nosuch\" in its name or file path (2 left out)"), "{output:?}");
    for format in ["json", "tap", "junit", "github"] {
        assert_eq!(test(dir.path(), &["--format", format, ".", "nosuch"]).code, Some(66), "{format}");
    }
}

#[test]
fn results_are_tap_too() {
    let dir = mixed();
    let output = test(dir.path(), &["--format", "tap"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[..4], ["TAP version 14", "1..3", "not ok 1 - guard.hooktest.json: rm is refused", "  ---"]);
    assert!(lines.contains(&"ok 2 - guard.hooktest.json: ls passes"), "{lines:?}");
    assert!(lines.contains(&"not ok 3 - z.hooktest.json: it cannot be used"), "{lines:?}");
}

#[test]
fn results_are_annotations_too() {
    let dir = mixed();
    let output = test(dir.path(), &["--format", "github"]);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(
        lines[0]
            .starts_with("::error file=guard.hooktest.json,line=2,title=rm is refused::reason: expected a match of"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("::error file=z.hooktest.json,title=fixture::"), "{lines:?}");
    assert!(lines[2].starts_with("2 cases: 1 ok, 1 failed, 1 error in fixtures"), "{lines:?}");
    std::fs::write(dir.path().join("z.hooktest.json"), "{\n  \"tol_name\": 1, \"expect\": {}}").unwrap();
    let output = test(dir.path(), &["--format", "github"]);
    let place = "::error file=z.hooktest.json,line=2,col=3,title=fixture::z.hooktest.json:2:3: unknown key `tol_name`";
    assert!(output.stdout.contains(place), "{output:?}");
}

#[test]
#[cfg(unix)]
fn junit_holds_to_its_schema() {
    let dir = mixed();
    let output = test(dir.path(), &["--format", "junit"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    let count = |text: &str| output.stdout.matches(text).count();
    assert_eq!((count("<testcase "), count("<failure "), count("<error "), count("<testsuite ")), (3, 1, 1, 2));
    assert!(output.stdout.contains("&lt;never&gt; &amp; # "), "{output:?}");
    let file = dir.path().join("results.xml");
    std::fs::write(&file, &output.stdout).unwrap();
    let Some(xmllint) = hookshell_test_support::find("xmllint") else {
        hookshell_test_support::skip("xmllint is not installed");
        return;
    };
    let schema = workspace("crates/cli/tests/schemas/junit-10.xsd");
    let args = ["--noout".as_ref(), "--nonet".as_ref(), "--schema".as_ref(), schema.as_os_str(), file.as_os_str()];
    let output = program(&xmllint, args).output();
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn an_event_is_recorded_with_todays_verdict() {
    let dir = dir(TWO);
    let dir = dir.path();
    std::fs::remove_file(dir.join("guard.hooktest.json")).unwrap();
    let record = |event: &str, args: &[&str]| {
        let args = [&["test", "--record", "guard.hooktest.json"], args].concat();
        hookshell(args).cwd(dir).stdin(event).output()
    };
    let rm = r#"{"tool_name":"bash","tool_input":{"command":"rm (x)"}}"#;
    let output = record(rm, &[]);
    assert_eq!((output.code, &*output.stdout), (Some(0), "guard.hooktest.json: 1 case recorded\n"), "{output:?}");
    assert_eq!(record(rm, &[]).stdout, "guard.hooktest.json: nothing recorded: it has that already\n");
    assert_eq!(record(r#"{"tool_name":"bash","tool_input":{"command":"ls"}}"#, &["--name", "ls"]).code, Some(0));
    let text = std::fs::read_to_string(dir.join("guard.hooktest.json")).unwrap();
    let fixture: Value = serde_json::from_str(&text).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert_eq!((&cases[0]["name"], &cases[1]["name"]), (&json!("bash: rm (x)"), &json!("ls")));
    let expected = json!({"decision": "deny", "exit_code": 2, "reason": "^no rm$", "outcome": ["Decided"]});
    assert_eq!(cases[0]["expect"], expected);
    assert_eq!(cases[1]["expect"]["decision"], Value::Null);
    let output = test(dir, &[]);
    assert_eq!((output.code, lines(&output).pop().unwrap()), (Some(0), "2 cases: 2 ok, 0 failed".to_owned()));
    // Another verdict tomorrow is a failure.
    std::fs::write(dir.join("guard.sh"), "exit 0\n").unwrap();
    assert_eq!(test(dir, &[]).code, Some(1));
    for (event, file) in [("{", "guard.hooktest.json"), (rm, "guard.json")] {
        let output = hookshell(["test", "--record", file]).cwd(dir).stdin(event).output();
        assert!(matches!(output.code, Some(64 | 65)), "{output:?}");
    }
    // Comments are not lost.
    std::fs::write(dir.join("guard.hooktest.json"), "// mine\n{\"cases\": []}\n").unwrap();
    assert_eq!(record(rm, &[]).code, Some(65));
}

#[test]
fn an_event_is_recorded_under_the_name_that_its_payload_has() {
    let dir = dir(TWO);
    let dir = dir.path();
    let record = |event: &str| {
        let run = hookshell(["test", "--record", "claude.hooktest.json", "--config", "settings.json"]).cwd(dir);
        run.stdin(event).output()
    };
    let hook = json!([{ "hooks": [{ "type": "command", "command": "echo more" }] }]);
    let config = json!({ "hooks": { "UserPromptSubmit": hook } });
    std::fs::write(dir.join("settings.json"), config.to_string()).unwrap();
    let output = record(r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"hi"}"#);
    assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{output:?}");
    let fixture: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("claude.hooktest.json")).unwrap()).unwrap();
    assert_eq!(fixture["cases"][0]["name"], "UserPromptSubmit: hi");
    assert_eq!(fixture["cases"][0]["expect"]["context"], "^more$");
    assert_eq!(test(dir, &["claude.hooktest.json"]).code, Some(0));
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let dir = dir("{\"cases\": [");
    let dir = dir.path();
    std::fs::write(dir.join("plain.sh"), ":\n").unwrap();
    let ls = r#"{"tool_name":"bash","tool_input":{"command":"ls"}}"#;
    for (args, event, code, message) in [
        (&["guard.hooktest.json"][..], ls, 65, "hookshell: test: guard.hooktest.json:1:11: Unterminated array\n"),
        (&["plain.hooktest.json"], "\n", 65, "hookshell: test: there is no event on standard input\nhint: "),
        (
            &["plain.hooktest.json"],
            "{}",
            65,
            "hookshell: test: plain.hooktest.json: the event's payload has no `tool_name`\n",
        ),
        (
            &["none.hooktest.json"],
            ls,
            65,
            "hookshell: test: none.hooktest.json: it names no `config`, `hook` or `command`",
        ),
        (&["plain.hooktest.json", "--config", "gone.json"], ls, 66, "gone.json: no such file or directory\n"),
        (
            &["plain.hooktest.json", "--from-log", "0"],
            ls,
            64,
            "invalid value '0' for '--from-log <N>': it must be a whole number from 1 on\n",
        ),
    ] {
        let output = hookshell([&["test", "--record"], args].concat()).cwd(dir).stdin(event).output();
        assert_eq!((output.code, &*output.stdout), (Some(code), ""), "{args:?}: {output:?}");
        assert!(output.stderr.contains(message), "{args:?}: {output:?}");
    }
    assert!(!dir.join("plain.hooktest.json").exists());
}

#[test]
fn a_script_in_the_place_of_its_fixture_is_named() {
    let dir = dir(TWO);
    let output = test(dir.path(), &["guard.sh"]);
    let message =
        "hookshell: test: guard.sh: it is no fixture\nhint: its fixture: hookshell test guard.hooktest.json\n";
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (Some(64), "", message));
    // A case without a name has its number.
    std::fs::write(dir.path().join("guard.hooktest.json"), TWO.replace("ls passes", " ")).unwrap();
    assert_eq!(lines(&test(dir.path(), &["guard.hooktest.json"]))[2], "  ok      case 2");
}

#[cfg(unix)]
#[test]
fn a_fifo_is_no_fixture_of_a_directory() {
    let dir = dir(TWO);
    hookshell_process::make_fifo(&dir.path().join("a.hooktest.json"), 0o600).unwrap();
    let output = test(dir.path(), &[]);
    assert_eq!((output.code, lines(&output).pop().unwrap()), (Some(0), "2 cases: 2 ok, 0 failed".to_owned()));
}

#[cfg(unix)]
#[test]
fn no_name_of_a_fixture_starts_a_line() {
    let dir = dir(TWO);
    for (name, text) in [("a\n::error::b.hooktest.json", TWO), ("c\n::error::d.hooktest.json", "{")] {
        std::fs::write(dir.path().join(name), text.replace("{\"tool_name\"", "{\"command\":\"exit 0\",\"tool_name\""))
            .unwrap();
    }
    let output = test(dir.path(), &[]);
    assert!(lines(&output).contains(&"a\\n::error::b.hooktest.json".to_owned()), "{output:?}");
    assert!(!output.stdout.lines().any(|line| line.starts_with("::")), "{output:?}");
}

/// It would pass in a checkout that lacks what the link is for.
#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_a_fixture_that_cannot_be_read() {
    let dir = dir(r#"{"tool_name":"x","command":"exit 0","expect":{"decision":null}}"#);
    std::os::unix::fs::symlink("gone.hooktest.json", dir.path().join("linked.hooktest.json")).unwrap();
    let output = test(dir.path(), &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(lines(&output).contains(&"linked.hooktest.json: no such file or directory".to_owned()), "{output:?}");
}

/// Fixtures that do not run without a word would pass.
#[test]
fn a_directory_that_is_not_looked_into_is_told_and_an_error() {
    let dir = dir(TWO);
    let deep = dir.path().join("d/".repeat(33));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("x.hooktest.json"), r#"{"command":"exit 0","tool_name":"bash","expect":{}}"#).unwrap();
    let output = test(dir.path(), &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    let line = "the fixtures in this directory do not run: it lies more than 32 directories deep [HS101]\n";
    assert!(output.stdout.contains(line) && output.stdout.contains("2 cases: 2 ok, 0 failed, 1 error"), "{output:?}");
    for (format, part) in [
        ("json", "\"errors\":[\"d"),
        ("tap", "not ok 3 - d"),
        ("junit", "<error type=\"fixture\""),
        ("github", "::error file=d/d/"),
    ] {
        let output = test(dir.path(), &["--format", format]);
        assert!(output.code == Some(2) && output.stdout.contains(part), "{format}: {output:?}");
    }
    // As `check` has it.
    for format in ["pretty", "github"] {
        let output = test(dir.path(), &["--ignore", "HS101", "--format", format]);
        let end = "2 cases: 2 ok, 0 failed, 1 ignored (";
        assert!(output.code == Some(0) && output.stdout.contains(end), "{output:?}");
    }
    let report: Value = serde_json::from_str(&test(dir.path(), &["--json", "--ignore", "hs101"]).stdout).unwrap();
    assert_eq!((&report["ignored"], &report["errors"]), (&json!(1), &json!([])));
    let output = test(dir.path(), &["--ignore", "HS102"]);
    assert!(output.code == Some(64) && output.stderr.contains("`test` has only HS101"), "{output:?}");
    // Nothing else is there.
    let output = test(dir.path(), &["d"]);
    assert!(output.code == Some(0), "from here it is 32 deep: {output:?}");
    std::fs::remove_file(dir.path().join("guard.hooktest.json")).unwrap();
    assert_eq!(test(dir.path(), &[]).code, Some(2));
    assert_eq!(test(dir.path(), &["--ignore", "HS101"]).code, Some(66));
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_read_is_told_and_an_error() {
    use std::os::unix::fs::PermissionsExt;

    let dir = dir(TWO);
    let closed = dir.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    let set_mode = |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).unwrap();
    set_mode(0);
    // Root reads every directory, but not without these capabilities (util-linux's setpriv takes them from it).
    let is_root = closed.read_dir().is_ok();
    let setpriv = if is_root { hookshell_test_support::find("setpriv") } else { None };
    if is_root && setpriv.is_none() {
        set_mode(0o700);
        hookshell_test_support::skip("root reads every directory, and there is no setpriv");
        return;
    }
    let run = |args: &[&str]| {
        let run = match &setpriv {
            Some(setpriv) => {
                let without = ["--bounding-set=-dac_override,-dac_read_search", env!("CARGO_BIN_EXE_hookshell")];
                program(setpriv, [&without, args].concat())
            }
            None => hookshell(args),
        };
        run.cwd(dir.path()).output()
    };
    let output = run(&["test"]);
    let ignored = run(&["test", "--ignore", "HS101"]);
    let checked = run(&["check", "."]);
    set_mode(0o700);
    let line = "closed: the fixtures in this directory do not run: permission denied [HS101]";
    assert!(output.code == Some(2) && lines(&output).contains(&line.to_owned()), "{output:?}");
    assert!(ignored.code == Some(0) && ignored.stdout.contains("2 ok, 0 failed, 1 ignored"), "{ignored:?}");
    let line = "closed: error: the files in this directory are not checked: permission denied [HS101]\n";
    assert!(checked.code == Some(2) && checked.stdout.contains(line), "{checked:?}");
}

#[test]
fn events_of_the_log_are_recorded() {
    let dir = dir(TWO);
    let dir = dir.path();
    std::fs::remove_file(dir.join("guard.hooktest.json")).unwrap();
    let with_state = |args: &[&str]| {
        let run = hookshell(args).cwd(dir).env("XDG_STATE_HOME", dir).env("LOCALAPPDATA", dir);
        run.env("HOOKSHELL_LOG", "payload").output()
    };
    let record = ["test", "--record", "guard.hooktest.json", "--from-log", "1"];
    assert_eq!(with_state(&record).code, Some(66));
    for command in ["ls", "rm y"] {
        let input = json!({ "command": command }).to_string();
        let run = ["run", "PreToolUse", "--no-hooks", "--hook", "guard.sh", "--tool", "bash", "--input", &input];
        assert!(matches!(with_state(&run).code, Some(0 | 2)));
    }
    let output = with_state(&record);
    assert_eq!((output.code, &*output.stdout), (Some(0), "guard.hooktest.json: 1 case recorded\n"), "{output:?}");
    let text = std::fs::read_to_string(dir.join("guard.hooktest.json")).unwrap();
    let fixture: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(fixture["cases"][0]["tool_input"], json!({"command": "rm y"}));
    assert_eq!(fixture["cases"][0]["expect"]["decision"], "deny");
    assert_eq!(test(dir, &[]).code, Some(0));
    // The log has nothing of what such an event says.
    std::fs::create_dir(dir.join("Stop")).unwrap();
    std::fs::write(dir.join("Stop/x.sh"), ":\n").unwrap();
    let stop = hookshell(["run", "Stop", "--no-hooks", "--hook", "Stop/x.sh"]).cwd(dir).stdin("{}");
    let stop = stop.env("XDG_STATE_HOME", dir).env("LOCALAPPDATA", dir).env("HOOKSHELL_LOG", "payload").output();
    assert!(matches!(stop.code, Some(0 | 2)), "{stop:?}");
    let output = with_state(&record);
    let warning = "hookshell: warning: Stop: runs without their payload in the log are left out\n";
    assert_eq!((output.code, &*output.stderr), (Some(0), warning), "{output:?}");
}

/// A guard that lets the call pass since it looks for another tool has passed no test.
#[test]
fn a_tool_that_no_agent_has_is_told() {
    for (tool, meant) in
        [("bsh", Some("bash")), ("Bahs", None), ("BASH", Some("bash")), ("bash", None), ("my_tool", None)]
    {
        let dir = dir(&TWO.replace("\"bash\"", &format!("{tool:?}")));
        let output = test(dir.path(), &[]);
        let line = meant.map(|meant| {
            format!(
                "hookshell: warning: guard.hooktest.json:2: no agent has a tool `{tool}`: did you mean `{meant}`?\n"
            )
        });
        assert_eq!((output.code, output.stderr), (Some(0), line.unwrap_or_default()), "{tool}");
    }
}

#[test]
fn a_fixture_for_a_tool_of_another_name_says_why_no_hook_is_for_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("crush.json"),
        r#"{"hooks":{"PreToolUse":[{"name":"g","matcher":"^bash$","command":"exit 2"}]}}"#,
    )
    .unwrap();
    let case = r#"{"name":"rm","event":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm"},"expect":{"decision":"deny"}}"#;
    let fixture = format!(r#"{{"config":"crush.json","cases":[{case}]}}"#);
    std::fs::write(directory.path().join("g.hooktest.json"), fixture).unwrap();
    let output = test(directory.path(), &["g.hooktest.json"]);
    let line =
        "| g: it does not run: its matcher \"^bash$\" does not match `Bash` (the case counts: it would match `bash`)";
    assert!(output.code == Some(1) && output.stdout.contains(line), "{output:?}");
}

/// What a project calls its cases, and what its hooks print, starts no command of a CI's runner in any format, and says the same.
#[test]
fn no_format_starts_a_command_of_a_runner() {
    let hostile = "##vso[task.setvariable variable=a]b\n::error::x\n###[error]\u{9b}31m\u{202e}]]>\u{7f}\u{1b}[2J";
    let case = |name: &str| json!({"name": name, "tool_input": {"command": hostile}, "expect": {"decision": "allow", "reason": "x"}});
    let hook = r#"printf '::error::no\n##[error]no\n' >&2; exit 2"#;
    let fixture = json!({"tool_name": "bash", "command": hook, "cases": [case(hostile), case("::warning::")]});
    let dir = dir(&fixture.to_string());
    let printed = |format: &str| {
        let output = test(dir.path(), &["-v", "--format", format]);
        assert_eq!(output.code, Some(1), "{format}: {output:?}");
        for line in output.stdout.lines() {
            let is_command =
                line.trim_start().starts_with("::") && !(format == "github" && line.starts_with("::error file="));
            assert!(!is_command && !line.contains("##"), "{format}: {line}");
            assert!(!line.contains(['\u{9b}', '\u{202e}', '\u{7f}', '\u{1b}']), "{format}: {line:?}");
        }
        output.stdout
    };
    for format in ["pretty", "tap", "github", "junit", "json"] {
        printed(format);
    }
    let report: Value = serde_json::from_str(&printed("json")).unwrap();
    assert_eq!(report["cases"][0]["name"], hostile);
}

/// A hook that prints megabytes hides no other case. JSON has what it printed.
#[test]
fn a_report_shows_the_beginning_of_what_a_hook_printed() {
    let hook = "head -c 500000 /dev/zero | tr '\\0' x >&2; echo >&2; echo é >&2; exit 2";
    let fixture = json!({"tool_name": "bash", "command": hook, "tool_input": {}, "expect": {"decision": "allow", "reason": "no"}});
    let dir = dir(&fixture.to_string());
    for format in ["pretty", "tap", "github", "junit", "json"] {
        let output = test(dir.path(), &["--format", format]);
        assert_eq!(output.code, Some(1), "{format}");
        let is_cut = output.stdout.contains("[cut after 8192 of 5");
        assert_eq!(is_cut, format != "json", "{format}");
        assert_eq!(output.stdout.len() < 60_000, format != "json", "{format}: {}", output.stdout.len());
    }
}
