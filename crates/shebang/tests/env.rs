//! Our reading of `env`'s arguments beside the installed GNU `env`: the same argument, run for real.
#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use hookshell_shebang::{Head, Resolved, ShebangError, ShebangErrorCause as Cause, classify};
use hookshell_test_support::skip;
use proptest::prelude::*;
use support::{SHOW, write_script};
use tempfile::TempDir;

const VARIABLES: [(&str, &str); 4] = [("FOO", "v a"), ("EMPTY", ""), ("_q1", "'\"\\# ${FOO}"), ("OPTION", "-S")];

/// A directory with `show`, which prints its argv, and `script`, which says that it ran. It is written
/// before any thread starts a child: a child that holds a script open for writing gives `ETXTBSY`.
fn directory() -> &'static TempDir {
    static DIRECTORY: OnceLock<TempDir> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        write_script(&directory.path().join("show"), SHOW);
        write_script(&directory.path().join("script"), b"#!/bin/sh\necho the script itself\n");
        directory
    })
}

fn has_gnu_env() -> bool {
    directory();
    let version = Command::new("/usr/bin/env").arg("--version").output();
    let is_gnu = version.is_ok_and(|output| output.stdout.starts_with(b"env (GNU coreutils)"));
    if !is_gnu {
        skip("/usr/bin/env is not GNU env");
    }
    is_gnu
}

fn resolve(argument: &[u8]) -> Result<Vec<Vec<u8>>, ShebangError> {
    let head = [b"#!/usr/bin/env ", argument, b"\n"].concat();
    let Head::Shebang(shebang) = classify(&head) else {
        panic!("no shebang: {}", head.escape_ascii());
    };
    assert_eq!(shebang.argument(), Some(argument), "the test's argument is as the kernel's");
    let lookup = |name: &[u8]| {
        let found = VARIABLES.iter().find(|(variable, _)| variable.as_bytes() == name);
        found.map(|(_, value)| value.as_bytes().to_vec())
    };
    let Resolved { interpreter, args, .. } = shebang.resolve(&lookup)?;
    let args = args.into_iter().map(|arg| arg.into_owned());
    Ok([interpreter.as_bytes().to_vec()].into_iter().chain(args).collect())
}

/// Compares one argument of env; false when it is one of the deliberate differences.
fn compare(argument: &[u8]) -> bool {
    let ours = resolve(argument);
    if let Err(error) = &ours
        && matches!(
            error.cause,
            Cause::UnsupportedOption { .. }
                | Cause::EmptyVariableName { .. }
                | Cause::NestedTooDeep { .. }
                | Cause::TooLong { .. }
                // env splits the script's path here.
                | Cause::MissingSplitString { .. }
        )
    {
        return false;
    }
    let directory = directory().path();
    let script = directory.join("script");
    let real = Command::new("/usr/bin/env")
        .arg(OsStr::from_bytes(argument))
        .arg(&script)
        .env_clear()
        .envs(VARIABLES)
        .env("PATH", directory)
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let shown = argument.escape_ascii();
    match ours {
        Ok(words) if words.first().is_some_and(|name| name == b"show") => {
            let mut expected = found_path(directory);
            for word in words.iter().skip(1).map(Vec::as_slice).chain([script.as_os_str().as_bytes()]) {
                expected.extend_from_slice(word);
                expected.push(0);
            }
            assert_eq!(
                expected.escape_ascii().to_string(),
                real.stdout.escape_ascii().to_string(),
                "{shown}: {real:?}"
            );
        }
        // Some other name, which does not exist: env says which one it looked for.
        Ok(words) => {
            let status = real.status.code();
            assert!(matches!(status, Some(126 | 127)), "{shown}: {words:?} {real:?}");
        }
        Err(error) => match error.cause {
            Cause::NoCommand | Cause::AssignmentWithoutCommand { .. } => {
                assert_eq!(real.stdout, b"the script itself\n", "{shown}: {error} {real:?}");
            }
            _ => {
                let status = Some(i32::from(error.exit_status()));
                assert_eq!(real.status.code(), status, "{shown}: {error} {real:?}");
            }
        },
    }
    true
}

/// `$0` of `show`: the kernel gives a script the path that env found.
fn found_path(directory: &Path) -> Vec<u8> {
    let mut path = directory.join("show").as_os_str().as_bytes().to_vec();
    path.push(0);
    path
}

#[test]
fn the_installed_env_reads_the_same_words() {
    if !has_gnu_env() {
        return;
    }
    for argument in [
        "show",
        "show x",
        "FOO=1 show",
        "FOO=1",
        "--",
        "-S show a",
        "-Sshow a",
        "--split-string=show a",
        "--s=show a",
        r#"-S show "a b" 'c d' e"f"'g' "" ''"#,
        r"-S show 'a\_b\\c\'d\n\c\$'",
        r#"-S show "a\_b\\c\'d\"\n\$\#""#,
        r#"-S show \t\n\f\v\r \#\$\\\"\' a\_b\_\_c"#,
        r#"-S show a\c b "x"#,
        r#"-S show a # b " $"#,
        r"-S show a\_#b",
        r##"-S show a#b "#" '#' ""#b"##,
        r#"-S show ${FOO} x${NOPE}y ${NOPE} ${EMPTY} "${NOPE}" '${FOO}' ${_q1}"#,
        r"-S show ${OPTION}",
        r"-S ${OPTION} show\_x",
        "-S A=1 B=2 show C=3",
        "-S A=1",
        "-S # show",
        "-S-S show -x",
        r#"-S --split-string "show -x" y"#,
        "-S --split-string= show",
        "-S -- show -x",
        "-S -- --",
        r#"-S "" x"#,
        "-S show 'x",
        "-S show \"x",
        r"-S show '\",
        r"-S show \",
        r#"-S show "\"#,
        r"-S show \q",
        r"-S show \ x",
        r#"-S show "a\cb""#,
        "-S show $FOO",
        "-S show ${1}",
        "-S show ${}",
        "-S show ${FOO",
        "-S show ${FOO:-x}",
        "-S show $",
    ] {
        assert!(compare(argument.as_bytes()), "{argument} was not compared");
    }
}

/// Pieces that mean something to env, in any order.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = proptest::sample::select(vec![
        " ", " ", " ", "a", "b", "'", "'", "\"", "\"", "\\", "\\_", "\\t", "\\n", "\\f", "\\v", "\\r", "\\c", "\\#",
        "\\$", "\\\\", "\\\"", "\\'", "\\q", "#", " #", "$", "${FOO}", "${EMPTY}", "${NOPE}", "${_q1}", "${", "}", "=",
        "-", "\t", "\x0b", "\x0c", "é", "''", "\"\"",
    ]);
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_installed_env_splits_any_string_alike(
        rest in pieces(),
        start in proptest::sample::select(vec!["-Sshow ", "-S show", "-S-S show ", "-S A=1 show ", "-S"]),
    ) {
        if !has_gnu_env() {
            return Ok(());
        }
        // As the kernel trims it.
        let argument = [start.as_bytes(), &rest].concat();
        let end = argument.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(0);
        compare(&argument[..=end]);
    }
}
