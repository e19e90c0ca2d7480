//! Random scripts and texts: our sed beside the installed one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use hookshell_test_support::beside::{difference, ours, random, real, text, times};
use hookshell_test_support::{Random, says_version};

fn regex(random: &mut Random, extended: bool) -> String {
    let operator = |text: &str| if extended { text.to_owned() } else { format!("\\{text}") };
    let mut pattern = String::new();
    for _ in 0..=random.below(2) {
        let atom =
            random.pick(&["a", "b", "foo", ".", "[ab]", "[^a]", "\\w", "x", "é", "\\s", "[[:upper:]]", "o", "\\n"]);
        let times = *random.pick(&["", "", "", "*", "+", "?"]);
        pattern.push_str(atom);
        pattern.push_str(&if times.is_empty() || times == "*" { times.to_owned() } else { operator(times) });
    }
    match random.below(6) {
        0 => format!("^{pattern}"),
        1 => format!("{pattern}$"),
        2 => format!("{}{pattern}{}", operator("("), operator(")")),
        3 => format!("{pattern}{}b", operator("|")),
        _ => pattern,
    }
}

fn address(random: &mut Random, extended: bool) -> String {
    match random.below(9) {
        0 => "2".to_owned(),
        1 => "$".to_owned(),
        2 => format!("/{}/", regex(random, extended)),
        3 => "2,4".to_owned(),
        4 => format!("/{}/,/{}/", regex(random, extended), regex(random, extended)),
        5 => (*random.pick(&["1~2", "0~3", "2,+1", "3,~4", "0,/a/", "$!", "2!", "2,$", "1,3!", "/a/,2"])).to_owned(),
        _ => String::new(),
    }
}

fn command(random: &mut Random, extended: bool, depth: usize) -> String {
    let address = address(random, extended);
    let action = match random.below(if depth == 0 { 12 } else { 14 }) {
        0..=4 => {
            let regex = regex(random, extended);
            let replacement = *random.pick(&["X", "", "<&>", "\\n", "\\U&", "[&]\\t", "\\u&y", "&&", "\\l&\\E-"]);
            let flags = *random.pick(&["", "g", "2", "p", "gI", "2g", "M", "gp", "Mg"]);
            format!("s/{regex}/{replacement}/{flags}")
        }
        5..=7 => (*random
            .pick(&["d", "p", "P", "D", "g", "G", "h", "H", "x", "n", "N", "=", "l", "z", "q", "Q", "q3", "F", "l 9"]))
        .to_owned(),
        8 => (*random.pick(&["y/abo/xyz/", "y/é/e/", "s//Y/"])).to_owned(),
        9 => (*random.pick(&["$!N", "bx", "tx", "Tx"])).to_owned(),
        10 => (*random.pick(&["a foo", "i bar", "c baz"])).to_owned() + "\n",
        11 => "r one\n".to_owned(),
        _ => format!("{{{};{}\n}}", command(random, extended, depth - 1), command(random, extended, depth - 1)),
    };
    if action.starts_with('$') || (action.starts_with('q') || action.starts_with('Q')) && address.contains(',') {
        return action;
    }
    format!("{address}{action}")
}

#[test]
fn random_scripts_do_what_gnu_sed_does() {
    if !says_version("sed", "sed (GNU sed) 4.") {
        return;
    }
    let utilities = hookshell_sed::all();
    let utility = utilities.iter().find(|utility| utility.name() == "sed").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut random = random();
    let (mut wrong, mut done) = (Vec::new(), 0);
    for _ in 0..times(150) {
        let mut words: Vec<Vec<u8>> = vec![b"sed".to_vec()];
        let extended = random.chance(2);
        if extended {
            words.push(b"-E".to_vec());
        }
        for _ in 0..random.below(3) {
            words.push((*random.pick(&["-n", "-s", "-z", "-u", "-n"])).into());
        }
        let mut script: Vec<String> = (0..=random.below(3)).map(|_| command(&mut random, extended, 2)).collect();
        script.push(":x".to_owned());
        // `s//Y/` needs an expression before it.
        script.insert(0, "/zzz/=".to_owned());
        words.push(b"-e".to_vec());
        words.push(script.join("\n").into_bytes());
        if random.chance(3) {
            words.extend([b"one".to_vec(), b"two".to_vec()]);
        }
        let binary = random.chance(4);
        std::fs::write(directory.path().join("one"), text(&mut random, binary)).unwrap();
        std::fs::write(directory.path().join("two"), text(&mut random, false)).unwrap();
        let stdin = text(&mut random, binary);
        let locale = *random.pick(&["C.UTF-8", "C.UTF-8", "C"]);
        // GNU's sed makes \xff of a byte that is no ASCII when it changes the case in the C locale.
        let changes_case = ["\\U", "\\u", "\\l"].iter().any(|escape| script.iter().any(|part| part.contains(escape)));
        if locale == "C" && changes_case {
            continue;
        }
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
