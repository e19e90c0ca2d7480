//! Copilot CLI.

use hookshell_runner::Dialect::Copilot;
use serde_json::{Value, json};

use super::check;

fn hook(event: &str, command: &str) -> Value {
    json!({ "version": 1, "hooks": { event: [{ "type": "command", "bash": command }] } })
}

fn call(tool: &str, args: impl Into<Value>) -> Value {
    json!({ "sessionId": "s", "timestamp": 1_700_000_000_000_u64, "toolName": tool, "toolArgs": args.into() })
}

#[test]
fn before_a_tool() {
    let guard = r#"input=$(cat)
tool=$(echo "$input" | jq -r .toolName)
command=$(echo "$input" | jq -r '.toolArgs | if type == "string" then fromjson else . end | .command // empty')
if [ "$tool" = bash ] && echo "$command" | grep -qE 'rm +-rf|mkfs|dd +if='; then
  jq -nc --arg r "refused: $command" '{permissionDecision: "deny", permissionDecisionReason: $r}'
fi"#;
    check(
        Copilot,
        &[
            (
                "a guard",
                "preToolUse",
                hook("preToolUse", guard),
                &[
                    (call("bash", r#"{"command":"ls"}"#), "0 -"),
                    (call("bash", r#"{"command":"rm -rf \"é\""}"#), "2 deny reason=refused: rm -rf \"é\""),
                    (call("bash", json!({ "command": "dd if=/dev/zero" })), "2 deny reason=refused: dd if=/dev/zero"),
                ],
            ),
            (
                "a text as arguments",
                "preToolUse",
                hook("preToolUse", "jq -c '{permissionDecision: \"deny\", permissionDecisionReason: .toolArgs}'"),
                &[(call("apply_patch", "*** Begin"), "2 deny reason=*** Begin")],
            ),
            (
                "a failure denies",
                "preToolUse",
                hook("preToolUse", "echo broken >&2; exit 1"),
                &[(
                    call("view", "{}"),
                    "2 deny reason=the hook `echo broken >&2; exit 1` failed (exit code 1), and Copilot CLI then denies the call",
                )],
            ),
            (
                "progress is left out",
                "preToolUse",
                hook(
                    "preToolUse",
                    r#"echo '{"type":"progress","message":"…"}'; echo '{"permissionDecision":"allow","modifiedArgs":{"command":"ls"}}'"#,
                ),
                &[(call("bash", r#"{"command":"x","t":1}"#), r#"0 allow updated_input={"command":"ls"}"#)],
            ),
        ],
    );
}
