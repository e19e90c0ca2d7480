//! Random programs on random inputs: ours beside the jq that it is held to, 1.7.1, which `cargo xtask jq` builds.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_test_support::beside::{self, Outcome};
use hookshell_test_support::oracles;
use hookshell_utility::{Args, CancelReason, FdTable, NoCommands, RunToken, Stopped, UtilityContext, UtilityMemory};

/// How many programs are compared: the same ones every time, so that what has passed once passes again.
const COUNT: usize = 600;

/// After this time no more are made, however few they were.
const TIME: Duration = Duration::from_secs(60);

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % end
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    fn json(&mut self, depth: usize) -> String {
        let many = |random: &mut Self, item: &dyn Fn(&mut Self) -> String| {
            let count = random.below(4);
            (0..count).map(|_| item(random)).collect::<Vec<_>>().join(",")
        };
        match self.below(if depth > 2 { 5 } else { 10 }) {
            0..=4 => self
                .pick(&[
                    "null",
                    "true",
                    "false",
                    "0",
                    "1",
                    "-1",
                    "2",
                    "1.5",
                    "1.0",
                    "10",
                    "100000000000000000000",
                    "1e3",
                    "-0",
                    "0.1",
                    "\"a\"",
                    "\"b\"",
                    "\"abc\"",
                    "\"\"",
                    "\"a,b\"",
                    "\"é€😀\"",
                    "\"12\"",
                    "\"A b\"",
                ])
                .to_owned(),
            5..=7 => format!("[{}]", many(self, &|random| random.json(depth + 1))),
            _ => {
                let member = |random: &mut Self| {
                    format!("{}:{}", random.pick(&["\"a\"", "\"b\"", "\"c\"", "\"é\""]), random.json(depth + 1))
                };
                format!("{{{}}}", many(self, &member))
            }
        }
    }

    fn program(&mut self, depth: usize) -> String {
        let next = depth + 1;
        match self.below(if depth > 3 { 5 } else { 20 }) {
            0..=3 => self
                .pick(&[
                    ".",
                    "..",
                    ".a",
                    ".b",
                    ".[0]",
                    ".[-1]",
                    ".[]",
                    ".[]?",
                    ".a?",
                    ".[1:]",
                    ".[:-1]",
                    "length",
                    "keys",
                    "add",
                    "any",
                    "sort",
                    "unique",
                    "reverse",
                    "min",
                    "tostring",
                    "tonumber",
                    "tojson",
                    "fromjson",
                    "type",
                    "explode",
                    "implode",
                    "flatten",
                    "to_entries",
                    "from_entries",
                    "paths",
                    "floor",
                    "not",
                    "empty",
                    "error",
                    "first",
                    "ascii_downcase",
                    "transpose",
                    "numbers",
                    "strings",
                    "scalars",
                    "@csv",
                    "@tsv",
                    "@html",
                    "@uri",
                    "@sh",
                    "@base64",
                    "@base64d",
                    "@json",
                    "@text",
                    "input_line_number",
                ])
                .to_owned(),
            4 => self.json(2),
            5..=8 => {
                let operator = self
                    .pick(&["+", "-", "/", "%", "==", "!=", "<", ">=", "and", "or", "//", ",", "|", "=", "|=", "+="]);
                format!("({} {operator} {})", self.program(next), self.program(next))
            }
            9..=11 => {
                let name = self.pick(&[
                    "map",
                    "select",
                    "path",
                    "del",
                    "sort_by",
                    "group_by",
                    "min_by",
                    "has",
                    "contains",
                    "index",
                    "startswith",
                    "ltrimstr",
                    "split",
                    "join",
                    "first",
                    "last",
                    "isempty",
                    "any",
                    "range",
                    "paths",
                    "getpath",
                    "delpaths",
                    "with_entries",
                    "walk",
                    "error",
                    "IN",
                    "pick",
                    "map_values",
                ]);
                format!("{name}({})", self.program(next))
            }
            12 => format!("[{}]", self.program(next)),
            13 => format!("{{a:({}),\"k\":({}),b}}", self.program(next), self.program(next)),
            14 => format!("if {} then {} else {} end", self.program(next), self.program(next), self.program(next)),
            15 => format!("(try ({}) catch .)", self.program(next)),
            16 => {
                let pattern = self.pick(&["$x", "[$x]", "{a:$x}", "[$x] ?// {a:$x} ?// $x"]);
                format!("(({}) as {pattern} | [$x,{}])", self.program(next), self.program(next))
            }
            17 => {
                let word = self.pick(&["reduce", "foreach"]);
                format!("{word} ({}) as $x ({}; [.,$x])", self.program(next), self.program(next))
            }
            18 => format!("(label $f | {} | ., break $f)", self.program(next)),
            _ => format!("(def f(g): {} | g; f({}))", self.program(next), self.program(next)),
        }
    }
}

/// What our jq gives; `None` if it leaves the program to the real one, or reached a limit of its own.
fn ours(program: &str, stdin: &str) -> Option<Outcome> {
    let own =
        beside::ours(&*hookshell_jq::all()[0], &["jq", "-c", "--", program], Path::new("/"), stdin.as_bytes(), &[])?;
    let limited = String::from_utf8_lossy(&own.stderr).contains("hookshell's jq");
    (!limited).then_some(own)
}

#[test]
fn random_programs_do_what_jq_does() {
    let Some(jq) = oracles::jq(oracles::JQ) else { return };
    let jq = jq.to_str().unwrap();
    let mut compared = 0;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    while compared < COUNT && start.elapsed() < TIME {
        let program = random.program(0);
        let stdin = format!("{}\n{} ", random.json(0), random.json(0));
        let Some(own) = ours(&program, &stdin) else {
            continue;
        };
        compared += 1;
        let expected = beside::real(&[jq, "-c", "--", &*program], Path::new("/"), stdin.as_bytes(), &[]);
        let shown = |ran: &Outcome| {
            (
                ran.status,
                String::from_utf8_lossy(&ran.stdout).into_owned(),
                String::from_utf8_lossy(&ran.stderr).into_owned(),
            )
        };
        assert_eq!(shown(&own), shown(&expected), "jq -c '{program}' <<< '{stdin}'");
    }
    assert!(compared >= COUNT / 2, "only {compared} programs were compared");
}

#[test]
fn programs_without_end_are_cancelled() {
    let utilities = hookshell_jq::all();
    let utility = &utilities[0];
    for program in ["def f: f; f", "last(repeat(1))", "[recurse(.)]", "def f: 1 + f; f", "repeat(empty)"] {
        let cancel = RunToken::isolated();
        let other = cancel.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.cancel(CancelReason::TimedOut);
        });
        let argv: Args = ["jq", "-n", program].iter().collect();
        let context = UtilityContext {
            argv: &argv,
            env: &Arc::default(),
            cwd: Path::new("/"),
            fds: &FdTable::default(),
            umask: None,
            cancel: &cancel,
            memory: UtilityMemory::default(),
            commands: &NoCommands,
        };
        let prepared = utility.prepare(&context.call()).unwrap();
        assert_eq!(prepared.run(&context), Err(Stopped::Cancelled), "{program}");
        thread.join().unwrap();
    }
}
