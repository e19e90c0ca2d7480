//! Shell completions and manual pages.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use support::hookshell;

#[test]
fn every_shell_has_its_completions() {
    let marks = [
        ("bash", "complete -F _hookshell"),
        ("zsh", "#compdef hookshell"),
        ("fish", "complete -c hookshell"),
        ("elvish", "edit:completion:arg-completer[hookshell]"),
        ("powershell", "Register-ArgumentCompleter"),
    ];
    for (shell, mark) in marks {
        let output = hookshell(["completions", shell]).output();
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{shell}");
        assert!(output.stdout.contains(mark) && output.stdout.contains("explain"), "{shell}: {}", output.stdout);
    }
    assert_eq!(hookshell(["completions", "tcsh"]).output().code, Some(64));
}

#[test]
fn the_bash_completions_are_valid_shell_code() {
    let script = hookshell(["completions", "bash"]).output().stdout;
    let output = hookshell(["sh", "-nc", &script]).output();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
}

#[test]
fn every_command_has_its_page() {
    let page = hookshell(["man"]).output();
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.contains(".TH hookshell 1") && page.stdout.contains("hookshell\\-run"), "{}", page.stdout);
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let output = hookshell(["man".as_ref(), pages.as_os_str()]).output();
    assert_eq!((output.code, &*output.stdout), (Some(0), ""), "{output:?}");
    for name in ["hookshell.1", "hookshell-run.1", "hookshell-check.1", "hookshell-log.1"] {
        assert!(pages.join(name).is_file(), "{name}");
    }
    let run = std::fs::read_to_string(pages.join("hookshell-run.1")).unwrap();
    assert!(run.contains("hookshell run"), "{run}");
}
