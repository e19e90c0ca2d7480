//! What programs and built-ins share: one standard input, outputs in order, pipes that end.

use hookshell_test_support::{MAX_WAIT, has, run_program};
use serde_json::json;

use crate::place;

#[test]
fn a_child_that_ignores_stdin_leaves_the_payload_to_the_next_reader() {
    let readers = [
        "tool ignore-stdin > /dev/null; cat > got",
        "tool ignore-stdin | cat > /dev/null; cat > got",
        "tool ignore-stdin > /dev/null; cat | tool cat-stdin > got",
        "x=$(tool ignore-stdin); tool cat-stdin > got",
        "tool ignore-stdin > /dev/null; tool ignore-stdin > /dev/null; read -r line; echo \"$line\" > got",
        "if tool exit 1; then exit 9; else cat; fi > got",
        "(tool ignore-stdin > /dev/null); { cat; } > got",
        "./ignores > /dev/null; ./reads > got",
    ];
    for command in readers {
        let place = place();
        place.script("ignores", "#!/usr/bin/env tool\nignore-stdin\n");
        place.script("reads", "tool cat-stdin\n");
        let input = json!({"command": "ls", "text": "é \u{1F600} \\ \" \n"});
        let cwd = serde_json::to_string(place.path().to_str().unwrap()).unwrap();
        let expected = format!(
            "{{\"event\":\"PreToolUse\",\"session_id\":\"s1\",\"cwd\":{cwd},\"is_sub_agent\":false,\"tool_name\":\"bash\",\"tool_input\":{input}}}\n"
        );
        for seen in [
            place.through_runner(&[json!({"command": command})], &input),
            place.through_run(&[json!({"command": command})], &input),
        ] {
            assert_eq!((seen.code, seen.outcomes()), (0, vec!["NoOpinion"]), "{command}: {seen:?}");
        }
        assert_eq!(place.read("got"), expected, "{command}");
    }
}

#[test]
fn a_line_that_a_builtin_has_read_is_all_that_a_child_misses() {
    let place = place();
    let cases = [
        ("read a; tool cat-stdin", "2\n3\n"),
        ("read a; read b; tool cat-stdin | cat; echo $a$b", "3\n12\n"),
        ("tool first 2; read a; tool cat-stdin; echo $a", "1\n3\n2\n"),
        ("tool ignore-stdin; while read x; do echo \"<$x>\"; done", "ignored\n<1>\n<2>\n<3>\n"),
        ("while read x; do tool say $x; done", "1\n2\n3\n"),
        ("while read x; do tool count; done; echo $x end", "4\nend\n"),
    ];
    for (command, stdout) in cases {
        let ran = place.exec_with(command, b"1\n2\n3\n");
        assert_eq!(ran.all(), (Some(0), stdout, ""), "{command}");
    }
}

#[test]
fn output_of_builtins_and_children_is_in_order() {
    let place = place();
    place.script("mixed", "echo 4\ntool say 5\n");
    let command =
        "echo 1; tool say 2; printf '3\\n'; ./mixed; tool say 6 | cat; (echo 7); echo $(tool say 8); tool say 9";
    let expected = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    assert_eq!(place.exec(command).all(), (Some(0), expected, ""));
    assert_eq!(place.exec(&format!("{{ {command}; }} | cat")).all(), (Some(0), expected, ""));
    assert_eq!(place.exec(&format!("{{ {command}; }} > f; cat f")).all(), (Some(0), expected, ""));
    assert_eq!(place.exec(&format!("x=$({command}); echo \"$x\"")).all(), (Some(0), expected, ""));
    assert_eq!(place.exec(&format!("exec 2>&1; {{ {command}; }} >&2")).all(), (Some(0), expected, ""));
    // What a hook captures: the reason is its standard error.
    let hook = json!({"command": format!("exec >&2; {command}; exit 2")});
    for seen in place.verdicts(&[hook], &json!({})) {
        assert_eq!(seen.text("reason"), expected.trim_end(), "{seen:?}");
    }
}

#[test]
fn both_outputs_in_one_file_are_in_order() {
    let place = place();
    let command = "{ echo 1; tool err 2; tool say 3; echo 4 >&2; tool say 5; } > f 2>&1; cat f";
    assert_eq!(place.exec(command).all(), (Some(0), "1\n2\n3\n4\n5\n", ""));
}

#[test]
fn two_hundred_thousand_bytes_pass_a_pipe_from_a_group() {
    let place = place();
    for command in ["{ tool zeros 200000; } | tool count", "(tool zeros 200000) | { tool count; }"] {
        assert_eq!(place.exec(command).all(), (Some(0), "200000\n", ""), "{command}");
        for seen in place.verdicts(&[json!({"command": format!("{command} >&2; exit 2")})], &json!({})) {
            assert_eq!(seen.text("reason"), "200000", "{command}: {seen:?}");
        }
    }
    if cfg!(unix) {
        let ran = place.exec("{ head -c 200000 /dev/zero; } | wc -c");
        assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "200000"));
    }
}

#[test]
fn an_endless_writer_ends_with_its_reader() {
    let place = place();
    let mut commands = vec![
        "tool yes | head -n 1",
        "while :; do echo y; done | head -n 1",
        "while :; do printf 'y\\n'; done | { read x; echo $x; }",
        "tool yes | { read x; echo $x; }",
        "tool yes | cat | cat | head -n 1",
    ];
    if cfg!(unix) && has("yes") {
        commands.push("yes | head -n 1");
    }
    for command in commands {
        let ran = place.exec(command);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "y\n"), "{command}: {ran:?}");
        for seen in place.verdicts(
            &[json!({"command": format!("{{ {command}; }} > f; cat f >&2; exit 2"), "timeout": 40})],
            &json!({}),
        ) {
            let reason = seen.text("reason");
            assert_eq!((seen.code, reason.lines().last()), (2, Some("y")), "{command}: {seen:?}");
        }
    }
}

#[test]
fn a_large_payload_is_read_wholly_or_not_at_all() {
    let place = place();
    let input = json!({"command": "ls", "text": "x".repeat(1_000_000)});
    let size = 90 + serde_json::to_string(place.path().to_str().unwrap()).unwrap().len();
    let cases = [
        ("exit 2", None),
        ("tool ignore-stdin >&2; exit 2", Some("ignored".to_owned())),
        ("tool first 8 >&2; exit 2", Some("{\"event\"".to_owned())),
        ("head -c 8 >&2; exit 2", Some("{\"event\"".to_owned())),
    ];
    for (command, reason) in cases {
        for seen in place.verdicts(&[json!({"command": command})], &input) {
            assert_eq!(seen.code, 2, "{command}: {seen:?}");
            if let Some(reason) = &reason {
                assert_eq!(seen.text("reason"), reason, "{command}");
            }
        }
    }
    for command in [
        "tool count >&2; exit 2",
        "cat | tool count >&2; exit 2",
        "tool ignore-stdin >/dev/null; cat | tool count >&2; exit 2",
    ] {
        for seen in place.verdicts(&[json!({"command": command})], &input) {
            let count: usize = seen.text("reason").parse().unwrap();
            assert!((1_000_000 + size..1_000_000 + size + 60).contains(&count), "{command}: {count}");
        }
    }
}

#[test]
fn output_beyond_every_pipe_on_both_streams_holds_nobody() {
    let place = place();
    let ran = place.exec("{ tool zeros 300000; tool zeros 300000 >&2; tool zeros 300000; }");
    assert_eq!((ran.code, ran.stdout.len(), ran.stderr.len()), (Some(0), 600_000, 300_000));
    let hook = json!({"command": "{ tool zeros 300000; tool zeros 300000 >&2; tool zeros 5000000; }; tool exit 2 no"});
    for seen in place.verdicts(&[hook], &json!({})) {
        assert_eq!(seen.code, 2, "2 holds whatever was cut from the output");
    }
    let hook = json!({"command": "tool zeros 5000000; exit 0"});
    for seen in place.verdicts(&[hook], &json!({})) {
        assert_eq!((seen.code, seen.outcomes()), (0, vec!["OutputLimit"]));
    }
}

#[test]
fn a_closed_standard_output_of_the_binary_is_an_error_and_no_crash() {
    let place = place();
    // `hookshell` inside `hookshell`: its reader ends at once.
    let ran = place.exec("hs exec 'while :; do echo y; done' | head -n 1");
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "y\n"), "{ran:?}");
    let ran = run_program(place.hookshell(&["exec", "cat; tool cat-stdin; echo end"]), b"abc", MAX_WAIT);
    assert_eq!(ran.all(), (Some(0), "abcend\n", ""));
}

#[cfg(unix)]
#[test]
fn a_side_of_a_fifo_that_was_closed_is_not_seen_through_a_program_that_starts() {
    let place = place();
    // A child has copies of all descriptors until its exec: of the reader of the turn before, too.
    let command = "mkfifo p
        for starter in 1 2 3; do (while [ ! -e stop ]; do tool exit 0; done) & done
        i=0
        while [ $i -lt 150 ]; do
          cat < p > got & echo data$i > p; wait $!
          read -r line < got; [ \"$line\" = data$i ] || break
          i=$((i + 1))
        done
        : > stop; wait; echo $i";
    assert_eq!(place.exec(command).all(), (Some(0), "150\n", ""));
}
