//! How much `head` and `tail` are asked for.

use hookshell_shell::{Args, Unsupported};

use crate::options::{OptionSpec, flag, parse, value};

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
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command<'a> {
    /// How much.
    pub(crate) count: Count,
    /// Headers: never, always, or with several files.
    pub(crate) headers: Option<bool>,
    /// What ends a line.
    pub(crate) delimiter: u8,
    /// The files.
    pub(crate) operands: Vec<&'a [u8]>,
}

const OPTIONS: &[OptionSpec] = &[
    value(b'n', "lines"),
    value(b'c', "bytes"),
    flag(b'q', "quiet"),
    flag(b'q', "silent"),
    flag(b'v', "verbose"),
    flag(b'z', "zero-terminated"),
];

/// Reads a command line of `head` or `tail`.
pub(crate) fn read_command(argv: &Args) -> Result<Command<'_>, Unsupported> {
    // The old form `-5` is an option by itself, before all others.
    let old = argv
        .get(1)
        .and_then(|word| word.strip_prefix(b"-"))
        .filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let (parsed, mut count) = match old {
        None => (parse(argv, OPTIONS)?, Count { bytes: false, sign: None, number: 10 }),
        Some(digits) => {
            let rest = argv.iter_from(2);
            // Borrowed from `argv`: the words keep their places.
            if let Some(option) = argv.iter_from(2).find(|word| word.len() > 1 && word.starts_with(b"-")) {
                return Err(Unsupported::option(option));
            }
            let parsed = crate::options::Parsed { options: Vec::new(), operands: rest.collect() };
            (parsed, read_count(digits, false)?)
        }
    };
    let mut headers = None;
    let mut delimiter = b'\n';
    for (letter, value) in &parsed.options {
        match letter {
            b'n' => count = read_count(value, false)?,
            b'c' => count = read_count(value, true)?,
            b'q' => headers = Some(false),
            b'v' => headers = Some(true),
            _ => delimiter = 0,
        }
    }
    let operands = if parsed.operands.is_empty() { vec![&b"-"[..]] } else { parsed.operands };
    Ok(Command { count, headers, delimiter, operands })
}

/// `[+-]DIGITS[SUFFIX]`; what the real program would refuse is left to it, and what is larger than any file too.
fn read_count(text: &[u8], bytes: bool) -> Result<Count, Unsupported> {
    parse_count(text, bytes).ok_or_else(|| Unsupported::new(format!("the number {}", text.escape_ascii())))
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
    use hookshell_shell::Args;

    use super::{Count, read_command};

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
            (&["-5", "-q"], None),
            (&["-5c"], None),
            (&["-n", "x"], None),
            (&["-n", ""], None),
            (&["-n", "99999999999999999999"], None),
            (&["-f"], None),
        ];
        for (words, expected) in cases {
            let argv: Args = ["head"].iter().chain(words.iter()).collect();
            assert_eq!(read_command(&argv).ok().map(|c| c.count), *expected, "{words:?}");
        }
    }
}
