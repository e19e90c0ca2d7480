//! Guards whose exit code denies nothing (HS313), by the rules of each agent.

use crate::called::{check_with_programs as check, write};

/// Which exit codes deny the agent says.
#[test]
fn an_exit_code_that_denies_nothing_is_found_by_the_agents_rules() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let found = |agent: &str, event: &str, code: u8| {
        let hook = serde_json::json!({ "type": "command", "command": format!("echo no >&2; exit {code}") });
        let hooks = match agent {
            "crush" | "copilot" | "cursor" => serde_json::json!([hook]),
            _ => serde_json::json!([{ "hooks": [hook] }]),
        };
        let mut config = serde_json::json!({ "hooks": { event: hooks } });
        if matches!(agent, "copilot" | "cursor") {
            config["version"] = 1.into();
        }
        write(directory, "c.json", &config.to_string());
        check(directory, &["c.json", "--dialect", agent]).stdout
    };
    for (agent, event, only) in [
        ("crush", "PreToolUse", "Only 2 denies (49 halts) [HS313]"),
        ("claude", "PreToolUse", "Only 2 denies [HS313]"),
        ("codex", "PreToolUse", "Only 2 denies [HS313]"),
        ("cursor", "preToolUse", "Only 2 denies [HS313]"),
        ("gemini", "BeforeTool", "Only 2 and above deny [HS313]"),
    ] {
        let output = found(agent, event, 1);
        assert!(
            output.contains(&format!("exit code 1 denies nothing: it is a failure, and the call goes through. {only}")),
            "{agent}: {output}"
        );
        assert!(!found(agent, event, 2).contains("HS313"), "{agent}");
    }
    assert!(!found("crush", "PreToolUse", 49).contains("HS313"));
    assert!(found("claude", "PreToolUse", 49).contains("HS313"));
    assert!(!found("gemini", "BeforeTool", 7).contains("HS313"));
    // Copilot CLI denies at every one.
    assert!(!found("copilot", "preToolUse", 1).contains("HS313"));
}

/// Where the reason of a deny must stand the agent says, and scripts in other languages are looked at too.
#[test]
fn a_guard_that_finds_something_and_denies_nothing_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write(directory, "no.py", "import sys\nif 'rm' in sys.stdin.read():\n    sys.exit('no rm')\n");
    write(directory, "deny.py", "import sys\nprint('no', file=sys.stderr)\nsys.exit(2)\n");
    write(directory, "no.js", "if (x) {\n  console.error('no');\n  process.exit(1);\n}\n");
    let found = |agent: &str, event: &str, command: &str| {
        let hooks = match agent {
            "crush" | "copilot" | "cursor" => serde_json::json!([{ "command": command }]),
            _ => serde_json::json!([{ "hooks": [{ "type": "command", "command": command }] }]),
        };
        let mut config = serde_json::json!({ "hooks": { event: hooks } });
        if matches!(agent, "copilot" | "cursor") {
            config["version"] = 1.into();
        }
        write(directory, "c.json", &config.to_string());
        let output = check(directory, &["c.json", "--dialect", agent, "--ignore", "HS110,HS302,HS304,HS312"]).stdout;
        output.lines().filter(|line| line.contains("[HS313]")).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let agents = [
        ("crush", "PreToolUse"),
        ("claude", "PreToolUse"),
        ("codex", "PreToolUse"),
        ("qwen", "PreToolUse"),
        ("cursor", "preToolUse"),
        ("gemini", "BeforeTool"),
        ("copilot", "preToolUse"),
    ];
    for (agent, event) in agents {
        let is_failure = agent != "copilot";
        for command in [
            "if grep -q rm; then exit 1; fi",
            "echo no; false",
            "c=$(jq -r .tool_input.command); [ \"$c\" = 'rm -rf /' ] && exit 1; exit 0",
            "no() { exit 1; }; if jq -e '.tool_input.command | test(\"rm\")'; then no; fi",
        ] {
            let output = found(agent, event, command);
            assert_eq!(output.contains("exit code 1 denies nothing"), is_failure, "{agent}: {command}: {output}");
        }
        let without_reason = match agent {
            "codex" | "qwen" => "no reason stands on standard error",
            "gemini" => "no reason stands on an output",
            _ => "",
        };
        let output = found(agent, event, "if grep -q rm; then exit 2; fi");
        assert_eq!(output.is_empty(), without_reason.is_empty(), "{agent}: {output}");
        assert!(output.contains(without_reason), "{agent}: {output}");
        assert_eq!(found(agent, event, "if grep -q rm; then echo no >&2; exit 2; fi"), "", "{agent}");
        // After a tool nothing is blocked any more.
        assert_eq!(found(agent, "SessionEnd", "if grep -q rm; then exit 1; fi"), "", "{agent}");
    }
    if cfg!(unix) && hookshell_test_support::has("python3") && hookshell_test_support::has("node") {
        assert!(found("claude", "PreToolUse", "python3 no.py").contains("no.py:3:1: "));
        assert!(found("crush", "PreToolUse", "node no.js").contains("no.js:3:1: "));
        assert_eq!(found("claude", "PreToolUse", "python3 deny.py"), "");
        assert_eq!(found("claude", "SessionEnd", "python3 no.py"), "");
        // Without a word of why, where a search in the event leads to it.
        write(directory, "in.py", "import sys\nif 'rm' in sys.stdin.read():\n    sys.exit(1)\n");
        write(directory, "in.js", "const d = fs.readFileSync(0, 'utf8');\nif (d.includes('rm')) process.exit(1);\n");
        assert!(found("crush", "PreToolUse", "python3 in.py").contains("in.py:3:1: "));
        assert!(found("claude", "PreToolUse", "node in.js").contains("in.js:2:1: "));
        assert_eq!(found("claude", "SessionEnd", "python3 in.py"), "");
    }
}
