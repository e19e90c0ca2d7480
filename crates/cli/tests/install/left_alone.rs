//! Configs that `install` does not change, and what it says of them.

use std::fs;

use crate::place::{CLAUDE, GEMINI, Place};
use crate::support::hookshell;

#[test]
fn a_config_that_does_not_parse_is_left_alone_and_the_others_are_wired() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    place.write("home/.claude/settings.json", "{\n  \"hooks\": {,}\n}");
    let output = place.install(&[]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert!(output.stderr.contains("settings.json: line 2, column 13"), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), "{\n  \"hooks\": {,}\n}");
    assert_ne!(place.read("home/.gemini/settings.json"), GEMINI);
}

/// What stands where a config would be is not passed over.
#[test]
fn what_keeps_a_config_from_being_there_is_told() {
    let cases = [
        ("a directory", "it is not a regular file; it was left as it is"),
        ("a file", ".claude is a file, and the directory must be there: move it away first"),
        ("a link", ".claude is a link that leads to no directory, and the directory must be there: move it away first"),
    ];
    // On Windows links are not everybody's.
    for (what, message) in cases.into_iter().take(if cfg!(unix) { 3 } else { 2 }) {
        let place = Place::new();
        match what {
            "a directory" => fs::create_dir_all(place.path("home/.claude/settings.json")).unwrap(),
            #[cfg(unix)]
            "a link" => {
                fs::create_dir_all(place.path("home")).unwrap();
                std::os::unix::fs::symlink("gone", place.path("home/.claude")).unwrap();
            }
            _ => place.write("home/.claude", "x"),
        }
        for command in [&["install", "--dry-run"][..], &["install"], &["uninstall"]] {
            let output = place.run("project", command, "");
            assert_eq!((output.code, &*output.stdout), (Some(65), ""), "{what}: {output:?}");
            assert!(output.stderr.contains(message), "{what}: {output:?}");
            let heading = if command.len() == 2 { "dry run" } else { command[0] };
            assert!(output.stderr.starts_with(&format!("hookshell: {heading}: ")), "{what}: {output:?}");
        }
        let status = place.run("project", &["status"], "");
        assert_eq!(status.code, Some(1), "{what}: {status:?}");
        assert!(status.stdout.contains("correct what is an error"), "{status:?}");
        let told = message.replace(".claude is", &format!("{} is", place.shown("home/.claude")));
        assert_eq!(status.stdout.matches(&format!("    error: {told}")).count(), 1, "{status:?}");
    }
    // The directory in which hookshell keeps what was there.
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    place.write(if cfg!(windows) { "home/local" } else { "home/.local" }, "x");
    let output = place.install(&[]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert!(output.stderr.contains("local is a file, and the directory must be there"), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
}

/// What is written beside a config is not what the user knows: the config is named, and that nothing has happened to it.
#[test]
fn what_cannot_be_written_beside_a_config_leaves_it_as_it_is() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    let backup = "home/.claude/settings.json.hookshell-backup";
    fs::create_dir(place.path(backup)).unwrap();
    let output = place.install(&[]);
    assert_eq!((output.code, &*output.stdout), (Some(65), ""), "{output:?}");
    // Beside what Claude Code makes of the comment.
    assert_eq!(output.stderr.lines().filter(|line| !line.ends_with("[HS107]")).count(), 1, "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
    fs::remove_dir(place.path(backup)).unwrap();
    assert_eq!(place.install(&[]).code, Some(0));
}

/// A command that finds nothing to do says why where somebody asked for it by name.
#[test]
fn an_agent_without_a_config_is_named() {
    let place = Place::new();
    let output = place.install(&["claude", "--project"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(
        output.stderr.contains("Claude Code: the project has no config of it, so there is no hook to wire"),
        "{output:?}"
    );
    assert_eq!(place.install(&[]).stderr, "");
    for command in ["install", "uninstall"] {
        let run = hookshell([command]).cwd(&place.path("project")).env("HOME", "").env("USERPROFILE", "");
        let output = run.env("PATH", place.path("bin")).output();
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stderr.contains("set HOME"), "{command}: {output:?}");
    }
}

/// Who wires a guard believes that it is on.
#[test]
fn a_config_of_which_the_agent_runs_no_hook_is_told() {
    let codex = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"echo x\"\n";
    let gemini = GEMINI.replacen('{', "{ \"hooksConfig\": { \"enabled\": false },", 1);
    let claude = r#"{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo x"}]}]}}"#;
    let cases = [
        ("claude", ".claude/settings.json", CLAUDE.to_owned(), "it must be JSON without comments"),
        ("claude", ".claude/settings.json", claude.to_owned(), "`disableAllHooks` switches them off"),
        (
            "codex",
            ".codex/config.toml",
            format!("[features]\nhooks = false\n{codex}"),
            "`features.hooks` switches them off",
        ),
        ("gemini", ".gemini/settings.json", gemini, "`hooksConfig.enabled` switches them off"),
    ];
    for (agent, file, text, why) in cases {
        for whose in ["home", "project"] {
            let place = Place::new();
            let name = format!("{whose}/{file}");
            place.write(&name, &text);
            for arguments in [&["install", "--dry-run"][..], &["install"], &["install"]] {
                let said = place.run("project", arguments, "");
                assert_eq!(
                    (said.code, said.stderr.matches(why).count()),
                    (Some(0), 1),
                    "{agent} {arguments:?}: {said:?}"
                );
                assert!(said.stderr.contains(&place.shown(&name)), "{said:?}");
            }
            let status = place.run("project", &["status"], "");
            assert_eq!(status.stdout.matches(why).count(), 1, "{agent}: {status:?}");
            // The other configs are not meant.
            let other = if whose == "home" { "--project" } else { "--user" };
            assert!(!place.install(&[other]).stderr.contains(why), "{agent}");
        }
    }
}

#[test]
fn a_file_without_hooks_that_switches_others_off_is_told() {
    let place = Place::new();
    place.write("home/.claude/settings.json", r#"{"disableAllHooks":true}"#);
    let why = "`disableAllHooks` switches them off";
    // There is nothing to switch off.
    assert!(!place.install(&[]).stderr.contains(why));
    let hooks = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo x"}]}]}}"#;
    place.write("project/.claude/settings.json", hooks);
    let said = place.install(&[]);
    assert_eq!((said.code, said.stderr.matches(why).count()), (Some(0), 1), "{said:?}");
    assert_eq!(place.run("project", &["status"], "").stdout.matches(why).count(), 1);
}

/// Of an event that stands twice agents take one, without a word.
#[test]
fn an_event_that_stands_twice_is_told_and_left_as_it_is() {
    let twice = r#"{"hooks":{
 "E":[{"hooks":[{"type":"command","command":"a"}]}],
 "E":[{"hooks":[{"type":"command","command":"b"}]}]}}"#;
    for (config, event) in [
        ("home/.gemini/settings.json", "BeforeTool"),
        ("home/.codex/hooks.json", "PreToolUse"),
        ("home/.qwen/settings.json", "Stop"),
    ] {
        let place = Place::new();
        let text = twice.replace('E', event);
        place.write(config, &text);
        let message = format!("line 3, column 2: `hooks.{event}` stands here a second time, first on line 2");
        let output = place.install(&[]);
        assert!(output.code == Some(65) && output.stderr.contains(&message), "{output:?}");
        assert_eq!(place.read(config), text);
        let status = place.run("project", &["status"], "");
        assert!(status.code == Some(1) && status.stdout.contains(&message), "{status:?}");
    }
}
