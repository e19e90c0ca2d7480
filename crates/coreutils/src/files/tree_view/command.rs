//! The command line of `tree`.

use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::{Unsupported, UtilityCall};

use super::columns::Columns;
use super::pattern::is_closed;

const DIRECTORIES_FIRST: u8 = LONG_ONLY;
const FILES_FIRST: u8 = LONG_ONLY + 1;
const IGNORE_CASE: u8 = LONG_ONLY + 2;
const NO_REPORT: u8 = LONG_ONLY + 3;
const PRUNE: u8 = LONG_ONLY + 4;
const CHARSET: u8 = LONG_ONLY + 5;
pub(super) const SI: u8 = LONG_ONLY + 6;
const SORT: u8 = LONG_ONLY + 7;
pub(super) const TIME_FORMAT: u8 = LONG_ONLY + 8;

const OPTIONS: &[OptionSpec] = &[
    flag(b'a', ""),
    flag(b'd', ""),
    flag(b'f', ""),
    flag(b'F', ""),
    flag(b'i', ""),
    flag(b'J', ""),
    flag(b'n', ""),
    flag(b'N', ""),
    flag(b'r', ""),
    value(b'L', ""),
    value(b'I', ""),
    value(b'P', ""),
    flag(DIRECTORIES_FIRST, "dirsfirst"),
    flag(FILES_FIRST, "filesfirst"),
    flag(IGNORE_CASE, "ignore-case"),
    flag(NO_REPORT, "noreport"),
    flag(PRUNE, "prune"),
    value(CHARSET, "charset"),
    flag(b'p', ""),
    flag(b'u', ""),
    flag(b'g', ""),
    flag(b's', ""),
    flag(b'h', ""),
    flag(b'D', ""),
    flag(b't', ""),
    flag(b'c', ""),
    flag(b'v', ""),
    flag(b'U', ""),
    flag(SI, "si"),
    value(SORT, "sort"),
    value(TIME_FORMAT, "timefmt"),
];

/// The order of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Name,
    Version,
    /// Large ones first.
    Size,
    /// Old ones first.
    Modified,
    Changed,
    /// As the directory has them.
    None,
}

/// The lines of the tree.
pub(super) struct Lines {
    /// Beside what follows.
    pub(super) beside: &'static str,
    pub(super) entry: &'static str,
    pub(super) last: &'static str,
}

const DRAWN: Lines =
    Lines { beside: "\u{2502}\u{a0}\u{a0} ", entry: "\u{251c}\u{2500}\u{2500} ", last: "\u{2514}\u{2500}\u{2500} " };
const PLAIN: Lines = Lines { beside: "|   ", entry: "|-- ", last: "`-- " };

pub(super) struct Command<'a> {
    pub(super) all: bool,
    pub(super) only_directories: bool,
    pub(super) full_names: bool,
    pub(super) marks: bool,
    pub(super) lines: Option<&'static Lines>,
    /// As JSON; with none of the columns.
    pub(super) json: bool,
    pub(super) raw: bool,
    pub(super) bytes: bool,
    pub(super) reversed: bool,
    pub(super) order: Order,
    pub(super) columns: Option<Columns>,
    pub(super) levels: usize,
    pub(super) ignored: Vec<&'a [u8]>,
    pub(super) wanted: Vec<&'a [u8]>,
    pub(super) ignore_case: bool,
    /// Directories, or files, before the others.
    pub(super) first: Option<bool>,
    pub(super) report: bool,
    pub(super) prune: bool,
    pub(super) roots: Vec<&'a [u8]>,
}

pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    // The values of these are words of their own.
    let is_joined = |word: &[u8]| {
        let letters = word.strip_prefix(b"-").filter(|rest| rest.first() != Some(&b'-')).unwrap_or_default();
        letters.iter().position(|byte| b"LIP".contains(byte)).is_some_and(|at| at + 1 < letters.len())
    };
    if let Some(word) = call.argv.iter_from(1).take_while(|word| *word != b"--").find(|word| is_joined(word)) {
        return Err(Unsupported::new(format!("{} in one word", word.escape_ascii())));
    }
    let levels = match parsed.last(b'L') {
        None => usize::MAX,
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0'))
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Unsupported::mistake(format!("the level {}", text.escape_ascii())))?,
    };
    let bytes = hookshell_utility::locale::is_bytes(call.env);
    let lines = match parsed.last(CHARSET) {
        None if bytes => &PLAIN,
        None => &DRAWN,
        Some(name) if name.eq_ignore_ascii_case(b"utf-8") => &DRAWN,
        Some(name) if name.eq_ignore_ascii_case(b"ascii") || name.eq_ignore_ascii_case(b"us-ascii") => &PLAIN,
        Some(name) => return Err(Unsupported::mistake(format!("the charset {}", name.escape_ascii()))),
    };
    let json = parsed.has(b'J');
    if json && (bytes || [b'i', b'N', b'p', b'u', b'g', b's', b'h', b'D', SI].iter().any(|letter| parsed.has(*letter)))
    {
        return Err(Unsupported::new("-J with such options"));
    }
    if parsed.has(PRUNE) && (parsed.has(b'L') || parsed.has(b'd')) {
        return Err(Unsupported::new("--prune with -L or -d"));
    }
    let orders = parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, b't' | b'c' | b'v' | b'U' | SORT));
    let order = match orders {
        None => Order::Name,
        Some((b't', _) | (SORT, b"mtime")) => Order::Modified,
        Some((b'c', _) | (SORT, b"ctime")) => Order::Changed,
        Some((b'v', _) | (SORT, b"version")) => Order::Version,
        Some((b'U', _)) => Order::None,
        Some((_, b"name")) => Order::Name,
        Some((_, b"size")) => Order::Size,
        Some((_, word)) => return Err(Unsupported::mistake(format!("the order {}", word.escape_ascii()))),
    };
    let first = parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, DIRECTORIES_FIRST | FILES_FIRST));
    Ok(Command {
        all: parsed.has(b'a'),
        only_directories: parsed.has(b'd'),
        full_names: parsed.has(b'f'),
        marks: parsed.has(b'F'),
        lines: (!parsed.has(b'i')).then_some(lines),
        json,
        raw: parsed.has(b'N'),
        bytes,
        reversed: parsed.has(b'r'),
        order,
        columns: Columns::of(&parsed, call)?,
        levels,
        ignored: patterns(&parsed, b'I')?,
        wanted: patterns(&parsed, b'P')?,
        ignore_case: parsed.has(IGNORE_CASE),
        first: first.map(|(letter, _)| *letter == DIRECTORIES_FIRST),
        report: !parsed.has(NO_REPORT),
        prune: parsed.has(PRUNE),
        roots: if parsed.operands.is_empty() { vec![b"."] } else { parsed.operands },
    })
}

/// The alternatives of all patterns of an option.
fn patterns<'a>(parsed: &Parsed<'a>, letter: u8) -> Result<Vec<&'a [u8]>, Unsupported> {
    let mut all = Vec::new();
    for (_, text) in parsed.options.iter().filter(|(own, _)| *own == letter) {
        for pattern in text.split(|byte| *byte == b'|') {
            let is_usual =
                !pattern.is_empty() && !pattern.contains(&b'/') && !pattern.windows(2).any(|two| two == b"**");
            if !is_usual || !is_closed(pattern) {
                return Err(Unsupported::mistake(format!("the pattern {}", text.escape_ascii())));
            }
            all.push(pattern);
        }
    }
    Ok(all)
}
