//! Which start-up files a shell under the name `bash` reads, beside a real bash (its manual, "Bash Startup Files").
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hookshell_test_support::find;
use support::program;
use tempfile::TempDir;

/// The words of command lines; `~` at the begin of one is the home directory, and `SHOW` the command.
const LINES: &[&str] = &[
    "-c SHOW",
    "-ic SHOW",
    "-i -c SHOW",
    "-lc SHOW",
    "-l -c SHOW",
    "-c -l SHOW",
    "--login -c SHOW",
    "-login -c SHOW",
    "-l -i -c SHOW",
    "--login -i -c SHOW",
    "--noprofile -l -c SHOW",
    "--noprofile -l -i -c SHOW",
    "--noprofile --norc -i -c SHOW",
    "--norc -i -c SHOW",
    "-norc -i -c SHOW",
    "--norc -l -c SHOW",
    "--rcfile ~/my.rc -i -c SHOW",
    "--rcfile ~/my.rc -ic SHOW",
    "-rcfile ~/my.rc -i -c SHOW",
    "--init-file ~/my.rc -i -c SHOW",
    "--rcfile ~/other.rc --init-file ~/my.rc -i -c SHOW",
    "--rcfile my.rc -i -c SHOW",
    "--rcfile ./my.rc -i -c SHOW",
    "--rcfile ~/it's -i -c SHOW",
    "--rcfile ~/none -i -c SHOW",
    "--rcfile /dev/null -i -c SHOW",
    "--rcfile ~/ends.rc -i -c SHOW",
    "--rcfile ~/fails.rc -i -c SHOW",
    "--rcfile ~/returns.rc -i -c SHOW",
    "--rcfile ~/fails.rc -e -i -c SHOW",
    "--rcfile ~/fails.rc -i -eo pipefail -c SHOW",
    "--rcfile ~/fails.rc -o errexit -i -c SHOW",
    "--rcfile ~/my.rc --norc -i -c SHOW",
    "--rcfile ~/my.rc -c SHOW",
    "--rcfile ~/my.rc -l -i -c SHOW",
    "--rcfile ~/my.rc -i -c SHOW name one two",
    "--rcfile ~/my.rc -i ~/script one",
    "-l ~/script one",
    "-i ~/script",
    "~/script",
];

/// What a command line leads to: standard output and the exit code.
fn outcome(place: &Place, shell: &Path, line: &str, cwd: &Path) -> (String, Option<i32>) {
    let words = line.split(' ').map(|word| match word {
        "SHOW" => OsString::from("echo \"$READ [$(show 2>/dev/null)] $? ${0##*/} $#\""),
        word => match word.strip_prefix("~/") {
            Some(rest) => place.home().join(rest).into(),
            None => word.into(),
        },
    });
    let output = program(shell, words).cwd(cwd).env("HOME", place.home()).env("READ", "").output();
    (output.stdout, output.code)
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for name in [".bashrc", ".bash_profile", ".profile", "my.rc", "other.rc", "it's"] {
            place.write(name, &format!("READ+=\" {name}\"\nshow() {{ echo from {name}; }}\n"));
        }
        place.write("ends.rc", "echo ending\nexit 5\n");
        place.write("fails.rc", "READ+=' fails'\nfalse\n(exit 3)\n");
        place.write("returns.rc", "READ+=' returns'\nreturn 4\nREAD+=' never'\n");
        place.write("script", "echo \"script $READ ${0##*/} $*\"\n");
        place
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.home()).unwrap();
        fs::write(self.home().join(name), text).unwrap();
    }
}

#[test]
fn the_files_are_those_that_bash_reads() {
    let Some(bash) = find("bash") else { return };
    let place = Place::new();
    let ours = place.0.path().join("bash");
    symlink(env!("CARGO_BIN_EXE_hookshell"), &ours).unwrap();
    let mut different = Vec::new();
    for line in LINES {
        let (ours, theirs) = (outcome(&place, &ours, line, &place.home()), outcome(&place, &bash, line, &place.home()));
        if ours != theirs {
            different.push(format!("{line}: {ours:?}, bash {theirs:?}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn the_profile_of_a_login_shell_is_the_first_that_is_there() {
    let Some(bash) = find("bash") else { return };
    let place = Place::new();
    let ours = place.0.path().join("bash");
    symlink(env!("CARGO_BIN_EXE_hookshell"), &ours).unwrap();
    place.write(".bash_login", "READ+=' .bash_login'\n");
    for name in [".bash_profile", ".bash_login", ".profile"] {
        let (ours, theirs) =
            (outcome(&place, &ours, "-lc SHOW", &place.home()), outcome(&place, &bash, "-lc SHOW", &place.home()));
        assert!(ours.0.contains(name), "{name}: {ours:?}");
        assert_eq!(ours, theirs, "{name}");
        fs::remove_file(place.home().join(name)).unwrap();
    }
}
