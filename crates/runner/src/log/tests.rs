use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::{HookLog, LogFollower};
use crate::{Config, Event, Runner, ToolInput};

/// Runs one hook on a call of `bash` and logs it.
fn log(log: &HookLog, command: &str) {
    let config = json!({ "hooks": { "PreToolUse": [{ "name": "guard", "command": command }] } });
    let runner = Runner::builder().config(Config::parse(&config.to_string(), "c").unwrap()).build().unwrap();
    let input = ToolInput::parse("{\"command\":\"secret\",\n\"n\":1.50}").unwrap();
    let event = Event::pre_tool_use("bash", input, std::env::temp_dir()).with_session_id("s1");
    log.append(&event, &runner.run_blocking(&event)).unwrap();
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_says_what_ran_and_nothing_of_the_payload() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path().join("state"));
    log(&hooks, "echo hush >&2; exit 2");
    let line = lines(&hooks.path()).remove(0);
    let mut keys: Vec<&String> = line.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "agent",
            "command",
            "config",
            "config_event",
            "cwd",
            "decision",
            "event",
            "exit_code",
            "halt",
            "hook",
            "ms",
            "outcome",
            "route",
            "session",
            "time",
            "tool"
        ]
    );
    assert_eq!(
        (&line["event"], &line["hook"], &line["outcome"], &line["decision"], &line["exit_code"], &line["tool"]),
        (&json!("PreToolUse"), &json!("guard"), &json!("Decided"), &json!("deny"), &json!(2), &json!("bash"))
    );
    let time = line["time"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z') && time.len() == 24, "{time}");
    assert!(!std::fs::read_to_string(hooks.path()).unwrap().contains("secret"));
}

#[test]
fn payload_values_are_logged_on_request_and_stay_on_their_line() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path()).payload(true);
    log(&hooks, "echo hush >&2; exit 2");
    let line = lines(&hooks.path()).remove(0);
    assert_eq!(line["tool_input"].to_string(), r#"{"command":"secret","n":1.5}"#);
    assert_eq!((&line["reason"], &line["stderr"]), (&json!("hush"), &json!("hush\n")));
    assert_eq!(hooks.entries().unwrap()[0].tool_input.as_ref().unwrap().get(), r#"{"command":"secret","n":1.50}"#);
}

#[test]
fn two_files_bound_its_size() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path()).limit(2_000);
    for _ in 0..40 {
        log(&hooks, "true");
    }
    for file in [hooks.path(), hooks.older()] {
        let size = file.metadata().unwrap().len();
        assert!(size <= 2_000, "{size}");
    }
    let entries = hooks.entries().unwrap();
    assert!(entries.len() > 5 && entries.len() < 20, "{}", entries.len());
    assert!(entries.iter().all(|entry| entry.outcome == "NoOpinion"));
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn what_is_no_entry_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path());
    assert_eq!(hooks.entries().unwrap().len(), 0);
    log(&hooks, "true");
    let mut file = std::fs::File::options().append(true).open(hooks.path()).unwrap();
    file.write_all(
        b"\xff\n{}\n{\"time\":\"t\",\"event\":\"e\",\"hook\":\"h\",\"outcome\":\"o\",\"later\":1}\nhalf a li",
    )
    .unwrap();
    let entries = hooks.entries().unwrap();
    assert_eq!(entries.iter().map(|entry| &*entry.outcome).collect::<Vec<_>>(), ["NoOpinion", "o"]);
}

/// A disk was full, or a process ended, within a line.
#[test]
fn an_unfinished_line_costs_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path());
    log(&hooks, "true");
    let mut file = std::fs::File::options().append(true).open(hooks.path()).unwrap();
    file.write_all(b"{\"time\":\"2026").unwrap();
    log(&hooks, "exit 3");
    log(&hooks, "exit 2");
    let entries = hooks.entries().unwrap();
    assert_eq!(entries.iter().map(|entry| &*entry.outcome).collect::<Vec<_>>(), ["NoOpinion", "ExitCode", "Decided"]);
    let text = std::fs::read_to_string(hooks.path()).unwrap();
    assert_eq!((text.lines().count(), text.ends_with("}\n")), (4, true), "{text}");
}

#[test]
fn lines_of_threads_that_write_at_once_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path()).limit(50_000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    log(&hooks, "true");
                }
            });
        }
    });
    assert_eq!(hooks.entries().unwrap().len(), 100);
    assert_eq!(lines(&hooks.path()).len(), 100);
}

#[test]
fn a_follower_sees_what_comes_also_in_a_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path()).limit(1_000);
    let mut follower = LogFollower::new(&hooks).unwrap();
    assert_eq!(follower.entries().unwrap().len(), 0);
    let mut seen = 0;
    for _ in 0..12 {
        log(&hooks, "true");
        seen += follower.entries().unwrap().len();
    }
    assert_eq!(seen, 12);
    let mut late = LogFollower::new(&hooks).unwrap();
    assert_eq!(late.entries().unwrap().len(), 0);
    assert!(hooks.older().exists());
}

#[test]
fn a_dir_that_cannot_be_made_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let config = Config::parse(r#"{"hooks":{"Stop":[{"command":":"}]}}"#, "c").unwrap();
    let event = Event::stop(false, dir.path());
    let verdict = Runner::builder().config(config).build().unwrap().run_blocking(&event);
    assert!(HookLog::new(dir.path().join("file").join("state")).append(&event, &verdict).is_err());
}

/// Where a file of the log or its lock is something else, it is left alone, and nobody waits.
#[cfg(unix)]
#[test]
fn links_pipes_and_other_peoples_names_are_neither_written_nor_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let config = Config::parse(r#"{"hooks":{"Stop":[{"command":":"}]}}"#, "c").unwrap();
    let runner = Runner::builder().config(config).build().unwrap();
    let event = Event::stop(false, std::env::temp_dir());
    let verdict = runner.run_blocking(&event);
    let victim_text = "{\"time\":\"t\",\"event\":\"e\",\"hook\":\"victim\",\"outcome\":\"o\"}\n".repeat(40);
    for kind in ["link", "dangling", "hard link", "fifo"] {
        for name in ["hooks.jsonl", "hooks.1.jsonl", "hooks.lock"] {
            let dir = tempfile::tempdir().unwrap();
            let victim = dir.path().join("victim");
            std::fs::write(&victim, &victim_text).unwrap();
            std::fs::set_permissions(&victim, PermissionsExt::from_mode(0o644)).unwrap();
            let hooks = HookLog::new(dir.path().join("state")).limit(700);
            std::fs::create_dir(dir.path().join("state")).unwrap();
            let path = dir.path().join("state").join(name);
            match kind {
                "link" => symlink(&victim, &path).unwrap(),
                "dangling" => symlink(dir.path().join("made"), &path).unwrap(),
                "hard link" => std::fs::hard_link(&victim, &path).unwrap(),
                _ => rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap(),
            }
            let results: Vec<bool> = (0..8).map(|_| hooks.append(&event, &verdict).is_ok()).collect();
            assert_eq!(std::fs::read_to_string(&victim).unwrap(), victim_text, "{kind} {name}");
            assert_eq!(victim.metadata().unwrap().permissions().mode() & 0o777, 0o644, "{kind} {name}");
            assert!(!dir.path().join("made").exists(), "{kind} {name}");
            match name {
                "hooks.jsonl" => assert!(!results.contains(&true), "{kind}"),
                // It takes the place of the older one, whatever that was.
                "hooks.1.jsonl" => assert!(!results.contains(&false), "{kind}"),
                _ => assert!(results[0] && results.contains(&false), "{kind} {results:?}"),
            }
            if name == "hooks.jsonl" && kind != "hard link" {
                assert!(hooks.entries().is_err(), "{kind}");
                assert!(LogFollower::new(&hooks).is_err(), "{kind}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_read_is_tightened_before_it_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let hooks = HookLog::new(dir.path());
    std::fs::write(hooks.path(), "").unwrap();
    std::fs::set_permissions(hooks.path(), PermissionsExt::from_mode(0o666)).unwrap();
    log(&hooks, "true");
    assert_eq!(hooks.path().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(lines(&hooks.path()).len(), 1);
}

#[test]
fn dropped_files_are_counted_and_named_only_with_payloads() {
    let dir = tempfile::tempdir().unwrap();
    let command = r#"echo '{"context_files":["hush1","hush2","../.."]}'"#;
    let hooks = HookLog::new(dir.path());
    log(&hooks, command);
    let line = lines(&hooks.path()).remove(0);
    let dropped = line["dropped_context_files"].to_string();
    assert_eq!(dropped, r#"["2 dropped: no such file","1 dropped: it lies outside the project"]"#);
    log(&hooks.clone().payload(true), command);
    assert!(lines(&hooks.path())[1]["dropped_context_files"].to_string().contains("hush2"));
}
