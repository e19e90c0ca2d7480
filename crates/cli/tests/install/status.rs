//! What `status` lists.

use serde_json::Value;

use crate::place::{CLAUDE, GEMINI, Place};
use crate::support::{Output, hookshell};

fn without_comments(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<String>()
        .replace(",\t]", "]")
        .replace("},\t", "}")
}

#[test]
fn status_lists_every_hook_and_whether_it_is_wired() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    place.write("project/.gemini/settings.json", GEMINI);
    let status = || {
        let output = place.run("project", &["status", "--json"], "");
        (output.code, serde_json::from_str::<Value>(&output.stdout).unwrap_or_else(|_| panic!("{output:?}")))
    };
    let states = |report: &Value, agent: usize| -> Vec<Value> {
        let hooks = report["agents"][agent]["configs"][0]["hooks"].as_array().unwrap();
        hooks.iter().map(|hook| hook["wired"].clone()).collect()
    };
    let (code, report) = status();
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(report["agents"][0]["agent"], "claude");
    assert_eq!(states(&report, 0), [Value::Bool(false), Value::Null]);
    assert_eq!(states(&report, 1), [Value::Bool(false)]);
    place.install(&[]);
    let (code, report) = status();
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(states(&report, 0), [Value::Bool(true), Value::Null]);
    let hook = &report["agents"][1]["configs"][0]["hooks"][0];
    assert_eq!(hook["command"], "echo no >&2; exit 2");
    assert_eq!((&hook["wired"], &hook["trusted"]), (&Value::Bool(true), &Value::Bool(false)));
    place.run("project", &["trust", "--dialect", "gemini", "--yes"], "");
    let (_, report) = status();
    assert_eq!(report["agents"][1]["configs"][0]["hooks"][0]["trusted"], true);

    place.write("home/.claude/settings.json", "{");
    let output = place.run("project", &["status"], "");
    assert!(output.code == Some(1) && output.stdout.contains("error: "), "{output:?}");
}

#[test]
fn status_has_the_last_outcome_of_hooks_that_are_started_one_by_one() {
    let place = Place::new();
    place.write(
        "home/.claude/settings.json",
        &CLAUDE.replace("${CLAUDE_PROJECT_DIR}/x.sh", ": ${CLAUDE_PROJECT_DIR}; exit 2"),
    );
    let crush = r#"{ "hooks": { "PreToolUse": [{ "command": "echo 'a b'; true" }] } }"#;
    place.write("project/crush.json", crush);
    place.install(&[]);
    let home = place.path("home");
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let run = hookshell(args).cwd(&place.path("project")).env("HOME", &home).env("USERPROFILE", &home);
        let run = run.env("LOCALAPPDATA", home.join("local")).env("HOOKSHELL_LOG", "on");
        variables.iter().fold(run, |run, (name, value)| run.env(name, value)).output()
    };
    let claude: Value = serde_json::from_str(&without_comments(&place.read("home/.claude/settings.json"))).unwrap();
    let command = claude["hooks"]["PreToolUse"][0]["hooks"][0]["args"][1].as_str().unwrap();
    let of_claude = [("CLAUDECODE", "1"), ("CLAUDE_PROJECT_DIR", "/p")];
    assert_eq!(run(&["exec", command], &of_claude).code, Some(2));
    assert_eq!(run(&["exec", "echo 'a b'; true"], &[("CRUSH_EVENT", "PreToolUse")]).stdout, "a b\n");
    // Not as a hook.
    run(&["exec", "exit 7"], &[]);
    let log = run(&["log", "--json"], &[]).stdout;
    let outcomes: Vec<Value> =
        log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["outcome"].clone()).collect();
    assert_eq!(outcomes, ["Started", "Decided", "Started", "Exited"], "{log}");
    assert_eq!(run(&["log", "--json", "--outcome", "exited"], &[]).stdout.lines().count(), 1);
    let status: Value = serde_json::from_str(&run(&["status", "--json"], &[]).stdout).unwrap();
    let last = |agent: usize| &status["agents"][agent]["configs"][0]["hooks"][0]["last_outcome"];
    assert_eq!((last(0), last(1)), (&Value::from("Decided"), &Value::from("Exited")), "{status}");
}

/// What a hook would trip over is found whether it is wired or not.
#[test]
fn status_has_the_findings_of_hooks_that_are_wired_by_themselves() {
    let place = Place::new();
    let command = r#"\"${CLAUDE_PROJECT_DIR}\"/.claude/gone.sh"#;
    let claude = format!(
        r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"{command}"}},
        {{"type":"command","command":"jq -r 'foo'"}},{{"type":"command","command":"exit 0"}}]}}]}}}}"#
    );
    place.write("project/.claude/settings.json", &claude);
    place.write(
        "project/crush.json",
        r#"{"hooks":{"PreToolUse":[{"command":"./it's gone.sh"}, {"command":"jq -r 'foo'"}]}}"#,
    );
    let findings = |status: &Output| -> Vec<String> {
        let report: Value = serde_json::from_str(&status.stdout).unwrap();
        let configs =
            report["agents"].as_array().unwrap().iter().flat_map(|agent| agent["configs"].as_array().unwrap());
        let all = configs.flat_map(|config| config["findings"].as_array().unwrap().clone());
        // Without the columns, which are others.
        all.map(|finding| finding.as_str().unwrap().split_once(": ").unwrap().1.to_owned()).collect()
    };
    let before = findings(&place.run("project", &["status", "--json"], ""));
    assert!(before.iter().any(|finding| finding.contains("gone.sh") && finding.contains("HS302")), "{before:?}");
    assert_eq!(before.iter().filter(|finding| finding.contains("foo/0 is not defined")).count(), 2, "{before:?}");
    assert_eq!(place.install(&[]).code, Some(0));
    let after = findings(&place.run("project", &["status", "--json"], ""));
    assert_eq!(after, before);
}
