//! A cloned repository beside a user's guard: whatever it brings, the guard denies, and soon.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookshell_test_support::skip_part;
use serde_json::Value;
use support::{Output, hookshell};

/// The user's guard denies within this time whatever the project is: far more than it takes, in a debug build under load too.
const DEADLINE: Duration = Duration::from_secs(30);

struct Home {
    root: tempfile::TempDir,
}

impl Home {
    /// A user with a guard in every agent's config, and an empty project.
    fn new() -> Self {
        let home = Self { root: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(home.project()).unwrap();
        let guard = "echo guarded >&2; exit 2";
        let flat = |event: &str| format!(r#"{{"version":1,"hooks":{{"{event}":[{{"command":"{guard}"}}]}}}}"#);
        let groups = |event: &str| {
            format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{{"type":"command","command":"{guard}"}}]}}]}}}}"#)
        };
        home.write("config/crush/crush.json", &flat("PreToolUse"));
        home.write(".claude/settings.json", &groups("PreToolUse"));
        home.write(".codex/hooks.json", &groups("PreToolUse"));
        home.write(".gemini/settings.json", &groups("BeforeTool"));
        home.write(".qwen/settings.json", &groups("PreToolUse"));
        home.write(".cursor/hooks.json", &flat("preToolUse"));
        // Copilot CLI tells nobody what stands on standard error.
        let says = r#"echo '{\"permissionDecisionReason\":\"guarded\"}'; exit 2"#;
        home.write(".copilot/hooks/a.json", &flat("preToolUse").replace(guard, says));
        home
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn run_in(&self, cwd: &Path, args: &[&str]) -> Output {
        let (config, state) = (self.root.path().join("config"), self.root.path().join("state"));
        hookshell([&["run", "PreToolUse", "--tool", "bash", "--input", "{}"], args].concat())
            .cwd(cwd)
            .env("HOME", self.root.path())
            .env("USERPROFILE", self.root.path())
            .env("XDG_CONFIG_HOME", &config)
            .env("XDG_STATE_HOME", state)
            .env("LOCALAPPDATA", &config)
            .output()
    }

    /// The verdict in the project, which is a deny by the guard.
    fn denied(&self, args: &[&str]) -> (Output, Value) {
        let start = Instant::now();
        let output = self.run_in(&self.project(), args);
        assert!(start.elapsed() < DEADLINE, "{args:?}: {:?}", start.elapsed());
        assert_eq!(output.code, Some(2), "{args:?}: {output:?}");
        let verdict: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(
            verdict["reason"].as_str().and_then(|reason| reason.lines().next()),
            Some("guarded"),
            "{args:?}: {output:?}"
        );
        (output, verdict)
    }
}

/// What is said of a project that was given up.
const TOO_LATE: &str = "could not be read in time";

const DIALECTS: [&str; 7] = ["crush", "claude", "codex", "gemini", "cursor", "copilot", "qwen"];

fn config_of(dialect: &str) -> &'static str {
    match dialect {
        "claude" => "project/.claude/settings.json",
        "codex" => "project/.codex/hooks.json",
        "gemini" => "project/.gemini/settings.json",
        "cursor" => "project/.cursor/hooks.json",
        "copilot" => "project/.github/hooks/a.json",
        "qwen" => "project/.qwen/settings.json",
        _ => "project/crush.json",
    }
}

fn event_of(dialect: &str) -> &'static str {
    match dialect {
        "gemini" => "BeforeTool",
        "cursor" | "copilot" => "preToolUse",
        _ => "PreToolUse",
    }
}

/// `hooks` objects in the shape of the dialect.
fn config(dialect: &str, hooks: &[String]) -> String {
    let event = event_of(dialect);
    match dialect {
        "claude" | "codex" | "gemini" | "qwen" => {
            let groups: Vec<String> = hooks.iter().map(|hook| format!(r#"{{"hooks":[{hook}]}}"#)).collect();
            format!(r#"{{"hooks":{{"{event}":[{}]}}}}"#, groups.join(","))
        }
        _ => format!(r#"{{"version":1,"hooks":{{"{event}":[{}]}}}}"#, hooks.join(",")),
    }
}

fn many(count: usize, one: impl Fn(usize) -> String) -> Vec<String> {
    (0..count).map(one).collect()
}

/// Some dialects at a time: most of the time is that of processes of their own.
#[test]
fn the_guard_denies_whatever_the_projects_config_is() {
    let next = AtomicUsize::new(0);
    let at_once = std::thread::available_parallelism().map_or(2, NonZero::get).min(4);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(dialect) = DIALECTS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    the_guard_denies_beside_each_config(dialect);
                }
            });
        }
    });
}

fn the_guard_denies_beside_each_config(dialect: &str) {
    let home = Home::new();
    let event = event_of(dialect);
    let matchers = |index| format!(r#"{{"command":"x","matcher":"\\w{{160}}x{index}"}}"#);
    let groups = many(400, |index| format!(r#"{{"matcher":"\\w{{160}}x{index}","hooks":[{{"command":"x"}}]}}"#));
    let keys = many(30_000, |index| format!(r#""k{index}":1"#)).join(",");
    let texts = [
        ("matchers", config(dialect, &many(400, matchers))),
        ("groups", format!(r#"{{"hooks":{{"{event}":[{}]}}}}"#, groups.join(","))),
        ("keys", config(dialect, &[format!(r#"{{"command":"x",{keys}}}"#)])),
        ("events", format!(r#"{{"hooks":{{{}}}}}"#, many(30_000, |index| format!(r#""E{index}":[]"#)).join(","))),
        ("env", config(dialect, &[format!(r#"{{"command":"x","env":{{{}}}}}"#, keys.replace(":1", ":\"1\""))])),
        ("hooks", config(dialect, &many(20_000, |index| format!(r#"{{"command":"x{index}"}}"#)))),
        ("large", config(dialect, &[format!(r#"{{"command":"{}"}}"#, "x".repeat(900_000))])),
        ("larger", config(dialect, &many(100_000, |index| format!(r#"{{"command":"x{index}"}}"#)))),
        ("nested", format!("{}{}", "[".repeat(500_000), "]".repeat(500_000))),
        ("broken", r#"{"hooks":{"#.to_owned()),
        (
            "disabled",
            r#"{"disableAllHooks":true,"hooksConfig":{"enabled":false},"hooks":{"enabled":false}}"#.to_owned(),
        ),
    ];
    for (what, text) in texts {
        home.write(config_of(dialect), &text);
        for trust in [&[][..], &["--trust-project"]] {
            // What a project's hook does is its own business; these commands are not found.
            if !trust.is_empty() && matches!(what, "hooks" | "env" | "large") {
                continue;
            }
            let args = [&["--dialect", dialect], trust].concat();
            let (output, verdict) = home.denied(&args);
            assert!(output.stdout.len() < 300_000, "{dialect} {what}: {} bytes", output.stdout.len());
            assert!(output.stderr.lines().count() < 60, "{dialect} {what}: {}", output.stderr);
            assert_eq!(verdict["hooks"][0]["outcome"], "Decided", "{dialect} {what}");
        }
    }
}

#[test]
fn a_project_of_very_many_files_is_read_in_part() {
    let home = Home::new();
    for index in 0..3000 {
        home.write(&format!("project/.hookshell/hooks/{index:05}.sh"), "#!/bin/sh\nexit 0\n");
        home.write(&format!("project/.github/hooks/{index:05}.json"), r#"{"version":1,"hooks":{}}"#);
    }
    let mut is_late = false;
    for dialect in ["crush", "copilot"] {
        let (output, verdict) = home.denied(&["--dialect", dialect]);
        // On a slow machine the project is given up, which is one line too.
        is_late |= output.stderr.contains(TOO_LATE);
        assert!(is_late || output.stderr.contains("more than 256 config and hook files"), "{output:?}");
        let hooks = verdict["hooks"].as_array().unwrap();
        assert!(hooks.len() <= 101, "{}", hooks.len());
        let log = std::fs::read_to_string(home.root.path().join("state/hookshell/hooks.jsonl"));
        // On Windows it is elsewhere.
        assert!(log.is_err() || log.unwrap().len() < 400_000);
    }
    let (output, verdict) = home.denied(&[]);
    if is_late || output.stderr.contains(TOO_LATE) {
        skip_part("the project is given up on this machine before its hooks are counted");
        return;
    }
    let last = verdict["hooks"].as_array().unwrap().last().unwrap().clone();
    assert!(last["name"].as_str().unwrap().ends_with("and 156 more"), "{last}");
    assert!(output.stderr.contains("256 hooks of the project are not trusted"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_and_what_has_no_end_holds_nothing_up() {
    use std::os::unix::fs::symlink;
    for dialect in DIALECTS {
        let home = Home::new();
        let config = home.root.path().join(config_of(dialect));
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&config).status();
        if made.is_ok_and(|status| status.success()) {
            let (output, _) = home.denied(&["--dialect", dialect]);
            assert!(output.stderr.contains("it is no regular file"), "{output:?}");
            std::fs::remove_file(&config).unwrap();
        }
        for target in
            ["/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem", "/proc/kcore", "/proc/self/pagemap", "/dev/stdin"]
        {
            symlink(target, &config).unwrap();
            home.denied(&["--dialect", dialect]);
            std::fs::remove_file(&config).unwrap();
        }
    }
}

/// A model can `cd /`.
#[test]
fn the_users_hooks_are_the_users_wherever_the_agent_works() {
    let home = Home::new();
    let mut places = vec![home.root.path().to_owned(), home.root.path().parent().unwrap().to_owned()];
    places.extend(home.root.path().ancestors().last().map(Path::to_owned));
    for dialect in DIALECTS {
        for place in &places {
            let output = home.run_in(place, &["--dialect", dialect]);
            assert_eq!(output.code, Some(2), "{dialect} in {}: {output:?}", place.display());
            // Copilot CLI also reads `.claude` of the directory that it works in: as a project's.
            let verdict: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
            assert_eq!(verdict["hooks"][0]["outcome"], "Decided", "{dialect} in {}: {output:?}", place.display());
        }
    }
}

/// What a project's hooks set for the session does not reach the user's: `PATH` would choose what their guards run.
#[test]
fn a_projects_variables_are_for_the_projects_hooks() {
    let home = Home::new();
    home.write(
        ".claude/settings.json",
        r#"{"hooks":{"SessionStart":[{"hooks":[{"command":"echo 'export OWN=1' >> \"$CLAUDE_ENV_FILE\""}]}],
            "PreToolUse":[{"hooks":[{"command":"echo \"user: $OWN $THEIRS\" >&2; exit 2"}]}]}}"#,
    );
    home.write(
        "project/.claude/settings.json",
        r#"{"hooks":{"SessionStart":[{"hooks":[{"command":"echo 'export THEIRS=2 OWN=3' >> \"$CLAUDE_ENV_FILE\""}]}],
            "PreToolUse":[{"hooks":[{"command":"echo \"project: $OWN $THEIRS\" >&2; exit 2"}]}]}}"#,
    );
    let run = |event: &str, rest: &[&str]| {
        let args = [&["run", event, "--dialect", "claude", "--session", "s", "--trust-project"], rest].concat();
        hookshell(args)
            .cwd(&home.project())
            .env("HOME", home.root.path())
            .env("USERPROFILE", home.root.path())
            .env("XDG_STATE_HOME", home.root.path().join("state"))
            .env("LOCALAPPDATA", home.root.path().join("state"))
            .stdin("{}")
            .output()
    };
    let started = run("SessionStart", &[]);
    assert_eq!(started.code, Some(0), "{started:?}");
    let output = run("PreToolUse", &["--tool", "Bash"]);
    let verdict: Value = serde_json::from_str(&output.stdout).unwrap();
    // Of several denials Claude Code shows one.
    let reasons = verdict["hooks"].as_array().unwrap().iter().filter_map(|hook| hook["reason"].as_str());
    let reasons = reasons.collect::<Vec<_>>().join("\n").replace('\r', "");
    assert_eq!(reasons.replace(" \n", "\n"), "user: 1\nproject: 3 2", "{output:?}");
}

/// Hooks of Copilot CLI run one after the other: the project's gets the input as the user's has left it.
#[test]
fn hooks_in_turn_go_from_the_users_to_the_projects() {
    let home = Home::new();
    home.write(
        ".copilot/hooks/a.json",
        r#"{"version":1,"hooks":{"preToolUse":[{"command":"echo '{\"modifiedArgs\":{\"command\":\"changed\"}}'"}]}}"#,
    );
    home.write(
        "project/.github/hooks/a.json",
        r#"{"version":1,"hooks":{"preToolUse":[{"command":"jq '{permissionDecision: \"deny\", permissionDecisionReason: .toolArgs.command}'"}]}}"#,
    );
    let output = home.run_in(&home.project(), &["--dialect", "copilot", "--trust-project"]);
    let verdict: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(verdict["reason"], "changed", "{output:?}");
}

/// Cursor's hooks of the user run in the directory of their file, also where the agent works in the home directory.
#[test]
fn cursors_user_hooks_find_their_scripts_wherever_the_agent_works() {
    let home = Home::new();
    home.write(".cursor/guard.sh", "#!/bin/sh\necho guarded >&2\nexit 2\n");
    home.write(".cursor/hooks.json", r#"{"version":1,"hooks":{"preToolUse":[{"command":"./guard.sh"}]}}"#);
    for place in [home.root.path().to_owned(), home.project(), home.root.path().join(".cursor")] {
        let output = home.run_in(&place, &["--dialect", "cursor"]);
        assert_eq!(output.code, Some(2), "{}: {output:?}", place.display());
    }
}
