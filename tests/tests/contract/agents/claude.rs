//! Claude Code.

use hookshell_runner::Dialect::Claude;
use serde_json::{Value, json};

use super::{check, command, group};

fn bash(command: impl Into<Value>) -> Value {
    json!({ "session_id": "s", "transcript_path": "/t.jsonl", "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": command.into(), "description": null }, "tool_use_id": "toolu_1" })
}

fn edit(tool: &str, file: &str) -> Value {
    json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": { "file_path": file, "content": "x" } })
}

const RM_GUARD: &str = r#"cmd=$(jq -r '.tool_input.command // empty')
if echo "$cmd" | grep -qE '(^|[;&|[:space:]])rm[[:space:]]+-[a-zA-Z]*(rf|fr)'; then
  echo "Blocked: destructive command" >&2
  exit 2
fi"#;

const PROTECTED: &str = r#"set -euo pipefail
input=$(cat); file=$(jq -r '.tool_input.file_path' <<< "$input")
case "$file" in
  *.env|*.env.*|*/.git/*|*package-lock.json) jq -n --arg f "$file" '{hookSpecificOutput: {hookEventName: "PreToolUse",
    permissionDecision: "deny", permissionDecisionReason: "protected: \($f)"}}' ;;
esac"#;

const SECRETS: &str = r#"jq -r '.tool_input | .content // .new_string // .command // ""' |
  grep -qE 'AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----' && { echo 'a secret' >&2; exit 2; }; exit 0"#;

#[test]
fn guards_before_a_tool() {
    let padded = format!("{}; rm -rf /", "x".repeat(200_000));
    check(
        Claude,
        &[
            (
                "rm -rf",
                "PreToolUse",
                group("PreToolUse", "Bash", command(RM_GUARD)),
                &[
                    (bash("ls -la"), "0 -"),
                    (bash("cd /tmp && rm -rf ~"), "2 deny reason=Blocked: destructive command"),
                    (bash("echo 'é\n\"q\"'\nrm -fr x"), "2 deny reason=Blocked: destructive command"),
                    (bash(padded), "2 deny reason=Blocked: destructive command"),
                    (bash(Value::Null), "0 -"),
                    (edit("Write", "rm -rf"), "0 -"),
                ],
            ),
            (
                "protected files",
                "PreToolUse",
                group("PreToolUse", "Edit|MultiEdit|Write", command(PROTECTED)),
                &[
                    (edit("Edit", "/p/src/main.rs"), "0 -"),
                    (edit("Write", "/p/.env"), "2 deny reason=protected: /p/.env"),
                    (edit("MultiEdit", "/p/ü \"x\"/.git/config"), "2 deny reason=protected: /p/ü \"x\"/.git/config"),
                    (edit("NotebookEdit", "/p/.env"), "0 -"),
                ],
            ),
            (
                "secrets",
                "PreToolUse",
                group("PreToolUse", "*", command(SECRETS)),
                &[
                    (bash("echo AKIA"), "0 -"),
                    (bash("export K=AKIAABCDEFGHIJKLMNOP"), "2 deny reason=a secret"),
                    (json!({ "tool_name": "mcp__x__put", "tool_input": ["odd"] }), "0 -"),
                ],
            ),
            (
                "a condition",
                "PreToolUse",
                group(
                    "PreToolUse",
                    "Bash",
                    json!({ "type": "command", "command": "echo 'open a pull request' >&2; exit 2", "if": "Bash(git push *)" }),
                ),
                &[
                    (bash("git status"), "0 -"),
                    (bash("git push origin main"), "2 deny reason=open a pull request"),
                    (bash("cd sub && git push --force"), "2 deny reason=open a pull request"),
                ],
            ),
            (
                "MCP tools",
                "PreToolUse",
                group("PreToolUse", "mcp__.*__(write|delete).*", command("echo 'read only' >&2; exit 2")),
                &[
                    (json!({ "tool_name": "mcp__fs__read_file", "tool_input": {} }), "0 -"),
                    (json!({ "tool_name": "mcp__fs__write_file", "tool_input": {} }), "2 deny reason=read only"),
                    (json!({ "tool_name": "mcp__db__delete", "tool_input": null }), "2 deny reason=read only"),
                ],
            ),
        ],
    );
}

#[test]
fn what_a_hook_may_answer_before_a_tool() {
    let says = |said: &str| group("PreToolUse", "", command(&format!("cat > /dev/null; printf '%s' '{said}'")));
    let cases = [
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#,
            "0 ask reason=sure?",
        ),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -la"}}}"#,
            r#"0 allow updated_input={"command":"ls -la"}"#,
        ),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"on main"}}"#,
            "0 - context=on main",
        ),
        (r#"{"decision":"approve","reason":"fine"}"#, "0 allow reason=fine"),
        // The tool runs, and the turn ends then.
        (r#"{"continue":false,"stopReason":"over"}"#, "49 - reason=over"),
        (r#"{"systemMessage":"hello","suppressOutput":true}"#, "0 - system_message=hello"),
        ("plain text", "0 -"),
    ];
    for (said, expected) in cases {
        check(Claude, &[(said, "PreToolUse", says(said), &[(bash("ls"), expected)])]);
    }
}

#[test]
fn the_other_events() {
    let stop =
        r#"[ "$(jq -r .stop_hook_active)" = true ] && exit 0; echo '{"decision":"block","reason":"run the tests"}'"#;
    let prompt = r#"prompt=$(jq -r .prompt); case $prompt in *password*) echo '{"decision":"block","reason":"a password"}' ;; *) echo "branch: main" ;; esac"#;
    let lint = r#"f=$(jq -r '.tool_input.file_path'); case $f in *.py) echo "$f: E501" >&2; exit 2 ;; esac"#;
    let post = |file: &str| json!({ "tool_name": "Write", "tool_input": { "file_path": file }, "tool_response": { "success": true } });
    check(
        Claude,
        &[
            (
                "a stop gate",
                "Stop",
                group("Stop", "", command(stop)),
                &[
                    (json!({ "stop_hook_active": false }), "2 deny reason=run the tests"),
                    (json!({ "stop_hook_active": true }), "0 -"),
                    (
                        json!({ "stop_hook_active": null, "last_assistant_message": null }),
                        "2 deny reason=run the tests",
                    ),
                ],
            ),
            (
                "prompts",
                "UserPromptSubmit",
                group("UserPromptSubmit", "", command(prompt)),
                &[
                    (json!({ "prompt": "fix it" }), "0 - context=branch: main"),
                    (json!({ "prompt": "my password\nis \"x\"" }), "2 deny reason=a password"),
                    (json!({ "prompt": "☃ $(rm) `x` \\" }), "0 - context=branch: main"),
                ],
            ),
            (
                "a linter after an edit",
                "PostToolUse",
                group("PostToolUse", "Edit|Write", command(lint)),
                &[(post("a b.rs"), "0 -"), (post("a b.py"), "0 - context=a b.py: E501"), (post(""), "0 -")],
            ),
            (
                "a session's variables",
                "SessionStart",
                group(
                    "SessionStart",
                    "startup|resume",
                    command(r#"echo 'export NODE_ENV="a b"' >> "$CLAUDE_ENV_FILE"; echo ready"#),
                ),
                &[
                    (json!({ "source": "startup" }), r#"0 - context=ready env={"NODE_ENV":"a b"}"#),
                    (json!({ "source": "clear" }), "0 -"),
                ],
            ),
        ],
    );
}
