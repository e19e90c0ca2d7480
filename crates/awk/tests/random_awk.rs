//! Random awk programs and inputs: where the installed awks agree, ours does the same.
//!
//! `AWK_RUNS` and `AWK_SEED` make the test longer or different.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookshell_utility::{Args, FdTable, NoCommands, RunToken, Stream, UtilityCall, UtilityContext, UtilityMemory};

/// Small and repeatable.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % limit.max(1)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const STRINGS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"abc abc\"",
    "\"10\"",
    "\"9\"",
    "\"1e2\"",
    "\" 5 \"",
    "\"3x\"",
    "\"x:y:z\"",
    "\"-1\"",
    "\"0\"",
    "\"a.b\"",
    "\"+\"",
    "\"0.0\"",
    "\"B\"",
];
const NUMBERS: &[&str] = &["0", "1", "2", "3", "10", "0.5", "1.25", "100", "1e2", "7", "12.75", "1e-3"];
const REGEXES: &[&str] = &[
    "/a/",
    "/^a/",
    "/b$/",
    "/[0-9]+/",
    "/a|b/",
    "/(ab)+/",
    "/x*/",
    "/./",
    "/[a-c]/",
    "/[^a]/",
    "/^$/",
    "/a.c/",
    "/\\./",
    "/b+|c/",
    "/[[:alpha:]]+/",
    "/ +/",
    "/:/",
    "/^[ab]?/",
    "/a|ab|abc/",
];
const VARIABLES: &[&str] = &["x", "y", "z", "w"];
const FIELDS: &[&str] = &["$0", "$1", "$2", "$3", "$NF"];

/// A program in the making.
struct Maker {
    random: Random,
    loops: usize,
}

impl Maker {
    fn place(&mut self) -> String {
        match self.random.below(8) {
            0 => "$1".to_owned(),
            1 => "$2".to_owned(),
            2 => format!("a[{}]", self.random.pick(&["1", "2", "\"k\"", "x", "$1"])),
            3 => "$0".to_owned(),
            _ => self.random.pick(VARIABLES).to_owned(),
        }
    }

    fn atom(&mut self) -> String {
        match self.random.below(12) {
            0..3 => self.random.pick(NUMBERS).to_owned(),
            3..5 => self.random.pick(STRINGS).to_owned(),
            5..8 => self.random.pick(VARIABLES).to_owned(),
            8..10 => self.random.pick(FIELDS).to_owned(),
            10 => self.random.pick(&["NF", "NR", "FNR"]).to_owned(),
            _ => format!("a[{}]", self.random.pick(&["1", "2", "\"k\"", "x", "$1", "1, 2"])),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let depth = depth - 1;
        match self.random.below(24) {
            0..4 => self.atom(),
            // Without parentheses: the precedence decides.
            4..8 => {
                let left = self.expression(depth);
                let operator = self.random.pick(&[
                    " + ", " - ", " * ", " / ", " % ", " ", " ", " < ", " == ", " != ", " <= ", " ~ ", " && ", " || ",
                    " ^ ",
                ]);
                let right = self.expression(depth);
                format!("{left}{operator}{right}")
            }
            8..11 => {
                let inner = self.expression(depth);
                format!("({inner})")
            }
            11 => {
                let (place, value) = (self.place(), self.expression(depth));
                let operator = self.random.pick(&["=", "=", "=", "+=", "-=", "*="]);
                format!("({place} {operator} {value})")
            }
            12 => {
                let place = self.place();
                let form = self.random.pick(&["@++", "@--", "++@", "--@"]);
                format!("({})", form.replace('@', &place))
            }
            13 => {
                let operator = self.random.pick(&["!", "-", "+", "!!", "- -"]);
                format!("{operator}{}", self.expression(depth))
            }
            14 => {
                let (condition, yes, no) = (self.expression(depth), self.expression(depth), self.expression(depth));
                format!("({condition} ? {yes} : {no})")
            }
            15 => {
                let text = self.expression(depth);
                let operator = self.random.pick(&["~", "!~"]);
                format!("({text} {operator} {})", self.random.pick(REGEXES))
            }
            16 => format!("({} in a)", self.random.pick(&["1", "\"k\"", "x", "(1, 2)", "$1"])),
            17 => self.random.pick(REGEXES).to_owned(),
            _ => self.function(depth),
        }
    }

    fn function(&mut self, depth: usize) -> String {
        let text = self.expression(depth);
        match self.random.below(16) {
            0 => format!("length({text})"),
            1 => format!("substr({text}, {})", self.random.pick(&["1", "2", "3", "x + 1"])),
            2 => format!(
                "substr({text}, {}, {})",
                self.random.pick(&["1", "2", "5"]),
                self.random.pick(&["0", "1", "2", "NF"])
            ),
            3 => format!("index({text}, {})", self.random.pick(STRINGS)),
            4 => format!("split({text}, b)"),
            5 => format!(
                "split({text}, b, {})",
                self.random.pick(&["\":\"", "/[ab]/", "\" \"", "/ /", "\"b\"", "\"..\"", "/:|,/"])
            ),
            6..8 => {
                let name = self.random.pick(&["sub", "gsub"]);
                let regex = self.random.pick(REGEXES);
                let by = self.random.pick(&["\"\"", "\"<&>\"", "\"x\"", "\"\\\\&\"", "\"&&\"", "1", "$1"]);
                match self.random.below(3) {
                    0 => format!("{name}({regex}, {by})"),
                    _ => {
                        let place = self.place();
                        format!("{name}({regex}, {by}, {place})")
                    }
                }
            }
            8 => format!("match({text}, {})", self.random.pick(REGEXES)),
            9 => self.random.pick(&["RSTART", "RLENGTH", "length(a)", "length()", "length(b)"]).to_owned(),
            10 => format!("toupper({text})"),
            11 => format!("int({text})"),
            12 => format!("f({text})"),
            13 => format!("g(a, {text})"),
            14 => {
                let format = self.random.pick(&[
                    "%d", "%5d|", "%-5s|", "%s", "%.2f", "%c", "%x", "%e", "%g", "%5.1f", "%05d", "%.3s", "%i", "%o",
                    "%+d", "%%%s", "%.1e", "%G",
                ]);
                format!("sprintf(\"{format}\", {text})")
            }
            _ => format!("b[{}]", self.random.pick(&["1", "2", "3"])),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        format!("{{ {} }}", statements.join("; "))
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return self.simple();
        }
        let depth = depth - 1;
        match self.random.below(8) {
            0 => format!("if ({}) {}", self.expression(2), self.block(depth)),
            1 => format!("if ({}) {} else {}", self.expression(2), self.block(depth), self.block(depth)),
            2..4 => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                let mut body = self.block(depth);
                if self.random.below(4) == 0 {
                    let way = self.random.pick(&["break", "continue"]);
                    body = format!("{{ if ({}) {way}; {body} }}", self.expression(1));
                }
                format!("for ({counter} = 0; {counter} < {}; {counter}++) {body}", 1 + self.random.below(4))
            }
            4 => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                format!("{counter} = 0; do {} while ({counter}++ < 2)", self.block(depth))
            }
            5 => "for (k in a) n++; print n".to_owned(),
            6 => self.random.pick(&["delete a[1]", "delete a", "delete b[2]", "delete a[1, 2]"]).to_owned(),
            _ => {
                let name = self.random.pick(&["NF", "OFS", "FS", "CONVFMT", "OFMT", "SUBSEP", "ORS"]);
                let value = match name {
                    "NF" => self.random.pick(&["1", "2", "5", "NF", "NF + 1"]),
                    "CONVFMT" | "OFMT" => self.random.pick(&["\"%.2f\"", "\"%.3g\"", "\"%.6g\""]),
                    "FS" => self.random.pick(&["\":\"", "\" \"", "\"[ab]\"", "\",\"", "\"b+\""]),
                    "ORS" => self.random.pick(&["\"\\n\"", "\";\\n\""]),
                    _ => self.random.pick(&["\"-\"", "\" \"", "\"\"", "\":\""]),
                };
                format!("{name} = {value}")
            }
        }
    }

    fn simple(&mut self) -> String {
        match self.random.below(10) {
            0..3 => {
                let (one, two) = (self.expression(3), self.expression(2));
                format!("print ({one}), ({two})")
            }
            3..5 => format!("print {}", self.expression(2)),
            5..7 => {
                let (place, value) = (self.place(), self.expression(3));
                format!("{place} = {value}")
            }
            7 => "print".to_owned(),
            8 => format!("printf \"%s|%d\\n\", {}, {}", self.expression(2), self.expression(2)),
            _ => self.random.pick(&["getline", "getline w", "next", "$3 = \"new\"", "print NF, $0", "x++"]).to_owned(),
        }
    }

    fn rule(&mut self) -> String {
        let pattern = match self.random.below(7) {
            0..3 => String::new(),
            3 => self.random.pick(REGEXES).to_owned(),
            4 => self.expression(2),
            5 => format!("NR == {}, {}", 1 + self.random.below(3), self.random.pick(REGEXES)),
            _ => format!("{}, NR == {}", self.random.pick(REGEXES), 2 + self.random.below(3)),
        };
        if pattern.is_empty() || self.random.below(4) > 0 { format!("{pattern} {}", self.block(2)) } else { pattern }
    }

    fn program(&mut self) -> String {
        let mut items = vec![
            "function f(p, q) { q = p; p = p p; return length(p) > 6 ? q : p }".to_owned(),
            "function g(t, v) { t[v] = v; return length(t) }".to_owned(),
        ];
        if self.random.below(3) == 0 {
            items.push(format!("BEGIN {}", self.block(2)).replace("next", "x++"));
        }
        for _ in 0..=self.random.below(3) {
            items.push(self.rule());
        }
        if self.random.below(2) == 0 {
            items.push(format!("END {}", self.block(2)).replace("next", "x++"));
        }
        items.join("\n")
    }

    fn input(&mut self) -> Vec<u8> {
        const WORDS: &[&str] = &[
            "a", "b", "ab", "abc", "aab", "10", "9", "-3", "1.5", "1e2", "3x", ".5", "x:y", ":", "a:b:c", "007", "+5",
            "c,d", "a.b",
        ];
        let mut text = Vec::new();
        for _ in 0..self.random.below(6) {
            for _ in 0..self.random.below(5) {
                text.extend_from_slice(self.random.pick(WORDS).as_bytes());
                text.extend_from_slice(self.random.pick(&[" ", " ", "  ", "\t", ":", ""]).as_bytes());
            }
            text.push(b'\n');
        }
        if self.random.below(4) == 0 {
            text.pop();
        }
        text
    }
}

type Outcome = (i32, Vec<u8>);

/// An awk that is installed, by its words; `None` if it is not.
fn real(words: &[&str], arguments: &[String], stdin: &[u8]) -> Option<Outcome> {
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Some((output.status.code().unwrap_or(-1), output.stdout))
}

fn ours(arguments: &[String], stdin: &[u8]) -> Result<Outcome, String> {
    let utilities = hookshell_awk::all();
    let utility = &utilities[0];
    let argv: Args = std::iter::once("awk").chain(arguments.iter().map(String::as_str)).collect();
    let env = Arc::new(vec![("LC_ALL".into(), "C".into())]);
    let directory = std::env::temp_dir();
    let call = UtilityCall { argv: &argv, env: &env, cwd: &directory };
    let prepared = utility.prepare(&call).map_err(|what| what.to_string())?;
    if prepared.yields() {
        return Err("left to the real one".to_owned());
    }
    let (stdout, out) = Stream::capture(usize::MAX);
    let cancel = RunToken::isolated();
    let context = UtilityContext {
        argv: &argv,
        env: &env,
        cwd: &directory,
        fds: &FdTable::new(Arc::new(Stream::input(stdin)), Arc::new(stdout), Arc::new(Stream::null())),
        umask: None,
        cancel: &cancel,
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let status = prepared.run(&context).unwrap();
    Ok((status.into(), out.take()))
}

#[test]
fn where_the_awks_agree_ours_does_the_same() {
    const ORACLES: [&[&str]; 4] = [&["mawk"], &["busybox", "awk"], &["gawk"], &["original-awk"]];
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let installed: Vec<&[&str]> =
        ORACLES.into_iter().filter(|words| real(words, &["BEGIN { }".to_owned()], b"").is_some()).collect();
    if installed.len() < 2 {
        return hookshell_test_support::skip("fewer than two awks are installed");
    }
    let seed = number("AWK_SEED").unwrap_or(0x5eed);
    let (mut compared, mut refused, mut wrong) = (0, 0, Vec::new());
    for run in 0..number("AWK_RUNS").unwrap_or(250) {
        let mut maker = Maker { random: Random((seed + run * 7919).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), loops: 0 };
        for _ in 0..4 {
            maker.random.next();
        }
        let mut arguments = Vec::new();
        match maker.random.below(6) {
            0 => arguments.push("-F:".to_owned()),
            1 => arguments.extend(["-F".to_owned(), "[ab]+".to_owned()]),
            2 => arguments.extend(["-v".to_owned(), "x=5".to_owned()]),
            3 => arguments.extend(["-v".to_owned(), "RS=".to_owned()]),
            _ => {}
        }
        let program = maker.program();
        arguments.push(program.clone());
        let input = maker.input();
        let mut outcomes = installed.iter().filter_map(|words| real(words, &arguments, &input));
        let Some(expected) = outcomes.next() else { continue };
        if outcomes.any(|other| other != expected) {
            continue;
        }
        match ours(&arguments, &input) {
            Ok(found) if found == expected => compared += 1,
            Ok(found) => wrong.push(format!(
                "run {run}: awk {arguments:?} <<< \"{}\"\n  real {} {}\n  ours {} {}",
                input.escape_ascii(),
                expected.0,
                String::from_utf8_lossy(&expected.1),
                found.0,
                String::from_utf8_lossy(&found.1)
            )),
            // What none of them accepts is no program.
            Err(_) if expected.0 != 0 && expected.1.is_empty() => compared += 1,
            Err(what) => {
                refused += 1;
                println!("refused: {what}: {program}");
            }
        }
    }
    println!("{compared} programs compared, {refused} refused");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(compared > refused * 20, "{compared} programs compared, {refused} refused");
}
