//! Row "Windows-specific"; what other systems can run of it they run too.

use hookshell_dispatch::{Dispatcher, MissingShell};
use serde_json::json;

use crate::place;

#[test]
fn an_executable_in_the_directory_is_started_directly() {
    let place = place();
    let name = format!("script{}", std::env::consts::EXE_SUFFIX);
    std::fs::copy(place.file("bin").join(format!("tool{}", std::env::consts::EXE_SUFFIX)), place.file(&name)).unwrap();
    for (arguments, code, stdout) in
        [("args 'a b' c\\\\d '\"' ''", 0, "[a b]\n[c\\d]\n[\"]\n[]\n"), ("exit 2", 2, ""), ("exit 49", 49, "")]
    {
        let ran = place.exec(&format!("./{name} {arguments}"));
        assert_eq!(ran.all(), (Some(code), stdout, ""), "{arguments}");
    }
    for seen in place.verdicts(&[json!({"command": format!("./{name} exit 2 by the program")})], &json!({})) {
        assert_eq!((seen.code, seen.text("reason")), (2, "by the program"), "{seen:?}");
    }
}

#[test]
fn a_bash_script_fails_gracefully_where_bash_is_not_on_path() {
    for shebang in
        ["#!/no/such/directory/bash", "#!/usr/bin/env bash", "#!/usr/bin/env -S bash -e", "#!/no/such/directory/bash\r"]
    {
        let place = place().without_system_path();
        place.script("s.sh", format!("{shebang}\necho > ran\nexit 2\n"));
        let runner = place.runner_with(
            &[json!({"command": "./s.sh"}), json!({"command": "./s.sh; exit 49", "matcher": "^edit$"})],
            |builder| builder.dispatcher(Dispatcher::builder().missing_shell(MissingShell::Fail).build()),
        );
        let seen = place.through(runner, &json!({"command": "ls"}));
        assert_eq!((seen.code, &seen.verdict["decision"]), (0, &json!(null)), "{shebang}: {seen:?}");
        assert_eq!(seen.outcomes(), ["NotFound"], "{shebang}: {seen:?}");
        let reason = seen.hooks()[0]["reason"].as_str().unwrap();
        assert!(reason.contains("bash") && reason.contains("PATH"), "{shebang}: {reason}");
        assert!(!place.file("ran").exists());
    }
}

#[test]
fn a_bash_script_is_interpreted_where_the_host_says_so() {
    let place = place().without_system_path();
    place.script(
        "s.sh",
        "#!/no/such/directory/bash\r\n[[ $CRUSH_TOOL_INPUT_COMMAND == ls* ]] && { echo no >&2; exit 2; }\r\n",
    );
    let runner = place.runner_with(&[json!({"command": "./s.sh"})], |builder| {
        builder.dispatcher(Dispatcher::builder().missing_shell(MissingShell::Interpret).build())
    });
    let seen = place.through(runner, &json!({"command": "ls -l"}));
    assert_eq!((seen.code, seen.text("reason")), (2, "no"), "{seen:?}");
}

#[test]
fn a_config_says_how_a_script_for_a_missing_shell_is_handled() {
    let place = place().without_system_path();
    place.script("s.sh", "#!/no/such/directory/bash\necho \"no ${0##*/}\" >&2\nexit 2\n");
    for command in [
        "./s.sh",
        "bash ./s.sh",
        "bash -c 'echo no s.sh >&2; exit 2'",
        "sh -ec 'echo no s.sh >&2; exit 2'",
        "echo 'echo no $1 >&2; exit 2' | bash -s s.sh",
        "bash -l <<'E'\necho no s.sh >&2; (exit 2)\nE",
    ] {
        let hook = |setting: &str| [json!({"command": command, "missing_shell": setting})];
        for seen in place.verdicts(&hook("interpret"), &json!({})) {
            assert_eq!((seen.code, seen.text("reason")), (2, "no s.sh"), "{command}: {seen:?}");
        }
        for seen in place.verdicts(&hook("fail"), &json!({})) {
            assert_eq!((seen.code, &seen.verdict["decision"]), (0, &json!(null)), "{command}: {seen:?}");
            assert_eq!(seen.outcomes(), ["NotFound"], "{command}: {seen:?}");
            let reason = seen.hooks()[0]["reason"].as_str().unwrap();
            // Which shell, where it was looked for, and what to do.
            for part in ["sh", " on PATH", "; install ", "missing_shell = \"interpret\""] {
                assert!(reason.contains(part), "{command}: {part}: {reason}");
            }
        }
    }
    // For all hooks of a file, and shown by `explain`.
    let config = json!({"hooks": {"missing_shell": "fail", "PreToolUse": [{"command": "./s.sh"}]}});
    std::fs::write(place.file("crush.json"), config.to_string()).unwrap();
    let explained = place.hookshell(&["explain", "--config", "crush.json"]).output().unwrap();
    let text = String::from_utf8(explained.stdout).unwrap();
    assert!(text.contains("bash is not on PATH") && text.contains("missing_shell = \"interpret\""), "{text}");
    std::fs::write(place.file("crush.json"), config.to_string().replace("fail", "interpret")).unwrap();
    let explained = place.hookshell(&["explain", "--config", "crush.json"]).output().unwrap();
    let text = String::from_utf8(explained.stdout).unwrap();
    assert!(text.contains("in-process shell"), "{text}");
}

/// Another shell might read it: the hook has no opinion, and says which shell is missing. What had run before has.
#[test]
fn a_script_that_the_shell_in_the_missing_ones_place_cannot_read_fails_gracefully() {
    let place = place().without_system_path();
    place.script("s.sh", "#!/no/such/directory/bash\necho before >ran\nif true; then\n");
    for command in ["./s.sh", "bash ./s.sh", "bash -ec 'echo before >ran\nif true; then'", "true && ./s.sh | cat >&2"] {
        let hook = |on_failure: &str| {
            [json!({"command": command, "missing_shell": "interpret", "on_failure": on_failure, "name": "n"})]
        };
        let is_last = !command.contains('|');
        for seen in place.verdicts(&hook("ignore"), &json!({})) {
            assert_eq!((seen.code, &seen.verdict["decision"]), (0, &json!(null)), "{command}: {seen:?}");
            let outcome = if is_last { "NotFound" } else { "NoOpinion" };
            assert_eq!(seen.outcomes(), [outcome], "{command}: {seen:?}");
            let said = seen.hooks()[0][if is_last { "reason" } else { "stderr" }].to_string();
            let parts = ["bash is not on PATH; install bash", "cannot read the script: line ", "syntax error"];
            for part in parts.iter().filter(|_| is_last) {
                assert!(said.contains(part), "{command}: {part}: {said}");
            }
        }
        assert_eq!(place.read("ran"), "before\n", "{command}");
        for seen in place.verdicts(&hook("deny"), &json!({})) {
            assert_eq!(seen.code, if is_last { 2 } else { 0 }, "{command}: {seen:?}");
        }
    }
    // What comes after it counts as ever.
    let hook = [json!({"command": "bash -c ')'; echo \"no $?\" >&2; exit 2", "missing_shell": "interpret"})];
    for seen in place.verdicts(&hook, &json!({})) {
        assert!(seen.code == 2 && seen.text("reason").ends_with("no 127"), "{seen:?}");
    }
}

#[test]
fn process_substitutions_reach_programs_built_ins_and_utilities() {
    let place = place();
    for (command, stdout) in [
        ("tool cat <(echo a) <(echo b; echo c)", "a\nb\nc\n"),
        ("tool cat <(tool zeros 200000) | tool count", "200000\n"),
        ("f() { tool cat \"$1\"; }; f <(echo in a function)", "in a function\n"),
        ("cat <(echo a) <(echo b)", "a\nb\n"),
        ("head -n 1 <(while echo y; do :; done)", "y\n"),
        ("while read -r x; do echo \"[$x]\"; done < <(tool say x; echo y)", "[x]\n[y]\n"),
        ("tool touch >(tool cat-stdin); wait", "touched\n"),
        ("tool touch >(while read -r x; do echo \"[$x]\"; done); wait $!", "[touched]\n"),
        ("tool touch >(exit 0); wait; echo $?", "0\n"),
        ("echo x | tee >(tool count) >/dev/null; wait", "2\n"),
        ("tool zeros 100000 | tee >(tool count >n) >/dev/null; until [ -s n ]; do sleep 0.05; done; cat n", "100000\n"),
        ("xargs tool cat <<<\"$(echo <(echo)) \" >/dev/null 2>&1; echo done", "done\n"),
        ("X=<(echo var) && tool cat <(cat <(echo nested)); : $X", "nested\n"),
        ("tool cat <(echo later) & wait", "later\n"),
        (
            "echo 'cat \"$1\"' >s; chmod +x s; ./s <(echo script); echo 'echo to >\"$1\"' >s; ./s >(tool cat-stdin); wait",
            "script\nto\n",
        ),
    ] {
        let ran = place.exec(command);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), stdout), "{command}: {ran:?}");
    }
    let left: Vec<_> = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".tmp")), "{left:?}");
}

#[test]
fn without_any_program_on_path_inline_hooks_work() {
    let place = place().without_system_path();
    let cases = [
        ("echo '{\"decision\":\"allow\"}' | cat > f; cat < f", 0, "allow"),
        ("mkdir -p a/b; cd a/b; touch c; for f in *; do basename $PWD/$f >&2; done; exit 2", 2, "deny"),
        ("printf '%s\\n' one two | { read x; read y; [ $y = two ] && exit 49; }", 49, "deny"),
    ];
    for (command, code, decision) in cases {
        for seen in place.verdicts(&[json!({"command": command})], &json!({})) {
            assert_eq!((seen.code, &seen.verdict["decision"]), (code, &json!(decision)), "{command}: {seen:?}");
        }
    }
}

#[cfg(windows)]
#[test]
fn windows_paths_are_taken_as_they_are_written() {
    let place = place();
    place.script("plain.sh", "echo \"plain $1\"\r\n");
    let directory = place.path().to_str().unwrap();
    let slashes = directory.replace('\\', "/");
    for command in [
        r".\bin\tool.exe say x".to_owned(),
        r"bin\..\.\bin\tool.exe say x".replace(r"bin\..\", ""),
        format!(r"{directory}\bin\tool.exe say x"),
        format!("{slashes}/bin/tool.exe say x"),
        "./bin/tool say x".to_owned(),
        "TOOL say x".to_owned(),
        "tool.EXE say x".to_owned(),
    ] {
        let ran = place.exec(&command);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "x\n"), "{command}: {ran:?}");
    }
    for command in [r".\plain.sh x".to_owned(), format!(r"{directory}\plain.sh x"), "./plain.sh x".to_owned()] {
        let ran = place.exec(&command);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "plain x\n"), "{command}: {ran:?}");
    }
    let ran = place.exec("x=relative; echo > NUL; echo ok > /dev/null; echo $x");
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "relative\n"), "{ran:?}");
}

#[cfg(windows)]
#[test]
fn a_batch_file_gets_its_arguments_and_gives_its_exit_code() {
    let place = place();
    place.script("b.cmd", "@echo off\r\necho %~1\r\nexit /b 2\r\n");
    for command in [r".\b.cmd 'a b'", "./b.cmd 'a b'", "./b 'a b'"] {
        let ran = place.exec(command);
        assert_eq!((ran.code, ran.stdout.trim_end()), (Some(2), "a b"), "{command}: {ran:?}");
    }
}

#[cfg(windows)]
#[test]
fn a_percent_sign_reaches_a_batch_file_unexpanded() {
    if hookshell_test_support::under_wine("its cmd does not understand the standard library's escape of %") {
        return;
    }
    let place = place();
    place.script("b.cmd", "@echo off\r\necho [%~1]\r\necho [%~2]\r\n");
    let ran = place.exec("./b.cmd '100%' '%PATH%'");
    assert_eq!((ran.code, &*ran.stdout.replace('\r', "")), (Some(0), "[100%]\n[%PATH%]\n"), "{ran:?}");
}
