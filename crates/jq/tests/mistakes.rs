//! Random words in a row, which are hardly ever a program: our messages beside those of the jq that ours is held to.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use hookshell_test_support::beside::{Bundled, bundled, real};
use hookshell_test_support::{Random, oracles};

/// How many rows are compared: the same ones every time.
const COUNT: usize = 1500;

const WORDS: &[&str] = &[
    "1",
    "1.e5",
    ".5",
    ".",
    "..",
    ".a",
    ".b",
    "\"x\"",
    "\"a\\(1)b\"",
    "\"abc",
    "\"\\q\"",
    "\"\\u12\"",
    "\"\\(",
    "\"",
    "$x",
    "$__loc__",
    "__loc__",
    "a::b",
    "f",
    "@base64",
    "@json \"v\\(1)\"",
    "@",
    "if",
    "then",
    "else",
    "elif",
    "end",
    "reduce",
    "foreach",
    "as",
    "def",
    "try",
    "catch",
    "label",
    "break",
    "and",
    "or",
    "not",
    "import",
    "include",
    "module",
    "|",
    ",",
    "//",
    "=",
    "|=",
    "+=",
    "==",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "?",
    "?//",
    ";",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "$",
    ".[\"a\"]",
    ".[",
    "!",
    "\\",
    "é",
    "\n",
    "#c\n",
    "if . then 1 else 2 end",
    "{a:1}",
    "{\"a\":2,b}",
    "[1,2]",
    "def f: 1;",
    ". as [$x] |",
    "reduce .[] as $x (0; . + $x)",
    ". as {a:$x} |",
    "label $f |",
    "break $f",
];

#[test]
fn mistakes_are_told_as_by_jq() {
    let Some(jq) = oracles::jq(oracles::JQ) else { return };
    let jq = jq.to_str().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let utilities = hookshell_jq::all();
    let mut random = Random::new(0x6a71);
    let (mut compared, mut wrong) = (0, Vec::new());
    for _ in 0..COUNT {
        let between = if random.below(2) == 0 { "" } else { " " };
        let words: Vec<_> = (0..=random.below(7)).map(|_| WORDS[random.below(WORDS.len())]).collect();
        let program = words.join(between);
        let theirs = real(&[jq, "-n", "--arg", "x", "1", &program], directory.path(), b"", &[]);
        // What 1.7.1 takes, ours may run: that is compared elsewhere. A path that is no text is found by two readers here.
        if theirs.status != 3 || theirs.readable().stderr.contains("Import path must be constant") {
            continue;
        }
        compared += 1;
        let line: Vec<_> =
            ["jq", "-n", "--arg", "x", "1", &program].iter().map(|word| word.as_bytes().to_vec()).collect();
        match bundled(&*utilities[0], &line, directory.path(), b"", &[]) {
            Bundled::Ran(ours) | Bundled::Yields(ours)
                if (ours.status, &ours.stderr) == (theirs.status, &theirs.stderr) => {}
            Bundled::Refuses => wrong.push(format!("{program:?} is refused")),
            Bundled::Ran(ours) | Bundled::Yields(ours) => {
                wrong.push(format!("{program:?}\n{}\n{}", theirs.readable().stderr, ours.readable().stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    println!("{compared} programs compared");
    assert!(compared > COUNT / 2);
}
