//! `hookshell test`: fixtures next to hooks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{Output, hookshell, workspace};

fn folder(fixture: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("guard.sh"), "read -r p; case $p in *rm*) echo \"no rm\" >&2; exit 2;; esac\n")
        .unwrap();
    std::fs::write(folder.path().join("guard.hooktest.json"), fixture).unwrap();
    folder
}

fn test(folder: &Path, args: &[&str]) -> Output {
    hookshell([&["test"], args].concat()).cwd(folder).output()
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
    let folder = folder(TWO);
    let output = test(folder.path(), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(
        lines(&output),
        ["guard.hooktest.json", "  ok      rm is refused", "  ok      ls passes", "", "2 cases: 2 ok, 0 failed"]
    );
    let output = test(folder.path(), &[".", "refused"]);
    assert_eq!(
        lines(&output),
        ["guard.hooktest.json", "  ok      rm is refused", "", "1 case: 1 ok, 0 failed, 1 left out"]
    );
}

#[test]
fn what_was_expected_and_what_came_are_said() {
    let folder = folder(&TWO.replace("^no rm$", "^never$").replace("null", "\"allow\""));
    let output = test(folder.path(), &[]);
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
    let folder = folder(&TWO.replace("^no rm$", "^never$"));
    let output = test(folder.path(), &["--json"]);
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
    let folder = folder(TWO);
    std::fs::write(folder.path().join("a.hooktest.json"), r#"{"tool_nme": "bash", "expect": {}}"#).unwrap();
    std::fs::write(folder.path().join("z.hooktest.json"), r#"{"config": "gone.json", "expect": {}}"#).unwrap();
    let output = test(folder.path(), &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(
        output.stdout.contains("a.hooktest.json:1:2: unknown key `tool_nme`: did you mean `tool_name`?\n"),
        "{output:?}"
    );
    assert!(output.stdout.contains("gone.json: "), "{output:?}");
    assert!(output.stdout.contains("2 cases: 2 ok, 0 failed, "), "{output:?}");
    std::fs::create_dir_all(folder.path().join("empty")).unwrap();
    for (arg, expected) in [
        (
            "gone",
            "hookshell: test: gone: no such file or directory\n\
             hint: the filter comes after the directory: hookshell test . 'rm -rf'\n",
        ),
        ("empty", "hookshell: test: empty: it has no *.hooktest.json\nhint: `hookshell test --help` shows one\n"),
    ] {
        let output = test(folder.path(), &[arg]);
        assert_eq!((output.code, &*output.stdout, &*output.stderr), (Some(66), "", expected));
    }
}
