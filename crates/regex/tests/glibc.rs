//! Our expressions beside the C library's `regcomp` and `regexec`, which python calls through ctypes.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers fail the test so"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use hookshell_regex::{Builder, Captures, Subject, Syntax};

const ORACLE: &str = r#"
import ctypes, sys
libc = ctypes.CDLL('libc.so.6')
libc.setlocale.restype = ctypes.c_char_p
here = None
class Match(ctypes.Structure):
    _fields_ = [('start', ctypes.c_int), ('end', ctypes.c_int)]
if libc.gnu_get_libc_version is None: sys.exit(3)
out = []
last = None
for line in sys.stdin:
    locale, flags, pattern, subject = line.rstrip('\n').split(' ')
    if locale != here:
        if libc.setlocale(6, locale.encode()) is None: sys.exit(3)
        here = locale; last = None
    pattern = bytes.fromhex(pattern); subject = bytes.fromhex(subject)
    if last != (pattern, flags):
        regex = ctypes.create_string_buffer(256)
        error = libc.regcomp(regex, pattern, int(flags))
        last = (pattern, flags)
    if error:
        text = ctypes.create_string_buffer(200)
        libc.regerror(error, regex, text, 200)
        out.append('! ' + text.value.decode())
        continue
    count = ctypes.c_size_t.from_buffer(regex, 48).value + 1
    groups = (Match * count)()
    if libc.regexec(regex, subject, count, groups, 0):
        out.append('-')
    else:
        out.append(' '.join('%d,%d' % (g.start, g.end) if g.start >= 0 else '.' for g in groups))
sys.stdout.write('\n'.join(out) + '\n')
"#;

const EXTENDED: u32 = 1;
const IGNORE_CASE: u32 = 2;
const NEWLINE: u32 = 4;

#[derive(Debug, Clone)]
struct Case {
    utf8: bool,
    flags: u32,
    pattern: Vec<u8>,
    subject: Vec<u8>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// What the C library says to each case; `None` if there is none to ask.
fn oracle(cases: &[Case]) -> Option<Vec<String>> {
    let child = Command::new("python3")
        .args(["-c", ORACLE])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let missing = |what: &str| hookshell_test_support::skip(&format!("there is no {what}"));
    let Ok(mut child) = child else {
        missing("python3");
        return None;
    };
    let mut text = String::new();
    for case in cases {
        let locale = if case.utf8 { "C.UTF-8" } else { "C" };
        writeln!(text, "{locale} {} {} {}", case.flags, hex(&case.pattern), hex(&case.subject)).unwrap();
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(text.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    if !output.status.success() {
        missing("glibc that python can call");
        return None;
    }
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

fn ours(case: &Case) -> String {
    let syntax = if case.flags & EXTENDED != 0 { Syntax::Extended } else { Syntax::Basic };
    let builder = Builder::new(syntax)
        .bytes(!case.utf8)
        .ignore_case(case.flags & IGNORE_CASE != 0)
        .newline(case.flags & NEWLINE != 0);
    let regex = match builder.build(&case.pattern) {
        Ok(regex) => regex,
        Err(error) => return format!("! {error}"),
    };
    let mut captures = Captures::new();
    let subject = Subject::new(&case.subject);
    match regex.captures(&subject, &mut captures) {
        Ok(false) => {
            assert_eq!(regex.is_match(&subject), Ok(false));
            "-".to_owned()
        }
        Ok(true) => {
            assert_eq!(regex.is_match(&subject), Ok(true));
            assert_eq!(regex.find(&subject), Ok(captures.get(0)));
            let spans: Vec<String> = captures
                .iter()
                .map(|span| span.map_or(".".to_owned(), |(start, end)| format!("{start},{end}")))
                .collect();
            spans.join(" ")
        }
        Err(error) => format!("? {error}"),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A well-formed expression.
fn expression(random: &mut Random, depth: usize, extended: bool, groups: &mut usize, references: bool) -> String {
    let operator = |text: &str| if extended { text.to_owned() } else { format!("\\{text}") };
    match random.below(if depth == 0 { 4 } else { 12 }) {
        0..=2 => random.pick(&["a", "b", "c", "ab", "x", "é", "\\."]).to_owned(),
        3 => random
            .pick(&[".", "[ab]", "[^a]", "[[:alpha:]]", "\\w", "[a-c]", "\\s", "[^[:alpha:]b]", "\\W", "[]x-]", "A"])
            .to_owned(),
        4 | 5 => {
            *groups += 1;
            let inside = expression(random, depth - 1, extended, groups, references);
            format!("{}{inside}{}", operator("("), operator(")"))
        }
        6 | 7 => {
            let left = expression(random, depth - 1, extended, groups, references);
            let right = expression(random, depth - 1, extended, groups, references);
            format!("{left}{right}")
        }
        8 => {
            let left = expression(random, depth - 1, extended, groups, false);
            let right = expression(random, depth - 1, extended, groups, false);
            *groups += 1;
            format!("{}{left}{}{right}{}", operator("("), operator("|"), operator(")"))
        }
        9 if references && *groups > 0 => format!("\\{}", 1 + random.below((*groups).min(9))),
        9 => random.pick(&["^", "$", "\\<", "\\>", "\\b", "\\B"]).to_owned(),
        _ => {
            *groups += 1;
            let inside = expression(random, depth - 1, extended, groups, references);
            let times = random.pick(&["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}", "*"]);
            let times = match times {
                "*" => "*".to_owned(),
                braces if braces.starts_with('{') && !extended => format!("\\{}\\}}", &braces[..braces.len() - 1]),
                other => operator(other),
            };
            format!("{}{inside}{}{times}", operator("("), operator(")"))
        }
    }
}

fn subject(random: &mut Random, ascii: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.below(12) {
        let pieces: &[&[u8]] =
            &[b"a", b"b", b"c", b"ab", b"x", b" ", b".", b"A", b"\n", "é".as_bytes(), b"\xff", "É".as_bytes()];
        let piece = random.pick(if ascii { &pieces[..8] } else { pieces });
        text.extend_from_slice(piece);
    }
    text
}

fn compare(cases: &[Case], known: &dyn Fn(&Case, &str, &str) -> bool) {
    let Some(answers) = oracle(cases) else { return };
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    for (case, answer) in cases.iter().zip(&answers) {
        let mine = ours(case);
        if mine != *answer && !known(case, answer, &mine) {
            wrong.push(format!(
                "{} flags {} {:?} on {:?}: glibc {answer}, ours {mine}",
                if case.utf8 { "utf8" } else { "C" },
                case.flags,
                String::from_utf8_lossy(&case.pattern),
                case.subject.escape_ascii().to_string()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

/// Fewer where they are many: `REGEX_TIMES=20` for a long run.
fn count(usual: usize) -> usize {
    usual * std::env::var("REGEX_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// glibc may prefer a way around a group that is nothing but a place, where ours goes through it (`(^)?`); and an anchor
/// within an expression may match beside a newline in its automaton, although REG_NEWLINE was not given (`a\n^b`).
fn passes_places(case: &Case, answer: &str, mine: &str) -> bool {
    let has_places =
        case.pattern.windows(2).any(|pair| matches!(pair, [b'\\', b'<' | b'>' | b'b' | b'B' | b'`' | b'\'']))
            || case.pattern.iter().any(|byte| matches!(byte, b'^' | b'$'));
    let between_lines = case.flags & NEWLINE == 0 && case.subject.contains(&b'\n');
    has_places && (between_lines || answer.split(' ').next() == mine.split(' ').next())
}

fn seeds() -> u64 {
    std::env::var("REGEX_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122)
}

#[test]
fn random_expressions_match_as_in_the_c_library() {
    let mut random = Random(seeds());
    let mut cases = Vec::new();
    for _ in 0..count(1000) {
        let extended = random.below(2) == 0;
        let utf8 = random.below(3) > 0;
        let mut groups = 0;
        let pattern = expression(&mut random, 4, extended, &mut groups, false);
        let flags = u32::from(extended) | random.pick(&[0, 0, 0, IGNORE_CASE, NEWLINE, IGNORE_CASE | NEWLINE]);
        for _ in 0..4 {
            let ascii = random.below(2) == 0;
            let subject = subject(&mut random, ascii);
            cases.push(Case { utf8, flags, pattern: pattern.clone().into_bytes(), subject });
        }
    }
    compare(&cases, &passes_places);
}

#[test]
fn random_texts_are_read_as_in_the_c_library() {
    const PIECES: &[&str] = &[
        "a",
        "b",
        "*",
        "+",
        "?",
        "{",
        "}",
        "1",
        ",",
        "(",
        ")",
        "|",
        "^",
        "$",
        ".",
        "[",
        "]",
        "-",
        "\\",
        "\\(",
        "\\)",
        "\\|",
        "\\{",
        "\\}",
        "\\{1",
        "[:alpha:]",
        "[:foo:]",
        "[.a.]",
        "[=a=]",
        "[.ab.]",
        "\\1",
        "\\w",
        "\\<",
        "{1,2}",
        "{,1}",
        "[a-c]",
        "[^a]",
        "[c-a]",
        "é",
        "\\n",
        "\\d",
        "[]a]",
        "--",
        "\\`",
        "\\'",
    ];
    let mut random = Random(seeds() + 1);
    let mut cases = Vec::new();
    for _ in 0..count(6000) {
        let mut pattern = String::new();
        for _ in 0..=random.below(6) {
            pattern.push_str(random.pick(PIECES));
        }
        let utf8 = random.below(3) > 0;
        let subject = subject(&mut random, false);
        cases.push(Case { utf8, flags: u32::from(random.below(2) == 0), pattern: pattern.into_bytes(), subject });
    }
    compare(&cases, &passes_places);
}
