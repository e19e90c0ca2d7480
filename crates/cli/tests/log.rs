//! The log of hooks' runs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;
use support::{Output, Run, hookshell};

/// A command with its state in `dir`.
fn with_state(dir: &Path, args: &[&str]) -> Run {
    hookshell(args).cwd(dir).env("XDG_STATE_HOME", dir).env("LOCALAPPDATA", dir).env("HOOKSHELL_LOG", "on")
}

fn run(dir: &Path, args: &[&str]) -> Output {
    let args: Vec<&str> =
        [&["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--input", r#"{"command":"secret"}"#], args]
            .concat();
    with_state(dir, &args).output()
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let config = r#"{"hooks":{"PreToolUse":[
        {"name":"guard","command":"echo why >&2; exit 2"}, {"name":"broken","command":"exit 3"}]}}"#;
    std::fs::write(dir.path().join("c.json"), config).unwrap();
    dir
}

#[test]
fn every_run_is_logged_unless_it_is_switched_off() {
    let dir = project();
    let dir = dir.path();
    let log = dir.join("hookshell").join("hooks.jsonl");
    assert_eq!(run(dir, &["--no-log"]).code, Some(2));
    assert!(!log.exists());
    let off = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash"];
    assert_eq!(with_state(dir, &off).env("HOOKSHELL_LOG", "off").output().code, Some(2));
    assert!(!log.exists());
    assert_eq!(run(dir, &[]).code, Some(2));
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(!text.contains("secret") && !text.contains("why\""), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(log.metadata().unwrap().mode() & 0o777, 0o600);
    }
    run(dir, &["--log-payload"]);
    with_state(dir, &off).env("HOOKSHELL_LOG", "payload").output();
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(r#""tool_input":{"command":"secret"}"#)).count(), 2, "{text}");
    assert_eq!(text.lines().filter(|line| line.contains(r#""reason":"why""#)).count(), 2, "{text}");
}

#[test]
fn a_wired_hook_is_logged_once_by_run_and_not_by_test() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // Under Wine its drive is not that of the shell's `/`.
    let program = std::path::absolute(env!("CARGO_BIN_EXE_hookshell")).unwrap();
    let wired = format!("'{}' exec 'exit 2'", program.display().to_string().replace('\\', "/"));
    std::fs::write(dir.join("c.json"), serde_json::json!({"hooks": {"PreToolUse": [{"command": wired}]}}).to_string())
        .unwrap();
    let fixture = r#"{"config":"c.json","tool_name":"bash","expect":{"decision":"deny"}}"#;
    std::fs::write(dir.join("c.hooktest.json"), fixture).unwrap();
    let test = with_state(dir, &["test", "c.hooktest.json"]).output();
    assert_eq!(test.code, Some(0), "{test:?}");
    let log = dir.join("hookshell").join("hooks.jsonl");
    assert!(!log.exists());
    assert_eq!(run(dir, &[]).code, Some(2));
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    // As Crush starts it.
    let crush = with_state(dir, &["exec", "exit 2"]).env("CRUSH_EVENT", "PreToolUse").output();
    assert_eq!(crush.code, Some(2), "{crush:?}");
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn files_that_lie_outside_the_project_are_logged_as_dropped() {
    let project = project();
    let dir = project.path();
    // Nothing of this name stands beside the project, whatever else does.
    let beside = format!("../beside-{}", dir.file_name().unwrap().display());
    let hook = "n";
    let said = serde_json::json!({"context_files": [beside, "c.json", "none"]}).to_string();
    let config = serde_json::json!({"hooks": {"SessionStart": [{"command": format!("echo '{said}'"), "name": hook}]}});
    std::fs::write(dir.join("c.json"), config.to_string()).unwrap();
    let output = with_state(dir, &["run", "SessionStart", "-v", "--config", "c.json"]).output();
    assert_eq!(output.code, Some(0), "{output:?}");
    let dropped = "context file `none` dropped: no such file";
    let verdict: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(verdict["context_files"], serde_json::json!(["c.json"]));
    assert_eq!(verdict["hooks"][0]["dropped_context_files"][1], dropped);
    assert!(output.stderr.contains(&format!("hookshell: {hook}: {dropped}\n")), "{output:?}");
    let output = with_state(dir, &["log", "--json"]).output();
    let entry: Value = serde_json::from_str(output.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(entry["dropped_context_files"], serde_json::json!(["2 dropped: no such file"]), "{entry}");
    let output = with_state(dir, &["run", "SessionStart", "--log-payload", "--config", "c.json"]).output();
    assert_eq!(output.code, Some(0), "{output:?}");
    let output = with_state(dir, &["log", "--json"]).output();
    let entry: Value = serde_json::from_str(output.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(entry["dropped_context_files"][1], dropped, "{entry}");
}

#[test]
fn the_log_is_a_table_or_json() {
    let dir = project();
    let dir = dir.path();
    let nothing = with_state(dir, &["log"]).output();
    assert!(nothing.stdout.starts_with("nothing is logged in "), "{nothing:?}");
    run(dir, &[]);
    run(dir, &[]);
    let table = with_state(dir, &["log"]).output();
    let lines: Vec<&str> = table.stdout.lines().collect();
    assert_eq!((table.code, lines.len()), (Some(0), 5), "{}", table.stdout);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[0]), ["TIME", "EVENT", "TOOL", "HOOK", "ROUTE", "OUTCOME", "MS"]);
    assert_eq!(words(lines[1])[2..9], ["PreToolUse", "bash", "guard", "in-process", "shell", "Decided", "deny"]);
    assert_eq!(words(lines[2])[2..9], ["PreToolUse", "bash", "broken", "in-process", "shell", "ExitCode", "3"]);
    assert_eq!(with_state(dir, &["log", "-n", "0"]).output().stdout, format!("{}\n", lines[0]));
    let none = with_state(dir, &["log", "--hook", "nosuch"]).output();
    assert!(none.stdout.starts_with("no run of a hook with `nosuch` in its name is logged in "), "{none:?}");
    let one = with_state(dir, &["log", "--hook", "brok", "-n", "1", "--json"]).output();
    let entry: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(
        (&entry["hook"], &entry["outcome"], &entry["exit_code"]),
        (&"broken".into(), &"ExitCode".into(), &3.into())
    );
}

#[test]
fn following_shows_what_is_written_later() {
    let dir = project();
    let dir = dir.path();
    run(dir, &[]);
    let mut child = with_state(dir, &["log", "-f", "--json", "--hook", "guard"]).start();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("\"guard\""));
    run(dir, &[]);
    assert!(lines.next().unwrap().unwrap().contains("\"guard\""));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_log_that_cannot_be_written_changes_no_verdict() {
    let dir = project();
    let dir = dir.path();
    std::fs::write(dir.join("hookshell"), "a file where the directory would be").unwrap();
    let output = run(dir, &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    // Only -v says that nothing could be logged.
    assert!(!output.stderr.contains("log: "), "{output:?}");
    assert!(output.stdout.contains(r#""decision":"deny""#));
    let output = run(dir, &["-v"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("hookshell: log: "), "{}", output.stderr);
}

#[test]
fn processes_that_write_at_once_mix_no_lines() {
    let dir = project();
    let dir = dir.path();
    let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash"];
    let children: Vec<_> = (0..6).map(|_| with_state(dir, &args).start()).collect();
    for child in children {
        assert_eq!(support::finish(child).code, Some(2));
    }
    let text = std::fs::read_to_string(dir.join("hookshell").join("hooks.jsonl")).unwrap();
    let hooks: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(hooks.len(), 12);
    assert!(hooks.chunks(2).all(|pair| pair[0]["hook"] == "guard" && pair[1]["hook"] == "broken"), "{text}");
}

#[test]
fn doctor_says_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let output = with_state(dir.path(), &["doctor", "--json"]).output();
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let expected = dir.path().join("hookshell").join("hooks.jsonl");
    assert_eq!(report["log"], expected.display().to_string());
    for (setting, said) in [
        ("", "hooks.jsonl\n"),
        ("off", "hooks.jsonl (nothing is logged: HOOKSHELL_LOG is off)\n"),
        ("payload", "hooks.jsonl (with payloads: HOOKSHELL_LOG is payload)\n"),
        ("of", "hooks.jsonl (HOOKSHELL_LOG is off or payload: \"of\" means nothing)\n"),
    ] {
        let output = with_state(dir.path(), &["doctor"]).env("HOOKSHELL_LOG", setting).output();
        assert!(output.stdout.contains(said), "{setting}: {output:?}");
    }
}

#[test]
fn a_hook_in_the_background_is_logged_when_it_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let config =
        r#"{"hooks":{"PreToolUse":[{"name":"late","command":"sleep 0.2; echo why >&2; exit 3","async":true}]}}"#;
    std::fs::write(dir.join("c.json"), config).unwrap();
    assert_eq!(run(dir, &[]).code, Some(0));
    let text = std::fs::read_to_string(dir.join("hookshell").join("hooks.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: Vec<_> = lines.iter().map(|line| (line["hook"].as_str(), line["outcome"].as_str())).collect();
    assert_eq!(said, [(Some("late"), Some("Started")), (Some("late"), Some("ExitCode"))]);
    assert_eq!(lines[1]["exit_code"], 3);
}

/// Time, event, tool, hook, outcome, decision, milliseconds.
type Entry<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, Option<&'a str>, u64);

/// A log with these entries.
fn write_log(dir: &Path, entries: &[Entry<'_>]) {
    let line = |(time, event, tool, hook, outcome, decision, ms): &(
        &str,
        &str,
        &str,
        &str,
        &str,
        Option<&str>,
        u64,
    )| {
        serde_json::json!({"time": time, "event": event, "tool": tool, "hook": hook, "outcome": outcome, "decision": decision,
            "ms": ms, "cwd": dir.display().to_string()})
        .to_string()
            + "\n"
    };
    std::fs::create_dir_all(dir.join("hookshell")).unwrap();
    let file = dir.join("hookshell").join("hooks.jsonl");
    std::fs::write(&file, entries.iter().map(line).collect::<String>()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn the_log_is_filtered_and_a_wrong_filter_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_log(
        dir,
        &[
            ("2020-01-01T00:00:00.000Z", "PreToolUse", "bash", "old", "NoOpinion", None, 1),
            ("2030-06-01T10:00:00.000Z", "PreToolUse", "bash", "guard", "Decided", Some("deny"), 2),
            ("2030-06-01T11:00:00.000Z", "PostToolUse", "edit", "fmt", "TimedOut", None, 3),
        ],
    );
    let hooks = |args: &[&str]| {
        let output = with_state(dir, &[&["log", "--json"], args].concat()).output();
        assert_eq!(output.code, Some(0), "{args:?}: {output:?}");
        let hook = |line: &str| serde_json::from_str::<Value>(line).unwrap()["hook"].as_str().unwrap().to_owned();
        output.stdout.lines().map(hook).collect::<Vec<_>>().join(" ")
    };
    let here = dir.display().to_string();
    for (args, expected) in [
        (&[][..], "old guard fmt"),
        (&["--event", "pre_tool_use"], "old guard"),
        (&["--event", "BeforeTool"], "old guard"),
        (&["--tool", "edit"], "fmt"),
        (&["--outcome", "deny"], "guard"),
        (&["--outcome", "failed"], "fmt"),
        (&["--outcome", "timedout"], "fmt"),
        (&["--since", "2025-01-01"], "guard fmt"),
        (&["--since", "2030-06-01T10:30:00Z"], "fmt"),
        (&["--since", "1h", "--tool", "bash"], "guard"),
        (&["--project", &here], "old guard fmt"),
        (&["--project", "hookshell"], ""),
    ] {
        assert_eq!(hooks(args), expected, "{args:?}");
    }
    for (args, code) in [
        (["--event", "nosuch"], 64),
        (["--outcome", "denied"], 64),
        (["--since", "yesterday"], 64),
        (["--project", "nosuch"], 66),
    ] {
        assert_eq!(with_state(dir, &[&["log"], &args[..]].concat()).output().code, Some(code), "{args:?}");
    }
}

#[test]
fn a_project_that_is_gone_is_still_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_log(dir, &[("2030-06-01T10:00:00.000Z", "PreToolUse", "bash", "guard", "Decided", Some("deny"), 2)]);
    let file = dir.join("hookshell").join("hooks.jsonl");
    let mut entry: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let gone = dir.join("gone");
    entry["cwd"] = gone.join("below").display().to_string().into();
    std::fs::write(&file, format!("{entry}\n")).unwrap();
    for (project, code) in [(gone.display().to_string(), 0), (dir.join("go").display().to_string(), 66)] {
        let output = with_state(dir, &["log", "--json", "--project", &project]).output();
        assert_eq!(output.code, Some(code), "{output:?}");
        assert_eq!(output.stdout.lines().count(), usize::from(code == 0), "{output:?}");
    }
}

#[test]
fn the_table_has_the_last_50_in_local_time() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_log(dir, &[("2030-06-01T10:00:00.000Z", "PreToolUse", "bash", "guard", "Decided", Some("deny"), 2); 60]);
    let output = with_state(dir, &["log"]).output();
    assert_eq!(output.stdout.lines().count(), 51);
    assert_eq!(with_state(dir, &["log", "-n", "55"]).output().stdout.lines().count(), 56);
    assert_eq!(with_state(dir, &["log", "--json"]).output().stdout.lines().count(), 60);
    let first = |args: &[&str]| {
        let output = with_state(dir, args).env("TZ", "<+03>-3").output();
        output.stdout.lines().nth(1).unwrap().to_owned()
    };
    assert!(first(&["log", "--utc"]).starts_with("2030-06-01 10:00:00  "));
    if cfg!(unix) {
        assert!(first(&["log"]).starts_with("2030-06-01 13:00:00  "), "{}", first(&["log"]));
    }
}

#[test]
fn statistics_are_of_each_hook() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let time = "2030-06-01T10:00:00.000Z";
    let mut entries: Vec<_> = (1..=20).map(|ms| (time, "PreToolUse", "bash", "guard", "NoOpinion", None, ms)).collect();
    entries.push((time, "PreToolUse", "bash", "other", "Decided", Some("deny"), 5));
    entries.push((time, "PreToolUse", "bash", "other", "ExitCode", None, 7));
    entries.push((time, "PreToolUse", "bash", "other", "Started", None, 0));
    // It was not run.
    entries.push((time, "PreToolUse", "bash", "other", "Untrusted", None, 0));
    write_log(dir, &entries);
    // A halt has no decision, and stops the tool all the same.
    let halted = serde_json::json!({"time": time, "event": "PreToolUse", "tool": "bash", "hook": "other", "outcome": "Decided",
        "halt": true, "exit_code": 49, "ms": 6, "cwd": dir});
    let file = dir.join("hookshell/hooks.jsonl");
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{written}{halted}\n")).unwrap();
    let output = with_state(dir, &["log", "--stats", "--json"]).output();
    let stats: Value = serde_json::from_str(&output.stdout).unwrap();
    let expected = serde_json::json!([
        {"hook": "guard", "runs": 20, "denies": 0, "halts": 0, "failures": 0, "p50_ms": 10, "p95_ms": 19},
        {"hook": "other", "runs": 3, "denies": 1, "halts": 1, "failures": 1, "p50_ms": 6, "p95_ms": 7}]);
    assert_eq!(stats, expected);
    let output = with_state(dir, &["log", "--stats"]).output();
    let words: Vec<&str> = output.stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(words, ["guard", "20", "0", "0", "0", "10", "19"]);
    assert!(output.stdout.lines().next().unwrap().contains("DENIES    HALTS FAILURES"), "{output:?}");
    let output = with_state(dir, &["log", "--stats", "--hook", "nosuch"]).output();
    assert!(output.stdout.starts_with("no run of a hook with `nosuch` in its name is logged in "), "{output:?}");
    let empty = tempfile::tempdir().unwrap();
    let output = with_state(empty.path(), &["log", "--stats"]).output();
    assert!(output.stdout.starts_with("nothing is logged in "), "{output:?}");
    assert_eq!(with_state(empty.path(), &["log", "--stats", "--json"]).output().stdout, "[]\n");
}

#[test]
fn hooks_whose_commands_begin_alike_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (format!("{}one", "x".repeat(40)), format!("{}other", "x".repeat(40)));
    let time = "2030-06-01T10:00:00.000Z";
    write_log(
        dir.path(),
        &[
            (time, "PreToolUse", "bash", &one, "NoOpinion", None, 1),
            (time, "PreToolUse", "bash", &other, "NoOpinion", None, 1),
            (time, "PreToolUse", "bash", &"y".repeat(80), "NoOpinion", None, 1),
        ],
    );
    let output = with_state(dir.path(), &["log", "--stats"]).output();
    let rows: Vec<&str> = output.stdout.lines().collect();
    assert!(rows[1].starts_with(&one) && rows[2].starts_with(&other), "{output:?}");
    assert!(rows[3].starts_with(&format!("{}… ", "y".repeat(59))), "{output:?}");
    assert!(rows.iter().all(|row| row.chars().count() == rows[0].chars().count()), "{output:?}");
}

/// A name may be anybody's.
#[test]
fn nothing_hides_in_a_column() {
    let dir = tempfile::tempdir().unwrap();
    let name = "a\u{1b}[2K\u{202e}b\u{200b}c";
    write_log(dir.path(), &[("2030-06-01T10:00:00.000Z", "PreToolUse", "bash", name, "NoOpinion", None, 1)]);
    for args in [&["log"][..], &["log", "--stats"]] {
        let output = with_state(dir.path(), args).output();
        assert!(output.stdout.contains("a [2K b c "), "{output:?}");
    }
}
