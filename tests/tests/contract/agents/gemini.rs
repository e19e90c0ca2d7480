//! Gemini CLI.

use hookshell_runner::Dialect::Gemini;
use serde_json::{Value, json};

use super::{check, command, group};

fn shell(command: &str) -> Value {
    json!({ "session_id": "s", "transcript_path": "/t", "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00Z",
        "tool_name": "run_shell_command", "tool_input": { "command": command, "description": null } })
}

#[test]
fn guards_and_rewrites_before_a_tool() {
    let guard = r#"input=$(cat); if jq -e '.tool_input.command | test("git +push.*--force")' <<< "$input" > /dev/null; then
        echo '{"decision":"deny","reason":"no forced push"}'; else echo '{}'; fi"#;
    let rewrite = r#"jq -c '{decision: "allow", hookSpecificOutput: {hookEventName: "BeforeTool", tool_input: {command: (.tool_input.command | sub("^npm "; "pnpm "))}}}'"#;
    check(
        Gemini,
        &[
            (
                "a forced push",
                "BeforeTool",
                group("BeforeTool", "run_shell_command", command(guard)),
                &[
                    (shell("git push"), "0 -"),
                    (shell("git push origin \"é\" --force"), "2 deny reason=no forced push"),
                    (shell("a\n'b'\n\\"), "0 -"),
                ],
            ),
            (
                "another input: replaced",
                "BeforeTool",
                group("BeforeTool", "*", command(rewrite)),
                &[(shell("npm ci"), r#"0 allow updated_input={"command":"pnpm ci"}"#)],
            ),
            (
                "exit codes",
                "BeforeTool",
                group("BeforeTool", "run_shell_.*", command("echo said >&2; exit $(jq -r .tool_input.command)")),
                &[(shell("2"), "2 deny reason=said"), (shell("1"), "0 -"), (shell("49"), "2 deny reason=said")],
            ),
            (
                "a timeout in milliseconds",
                "BeforeTool",
                group("BeforeTool", "*", json!({ "type": "command", "command": "sleep 20; exit 2", "timeout": 300 })),
                &[(shell("ls"), "0 -")],
            ),
        ],
    );
}

#[test]
fn context_before_an_agent_and_retries_after_it() {
    let context =
        r#"jq -c '{hookSpecificOutput: {hookEventName: "BeforeAgent", additionalContext: ("asked: " + .prompt)}}'"#;
    check(
        Gemini,
        &[
            (
                "context",
                "BeforeAgent",
                group("BeforeAgent", "*", command(context)),
                &[(json!({ "prompt": "x\n\"☃\"" }), "0 - context=asked: x\n\"☃\"")],
            ),
            (
                "a retry",
                "AfterAgent",
                group("AfterAgent", "*", command(r#"echo '{"decision":"deny","reason":"cite sources"}'"#)),
                &[(
                    json!({ "prompt": "p", "prompt_response": "r", "stop_hook_active": false }),
                    "2 deny reason=cite sources",
                )],
            ),
        ],
    );
}
