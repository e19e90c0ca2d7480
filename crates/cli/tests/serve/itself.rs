//! Hooks that start hookshell, under `serve`.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, call};
use crate::support::hookshell;

/// A client whose hooks find `hookshell`.
fn client(directory: &Path, hooks: &Value, is_closed: bool) -> Client {
    let config = directory.join("crush.json");
    std::fs::write(&config, json!({ "hooks": hooks }).to_string()).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_hookshell")).parent().unwrap();
    let run = hookshell(["serve"]).env("PATH", programs);
    Client::of(run, json!({}), json!({"configs": [config], "cwd": directory, "fail_closed": is_closed}))
}

#[test]
fn a_hook_that_is_hookshell_itself_is_skipped_and_told() {
    for line in ["hookshell run PreToolUse", "exec hookshell run", "hookshell serve --dialect crush"] {
        let directory = tempfile::tempdir().unwrap();
        let hooks = json!({
            "PreToolUse": [{"command": line}, {"command": "echo ran >>ran"}],
            "Stop": [{"command": "hookshell run PreToolUse --tool bash --no-hooks"}],
        });
        let mut open = client(directory.path(), &hooks, false);
        for _ in 0..2 {
            let result = open.result("hooks/run", call("ls"));
            assert_eq!(result["exit_code"], 0, "{result}");
            assert!(
                result["messages"][0]["text"].as_str().unwrap().contains("is hookshell itself"),
                "{line}: {result}"
            );
        }
        assert_eq!(std::fs::read_to_string(directory.path().join("ran")).unwrap(), "ran\nran\n", "{line}");
        // Of another event nothing is said, and a hook for another event is run.
        let stop = open.result("hooks/run", json!({"event": "Stop", "payload": {}}));
        assert_eq!((stop.get("messages"), &stop["verdict"]["hooks"][0]["exit_code"]), (None, &json!(0)), "{stop}");

        let mut closed = client(directory.path(), &hooks, true);
        assert_eq!(closed.result("hooks/run", call("ls"))["verdict"]["decision"], "deny");
    }
}

#[test]
fn a_hook_that_serves_its_own_event_again_goes_no_further() {
    for hidden in [
        r#"h=hookshell; r=run; $h $r PreToolUse --config crush.json --tool bash --input '{"command":"ls"}' >>said"#,
        r#"printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol_version":1}}' '{"jsonrpc":"2.0","id":1,"method":"hooks/run","params":{"event":"PreToolUse","tool":"bash","input":{"command":"ls"},"options":{"configs":["crush.json"]}}}' | { cat; sleep 1; } | hookshell serve >>said"#,
    ] {
        let directory = tempfile::tempdir().unwrap();
        let hooks = json!({"PreToolUse": [{"command": format!("echo ran >>ran; {hidden}")}]});
        let mut client = client(directory.path(), &hooks, false);
        let result = client.result("hooks/run", call("ls"));
        let said = std::fs::read_to_string(directory.path().join("said")).unwrap_or_default();
        assert_eq!(std::fs::read_to_string(directory.path().join("ran")).unwrap(), "ran\n", "{result} {said}");
    }
}
