//! What `install` writes and what `uninstall` gives back.

use std::fs;

use serde_json::Value;

use crate::place::{CLAUDE, GEMINI, Place, RM, line};
use crate::support::{Output, hookshell};

#[test]
fn each_hook_of_claude_code_is_started_without_a_shell() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    let output = place.install(&["claude"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    // In this test it is found nowhere.
    assert!(output.stderr.contains("hookshell is not on PATH"), "{output:?}");
    let wired = CLAUDE
        .replace("\"shell\": \"bash\"", "\"args\": [\"exec\", \"${CLAUDE_PROJECT_DIR-}/x.sh\"]")
        .replace("\"command\": \"${CLAUDE_PROJECT_DIR}/x.sh\"", "\"command\": \"hookshell\"");
    assert_eq!(place.read("home/.claude/settings.json"), wired);

    // Another part is edited meanwhile: it stays.
    place.write("home/.claude/settings.json", &wired.replace("// mine", "// mine, edited"));
    let output = place.run("project", &["uninstall"], "");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE.replace("// mine", "// mine, edited"));
}

#[test]
fn the_line_of_an_event_runs_the_hooks_that_were_moved() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    assert_eq!(place.install(&["gemini"]).code, Some(0));
    let line = line(&place.read("home/.gemini/settings.json"), "BeforeTool");
    let args: Vec<&str> = line.iter().skip(1).map(String::as_str).collect();
    let output = place.run("project", &args, RM);
    assert!(output.stdout.contains("\"decision\":\"deny\"") && output.stdout.contains("no"), "{output:?}");
    assert_eq!(place.run("project", &["uninstall", "gemini"], "").code, Some(0));
    assert_eq!(place.read("home/.gemini/settings.json"), GEMINI);
    assert!(!place.path("home/.gemini/hookshell").exists());
}

#[test]
fn the_moved_hooks_of_a_project_need_the_users_trust_and_are_found_from_below() {
    let place = Place::new();
    place.write("project/.gemini/settings.json", GEMINI);
    place.write("project/sub/x", "");
    let output = place.install(&["gemini", "--project"]);
    assert!(output.stderr.contains("hookshell trust --dialect gemini"), "{output:?}");
    let line = line(&place.read("project/.gemini/settings.json"), "BeforeTool");
    let args: Vec<&str> = line.iter().skip(1).map(String::as_str).collect();
    let output = place.run("project/sub", &args, RM);
    assert!(!output.stdout.contains("deny"), "{output:?}");
    let output = place.run("project", &["trust", "--dialect", "gemini", "--yes"], "");
    assert_eq!(output.code, Some(0), "{output:?}");
    let output = place.run("project/sub", &args, RM);
    assert!(output.stdout.contains("\"decision\":\"deny\""), "{output:?}");
}

#[test]
fn moved_hooks_run_where_they_ran_before() {
    let place = Place::new();
    let hooks = r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"./guard.sh"}]}}"#;
    place.write("home/.cursor/hooks.json", hooks);
    place.write("home/.cursor/guard.sh", "echo '{\"permission\":\"deny\",\"agent_message\":\"no\"}'\n");
    place.install(&["cursor"]);
    let wired: Value = serde_json::from_str(&place.read("home/.cursor/hooks.json")).unwrap();
    let line = wired["hooks"]["beforeShellExecution"][0]["command"].as_str().unwrap();
    let args: Vec<&str> = line.split(' ').skip(1).collect();
    let call = r#"{"conversation_id":"c","hook_event_name":"beforeShellExecution","command":"ls","cwd":""}"#;
    let output = place.run("project", &args, call);
    assert!(output.stdout.contains("\"permission\":\"deny\""), "{output:?}");
}

#[test]
fn a_dry_run_changes_nothing_and_shows_a_diff() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    let output = place.install(&["--dry-run"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    for part in ["--- a/", "+++ b/", "@@ -", "-      { \"matcher\"", "--- /dev/null"] {
        assert!(output.stdout.contains(part), "{part}: {output:?}");
    }
    assert_eq!(place.read("home/.gemini/settings.json"), GEMINI);
    assert_eq!(fs::read_dir(place.path("home/.gemini")).unwrap().count(), 1);
}

/// Also where it would have nothing to show.
/// So that a tool can apply it.
#[test]
fn a_dry_run_shows_line_ends_as_they_are() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    let output = place.install(&["--dry-run"]);
    assert!(output.stdout.contains("\n \t// mine\r\n") && !output.stdout.contains("\\u{d}"), "{output:?}");
}

#[test]
fn a_dry_run_says_that_there_is_nothing_to_do() {
    let place = Place::new();
    for args in [&[][..], &["--dry-run"]] {
        let output = place.install(args);
        let found = (output.code, &*output.stdout);
        assert_eq!(found, (Some(0), "no agent with a config was found, so there is no hook to wire\n"), "{output:?}");
        let output = place.run("project", &[&["uninstall"], args].concat(), "");
        assert_eq!((output.code, &*output.stdout), (Some(0), "nothing is wired\n"), "{output:?}");
    }
    place.write("home/.claude/settings.json", CLAUDE);
    assert!(place.install(&["--dry-run"]).stdout.contains("@@ -"));
    let home = place.path("home");
    let coloured = hookshell(["install", "--dry-run"]).cwd(&place.path("project")).env("CLICOLOR_FORCE", "1");
    let coloured = coloured.env("HOME", &home).env("USERPROFILE", &home).output();
    for painted in ["\u{1b}[33m@@ -", "\u{1b}[31m-", "\u{1b}[32m+"] {
        assert!(coloured.stdout.contains(painted), "{coloured:?}");
    }
    assert_eq!(place.install(&[]).code, Some(0));
    let output = place.install(&["--dry-run"]);
    assert_eq!((output.code, &*output.stdout), (Some(0), "every hook that can be wired is\n"), "{output:?}");
}

/// An editor, or git, changes the line ends of the whole file, or lays it out anew.
#[test]
fn what_was_there_comes_back_in_the_layout_that_the_file_has_now() {
    let config = "home/.cursor/hooks.json";
    let text = "{\r\n  \"version\": 1,\r\n  \"hooks\": {\r\n    \"stop\": [\r\n      // mine\r\n      {\"command\":\"true\"}, \r\n    ]\r\n  }\r\n}\r\n";
    let to_unix = |text: &str| text.replace("\r\n", "\n");
    for (text, edit) in
        [(text.to_owned(), to_unix as fn(&str) -> String), (to_unix(text), |text| text.replace('\n', "\r\n"))]
    {
        let place = Place::new();
        place.write(config, &text);
        assert_eq!(place.install(&[]).code, Some(0));
        place.write(config, &edit(&place.read(config)));
        let output = place.run("project", &["uninstall"], "");
        assert_eq!(output.code, Some(0), "{output:?}");
        assert_eq!(place.read(config), edit(&text));
    }
    let place = Place::new();
    place.write(config, text);
    assert_eq!(place.install(&[]).code, Some(0));
    let laid_out = place.read(config).replace("\r\n      ", "\r\n\t").replace("\"timeout\": ", "\"timeout\":");
    assert_ne!(laid_out, place.read(config));
    place.write(config, &laid_out);
    assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    assert_eq!(place.read(config), text);
}

#[test]
fn explain_says_what_the_line_of_an_event_is() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    assert_eq!(place.install(&[]).code, Some(0));
    let args = ["explain", "--event", "PreToolUse", "--tool", "bash", "--dialect", "gemini"];
    let output = place.run("project", &args, "");
    let line =
        "hook 1 does not run: `hookshell install` has written it: the hooks that it runs are listed by themselves\n";
    assert!(output.stdout.contains(line) && output.stdout.contains("hook 2 runs\n"), "{output:?}");
}

/// The advice that an agent shows below its project's directory is one that works there.
#[test]
fn a_project_is_trusted_from_below() {
    let place = Place::new();
    place.write("project/.gemini/settings.json", GEMINI);
    fs::create_dir_all(place.path("project/sub/deep")).unwrap();
    let trust = place.run("project/sub/deep", &["trust", "--dialect", "gemini", "--yes"], "");
    assert!(trust.code == Some(0) && trust.stdout.contains("You trust this hook."), "{trust:?}");
    let revoked = place.run("project/sub", &["trust", "--dialect", "gemini", "--revoke"], "");
    assert!(revoked.stdout.contains("is no longer trusted"), "{revoked:?}");
}

/// Each either does it or finds it done, and what was there comes back.
#[test]
fn several_at_once_do_not_disturb_each_other() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    place.write("home/.claude/settings.json", CLAUDE);
    for command in ["install", "uninstall"] {
        let run = || place.run("project", &[command], "");
        let outputs: Vec<Output> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..6).map(|_| scope.spawn(run)).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
        let is_wired = place.path("home/.gemini/hookshell/settings.json").exists();
        assert_eq!(is_wired, command == "install", "{outputs:?}");
    }
    assert_eq!(place.read("home/.gemini/settings.json"), GEMINI);
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
}
