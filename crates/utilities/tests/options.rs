//! Options of `grep` and `diff` that compare files by their names or kinds: ours beside the real ones.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::fs;

use hookshell_test_support::beside::{ours, real};
use hookshell_test_support::says_version;
use hookshell_utility::UtilitySet;

const ROWS: &[(&str, &[&str])] = &[
    ("grep (GNU grep) 3.", &["grep", "-rl", "--exclude-from=list", "x", "dir/only"]),
    ("grep (GNU grep) 3.", &["grep", "-rc", "--exclude-from=empty", "x", "dir/only"]),
    ("grep (GNU grep) 3.", &["grep", "-c", "--exclude-from=list", "x", "dir/a.h", "left"]),
    ("grep (GNU grep) 3.", &["grep", "-r", "--include=*.h", "--exclude-from=list", "x", "dir"]),
    ("grep (GNU grep) 3.", &["grep", "-r", "--exclude-from=none", "x", "dir"]),
    ("grep (GNU grep) 3.", &["grep", "-D", "skip", "-c", "x", "left", "/dev/null"]),
    ("grep (GNU grep) 3.", &["grep", "-D", "read", "-c", "x", "left", "/dev/null"]),
    ("grep (GNU grep) 3.", &["grep", "--devices=skip", "-c", "x", "-"]),
    ("diff (GNU diffutils) 3.", &["diff", "--suppress-blank-empty", "left", "right"]),
    ("diff (GNU diffutils) 3.", &["diff", "--suppress-blank-empty", "-T", "left", "right"]),
    ("diff (GNU diffutils) 3.", &["diff", "--suppress-blank-empty", "-U1", "-Ll", "-Lr", "left", "right"]),
    ("diff (GNU diffutils) 3.", &["diff", "--suppress-blank-empty", "-TU1", "-Ll", "-Lr", "left", "right"]),
    ("diff (GNU diffutils) 3.", &["diff", "--suppress-blank-empty", "-C1", "-Ll", "-Lr", "left", "right"]),
    ("diff (GNU diffutils) 3.", &["diff", "-P", "dir", "other"]),
    ("diff (GNU diffutils) 3.", &["diff", "-P", "none", "left"]),
    ("diff (GNU diffutils) 3.", &["diff", "-P", "left", "none"]),
    ("diff (GNU diffutils) 3.", &["diff", "-r", "-S", "b", "dir", "other"]),
    ("diff (GNU diffutils) 3.", &["diff", "--starting-file=only", "-r", "dir", "other"]),
];

#[test]
fn options_do_what_the_real_ones_do() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for name in ["dir/only", "other/only"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for (name, text) in [
        ("left", "a\n\nb\nx\n"),
        ("right", "a\n\nc\n\nx\n"),
        ("list", "*.h \n\nc d\n"),
        ("empty", ""),
        ("dir/a.h", "x\n"),
        ("dir/only/a.c", "x\n"),
        ("other/only/a.c", "y\n"),
        ("other/z", "y\n"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    let utilities = hookshell_utilities::standard();
    let mut wrong = Vec::new();
    for (version, words) in ROWS.iter().filter(|(version, words)| says_version(words[0], version)) {
        let theirs = real(words, root, b"x\n", &[]);
        match ours(utilities.utility(words[0].as_bytes()).unwrap(), words, root, b"x\n", &[]) {
            Some(mine) if mine.readable() == theirs.readable() => {}
            other => {
                wrong.push(format!("{version} {words:?}\n{:?}\n{:?}", theirs.readable(), other.map(|o| o.readable())))
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
