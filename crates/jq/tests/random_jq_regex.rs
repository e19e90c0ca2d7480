//! Random regular expressions: ours beside the jq that it is held to, which runs Oniguruma.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::path::Path;

use hookshell_test_support::{Random, beside, oracles};

/// How many expressions are compared: the same ones every time, so that what has passed once passes again.
const COUNT: usize = 4000;

/// All matches with their groups, or the error.
const PROGRAM: &str = "try [.[1] as $text | .[0] as $regex | .[2] as $flags | $text | match($regex; $flags)
    | [.offset, .length, [.captures[] | .offset, .length]]] catch .";

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

fn atom(random: &mut Random, depth: usize) -> String {
    match random.below(if depth > 3 { 8 } else { 16 }) {
        0..=3 => pick(random, &["a", "b", "c", "A", "1", " ", "\\.", "\\n", "\n", "\\x41", "\\t", "_", "#"]).to_owned(),
        4 => ".".to_owned(),
        5 => pick(
            random,
            &["\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\h", "\\H", "\\R", "\\p{L}", "\\P{Lu}", "\\O", "\\N"],
        )
        .to_owned(),
        6 => {
            let sets = [
                "[abc]",
                "[^a]",
                "[a-c1]",
                "[[:alpha:]]",
                "[^[:digit:]b]",
                "[]a]",
                "[a-]",
                "[\\d-z]",
                "[a-c-e]",
                "[--A]",
                "[a-\\d]",
                "[[:alpha:]-z]",
                "[\\d-]",
                "[^\\w-]",
                "[-a-]",
                "[[:punct:]]",
                "[a\\]b]",
                "[b-a]",
                "[\\n-\\r]",
                "[[:foo:]]",
                "[[:^alpha:]]",
                "[]",
                "[\\w-[:digit:]]",
            ];
            pick(random, &sets).to_owned()
        }
        7 => pick(random, &["^", "$", "\\b", "\\B", "\\A", "\\z", "\\Z"]).to_owned(),
        8 | 9 => format!("({})", alternatives(random, depth + 1)),
        10 => format!("(?:{})", alternatives(random, depth + 1)),
        11 => format!(
            "{}{})",
            pick(random, &["(?=", "(?!", "(?>", "(?i:", "(?m:", "(?x: "]),
            alternatives(random, depth + 1)
        ),
        12 => {
            // What varies in length otherwise is an error or not by Oniguruma's optimizations.
            let after = [
                "a", "ab", "a|b", "[ab]c", "\\w", "ab|c", "a*", "a+", "a?|b", "(a)", "(?:a|bc)", "a{2}", "\\b", "^",
                "\\Z", "\\z", "(?=a)b", "(?!a)b", "(?<!a)b", "(?<=a)b", "(?>a)", "ab*",
            ];
            format!("{}{})", pick(random, &["(?<=", "(?<!"]), pick(random, &after))
        }
        13 => pick(random, &["\\1", "\\2", "\\k<n>", "(?i)", "(?-i)", "(?<n>a|b)"]).to_owned(),
        14 => format!("(?<n{}>{})", random.below(90), alternatives(random, depth + 1)),
        _ => atom(random, depth + 1),
    }
}

fn piece(random: &mut Random, depth: usize) -> String {
    let atom = atom(random, depth);
    let times = match random.below(10) {
        0 => "*",
        1 => "+",
        2 => "?",
        3 => pick(random, &["*?", "+?", "??", "*+", "++", "?+"]),
        4 => pick(
            random,
            &[
                "{2}", "{1,2}", "{0,1}", "{,2}", "{1,}", "{2}?", "{1,2}+", "{x}", "{", " +", " *", "{1}{2}", "{3,1}",
                "**", " {2}", "#c\n+",
            ],
        ),
        _ => "",
    };
    atom + times
}

fn alternatives(random: &mut Random, depth: usize) -> String {
    let count = if random.below(3) == 0 { 2 } else { 1 };
    let one = |random: &mut Random| {
        let pieces = random.below(4) + usize::from(depth == 0);
        (0..pieces).map(|_| piece(random, depth)).collect::<String>()
    };
    (0..count).map(|_| one(random)).collect::<Vec<_>>().join("|")
}

#[test]
fn random_expressions_match_what_they_match_in_jq() {
    let Some(jq) = oracles::jq(oracles::JQ) else { return };
    let mut random = Random::new(0x5eed);
    let mut cases = Vec::new();
    for _ in 0..COUNT {
        let regex = alternatives(&mut random, 0);
        let count = random.below(14);
        let text: String = (0..count)
            .map(|_| pick(&mut random, &["a", "b", "c", "A", "B", "1", " ", "\n", ".", "aab", "_", "\t", "abc"]))
            .collect();
        cases.push(format!("[{regex:?},{text:?},{:?}]", pick(&mut random, &["", "g", "gi", "gx", "gn", "gp"])));
    }
    let stdin = cases.join("\n");
    let words = [jq.to_str().unwrap(), "-c", PROGRAM];
    let real = beside::real(&words, Path::new("/"), stdin.as_bytes(), &[]);
    let ours =
        beside::ours(&*hookshell_jq::all()[0], &["jq", "-c", PROGRAM], Path::new("/"), stdin.as_bytes(), &[]).unwrap();
    assert_eq!((ours.status, real.status), (0, 0));
    let (real, ours) = (String::from_utf8(real.stdout).unwrap(), String::from_utf8(ours.stdout).unwrap());
    assert_eq!((real.lines().count(), ours.lines().count()), (COUNT, COUNT));
    let mut refused = 0;
    let mut wrong = Vec::new();
    for ((case, real), ours) in cases.iter().zip(real.lines()).zip(ours.lines()) {
        if ours.contains("hookshell's jq does not support") {
            refused += 1;
        } else if ours != real {
            wrong.push(format!("{case}\n  jq:   {real}\n  ours: {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {COUNT} differ:\n{}", wrong.len(), wrong.join("\n"));
    println!("{COUNT} expressions compared, {refused} of them refused");
    assert!(refused < COUNT / 20, "{refused} of {COUNT} are refused");
}
