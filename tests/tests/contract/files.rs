//! Rows "File, no shebang", "`#!/bin/bash`", "`#!/usr/bin/env python3`", "`env -S … --foo`", "CRLF", "`./missing-file`".

use hookshell_test_support::has;
use hookshell_tests::contract::Place;
use serde_json::json;

use crate::place;

/// Runs the script through `exec`, with two arguments, and as a hook through both fronts.
fn check(place: &Place, name: &str, code: i32, stdout: &str, stderr: &str) {
    let command = format!("./{name} 'a b' c");
    let ran = place.exec(&command);
    let plain = |text: &str| text.replace('\r', "");
    assert_eq!((ran.code, &*plain(&ran.stdout), &*plain(&ran.stderr)), (Some(code), stdout, stderr), "{command}");
    for seen in place.verdicts(&[json!({"command": command})], &json!({"command": "ls"})) {
        assert_eq!(seen.outcomes(), ["Decided"], "{seen:?}");
        assert_eq!((seen.code, &*plain(seen.text("reason"))), (code, stderr.trim_end()), "{seen:?}");
    }
}

#[test]
fn a_file_without_a_shebang_is_shell_source() {
    let place = place();
    place.script("plain.sh", "echo \"$0 $# $1\"\ntool say from a program\nf() { echo no >&2; return 2; }\nf\n");
    check(&place, "plain.sh", 2, "./plain.sh 2 a b\nfrom a program\n", "no\n");
    place.script(
        "no-extension",
        "# no shebang, no newline at the end\nif [ \"$2\" = c ]; then echo halt >&2; exit 49; fi",
    );
    check(&place, "no-extension", 49, "", "halt\n");
}

#[test]
fn a_file_without_a_shebang_sees_the_event() {
    let place = place();
    place.script(
        "guard.sh",
        "read -r payload\ncase $payload in\n*'\"command\":\"ls\"'*) echo \"$CRUSH_TOOL_NAME denied\" >&2; exit 2 ;;\nesac\n",
    );
    for seen in place.verdicts(&[json!({"command": "./guard.sh"})], &json!({"command": "ls"})) {
        assert_eq!((seen.code, seen.text("reason")), (2, "bash denied"), "{seen:?}");
        assert_eq!(seen.verdict["decision"], "deny");
    }
    for seen in place.verdicts(&[json!({"command": "./guard.sh"})], &json!({"command": "pwd"})) {
        assert_eq!((seen.code, seen.outcomes()), (0, vec!["NoOpinion"]), "{seen:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_bin_bash_script_runs_under_the_systems_bash() {
    if !has("bash") {
        return;
    }
    let place = place();
    // Our interpreter has no such file as its own executable: what /proc says is the interpreter of the script.
    place.script(
        "s.sh",
        "#!/bin/bash\necho \"$0 $# $1\"\n[ -n \"$BASH_EXECUTION_STRING\" ] && echo string\n\
         [ $$ -lt 4194304 ] && echo real process\necho no >&2\nexit 2\n",
    );
    check(&place, "s.sh", 2, "./s.sh 2 a b\nreal process\n", "no\n");
}

#[test]
fn an_env_python3_script_runs_under_python_if_present() {
    if !has("python3") {
        return;
    }
    let place = place();
    place.script(
        "s.py",
        "#!/usr/bin/env python3\nimport sys\nprint(sys.argv)\nprint('denied', file=sys.stderr)\nsys.exit(2)\n",
    );
    check(&place, "s.py", 2, "['./s.py', 'a b', 'c']\n", "denied\n");
    place.script(
        "payload.py",
        "#!/usr/bin/env python3\nimport json, os, sys\ndata = json.load(sys.stdin)\n\
         assert data['tool_input'] == {'command': 'ls'}, data\nassert data['tool_name'] == os.environ['CRUSH_TOOL_NAME']\n\
         assert data['session_id'] == 's1' and data['event'] == 'PreToolUse'\n\
         print(json.dumps({'decision': 'allow', 'updated_input': {'command': 'ls -l'}}))\n",
    );
    for seen in place.verdicts(&[json!({"command": "./payload.py"})], &json!({"command": "ls"})) {
        assert_eq!(seen.verdict["decision"], "allow", "{seen:?}");
        assert_eq!(seen.verdict["updated_input"], json!({"command": "ls -l"}));
    }
}

#[test]
fn an_env_script_runs_under_the_interpreter_on_path() {
    let place = place();
    place.script("s", "#!/usr/bin/env tool\nargs\nexit 2 denied $1\n");
    check(&place, "s", 2, "[./s]\n[a b]\n[c]\n", "denied a b\n");
}

#[test]
fn env_split_string_preserves_extra_flags() {
    let place = place();
    place.script("s", "#!/usr/bin/env -S tool --foo --bar='x y'\nargs\nexit 49 halted\n");
    check(&place, "s", 49, "[--foo]\n[--bar=x y]\n[./s]\n[a b]\n[c]\n", "halted\n");
    place.script("var", "#!/usr/bin/env -S ADDED=1 tool --foo\nenv ADDED\nexit 2 denied\n");
    check(&place, "var", 2, "1\n", "denied\n");
    if has("python3") {
        place.script("p", "#!/usr/bin/env -S python3 -B -E\nimport sys\nprint(sys.flags.dont_write_bytecode, sys.flags.ignore_environment)\nsys.exit('x')\n");
        let ran = place.exec("./p");
        assert_eq!((ran.code, &*ran.stdout.replace('\r', "")), (Some(1), "1 1\n"), "{ran:?}");
    }
}

#[test]
fn crlf_line_endings_are_tolerated() {
    let place = place();
    place.script("env", "#!/usr/bin/env tool\r\nargs\r\nexit 2 denied\r\n");
    check(&place, "env", 2, "[./env]\n[a b]\n[c]\n", "denied\n");
    place.script("split", "#!/usr/bin/env -S tool --foo\r\nargs\r\nexit 2 denied\r\n");
    check(&place, "split", 2, "[--foo]\n[./split]\n[a b]\n[c]\n", "denied\n");
    place.script(
        "plain.sh",
        "# CRLF\r\ncase $1 in\r\n'a b')\r\n  cat <<E\r\n$1\r\nE\r\n  ;;\r\nesac\r\nif true; then\r\n  echo no >&2\r\n  exit 2\r\nfi\r\n",
    );
    check(&place, "plain.sh", 2, "a b\n", "no\n");
}

#[test]
fn a_missing_file_is_no_opinion() {
    let place = place();
    for command in
        ["./missing-file", "./missing-file a b", "../no/such/directory/x.sh", "~/missing", "no-such-program-anywhere"]
    {
        let ran = place.exec(command);
        assert_eq!((ran.code, &*ran.stdout), (Some(127), ""), "{command}: {ran:?}");
        assert!(
            ran.stderr.contains("issing") || ran.stderr.contains("no-such") || ran.stderr.contains("/x.sh"),
            "{ran:?}"
        );
        for seen in place.verdicts(&[json!({"command": command})], &json!({"command": "ls"})) {
            assert_eq!((seen.code, &seen.verdict["decision"]), (0, &json!(null)), "{command}: {seen:?}");
            assert_eq!(seen.outcomes(), ["NotFound"], "{command}: {seen:?}");
        }
    }
    // A guard that must not be missing says so itself.
    let hook = json!({"command": "./missing-file", "on_failure": "deny", "name": "guard"});
    for seen in place.verdicts(&[hook], &json!({})) {
        assert_eq!(seen.code, 2, "{seen:?}");
        let reason = seen.verdict["reason"].as_str().unwrap();
        let said = reason.strip_prefix("the hook `guard` failed: not found: ./missing-file: No such file or directory");
        // And where it was looked for.
        assert!(said.is_some_and(|place| place.starts_with(" (it was looked for as ")), "{seen:?}");
    }
}

#[test]
fn a_missing_interpreter_is_no_opinion_and_named() {
    let place = place();
    place.script("s", "#!/no/such/directory/interp-nowhere\nx\n");
    place.script("e", "#!/usr/bin/env interp-nowhere\nx\n");
    for command in ["./s", "./e"] {
        for seen in place.verdicts(&[json!({"command": command})], &json!({})) {
            assert_eq!((seen.code, seen.outcomes()), (0, vec!["NotFound"]), "{command}: {seen:?}");
            let reason = seen.hooks()[0]["reason"].as_str().unwrap();
            assert!(reason.contains("interp-nowhere"), "{command}: {reason}");
        }
    }
}

#[test]
fn a_program_is_started_directly() {
    let place = place();
    let tool = format!("./bin/tool{}", std::env::consts::EXE_SUFFIX);
    for (code, outcome) in [(0, "NoOpinion"), (2, "Decided"), (49, "Decided"), (7, "ExitCode")] {
        let command = format!("{tool} exit {code} why it is");
        let ran = place.exec(&command);
        assert_eq!((ran.code, &*ran.stderr.replace('\r', "")), (Some(code), "why it is\n"));
        for seen in place.verdicts(&[json!({"command": command})], &json!({})) {
            let expected = if code == 7 { 0 } else { code };
            assert_eq!((seen.code, seen.outcomes()), (expected, vec![outcome]), "{seen:?}");
            assert_eq!(seen.text("reason"), if expected == 0 { "" } else { "why it is" }, "{seen:?}");
            assert!(seen.hooks()[0]["route"].as_str().unwrap().contains("directly"), "{seen:?}");
        }
    }
}

#[test]
fn files_work_the_same_inside_pipelines_and_lists() {
    let place = place();
    place.script("a.sh", "echo \"X=$X\"\ntool env X\n");
    place.script("b", "#!/usr/bin/env -S tool --flag\ncat-stdin\nargs\n");
    place.script("outer.sh", "X=2 ./a.sh | ./b && ./c || echo or\n");
    place.script("c", "#!/usr/bin/env tool\nexit 2 c\n");
    let cases = [
        ("X=1 ./a.sh | ./b x && echo ok", "X=1\n1\n[--flag]\n[./b]\n[x]\nok\n"),
        ("./outer.sh", "X=2\n2\n[--flag]\n[./b]\nor\n"),
        ("./c || { ./b | tool count; }", "15\n"),
        ("echo $(./a.sh)", "X= unset\n"),
        ("relative() { ./a.sh; }; mkdir -p d; cd d; ../a.sh; cd ..; bin/../a.sh", "X=\nunset\nX=\nunset\n"),
    ];
    for (command, stdout) in cases {
        let ran = place.exec(command);
        assert_eq!(ran.stdout.replace('\r', ""), stdout, "{command}: {ran:?}");
    }
}
