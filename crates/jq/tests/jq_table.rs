//! What jq's manual lists (builtins, formats, variables, options), each with a case of `data/jq.txt`: ours gives what the table
//! says, the real jqs of `cargo xtask jq` agree, and nothing that they have is missing.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test so")]

use std::collections::BTreeSet;
use std::path::Path;

use hookshell_test_support::beside::{self, Outcome};
use hookshell_test_support::oracles;

const TABLE: &str = include_str!("data/jq.txt");

/// What the options read.
const INPUT: &[u8] = "{\"b\":[1,\"é\"],\"a\":null}\n2\n".as_bytes();
const FILES: [(&str, &str); 3] =
    [("prog.jq", "# a comment\n.b?\n"), ("lib.jq", "def two: 2;\n"), ("data.json", "1 [2]\n")];

/// The zone that dates are shown in.
const ENV: [(&str, &str); 1] = [("TZ", "UTC")];

struct Row {
    name: &'static str,
    versions: &'static str,
    words: Vec<String>,
    stdin: &'static [u8],
    status: i32,
    /// `None`: any.
    stdout: Option<String>,
}

fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let columns: Vec<&'static str> = line.split('\t').collect();
        let [name, versions, program, status, stdout] = columns[..] else { panic!("{line}") };
        let is_option = name.starts_with('-');
        let words = if is_option {
            program.split(' ').map(|word| word.replace('␠', " ")).collect()
        } else {
            vec!["-nc".to_owned(), program.to_owned()]
        };
        let text = stdout.replace('⏎', "\n").replace('␉', "\t").replace('␛', "\u{1b}").replace('␀', "\0");
        let stdin = if is_option { INPUT } else { b"" };
        Row { name, versions, words, stdin, status: status.parse().unwrap(), stdout: (stdout != "*").then_some(text) }
    };
    TABLE.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

/// Which rows the results of `run` differ from.
fn different(rows: &[Row], run: impl Fn(&Row, &Path) -> Outcome) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let mut different = Vec::new();
    for row in rows {
        let ran = run(row, directory.path());
        let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
        if ran.status != row.status || row.stdout.as_ref().is_some_and(|expected| *expected != stdout) {
            let error = String::from_utf8_lossy(&ran.stderr);
            different.push(format!("{} {:?}: {} {stdout:?} {error}", row.name, row.words, ran.status));
        }
    }
    different
}

fn ours(words: &[&str], directory: &Path, stdin: &[u8], env: &[(&str, &str)]) -> Option<Outcome> {
    beside::ours(&*hookshell_jq::all()[0], words, directory, stdin, env)
}

fn words<'a>(program: &'a str, row: &'a Row) -> Vec<&'a str> {
    std::iter::once(program).chain(row.words.iter().map(String::as_str)).collect()
}

#[test]
fn ours_does_what_the_table_says() {
    let rows = rows();
    let different = different(&rows, |row, directory| {
        ours(&words("jq", row), directory, row.stdin, &ENV).unwrap_or_else(|| Outcome {
            status: 127,
            stdout: Vec::new(),
            stderr: b"refused".to_vec(),
        })
    });
    assert!(rows.len() > 270, "{}", rows.len());
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn the_real_ones_do_what_the_table_says() {
    for version in [oracles::JQ, oracles::NEWEST_JQ] {
        let Some(jq) = oracles::jq(version) else { return };
        let jq = jq.to_str().unwrap();
        let rows: Vec<Row> = rows().into_iter().filter(|row| [version, "both"].contains(&row.versions)).collect();
        let different = different(&rows, |row, directory| beside::real(&words(jq, row), directory, row.stdin, &ENV));
        assert!(rows.len() > 250 && different.is_empty(), "jq {version}: {different:#?}");
    }
}

#[test]
fn no_builtin_of_the_real_ones_is_missing() {
    let rows = rows();
    let known: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(known.len(), rows.len(), "a name is there twice");
    for version in [oracles::JQ, oracles::NEWEST_JQ] {
        let Some(jq) = oracles::jq(version) else { return };
        let ran = beside::real(&[jq.to_str().unwrap(), "-nr", "builtins[]"], Path::new("/"), b"", &[]);
        let names = String::from_utf8(ran.stdout).unwrap();
        let missing: Vec<&str> = names.lines().filter(|name| !known.contains(name)).collect();
        assert!(names.lines().count() > 200 && missing.is_empty(), "jq {version} has {missing:?}");
    }
}

#[test]
fn no_option_of_the_help_is_missing() {
    let rows = rows();
    let help = ours(&["jq", "--help"], Path::new("/"), b"", &[]).unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let options: BTreeSet<&str> = help
        .split_once("Command options:")
        .unwrap()
        .1
        .lines()
        .filter(|line| line.trim_start().starts_with('-'))
        .flat_map(|line| line.split([' ', ',']).filter(|word| word.starts_with('-')).take(2))
        .collect();
    assert!(options.len() > 30, "{options:?}");
    let missing: Vec<&&str> = options.iter().filter(|option| rows.iter().all(|row| row.name != **option)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
