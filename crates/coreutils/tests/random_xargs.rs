//! Random inputs and options for `xargs`, beside the installed one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use hookshell_test_support::beside::{ours, real};
use hookshell_test_support::{Random, is_gnu};

/// Pieces of inputs: words, quotes, what separates, bytes that are not characters.
const PIECES: &[&[u8]] = &[
    b"a",
    b"bc",
    b"def",
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\n",
    b"\n\n",
    b" \n",
    b"'x y'",
    b"\"p  q\"",
    b"\\ ",
    b"\\\n",
    b"\\a",
    b"''",
    b"\"\"",
    b"'",
    b"\"",
    b"\0",
    b"\xff",
    b"EOF",
    b"{}",
    b"_",
    b",",
    b"long-word-long-word-long-word",
];

fn input(random: &mut Random) -> Vec<u8> {
    let mut input = Vec::new();
    for _ in 0..random.below(25) {
        let piece: &&[u8] = random.pick(PIECES);
        input.extend_from_slice(piece);
    }
    if random.chance(6) {
        input.extend(b"w ".repeat(random.below(3000)));
    }
    input
}

const OPTIONS: &[&[&str]] = &[
    &["-n", "1"],
    &["-n2"],
    &["-n", "5"],
    &["--max-args=3"],
    &["-L", "1"],
    &["-L2"],
    &["--max-lines=1"],
    &["-I", "{}"],
    &["-I_"],
    &["--replace=a"],
    &["-i"],
    &["-0"],
    &["--null"],
    &["-d", ","],
    &["-d\\n"],
    &["-d", " "],
    &["--delimiter=\\x2c"],
    &["-r"],
    &["--no-run-if-empty"],
    &["-t"],
    &["--verbose"],
    &["-x"],
    &["-s", "40"],
    &["-s", "120"],
    &["-E", "EOF"],
    &["-EEOF"],
    &["-P", "1"],
    &["-a", "list"],
];

const COMMANDS: &[&[&str]] =
    &[&[], &["echo"], &["echo", "x"], &["echo", "{}"], &["echo", "<{}>", "{}{}"], &["echo", "_", "y"]];

#[test]
fn random_inputs_give_the_same_command_lines() {
    if !is_gnu("xargs") {
        return;
    }
    let utilities = hookshell_coreutils::all(|_| false);
    let utility = utilities.iter().find(|utility| utility.name() == "xargs").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for seed in 0..500 {
        let mut random = Random::new(seed);
        std::fs::write(directory.path().join("list"), input(&mut random)).unwrap();
        let mut words = vec!["xargs"];
        for _ in 0..random.below(4) {
            let option: &&[&str] = random.pick(OPTIONS);
            words.extend_from_slice(option);
        }
        let command: &&[&str] = random.pick(COMMANDS);
        words.extend_from_slice(command);
        let stdin = input(&mut random);
        // The real one counts what stands after a NUL byte in an item, and loses it.
        if stdin.contains(&0) && !words.contains(&"-0") && !words.contains(&"--null") {
            continue;
        }
        // Where both kinds of quotes stand in a word, the real one shows it in an odd way.
        let shows = words.contains(&"-t") || words.contains(&"--verbose");
        if shows && stdin.contains(&b'"') {
            continue;
        }
        let Some(ours) = ours(&**utility, &words, directory.path(), &stdin, &[]) else { continue };
        let theirs = real(&words, directory.path(), &stdin, &[]);
        compared += 1;
        assert_eq!(ours.readable(), theirs.readable(), "seed {seed}: {words:?} < {}", stdin.escape_ascii());
    }
    assert!(compared > 200, "only {compared} were done in process");
}
