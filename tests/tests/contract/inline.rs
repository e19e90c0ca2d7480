//! Row "Inline: `echo hi`; `exit 2`; pipelines; redirections".

use serde_json::json;

use crate::place;

#[test]
fn inline_commands_through_exec() {
    let cases = [
        ("echo hi", 0, "hi\n", ""),
        ("exit 2", 2, "", ""),
        ("exit 49", 49, "", ""),
        ("tool exit 0", 0, "", ""),
        ("tool exit 2 no", 2, "", "no\n"),
        ("tool exit 49 stop", 49, "", "stop\n"),
        ("tool exit 255", 255, "", ""),
        ("echo out; echo err >&2; exit 3", 3, "out\n", "err\n"),
        // Pipelines of built-ins, utilities, programs and compound commands, in every order.
        ("echo a b c | tool count", 0, "6\n", ""),
        ("tool say a b | cat", 0, "a b\n", ""),
        ("tool say a b | while read x y; do echo $y $x; done", 0, "b a\n", ""),
        ("for i in 1 2 3; do tool say $i; done | { read a; tool cat-stdin; }", 0, "2\n3\n", ""),
        ("tool say x | tool cat-stdin | tool cat-stdin | tool count", 0, "2\n", ""),
        ("tool exit 3 | true; echo $?", 0, "0\n", ""),
        ("set -o pipefail; tool exit 3 | true", 3, "", ""),
        ("! tool exit 3", 0, "", ""),
        // Redirections of both kinds of command, and of descriptors.
        ("echo one > f; tool say two >> f; tool count < f; cat f", 0, "8\none\ntwo\n", ""),
        ("{ tool say out; tool err err; } > g 2>&1; cat g", 0, "out\nerr\n", ""),
        ("{ tool say out; tool err err; } 2>&1 >/dev/null", 0, "err\n", ""),
        ("exec 3>h; echo kept >&3; exec 3>&-; cat h", 0, "kept\n", ""),
        ("tool cat-stdin <<E\n$((1 + 1))\nE", 0, "2\n", ""),
        ("tool cat-stdin <<'E'\n$((1 + 1))\nE", 0, "$((1 + 1))\n", ""),
        ("x=$(tool say in; tool exit 5); echo $x $?", 0, "in 5\n", ""),
        ("X=1 tool env X; tool env X", 0, "1\nunset\n", ""),
        ("export Y=2; tool env Y; (unset Y; tool env Y)", 0, "2\nunset\n", ""),
        ("tool args '' 'a b' \"$HOME\"x*y \\'", 0, "[]\n[a b]\n[HOMEx*y]\n[']\n", ""),
    ];
    for (command, code, stdout, stderr) in cases {
        let place = place();
        let ran = place.exec(command);
        let home = place.path().to_str().unwrap();
        let shown = ran.stdout.replace('\r', "").replace(home, "HOME");
        assert_eq!((ran.code, &*shown, &*ran.stderr.replace('\r', "")), (Some(code), stdout, stderr), "{command}");
    }
}

#[test]
fn inline_hooks_through_both_fronts() {
    let cases = [
        ("true", "NoOpinion", 0, ""),
        (
            "exit 2",
            "Decided",
            2,
            "the hook `exit 2` denied the call and gave no reason (exit code 2, nothing on stderr)",
        ),
        ("echo no >&2; exit 2", "Decided", 2, "no"),
        ("tool exit 2 no by a program", "Decided", 2, "no by a program"),
        ("tool exit 49 stop", "Decided", 49, "stop"),
        ("tool exit 3 broken", "ExitCode", 0, ""),
        ("echo hi", "BadEnvelope", 0, ""),
        ("tool say hi | cat", "BadEnvelope", 0, ""),
        (r#"echo '{"decision":"deny","reason":"said so"}' | cat"#, "Decided", 2, "said so"),
        (r#"echo '{"decision":"allow"}' > f; tool cat-stdin < f"#, "Decided", 0, ""),
        ("cat > payload; tool count < payload >&2; exit 0", "NoOpinion", 0, ""),
        ("case $CRUSH_TOOL_INPUT_COMMAND in ls*) tool exit 2 ls; esac", "Decided", 2, "ls"),
        ("tool env CRUSH_TOOL_INPUT_COMMAND >&2; tool env CRUSH_TOOL_NAME >&2; exit 2", "Decided", 2, "ls -l\nbash"),
        ("tool cat-stdin | tool count > /dev/null", "NoOpinion", 0, ""),
    ];
    let place = place();
    for (command, outcome, code, reason) in cases {
        for seen in place.verdicts(&[json!({"command": command})], &json!({"command": "ls -l"})) {
            assert_eq!(seen.outcomes(), [outcome], "{command}: {seen:?}");
            assert_eq!((seen.code, &*seen.text("reason").replace('\r', "")), (code, reason), "{command}: {seen:?}");
            assert_eq!(seen.hooks()[0]["command"], command);
        }
    }
}

#[test]
fn both_fronts_give_the_same_verdict() {
    let place = place();
    let hooks = [
        json!({"name": "one", "command": "echo '{\"context\":[\"a\",\"\",\"b\"]}'"}),
        json!({"name": "two", "command": "tool exit 7 seven"}),
        json!({"name": "three", "matcher": "^edit$", "command": "exit 49"}),
        json!({"name": "four", "command": "echo '{\"decision\":\"allow\",\"updated_input\":{\"command\":\"ls -a\"}}'"}),
        json!({"name": "five", "command": "./missing.sh", "on_failure": "ignore"}),
    ];
    for mut seen in place.verdicts(&hooks, &json!({"command": "ls", "timeout": 5})) {
        assert_eq!(seen.code, 0, "{seen:?}");
        for hook in seen.verdict["hooks"].as_array_mut().unwrap() {
            assert!(hook["ms"].is_u64(), "{hook}");
            for key in ["ms", "stderr", "route", "command", "reason"] {
                assert!(hook.as_object_mut().unwrap().remove(key).is_some(), "{key}: {hook}");
            }
        }
        let expected = json!({
            "event": "PreToolUse",
            "decision": "allow",
            "halt": false,
            "reason": null,
            "context": "a\nb",
            "updated_input": {"command": "ls -a", "timeout": 5},
            "updated_prompt": null,
            "context_files": [],
            "hooks": [
                {"name": "one", "outcome": "Decided", "decision": null, "halt": false, "exit_code": 0},
                {"name": "two", "outcome": "ExitCode", "decision": null, "halt": false, "exit_code": 7},
                {"name": "four", "outcome": "Decided", "decision": "allow", "halt": false, "exit_code": 0},
                {"name": "five", "outcome": "NotFound", "decision": null, "halt": false, "exit_code": 127},
            ],
        });
        assert_eq!(seen.verdict, expected, "{}", seen.front);
    }
}
