//! Our reading of a `#!` line beside the running kernel's: the same files, started for real.
//!
//! One test in this file: a script that another thread's child still holds open for writing cannot
//! be started (`ETXTBSY`).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use hookshell_shebang::{Head, classify};
use hookshell_test_support::skip;
use support::{SHOW, write_script};

/// `ENOEXEC`: the kernel knows no way to run the file.
const NO_EXEC: i32 = 8;

/// What the kernel makes of a file: the interpreter's argv, or the error of `execve`.
fn kernel(script: &Path) -> Result<Vec<u8>, io::Error> {
    Command::new(script).arg0("lost").arg("x").output().map(|output| {
        assert!(output.status.success(), "{output:?}");
        output.stdout
    })
}

fn ours(file: &[u8], script: &Path) -> Option<Vec<u8>> {
    let Head::Shebang(shebang) = classify(file) else {
        return None;
    };
    let mut printed = Vec::new();
    for argument in shebang.kernel_argv(script.as_os_str().as_bytes()).chain([&b"x"[..]]) {
        printed.extend_from_slice(argument);
        printed.push(0);
    }
    Some(printed)
}

#[test]
fn a_script_gets_the_argument_vector_that_the_kernel_gives() {
    if !Path::new("/bin/sh").exists() {
        return skip("/bin/sh is not there");
    }
    let directory = tempfile::tempdir().unwrap();
    let show = directory.path().join("i");
    write_script(&show, SHOW);
    let show = show.as_os_str().as_bytes();
    assert!(show.len() < 100, "the temporary directory's path is too long for this test");
    let script = directory.path().join("script");

    let mut files: Vec<Vec<u8>> = Vec::new();
    for (before, after) in [
        ("", ""),
        ("", "\n"),
        (" ", "\n"),
        ("\t  ", " \t\n"),
        ("", " -e\n"),
        ("", " -e"),
        ("", " "),
        ("", " \t "),
        ("", " a b  "),
        ("", "\t a \t b\t\n"),
        ("", " 'a\\b' \"c\" # d\necho\n"),
        ("", "\0junk\n"),
        ("", " \0junk\n"),
        ("", " a \0junk\n"),
        ("", " a\0b\n"),
        ("", " a\rb\n"),
        ("", " \x0b \n"),
    ] {
        files.push([b"#!", before.as_bytes(), show, after.as_bytes()].concat());
    }
    // A long argument, and a long interpreter path, around every limit there ever was.
    for len in [126, 127, 128, 252, 253, 254, 255, 256, 257, 258, 300] {
        let mut argument = [b"#!", show, b" "].concat();
        argument.resize(len, b'a');
        let mut path = b"#!".to_vec();
        path.resize(len - show.len(), b'/');
        path.extend_from_slice(show);
        let mut blanks = b"#!".to_vec();
        blanks.resize(len - show.len(), b' ');
        blanks.extend_from_slice(show);
        for end in ["", "\n", " ", "  ", " \n", " b", " b\n", " \0b", "\0b\n", "       b c\n"] {
            for line in [&argument, &path, &blanks] {
                files.push([line, end.as_bytes()].concat());
            }
        }
        let mut only_blanks = b"#!".to_vec();
        only_blanks.resize(len, b' ');
        files.push([&only_blanks[..], b"\n"].concat());
        files.push([&only_blanks[..], b" x\n"].concat());
    }
    files.push(b"#!\n".to_vec());
    files.push(b"#! \t\n".to_vec());

    let mut compared = 0;
    for file in &files {
        write_script(&script, file);
        match (kernel(&script), ours(file, &script)) {
            (Ok(expected), Some(found)) => {
                assert_eq!(found.escape_ascii().to_string(), expected.escape_ascii().to_string());
                compared += 1;
            }
            (Err(error), None) => {
                assert_eq!(error.raw_os_error(), Some(NO_EXEC), "{}", file.escape_ascii());
            }
            // Here the kernel finds an interpreter, but a path that does not exist.
            (Err(error), Some(_)) if is_cut(file, show) => {
                assert_eq!(error.kind(), io::ErrorKind::NotFound, "{}", file.escape_ascii());
            }
            (kernel, ours) => panic!("{}: kernel {kernel:?}, ours {ours:?}", file.escape_ascii()),
        }
    }
    assert!(compared > 150, "only {compared} scripts ran");
}

/// Whether the interpreter's path does not stand whole in the part that the kernel reads.
fn is_cut(file: &[u8], show: &[u8]) -> bool {
    !file.get(..255).unwrap_or(file).windows(show.len()).any(|part| part == show)
}
