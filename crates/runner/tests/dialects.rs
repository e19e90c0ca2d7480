//! Hooks of other agents' configs, run.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

use hookshell_runner::{Config, Decision, Dialect, HookEvent, Runner, ToolInput, Verdict};
use tempfile::TempDir;

fn run(folder: &TempDir, dialect: Dialect, hooks: &serde_json::Value, event: &HookEvent) -> Verdict {
    let mut config = Config::in_dialect(Some(dialect));
    let file = folder.path().join("plugin").join("hooks").join("hooks.json");
    let errors = config.add(&serde_json::json!({ "hooks": hooks }).to_string(), file);
    assert!(errors.is_empty(), "{errors:?}");
    Runner::builder().config(config).build().unwrap().run_blocking(event)
}

fn call(folder: &TempDir, command: &str) -> HookEvent {
    let input = serde_json::json!({ "command": command, "timeout": 5 }).to_string();
    HookEvent::pre_tool_use("bash", ToolInput::parse(&input).unwrap(), folder.path()).with_session_id("s1")
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_group_that_is_sequential_hands_the_input_on() {
    let folder = folder();
    let hooks = serde_json::json!({ "BeforeTool": [{ "sequential": true, "hooks": [
        { "type": "command", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"two\"}}}'" },
        { "type": "command", "command": "read -r p; case $p in (*'\"command\":\"two\"'*) echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"three\"}}}';; esac" },
        { "type": "command", "command": "read -r p; case $p in (*'\"command\":\"three\"'*) echo '{\"decision\":\"allow\"}';; (*) echo \"$p\" >&2; exit 2;; esac" },
    ] }] });
    let verdict = run(&folder, Dialect::Gemini, &hooks, &call(&folder, "one"));
    assert_eq!(verdict.decision, Some(Decision::Allow), "{verdict:?}");
    assert_eq!(verdict.updated_input.unwrap().get(), r#"{"command":"three","timeout":5}"#);
}

#[test]
fn without_it_each_gets_the_input_as_it_was() {
    let folder = folder();
    let hooks = serde_json::json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"two\"}}}'" },
        { "type": "command", "command": "read -r p; case $p in (*'\"command\":\"one\"'*) exit 0;; esac; exit 2" },
    ] }] });
    let verdict = run(&folder, Dialect::Gemini, &hooks, &call(&folder, "one"));
    assert_eq!(verdict.decision, None, "{verdict:?}");
}

#[test]
fn copilots_hooks_run_in_order_and_replace_the_arguments() {
    let folder = folder();
    let hooks = serde_json::json!({ "preToolUse": [
        { "type": "command", "bash": "echo '{\"modifiedArgs\":{\"command\":\"two\"}}'" },
        { "type": "command", "bash": "read -r p; case $p in (*two*) exit 0;; esac; echo \"$p\" >&2; exit 2" },
    ] });
    let verdict = run(&folder, Dialect::Copilot, &hooks, &call(&folder, "one"));
    assert_eq!(verdict.decision, None, "{verdict:?}");
    assert_eq!(verdict.updated_input.unwrap().get(), r#"{"command":"two"}"#);
}

#[test]
fn an_updated_input_is_the_whole_input_or_a_part_of_it() {
    let folder = folder();
    let says = |output: &str| format!("echo '{output}'");
    let cases = [
        (
            Dialect::Claude,
            serde_json::json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": says(r#"{"hookSpecificOutput":{"updatedInput":{"command":"x"}}}"#) }] }] }),
            r#"{"command":"x"}"#,
        ),
        (
            Dialect::Gemini,
            serde_json::json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": says(r#"{"hookSpecificOutput":{"tool_input":{"command":"x"}}}"#) }] }] }),
            r#"{"command":"x","timeout":5}"#,
        ),
    ];
    for (dialect, hooks, expected) in cases {
        let verdict = run(&folder, dialect, &hooks, &call(&folder, "one"));
        assert_eq!(verdict.updated_input.unwrap().get(), expected, "{dialect}");
    }
}

#[test]
fn hooks_that_are_the_same_run_once_where_the_agent_does_so() {
    let folder = folder();
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
        assert_eq!(run(&folder, dialect, &hooks, &call(&folder, "x")).hooks.len(), expected, "{dialect}");
    }
}

#[test]
fn plugins_find_their_folder_in_variables_and_in_arguments() {
    let folder = folder();
    let hooks = serde_json::json!({ "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "echo \"${CLAUDE_PLUGIN_ROOT##*[/\\\\]} ${CLAUDE_PROJECT_DIR:+set}\" >&2; exit 2" },
        { "type": "command", "command": "test", "args": ["${CLAUDE_PLUGIN_ROOT}/$x y", "=", "${CLAUDE_PLUGIN_ROOT}/$x y"] },
    ] }] });
    let verdict = run(&folder, Dialect::Claude, &hooks, &call(&folder, "x"));
    assert_eq!(verdict.reason.as_deref(), Some("plugin set"));
    assert_eq!(verdict.hooks[1].exit_code, Some(0), "{:?}", verdict.hooks[1]);
}

#[test]
fn a_guard_of_cursors_that_fails_closed_denies() {
    let folder = folder();
    for (fail_closed, expected) in [(true, Some(Decision::Deny)), (false, None)] {
        let hooks = serde_json::json!({ "beforeShellExecution": [{ "command": "exit 1", "failClosed": fail_closed }] });
        assert_eq!(run(&folder, Dialect::Cursor, &hooks, &call(&folder, "x")).decision, expected);
    }
}

#[test]
fn types_that_are_not_run_are_in_the_verdict() {
    let folder = folder();
    let hooks = serde_json::json!({ "PreToolUse": [{ "hooks": [
        { "type": "http", "url": "http://127.0.0.1:9/x" },
        { "type": "mcp_tool", "server": "s", "tool": "t", "on_failure": "deny" },
    ] }] });
    let verdict = run(&folder, Dialect::Claude, &hooks, &call(&folder, "x"));
    assert_eq!(verdict.decision, Some(Decision::Deny));
    let outcomes: Vec<&str> = verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect();
    assert_eq!(outcomes, ["Unsupported", "Unsupported"]);
}
