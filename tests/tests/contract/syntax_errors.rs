//! A guard that is broken must be seen: a syntax error denies, and what stands before it has run.

use serde_json::json;

use crate::place;

#[test]
fn an_exit_2_before_a_syntax_error_wins() {
    let cases = [
        ("echo no >&2; exit 2\nif true; then", 2, "no"),
        ("tool exit 2 no || exit 2\n(", 2, "no"),
        ("echo stop >&2; exit 49\n'unterminated", 49, "stop"),
        ("echo no >&2; exit 2\n)\n", 2, "no"),
        ("case $CRUSH_TOOL_INPUT_COMMAND in ls) echo ls >&2; exit 2;; esac\n${x", 2, "ls"),
        ("exit 0\nfi", 0, ""),
        ("exit 0\ncat <<E\n$(", 0, ""),
    ];
    let place = place();
    for (command, code, reason) in cases {
        place.script("s.sh", command);
        assert_eq!(place.exec(command).code, Some(code), "{command}");
        assert_eq!(place.exec("./s.sh").code, Some(code), "{command}");
        for source in [command, "./s.sh"] {
            for seen in place.verdicts(&[json!({"command": source})], &json!({"command": "ls"})) {
                assert_eq!(
                    (seen.code, &*seen.text("reason").replace('\r', "")),
                    (code, reason),
                    "{command:?}: {seen:?}"
                );
            }
        }
    }
}

#[test]
fn a_syntax_error_alone_denies_with_its_place() {
    // What is wrong, the line and column where a message must point, and a word of what was found.
    let cases = [
        ("if true; then", "line 1", "if"),
        ("echo ran\nif true; then\n  echo x\ndone", "line 4", "done"),
        (":\n:\necho )", "line 3", ")"),
        ("echo 'abc", "line 1", "'"),
        ("x=$(echo; fi)", "line 1", "fi"),
        ("for in in", "line 1", ""),
        (": ;; :", "line 1", ";;"),
        ("{ :", "line 1", "{"),
    ];
    let place = place();
    for (command, line, found) in cases {
        place.script("s.sh", command);
        for source in [command, "./s.sh"] {
            let ran = place.exec(source);
            assert_eq!(ran.code, Some(2), "{command:?}: {ran:?}");
            assert!(ran.stderr.contains(line) && ran.stderr.contains(found), "{command:?}: {}", ran.stderr);
            for seen in place.verdicts(&[json!({"command": source})], &json!({"command": "ls"})) {
                let reason = seen.text("reason");
                assert_eq!((seen.code, &seen.verdict["decision"]), (2, &json!("deny")), "{command:?}: {seen:?}");
                assert!(reason.contains(line) && reason.contains(found), "{command:?}: {reason}");
            }
        }
    }
}

#[test]
fn what_stands_before_a_syntax_error_has_run() {
    let place = place();
    let ran = place.exec("echo one; tool say two\necho three >f\nif\n");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), "one\ntwo\n"), "{ran:?}");
    assert_eq!(place.read("f"), "three\n");
    for seen in place.verdicts(&[json!({"command": "echo '{\"decision\":\"allow\"}'\nif\n"})], &json!({})) {
        assert_eq!(
            (seen.code, &seen.verdict["decision"]),
            (2, &json!("deny")),
            "an allow before it does not hold: {seen:?}"
        );
    }
}
