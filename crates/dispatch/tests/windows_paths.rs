//! Paths and the environment, as a script for Unix meets them on Windows.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use hookshell_dispatch::{Dispatcher, Outcome};
use support::{Directory, err, out};

/// Runs a command with TEMP and USERPROFILE in the directory, and with `Path` as Windows spells it.
fn run(directory: &Directory, command: &str) -> Outcome {
    for name in ["temp", "profile"] {
        std::fs::create_dir_all(directory.path().join(name)).unwrap();
    }
    let mut invocation = directory.isolated(command);
    invocation.env.remove("HOME");
    invocation.env.remove("PATH");
    invocation.env.extend([("Path", directory.path().join("bin")), ("TEMP", directory.path().join("temp"))]);
    invocation.env.set("UserProfile", directory.path().join("profile"));
    invocation.env.set("ProgramFiles(x86)", r"C:\Program Files (x86)");
    Dispatcher::new().run(invocation)
}

#[test]
fn scripts_paths_lead_where_they_would_under_git_for_windows() {
    let directory = Directory::new();
    let cases: &[(&str, &str)] = &[
        ("cd /c/windows && pwd", "C:/windows\n"),
        ("cd 'C:\\windows\\system32' && cd .. && pwd", "C:/windows\n"),
        ("cd /c && pwd", "C:/\n"),
        // On the drive that one is on.
        ("cd /c/windows; cd /; pwd; cd windows; pwd; cd /windows/system32 && pwd", "/\n/windows\n/windows/system32\n"),
        // Scripts that look for a directory upwards come to an end.
        (
            "cd /c/windows; n=0; until [ \"$PWD\" = / ] || [ $((n += 1)) -gt 9 ]; do cd ..; done; echo \"$n $PWD\"",
            "2 /\n",
        ),
        ("d='C:\\a/b'; until [ \"$d\" = / ]; do d=$(dirname \"$d\"); echo \"$d\"; done", "C:\\a\nC:\\\n/\n"),
        ("[ -d /c/windows ] && [ -d 'c:\\windows' ] && [ -d C:/windows ] && echo yes", "yes\n"),
        ("[ -d /q/windows ] || echo no", "no\n"),
        ("echo hi >/tmp/f && cat <\"$TEMP\\f\" && cat /tmp/f", "hi\nhi\n"),
        ("echo x >/tmp/g1; echo x >/tmp/g2; for f in /tmp/g*; do echo \"$f\"; done", "/tmp/g1\n/tmp/g2\n"),
        ("echo hi >~/a; [ -f \"$HOME\\a\" ] && [ -f \"$HOME/a\" ] && echo yes", "yes\n"),
        ("export USERNAME=jo; whoami; id -un; id -u -n", "jo\njo\njo\n"),
        ("x='a\\b'; echo \"$x\" 'c\\d'", "a\\b c\\d\n"),
        ("echo x >/dev/null; echo y >/dev/stderr; echo z >/dev/stdout", "z\n"),
        (
            "mkdir -p 'sp ace/ünï😀'; cd 'sp ace/ünï😀'; echo a >'x & y (1)!^.txt'; cat *.txt; cd ../..; ls_=$(echo */*/*); echo \"$ls_\"",
            "a\nsp ace/ünï😀/x & y (1)!^.txt\n",
        ),
    ];
    for (command, stdout) in cases {
        let outcome = run(&directory, command);
        assert_eq!(out(&outcome), *stdout, "{command}: {}", err(&outcome));
    }
    assert!(directory.path().join("temp").join("f").is_file());
}

#[test]
fn names_of_variables_have_no_case_and_children_get_them_as_they_were() {
    let directory = Directory::new();
    let tool = |command: &str| out(&run(&directory, command));
    assert_eq!(tool("echo ${PATH:+set} ${Path:-unset}"), "set unset\n");
    assert!(tool("echo \"$HOME\"").trim_end().ends_with("/profile"));
    // The helper prints one variable of its environment.
    assert_eq!(tool("HELPER='var ProgramFiles(x86)' tool"), "C:\\Program Files (x86)");
    let path = tool("HELPER='var PATH' PATH=\"$PATH;C:\\x\" tool");
    assert!(path.ends_with(";C:\\x"), "{path}");
    // A script's own variable is another one, and a program gets the system's.
    assert!(tool("export path=mine; HELPER='var PATH' tool; echo \" $path\"").ends_with("bin mine\n"));
}
