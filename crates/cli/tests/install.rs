//! `hookshell install` and `uninstall` on the configs of a user and of a project.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Output, hookshell};
use tempfile::TempDir;

const CLAUDE: &str = "{\r\n\t// mine\r\n\t\"hooks\": { \"PreToolUse\": [\r\n\t\t{ \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \
                      \"shell\": \"bash\", \"command\": \"${CLAUDE_PROJECT_DIR}/x.sh\" }, { \"type\": \"prompt\", \"prompt\": \"p\" } ] },\r\n\t] }\r\n}\r\n";

const GEMINI: &str = r#"{
  "hooks": {
    "BeforeTool": [
      { "matcher": "run_shell_command", "hooks": [ { "type": "command", "command": "echo no >&2; exit 2", "timeout": 5000 } ] }
    ]
  }
}
"#;

/// A home directory, and a project beside it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.path("home")).unwrap();
        fs::create_dir_all(place.path("project/.git")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A path as it is printed.
    fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string().replace('/', std::path::MAIN_SEPARATOR_STR)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, cwd: &str, args: &[&str], stdin: &str) -> Output {
        let home = self.path("home");
        let run = hookshell(args).cwd(&self.path(cwd)).stdin(stdin).env("HOME", &home).env("USERPROFILE", &home);
        // No agent of this machine's.
        run.env("PATH", self.path("bin")).env("LOCALAPPDATA", home.join("local")).output()
    }

    fn install(&self, args: &[&str]) -> Output {
        self.run("project", &[&["install"], args].concat(), "")
    }
}

/// The command line that an agent has been given for an event.
fn line(config: &str, event: &str) -> Vec<String> {
    let config: Value = serde_json::from_str(config).unwrap();
    let line = config["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" /._-~".contains(&byte)), "{line}");
    line.split(' ').map(str::to_owned).collect()
}

const RM: &str = r#"{"session_id":"s","cwd":"","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm"}}"#;

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
    let output = support::program(&bash, ["--version"]).output();
    assert!(output.stdout.starts_with("GNU bash, version 5.2") && output.stdout.contains("hookshell"), "{output:?}");
    let output = support::program(&bash, ["-c", "printf %s \"$BASH\""]).output();
    assert_eq!(Path::new(&output.stdout), bash, "{output:?}");
    assert_eq!(install().stdout, "every shell that can be hookshell is\n");
    let output = place.run("project", &["uninstall", "--shell"], "");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
    assert!(!bash.exists() && !place.path("home/.pi/agent/settings.json").exists());
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

fn without_comments(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<String>()
        .replace(",\t]", "]")
        .replace("},\t", "}")
}

#[test]
fn status_says_that_codex_does_not_trust_a_line_yet() {
    let place = Place::new();
    let hooks = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
    place.write("home/.codex/hooks.json", hooks);
    let status = || place.run("project", &["status"], "").stdout;
    assert!(!status().contains("TRUSTED BY CODEX"));
    place.install(&[]);
    assert!(status().contains("wired, NOT TRUSTED BY CODEX, which skips it: trust it in `/hooks`"), "{}", status());
    let json: Value = serde_json::from_str(&place.run("project", &["status", "--json"], "").stdout).unwrap();
    assert_eq!(json["agents"][0]["configs"][0]["hooks"][0]["trusted_by_agent"], false);
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

/// Codex knows a hook by its place: the line that takes the place of one that is off is off, with all hooks of the event.
#[test]
fn a_line_that_codex_keeps_off_is_told() {
    let place = Place::new();
    let hooks =
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]}]}}"#;
    for (index, is_off) in [(0, true), (1, false)] {
        place.write("home/.codex/hooks.json", hooks);
        let config = place.shown("home/.codex/hooks.json");
        let state = format!("[hooks.state.'{config}:pre_tool_use:0:{index}']\nenabled = false\n");
        place.write("home/.codex/config.toml", &state);
        for _ in 0..2 {
            let said = place.install(&["codex"]);
            assert_eq!(
                (said.code, said.stderr.contains("PreToolUse: Codex has switched off")),
                (Some(0), is_off),
                "{said:?}"
            );
        }
        let status = place.run("project", &["status"], "").stdout;
        assert_eq!(status.contains("wired, SWITCHED OFF IN CODEX: switch it on"), is_off, "{status}");
        assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn links_are_followed_but_a_projects_leads_to_no_other_config() {
        let place = Place::new();
        place.write("dotfiles/gemini.json", GEMINI);
        fs::create_dir_all(place.path("home/.gemini")).unwrap();
        symlink(place.path("dotfiles/gemini.json"), place.path("home/.gemini/settings.json")).unwrap();
        place.write("home/other.json", CLAUDE);
        fs::create_dir_all(place.path("project/.claude")).unwrap();
        symlink(place.path("home/other.json"), place.path("project/.claude/settings.json")).unwrap();
        let output = place.install(&[]);
        assert_eq!(output.code, Some(65), "{output:?}");
        assert!(output.stderr.contains("outside of the project"), "{output:?}");
        assert_eq!(place.read("home/other.json"), CLAUDE);
        assert!(place.read("dotfiles/gemini.json").contains("hookshell run BeforeTool"));
        assert!(place.path("home/.gemini/settings.json").is_symlink());
    }

    #[test]
    fn a_side_directory_that_leads_out_of_the_project_is_not_written_to() {
        let place = Place::new();
        place.write("project/.gemini/settings.json", GEMINI);
        fs::create_dir_all(place.path("home/.gemini")).unwrap();
        symlink(place.path("home/.gemini"), place.path("project/.gemini/hookshell")).unwrap();
        let output = place.install(&["--project"]);
        assert_eq!(output.code, Some(65), "{output:?}");
        assert_eq!(place.read("project/.gemini/settings.json"), GEMINI);
        assert_eq!(fs::read_dir(place.path("home/.gemini")).unwrap().count(), 0);
    }

    #[test]
    fn permissions_are_kept_and_what_is_read_only_is_refused() {
        let place = Place::new();
        place.write("home/.gemini/settings.json", GEMINI);
        place.write("home/.claude/settings.json", CLAUDE);
        mode(&place.path("home/.gemini/settings.json"), 0o640);
        mode(&place.path("home/.claude/settings.json"), 0o444);
        let rehearsed = place.install(&["--dry-run"]);
        assert_eq!(rehearsed.code, Some(65), "{rehearsed:?}");
        assert!(rehearsed.stderr.contains("settings.json: it is read-only; it was left as it is"), "{rehearsed:?}");
        assert!(rehearsed.stdout.contains("gemini") && !rehearsed.stdout.contains("claude"), "{rehearsed:?}");
        let output = place.install(&[]);
        assert_eq!(output.code, Some(65), "{output:?}");
        assert!(output.stderr.contains("read-only"), "{output:?}");
        assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
        let metadata = fs::metadata(place.path("home/.gemini/settings.json")).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o640);
        assert_ne!(place.read("home/.gemini/settings.json"), GEMINI);
    }

    /// Who reads may let it wait for ever: a signal ends that.
    #[test]
    fn a_signal_ends_it_while_its_output_waits() {
        use std::io::Write;
        use std::os::unix::process::ExitStatusExt;
        use std::time::{Duration, Instant};

        let place = Place::new();
        place.write("home/.claude/settings.json", CLAUDE);
        let (_reader, mut writer) = std::io::pipe().unwrap();
        // Filled up, so that the first byte waits.
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        while writer.write(&[0; 4096]).is_ok() {}
        while writer.write(&[0]).is_ok() {}
        rustix::io::ioctl_fionbio(&writer, false).unwrap();
        // Whoever runs the tests in the background of a script ignores INT, and so would it.
        let mut child = hookshell_test_support::with_default_signals(env!("CARGO_BIN_EXE_hookshell"))
            .args(["install", "claude"])
            .current_dir(place.path("project"))
            .env("HOME", place.path("home"))
            .env("PATH", place.path("bin"))
            .stdout(writer)
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > until {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("signals do not end it");
            }
            // A signal before its handlers are there would end any process.
            if place.read("home/.claude/settings.json") != CLAUDE {
                let pid = rustix::process::Pid::from_child(&child);
                rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.signal(), Some(2), "{status}");
        assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
        assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
    }

    /// hookshell under another name.
    fn named(place: &Place, name: &str) -> PathBuf {
        let path = place.path(name);
        symlink(env!("CARGO_BIN_EXE_hookshell"), &path).unwrap();
        path
    }

    #[test]
    fn as_bash_it_starts_as_agents_start_bash() {
        let place = Place::new();
        let bash = named(&place, "bash");
        place.write("home/.bash_profile", "echo profile\n");
        place.write("home/.profile", "echo not this\n");
        place.write("home/.bashrc", "case $- in *i*) ;; *) return;; esac\nX=rc\nalias hi='echo hi'\n");
        let cases: [(&[&str], &str); 12] = [
            (&["-c", "echo $-"], "hBc\n"),
            (&["--noprofile", "--norc", "-c", "echo a"], "a\n"),
            (&["--noprofile", "-lc", "echo a"], "a\n"),
            (&["-lc", "echo a"], "profile\na\n"),
            (&["-l", "-c", "echo a"], "profile\na\n"),
            (&["--login", "-i", "-c", "echo $-"], "profile\nhiBHc\n"),
            (&["-ic", "echo $X"], "rc\n"),
            (&["-ic", "hi there"], "hi there\n"),
            (&["+O", "expand_aliases", "-ic", "shopt -q expand_aliases || echo off"], "off\n"),
            (&["-c", "shopt -q expand_aliases || echo off"], "off\n"),
            (&["--norc", "-ic", "echo ${X-none}"], "none\n"),
            (&["--rcfile", "/dev/null", "-ic", "echo ${X-none}"], "none\n"),
        ];
        for (args, expected) in cases {
            let output = support::program(&bash, args).env("HOME", place.path("home")).output();
            // Of bash, `H` is set with `i`: history is not here.
            let expected = expected.replace("hiBHc", "hiBc");
            let stdout = output.stdout.lines().filter(|line| !line.contains("/etc")).map(|line| format!("{line}\n"));
            assert_eq!((stdout.collect::<String>(), output.code), (expected, Some(0)), "{args:?}: {}", output.stderr);
        }
    }

    #[test]
    fn other_names_say_what_it_is() {
        let place = Place::new();
        let exec = named(&place, "hookshell-exec");
        let output = support::program(&exec, ["echo \"$((6 * 7))\"; exit 3"]).output();
        assert_eq!((output.code, &*output.stdout), (Some(3), "42\n"), "{output:?}");
        let zsh = named(&place, "zsh");
        let output = support::program(&zsh, ["-c", "echo a"]).output();
        assert!(output.code == Some(2) && output.stderr.contains("not zsh"), "{output:?}");
        assert!(support::program(&zsh, ["--version"]).output().stdout.starts_with("hookshell "));
    }

    #[test]
    fn a_fifo_is_not_waited_for() {
        let place = Place::new();
        fs::create_dir_all(place.path("home/.claude")).unwrap();
        let path = place.path("home/.claude/settings.json");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
        let output = place.install(&[]);
        assert_eq!(output.code, Some(65), "{output:?}");
        assert!(output.stderr.contains("not a regular file"), "{output:?}");
        let output = place.run("project", &["status"], "");
        assert!(output.code == Some(1) && output.stdout.contains("not a regular file"), "{output:?}");
    }

    #[test]
    fn an_agent_that_is_too_old_for_the_form_is_refused() {
        let place = Place::new();
        place.write("home/.claude/settings.json", CLAUDE);
        place.write("bin/claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n");
        mode(&place.path("bin/claude"), 0o755);
        let output = place.install(&[]);
        assert_eq!(output.code, Some(65), "{output:?}");
        assert!(output.stderr.contains("2.1.100 is older than 2.1.139"), "{output:?}");
        assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
        place.write("bin/claude", "#!/bin/sh\necho none\n");
        let output = place.install(&["--dry-run"]);
        assert!(
            output.stderr.contains("it does not say its version, and Claude Code reads what was wired from 2.1.139 on")
        );
        place.write("bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
        assert_eq!(place.install(&[]).code, Some(0));
    }
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

/// The agent's line reads the hooks from another file: without it none of them runs.
#[test]
fn a_missing_side_file_is_an_error_and_comes_back() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    place.write(
        "home/.codex/config.toml",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n",
    );
    assert_eq!(place.install(&[]).code, Some(0));
    let sides = ["home/.gemini/hookshell/settings.json", "home/.codex/hookshell/config.json"];
    let moved = sides.map(|side| place.read(side));
    for side in sides {
        fs::remove_file(place.path(side)).unwrap();
    }
    let status = place.run("project", &["status"], "");
    assert_eq!(status.code, Some(1), "{status:?}");
    for side in sides {
        let message = format!(
            "    error: its hooks were moved to {}, which is missing, and none of them runs: `hookshell install` writes it again\n",
            place.shown(side)
        );
        assert!(status.stdout.contains(&message), "{status:?}");
    }
    let doctor = place.run("project", &["doctor"], "");
    assert!(doctor.stdout.contains("settings.json (user): error: its hooks were moved to "), "{doctor:?}");
    let output = place.install(&[]);
    assert_eq!(
        (output.code, output.stdout.matches("the file of its hooks was missing, and is back\n").count()),
        (Some(0), 2)
    );
    assert_eq!(sides.map(|side| place.read(side)), moved);
    assert_eq!(place.run("project", &["status"], "").code, Some(0));
    // On another machine nobody knows what was in it.
    for side in sides {
        fs::remove_file(place.path(side)).unwrap();
    }
    fs::remove_dir_all(place.path(if cfg!(windows) { "home/local" } else { "home/.local" })).unwrap();
    for command in ["install", "status"] {
        let output = place.run("project", &[command], "");
        assert!(matches!(output.code, Some(1 | 65)), "{output:?}");
        let said = format!("{}{}", output.stdout, output.stderr);
        assert_eq!(said.matches("bring that file back, from version control or a backup").count(), 2, "{said}");
    }
    // What does not parse is an error, too.
    place.write(sides[0], "{");
    place.write(sides[1], "");
    let status = place.run("project", &["status"], "");
    assert_eq!(status.code, Some(1), "{status:?}");
    assert!(status.stdout.contains("settings.json: line 1, column 1: Unterminated object;"), "{status:?}");
    assert!(status.stdout.contains("its line for Stop runs no hook, as there is none in "), "{status:?}");
}

/// Nor does one run whose hooks somebody has taken out of that file: the agent's line stands there all the same.
#[test]
fn a_side_file_without_the_hooks_of_a_line_is_an_error_and_they_come_back() {
    let place = Place::new();
    let codex = "[[hooks.Stop]] # why\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n";
    let cursor = r#"{"version":1, "hooks":{ "stop":[ {"command":"true"} ], "preToolUse":[ {"command":"exit 2"} ]}}"#;
    let configs = [
        ("home/.gemini/settings.json", GEMINI, "home/.gemini/hookshell/settings.json", "BeforeTool"),
        ("home/.codex/config.toml", codex, "home/.codex/hookshell/config.json", "Stop"),
        ("home/.cursor/hooks.json", cursor, "home/.cursor/hookshell/hooks.json", "stop, preToolUse"),
    ];
    configs.iter().for_each(|(config, text, ..)| place.write(config, text));
    assert_eq!(place.install(&[]).code, Some(0));
    let moved = configs.map(|(_, _, side, _)| place.read(side));
    for emptied in ["{}", "", " \n", "null", "[]", "{\"hooks\": {}}", "{\"hooks\": []}", "\u{feff}{ /* none */ }"] {
        configs.iter().for_each(|(_, _, side, _)| place.write(side, emptied));
        let status = place.run("project", &["status"], "");
        assert_eq!(status.code, Some(1), "{emptied}: {status:?}");
        for (_, _, side, events) in &configs {
            let (lines, run) = if events.contains(',') { ("lines", "run") } else { ("line", "runs") };
            let message = format!(
                "    error: its {lines} for {events} {run} no hook, as there is none in {}, where the hooks were moved: \
                 `hookshell install` brings them back, or take the {lines} out\n",
                place.shown(side)
            );
            assert!(status.stdout.contains(&message), "{emptied}: {status:?}");
        }
        let doctor = place.run("project", &["doctor"], "");
        assert!(doctor.stdout.contains("its line for BeforeTool runs no hook"), "{emptied}: {doctor:?}");
        let output = place.install(&[]);
        let told = output.stdout.matches("the hooks that were missing in the file of its hooks are back\n").count();
        assert_eq!((output.code, told), (Some(0), 3), "{emptied}: {output:?}");
        assert_eq!(configs.map(|(_, _, side, _)| place.read(side)), moved, "{emptied}");
        assert_eq!(place.install(&[]).stdout, "every hook that can be wired is\n", "{emptied}");
        assert_eq!(place.run("project", &["status"], "").code, Some(0), "{emptied}");
    }
    // Only those of one event: the others stay as the user has them, and are listed.
    let side = "home/.cursor/hookshell/hooks.json";
    place.write(side, "// mine\n{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"echo mine\"},],}}\n");
    let status = place.run("project", &["status"], "");
    assert!(status.stdout.contains("its line for preToolUse runs no hook"), "{status:?}");
    assert!(status.stdout.contains("    stop: echo mine: wired\n"), "{status:?}");
    assert_eq!(place.install(&[]).code, Some(0));
    let side: Value = serde_json::from_str(&place.read(side)).unwrap();
    assert_eq!(side["hooks"]["stop"][0]["command"], "echo mine");
    assert_eq!(side["hooks"]["preToolUse"][0]["command"], "exit 2");
    // `uninstall` needs none of them.
    for emptied in ["{}", "", "{\"hooks\": {}}"] {
        configs.iter().for_each(|(_, _, side, _)| place.write(side, emptied));
        let output = place.run("project", &["uninstall"], "");
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{emptied}: {output:?}");
        for (config, text, side, _) in &configs {
            assert_eq!(place.read(config), *text, "{emptied}");
            assert!(!place.path(side).exists(), "{emptied}: {side}");
        }
        assert_eq!(place.install(&[]).code, Some(0));
    }
}

/// As `/hooks disable x` of Gemini CLI does.
#[test]
fn a_moved_hook_that_is_switched_off_is_not_missed() {
    for more in ["", ",\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]"] {
        let place = Place::new();
        let hook = r#""BeforeTool":[{"hooks":[{"name":"x","type":"command","command":"exit 2"}]}]"#;
        let text = format!("{{\"hooksConfig\":{{\"disabled\":[\"x\"]}},\"hooks\":{{{hook}{more}}}}}");
        place.write("home/.gemini/settings.json", &text);
        assert_eq!(place.install(&[]).code, Some(0));
        let side = place.path("home/.gemini/hookshell/settings.json");
        let side = side.to_str().unwrap();
        let args = ["run", "BeforeTool", "--dialect", "gemini", "--output", "gemini", "--config", side];
        let payload =
            r#"{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#;
        let output = place.run("project", &args, payload);
        assert!(output.code == Some(0) && !output.stdout.contains("systemMessage"), "{output:?}");
    }
}

/// A line that somebody has taken out leaves hooks behind that nobody runs.
#[test]
fn hooks_whose_line_is_gone_are_told() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    assert_eq!(place.install(&[]).code, Some(0));
    place.write("home/.gemini/settings.json", "{}\n");
    let status = place.run("project", &["status"], "");
    let line = "    BeforeTool run_shell_command: echo no >&2; exit 2: NOT RUN: its event has no line in the config; \
                put the hook back there, or remove it from the file that it was moved to\n";
    assert!(status.code == Some(1) && status.stdout.contains(line), "{status:?}");
    assert!(status.stdout.ends_with("not everything is wired: there are hooks that nobody runs\n"), "{status:?}");
    let output = place.run("project", &["uninstall"], "");
    assert_eq!((output.code, &*output.stdout), (Some(0), "nothing is wired\n"), "{output:?}");
    assert!(output.stderr.contains("has no line any more that runs what is in it, and it stays"), "{output:?}");
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

/// What can be wired is wired, however it is written: `status` sends nobody to a command that does nothing.
#[test]
fn codex_hooks_in_one_inline_table_are_wired() {
    let place = Place::new();
    let text = "# mine\nhooks = { PreToolUse = [{ matcher = \"^Bash$\", hooks = [{ type = \"command\", command = 'x' }] }], state = { a = 1 } } # why\n[tui]\na = 1\n";
    place.write("home/.codex/config.toml", text);
    let output = place.install(&[]);
    assert!(output.code == Some(0) && output.stdout.contains("1 hook is wired"), "{output:?}");
    let wired = place.read("home/.codex/config.toml");
    assert!(
        wired.contains(
            "\nhooks = { PreToolUse = [{ hooks = [{ type = \"command\", command = \"hookshell run PreToolUse "
        ),
        "{wired}"
    );
    assert!(wired.contains(" }] }], state = { a = 1 } }\n") && wired.contains("\n#hookshell# hooks = "), "{wired}");
    assert_eq!(place.run("project", &["status"], "").code, Some(0));
    assert_eq!(place.install(&[]).stdout, "every hook that can be wired is\n");
    assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    assert_eq!(place.read("home/.codex/config.toml"), text);
}

/// In TOML one key has all events, so a new hook can only be written where hookshell's line is.
#[test]
fn codex_hooks_that_were_added_beside_the_line_are_not_dropped() {
    let config = "home/.codex/config.toml";
    for (text, line, more) in [
        ("hooks = { PreToolUse = [{ hooks = [{ type = \"command\", command = 'x' }] }] }\n", "\nhooks = { ", "Stop = "),
        ("[hooks]\nPreToolUse = [{ hooks = [{ type = \"command\", command = 'x' }] }]\n", "\nPreToolUse = [", ""),
    ] {
        let place = Place::new();
        place.write(config, text);
        assert_eq!(place.install(&[]).code, Some(0));
        let wired = place.read(config);
        let hook = match more {
            "" => "{ hooks = [{ type = \"command\", command = 'new' }] }, ".to_owned(),
            event => format!("{event}[{{ hooks = [{{ type = \"command\", command = 'new' }}] }}], "),
        };
        let added = wired.replacen(line, &format!("{line}{hook}"), 1);
        assert_ne!(added, wired);
        place.write(config, &added);
        for command in ["install", "uninstall"] {
            let output = place.run("project", &[command], "");
            assert!(output.code != Some(0) && output.stderr.contains("were added between"), "{command}: {output:?}");
            assert_eq!(place.read(config), added, "{command}");
        }
        place.write(config, &wired);
        assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
        assert_eq!(place.read(config), text);
    }
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
    assert_eq!(support::program(&bash, ["-c", "echo new"]).output().stdout, "new\n");
    assert!(!place.install(&["claude"]).stdout.contains("hookshell now"));
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

/// Also where it would have nothing to show.
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

/// Each either does it or finds it done, and what was there comes back.
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
