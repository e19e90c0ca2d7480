//! Random Perl expressions: our `grep -P` beside the installed one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use hookshell_test_support::beside::{difference, ours, random, real, times};
use hookshell_test_support::{Random, is_version, says_version};

const ATOMS: [&str; 34] = [
    "a",
    "b",
    "c",
    "ab",
    ".",
    "[ab]",
    "[^a]",
    "\\w",
    "\\W",
    "\\d",
    "\\s",
    "\\b",
    "^",
    "$",
    "\\B",
    "x",
    "(?i:A)",
    "é",
    "\\R",
    "\\N",
    "[[:alpha:]]",
    "\\p{L}",
    "\\p{Lu}",
    "\\h",
    "\\X",
    "\\A",
    "\\z",
    "\\Z",
    "\\G",
    "\\x61",
    "\\n",
    "\\S",
    "[\\W]",
    "[^\\d]",
];

fn pattern(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return (*random.pick(&ATOMS)).to_owned();
    }
    let inner = |random: &mut Random| pattern(random, depth - 1);
    match random.below(16) {
        0..=3 => (*random.pick(&ATOMS)).to_owned(),
        4..=6 => inner(random) + &inner(random),
        7 => format!("(?:{}|{})", inner(random), inner(random)),
        8 => format!("({})", inner(random)),
        9 | 10 => {
            let times = *random.pick(&["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "{,2}"]);
            format!("(?:{}){times}{}", inner(random), random.pick(&["", "", "?", "+"]))
        }
        11 => format!("{}{})", random.pick(&["(?=", "(?!", "(?<=", "(?<!", "(?>"]), inner(random)),
        12 => match random.below(8) {
            0 => format!("(?(1){}|{})", inner(random), inner(random)),
            1 => format!("(?(?{}{}){}|{})", random.pick(&["=", "!"]), inner(random), inner(random), inner(random)),
            2 => format!("(?|{}|{})", inner(random), inner(random)),
            _ => (*random.pick(&["\\1", "\\2", "(?1)", "(?R)?", "\\g{-1}", "(?-1)"])).to_owned(),
        },
        13 => (*random.pick(&["(*PRUNE)", "(*SKIP)", "(*THEN)", "(*COMMIT)", "(*F)", "(*:m)", "(*SKIP:m)"])).to_owned(),
        14 => format!("(?{}:{})", random.pick(&["i", "s", "m", "x", "-i", "U", "n"]), inner(random)),
        _ => format!("{}\\K{}", inner(random), inner(random)),
    }
}

#[test]
fn random_perl_expressions_match_as_in_the_real_grep() {
    if !says_version("grep", "grep (GNU grep) 3.") {
        return;
    }
    // What is a letter, a digit and a blank beyond ASCII has changed since 3.8, which is the one that ours follows: beside any
    // other version texts and expressions are of ASCII.
    let is_ours = is_version("grep", "grep (GNU grep) 3.8");
    let shown = |text: &str| if is_ours { text.to_owned() } else { text.replace('é', "e").replace('É', "E") };
    let utilities = hookshell_grep::all();
    let utility = utilities.iter().find(|utility| utility.name() == "grep").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let lines = shown("abc\naab bba\n\nAb é x1\nabcabc cab\nxaéb ÉA\na\tb c\nbbb aaa\n");
    std::fs::write(directory.path().join("t"), lines).unwrap();
    std::fs::write(directory.path().join("z"), "ab\nba\0a\n\nb\0abab\ncc\n\0").unwrap();
    let mut random = random();
    let (mut wrong, mut done) = (Vec::new(), 0);
    for _ in 0..times(200) {
        let option = *random.pick(&["-oP", "-oP", "-nP", "-ioP", "-xP", "-wnP", "-zoP", "-zcP"]);
        let depth = random.below(5);
        let file = if option.contains('z') { "z" } else { "t" };
        let words: Vec<Vec<u8>> = ["grep", "-a", option, "--", &shown(&pattern(&mut random, depth)), file]
            .map(|word| word.as_bytes().to_vec())
            .into();
        let locale = [("LC_ALL", "C.UTF-8")];
        let expected = real(&words, directory.path(), b"", &locale);
        // What takes too long takes other paths to the limit, and of several mistakes each says another one first.
        if expected.status > 1 {
            continue;
        }
        let Some(mine) = ours(&**utility, &words, directory.path(), b"", &locale) else { continue };
        done += 1;
        if mine != expected {
            wrong.push(difference(&words, "C.UTF-8", b"", &expected, &mine));
        }
    }
    println!("{done} calls");
    assert!(wrong.is_empty(), "{} of {done} differ\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}
