//! The last outcome of each hook that `hookshell status` lists: whose line of the log it is.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use support::{Output, Run, hookshell};
use tempfile::TempDir;

/// A home directory, and a project beside it.
struct Place(TempDir);

/// What all the hooks of these tests are.
const COMMAND: &str = "cat >&2; exit 3";

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for directory in ["home", "project/.git", "other/.git"] {
            fs::create_dir_all(place.path(directory)).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, config: &Value) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, config.to_string()).unwrap();
    }

    fn hookshell(&self, cwd: &str, args: &[&str]) -> Run {
        let home = self.path("home");
        let run = hookshell(args).cwd(&self.path(cwd)).env("HOME", &home).env("USERPROFILE", &home);
        run.env("PATH", self.path("bin")).env("LOCALAPPDATA", home.join("local")).env("HOOKSHELL_LOG", "on").stdin("{}")
    }

    fn run(&self, cwd: &str, args: &[&str]) -> Output {
        self.hookshell(cwd, args).output()
    }

    /// Which hooks have a last outcome, as `FILE EVENT MATCHER`, and whether it may be another's.
    fn last(&self, cwd: &str) -> BTreeMap<String, bool> {
        let report: Value = serde_json::from_str(&self.run(cwd, &["status", "--json"]).stdout).unwrap();
        let mut last = BTreeMap::new();
        for config in report["agents"].as_array().unwrap().iter().flat_map(|agent| agent["configs"].as_array().unwrap())
        {
            let file = PathBuf::from(config["path"].as_str().unwrap());
            let file = file.strip_prefix(self.0.path()).unwrap_or(&file).display().to_string().replace('\\', "/");
            for hook in config["hooks"].as_array().unwrap().iter().filter(|hook| hook["last_outcome"].is_string()) {
                let matcher = hook["matcher"].as_str().unwrap_or("-");
                let name = format!("{file} {} {matcher}", hook["event"].as_str().unwrap());
                last.insert(name, hook["last_is_shared"].as_bool().unwrap_or(false));
            }
        }
        last
    }
}

fn group(matcher: &str) -> Value {
    json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": COMMAND }] })
}

fn only(name: &str, is_shared: bool) -> BTreeMap<String, bool> {
    BTreeMap::from([(name.to_owned(), is_shared)])
}

#[test]
fn one_command_is_told_apart_by_config_event_and_matcher() {
    let place = Place::new();
    let gemini = json!({ "hooks": {
        "BeforeTool": [group("run_shell_command"), group("write_file")], "AfterTool": [group("run_shell_command")]
    } });
    for whose in ["home", "project", "other"] {
        place.write(&format!("{whose}/.gemini/settings.json"), &gemini);
    }
    place.write("home/.qwen/settings.json", &json!({ "hooks": { "PreToolUse": [group("run_shell_command")] } }));
    assert_eq!(place.last("project"), BTreeMap::new());
    for is_wired in [false, true] {
        if is_wired {
            assert_eq!(place.run("project", &["install"]).code, Some(0));
            assert_eq!(place.run("project", &["trust", "--dialect", "gemini", "--yes"]).code, Some(0));
        }
        let config = |whose: &str| match is_wired {
            true => place.path(whose).join(".gemini/hookshell/settings.json").display().to_string(),
            false => place.path(whose).join(".gemini/settings.json").display().to_string(),
        };
        fs::remove_dir_all(place.path("home/.local/state")).ok();
        fs::remove_file(place.path("home/local/hookshell/hooks.jsonl")).ok();
        let run = |event: &str, whose: &str, tool: &str| {
            let output = place
                .run("project", &["run", event, "--dialect", "gemini", "--config", &config(whose), "--tool", tool]);
            assert!(output.stderr.contains("exit code 3") || output.stdout.contains("exit_code\":3"), "{output:?}");
        };
        run("AfterTool", "home", "run_shell_command");
        assert_eq!(place.last("project"), only("home/.gemini/settings.json AfterTool run_shell_command", false));
        run("BeforeTool", "project", "write_file");
        let mut both = only("home/.gemini/settings.json AfterTool run_shell_command", false);
        both.extend(only("project/.gemini/settings.json BeforeTool write_file", false));
        assert_eq!(place.last("project"), both, "wired: {is_wired}");
        // The other project has not run anything.
        assert_eq!(place.last("other"), only("home/.gemini/settings.json AfterTool run_shell_command", false));
    }
}

/// What an agent starts by itself it does not say everything of: what may be another's is marked.
#[test]
fn what_the_log_does_not_tell_apart_is_marked() {
    let place = Place::new();
    let claude = json!({ "hooks": { "PreToolUse": [group("Bash")], "Stop": [group("")] } });
    place.write("home/.claude/settings.json", &claude);
    let of_crush = json!({ "hooks": { "PreToolUse": [{ "command": COMMAND }] } });
    place.write("project/crush.json", &of_crush);
    assert_eq!(place.run("project", &["install"]).code, Some(0));
    let run = place.hookshell("project", &["exec", COMMAND]);
    assert_eq!(run.env("CRUSH_EVENT", "PreToolUse").env("CRUSH_CWD", place.path("project")).output().code, Some(3));
    assert_eq!(place.last("project"), only("project/crush.json PreToolUse -", false));
    let run = place.hookshell("project", &["exec", COMMAND]);
    assert_eq!(run.env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", place.path("other")).output().code, Some(3));
    let mut all = only("project/crush.json PreToolUse -", false);
    all.extend(only("home/.claude/settings.json PreToolUse Bash", true));
    all.extend(only("home/.claude/settings.json Stop ", true));
    assert_eq!(place.last("project"), all);
    let text = place.run("project", &["status"]).stdout;
    assert_eq!(text.matches("(this hook, or another with its command)").count(), 2, "{text}");

    // The project's are not meant by what happened in another one.
    fs::rename(place.path("home/.claude"), place.path("project/.claude")).unwrap();
    assert_eq!(place.last("project"), only("project/crush.json PreToolUse -", false));
}

#[test]
fn hooks_in_a_file_that_the_agent_never_reads_are_listed() {
    let place = Place::new();
    place.write("project/.claude/settings.json", &json!({}));
    place.write("project/.claude/hooks.json", &json!({ "hooks": { "PreToolUse": [group("Bash")] } }));
    let shown = place.run("project", &["status"]).stdout;
    assert!(
        shown.contains("  NOT RUN: ") && shown.contains("hooks.json: Claude Code never reads this file, "),
        "{shown}"
    );
    let report: Value = serde_json::from_str(&place.run("project", &["status", "--json"]).stdout).unwrap();
    assert_eq!(report["agents"][0]["never_read"].as_array().unwrap().len(), 1, "{report}");
}
