//! Codex.

use hookshell_runner::Dialect::Codex;
use serde_json::{Value, json};

use super::{check, command, group};

fn call(tool: &str, command: impl Into<Value>) -> Value {
    json!({ "session_id": "s", "turn_id": "t", "transcript_path": null, "hook_event_name": "PreToolUse", "model": "m",
        "permission_mode": "default", "tool_name": tool, "tool_use_id": "u", "tool_input": { "command": command.into() } })
}

#[test]
fn guards_before_a_tool() {
    let patch = r#"jq -r .tool_input.command | sed -n 's/^\*\*\* \(Add\|Update\|Delete\) File: //p' | grep -q '^migrations/' && { echo 'no old migrations' >&2; exit 2; }; exit 0"#;
    check(
        Codex,
        &[
            (
                "a reason makes exit code 2 a block",
                "PreToolUse",
                group(
                    "PreToolUse",
                    "^Bash$",
                    command("c=$(jq -r .tool_input.command); [ \"$c\" = quiet ] || echo no >&2; exit 2"),
                ),
                &[
                    (call("Bash", "ls"), "2 deny reason=no"),
                    (call("Bash", "quiet"), "0 -"),
                    (call("apply_patch", "x"), "0 -"),
                ],
            ),
            (
                "patches",
                "PreToolUse",
                group("PreToolUse", "Edit|Write", command(patch)),
                &[
                    (
                        call("apply_patch", "*** Begin Patch\n*** Update File: migrations/1.sql\n"),
                        "2 deny reason=no old migrations",
                    ),
                    (call("apply_patch", "*** Begin Patch\n*** Add File: src/é.rs\n"), "0 -"),
                ],
            ),
            (
                "what it does not know fails",
                "PreToolUse",
                group("PreToolUse", "", command(r#"jq -c .tool_input.command.says"#)),
                &[
                    (call("Bash", json!({ "says": { "decision": "block", "reason": "no" } })), "2 deny reason=no"),
                    (call("Bash", json!({ "says": { "unknown": 1 } })), "0 -"),
                    (
                        call(
                            "Bash",
                            json!({ "says": { "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "ask" } } }),
                        ),
                        "0 -",
                    ),
                ],
            ),
            (
                "a text as input",
                "PreToolUse",
                group("PreToolUse", "", command(r#"jq -r '.tool_input | strings | "text: " + .' >&2; exit 2"#)),
                &[(json!({ "tool_name": "js_repl", "tool_input": "1 + 1" }), "2 deny reason=text: 1 + 1")],
            ),
        ],
    );
}

#[test]
fn the_end_of_a_turn() {
    let gate = r#"[ "$(jq -r .stop_hook_active)" = true ] || echo '{"decision":"block","reason":"go on"}'"#;
    check(
        Codex,
        &[(
            "a gate",
            "Stop",
            group("Stop", "", command(gate)),
            &[
                (json!({ "stop_hook_active": false, "last_assistant_message": null }), "2 deny reason=go on"),
                (json!({ "stop_hook_active": true }), "0 -"),
            ],
        )],
    );
}
