//! The shipped config through the binary: the first command of the README.

use std::path::Path;

use hookshell_test_support::{MAX_WAIT, run_program};
use serde_json::{Value, json};

use crate::place;

#[test]
fn the_shipped_config_denies_through_the_binary() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/crush.json");
    let cases = [
        (
            vec!["--tool", "bash", "--input", r#"{"command":"rm -rf /"}"#],
            "",
            2,
            json!("deny"),
            json!("Refusing to run rm -rf against root"),
        ),
        (vec!["--tool", "bash", "--input", r#"{"command":"ls"}"#], "", 0, json!(null), json!(null)),
        (vec!["--tool", "view"], "", 0, json!("allow"), json!(null)),
        (vec!["--tool", "mcp_x"], "", 2, json!("deny"), json!("MCP tools are disabled")),
        (
            vec![],
            r#"{"event":"PreToolUse","tool_name":"bash","tool_input":{"command":"sudo rm -fr /"}}"#,
            2,
            json!("deny"),
            json!("Refusing to run rm -rf against root"),
        ),
    ];
    // Nothing else is needed: PATH is empty but for our helper.
    let place = place().without_system_path();
    for (args, stdin, code, decision, reason) in cases {
        let start = ["run", "PreToolUse", "--config", config.to_str().unwrap()];
        let args: Vec<&str> = start.into_iter().chain(args).collect();
        let ran = run_program(place.hookshell(&args), stdin.as_bytes(), MAX_WAIT);
        assert_eq!((ran.code, &*ran.stderr), (Some(code), ""), "{args:?}: {ran:?}");
        assert!(ran.stdout.ends_with("}\n") && ran.stdout.lines().count() == 1, "{}", ran.stdout);
        let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&verdict["decision"], &verdict["reason"]), (&decision, &reason), "{args:?}: {verdict}");
        assert_eq!((&verdict["event"], &verdict["halt"]), (&json!("PreToolUse"), &json!(false)));
        let keys: Vec<&String> = verdict.as_object().unwrap().keys().collect();
        let expected = [
            "event",
            "decision",
            "halt",
            "reason",
            "context",
            "updated_input",
            "updated_prompt",
            "context_files",
            "hooks",
        ];
        assert_eq!(keys, expected);
    }
}

#[test]
fn bad_input_runs_nothing_and_is_neither_a_deny_nor_a_halt() {
    let place = place();
    place.script("good.json", r#"{"hooks":{"PreToolUse":[{"command":": > ran"}]}}"#);
    place.script("syntax.json", "{\n  \"hooks\": {\n");
    place.script("type.json", "{\"hooks\": {\"PreToolUse\": [\n  {\"command\": 5}]}}");
    place.script("regex.json", "{\"hooks\": {\"PreToolUse\": [{\"command\": \": > ran\", \"matcher\": \"(\"}]}}");
    // Arguments, standard input, exit code, a word of the message.
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&["run", "NoSuchEvent", "--config", "good.json", "--tool", "bash"], "", 64, "NoSuchEvent"),
        (&["run", "PreToolUse", "--config", "syntax.json", "--tool", "bash"], "", 65, "syntax.json:"),
        (&["run", "PreToolUse", "--config", "type.json", "--tool", "bash"], "", 65, "type.json:2:"),
        (&["run", "PreToolUse", "--config", "regex.json", "--tool", "bash"], "", 65, "regex.json:1:"),
        (&["run", "PreToolUse", "--config", "missing.json", "--tool", "bash"], "", 66, "missing.json"),
        (&["run", "PreToolUse", "--config", "good.json", "--tool", "bash", "--input", "{"], "", 65, "--input"),
        (&["run", "PreToolUse", "--config", "good.json", "--tool", "bash", "--input", "[1]"], "", 65, "--input"),
        (&["run", "PreToolUse", "--config", "good.json"], "not json", 65, "standard input"),
        (&["run", "PreToolUse", "--config", "good.json"], "", 65, "standard input"),
        (&["run", "PreToolUse", "--config", "good.json", "--cwd", "nowhere", "--tool", "bash"], "", 66, "nowhere"),
        (&["run", "--no-such-option"], "", 64, "--no-such-option"),
        (&["run"], "", 64, "no event is named"),
        (&["no-such-command"], "", 64, "no-such-command"),
        (&["exec"], "", 64, "COMMAND"),
        (&[], "", 64, ""),
    ];
    for (args, stdin, code, word) in cases {
        let ran = run_program(place.hookshell(args), stdin.as_bytes(), MAX_WAIT);
        assert_eq!((ran.code, &*ran.stdout), (Some(*code), ""), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(word) && !ran.stderr.is_empty(), "{args:?}: {ran:?}");
        assert!(!place.file("ran").exists(), "{args:?}: a hook was run");
    }
    let good = ["run", "PRE_TOOL_USE", "--config", "good.json", "--tool", "bash"];
    assert_eq!(run_program(place.hookshell(&good), b"", MAX_WAIT).code, Some(0));
    assert!(place.file("ran").exists());
}
