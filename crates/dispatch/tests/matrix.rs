//! The rows of the dispatch table and of the seed's list of tests.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use hookshell_dispatch::{
    Command, Dispatcher, End, Environment, Input, Invocation, MissingShell, Output, Route, StartFailureKind,
};
use hookshell_test_support::{has, skip};
use support::{Directory, err, exe, out, set};

#[test]
fn inline_commands_are_shell_code() {
    let directory = Directory::new();
    let cases: &[(&str, u8, &str)] = &[
        ("echo hi", 0, "hi\n"),
        ("exit 2", 2, ""),
        ("exit 49", 49, ""),
        ("echo a | cat", 0, "a\n"),
        ("echo a b | while read x y; do echo $y; done", 0, "b\n"),
        ("echo kept >file; cat <file", 0, "kept\n"),
        ("false || echo or", 0, "or\n"),
        ("X=1 tool | cat >file; test -s file && echo ok", 0, "ok\n"),
        ("echo a; tool >/dev/null; echo b", 0, "a\nb\n"),
        ("echo $0", 0, "bash\n"),
    ];
    for (command, status, stdout) in cases {
        let outcome = directory.run(command);
        assert_eq!(out(&outcome), *stdout, "{command}: {}", err(&outcome));
        assert_eq!(outcome.status, *status, "{command}");
        assert_eq!(outcome.end, End::Exited, "{command}");
        assert_eq!(outcome.route, Route::Shell, "{command}");
    }
}

#[test]
fn a_file_without_a_shebang_is_shell_source() {
    let directory = Directory::new();
    let path = directory.script("plain.sh", "echo \"$0\" \"$#\" \"$1\"\nexit 3\n");
    let outcome = directory.run("./plain.sh 'a b' c");
    assert_eq!(out(&outcome), "./plain.sh 2 a b\n", "{}", err(&outcome));
    assert_eq!(outcome.status, 3);
    assert_eq!(outcome.route, Route::ShellSource { path });

    directory.script("crlf.sh", "echo a\r\nif true; then\r\n  echo b\r\nfi\r\n");
    assert_eq!(out(&directory.run("./crlf.sh")), "a\nb\n");
    directory.script("bom.sh", "\u{feff}echo a\n");
    assert_eq!(out(&directory.run("./bom.sh")), "a\n");
    // The same probe inside shell code, and in a script's own calls.
    assert_eq!(out(&directory.run("X=1 ./crlf.sh | cat && ./bom.sh")), "a\nb\na\n");
    directory.script("outer.sh", "./bom.sh\n");
    assert_eq!(out(&directory.run("./outer.sh")), "a\n");
}

#[cfg(unix)]
#[test]
fn a_script_named_by_its_path_needs_no_x_bit() {
    let directory = Directory::new();
    std::fs::write(directory.path().join("plain"), "echo ran\n").unwrap();
    assert_eq!(out(&directory.run("./plain")), "ran\n");
    std::fs::write(directory.path().join("bin/found"), "echo ran\n").unwrap();
    let outcome = directory.run("found");
    assert_eq!(outcome.status, 126, "{}", err(&outcome));
}

#[test]
fn a_bash_script_goes_to_bash() {
    if cfg!(windows) {
        return skip("Windows has no /bin/bash");
    }
    if !has("bash") {
        return;
    }
    let directory = Directory::new();
    directory.script("s.sh", "#!/bin/bash\necho \"$BASH_VERSION\" | head -c 1; echo \" $0 $1\"\n");
    let outcome = directory.run("./s.sh x");
    assert!(out(&outcome).ends_with(" ./s.sh x\n"), "{}", out(&outcome));
    assert!(matches!(outcome.route, Route::Interpreter { .. }));
}

#[test]
fn an_env_script_goes_to_the_interpreter_on_path() {
    let directory = Directory::new();
    directory.script("s.py", "#!/usr/bin/env tool\n");
    let outcome = directory.run("./s.py 'a b'");
    // On Windows the program's own path is its argv[0], whatever it is given.
    let argv0 = if cfg!(windows) { tool(&directory) } else { "tool".to_owned() };
    assert_eq!(out(&outcome).split('\0').collect::<Vec<_>>(), [&*argv0, "./s.py", "a b", ""]);
    assert_eq!(
        outcome.route,
        Route::Interpreter {
            interpreter: directory.path().join("bin").join(exe("tool")),
            through: Vec::new(),
            script: directory.path().join("s.py"),
        }
    );
    if has("python3") {
        directory.script("p.py", "#!/usr/bin/env python3\nimport sys; print(sys.argv); sys.exit(2)\n");
        let outcome = directory.run("./p.py x");
        assert_eq!((outcome.status, &*out(&outcome).replace('\r', "")), (2, "['./p.py', 'x']\n"));
    }
}

#[test]
fn a_route_names_every_interpreter_of_a_chain() {
    let directory = Directory::new();
    // As a shim of pyenv's: a script on PATH in the place of the program.
    directory.script("bin/shim", "#!/usr/bin/env tool\n");
    directory.script("bin/outer", "#!/usr/bin/env shim\n");
    directory.script("s.py", "#!/usr/bin/env outer\n");
    let outcome = directory.run("./s.py x");
    let bin = directory.path().join("bin");
    let words: Vec<String> = out(&outcome).split('\0').skip(1).map(str::to_owned).collect();
    let (shim, outer) = (bin.join("shim").display().to_string(), bin.join("outer").display().to_string());
    assert_eq!(words, [&shim, &outer, "./s.py", "x", ""]);
    let script = directory.path().join("s.py");
    let shown = format!("{} {shim} {outer} {}", bin.join(exe("tool")).display(), script.display());
    assert_eq!(outcome.route.to_string(), shown);
    let through = vec![bin.join("shim"), bin.join("outer")];
    assert_eq!(outcome.route, Route::Interpreter { interpreter: bin.join(exe("tool")), through, script });
}

fn tool(directory: &Directory) -> String {
    directory.path().join("bin").join(exe("tool")).display().to_string()
}

#[test]
fn env_split_string_passes_its_flags() {
    let directory = Directory::new();
    directory.script("s", "#!/usr/bin/env -S VALUE=set tool --flag 'a b'\n");
    let outcome = directory.run("./s x");
    let words = out(&outcome);
    assert_eq!(words.split('\0').skip(1).collect::<Vec<_>>(), ["--flag", "a b", "./s", "x", ""]);
    let mut invocation = directory.invocation("./s");
    set(&mut invocation, "HELPER", "var VALUE");
    assert_eq!(out(&Dispatcher::new().run(invocation)), "set");
}

#[test]
fn crlf_in_the_shebang_line_is_tolerated() {
    let directory = Directory::new();
    directory.script("s", "#!/usr/bin/env tool\r\nx\r\n");
    let words = out(&directory.run("./s"));
    assert_eq!(words.split('\0').nth(1), Some("./s"));
}

#[test]
fn a_shells_script_with_crlf_or_a_mark_runs_in_process() {
    let directory = Directory::new();
    // There is a bash, and it would take the CR for a part of each line's last word.
    std::fs::copy(support::HELPER, directory.path().join("bin").join(exe("bash"))).unwrap();
    let lines = "if [ $# = 1 ]; then\r\n  echo \"$0 $1\"\r\nfi\r\nfalse\r\nexit 3\r\n";
    let cases = [
        (format!("#!/usr/bin/env bash\r\n{lines}"), "./s x\n", 3),
        (format!("#!/usr/bin/env -S bash -eu\r\n{lines}"), "./s x\n", 1),
        (format!("#!/no/such/place/bash -e\r\n{lines}"), "./s x\n", 1),
        (format!("#!/usr/bin/env -S bash -O extglob\r\necho +([a-z])\r\n{lines}"), "bin s\n./s x\n", 3),
        ("\u{feff}#!/usr/bin/env bash\necho \"$1\"\nexit 49\n".to_owned(), "x\n", 49),
    ];
    for (text, stdout, status) in cases {
        let path = directory.script("s", &text);
        let outcome = directory.run("./s x");
        assert_eq!((&*out(&outcome), &*err(&outcome), outcome.status), (stdout, "", status), "{text:?}");
        assert_eq!(outcome.route, Route::ShellSource { path }, "{text:?}");
    }
    // An option that our shell does not have: bash is to run it.
    directory.script("s", format!("#!/usr/bin/env -S bash -D\r\n{lines}"));
    assert_eq!(out(&directory.run("./s")).split('\0').skip(1).collect::<Vec<_>>(), ["-D", "./s", ""]);
    // The `#!` line's own command gets the file, which is another language's.
    directory.script("s", "#!/usr/bin/env -S bash -c 'exec python3 \"$0\"'\r\nimport sys\r\n");
    let found = directory.run("./s");
    assert_eq!(out(&found).split('\0').skip(1).collect::<Vec<_>>(), ["-c", "exec python3 \"$0\"", "./s", ""]);
}

#[test]
fn what_cannot_be_started_says_why_and_starts_nothing() {
    let directory = Directory::new();
    std::fs::create_dir(directory.path().join("dir")).unwrap();
    directory.script("bad", "#!/no/such/interp-anywhere\n");
    directory.script("flag", "#!/usr/bin/env -i tool\n");
    let cases: &[(&str, u8, StartFailureKind, &str)] = &[
        ("./missing-file", 127, StartFailureKind::NotFound, "No such file or directory"),
        ("no-such-command-anywhere", 127, StartFailureKind::NotFound, "command not found"),
        ("./dir", 126, StartFailureKind::NotExecutable, "Is a directory"),
        ("./bad", 127, StartFailureKind::NotFound, "interp-anywhere is not on PATH"),
        ("./flag", 126, StartFailureKind::NotExecutable, "`-i` is not supported"),
    ];
    for (command, status, kind, text) in cases {
        let outcome = directory.run(command);
        assert_eq!(outcome.status, *status, "{command}");
        let End::NotStarted(failure) = &outcome.end else {
            panic!("{command}: {:?}", outcome.end);
        };
        assert_eq!(failure.kind, *kind, "{command}");
        assert!(failure.message.contains(text), "{command}: {}", failure.message);
        assert!(err(&outcome).contains(text), "{command}: {}", err(&outcome));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("loop", directory.path().join("loop")).unwrap();
        let outcome = directory.run("./loop");
        assert_eq!(outcome.status, 126);
        assert!(err(&outcome).contains("Too many levels of symbolic links"));
    }
}

#[test]
fn a_program_is_started_directly() {
    let directory = Directory::new();
    let command = format!("./bin/{} a 'b c'", exe("tool"));
    let outcome = directory.run(&command);
    assert_eq!(out(&outcome).split('\0').skip(1).collect::<Vec<_>>(), ["a", "b c", ""]);
    assert_eq!(outcome.route, Route::Binary { path: directory.path().join("bin").join(exe("tool")) });
    for status in [0, 2, 49, 255] {
        let mut invocation = directory.invocation(&command);
        set(&mut invocation, "HELPER", &format!("exit {status}"));
        assert_eq!(Dispatcher::new().run(invocation).status, status);
    }
}

#[test]
fn a_script_for_a_shell_that_is_not_there_is_interpreted_or_fails() {
    let directory = Directory::new();
    directory.script("s.sh", "#!/no/such/directory/bash -e\r\necho \"$0 $1\"\r\nfalse\r\necho unreached\r\n");
    directory.script("env.sh", "#!/usr/bin/env -S dash -u\necho ran; echo $UNSET; echo unreached\n");
    directory.script("arg.sh", "echo \"$0 $*\"\n");
    // The file is an operand of the line's own command, and no shell source.
    directory.script("own.sh", "#!/usr/bin/env -S bash -c 'echo \"<$0> $1\"'\nimport sys\n");
    let interpret = Dispatcher::builder().missing_shell(MissingShell::Interpret).build();
    let fail = Dispatcher::builder().missing_shell(MissingShell::Fail).build();
    let cases: &[(&str, u8, &str)] = &[
        ("./s.sh x", 1, "./s.sh x\n"),
        ("./own.sh x", 0, "<./own.sh> x\n"),
        ("bash arg.sh 1 2", 0, "arg.sh 1 2\n"),
        ("sh -e ./arg.sh", 0, "./arg.sh \n"),
        ("bash -c 'echo $0 $1' me x", 0, "me x\n"),
        ("sh -ec 'false; echo unreached'", 1, ""),
        ("bash -o pipefail -c 'false | true'", 1, ""),
        ("bash none.sh", 127, ""),
        ("bash -i -c 'echo $-'", 0, "hiBc\n"),
        ("bash -D arg.sh", 126, ""),
    ];
    for (command, status, stdout) in cases {
        let outcome = interpret.run(directory.isolated(command));
        assert_eq!(out(&outcome), *stdout, "{command}: {}", err(&outcome));
        assert_eq!(outcome.status, *status, "{command}: {}", err(&outcome));
        let outcome = fail.run(directory.isolated(command));
        assert_eq!(outcome.status, 127, "{command}: {}", err(&outcome));
    }
    let outcome = interpret.run(directory.isolated("./env.sh"));
    assert_eq!(out(&outcome), "ran\n", "{}", err(&outcome));
    let outcome = fail.run(directory.isolated("./s.sh"));
    let End::NotStarted(failure) = outcome.end else {
        panic!("{:?}", outcome.end);
    };
    for part in ["/no/such/directory/bash", "not on PATH", "install bash", "missing_shell"] {
        assert!(failure.message.contains(part), "{}", failure.message);
    }
}

#[test]
fn standard_input_reaches_whoever_reads_it() {
    let directory = Directory::new();
    let payload = br#"{"tool":"bash"}"#;
    let mut invocation = directory.invocation("tool >/dev/null; cat");
    invocation.stdin = Input::Bytes(payload.as_slice().into());
    assert_eq!(Dispatcher::new().run(invocation).stdout, payload);
    let mut invocation = directory.invocation("tool");
    set(&mut invocation, "HELPER", "cat");
    let large: Vec<u8> = (0..300_000_u32).map(|n| b'a' + (n % 26) as u8).collect();
    invocation.stdin = Input::Bytes(large.clone().into());
    assert!(Dispatcher::new().run(invocation).stdout == large);
}

#[test]
fn output_beyond_the_limit_is_counted_and_the_status_stays() {
    let directory = Directory::new();
    let mut invocation = directory.invocation("echo 0123456789; echo err >&2; exit 2");
    invocation.output = Output::Capture { limit: 4 };
    let outcome = Dispatcher::new().run(invocation);
    assert_eq!((&*outcome.stdout, &*outcome.stderr), (&b"0123"[..], &b"err\n"[..]));
    assert_eq!((outcome.dropped.stdout, outcome.dropped.stderr), (7, 0));
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_syntax_error_is_status_2_with_its_place_and_what_stands_before_it_runs() {
    let directory = Directory::new();
    let outcome = directory.run("echo ran\nif true; then");
    assert_eq!((outcome.status, &*out(&outcome)), (2, "ran\n"));
    assert!(matches!(outcome.end, End::SyntaxError(_)), "{:?}", outcome.end);
    let outcome = directory.run("echo ran; exit 3\n)");
    assert_eq!((outcome.status, outcome.end), (3, End::Exited));
}

#[test]
fn a_file_invocation_has_no_shell_syntax() {
    let directory = Directory::new();
    directory.script("a b;.sh", "echo \"$1\"\n");
    let mut invocation = directory.invocation("");
    invocation.command = Command::File { path: "a b;.sh".into(), args: vec!["$(echo x) *".into()] };
    let outcome = Dispatcher::new().run(invocation);
    assert_eq!(out(&outcome), "$(echo x) *\n", "{}", err(&outcome));
}

#[test]
fn nothing_but_the_invocations_path_is_searched() {
    let directory = Directory::new();
    directory.script("here", "echo ran\n");
    let outcome = Dispatcher::new().run(directory.isolated("here"));
    assert_eq!(outcome.status, 127);
    let outcome = Dispatcher::new().run(directory.isolated("cargo --version"));
    assert_eq!(outcome.status, 127);
    let mut invocation = Invocation::new(Command::source("true"), "relative");
    invocation.env = Environment::new();
    assert!(matches!(Dispatcher::new().run(invocation).end, End::NotStarted(_)));
}

#[test]
fn explain_says_where_a_command_goes_and_runs_nothing() {
    let directory = Directory::new();
    directory.script("s.py", "#!/usr/bin/env tool\n");
    directory.script("plain.sh", "echo ran >ran\n");
    let dispatcher = Dispatcher::new();
    let explain = |command: &str| dispatcher.explain(&directory.invocation(command));
    let script = explain("./s.py 'a b'");
    assert_eq!(script.tokens, ["./s.py", "a b"]);
    assert_eq!(script.argv0.as_deref(), Some("./s.py"));
    assert_eq!(script.route.name(), "interpreter");
    assert_eq!(script.argv, ["tool", "./s.py", "a b"]);
    assert_eq!(script.program, Some(directory.path().join("bin").join(exe("tool"))));
    assert!(script.to_string().contains("route:"), "{script}");
    assert_eq!(explain("./plain.sh").route.name(), "shell-source");
    assert_eq!(explain("~/plain.sh").route.name(), "shell-source");
    assert_eq!(explain("./missing").route.name(), "not-startable");
    assert_eq!(explain("./plain.sh | cat").route.name(), "shell");
    assert_eq!(explain("tool x").route.name(), "shell");
    assert_eq!(explain("tool x").program, script.program);
    assert_eq!(explain("echo x").program, None);
    assert!(explain("cat x").to_string().contains("bundled utility"));
    assert!(explain("if").to_string().contains("syntax error"));
    assert_eq!(explain("\"$X\"/a.sh").route.name(), "shell");
    assert!(!directory.path().join("ran").exists());
}
