//! Row "Windows-specific"; what other systems can run of it they run too.

use hookshell_dispatch::{Dispatcher, MissingShell};
use serde_json::json;

use crate::place;

#[test]
fn an_executable_in_the_folder_is_started_directly() {
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
        ["#!/no/such/folder/bash", "#!/usr/bin/env bash", "#!/usr/bin/env -S bash -e", "#!/no/such/folder/bash\r"]
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
        "#!/no/such/folder/bash\r\n[[ $CRUSH_TOOL_INPUT_COMMAND == ls* ]] && { echo no >&2; exit 2; }\r\n",
    );
    let runner = place.runner_with(&[json!({"command": "./s.sh"})], |builder| {
        builder.dispatcher(Dispatcher::builder().missing_shell(MissingShell::Interpret).build())
    });
    let seen = place.through(runner, &json!({"command": "ls -l"}));
    assert_eq!((seen.code, seen.text("reason")), (2, "no"), "{seen:?}");
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
    let folder = place.path().to_str().unwrap();
    let slashes = folder.replace('\\', "/");
    for command in [
        r".\bin\tool.exe say x".to_owned(),
        r"bin\..\.\bin\tool.exe say x".replace(r"bin\..\", ""),
        format!(r"{folder}\bin\tool.exe say x"),
        format!("{slashes}/bin/tool.exe say x"),
        "./bin/tool say x".to_owned(),
        "TOOL say x".to_owned(),
        "tool.EXE say x".to_owned(),
    ] {
        let ran = place.exec(&command);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "x\n"), "{command}: {ran:?}");
    }
    for command in [r".\plain.sh x".to_owned(), format!(r"{folder}\plain.sh x"), "./plain.sh x".to_owned()] {
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
    if hookshell_tests::contract::under_wine("its cmd does not understand the standard library's escape of %") {
        return;
    }
    let place = place();
    place.script("b.cmd", "@echo off\r\necho [%~1]\r\necho [%~2]\r\n");
    let ran = place.exec("./b.cmd '100%' '%PATH%'");
    assert_eq!((ran.code, &*ran.stdout.replace('\r', "")), (Some(0), "[100%]\n[%PATH%]\n"), "{ran:?}");
}
