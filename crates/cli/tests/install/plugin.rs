//! The plugins that opencode and pi get, run by node in what stands for the agent: `plugin_host.mjs`.

use std::fs;
use std::path::{Path, PathBuf};

use hookshell_test_support::{find, has};
use serde_json::{Value, json};

use crate::place::Place;
use crate::support::program;

const AGENTS: [&str; 2] = ["opencode", "pi"];

/// A user with these hooks of Crush, whose agent is wired.
struct Wired {
    place: Place,
    agent: &'static str,
    files: Vec<PathBuf>,
}

/// What came of calls.
struct Came(Value);

impl Wired {
    /// `None`: there is no node.
    fn new(agent: &'static str, config: &Value, scopes: &[&str]) -> Option<Self> {
        if !has("node") {
            return None;
        }
        let place = Place::new();
        place.write("home/.config/crush/crush.json", &config.to_string());
        let mut files = Vec::new();
        for scope in scopes {
            let output = place.install(&[agent, scope]);
            assert_eq!(output.code, Some(0), "{output:?}");
            let name = if agent == "opencode" { "opencode/plugin/hookshell.js" } else { "extensions/hookshell.ts" };
            let directory = match (agent, *scope) {
                ("opencode", "--user") => "home/.config/",
                ("pi", "--user") => "home/.pi/agent/",
                ("opencode", _) => "project/.",
                _ => "project/.pi/",
            };
            // Node reads an old one's `.js` as CommonJS, and no `.ts`.
            let module = format!("module{}.mjs", files.len());
            place.write(&module, &place.read(&format!("{directory}{name}")));
            files.push(place.path(&module));
        }
        Some(Self { place, agent, files })
    }

    /// With one hook.
    fn guard(agent: &'static str, event: &str, command: &str) -> Option<Self> {
        Self::new(agent, &json!({"hooks": {event: [{"command": command}]}}), &["--user"])
    }

    fn call(&self, call: &Value) -> Came {
        self.calls(&json!([call]))
    }

    fn calls(&self, calls: &Value) -> Came {
        // With its drive, where there are some: node looks for it from another one.
        let hookshell = std::path::absolute(env!("CARGO_BIN_EXE_hookshell")).unwrap();
        self.calls_with_path(calls, hookshell.parent().unwrap())
    }

    fn calls_with_path(&self, calls: &Value, path: &Path) -> Came {
        // Where the tests run under Wine the sources are on another drive than node is told.
        self.place.write("host.mjs", include_str!("plugin_host.mjs"));
        let host = self.place.path("host.mjs");
        let files = serde_json::to_string(&self.files).unwrap();
        let arguments = [host.to_str().unwrap(), self.agent, &files, &calls.to_string()];
        let home = self.place.path("home");
        let run = program(&find("node").unwrap(), arguments).cwd(&self.place.path("project"));
        let run = run.env("HOME", &home).env("USERPROFILE", &home).env("PATH", path);
        let run = std::env::var_os("ComSpec").into_iter().fold(run, |run, cmd| run.env("ComSpec", cmd));
        let output = run.output();
        assert_eq!(output.code, Some(0), "{output:?}");
        Came(serde_json::from_str(&output.stdout).unwrap())
    }
}

impl Came {
    fn of(&self, at: usize) -> &Value {
        &self.0["results"][at]
    }

    fn shown(&self) -> String {
        self.0["shown"].to_string()
    }
}

fn bash(command: &str) -> Value {
    json!({"tool": "bash", "args": {"command": command}})
}

fn write(agent: &str, path: &str) -> Value {
    let key = if agent == "opencode" { "filePath" } else { "path" };
    json!({"tool": "write", "args": {key: path, "content": "x"}})
}

#[cfg(windows)]
#[test]
fn the_batch_file_of_npm_is_found() {
    for agent in AGENTS {
        let Some(wired) = Wired::guard(agent, "PreToolUse", "echo no >&2; exit 2") else { return };
        let hookshell = std::path::absolute(env!("CARGO_BIN_EXE_hookshell")).unwrap();
        wired.place.write("npm/hookshell.cmd", &format!("@\"{}\" %*\r\n", hookshell.display()));
        // It is not the project's.
        wired.place.write("project/hookshell.cmd", "@echo {}\r\n");
        let came = wired.calls_with_path(&json!([bash("echo")]), &wired.place.path("npm"));
        assert_eq!((&came.of(0)["ran"], &came.of(0)["reason"]), (&json!(false), &json!("no")), "{agent}: {}", came.0);
    }
}

#[test]
fn a_deny_stops_the_call_with_its_reason() {
    for agent in AGENTS {
        let denied = r#"case $CRUSH_TOOL_INPUT_COMMAND in *ü*) echo 'nö €' >&2; exit 2;; esac"#;
        let Some(wired) = Wired::guard(agent, "PreToolUse", denied) else { return };
        let came = wired.calls(&json!([bash("echo ü"), bash("echo u"), bash("echo üü")]));
        for at in [0, 2] {
            assert_eq!(
                (&came.of(at)["ran"], &came.of(at)["reason"]),
                (&json!(false), &json!("nö €")),
                "{agent}: {}",
                came.0
            );
        }
        assert_eq!((&came.of(1)["ran"], &came.of(1)["result"]), (&json!(true), &json!("out")), "{agent}: {}", came.0);
        assert_eq!(came.shown(), "[]", "{agent}");
    }
}

#[test]
fn a_halt_ends_the_turn_that_the_user_began_and_the_user_sees_why() {
    for agent in AGENTS {
        let Some(wired) = Wired::guard(agent, "PreToolUse", "echo enough >&2; exit 49") else { return };
        for parent in [false, true] {
            let came = wired.call(&json!({"tool": "bash", "args": {"command": "echo"}, "parent": parent}));
            assert_eq!(
                (&came.of(0)["ran"], &came.of(0)["aborted"]),
                (&json!(false), &json!(["root"])),
                "{agent}: {}",
                came.0
            );
            assert!(came.shown().contains("halted the turn: enough"), "{agent}: {}", came.0);
        }
    }
}

#[test]
fn the_input_of_a_tool_has_the_names_that_guards_know_and_changes_come_back() {
    for agent in AGENTS {
        let guard = r#"printf '%s' "$CRUSH_TOOL_INPUT_FILE_PATH" > seen; echo '{"updated_input":{"file_path":"b.txt","content":"y","more":1}}'"#;
        let Some(wired) = Wired::guard(agent, "PreToolUse", guard) else { return };
        let came = wired.call(&write(agent, "a b.txt"));
        assert_eq!(wired.place.read("project/seen"), "a b.txt", "{agent}");
        let mut wanted = write(agent, "b.txt")["args"].clone();
        wanted["content"] = json!("y");
        wanted["more"] = json!(1);
        assert_eq!(came.of(0)["args"], wanted, "{agent}: {}", came.0);
        // The agent's own name for it works as well.
        let own = if agent == "opencode" { "filePath" } else { "path" };
        let Some(wired) =
            Wired::guard(agent, "PreToolUse", &format!(r#"echo '{{"updated_input":{{"{own}":"c.txt"}}}}'"#))
        else {
            return;
        };
        let came = wired.call(&write(agent, "a.txt"));
        assert_eq!(came.of(0)["args"], write(agent, "c.txt")["args"], "{agent}: {}", came.0);
    }
    let guard = r#"jq -r .tool_input.old_string > seen; echo '{"updated_input":{"new_string":"c"}}'"#;
    let Some(wired) = Wired::guard("opencode", "PreToolUse", guard) else { return };
    let came = wired.call(&json!({"tool": "edit", "args": {"filePath": "f", "oldString": "a", "newString": "b"}}));
    assert_eq!(came.of(0)["args"], json!({"filePath": "f", "oldString": "a", "newString": "c"}));
    assert_eq!(wired.place.read("project/seen").trim_end(), "a");
}

/// A pattern's `path` is a directory to search.
#[test]
fn a_path_of_pi_is_a_files_only_with_the_tools_of_files() {
    let Some(wired) = Wired::guard("pi", "PreToolUse", r#"printf '%s' "${CRUSH_TOOL_INPUT_FILE_PATH-none}" > seen"#)
    else {
        return;
    };
    for (tool, seen) in [("read", "x"), ("edit", "x"), ("write", "x"), ("grep", "none"), ("ls", "none")] {
        wired.call(&json!({"tool": tool, "args": {"path": "x"}}));
        assert_eq!(wired.place.read("project/seen"), seen, "{tool}");
    }
}

#[test]
fn a_guard_that_did_not_do_its_work_is_seen() {
    let broken = |command: &str| json!({"hooks": {"PreToolUse": [{"command": command, "timeout": 1}]}});
    let mistaken = json!({"hooks": {"PreToolUse": [{"command": "exit 2", "matcher": "^Bash$"}]}});
    let cases = [
        (broken("exit 1"), "exit code 1"),
        (broken("no-such-program"), "not found"),
        (broken("sleep 9; exit 2"), "timed out after 1 s"),
        (mistaken, "matches no tool"),
        (json!("{"), "config"),
    ];
    for agent in AGENTS {
        for (config, shown) in &cases {
            let Some(wired) = Wired::new(agent, config, &["--user"]) else { return };
            let came = wired.call(&json!({"tool": "bash", "args": {"command": "echo"}, "ui": true}));
            assert_eq!(came.of(0)["ran"], true, "{agent}: {config}: {}", came.0);
            assert!(came.shown().contains(shown), "{agent}: {config}: {}", came.0);
            let place = if agent == "opencode" { "toast: " } else { "warning: " };
            assert!(came.shown().contains(place), "{agent}: {config}: {}", came.0);
            let mut closed = config.clone();
            if let Some(members) = closed.as_object_mut() {
                members.insert("fail_closed".to_owned(), json!(true));
                let Some(wired) = Wired::new(agent, &closed, &["--user"]) else { return };
                let came = wired.call(&bash("echo"));
                assert_eq!(came.of(0)["ran"], false, "{agent}: {closed}: {}", came.0);
            }
        }
    }
}

#[test]
fn a_hookshell_that_is_not_there_is_seen() {
    for agent in AGENTS {
        let Some(wired) = Wired::guard(agent, "PreToolUse", "exit 2") else { return };
        let nowhere = wired.place.path("nowhere");
        fs::create_dir(&nowhere).unwrap();
        let came = wired.calls_with_path(&json!([bash("echo")]), &nowhere);
        assert_eq!(came.of(0)["ran"], true, "{agent}: {}", came.0);
        assert!(came.shown().contains("hookshell was not started, and no hook has run"), "{agent}: {}", came.0);
    }
}

#[test]
fn a_hook_that_wants_the_user_asked_lets_nothing_through_unasked() {
    let ask = r#"echo '{"decision":"ask","reason":"sure?"}'"#;
    for agent in AGENTS {
        let Some(wired) = Wired::guard(agent, "PreToolUse", ask) else { return };
        let came = wired.call(&bash("echo"));
        assert_eq!(came.of(0)["ran"], false, "{agent}: {}", came.0);
        assert!(came.of(0)["reason"].as_str().is_some_and(|reason| reason.ends_with(": sure?")), "{agent}: {}", came.0);
    }
    let Some(wired) = Wired::guard("pi", "PreToolUse", ask) else { return };
    for confirms in [false, true] {
        let came = wired.call(&json!({"tool": "bash", "args": {}, "ui": true, "confirms": confirms}));
        assert_eq!(came.of(0)["ran"], confirms, "{}", came.0);
        assert!(came.shown().contains("asked: hookshell: bash: sure?"), "{}", came.0);
    }
}

#[test]
fn context_reaches_the_model_beside_the_result() {
    let hook = |text: &str| json!([{"command": format!("echo '{{\"context\":\"{text}\"}}'")}]);
    let config = json!({"hooks": {"PreToolUse": hook("before"), "PostToolUse": hook("after"), "PostToolUseFailure": hook("failed")}});
    for agent in AGENTS {
        let Some(wired) = Wired::new(agent, &config, &["--user"]) else { return };
        assert_eq!(wired.call(&bash("echo")).of(0)["result"], "out\nbefore\nafter", "{agent}");
    }
    let Some(wired) = Wired::new("pi", &config, &["--user"]) else { return };
    let came = wired.call(&json!({"tool": "bash", "args": {"command": "false"}, "fails": true}));
    assert_eq!(came.of(0)["result"], "out\nbefore\nfailed");
}

#[test]
fn hooks_get_the_session_the_result_and_the_directory() {
    for agent in AGENTS {
        let Some(wired) = Wired::guard(agent, "PostToolUse", "cat > seen") else { return };
        wired.call(&bash("echo"));
        let seen: Value = serde_json::from_str(&wired.place.read("project/seen")).unwrap();
        assert_eq!((&seen["session_id"], &seen["tool_name"]), (&json!("root"), &json!("bash")), "{agent}: {seen}");
        assert_eq!(
            (&seen["tool_response"], &seen["tool_input"]),
            (&json!("out"), &json!({"command": "echo"})),
            "{agent}"
        );
    }
}

#[test]
fn of_a_users_and_a_projects_plugin_one_runs_the_hooks() {
    let log = |event: &str| json!([{"command": format!("echo {event} >> seen")}]);
    let config = json!({"hooks": {"PreToolUse": log("before"), "PostToolUse": log("after")}});
    for agent in AGENTS {
        let Some(wired) = Wired::new(agent, &config, &["--user", "--project"]) else { return };
        wired.call(&bash("echo"));
        assert_eq!(wired.place.read("project/seen"), "before\nafter\n", "{agent}");
    }
}

#[test]
fn a_turn_that_is_interrupted_does_not_wait_for_a_hook_of_pi() {
    let Some(wired) = Wired::guard("pi", "PreToolUse", "sleep 30") else { return };
    let came = wired.call(&json!({"tool": "bash", "args": {"command": "echo"}, "cut": 300}));
    assert_eq!((&came.of(0)["ran"], &came.of(0)["reason"]), (&json!(false), &json!("interrupted")), "{}", came.0);
}
