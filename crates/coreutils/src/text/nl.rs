//! `nl`: number lines.

use hookshell_regex::{Builder, Regex, Subject, Syntax};
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::characters::are_bytes_in;

utility! {
    /// `nl [-p] [-b|-h|-f a|t|n|pBRE] [-d CC] [-i N] [-l N] [-n ln|rn|rz] [-s STRING] [-v N] [-w N] [FILE]…` (XCU `nl`).
    Nl, "nl"
}

const OPTIONS: &[OptionSpec] = &[
    value(b'b', "body-numbering"),
    value(b'd', "section-delimiter"),
    value(b'f', "footer-numbering"),
    value(b'h', "header-numbering"),
    value(b'i', "line-increment"),
    value(b'l', "join-blank-lines"),
    value(b'n', "number-format"),
    flag(b'p', "no-renumber"),
    value(b's', "number-separator"),
    value(b'v', "starting-line-number"),
    value(b'w', "number-width"),
];

/// Which lines are numbered.
enum Style {
    All,
    NotEmpty,
    None,
    /// Those that a basic regular expression matches.
    Matching(Regex),
}

#[derive(Clone, Copy)]
enum Alignment {
    Left,
    Right,
    Zeros,
}

struct Command<'a> {
    header: Style,
    body: Style,
    footer: Style,
    delimiter: [u8; 2],
    increment: i64,
    join: u64,
    alignment: Alignment,
    renumber: bool,
    separator: &'a [u8],
    start: i64,
    width: usize,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let wrong = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
    let style = |letter, default| match parsed.last(letter) {
        None => Ok(default),
        Some(b"a") => Ok(Style::All),
        Some(b"t") => Ok(Style::NotEmpty),
        Some(b"n") => Ok(Style::None),
        // An expression that is none is the real program's to refuse.
        Some(text @ [b'p', expression @ ..]) => Builder::new(Syntax::Basic)
            .bytes(are_bytes_in(call))
            .build(expression)
            .map(Style::Matching)
            .map_err(|_| wrong(text)),
        Some(text) => Err(wrong(text)),
    };
    let number = |letter, default: i64, least: i64| match parsed.last(letter) {
        None => Ok(default),
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| !text.starts_with('+'))
            .and_then(|text| text.parse().ok())
            .filter(|number| (least..1 << 40).contains(number))
            .ok_or_else(|| wrong(text)),
    };
    let delimiter = match parsed.last(b'd') {
        None => *b"\\:",
        Some([one]) => [*one, b':'],
        Some([one, two]) => [*one, *two],
        Some(text) => return Err(wrong(text)),
    };
    let alignment = match parsed.last(b'n') {
        None | Some(b"rn") => Alignment::Right,
        Some(b"ln") => Alignment::Left,
        Some(b"rz") => Alignment::Zeros,
        Some(text) => return Err(wrong(text)),
    };
    let least = -(1 << 40);
    Ok(Command {
        header: style(b'h', Style::None)?,
        body: style(b'b', Style::NotEmpty)?,
        footer: style(b'f', Style::None)?,
        delimiter,
        increment: number(b'i', 1, least)?,
        join: number(b'l', 1, 1)?.unsigned_abs(),
        alignment,
        renumber: !parsed.has(b'p'),
        separator: parsed.last(b's').unwrap_or(b"\t"),
        start: number(b'v', 1, least)?,
        width: usize::try_from(number(b'w', 6, 1)?)
            .ok()
            .filter(|width| *width < 10_000)
            .ok_or_else(|| wrong(b"of -w"))?,
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut status = 0;
    let mut style = &command.body;
    let interrupt = || running.check().is_err();
    let mut number = command.start;
    let mut blank: u64 = 0;
    for file in &command.files {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                out.report_error(&quote::if_needed(file), &error)?;
                status = 1;
                continue;
            }
        };
        let mut input = Input::new(source);
        while let Some(line) = input.text(running, b'\n')? {
            if let Some(section) = command.section(line) {
                style = section;
                if command.renumber {
                    number = command.start;
                }
                out.byte(b'\n')?;
                continue;
            }
            let numbered = match style {
                Style::None => false,
                Style::NotEmpty => !line.is_empty(),
                Style::Matching(regex) => match regex.is_match(&Subject::new(line).interruptible(&interrupt)) {
                    Ok(matched) => matched,
                    Err(error) => {
                        running.check()?;
                        out.message(format!("error in regular expression search: {error}").as_bytes())?;
                        return Ok(1);
                    }
                },
                Style::All if command.join == 1 => true,
                Style::All => {
                    blank += u64::from(line.is_empty());
                    let now = !line.is_empty() || blank == command.join;
                    if now {
                        blank = 0;
                    }
                    now
                }
            };
            if numbered {
                let width = command.width;
                match command.alignment {
                    Alignment::Left => out.text(format_args!("{number:<width$}"))?,
                    Alignment::Right => out.text(format_args!("{number:width$}"))?,
                    Alignment::Zeros => out.text(format_args!("{number:0width$}"))?,
                }
                out.push(command.separator)?;
                number = number.saturating_add(command.increment);
            } else {
                out.fill(b' ', command.width + command.separator.len())?;
            }
            out.push(line)?;
            out.byte(b'\n')?;
        }
        if let Some(error) = &input.error {
            out.report_error(&quote::if_needed(file), error)?;
            status = 1;
        }
    }
    out.flush()?;
    Ok(status)
}

impl Command<'_> {
    /// The style of the section that begins here: three delimiters begin a header, two a body, one a footer.
    fn section(&self, line: &[u8]) -> Option<&Style> {
        let (pairs, rest) = line.as_chunks::<2>();
        if !rest.is_empty() || !pairs.iter().all(|pair| *pair == self.delimiter) {
            return None;
        }
        match pairs.len() {
            1 => Some(&self.footer),
            2 => Some(&self.body),
            3 => Some(&self.header),
            _ => None,
        }
    }
}
