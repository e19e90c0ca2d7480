//! Hooks of other agents' configs, run.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

use hookshell_runner::{Config, Decision, Dialect, Event, Runner, ToolInput, Verdict};
use tempfile::TempDir;

fn run(dir: &TempDir, dialect: Dialect, hooks: &serde_json::Value, event: &Event) -> Verdict {
    let mut config = Config::in_dialect(Some(dialect));
    let file = dir.path().join("plugin").join("hooks").join("hooks.json");
    let errors = config.add(&serde_json::json!({ "hooks": hooks }).to_string(), file);
    assert!(errors.is_empty(), "{errors:?}");
    Runner::builder().config(config).build().unwrap().run_blocking(event)
}

fn call(dir: &TempDir, command: &str) -> Event {
    let input = serde_json::json!({ "command": command, "timeout": 5 }).to_string();
    Event::pre_tool_use("bash", ToolInput::parse(&input).unwrap(), dir.path()).with_session_id("s1")
}

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_group_that_is_sequential_hands_the_input_on() {
    let dir = dir();
    let hooks = serde_json::json!({ "BeforeTool": [{ "sequential": true, "hooks": [
        { "type": "command", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"two\"}}}'" },
        { "type": "command", "command": "read -r p; case $p in (*'\"command\":\"two\"'*) echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"three\"}}}';; esac" },
        { "type": "command", "command": "read -r p; case $p in (*'\"command\":\"three\"'*) echo '{\"decision\":\"allow\"}';; (*) echo \"$p\" >&2; exit 2;; esac" },
    ] }] });
    let verdict = run(&dir, Dialect::Gemini, &hooks, &call(&dir, "one"));
    assert_eq!(verdict.opinion.decision, Some(Decision::Allow), "{verdict:?}");
    assert_eq!(verdict.updated_input().unwrap().get(), r#"{"command":"three"}"#);
}

#[test]
fn without_it_each_gets_the_input_as_it_was() {
    let dir = dir();
    let hooks = serde_json::json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"two\"}}}'" },
        { "type": "command", "command": "read -r p; case $p in (*'\"command\":\"one\"'*) exit 0;; esac; exit 2" },
    ] }] });
    let verdict = run(&dir, Dialect::Gemini, &hooks, &call(&dir, "one"));
    assert_eq!(verdict.opinion.decision, None, "{verdict:?}");
}

#[test]
fn copilots_hooks_run_in_order_and_replace_the_arguments() {
    let dir = dir();
    let hooks = serde_json::json!({ "preToolUse": [
        { "type": "command", "bash": "echo '{\"modifiedArgs\":{\"command\":\"two\"}}'" },
        { "type": "command", "bash": "read -r p; case $p in (*two*) exit 0;; esac; echo \"$p\" >&2; exit 2" },
    ] });
    let verdict = run(&dir, Dialect::Copilot, &hooks, &call(&dir, "one"));
    assert_eq!(verdict.opinion.decision, None, "{verdict:?}");
    assert_eq!(verdict.updated_input().unwrap().get(), r#"{"command":"two"}"#);
}

#[test]
fn copilots_hooks_stop_at_a_deny() {
    let dir = dir();
    let says = |output: &str| serde_json::json!({ "type": "command", "bash": format!("echo '{output}'") });
    let leaves = |mark: &str| serde_json::json!({ "type": "command", "bash": format!(": > {mark}") });
    for (decision, mark, stops) in [("deny", "a", true), ("ask", "b", true), ("allow", "c", false)] {
        let answer = says(&format!(r#"{{"permissionDecision":"{decision}","permissionDecisionReason":"first"}}"#));
        let hooks = serde_json::json!({ "preToolUse": [answer, leaves(mark), leaves("d")] });
        let verdict = run(&dir, Dialect::Copilot, &hooks, &call(&dir, "one"));
        assert_eq!(verdict.opinion.decision.map(Decision::as_str), Some(decision), "{verdict:?}");
        assert_eq!(verdict.opinion.reason.as_deref(), Some("first"), "{verdict:?}");
        assert_eq!(dir.path().join(mark).exists(), !stops, "{decision}");
        let told =
            verdict.hooks[1].opinion.reason.as_deref().is_some_and(|reason| reason.starts_with("it was not run"));
        assert_eq!((told, verdict.hooks.len()), (stops, 3), "{verdict:?}");
    }
}

#[test]
fn the_last_answer_of_copilots_hooks_counts() {
    let dir = dir();
    let says = |output: &str| serde_json::json!({ "type": "command", "bash": format!("echo '{output}'") });
    let (deny, allow) = (r#"{"behavior":"deny","message":"no"}"#, r#"{"behavior":"allow"}"#);
    let fails = serde_json::json!({ "type": "command", "bash": "exit 1" });
    let cases = [
        ("permissionRequest", vec![says(deny), says(allow)], Some(Decision::Allow)),
        ("permissionRequest", vec![says(allow), says(deny)], Some(Decision::Deny)),
        ("permissionRequest", vec![says(deny), says("{}")], Some(Decision::Deny)),
        // The hooks after one that fails are not asked.
        ("permissionRequest", vec![fails.clone(), says(allow)], Some(Decision::Deny)),
        (
            "agentStop",
            vec![says(r#"{"decision":"block","reason":"a"}"#), says(r#"{"decision":"allow"}"#)],
            Some(Decision::Allow),
        ),
        (
            "agentStop",
            vec![says(r#"{"decision":"block","reason":"a"}"#), says(r#"{"decision":"block","reason":"b"}"#)],
            Some(Decision::Deny),
        ),
        ("agentStop", vec![says(r#"{"decision":"block","reason":"a"}"#), fails], Some(Decision::Deny)),
    ];
    for (name, hooks, expected) in cases {
        let event = match name {
            "agentStop" => Event::stop(false, dir.path()),
            _ => Event::permission_request("bash", ToolInput::default(), dir.path()),
        };
        let verdict = run(&dir, Dialect::Copilot, &serde_json::json!({ name: hooks.clone() }), &event);
        assert_eq!(verdict.opinion.decision, expected, "{hooks:?}: {verdict:?}");
        let replaced = verdict.hooks[0].warnings.iter().any(|warning| warning.contains("of the later hook"));
        assert_eq!(replaced, verdict.hooks[0].opinion.decision.is_none(), "{verdict:?}");
    }
}

#[test]
fn a_copilot_hook_whose_directory_is_not_there_denies() {
    let dir = dir();
    let hooks = |event: &str| serde_json::json!({ event: [{ "type": "command", "bash": "exit 0", "cwd": "gone" }] });
    let verdict = run(&dir, Dialect::Copilot, &hooks("preToolUse"), &call(&dir, "one"));
    assert_eq!(verdict.opinion.decision, Some(Decision::Deny), "{verdict:?}");
    let verdict = run(&dir, Dialect::Copilot, &hooks("agentStop"), &Event::stop(false, dir.path()));
    assert_eq!((verdict.opinion.decision, verdict.hooks[0].outcome.as_str()), (None, "Spawn"), "{verdict:?}");
}

#[test]
fn an_updated_input_is_the_whole_input_or_a_part_of_it() {
    let dir = dir();
    let says = |output: &str| format!("echo '{output}'");
    let cases = [
        (
            Dialect::Claude,
            serde_json::json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": says(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"x"}}}"#) }] }] }),
            r#"{"command":"x"}"#,
        ),
        (
            Dialect::Gemini,
            serde_json::json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": says(r#"{"hookSpecificOutput":{"tool_input":{"command":"x"}}}"#) }] }] }),
            r#"{"command":"x"}"#,
        ),
        (
            Dialect::Codex,
            serde_json::json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": says(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"x"}}}"#) }] }] }),
            r#"{"command":"x"}"#,
        ),
        (
            Dialect::Cursor,
            serde_json::json!({ "preToolUse": [{ "command": says(r#"{"updated_input":{"command":"x"}}"#) }] }),
            r#"{"command":"x"}"#,
        ),
        (
            Dialect::Native,
            serde_json::json!({ "PreToolUse": [{ "command": says(r#"{"updated_input":{"command":"x"}}"#) }] }),
            r#"{"command":"x","timeout":5}"#,
        ),
    ];
    for (dialect, hooks, expected) in cases {
        let verdict = run(&dir, dialect, &hooks, &call(&dir, "one"));
        assert_eq!(verdict.updated_input().unwrap().get(), expected, "{dialect}");
    }
}

#[test]
fn hooks_that_are_the_same_run_once_where_the_agent_does_so() {
    let dir = dir();
    let twice = |event: &str, hook: serde_json::Value| serde_json::json!({ event: [hook.clone(), hook] });
    let group = serde_json::json!({ "hooks": [{ "type": "command", "command": "true" }] });
    let flat = serde_json::json!({ "command": "true" });
    let cases = [
        (Dialect::Claude, twice("PreToolUse", group.clone()), 1),
        (Dialect::Codex, twice("PreToolUse", group.clone()), 2),
        (Dialect::Gemini, twice("BeforeTool", group), 1),
        (Dialect::Cursor, twice("preToolUse", flat.clone()), 2),
        (Dialect::Copilot, twice("preToolUse", flat), 2),
    ];
    for (dialect, hooks, expected) in cases {
        assert_eq!(run(&dir, dialect, &hooks, &call(&dir, "x")).hooks.len(), expected, "{dialect}");
    }
}

#[test]
fn plugins_find_their_dir_in_variables_and_in_arguments() {
    let dir = dir();
    let hooks = serde_json::json!({ "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "echo \"${CLAUDE_PLUGIN_ROOT##*[/\\\\]} ${CLAUDE_PROJECT_DIR:+set}\" >&2; exit 2" },
        { "type": "command", "command": "test", "args": ["${CLAUDE_PLUGIN_ROOT}/$x y", "=", "${CLAUDE_PLUGIN_ROOT}/$x y"] },
    ] }] });
    let verdict = run(&dir, Dialect::Claude, &hooks, &call(&dir, "x"));
    assert_eq!(verdict.opinion.reason.as_deref(), Some("plugin set"));
    assert_eq!(verdict.hooks[1].exit_code, Some(0), "{:?}", verdict.hooks[1]);
}

#[test]
fn a_guard_of_cursors_that_fails_closed_denies() {
    let dir = dir();
    for (fail_closed, expected) in [(true, Some(Decision::Deny)), (false, None)] {
        let hooks = serde_json::json!({ "beforeShellExecution": [{ "command": "exit 1", "failClosed": fail_closed }] });
        assert_eq!(run(&dir, Dialect::Cursor, &hooks, &call(&dir, "x")).opinion.decision, expected);
    }
}

#[test]
fn types_that_are_not_run_are_in_the_verdict() {
    let dir = dir();
    let hooks = serde_json::json!({ "PreToolUse": [{ "hooks": [
        { "type": "http", "url": "http://127.0.0.1:9/x" },
        { "type": "mcp_tool", "server": "s", "tool": "t", "on_failure": "deny" },
    ] }] });
    let verdict = run(&dir, Dialect::Claude, &hooks, &call(&dir, "x"));
    assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
    let outcomes: Vec<&str> = verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect();
    // The server is asked, and is not there.
    assert_eq!(outcomes, ["Http", "Unsupported"]);
}

#[test]
fn what_only_gemini_knows_is_handed_on() {
    let dir = dir();
    let says = |output: serde_json::Value| {
        let output = serde_json::json!({ "hookSpecificOutput": output }).to_string();
        serde_json::json!({ "hooks": [{ "type": "command", "command": format!("echo '{output}'") }] })
    };
    let deny = serde_json::json!({ "hooks": [{ "type": "command", "command": "echo no >&2; exit 2" }] });
    let request = |model: &str| says(serde_json::json!({ "llm_request": { "model": model } }));
    let answer = says(serde_json::json!({ "llm_response": { "text": "mine" } }));
    let tools = says(serde_json::json!({ "toolConfig": { "mode": "ANY" } }));
    let allows = |mode: &str, names: &[&str]| {
        says(serde_json::json!({ "toolConfig": { "mode": mode, "allowedFunctionNames": names } }))
    };
    let cases = [
        (
            "BeforeModel",
            serde_json::json!([request("flash"), request("pro")]),
            serde_json::json!({ "llm_request": { "model": "pro" } }),
        ),
        // A request that is not made has no changes; the answer that is to be used instead stays.
        (
            "BeforeModel",
            serde_json::json!([request("flash"), answer, deny]),
            serde_json::json!({ "llm_response": { "text": "mine" } }),
        ),
        ("AfterModel", serde_json::json!([answer]), serde_json::json!({ "llm_response": { "text": "mine" } })),
        ("BeforeToolSelection", serde_json::json!([tools]), serde_json::json!({ "toolConfig": { "mode": "ANY" } })),
        (
            "BeforeToolSelection",
            serde_json::json!([allows("ANY", &["b", "a"]), allows("AUTO", &["c", "a"])]),
            serde_json::json!({ "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["a", "b", "c"] } }),
        ),
        (
            "BeforeToolSelection",
            serde_json::json!([allows("NONE", &[]), allows("ANY", &["a"])]),
            serde_json::json!({ "toolConfig": { "mode": "NONE", "allowedFunctionNames": [] } }),
        ),
        ("BeforeToolSelection", serde_json::json!([request("pro")]), serde_json::Value::Null),
    ];
    for (dialect_event_name, groups, expected) in cases {
        let (_, name) = Dialect::Gemini.event(dialect_event_name).unwrap();
        let event = Event::other(name, None, dir.path());
        let verdict = run(&dir, Dialect::Gemini, &serde_json::json!({ dialect_event_name: groups }), &event);
        let json: serde_json::Value = serde_json::from_str(&verdict.to_json()).unwrap();
        assert_eq!(json["agent_output"], expected, "{dialect_event_name} {groups}");
        let rendered: serde_json::Value = serde_json::from_str(&verdict.render(Dialect::Gemini).stdout).unwrap();
        for (key, value) in expected.as_object().into_iter().flatten() {
            assert_eq!(&rendered["hookSpecificOutput"][key], value, "{dialect_event_name}: {rendered}");
        }
    }
}

#[test]
fn codexs_notify_is_told_of_the_end_of_a_turn() {
    let dir = dir();
    let out = dir.path().join("out").display().to_string().replace('\\', "/");
    std::fs::write(dir.path().join("notify.sh"), format!("printf '%s|' \"$#\" \"$@\" >'{out}'\n")).unwrap();
    let script = dir.path().join("notify.sh").display().to_string().replace('\\', "/");
    let config = format!("model = \"m\"\nnotify = [\"{script}\", \"a b\"]\n");
    let config = Config::parse(&config, dir.path().join("config.toml")).unwrap();
    assert_eq!(config.warnings(), []);
    let runner = Runner::builder().config(config).build().unwrap();
    let event = Event::stop(false, dir.path()).with_session_id("s1").with_last_message("it's \"done\"");
    let verdict = runner.run_blocking(&event);
    assert_eq!((verdict.hooks[0].outcome.as_str(), verdict.opinion.decision), ("Started", None));
    runner.wait_for_background(&|| false);
    let said = std::fs::read_to_string(dir.path().join("out")).unwrap();
    let words: Vec<&str> = said.split('|').collect();
    assert_eq!(&words[..2], ["2", "a b"], "{said}");
    let payload: serde_json::Value = serde_json::from_str(words[2]).unwrap();
    let expected = serde_json::json!({
        "type": "agent-turn-complete", "thread-id": "s1", "turn-id": "", "cwd": dir.path(), "input-messages": [],
        "last-assistant-message": "it's \"done\"",
    });
    assert_eq!(payload, expected);

    let error = Config::parse("notify = \"x\"\n", "config.toml").unwrap_err().to_string();
    assert_eq!(error, "config.toml:1:10: `notify` must be an array of strings, found a string");
}

#[test]
fn cursors_hooks_run_in_the_project_or_beside_their_file() {
    let root = dir();
    let project = root.path().join("project");
    let (own, theirs) = (project.join(".cursor"), root.path().join("home").join(".cursor"));
    for dir in [&own, &theirs, &project.join("sub")] {
        std::fs::create_dir_all(dir).unwrap();
    }
    std::fs::write(project.join("here"), "project").unwrap();
    std::fs::write(theirs.join("here"), "home").unwrap();
    let hooks = serde_json::json!({ "version": 1, "hooks": { "preToolUse": [{ "command": "read -r x <here; echo \"$x\" >&2; exit 2" }] } });
    let mut config = Config::default();
    for dir in [&theirs, &own] {
        assert!(config.add(&hooks.to_string(), dir.join("hooks.json")).is_empty());
    }
    let runner = Runner::builder().config(config).build().unwrap();
    let event = Event::pre_tool_use("bash", ToolInput::default(), project.join("sub")).with_project_dir(&project);
    assert_eq!(runner.run_blocking(&event).opinion.reason.as_deref(), Some("home\nproject"));
}

#[test]
fn a_hook_that_takes_too_long_has_no_opinion_unless_it_fails_closed() {
    let dir = dir();
    let group = |timeout: f64| serde_json::json!([{ "hooks": [{ "type": "command", "command": "sleep 600", "timeout": timeout }] }]);
    let flat = |more: &str| {
        serde_json::from_str::<serde_json::Value>(&format!(
            "[{{\"type\":\"command\",\"command\":\"sleep 600\",{more}}}]"
        ))
        .unwrap()
    };
    let cases = [
        (Dialect::Native, serde_json::json!({ "PreToolUse": [{ "command": "sleep 600", "timeout": 0.1 }] }), None),
        (Dialect::Claude, serde_json::json!({ "PreToolUse": group(0.1) }), None),
        // Whole seconds, and at least one.
        (
            Dialect::Codex,
            serde_json::json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": "sleep 600", "timeout": 0 }] }] }),
            None,
        ),
        (Dialect::Gemini, serde_json::json!({ "BeforeTool": group(100.0) }), None),
        (Dialect::Cursor, serde_json::json!({ "preToolUse": flat(r#""timeout":0.1"#) }), None),
        (
            Dialect::Cursor,
            serde_json::json!({ "preToolUse": flat(r#""timeout":0.1,"failClosed":true"#) }),
            Some(Decision::Deny),
        ),
        (Dialect::Copilot, serde_json::json!({ "preToolUse": flat(r#""timeoutSec":0.1"#) }), None),
    ];
    for (dialect, hooks, expected) in cases {
        let verdict = run(&dir, dialect, &hooks, &call(&dir, "one"));
        assert_eq!(verdict.hooks[0].outcome.as_str(), "TimedOut", "{dialect}: {verdict:?}");
        assert_eq!(verdict.opinion.decision, expected, "{dialect}");
    }
}

#[test]
fn a_model_is_not_switched_where_the_guard_takes_too_long() {
    let dir = dir();
    let hooks = |event: &str| serde_json::json!({ event: [{ "hooks": [{ "type": "command", "command": "sleep 600", "timeout": 0.1 }] }] });
    for (name, expected) in [("PreModelSwitch", Some(Decision::Deny)), ("PostModelSwitch", None)] {
        let (_, event) = Dialect::Claude.event(name).unwrap();
        let event = Event::other(event, Some("big".to_owned()), dir.path());
        let verdict = run(&dir, Dialect::Claude, &hooks(name), &event);
        assert_eq!(verdict.hooks[0].outcome.as_str(), "TimedOut", "{name}: {verdict:?}");
        assert_eq!(verdict.opinion.decision, expected, "{name}");
    }
}

#[test]
fn what_is_shown_instead_is_handed_on() {
    let dir = dir();
    let says = r#"echo '{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"***"}}'"#;
    let hooks = serde_json::json!({ "MessageDisplay": [{ "hooks": [{ "type": "command", "command": says }] }] });
    let event = Event::other(hookshell_runner::EventKind::MessageDisplay, None, dir.path());
    let verdict = run(&dir, Dialect::Claude, &hooks, &event);
    let json: serde_json::Value = serde_json::from_str(&verdict.to_json()).unwrap();
    assert_eq!(json["agent_output"], serde_json::json!({ "displayContent": "***" }));
    let rendered = verdict.render(Dialect::Claude).stdout;
    assert_eq!(rendered, r#"{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"***"}}"#);
}

#[test]
fn events_are_known_in_the_case_of_their_agent() {
    let cases = [
        (Dialect::Claude, &["PreToolUse"][..]),
        (Dialect::Codex, &["PreToolUse"]),
        (Dialect::Gemini, &["BeforeTool"]),
        (Dialect::Cursor, &["preToolUse"]),
        (Dialect::Copilot, &["preToolUse", "PreToolUse"]),
    ];
    for (dialect, names) in cases {
        for name in names {
            let (own, ours) = dialect.event(name).unwrap_or_else(|| panic!("{dialect} {name}"));
            assert_eq!(ours, hookshell_runner::EventKind::PreToolUse, "{dialect} {name}");
            assert_eq!(own, *name, "{dialect}");
        }
    }
}

#[test]
fn a_guard_that_is_not_there_denies_where_every_failing_exit_code_does() {
    let dir = dir();
    let missing = |event: &str| {
        let hook = serde_json::json!([{ "type": "command", "command": "./gone.sh" }]);
        serde_json::json!({ event: hook })
    };
    let verdict = run(&dir, Dialect::Copilot, &missing("preToolUse"), &call(&dir, "one"));
    assert_eq!(
        (verdict.opinion.decision, verdict.hooks[0].exit_code),
        (Some(Decision::Deny), Some(127)),
        "{verdict:?}"
    );
    for (dialect, event) in [(Dialect::Native, "PreToolUse"), (Dialect::Cursor, "preToolUse")] {
        let verdict = run(&dir, dialect, &missing(event), &call(&dir, "one"));
        assert_eq!((verdict.opinion.decision, verdict.hooks[0].outcome.as_str()), (None, "NotFound"), "{verdict:?}");
    }
}
