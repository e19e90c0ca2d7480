//! What the real programs do not know is never taken for something else: options that are in no manual are refused.
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::sync::Arc;

use hookshell_utilities::{Bundle, standard};
use hookshell_utility::{
    Args, FdTable, NoCommands, RunToken, Stream, UtilityCall, UtilityContext, UtilityMemory, UtilitySet,
};

/// Letters and digits that are options of the real program, or begin an old form (`head -5`).
const LETTERS: &[(&str, &str)] = &[
    ("arch", ""),
    ("awk", "bcCdeEfFghiIlLnMNoOpPrsStvVW"),
    ("b2sum", "bclLtwz"),
    ("base32", "diw"),
    ("base64", "diw"),
    ("basename", "asz"),
    ("basenc", "diw"),
    ("cat", "AbeEnstTuv"),
    ("chgrp", "cfhvRHLP"),
    ("chmod", "cfRvrwxXstugoa01234567"),
    ("chown", "cfhvRHLP"),
    ("cksum", "abclstz"),
    ("cmp", "bilnsv"),
    ("column", "cCdeEHhiIJlLnNoOprRsStTVxW"),
    ("comm", "123z"),
    ("cp", "abdfHilLnpPrRsStTuvxZ"),
    ("csplit", "bfknqsz"),
    ("cut", "bcdfnsz"),
    ("cygpath", "ACDFHMOPRSVWacdfhilmopstuw"),
    ("date", "dfIrRsu"),
    ("dd", ""),
    ("df", "aBhHiklmPTtvx"),
    ("diff", "0123456789abBcCdDeEfFhHiIlLnNpPqrsStTuUvwWxXyZ"),
    ("dir", "1aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxXZ"),
    ("dirname", "z"),
    ("du", "0aBbcdDhHklLmPsStxX"),
    ("egrep", "0123456789ABCDEFGHILPRTUVXZabcdefhilmnoqrsuvwxyz"),
    ("env", "0CiSuv"),
    ("envsubst", "vhV"),
    ("expand", "it0123456789"),
    ("factor", ""),
    ("fgrep", "0123456789ABCDEFGHILPRTUVXZabcdefhilmnoqrsuvwxyz"),
    ("find", "HLPDOadefgilmnopqrstuvwx"),
    ("flock", "sexnoFuwEhV"),
    ("fmt", "cgpstuw0123456789"),
    ("fold", "bsw0123456789"),
    ("getopt", "alnoqQsTuhV"),
    ("grep", "0123456789ABCDEFGHILPRTUVXZabcdefhilmnoqrsuvwxyz"),
    ("groups", ""),
    ("hd", "bcCdefhLnosvVx"),
    ("head", "cnqvz0123456789"),
    ("hexdump", "bcCdefhLnosvVx"),
    ("hostname", "aAbdFfhiIsvVyF"),
    ("iconv", "cflost"),
    ("id", "aGgnruzZ"),
    ("install", "bcCdDgmopsStTvZ"),
    ("join", "12aeijotvz"),
    // `jq -1` is a program.
    ("jq", "0123456789aCcefhjLMnRrSsVb"),
    ("less", "aABbcdDeEfFgGhiIjJkKLmMnNoOpPqQrRsStTuUVwWxXyz0123456789"),
    ("link", ""),
    ("ln", "bdFfiLnPrsStTv"),
    ("logname", ""),
    ("ls", "1aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxXZ"),
    ("md5sum", "bctwz"),
    ("mkdir", "mpvZ"),
    ("mkfifo", "mZ"),
    ("mktemp", "dpqtuV"),
    ("more", "cdefhlnpsuV0123456789"),
    ("mv", "bfinStTuvZ"),
    ("nice", "n0123456789"),
    ("nl", "bdfhilnpsvw"),
    ("nohup", ""),
    ("nproc", ""),
    ("numfmt", "dz"),
    ("od", "AabcDdeFfhHiIjlLNoOsStvwxX"),
    ("paste", "dsz"),
    ("patch", "bEfNRstudFioprz"),
    ("pathchk", "pP"),
    ("pgrep", "aAcdfFgGhilLnoOPqrsStuUvVwx0123456789"),
    ("pkill", "cefFgGhHiLnoOPqrstuUVx0123456789"),
    ("printenv", "0"),
    ("readlink", "efmnqsvz"),
    ("realpath", "eLmPqsz"),
    ("rev", "hV"),
    ("rm", "dfiIrRv"),
    ("rmdir", "pv"),
    ("sed", "bEefhilnrsuz"),
    ("seq", "fsw0123456789"),
    ("setsid", "cfhVw"),
    ("sha1sum", "bctwz"),
    ("sha224sum", "bctwz"),
    ("sha256sum", "bctwz"),
    ("sha384sum", "bctwz"),
    ("sha512sum", "bctwz"),
    ("shasum", "abctUswqhv01"),
    ("shuf", "einorz"),
    ("sleep", ""),
    ("sort", "bcCdfghikmMnoRrsStTuVyz0123456789"),
    ("split", "abCdelntux0123456789"),
    ("stat", "cfLt"),
    ("stdbuf", "eio"),
    ("strings", "adfnotTwesUhvV0123456789"),
    ("sum", "rs"),
    ("sync", "df"),
    ("tac", "brs"),
    ("tail", "cfFnqsvz0123456789bklr"),
    ("tee", "aip"),
    ("timeout", "ksv"),
    ("touch", "acdfhmrt"),
    ("tput", "STVx"),
    ("tr", "cCdst"),
    ("tree", "adfilxLPIRqNQpugshDFvctUrnACSXJHTo"),
    ("truncate", "cors"),
    ("tsort", ""),
    ("tty", "s"),
    ("uname", "aimnoprsv"),
    ("unexpand", "ait0123456789"),
    ("uniq", "cdDfisuwz0123456789"),
    ("unlink", ""),
    ("uuidgen", "rtnNmsxhV"),
    ("vdir", "1aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxXZ"),
    ("wc", "clLmw"),
    ("which", "a"),
    ("whoami", ""),
    ("xargs", "0adEeILlnoPprstxiS"),
    ("xxd", "abCcdEeghilnopRrsuv"),
    ("yes", ""),
];

/// They take every word as it is.
const TAKE_ANYTHING: &[&str] = &["expr"];

/// Words after the option, so that nothing is missing.
const OPERANDS: &[&str] = &["a", "b"];

fn accepts(utilities: &Bundle, name: &str, words: &[&str]) -> bool {
    let argv: Args = std::iter::once(&name).chain(words).collect();
    let directory = std::env::temp_dir();
    let call = UtilityCall { argv: &argv, env: &Arc::default(), cwd: &directory };
    let prepared = utilities.utility(name.as_bytes()).and_then(|utility| utility.prepare(&call).ok());
    prepared.is_some_and(|prepared| !prepared.yields())
}

#[test]
fn every_utility_is_in_the_table() {
    let known = |name: &&str| LETTERS.iter().any(|(own, _)| own == name) || TAKE_ANYTHING.contains(name);
    let utilities = standard();
    let missing: Vec<_> = utilities.names().filter(|name| !known(name)).collect();
    assert!(missing.is_empty(), "which options have they? {missing:?}");
}

#[test]
fn letters_that_are_no_options_are_refused() {
    let utilities = standard();
    let mut accepted = Vec::new();
    for (name, letters) in LETTERS {
        for letter in ('0'..='9').chain('a'..='z').chain('A'..='Z').filter(|letter| !letters.contains(*letter)) {
            for rest in [&[][..], &OPERANDS[..1], OPERANDS] {
                let option = format!("-{letter}");
                let words: Vec<&str> = std::iter::once(&*option).chain(rest.iter().copied()).collect();
                if accepts(&utilities, name, &words) {
                    accepted.push(format!("{name} {}", words.join(" ")));
                }
            }
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn long_words_that_are_no_options_are_refused() {
    let mut seed: u64 = 0x2545_f491_4f6c_dd1d;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let utilities = standard();
    for (name, _) in LETTERS {
        for _ in 0..100 {
            // With a letter pair that no option begins with.
            let mut option = "--zq".to_owned();
            for _ in 0..random(8) {
                option.push(char::from(b"abcdefghijklmnopqrstuvwxyz-=09"[usize::try_from(random(30)).unwrap()]));
            }
            for rest in [&[][..], &OPERANDS[..1], OPERANDS] {
                let words: Vec<&str> = std::iter::once(&*option).chain(rest.iter().copied()).collect();
                assert!(!accepts(&utilities, name, &words), "{name} {words:?}");
            }
        }
    }
}

#[test]
fn an_unknown_letter_among_known_ones_is_refused() {
    let utilities = standard();
    let mut accepted = Vec::new();
    for (name, words) in [
        ("ls", &["-lj"][..]),
        ("ls", &["-1y", "a"]),
        ("grep", &["-qj", "a"]),
        ("grep", &["-J", "a", "b"]),
        ("sort", &["-nj"]),
        ("sort", &["-k1,1q", "a"]),
        ("sed", &["-nj", "p"]),
        ("sed", &["s/a/b/q"]),
        ("sed", &["s/[:space:]//"]),
        ("sed", &["p;k"]),
        ("jq", &["-rq", "."]),
        ("jq", &[".a |"]),
        ("cut", &["-f1", "-j"]),
        ("cut", &["-f", "x"]),
        ("tr", &["-dq", "a"]),
        ("head", &["-n", "x"]),
        ("head", &["-5z3"]),
        ("tail", &["-n", "1x"]),
        ("xargs", &["-n", "x"]),
        ("xargs", &["-0j"]),
        ("find", &[".", "-nmae", "x"]),
        ("find", &[".", "-type", "q"]),
        ("date", &["010100002020"]),
        ("date", &["-s", "2020-01-01"]),
        ("diff", &["-uqj", "a", "b"]),
        ("wc", &["-lq", "a"]),
        ("uniq", &["-cq"]),
        ("awk", &["BEGIN { print "]),
        ("awk", &["--zq", "1"]),
        ("cp", &["-rq", "a", "b"]),
        ("rm", &["-rfq", "a"]),
        ("mkdir", &["-pq", "a"]),
        ("touch", &["-d", "no date", "a"]),
        ("chmod", &["u+q", "a"]),
        ("mktemp", &["-dj"]),
        ("base64", &["-w", "x"]),
        ("od", &["-t", "q"]),
    ] {
        if accepts(&utilities, name, words) {
            accepted.push(format!("{name} {}", words.join(" ")));
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// What a utility ends with and what it writes to standard error; standard output is closed.
fn end_of(utilities: &Bundle, words: &[&str]) -> Option<(u8, String)> {
    let argv: Args = words.iter().collect();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("f"), "b\na\n").unwrap();
    std::fs::write(directory.path().join("g"), "c\n").unwrap();
    let env = Arc::new(vec![("TERM".into(), "xterm".into())]);
    let (stderr, errors) = Stream::capture(1 << 16);
    let mut fds = FdTable::default();
    fds.replace(0, Some(Arc::new(Stream::null())));
    fds.replace(2, Some(Arc::new(stderr)));
    let cancel = RunToken::isolated();
    let context = UtilityContext {
        argv: &argv,
        env: &env,
        cwd: directory.path(),
        fds: &fds,
        umask: None,
        cancel: &cancel,
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let utility = utilities.utility(words[0].as_bytes()).unwrap();
    let status = utility.prepare(&context.call()).ok()?.run(&context).unwrap();
    Some((status, String::from_utf8(errors.take()).unwrap()))
}

#[test]
fn a_wrong_command_line_ends_as_the_real_program_ends() {
    // All others end with 1.
    let other = |name| match name {
        "awk" | "cmp" | "diff" | "egrep" | "fgrep" | "getopt" | "grep" | "jq" | "dir" | "ls" | "patch" | "printenv"
        | "sort" | "tput" | "tty" | "vdir" | "which" | "pgrep" | "pkill" => 2,
        "env" | "nice" | "nohup" | "stdbuf" | "timeout" => 125,
        "flock" => 64,
        _ => 1,
    };
    let utilities = standard();
    let names = utilities.names().filter(|name| !TAKE_ANYTHING.contains(name));
    let ended: Vec<_> =
        names.filter_map(|name| Some((name, end_of(&utilities, &[name, "--zqx", "a", "b"])?))).collect();
    // A few are left to the real one even where there is none.
    assert!(ended.len() > 90, "{}", ended.len());
    let wrong: Vec<_> = ended.iter().filter(|(name, end)| end.0 != other(name) || end.1.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn output_that_cannot_be_written_is_told_of_with_the_status_of_the_real_program() {
    let utilities = standard();
    for (words, status) in [
        (&["base64", "f"][..], 1),
        (&["printenv", "TERM"], 2),
        (&["grep", "a", "f"], 2),
        (&["egrep", "a", "f"], 2),
        (&["sort", "f"], 2),
        (&["diff", "f", "/dev/null"], 2),
        (&["cmp", "f", "g"], 2),
        (&["ls"], 2),
        (&["expr", "1"], 3),
        (&["xxd", "f"], 3),
        (&["env"], 125),
        (&["uniq", "f"], 1),
    ] {
        let (ended, message) = end_of(&utilities, words).unwrap();
        assert!(message.contains("Bad file descriptor"), "{words:?}: {message}");
        assert_eq!(ended, status, "{words:?}: {message}");
    }
    // Theirs do not look.
    for words in [&["hostname"][..], &["tput", "cols"]] {
        assert_eq!(end_of(&utilities, words), Some((0, String::new())), "{words:?}");
    }
}
