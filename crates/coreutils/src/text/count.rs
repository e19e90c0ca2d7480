//! How much `head` and `tail` are asked for.

use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse, parse_from, value};
use hookshell_utility::{Args, Unsupported};

use super::follow::Follow;
use crate::system::seconds;

/// A number of lines or bytes and what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    /// Bytes instead of lines.
    pub(crate) bytes: bool,
    /// The sign that was written before the number.
    pub(crate) sign: Option<u8>,
    /// The number.
    pub(crate) number: u64,
}

/// What `head` and `tail` have in common.
#[derive(Debug, PartialEq)]
pub(crate) struct Command<'a> {
    /// How much.
    pub(crate) count: Count,
    /// Headers: never, always, or with several files.
    pub(crate) headers: Option<bool>,
    /// What ends a line.
    pub(crate) delimiter: u8,
    /// The files.
    pub(crate) operands: Vec<&'a [u8]>,
    /// `tail -f`
    pub(crate) follow: Option<Follow>,
    /// What is said of options that mean nothing without it.
    pub(crate) warnings: Vec<&'static [u8]>,
}

const OPTIONS: &[OptionSpec] = &[
    value(b'n', "lines"),
    value(b'c', "bytes"),
    flag(b'q', "quiet"),
    flag(b'q', "silent"),
    flag(b'v', "verbose"),
    flag(b'z', "zero-terminated"),
];

const FOLLOW: u8 = LONG_ONLY;
const RETRY: u8 = LONG_ONLY + 1;
const PID: u8 = LONG_ONLY + 2;
const UNCHANGED: u8 = LONG_ONLY + 3;

const TAIL_OPTIONS: &[OptionSpec] = &[
    value(b'n', "lines"),
    value(b'c', "bytes"),
    flag(b'q', "quiet"),
    flag(b'q', "silent"),
    flag(b'v', "verbose"),
    flag(b'z', "zero-terminated"),
    flag(b'f', ""),
    flag(b'F', ""),
    optional(FOLLOW, "follow"),
    flag(RETRY, "retry"),
    value(b's', "sleep-interval"),
    value(PID, "pid"),
    value(UNCHANGED, "max-unchanged-stats"),
];

/// Reads a command line of `head`; it may begin with the old form `-5`, `-5c`, `-5q`.
pub(crate) fn read_head(argv: &Args) -> Result<Command<'_>, Unsupported> {
    let old = argv
        .get(1)
        .and_then(|word| word.strip_prefix(b"-"))
        .and_then(|word| word.split_at_checked(word.iter().take_while(|byte| byte.is_ascii_digit()).count()))
        .filter(|(digits, _)| !digits.is_empty());
    let Some((digits, letters)) = old else {
        return command(parse(argv, OPTIONS)?, None, false);
    };
    let mut count = read_count(digits, false)?;
    let mut parsed = parse_from(argv, 2, OPTIONS)?;
    for letter in letters {
        match letter {
            b'c' => count.bytes = true,
            b'l' => count.bytes = false,
            b'q' | b'v' | b'z' => parsed.options.insert(0, (*letter, b"")),
            _ => return Err(Unsupported::option(&[b'-', *letter])),
        }
    }
    command(parsed, Some(count), false)
}

/// Reads a command line of `tail`; it may be the old form `[+-][N][bcl] [FILE]`.
pub(crate) fn read_tail(argv: &Args) -> Result<Command<'_>, Unsupported> {
    let operands = match argv.len() {
        2 => Some(2),
        3 if !matches!(argv.get(2), Some([b'-', _, ..])) => Some(2),
        3 | 4 if argv.get(2) == Some(b"--") => Some(3),
        _ => None,
    };
    let old = operands.and_then(|operands| {
        let word = argv.get(1)?;
        let follows = word.len() > 1 && word.ends_with(b"f") && word != b"-f";
        let word = if follows { word.get(..word.len() - 1)? } else { word };
        Some((operands, old_tail_count(word)?, follows))
    });
    let Some((operands, count, follows)) = old else {
        return command(parse(argv, TAIL_OPTIONS)?, None, true);
    };
    let options = if follows { vec![(b'f', &b""[..])] } else { Vec::new() };
    let parsed = Parsed { options, operands: argv.iter_from(operands).collect(), ..Parsed::default() };
    command(parsed, Some(count), true)
}

/// What `-f` and its like say.
fn read_follow(parsed: &Parsed<'_>) -> Result<Option<Follow>, Unsupported> {
    let mut follow = Follow { by_name: false, retries: false, processes: Vec::new(), interval: 1.0 };
    let mut follows = false;
    for (option, value) in &parsed.options {
        match (*option, *value) {
            (b'f', _) | (FOLLOW, b"" | b"descriptor") => (follows, follow.by_name) = (true, false),
            (b'F', _) => (follows, follow.by_name, follow.retries) = (true, true, true),
            (FOLLOW, b"name") => (follows, follow.by_name) = (true, true),
            (RETRY, _) => follow.retries = true,
            (b's', text) => {
                let unsupported = || Unsupported::mistake(format!("the interval {}", text.escape_ascii()));
                follow.interval = seconds(text).ok_or_else(unsupported)?;
            }
            (PID, text) => follow.watch(text)?,
            (UNCHANGED, text) if !text.is_empty() && text.iter().all(u8::is_ascii_digit) => {}
            (FOLLOW | UNCHANGED, text) => return Err(Unsupported::mistake(format!("{}", text.escape_ascii()))),
            _ => {}
        }
    }
    if follows && follow.retries && !follow.by_name {
        return Err(Unsupported::new("--retry without --follow=name"));
    }
    // Standard input has no name to follow.
    if follow.by_name && (parsed.operands.is_empty() || parsed.operands.contains(&&b"-"[..])) {
        return Err(Unsupported::new("--follow=name of standard input"));
    }
    Ok(follows.then_some(follow))
}

fn old_tail_count(word: &[u8]) -> Option<Count> {
    let (&sign, rest) = word.split_first()?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = rest.split_at_checked(digits)?;
    match (sign, rest) {
        (b'+', _) => {}
        // `-` is standard input, and `-c` takes a number.
        (b'-', b"" | b"c") => return None,
        (b'-', _) => {}
        _ => return None,
    }
    let (bytes, factor) = match unit {
        b"" | b"l" => (false, 1),
        b"c" => (true, 1),
        b"b" => (true, 512),
        _ => return None,
    };
    let number: u64 = if digits == 0 { 10 } else { std::str::from_utf8(number).ok()?.parse().ok()? };
    Some(Count { bytes, sign: Some(sign), number: number.checked_mul(factor)? })
}

fn command<'a>(parsed: Parsed<'a>, old: Option<Count>, is_tail: bool) -> Result<Command<'a>, Unsupported> {
    let mut count = old.unwrap_or(Count { bytes: false, sign: None, number: 10 });
    let mut from_start = false;
    let mut headers = None;
    let mut delimiter = b'\n';
    for (letter, value) in &parsed.options {
        match letter {
            b'n' => count = read_count(value, false)?,
            b'c' => count = read_count(value, true)?,
            b'q' => headers = Some(false),
            b'v' => headers = Some(true),
            b'z' => delimiter = 0,
            _ => {}
        }
        // GNU's tail remembers a plus sign over the options.
        from_start |= count.sign == Some(b'+');
    }
    if from_start {
        count.sign = Some(if count.sign == Some(b'-') && !is_tail { b'-' } else { b'+' });
    }
    let follow = if is_tail { read_follow(&parsed)? } else { None };
    let mut warnings: Vec<&[u8]> = Vec::new();
    if is_tail && follow.is_none() {
        if parsed.has(RETRY) {
            warnings.push(b"warning: --retry ignored; --retry is useful only when following");
        }
        if parsed.has(PID) {
            warnings.push(b"warning: PID ignored; --pid=PID is useful only when following");
        }
    }
    let operands = if parsed.operands.is_empty() { vec![&b"-"[..]] } else { parsed.operands };
    Ok(Command { count, headers, delimiter, operands, follow, warnings })
}

/// `[+-]DIGITS[SUFFIX]`; what the real program would refuse is left to it, and what is larger than any file too.
fn read_count(text: &[u8], bytes: bool) -> Result<Count, Unsupported> {
    parse_count(text, bytes).ok_or_else(|| Unsupported::mistake(format!("the number {}", text.escape_ascii())))
}

fn parse_count(text: &[u8], bytes: bool) -> Option<Count> {
    let sign = text.first().copied().filter(|byte| matches!(byte, b'+' | b'-'));
    let text = std::str::from_utf8(text.get(usize::from(sign.is_some())..)?).ok()?;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at(digits);
    let unit: u64 = match suffix {
        "" => 1,
        "b" => 512,
        "kB" => 1000,
        "K" | "k" | "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "M" | "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "G" | "GiB" => 1 << 30,
        "TB" => 1_000_000_000_000,
        "T" | "TiB" => 1 << 40,
        "P" | "PiB" => 1 << 50,
        "E" | "EiB" => 1 << 60,
        _ => return None,
    };
    Some(Count { bytes, sign, number: number.parse::<u64>().ok()?.checked_mul(unit)? })
}

/// GNU's header before each file but the first: `==> name <==`.
pub(crate) fn header(operand: &[u8], first: bool) -> Vec<u8> {
    let name: &[u8] = if operand == b"-" { b"standard input" } else { operand };
    let before: &[u8] = if first { b"==> " } else { b"\n==> " };
    [before, name, b" <==\n"].concat()
}

#[cfg(test)]
mod tests {
    use hookshell_utility::Args;

    use super::{Count, read_head, read_tail};

    #[test]
    fn counts_are_read_in_every_form() {
        let count = |bytes, sign, number| Some(Count { bytes, sign, number });
        let cases: &[(&[&str], Option<Count>)] = &[
            (&["x"], count(false, None, 10)),
            (&["-n", "5"], count(false, None, 5)),
            (&["-n5"], count(false, None, 5)),
            (&["-5"], count(false, None, 5)),
            (&["-5", "x"], count(false, None, 5)),
            (&["-n", "-5"], count(false, Some(b'-'), 5)),
            (&["-n", "+5"], count(false, Some(b'+'), 5)),
            (&["-c", "2K"], count(true, None, 2048)),
            (&["--bytes=3kB"], count(true, None, 3000)),
            (&["-c", "1", "-n", "2"], count(false, None, 2)),
            (&["-5", "-q"], count(false, None, 5)),
            (&["-5c"], count(true, None, 5)),
            (&["-5x"], None),
            (&["-n", "x"], None),
            (&["-n", ""], None),
            (&["-n", "99999999999999999999"], None),
            (&["-f"], None),
        ];
        for (words, expected) in cases {
            let argv: Args = ["head"].iter().chain(words.iter()).collect();
            assert_eq!(read_head(&argv).ok().map(|c| c.count), *expected, "{words:?}");
        }
        let cases: &[(&[&str], Option<Count>)] = &[
            (&["+3"], count(false, Some(b'+'), 3)),
            (&["+3c", "x"], count(true, Some(b'+'), 3)),
            (&["-3", "x"], count(false, Some(b'-'), 3)),
            (&["-b"], count(true, Some(b'-'), 5120)),
            (&["-3", "x", "y"], None),
            (&["-3", "-q"], None),
            (&["-3f"], count(false, Some(b'-'), 3)),
            (&["-f", "x"], count(false, None, 10)),
            (&["-n2", "-F", "x"], count(false, None, 2)),
            (&["-F"], None),
            (&["--retry", "x"], count(false, None, 10)),
            (&["--pid=0", "-f", "x"], None),
            (&["--follow=x", "x"], None),
            (&["-"], count(false, None, 10)),
        ];
        for (words, expected) in cases {
            let argv: Args = ["tail"].iter().chain(words.iter()).collect();
            assert_eq!(read_tail(&argv).ok().map(|c| c.count), *expected, "{words:?}");
        }
    }
}
