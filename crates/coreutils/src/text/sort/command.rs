//! The command line.

use hookshell_utility::options::{OptionSpec, choice, flag, optional, parse_except, value};
use hookshell_utility::random::Unforeseen;
use hookshell_utility::{Unsupported, UtilityCall};

use super::key::{Key, Kind, Order, read_key, set_option};
use super::old_keys;

/// The most memory for what is sorted at once; `-S` takes less.
pub(super) const LIMIT: usize = 256 << 20;

/// With less than this nothing is gained.
pub(super) const LEAST: usize = 64 << 10;

const SORT: u8 = 128;

const PARALLEL: u8 = 129;

const CHECK: u8 = 130;

const FILES_FROM: u8 = 131;

const BATCH: u8 = 132;

const COMPRESS: u8 = 133;

pub(super) const OPTIONS: &[OptionSpec] = &[
    flag(b'b', "ignore-leading-blanks"),
    flag(b'd', "dictionary-order"),
    flag(b'f', "ignore-case"),
    flag(b'g', "general-numeric-sort"),
    flag(b'h', "human-numeric-sort"),
    flag(b'i', "ignore-nonprinting"),
    flag(b'M', "month-sort"),
    flag(b'n', "numeric-sort"),
    flag(b'r', "reverse"),
    flag(b'R', "random-sort"),
    flag(b'V', "version-sort"),
    flag(b'c', ""),
    optional(CHECK, "check"),
    flag(b'C', ""),
    flag(b'm', "merge"),
    flag(b's', "stable"),
    flag(b'u', "unique"),
    flag(b'z', "zero-terminated"),
    value(b'k', "key"),
    value(b'o', "output"),
    value(b't', "field-separator"),
    value(b'S', "buffer-size"),
    value(b'T', "temporary-directory"),
    value(PARALLEL, "parallel"),
    value(SORT, "sort"),
    value(FILES_FROM, "files0-from"),
    value(BATCH, "batch-size"),
    value(COMPRESS, "compress-program"),
];

const ORDERS: &[(&str, u8)] = &[
    ("general-numeric", b'g'),
    ("human-numeric", b'h'),
    ("month", b'M'),
    ("numeric", b'n'),
    ("random", b'R'),
    ("version", b'V'),
];

const CHECKS: &[(&str, bool)] = &[("quiet", true), ("silent", true), ("diagnose-first", false)];

/// What is done with the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Sort,
    Merge,
    Check { quiet: bool },
}

pub(super) struct Command<'a> {
    pub(super) order: Order,
    pub(super) mode: Mode,
    pub(super) limit: usize,
    pub(super) output: Option<&'a [u8]>,
    pub(super) temporary: Option<&'a [u8]>,
    pub(super) files: Vec<&'a [u8]>,
    pub(super) files_from: Option<&'a [u8]>,
}

pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let (old, taken) = old_keys::find(call.argv, OPTIONS)?;
    let parsed = parse_except(call.argv, OPTIONS, &taken)?;
    if !old.is_empty() && parsed.has(b'k') {
        return Err(Unsupported::new("-k with keys like +1"));
    }
    let refused = |what: &str, text: &[u8]| Err(Unsupported::mistake(format!("the {what} {}", text.escape_ascii())));
    let mut global = Key::default();
    let mut order = Order { keys: old, ..Order::default() };
    let mut mode = Mode::Sort;
    let mut output = None;
    let mut limit = LIMIT;
    for &(letter, given) in &parsed.options {
        match letter {
            b'c' => mode = check(mode, false)?,
            b'C' => mode = check(mode, true)?,
            CHECK if given.is_empty() => mode = check(mode, false)?,
            CHECK => match choice(given, CHECKS) {
                Some(is_quiet) => mode = check(mode, is_quiet)?,
                None => return Err(Unsupported::choice(given)),
            },
            b'm' => mode = if mode == Mode::Sort { Mode::Merge } else { mode },
            b's' => order.stable = true,
            b'u' => order.unique = true,
            b'z' => order.end = 0,
            b'k' => match read_key(given) {
                Some(key) => order.keys.push(key),
                None => return refused("key", given),
            },
            b'o' => match output {
                Some(before) if before != given => return refused("second output", given),
                _ => output = Some(given),
            },
            b't' => {
                let tab = match given {
                    [byte] => *byte,
                    b"\\0" => 0,
                    other => return refused("separator", other),
                };
                if order.tab.is_some_and(|before| before != tab) {
                    return refused("second separator", given);
                }
                order.tab = Some(tab);
            }
            b'S' => match size(given) {
                Some(size) => limit = size.clamp(LEAST, LIMIT),
                None => return refused("size", given),
            },
            PARALLEL if given.is_empty() || !given.iter().all(u8::is_ascii_digit) || given == b"0" => {
                return refused("number", given);
            }
            // How many files are open at once, and whether temporary ones are compressed, changes no result.
            BATCH if given.len() > 9 || !given.iter().all(u8::is_ascii_digit) || matches!(given, b"" | b"0" | b"1") => {
                return refused("number", given);
            }
            b'T' | PARALLEL | FILES_FROM | BATCH | COMPRESS => {}
            SORT => match choice(given, ORDERS) {
                Some(letter) => set_option(&mut global, letter, true),
                None => return Err(Unsupported::choice(given)),
            },
            letter => {
                set_option(&mut global, letter, true);
                if letter == b'b' {
                    global.skip_end_blanks = true;
                }
            }
        }
    }
    for key in &mut order.keys {
        key.inherit(&global);
    }
    if order.keys.is_empty() && !global.is_plain() {
        order.keys.push(global.clone());
    }
    if order.keys.iter().any(|key| key.kind == Kind::Random) {
        let salt = Unforeseen::new().at(0);
        order.keys.iter_mut().for_each(|key| key.salt = salt);
    }
    order.reverse = global.reverse;
    if order.keys.iter().any(|key| !key.is_consistent()) {
        return Err(Unsupported::mistake("orders that exclude each other"));
    }
    if matches!(mode, Mode::Check { .. }) && (output.is_some() || parsed.operands.len() > 1) {
        return Err(Unsupported::mistake("-c with -o or several files"));
    }
    Ok(Command {
        order,
        mode,
        limit,
        output,
        temporary: parsed.last(b'T'),
        files_from: parsed.last(FILES_FROM),
        files: if parsed.operands.is_empty() && !parsed.has(FILES_FROM) { vec![b"-"] } else { parsed.operands },
    })
}

fn check(mode: Mode, quiet: bool) -> Result<Mode, Unsupported> {
    match mode {
        Mode::Check { quiet: before } if before != quiet => Err(Unsupported::mistake("-c with -C")),
        _ => Ok(Mode::Check { quiet }),
    }
}

/// `-S 10M`; without a suffix in KiB. A part of the memory (`50%`) is as much as is taken anyway.
fn size(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, suffix) = text.split_at_checked(digits)?;
    let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
    let unit = match suffix {
        b"b" => 1,
        b"" | b"k" | b"K" => 1 << 10,
        b"m" | b"M" => 1 << 20,
        b"g" | b"G" => 1 << 30,
        b"%" => return Some(LIMIT),
        _ => return None,
    };
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, size};

    #[test]
    fn sizes_are_known() {
        for (text, expected) in [
            ("1", Some(1024)),
            ("10M", Some(10 << 20)),
            ("50%", Some(LIMIT)),
            ("3b", Some(3)),
            ("", None),
            ("M", None),
            ("1X", None),
            ("-1", None),
            ("1.5G", None),
        ] {
            assert_eq!(size(text.as_bytes()), expected, "{text}");
        }
    }
}
