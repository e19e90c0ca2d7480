//! Random patterns, options and texts: our grep beside the installed one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use hookshell_test_support::beside::{difference, ours, random, real, text, times};
use hookshell_test_support::{Random, says_version};

fn pattern(random: &mut Random, extended: bool, depth: usize) -> String {
    let operator = |text: &str| if extended { text.to_owned() } else { format!("\\{text}") };
    match random.below(if depth == 0 { 5 } else { 10 }) {
        0..=2 => (*random.pick(&["a", "b", "ab", "foo", "ba", "_", " ", "1", "é", "A"])).to_owned(),
        3 => (*random.pick(&[".", "[ab]", "[^a]", "[[:alpha:]]", "\\w", "\\s", "[[:digit:]]", "\\W", "\\S", "[a-f]"]))
            .to_owned(),
        4 => (*random.pick(&["^", "$", "\\<", "\\>", "\\b", "a", "b"])).to_owned(),
        5 | 6 => format!("{}{}", pattern(random, extended, depth - 1), pattern(random, extended, depth - 1)),
        7 => {
            format!("{}{}{}", pattern(random, extended, depth - 1), operator("|"), pattern(random, extended, depth - 1))
        }
        8 => format!("{}{}{}", operator("("), pattern(random, extended, depth - 1), operator(")")),
        _ => {
            let times = *random.pick(&["*", "+", "?"]);
            let times = if times == "*" { times.to_owned() } else { operator(times) };
            format!("{}{}{}{times}", operator("("), pattern(random, extended, depth - 1), operator(")"))
        }
    }
}

#[test]
fn random_calls_do_what_gnu_grep_does() {
    if !says_version("grep", "grep (GNU grep) 3.") {
        return;
    }
    let utilities = hookshell_grep::all();
    let utility = utilities.iter().find(|utility| utility.name() == "grep").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut random = random();
    let (mut wrong, mut done) = (Vec::new(), 0);
    for _ in 0..times(200) {
        let mut words: Vec<Vec<u8>> = vec![b"grep".to_vec()];
        let kind = *random.pick(&["-E", "-G", "-F", "-E", "-G", "-P"]);
        words.push(kind.into());
        for _ in 0..random.below(4) {
            let option = *random.pick(&[
                "-i",
                "-v",
                "-c",
                "-l",
                "-n",
                "-o",
                "-w",
                "-x",
                "-b",
                "-a",
                "-m2",
                "-A1",
                "-B1",
                "-C2",
                "-q",
                "-H",
                "-h",
                "-L",
                "-z",
                "-T",
                "--binary-files=without-match",
                "-Z",
                "-s",
                "--no-group-separator",
            ]);
            words.push(option.into());
        }
        let extended = kind == "-E" || kind == "-P";
        for _ in 0..=random.below(3) / 2 {
            words.push(b"-e".to_vec());
            words.push(pattern(&mut random, extended, 3).into_bytes());
            if kind == "-P" {
                break;
            }
        }
        if random.chance(3) {
            words.push(b"one".to_vec());
            words.push(b"two".to_vec());
        }
        let binary = random.chance(3);
        std::fs::write(directory.path().join("one"), text(&mut random, binary)).unwrap();
        std::fs::write(directory.path().join("two"), text(&mut random, false)).unwrap();
        let stdin = text(&mut random, binary);
        let locale = *random.pick(&["C.UTF-8", "C.UTF-8", "C"]);
        let Some(mine) = ours(&**utility, &words, directory.path(), &stdin, &[("LC_ALL", locale)]) else { continue };
        done += 1;
        let expected = real(&words, directory.path(), &stdin, &[("LC_ALL", locale)]);
        if mine != expected {
            wrong.push(difference(&words, locale, &stdin, &expected, &mine));
        }
    }
    println!("{done} calls");
    assert!(wrong.is_empty(), "{} of {done} differ\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}
