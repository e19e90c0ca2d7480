//! hookshell as the shell of an agent.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::{CLAUDE, Place};
use crate::support::program;

#[test]
fn hookshell_becomes_the_shell_of_an_agent_and_its_own_comes_back() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    let install = || place.run("project", &["install", "--shell", "claude", "pi"], "");
    let output = install();
    assert_eq!(output.code, Some(0), "{output:?}");
    let text = place.read("home/.claude/settings.json");
    let key = if cfg!(windows) { "CLAUDE_CODE_GIT_BASH_PATH" } else { "CLAUDE_CODE_SHELL" };
    assert!(text.contains(key), "{text}");
    let pi: Value = serde_json::from_str(&place.read("home/.pi/agent/settings.json")).unwrap();
    let bash = PathBuf::from(pi["shellPath"].as_str().unwrap());
    let output = program(&bash, ["--version"]).output();
    assert!(output.stdout.starts_with("GNU bash, version 5.2") && output.stdout.contains("hookshell"), "{output:?}");
    let output = program(&bash, ["-c", "printf %s \"$BASH\""]).output();
    assert_eq!(Path::new(&output.stdout), bash, "{output:?}");
    assert_eq!(install().stdout, "every shell that can be hookshell is\n");
    let output = place.run("project", &["uninstall", "--shell"], "");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
    assert!(!bash.exists() && !place.path("home/.pi/agent/settings.json").exists());
}

/// `install` brings an agent's shell up to date: a copy stays as it was, and hookshell may have moved.
#[test]
fn an_older_shell_is_brought_up_to_date() {
    let place = Place::new();
    assert_eq!(place.run("project", &["install", "--shell", "pi"], "").code, Some(0));
    let pi: Value = serde_json::from_str(&place.read("home/.pi/agent/settings.json")).unwrap();
    let bash = PathBuf::from(pi["shellPath"].as_str().unwrap());
    fs::remove_file(&bash).unwrap();
    fs::write(&bash, "an old one").unwrap();
    let dry = place.install(&["claude", "--dry-run"]);
    assert!(dry.stdout.contains(": it would be hookshell, ") && !bash.is_symlink(), "{dry:?}");
    let output = place.install(&["claude"]);
    assert!(output.stdout.contains(": it is hookshell now\n"), "{output:?}");
    assert_eq!(program(&bash, ["-c", "echo new"]).output().stdout, "new\n");
    assert!(!place.install(&["claude"]).stdout.contains("hookshell now"));
}

/// Directories too that were made for it; one in which something else is stays.
#[test]
fn nothing_is_left_of_what_was_made_for_a_shell() {
    for has_more in [false, true] {
        let place = Place::new();
        if has_more {
            place.write("home/.pi/agent/mine", "");
        }
        assert_eq!(place.run("project", &["install", "--shell", "claude", "opencode", "pi"], "").code, Some(0));
        assert_eq!(place.run("project", &["install", "opencode", "pi", "--user"], "").code, Some(0));
        let config = if cfg!(windows) { "home/.config/opencode" } else { "home/.config" };
        assert!(place.path("home/.pi/agent/extensions").is_dir() && place.path(config).is_dir());
        for arguments in [&["uninstall"][..], &["uninstall", "--shell"]] {
            assert_eq!(place.run("project", arguments, "").code, Some(0));
        }
        assert!(!place.path(config).exists() && !place.path("home/.claude").exists());
        assert_eq!(place.path("home/.pi").exists(), has_more);
        assert!(!place.path("home/.pi/agent/extensions").exists());
    }
}
