//! `hookshell run` with a hook that is a Python module.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test helpers: a panic fails the test, and a skip is printed"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use serde_json::Value;
use support::hookshell;

#[test]
fn a_python_module_decides() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let module = "from hookshell import BlockToolResult\n\
                  def check(event, ctx):\n    print('seen')\n    return BlockToolResult(reason=event.input['command'])\n\
                  def register(hooks):\n    hooks.on_tool_call(check)\n";
    std::fs::write(dir.path().join("gate.py"), module).unwrap();
    let config = r#"{"hooks":{"PreToolUse":[{"type":"module","module":"gate.py","timeout":60}]}}"#;
    std::fs::write(dir.path().join("c.json"), config).unwrap();
    let args = ["run", "PreToolUse", "--config", "c.json", "--tool", "bash", "--input", r#"{"command":"ls"}"#];
    let output = hookshell(args).cwd(dir.path()).output();
    assert_eq!(output.code, Some(2), "{output:?}");
    let verdict: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(verdict["reason"], "ls");
    assert_eq!(verdict["hooks"][0]["name"], "gate.py");
}

#[test]
fn a_hook_file_that_registers_handlers_is_a_module() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let module = "from hookshell import BlockToolResult\n\
                  # hookshell: {\"timeout\": 60}\n\
                  def check(event, ctx):\n    return BlockToolResult(reason=event.input['command'])\n\
                  def start(event, ctx):\n    return {'context': event.reason}\n\
                  def register(hooks):\n    hooks.on_tool_call(check)\n    hooks.on_session(start)\n";
    std::fs::write(dir.path().join("gate.py"), module).unwrap();
    let args =
        ["run", "PreToolUse", "--no-hooks", "--hook", "gate.py", "--tool", "bash", "--input", r#"{"command":"ls"}"#];
    let output = hookshell(args).cwd(dir.path()).output();
    let verdict: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &verdict["reason"]), (Some(2), &"ls".into()), "{output:?}");
    let output = hookshell(["run", "SessionStart", "--no-hooks", "--hook", "gate.py"]).cwd(dir.path()).output();
    let verdict: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &verdict["context"]), (Some(0), &"start".into()), "{output:?}");
}
