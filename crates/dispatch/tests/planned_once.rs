//! A command is planned once: the report is of what was started, and a script is opened once however it is written.
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

mod support;

use hookshell_dispatch::{Command, Dispatcher, Route};
use support::{Directory, exe};

/// A command, what it writes, and how often `s` is opened for it: what the kernel's own start of a program opens is not ours.
#[cfg(target_os = "linux")]
const CASES: &[(&str, &str, &str, usize)] = &[
    ("echo ok\n", "./s", "ok\n", 1),
    ("echo ok\n", "X=1 ./s > out; cat out", "ok\n", 1),
    ("echo $1\n", "./s $(echo a)", "a\n", 1),
    ("#!/no/such/place/bash\necho ok\n", "./s", "ok\n", 1),
    ("#!/no/such/place/bash\necho ok\n", "./s | cat", "ok\n", 1),
    ("echo ok\n", "bash s", "ok\n", 1),
    ("#!/usr/bin/env tool\n", "./s >/dev/null; echo ok", "ok\n", 1),
    ("#!/usr/bin/env -S bash -c 'echo ok'\n", "./s", "ok\n", 1),
    // Two commands are two plans.
    ("echo ok\n", "./s; ./s", "ok\nok\n", 2),
];

#[cfg(target_os = "linux")]
#[test]
fn a_script_is_opened_once() {
    use hookshell_dispatch::{MissingShell, ShellScripts};
    use hookshell_test_support::OpenCounter;
    use support::{err, out};

    for shell_scripts in [ShellScripts::Installed, ShellScripts::InProcess] {
        for &(text, command, stdout, opened) in CASES {
            let directory = Directory::new();
            let counter = OpenCounter::new(&directory.script("s", text));
            // Written to, it was closed: only what follows counts.
            counter.opened();
            let dispatcher =
                Dispatcher::builder().missing_shell(MissingShell::Interpret).shell_scripts(shell_scripts).build();
            let outcome = dispatcher.run(directory.isolated(command));
            assert_eq!(out(&outcome), stdout, "{text:?} {command}: {}", err(&outcome));
            assert_eq!(counter.opened(), opened, "{text:?} {command} {shell_scripts:?}");
        }
    }
}

#[test]
fn the_route_is_of_what_was_started() {
    let directory = Directory::new();
    let plain = directory.script("plain.sh", "echo $1\n");
    let other = directory.script("bin/plain.sh", "echo other\n");
    directory.script("calls.sh", "./plain.sh x\n");
    directory.script("bad", "#!/no/such/interp-anywhere\n");
    let tool = directory.path().join("bin").join(exe("tool"));
    let shell = |path: &std::path::Path| Route::ShellSource { path: path.to_owned() };
    let cases = [
        ("./plain.sh a", shell(&plain)),
        ("~/plain.sh a", shell(&plain)),
        ("X=1 ./plain.sh a 2>&1", shell(&plain)),
        // What a substitution starts first is another command.
        ("./plain.sh $(cd bin && ./plain.sh)", shell(&plain)),
        ("./calls.sh", shell(&directory.path().join("calls.sh"))),
        ("./bin/tool", Route::Binary { path: tool }),
        // Nothing was started.
        ("./plain.sh < no-such-file", Route::Shell),
        ("./plain.sh a; true", Route::Shell),
        ("echo ./plain.sh", Route::Shell),
        ("X=./plain.sh", Route::Shell),
    ];
    for (command, route) in cases {
        let command = if command == "./bin/tool" { format!("./bin/{}", exe("tool")) } else { command.to_owned() };
        assert_eq!(directory.run(&command).route, route, "{command}");
    }
    for command in ["./missing", "./bad", "./bin"] {
        let outcome = directory.run(command);
        assert_eq!(outcome.route.name(), "not-startable", "{command}");
        let Route::NotStartable { reason } = outcome.route else { continue };
        assert!(String::from_utf8_lossy(&outcome.stderr).contains(&reason), "{command}: {reason}");
    }
    let mut invocation = directory.invocation("");
    invocation.command = Command::File { path: "plain.sh".into(), args: vec!["x".into()] };
    assert_eq!(Dispatcher::new().run(invocation).route, shell(&plain));
    #[cfg(unix)]
    {
        // A shell keeps the path by which PWD names its directory.
        std::os::unix::fs::symlink(directory.path(), directory.path().join("link")).unwrap();
        let mut invocation = directory.invocation("./plain.sh");
        let link = directory.path().join("link");
        support::set(&mut invocation, "PWD", link.to_str().unwrap());
        assert_eq!(Dispatcher::new().run(invocation).route, shell(&link.join("plain.sh")));
    }
    let mut invocation = directory.invocation("./plain.sh");
    invocation.cwd = directory.path().join("bin");
    assert_eq!(Dispatcher::new().run(invocation).route, shell(&other));
}
