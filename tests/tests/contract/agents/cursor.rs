//! Cursor.

use hookshell_runner::Dialect::Cursor;
use serde_json::{Value, json};

use super::check;

fn hook(event: &str, hook: Value) -> Value {
    json!({ "version": 1, "hooks": { event: [hook] } })
}

fn shell(command: &str) -> Value {
    json!({ "conversation_id": "c", "generation_id": "g", "hook_event_name": "beforeShellExecution", "command": command,
        "cwd": "", "workspace_roots": [], "user_email": null })
}

#[test]
fn before_a_shell_command() {
    let guard = r#"c=$(jq -r .command); case $c in
        git\ push*) echo '{"permission":"ask","user_message":"push?"}' ;;
        *sudo*) jq -nc --arg c "$c" '{permission: "deny", user_message: "no sudo", agent_message: ("not " + $c)}' ;;
        *) echo '{"permission":"allow"}' ;; esac"#;
    let event = "beforeShellExecution";
    check(
        Cursor,
        &[
            (
                "a guard",
                event,
                hook(event, json!({ "command": guard })),
                &[
                    (shell("ls"), "0 allow"),
                    (shell("git push"), "0 ask reason=push?"),
                    (shell("sudo \"é\""), "2 deny reason=not sudo \"é\" system_message=no sudo"),
                ],
            ),
            (
                "a matcher on the command",
                event,
                hook(event, json!({ "command": "echo no net >&2; exit 2", "matcher": "curl|wget" })),
                &[(shell("ls"), "0 -"), (shell("x; curl y"), "2 deny reason=no net")],
            ),
            ("open", event, hook(event, json!({ "command": "exit 1" })), &[(shell("ls"), "0 -")]),
        ],
    );
}

#[test]
fn mcp_tools_files_and_prompts() {
    let mcp = |input: &str| json!({ "hook_event_name": "beforeMCPExecution", "tool_name": "q", "tool_input": input, "url": "u" });
    let file = |path: &str| json!({ "hook_event_name": "beforeReadFile", "file_path": path, "content": "x", "attachments": [] });
    let read = r#"jq -c '{permission: (if (.file_path | test("\\.(env|pem)$")) then "deny" else "allow" end)}'"#;
    check(
        Cursor,
        &[
            (
                "an MCP tool's input: an object as text, and a text",
                "beforeMCPExecution",
                hook("beforeMCPExecution", json!({ "command": "jq -r .tool_input >&2; exit 2" })),
                &[(mcp(r#"{"a":1}"#), r#"2 deny reason={"a":1}"#), (mcp("plain"), "2 deny reason=plain")],
            ),
            (
                "files",
                "beforeReadFile",
                hook("beforeReadFile", json!({ "command": read })),
                &[(file("/p/a.rs"), "0 allow"), (file("/p/ü/.env"), "2 deny")],
            ),
            (
                "prompts",
                "beforeSubmitPrompt",
                hook(
                    "beforeSubmitPrompt",
                    json!({ "command": r#"jq -c '{continue: (.prompt | contains("SECRET") | not), user_message: "no"}'"# }),
                ),
                &[(
                    json!({ "prompt": "a SECRET", "attachments": [{ "type": "file", "file_path": "x" }] }),
                    "2 deny reason=no",
                )],
            ),
        ],
    );
}
