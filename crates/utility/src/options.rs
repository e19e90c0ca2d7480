//! Reading a utility's options, as GNU's `getopt_long` does.

use crate::args::Args;
use crate::long_names;
use crate::utility::Unsupported;

/// One option of a utility.
#[derive(Debug, Clone, Copy)]
pub struct OptionSpec {
    /// Its letter, by which the utility knows it too; from [`LONG_ONLY`] on for an option without a letter.
    pub short: u8,
    /// Its long name, without the dashes; empty for none.
    pub long: &'static str,
    /// It takes a value.
    pub has_value: bool,
    /// The value may be missing: it is the rest of the word, or stands after `=`, and never is the next word.
    pub is_optional: bool,
    /// An empty value after `=` is none.
    pub may_be_empty: bool,
}

/// From here on "letters" name options that have a long name only.
pub const LONG_ONLY: u8 = 0x80;

/// An option without a value.
pub const fn flag(short: u8, long: &'static str) -> OptionSpec {
    OptionSpec { short, long, has_value: false, is_optional: false, may_be_empty: false }
}

/// An option with a value.
pub const fn value(short: u8, long: &'static str) -> OptionSpec {
    OptionSpec { short, long, has_value: true, is_optional: false, may_be_empty: false }
}

/// An option whose value may be missing; it is empty then.
pub const fn optional(short: u8, long: &'static str) -> OptionSpec {
    OptionSpec { short, long, has_value: true, is_optional: true, may_be_empty: false }
}

/// As [`optional`], where an empty value is none (`--tmpdir=`).
pub const fn optional_or_empty(short: u8, long: &'static str) -> OptionSpec {
    OptionSpec { may_be_empty: true, ..optional(short, long) }
}

/// These options, and one for each digit, which are numbers as they were written of old: `uniq -12` by flags, `fold -72` by options
/// whose value is the rest of the word.
///
/// # Panics
/// `ALL` is not the number of them, which is said when it is compiled.
pub const fn with_digits<const ALL: usize>(own: &[OptionSpec], digit: OptionSpec) -> [OptionSpec; ALL] {
    assert!(ALL == own.len() + 10, "an option for each digit");
    let mut all = [digit; ALL];
    let mut at = 0;
    while at < own.len() {
        all[at] = own[at];
        at += 1;
    }
    let mut value = 0;
    while value < 10 {
        all[at].short = b'0' + value;
        at += 1;
        value += 1;
    }
    all
}

/// A command line that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// The options in order: the letter, and the value (empty where the option takes none).
    pub options: Vec<(u8, &'a [u8])>,
    /// For each option which of the options' words it stands in, from 0 on.
    pub words: Vec<usize>,
    /// The operands in order.
    pub operands: Vec<&'a [u8]>,
    /// How many of them stand after `--`.
    pub after_dashes: usize,
}

impl<'a> Parsed<'a> {
    /// Was the option given?
    pub fn has(&self, short: u8) -> bool {
        self.options.iter().any(|(letter, _)| *letter == short)
    }

    /// The value of the last occurrence of an option.
    pub fn last(&self, short: u8) -> Option<&'a [u8]> {
        self.options.iter().rev().find(|(letter, _)| *letter == short).map(|(_, value)| *value)
    }
}

/// Reads the words after the name. Options may follow operands, and long names may be shortened to what is no other's. The
/// error: an option that is not in `specs`, or one whose value is missing or too much: for the real program to do or to
/// refuse.
pub fn parse<'a>(argv: &'a Args, specs: &[OptionSpec]) -> Result<Parsed<'a>, Unsupported> {
    parse_words(argv, argv.iter_from(1), specs, Operands::Anywhere)
}

/// The same without the words at some places.
pub fn parse_except<'a>(argv: &'a Args, specs: &[OptionSpec], except: &[usize]) -> Result<Parsed<'a>, Unsupported> {
    let words = argv.iter().enumerate().skip(1).filter(|(at, _)| !except.contains(at)).map(|(_, word)| word);
    parse_words(argv, words, specs, Operands::Anywhere)
}

/// The same from the word at `start` on.
pub fn parse_from<'a>(argv: &'a Args, start: usize, specs: &[OptionSpec]) -> Result<Parsed<'a>, Unsupported> {
    parse_words(argv, argv.iter_from(start), specs, Operands::Anywhere)
}

/// The same for a utility whose options end at the first operand (a `+` in GNU's option string).
pub fn parse_leading<'a>(argv: &'a Args, specs: &[OptionSpec]) -> Result<Parsed<'a>, Unsupported> {
    parse_words(argv, argv.iter_from(1), specs, Operands::After)
}

/// The same where `-3` and `-.5` are operands.
pub fn parse_before_numbers<'a>(argv: &'a Args, specs: &[OptionSpec]) -> Result<Parsed<'a>, Unsupported> {
    parse_words(argv, argv.iter_from(1), specs, Operands::AfterOrNumbers)
}

/// What a word of a list means, which may be shortened to what begins no other's meaning (gnulib's `argmatch`).
pub fn choice<T: Copy + PartialEq>(text: &[u8], list: &[(&str, T)]) -> Option<T> {
    if let Some((_, meant)) = list.iter().find(|(word, _)| word.as_bytes() == text) {
        return Some(*meant);
    }
    let mut fitting = list.iter().filter(|(word, _)| word.as_bytes().starts_with(text)).map(|(_, meant)| *meant);
    let first = fitting.next()?;
    fitting.all(|other| other == first).then_some(first)
}

/// Where operands stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    Anywhere,
    After,
    AfterOrNumbers,
}

/// The option that a long name means, which may be shortened to what no other option's begins with.
fn long_option<'a>(utility: &[u8], name: &[u8], specs: &'a [OptionSpec]) -> Option<&'a OptionSpec> {
    let named = |name: &[u8]| specs.iter().find(|spec| !spec.long.is_empty() && spec.long.as_bytes() == name);
    named(name).or_else(|| {
        let mut meant = long_names::beginning_with(utility, name).map(|long| named(long.as_bytes()));
        let first = meant.next()??;
        // `--qui` where `--quiet` and `--quick` are the same.
        meant.all(|other| other.is_some_and(|other| other.short == first.short)).then_some(first)
    })
}

fn parse_words<'a>(
    argv: &'a Args,
    mut words: impl Iterator<Item = &'a [u8]>,
    specs: &[OptionSpec],
    place: Operands,
) -> Result<Parsed<'a>, Unsupported> {
    let is_number = |word: &[u8]| place == Operands::AfterOrNumbers && matches!(word, [b'-', b'0'..=b'9' | b'.', ..]);
    let mut parsed = Parsed::default();
    let mut at = 0;
    while let Some(word) = words.next() {
        if word == b"--" {
            let before = parsed.operands.len();
            parsed.operands.extend(words);
            parsed.after_dashes = parsed.operands.len() - before;
            break;
        }
        if let Some(long) = word.strip_prefix(b"--") {
            let (name, attached) = match long.iter().position(|byte| *byte == b'=') {
                Some(at) => (long.get(..at).unwrap_or_default(), long.get(at + 1..)),
                None => (long, None),
            };
            let unsupported = || Unsupported::option(word);
            let spec = long_option(&argv[0], name, specs).ok_or_else(unsupported)?;
            let given = match (spec.has_value, attached) {
                // `--check=` is not `--check`.
                (true, Some(b"")) if spec.is_optional && !spec.may_be_empty => return Err(unsupported()),
                (true, Some(attached)) => attached,
                (true, None) if spec.is_optional => b"",
                (true, None) => words.next().ok_or_else(unsupported)?,
                (false, None) => b"",
                (false, Some(_)) => return Err(unsupported()),
            };
            parsed.options.push((spec.short, given));
            parsed.words.push(at);
            at += 1;
        } else if word.len() > 1 && word.first() == Some(&b'-') && !is_number(word) {
            let mut rest = word.get(1..).unwrap_or_default();
            while let Some((&letter, after)) = rest.split_first() {
                let unsupported = || Unsupported::option(&[b'-', letter]);
                let known = |spec: &&OptionSpec| spec.short == letter && letter < LONG_ONLY;
                let spec = specs.iter().find(known).ok_or_else(unsupported)?;
                rest = after;
                let given = match (spec.has_value, after.is_empty()) {
                    (false, _) => &b""[..],
                    (true, false) => std::mem::take(&mut rest),
                    (true, true) if spec.is_optional => b"",
                    (true, true) => words.next().ok_or_else(unsupported)?,
                };
                parsed.options.push((letter, given));
                parsed.words.push(at);
            }
            at += 1;
        } else {
            parsed.operands.push(word);
            if place != Operands::Anywhere {
                parsed.operands.extend(words);
                break;
            }
        }
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::{choice, flag, optional, optional_or_empty, parse, value};
    use crate::args::Args;

    #[test]
    fn options_are_read_as_getopt_long_does() {
        let specs = [
            flag(b'r', "recursive"),
            flag(b'f', ""),
            value(b'n', "lines"),
            optional(b'w', "width"),
            optional_or_empty(b't', "tmp"),
        ];
        type Expected<'a> = Option<(&'a [(u8, &'a [u8])], &'a [&'a [u8]])>;
        let cases: &[(&[&str], Expected<'_>)] = &[
            (&[], Some((&[], &[]))),
            (&["-rf", "x"], Some((&[(b'r', b""), (b'f', b"")], &[b"x"]))),
            (&["x", "-r"], Some((&[(b'r', b"")], &[b"x"]))),
            (&["--", "-r"], Some((&[], &[b"-r"]))),
            (&["-"], Some((&[], &[b"-"]))),
            (&["-n3"], Some((&[(b'n', b"3")], &[]))),
            (&["-rn", "3"], Some((&[(b'r', b""), (b'n', b"3")], &[]))),
            (&["--lines=3"], Some((&[(b'n', b"3")], &[]))),
            (&["--lines", "3"], Some((&[(b'n', b"3")], &[]))),
            (&["--line=3"], None),
            (&["--recursive=x"], None),
            (&["--width="], None),
            (&["--tmp=", "--tmp=a", "--tmp"], Some((&[(b't', b""), (b't', b"a"), (b't', b"")], &[]))),
            (&["-n"], None),
            (&["-x"], None),
            (&["-w8", "-w", "8"], Some((&[(b'w', b"8"), (b'w', b"")], &[b"8"]))),
            (&["--width=8", "--width"], Some((&[(b'w', b"8"), (b'w', b"")], &[]))),
            (&["--width="], None),
        ];
        for (words, expected) in cases {
            let argv: Args = ["name"].iter().chain(words.iter()).collect();
            let expected = expected.map(|(options, operands)| {
                let after_dashes = if words.contains(&"--") { operands.len() } else { 0 };
                (options.to_vec(), operands.to_vec(), after_dashes)
            });
            let parsed = parse(&argv, &specs).ok();
            let parsed = parsed.map(|parsed| (parsed.options, parsed.operands, parsed.after_dashes));
            assert_eq!(parsed, expected, "{words:?}");
        }
    }

    #[test]
    fn it_is_known_which_options_share_a_word() {
        let specs = [flag(b'1', ""), flag(b'2', ""), value(b'n', "lines")];
        let argv: Args = ["name", "-12", "x", "-1n3", "--lines=4", "-2"].iter().collect();
        assert_eq!(parse(&argv, &specs).map(|parsed| parsed.words).ok(), Some(vec![0, 0, 1, 1, 2, 3]));
    }

    #[test]
    fn words_of_a_list_may_be_shortened() {
        let list = [("always", 1), ("yes", 1), ("never", 2), ("no", 2), ("auto", 3)];
        for (text, expected) in [
            ("always", Some(1)),
            ("al", Some(1)),
            ("n", Some(2)),
            ("a", None),
            ("", None),
            ("x", None),
            ("no", Some(2)),
        ] {
            assert_eq!(choice(text.as_bytes(), &list), expected, "{text}");
        }
    }

    #[test]
    fn long_names_may_be_shortened() {
        // Some of those of tty and of du.
        let quiet = [flag(b's', "quiet"), flag(b's', "silent")];
        let size = [flag(b'b', "bytes"), flag(b'0', "null"), flag(b's', "summarize"), flag(b'h', "si")];
        let cases = [
            ("tty", &quiet[..], "--q", Some(b's')),
            ("/usr/bin/tty", &quiet, "--sil", Some(b's')),
            ("du", &size, "--nul", Some(b'0')),
            ("du", &size, "--si", Some(b'h')),
            // Several; another that is not in the list; a value too much; no program that we know.
            ("du", &size, "--s", None),
            ("du", &size, "--n", None),
            ("du", &size, "--nul=1", None),
            ("name", &size, "--nul", None),
        ];
        for (name, specs, word, expected) in cases {
            let argv: Args = [name, word].iter().collect();
            let option = parse(&argv, specs).ok().and_then(|parsed| Some(parsed.options.first()?.0));
            assert_eq!(option, expected, "{name} {word}");
        }
    }
}
