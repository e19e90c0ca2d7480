//! Bundled utilities and the programs of the same names.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use hookshell_dispatch::{Dispatcher, UtilityPreference};
use support::{Directory, err, out};

fn run(directory: &Directory, command: &str, preference: UtilityPreference, system: bool) -> (u8, String, String) {
    let invocation = if system { directory.invocation(command) } else { directory.isolated(command) };
    let outcome = Dispatcher::builder().utilities(preference).build().run(invocation);
    (outcome.status, out(&outcome), err(&outcome))
}

#[test]
fn the_bundled_one_runs_where_there_is_no_program() {
    let directory = Directory::new();
    let found = run(&directory, "echo a | cat -n; command -v cat; type cat", UtilityPreference::Bundled, false);
    assert_eq!(found, (0, "     1\ta\ncat\ncat is a utility of hookshell\n".into(), String::new()));
    let found = run(&directory, "[ -x \"$(command -v cat)\" ] && echo there", UtilityPreference::Path, false);
    assert_eq!(found, (0, "there\n".into(), String::new()));
    let (status, stdout, _) = run(&directory, "cat -n; [ -x cat ] || echo none", UtilityPreference::Off, false);
    assert_eq!((status, &*stdout), (0, "none\n"));
}

#[cfg(unix)]
#[test]
fn the_users_own_program_comes_first_and_a_path_always_means_the_program() {
    let directory = Directory::new();
    directory.script("bin/cat", "echo own\n");
    for (preference, expected) in
        [(UtilityPreference::Bundled, "own\n"), (UtilityPreference::Path, "own\n"), (UtilityPreference::Off, "own\n")]
    {
        assert_eq!(run(&directory, "echo a | cat", preference, true).1, expected, "{preference:?}");
    }
    // Another PATH is looked at anew.
    let found = run(&directory, "cat; PATH=/none; echo b | cat", UtilityPreference::Bundled, true);
    assert_eq!(found.1, "own\nb\n");
    assert_eq!(run(&directory, "/bin/cat --version | head -n 1 | cut -c1-3", UtilityPreference::Off, true).0, 0);
}

#[test]
fn what_the_bundled_one_does_not_do_is_said_where_there_is_no_program() {
    let directory = Directory::new();
    let (status, stdout, stderr) = run(&directory, "cat --frobnicate; echo $?", UtilityPreference::Bundled, false);
    assert_eq!((status, &*stdout), (0, "1\n"), "{stderr}");
    let expected = "cat: hookshell's own cat does not support the option --frobnicate\n";
    assert!(stderr.ends_with(expected), "{stderr}");
}

#[cfg(unix)]
#[test]
fn what_the_bundled_one_does_not_do_the_real_program_does() {
    let directory = Directory::new();
    let found = run(&directory, "printf 'a\\tb\\n' | cat -A", UtilityPreference::Bundled, true);
    assert_eq!(found, (0, "a^Ib$\n".into(), String::new()));
}
