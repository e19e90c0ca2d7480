//! `hookshell run` as the hook of an agent: it never starts itself, is never silent, finds its project, and keeps its answer short.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{Output, hookshell};
use tempfile::TempDir;

const CALL: &str =
    r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

/// A project whose user has this as Claude Code's settings.
fn with(hooks: &[Value]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": hooks }] } }).to_string();
    write(&place.path().join("home/.claude/settings.json"), &settings);
    fs::create_dir_all(place.path().join("project/sub")).unwrap();
    place
}

fn command(command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn run_in(place: &Path, cwd: &str, args: &[&str], stdin: &str) -> Output {
    let home = place.join("home");
    let run = hookshell(std::iter::once(&"run").chain(args)).cwd(&place.join(cwd)).stdin(stdin);
    let run = run.env("HOME", &home).env("USERPROFILE", &home).env("LOCALAPPDATA", home.join("local"));
    run.env("PATH", Path::new(env!("CARGO_BIN_EXE_hookshell")).parent().unwrap()).output()
}

fn run(place: &Path, args: &[&str], stdin: &str) -> Output {
    run_in(place, "project", args, stdin)
}

const AS_CLAUDE: [&str; 5] = ["PreToolUse", "--dialect", "claude", "--output", "claude"];

fn message(output: &Output) -> String {
    let object: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    object["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// Qwen Code's standard error names hookshell by itself.
#[test]
fn a_reason_of_our_own_names_hookshell_once() {
    let place = with(&[]);
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [command("./nonesuch.sh")] }] } }).to_string();
    write(&place.path().join("project/c.json"), &hooks);
    let args = ["PreToolUse", "--dialect", "qwen", "--output", "qwen", "--config", "c.json", "--fail-closed"];
    let output = run(place.path(), &args, CALL);
    assert!(output.stdout.contains(r#""permissionDecision":"deny""#), "{output:?}");
    assert!(output.stderr.starts_with("hookshell: the hook `./nonesuch.sh` failed: "), "{output:?}");
}

/// Of a guard that a slip of the pen has lost nobody would know.
#[test]
fn hooks_that_are_lost_by_a_slip_of_the_pen_are_told() {
    let hooks = r#"[{"hooks":[{"type":"command","command":"exit 2"}]}]"#;
    for (config, expected) in [
        (format!(r#"{{"hook":{{"PreToolUse":{hooks}}}}}"#), "unknown key `hook` is ignored: did you mean `hooks`?"),
        (format!(r#"{{"hooks":{{"PreTooluse":{hooks}}}}}"#), "did you mean `PreToolUse`?"),
        (format!(r#"{{"PreToolUse":{hooks}}}"#), "`PreToolUse` stands outside of `hooks`"),
        (
            format!(r#"{{"hooks":{{"BeforeTool":{hooks}}}}}"#),
            "Claude Code has no event `BeforeTool`: did you mean `PreToolUse`?",
        ),
        ("{}".to_owned(), "x.json has no hooks, so nothing is guarded: name the config that has them"),
    ] {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("project/x.json"), &config);
        let named = [&AS_CLAUDE[..], &["--config", "x.json"]].concat();
        let output = run(place.path(), &named, CALL);
        assert!(output.code == Some(0) && message(&output).contains(expected), "{config}: {output:?}");
        assert_eq!(message(&output).lines().count(), 1, "{config}: {output:?}");
        let output = run(place.path(), &[&named[..], &["--fail-closed"]].concat(), CALL);
        assert!(output.stdout.contains(r#""permissionDecision":"deny""#), "{config}: {output:?}");
        // Without --output it is said once.
        let output = run(place.path(), &["PreToolUse", "--dialect", "claude", "--config", "x.json"], CALL);
        assert_eq!(output.stderr.matches(expected).count(), 1, "{config}: {output:?}");
    }
}

/// One that the agent passes over for a slip of the pen, and one under another agent's name of the event, of our own contract.
#[test]
fn a_hook_of_a_misspelled_type_or_event_is_told() {
    let typed = r#"[{"hooks":[{"type":"comand","command":"exit 2"}]}]"#;
    let cases = [
        ("gemini", "BeforeTool", format!(r#"{{"hooks":{{"BeforeTool":{typed}}}}}"#), "did you mean `command`?"),
        ("qwen", "PreToolUse", format!(r#"{{"hooks":{{"PreToolUse":{typed}}}}}"#), "did you mean `command`?"),
        (
            "native",
            "PreToolUse",
            r#"{"hooks":{"BeforeTool":[{"command":"exit 2"}]}}"#.to_owned(),
            "unknown event `BeforeTool`: did you mean `PreToolUse`?",
        ),
    ];
    for (agent, event, config, expected) in cases {
        let place = with(&[]);
        write(&place.path().join("project/x.json"), &config);
        let args = [event, "--dialect", agent, "--output", agent, "--config", "x.json"];
        let output = run(place.path(), &args, CALL);
        assert!(output.stdout.contains(expected), "{agent}: {output:?}");
        let output = run(place.path(), &[&args[..], &["--fail-closed"]].concat(), CALL);
        assert!(output.stdout.contains("deny"), "{agent}: {output:?}");
    }
}

/// Several agents read one file, and each has events that others do not have.
#[test]
fn an_event_of_another_agent_is_no_slip_of_the_pen() {
    let hooks = r#"[{"hooks":[{"type":"command","command":"exit 2"}]}]"#;
    let config = format!(r#"{{"hooks":{{"Setup":{hooks},"TaskCompleted":{hooks},"PostCompaction":{hooks}}}}}"#);
    for agent in ["claude", "codex", "copilot", "gemini", "qwen"] {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("project/.claude/settings.json"), &config);
        let named =
            ["PreToolUse", "--dialect", agent, "--output", agent, "--config", ".claude/settings.json", "--fail-closed"];
        let output = run(place.path(), &named, CALL);
        assert_eq!(output.code, Some(0), "{agent}: {output:?}");
        assert!(!output.stdout.contains("deny"), "{agent}: {output:?}");
        assert!(!output.stdout.contains("did you mean"), "{agent}: {output:?}");
    }
}

/// One that each agent has a hook of its own for is no slip either.
#[test]
fn an_event_that_stands_under_two_agents_names_is_not_lost() {
    let hooks = r#"[{"hooks":[{"type":"command","command":"exit 0"}]}]"#;
    let place = tempfile::tempdir().unwrap();
    write(
        &place.path().join("project/x.json"),
        &format!(r#"{{"hooks":{{"BeforeTool":{hooks},"PreToolUse":{hooks}}}}}"#),
    );
    for agent in ["claude", "gemini"] {
        let named = ["PreToolUse", "--dialect", agent, "--output", agent, "--config", "x.json", "--fail-closed"];
        let output = run(place.path(), &named, CALL);
        assert_eq!((output.code, output.stdout.trim()), (Some(0), "{}"), "{agent}: {output:?}");
    }
}

/// A deny that does not count gives its cause once.
#[test]
fn the_cause_of_an_answer_that_does_not_count_is_told_once() {
    let place = with(&[command(r#"echo '{"decision":"deny"}'; exit 1"#)]);
    let output = run(place.path(), &AS_CLAUDE, CALL);
    let message = message(&output);
    assert_eq!(message.matches("must be \"approve\" or \"block\"").count(), 1, "{message}");
    assert!(message.contains("; Claude Code ignores this answer: `decision` is \"deny\"; "), "{message}");
    let place = with(&[command(r#"echo '{"decision":1}'"#)]);
    let message = self::message(&run(place.path(), &AS_CLAUDE, CALL));
    assert_eq!(message.matches("found a number").count(), 1, "{message}");
}

#[test]
fn a_hook_that_is_hookshell_itself_is_skipped_and_told() {
    for line in [
        "hookshell run PreToolUse --dialect claude --output claude",
        "exec hookshell run pre_tool_use --dialect claude",
        "hookshell run --dialect claude --output claude",
        "cd . && FOO=1 hookshell.exe run PreToolUse",
        "hookshell exec 'hookshell run PreToolUse --dialect claude'",
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" hookshell run PreToolUse --dialect claude",
        "sh -c 'hookshell run PreToolUse --dialect claude'",
    ] {
        // Were it run, it would run what stands beside it as well.
        let place = with(&[command(line), command("echo ran >> ran")]);
        let output = run(place.path(), &AS_CLAUDE, CALL);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(message(&output).contains("is hookshell itself"), "{line}: {output:?}");
        assert_eq!(fs::read_to_string(place.path().join("project/ran")).unwrap(), "ran\n", "{line}");
    }
}

#[test]
fn check_finds_a_hook_that_is_hookshell_itself() {
    let place = with(&[command("hookshell run PreToolUse --dialect claude"), command("hookshell run Stop")]);
    let settings = place.path().join("home/.claude/settings.json");
    let output = hookshell(["check".as_ref(), settings.as_os_str()]).output();
    assert_eq!(output.stdout.matches("[HS207]").count(), 1, "{output:?}");
}

#[test]
fn a_hook_that_hides_hookshell_from_a_look_runs_it_once_more_and_no_further() {
    let place = with(&[command("echo ran >> ran; eval 'hookshell' \"$(echo run)\" PreToolUse --dialect claude")]);
    let output = run(place.path(), &AS_CLAUDE, CALL);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(fs::read_to_string(place.path().join("project/ran")).unwrap(), "ran\n");
}

/// Nothing of the environment is left that would tell the depth, and no look at the config shows what the script starts.
#[test]
#[cfg(target_os = "linux")]
fn a_hook_that_takes_the_environment_away_does_not_start_hookshell_without_end() {
    let place = with(&[command("./again.sh"), command("echo ran >> ran")]);
    let ran = place.path().join("project/ran");
    let again = format!(
        "#!/bin/sh\nexec /usr/bin/env -i PATH=\"$PATH\" HOME=\"$HOME\" '{}' run PreToolUse --dialect claude --output claude\n",
        env!("CARGO_BIN_EXE_hookshell")
    );
    write(&place.path().join("project/again.sh"), &again);
    let began = std::time::Instant::now();
    let output = run(place.path(), &AS_CLAUDE, CALL);
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{output:?}");
    assert_eq!(output.code, Some(0), "{output:?}");
    let runs = fs::read_to_string(&ran).unwrap().lines().count();
    assert!((2..400).contains(&runs), "{runs} runs");
    // None is left.
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(fs::read_to_string(&ran).unwrap().lines().count(), runs);
}

#[test]
fn what_did_not_do_its_work_is_told_in_the_field_that_the_agent_shows() {
    let place = with(&[command("./no-such-guard.sh"), command("exit 1")]);
    let output = run(place.path(), &AS_CLAUDE, CALL);
    assert_eq!(output.code, Some(0), "{output:?}");
    let told = message(&output);
    assert!(told.contains("no-such-guard.sh") && told.contains("exit code 1") && !told.contains('\n'), "{told}");

    let output = run(place.path(), &[&AS_CLAUDE[..], &["--fail-closed"]].concat(), CALL);
    assert!(output.code == Some(2) && output.stderr.contains("--fail-closed"), "{output:?}");
}

#[test]
fn a_config_that_is_missing_or_wrong_is_told_and_closed_by_a_key_too() {
    let place = with(&[]);
    let missing = ["PreToolUse", "--config", "none.json", "--output", "claude"];
    let output = run(place.path(), &missing, CALL);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(message(&output).contains("none.json"), "{output:?}");
    assert_eq!(run(place.path(), &[&missing[..], &["--fail-closed"]].concat(), CALL).code, Some(2));

    write(&place.path().join("project/wrong.json"), "{");
    let output = run(place.path(), &["PreToolUse", "--config", "wrong.json", "--output", "claude"], CALL);
    assert!(message(&output).contains("wrong.json"), "{output:?}");

    let closed = json!({ "hooks": { "fail_closed": true, "PreToolUse": [{ "command": "./missing.sh" }] } }).to_string();
    write(&place.path().join("project/closed.json"), &closed);
    let output = run(place.path(), &["PreToolUse", "--config", "closed.json", "--output", "claude"], CALL);
    assert_eq!(output.code, Some(2), "{output:?}");
}

/// A guard that cannot be read is told in the field that the agent shows, or, where it has none, on standard error.
#[test]
fn a_config_that_cannot_be_read_is_told_to_every_agent_in_one_line() {
    let agents = [
        ("claude", "PreToolUse", Some("systemMessage")),
        ("codex", "PreToolUse", Some("systemMessage")),
        ("gemini", "BeforeTool", Some("systemMessage")),
        ("qwen", "PreToolUse", Some("systemMessage")),
        ("cursor", "preToolUse", Some("user_message")),
        ("copilot", "preToolUse", None),
        ("native", "PreToolUse", Some("system_message")),
    ];
    let place = with(&[]);
    let project = place.path().join("project");
    fs::create_dir(project.join("directory.json")).unwrap();
    fs::write(project.join("bytes.json"), b"{\"hooks\": {\"PreToolUse\": [{\"command\": \"\xff\"}]}}").unwrap();
    write(&project.join("array.json"), "[]");
    write(&project.join("empty.json"), "");
    let configs = [
        ("directory.json", "it is a directory"),
        ("bytes.json", "line 1 is not UTF-8 text"),
        ("array.json", "must be an object"),
        ("empty.json", "nothing is guarded: name the config"),
        ("none.json", "no such file"),
    ];
    for (agent, event, field) in agents {
        for (file, why) in configs {
            let args = [event, "--dialect", agent, "--output", agent, "--config", file];
            let output = run(place.path(), &args, CALL);
            assert_eq!(output.code, Some(0), "{agent}: {output:?}");
            let said: Value = serde_json::from_str(&output.stdout).unwrap();
            let told = field.map_or(&*output.stderr, |field| said[field].as_str().unwrap_or_default()).to_owned();
            assert!(told.contains(file) && told.contains(why), "{agent}: {output:?}");
            assert!(told.contains("correct it") || file == "empty.json", "{agent}: {output:?}");
            assert!(field.is_none() || !told.contains('\n'), "{agent}: {output:?}");
            let output = run(place.path(), &[&args[..], &["--fail-closed"]].concat(), CALL);
            assert!(output.stdout.contains("deny") || output.code == Some(2), "{agent}: {output:?}");
        }
    }
}

/// What stands where a config would be is not passed over: the agent's own hooks are not read either.
#[test]
fn a_directory_in_the_place_of_a_config_is_told() {
    let cases = [
        ("claude", "PreToolUse", ".claude/settings.json", "systemMessage"),
        ("codex", "PreToolUse", ".codex/hooks.json", "systemMessage"),
        ("gemini", "BeforeTool", ".gemini/settings.json", "systemMessage"),
        ("cursor", "preToolUse", ".cursor/hooks.json", "user_message"),
        ("qwen", "PreToolUse", ".qwen/settings.json", "systemMessage"),
    ];
    for (agent, event, file, field) in cases {
        for whose in ["home", "project"] {
            let place = tempfile::tempdir().unwrap();
            fs::create_dir_all(place.path().join("home")).unwrap();
            fs::create_dir_all(place.path().join("project")).unwrap();
            fs::create_dir_all(place.path().join(whose).join(file)).unwrap();
            let args = [event, "--dialect", agent, "--output", agent];
            let output = run(place.path(), &args, CALL);
            let said: Value = serde_json::from_str(&output.stdout).unwrap();
            let told = said[field].as_str().unwrap_or_default();
            assert!(told.contains("it is no regular file") && told.contains("correct "), "{agent} {whose}: {output:?}");
            let output = run(place.path(), &[&args[..], &["--fail-closed"]].concat(), CALL);
            assert!(output.stdout.contains("deny"), "{agent} {whose}: {output:?}");
        }
    }
}

/// Nor a file in the place of the agent's directory, nor a link there that leads nowhere.
#[test]
fn a_file_in_the_place_of_an_agents_directory_is_told() {
    let cases = [
        ("claude", "PreToolUse", ".claude"),
        ("codex", "PreToolUse", ".codex"),
        ("gemini", "BeforeTool", ".gemini"),
        ("cursor", "preToolUse", ".cursor"),
        ("qwen", "PreToolUse", ".qwen"),
        ("copilot", "preToolUse", ".github"),
        ("copilot", "preToolUse", ".github/hooks"),
        ("native", "PreToolUse", ".crush"),
        ("native", "PreToolUse", ".hookshell"),
        ("native", "PreToolUse", ".hookshell/hooks"),
    ];
    let kinds = if cfg!(unix) { &["a file", "a link that leads to no directory"][..] } else { &["a file"] };
    for (agent, event, directory) in cases {
        let is_of_user_too =
            !directory.starts_with(".github") && !directory.starts_with(".hookshell") && directory != ".crush";
        for whose in if is_of_user_too { &["project", "home"][..] } else { &["project"] } {
            for kind in kinds {
                let place = tempfile::tempdir().unwrap();
                fs::create_dir_all(place.path().join("home")).unwrap();
                fs::create_dir_all(place.path().join("project")).unwrap();
                let path = place.path().join(whose).join(directory);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match *kind {
                    "a file" => fs::write(&path, "x").unwrap(),
                    #[cfg(unix)]
                    _ => std::os::unix::fs::symlink("gone", &path).unwrap(),
                    #[cfg(not(unix))]
                    _ => {}
                }
                let args = [event, "--dialect", agent, "--output", agent];
                let output = run(place.path(), &args, CALL);
                let told = format!("{}{}", output.stdout, output.stderr);
                let message = format!("is {kind}, and a directory of this name is looked into: move it away");
                assert_eq!(told.matches(&message).count(), 1, "{agent} {whose}: {path:?}: {output:?}");
                let output = run(place.path(), &[&args[..], &["--fail-closed"]].concat(), CALL);
                assert!(output.stdout.contains("deny"), "{agent} {whose}: {path:?}: {output:?}");
            }
        }
    }
}

/// A line of `hookshell install` whose hooks were taken out of the file that it names guards nothing.
#[test]
fn a_line_without_hooks_for_its_event_is_told() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("project")).unwrap();
    let line = |event: &str| {
        let args = [event, "--dialect", "cursor", "--output", "cursor", "--config", "~/.cursor/hookshell/hooks.json"];
        run(place.path(), &args, r#"{"hook_event_name":"beforeShellExecution","command":"ls"}"#)
    };
    let hook = r#"[{"command":"true"}]"#;
    for (text, is_told) in [
        (format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":{hook}}}}}"#), false),
        (format!(r#"{{"version":1,"hooks":{{"preToolUse":{hook}}}}}"#), true),
        (format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[],"stop":{hook}}}}}"#), true),
        ("{}".to_owned(), true),
    ] {
        write(&place.path().join("home/.cursor/hookshell/hooks.json"), &text);
        let output = line("beforeShellExecution");
        let said: Value = serde_json::from_str(&output.stdout).unwrap();
        let told = said["user_message"].as_str().unwrap_or_default();
        let message = "although hookshell's line in the agent's config runs them from there, so nothing is guarded: `hookshell install` brings them back";
        assert_eq!(told.contains(message), is_told, "{text}: {output:?}");
    }
}

/// Gemini CLI takes every exit code from 2 on for a block, if there is a reason.
#[test]
fn what_an_exit_code_means_is_told_by_the_agents_own_rules() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("home")).unwrap();
    let ignored = "Gemini CLI ignores this answer: an exit code blocks only from 2 on and with a reason, as plain text on standard error";
    for (command, told) in [
        ("exit 2", ignored),
        ("exit 7", ignored),
        ("echo {}; exit 2", ignored),
        ("echo no >&2; exit 1", "exit code 1: no (an exit code denies only from 2 on)"),
        ("exit 1", "exit code 1 (an exit code denies only from 2 on, and 0 lets the call run)"),
    ] {
        let config = json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": command }] }] } });
        write(&place.path().join("project/g.json"), &config.to_string());
        let args = ["BeforeTool", "--dialect", "gemini", "--output", "gemini", "--config", "g.json"];
        let output = run(place.path(), &args, CALL);
        assert!(message(&output).contains(told), "{command}: {output:?}");
        assert!(!output.stdout.contains("deny\""), "{command}: {output:?}");
    }
}

/// Nor a directory of hooks that cannot be listed.
#[cfg(unix)]
#[test]
fn a_directory_of_hooks_that_cannot_be_listed_is_told() {
    let cases = [
        ("copilot", "preToolUse", "home/.copilot/hooks"),
        ("copilot", "preToolUse", "project/.github/hooks"),
        ("native", "PreToolUse", "home/.config/hookshell/hooks"),
        ("native", "PreToolUse", "project/.hookshell/hooks"),
    ];
    for (agent, event, directory) in cases {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("project")).unwrap();
        let directory = place.path().join(directory);
        fs::create_dir_all(directory.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&directory, &directory).unwrap();
        let args = [event, "--dialect", agent, "--output", agent];
        let output = run(place.path(), &args, CALL);
        let told = format!("{}{}", output.stdout, output.stderr);
        assert!(told.contains("hooks: Too many levels of symbolic links"), "{agent}: {directory:?}: {output:?}");
        let output = run(place.path(), &[&args[..], &["--fail-closed"]].concat(), CALL);
        assert!(output.stdout.contains("deny"), "{agent}: {directory:?}: {output:?}");
    }
}

/// So is the input, and a FIFO to which nobody writes is not waited for without an end.
#[cfg(unix)]
#[test]
fn an_input_that_is_a_pipe_is_waited_for_and_not_for_ever() {
    let place = with(&[]);
    let fifo = place.path().join("project/fifo");
    hookshell_process::make_fifo(&fifo, 0o600).unwrap();
    let args = ["PreToolUse", "--no-hooks", "--tool", "bash", "--input", "@fifo"];
    let output = run(place.path(), &args, "");
    assert_eq!(output.code, Some(66), "{output:?}");
    assert!(
        output.stderr.starts_with("hookshell: --input: fifo: it is a pipe, and nothing was written to it for 10 s")
    );
    let writer = std::thread::spawn(move || fs::write(fifo, "{\"command\":\"ls\"}").unwrap());
    assert_eq!(run(place.path(), &args, "").code, Some(0));
    writer.join().unwrap();
}

/// `--config <(program)` may be late.
#[cfg(unix)]
#[test]
fn a_config_that_is_a_pipe_is_waited_for() {
    let place = with(&[]);
    let fifo = place.path().join("project/fifo");
    hookshell_process::make_fifo(&fifo, 0o600).unwrap();
    let writer = std::thread::spawn(move || {
        let text = json!({ "hooks": { "PreToolUse": [{ "hooks": [command("echo no >&2; exit 2")] }] } }).to_string();
        let mut file = fs::OpenOptions::new().write(true).open(fifo).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    });
    let output = run(place.path(), &[&AS_CLAUDE[..], &["--config", "fifo"]].concat(), CALL);
    assert_eq!((output.code, output.stderr.trim()), (Some(2), "no"), "{output:?}");
    writer.join().unwrap();
}

#[test]
fn a_wrong_command_line_blocks_where_it_is_to_fail_closed() {
    let place = with(&[]);
    for args in [&["PreToolUse", "--no-such-option"][..], &["NoSuchEvent"], &["PreToolUse", "--cwd", "nowhere"]] {
        let args = [args, &["--output", "claude"]].concat();
        assert_ne!(run(place.path(), &args, CALL).code, Some(2), "{args:?}");
        let output = run(place.path(), &[&args[..], &["--fail-closed"]].concat(), CALL);
        assert!(output.code == Some(2) && !output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn the_event_is_the_payloads_where_none_is_named() {
    let place = with(&[command("echo no >&2; exit 2")]);
    let output = run(place.path(), &["--dialect", "claude", "--output", "claude"], CALL);
    assert_eq!((output.code, output.stderr.trim()), (Some(2), "no"), "{output:?}");
    for (payload, why) in [
        ("", "standard input is empty"),
        ("{", "standard input is no JSON: EOF while parsing an object at line 1 column 1"),
        ("hook_event_name: x", "standard input is no JSON: expected value at line 1 column 1"),
        ("\u{feff}{}", "standard input has neither `event` nor `hook_event_name`"),
        ("[]", "standard input has neither `event` nor `hook_event_name`"),
    ] {
        let output = run(place.path(), &["--dialect", "claude", "--output", "claude"], payload);
        let told = output.stderr.contains(&format!("no event is named, and {why}\n"));
        assert!(output.code == Some(64) && told, "{payload}: {output:?}");
    }
}

#[test]
fn the_project_is_searched_upwards() {
    let place = with(&[]);
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [command("echo no >&2; exit 2")] }] } }).to_string();
    write(&place.path().join("project/.claude/settings.json"), &hooks);
    let output = run_in(place.path(), "project/sub", &[&AS_CLAUDE[..], &["--trust-project"]].concat(), CALL);
    assert_eq!(output.code, Some(2), "{output:?}");
    let output = run_in(place.path(), "project/sub", &AS_CLAUDE, CALL);
    assert!(message(&output).contains("hookshell trust --dialect claude"), "{output:?}");
}

/// Of a project's config such a matcher is what the agent makes of it: it matches nothing.
#[test]
fn a_matcher_that_is_a_rule_is_told_at_a_call_of_its_tool() {
    let place = with(&[]);
    let group = |matcher: &str| json!({ "matcher": matcher, "hooks": [command("exit 2")] });
    let hooks = json!({ "hooks": { "PreToolUse": [group("Bash(git *)"), group("Read(*.env)")] } }).to_string();
    write(&place.path().join("project/.claude/settings.json"), &hooks);
    let told = message(&run(place.path(), &[&AS_CLAUDE[..], &["--trust-project"]].concat(), CALL));
    assert!(told.contains("matches no tool that is known: name the tool alone, `Bash`"), "{told}");
    assert!(!told.contains("Read("), "{told}");
}

#[test]
fn a_config_that_is_wrong_costs_only_itself() {
    let place = with(&[]);
    let guard = json!({ "hooks": { "PreToolUse": [{ "command": "echo no >&2; exit 2" }] } }).to_string();
    write(&place.path().join("project/crush.json"), &guard);
    write(&place.path().join("project/wrong.json"), "{");
    for wrong in ["wrong.json", "none.json"] {
        let args = ["PreToolUse", "--config", wrong, "--config", "crush.json"];
        let output = run(place.path(), &args, CALL);
        assert!(output.code == Some(2) && output.stderr.contains(wrong), "{output:?}");
        let output = run(place.path(), &[&args[..], &["--output", "claude"]].concat(), CALL);
        assert!(output.code == Some(2) && message(&output).contains(wrong), "{output:?}");
    }
}

/// Exit code 2 is also what shells end with where they cannot read a script.
#[test]
#[cfg(unix)]
fn a_script_that_its_shell_cannot_read_is_told() {
    let place = with(&[command("/bin/sh ./broken.sh")]);
    write(&place.path().join("project/broken.sh"), "if true; then\n  exit 0\n");
    let output = run(place.path(), &AS_CLAUDE, CALL);
    assert_eq!(output.code, Some(2), "{output:?}");
    let told = message(&output);
    assert!(told.contains("`/bin/sh ./broken.sh` has a syntax error and denies every call"), "{told}");
}

/// Also from the directory that the payload names, where hooks are started in another one.
#[test]
fn the_project_is_that_of_the_payloads_directory() {
    let elsewhere = tempfile::tempdir().unwrap();
    for (dialect, event, file) in [
        ("claude", "PreToolUse", ".claude/settings.json"),
        ("codex", "PreToolUse", ".codex/hooks.json"),
        ("gemini", "BeforeTool", ".gemini/settings.json"),
        ("native", "PreToolUse", "crush.json"),
    ] {
        let place = with(&[]);
        let says = "printf '%s %s' \"$PWD\" \"${CLAUDE_PROJECT_DIR:-${GEMINI_PROJECT_DIR:-}}\" >&2; exit 2";
        let hooks = match dialect {
            "native" => json!([{ "command": says }]),
            _ => json!([{ "hooks": [command(says)] }]),
        };
        let project = place.path().join("project");
        write(&project.join(file), &json!({ "hooks": { event: hooks } }).to_string());
        let call = json!({
            "hook_event_name": event, "tool_name": "Bash", "tool_input": { "command": "ls" }, "cwd": project.join("sub")
        });
        let home = place.path().join("home");
        let args = ["run", event, "--dialect", dialect, "--trust-project"];
        for more in [&["--output", dialect][..], &[]] {
            let run = hookshell(args.iter().chain(more)).cwd(elsewhere.path()).stdin(call.to_string());
            let output = run.env("HOME", &home).env("USERPROFILE", &home).output();
            assert!(output.stdout.contains("deny"), "{dialect} {more:?}: {output:?}");
            if matches!(dialect, "claude" | "gemini") {
                let project = project.file_name().unwrap().to_str().unwrap();
                let said = output.stdout.matches(project).count();
                assert!(said >= 2, "{dialect}: {output:?}");
            }
        }
    }
}

#[test]
fn a_reason_is_cut_and_says_where_the_rest_is() {
    let place =
        with(&[command("i=0; while [ $i -lt 4000 ]; do echo 'a line of the reason' >&2; i=$((i+1)); done; exit 2")]);
    let output = run(place.path(), &AS_CLAUDE, CALL);
    assert_eq!(output.code, Some(2), "{}", output.stderr.len());
    assert!(output.stdout.len() < 20_000 && output.stderr.len() < 10_000, "{}", output.stdout.len());
    let note = output.stderr.rsplit_once("all of it is in ").unwrap_or_else(|| panic!("{output:?}")).1;
    let kept = fs::read_to_string(note.trim_end().trim_end_matches(']')).unwrap();
    assert!(kept.matches("a line of the reason").count() >= 3000, "{}", kept.len());
}
