//! `date`: write the date and time.

mod evaluate;
mod format;
mod lexer;
mod parse;

use std::io;
use std::time::SystemTime;

use hookshell_text::civil::Civil;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

pub(crate) use self::evaluate::evaluate;
pub(crate) use self::format::{Moment, check as check_format, format};
pub(crate) use self::parse::{Expression, parse as parse_date};

/// `date [-u] [-d DATE | -f FILE | -r FILE] [-I[SPEC] | -R | --rfc-3339=SPEC | +FORMAT]` (XCU `date`, GNU's additions). Setting the clock,
/// `--debug` and numbers of more than fifteen digits are the real program's.
pub(crate) struct Date;

const RFC_3339: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[
    value(b'd', "date"),
    value(b'f', "file"),
    value(b'r', "reference"),
    flag(b'u', "utc"),
    flag(b'u', "universal"),
    flag(b'u', "uct"),
    optional(b'I', "iso-8601"),
    flag(b'R', "rfc-email"),
    flag(b'R', "rfc-822"),
    flag(b'R', "rfc-2822"),
    value(RFC_3339, "rfc-3339"),
];

/// What the command line says.
struct Command<'a> {
    parsed: Parsed<'a>,
    format: &'a [u8],
    date: Option<Result<Expression, &'a [u8]>>,
    /// The zone that the date names.
    date_zone: Option<Zone>,
    zone: Zone,
    /// The lines of `-f`.
    lines: Vec<Line>,
    /// What is wrong with the operands, and does the hint at `--help` follow it?
    wrong: Option<Vec<u8>>,
    is_usage: bool,
}

impl<'a> Command<'a> {
    fn wrong(parsed: Parsed<'a>, message: Vec<u8>) -> Self {
        let (zone, lines) = (Zone::utc(), Vec::new());
        Self { parsed, format: b"", date: None, date_zone: None, zone, lines, wrong: Some(message), is_usage: true }
    }
}

/// Is it a date to which the clock could be set: `MMDDhhmm[[CC]YY][.ss]`?
fn sets_clock(operand: &[u8]) -> bool {
    let (digits, seconds) = match memchr::memchr(b'.', operand) {
        Some(at) => (operand.get(..at).unwrap_or_default(), operand.get(at + 1..)),
        None => (operand, None),
    };
    matches!(digits.len(), 8 | 10 | 12)
        && digits.iter().all(u8::is_ascii_digit)
        && seconds.is_none_or(|seconds| seconds.len() == 2 && seconds.iter().all(u8::is_ascii_digit))
}

/// A line of `-f`: its text, and the date with the zone that it names.
type Line = (Vec<u8>, Option<(Expression, Option<Zone>)>);

/// The longest list of dates that is read: each is kept.
const LONGEST_LIST: u64 = 4 << 20;

/// The dates of a file; its lines must be known to be read alike before the command runs.
fn read_lines(call: &UtilityCall<'_>, name: &[u8], zone: &Zone) -> Result<Vec<Line>, Unsupported> {
    let path = call.cwd.join(hookshell_process::text::to_path(name));
    let is_special = hookshell_utility::special_file(name, call.cwd).is_some();
    let missing = || Unsupported::mistake(format!("the dates of {}: there is no such file", name.escape_ascii()));
    let text = match is_special {
        true => None,
        false if name.is_empty() => return Err(missing()),
        false => match hookshell_utility::io::read_file(&path, call.cwd, LONGEST_LIST) {
            Err(error) if hookshell_process::is_missing(&error) => return Err(missing()),
            read => read.ok().flatten(),
        },
    };
    let text = text.ok_or_else(|| Unsupported::new("dates that are not in a file"))?;
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split(|byte| *byte == b'\n').map(|line| Ok((line.to_vec(), dated(line, zone)?))).collect()
}

/// The date of a line, with the zone that it names; `None` if it is not one.
fn dated(line: &[u8], zone: &Zone) -> Result<Option<(Expression, Option<Zone>)>, Unsupported> {
    let (own, rest) = own_zone(line)?;
    let date = parse_date(rest, own.as_ref().unwrap_or(zone))?;
    Ok(date.map(|date| (date, own)))
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut format = None;
    for &(option, spec) in &parsed.options {
        let unsupported = || Unsupported::mistake(format!("the format {}", spec.escape_ascii()));
        let chosen: &[u8] = match option {
            b'R' => b"%a, %d %b %Y %H:%M:%S %z",
            b'I' => match precision(spec) {
                b"" | b"date" => b"%Y-%m-%d",
                b"hours" => b"%Y-%m-%dT%H%:z",
                b"minutes" => b"%Y-%m-%dT%H:%M%:z",
                b"seconds" => b"%Y-%m-%dT%H:%M:%S%:z",
                b"ns" => b"%Y-%m-%dT%H:%M:%S,%N%:z",
                _ => return Err(unsupported()),
            },
            RFC_3339 => match precision(spec) {
                b"date" => b"%Y-%m-%d",
                b"seconds" => b"%Y-%m-%d %H:%M:%S%:z",
                b"ns" => b"%Y-%m-%d %H:%M:%S.%N%:z",
                _ => return Err(unsupported()),
            },
            _ => continue,
        };
        if format.replace(chosen).is_some() {
            return Err(Unsupported::mistake("more than one format"));
        }
    }
    match (parsed.operands.clone().as_slice(), format) {
        ([], _) => {}
        ([operand], None) if operand.first() == Some(&b'+') => format = operand.get(1..),
        ([_, extra, ..], _) => return Ok(Command::wrong(parsed, [b"extra operand ", &*quote::locale(extra)].concat())),
        ([operand], _) if operand.first() == Some(&b'+') => {
            let text = b"multiple output formats specified".to_vec();
            return Ok(Command { is_usage: false, ..Command::wrong(parsed, text) });
        }
        ([operand], _) if [b'd', b'f', b'r'].iter().any(|option| parsed.has(*option)) || format.is_some() => {
            let advice: &[u8] = b" lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'";
            return Ok(Command::wrong(parsed, [b"the argument ", &*quote::locale(operand), advice].concat()));
        }
        // XSI's `mmddhhmm[[cc]yy]`, with GNU's seconds, sets the clock. Anything else is no date.
        ([operand], _) if sets_clock(operand) => return Err(Unsupported::new("setting the clock")),
        ([operand], _) => {
            let text = [b"invalid date ", &*quote::locale(operand)].concat();
            return Ok(Command { is_usage: false, ..Command::wrong(parsed, text) });
        }
    }
    let format = format.unwrap_or(b"%a %b %e %H:%M:%S %Z %Y");
    check_format(format)?;
    let zone = if parsed.has(b'u') { Zone::utc() } else { Zone::of(call.env)? };
    if [b'd', b'f', b'r'].iter().filter(|option| parsed.has(**option)).count() > 1 {
        return Err(Unsupported::mistake("-d, -f and -r together"));
    }
    let lines = match parsed.last(b'f') {
        // Standard input is read when the command runs.
        Some(b"-") | None => Vec::new(),
        Some(name) => read_lines(call, name, &zone)?,
    };
    let mut date_zone = None;
    let date = match parsed.last(b'd') {
        Some(text) => {
            let (own, rest) = own_zone(text)?;
            date_zone = own;
            Some(parse_date(rest, date_zone.as_ref().unwrap_or(&zone))?.ok_or(text))
        }
        None => None,
    };
    Ok(Command { parsed, format, date, date_zone, zone, lines, wrong: None, is_usage: false })
}

/// The word that a beginning of it stands for; they differ in their first letters.
fn precision(spec: &[u8]) -> &[u8] {
    let words: [&[u8]; 5] = [b"date", b"hours", b"minutes", b"seconds", b"ns"];
    words.into_iter().find(|word| !spec.is_empty() && word.starts_with(spec)).unwrap_or(spec)
}

/// `TZ="ZONE" DATE`: the zone that the date is in, and the date.
fn own_zone(text: &[u8]) -> Result<(Option<Zone>, &[u8]), Unsupported> {
    let Some(quoted) = text.trim_ascii_start().strip_prefix(b"TZ=\"") else { return Ok((None, text)) };
    let mut name = Vec::new();
    let mut bytes = quoted.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => return Ok((Some(Zone::named(&String::from_utf8_lossy(&name))?), bytes.as_slice())),
            b'\\' => match bytes.next() {
                Some(&escaped @ (b'"' | b'\\')) => name.push(escaped),
                _ => break,
            },
            byte => name.push(byte),
        }
    }
    // Without an end it is no zone, and no date.
    Ok((None, text))
}

impl Utility for Date {
    fn name(&self) -> &'static str {
        "date"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

impl Moment {
    /// A time as it is shown in a zone.
    pub(crate) fn new(zone: &Zone, seconds: i64, nanos: u32) -> Self {
        let offset = zone.at(seconds);
        let civil = Civil::from_seconds(seconds.saturating_add(offset.seconds));
        Self { seconds, nanos, civil, offset }
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if let Some(wrong) = &command.wrong {
        if command.is_usage {
            return running.usage(wrong);
        }
        running.message(wrong)?;
        return Ok(1);
    }
    let now = since_epoch(SystemTime::now());
    if command.parsed.has(b'f') {
        return file(running, &command, now);
    }
    let shown = match (&command.date, command.parsed.last(b'r')) {
        (Some(date), _) => {
            let text = command.parsed.last(b'd').unwrap_or_default();
            let found = date.as_ref().ok().and_then(|date| {
                let zone = command.date_zone.as_ref().unwrap_or(&command.zone);
                evaluate(date, now, zone)
            });
            match found {
                Some(time) => time,
                None => {
                    running.message(&[&b"invalid date "[..], &quote::locale(text)].concat())?;
                    return Ok(1);
                }
            }
        }
        (None, Some(file)) => {
            let modified = if file.is_empty() {
                Err(io::ErrorKind::NotFound.into())
            } else {
                running.path(file).metadata().and_then(|metadata| metadata.modified())
            };
            match modified {
                Ok(modified) => since_epoch(modified),
                Err(error) => {
                    running.report_error(&quote::if_needed(file), &error)?;
                    return Ok(1);
                }
            }
        }
        (None, None) => now,
    };
    let mut out = Vec::new();
    format(&mut out, command.format, &Moment::new(&command.zone, shown.0, shown.1));
    out.push(b'\n');
    running.write(&out)?;
    Ok(0)
}

/// `-f`
fn file(running: &Running<'_>, command: &Command<'_>, now: (i64, u32)) -> Result<u8, Failure> {
    let mut is_valid = true;
    if command.parsed.last(b'f') == Some(b"-") {
        let Some(stdin) = running.context().stdin() else {
            running.message(b"-: Bad file descriptor")?;
            return Ok(1);
        };
        let (mut line, mut kept) = (Vec::new(), running.keep());
        loop {
            line.clear();
            match running.read_line(stdin, b'\n', &mut line, &mut kept)? {
                Ok(_) if line.is_empty() => break,
                Ok(_) => {}
                Err(error) => {
                    running.report_error(b"-", &error)?;
                    return Ok(1);
                }
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            // What the real program might read otherwise is no date here: there is no way back to it.
            let date = dated(text, &command.zone).unwrap_or_default();
            is_valid &= show_line(running, command, text, date.as_ref(), now)?;
        }
        return Ok(u8::from(!is_valid));
    }
    for (text, date) in &command.lines {
        is_valid &= show_line(running, command, text, date.as_ref(), now)?;
    }
    Ok(u8::from(!is_valid))
}

/// Shows the date of a line of `-f`; `false` if it is not one.
fn show_line(
    running: &Running<'_>,
    command: &Command<'_>,
    text: &[u8],
    date: Option<&(Expression, Option<Zone>)>,
    now: (i64, u32),
) -> Result<bool, Failure> {
    running.check()?;
    let found = date.and_then(|(date, zone)| evaluate(date, now, zone.as_ref().unwrap_or(&command.zone)));
    let Some((seconds, nanos)) = found else {
        running.message(&[&b"invalid date "[..], &quote::locale(text)].concat())?;
        return Ok(false);
    };
    let mut out = Vec::new();
    format(&mut out, command.format, &Moment::new(&command.zone, seconds, nanos));
    out.push(b'\n');
    running.write(&out)?;
    Ok(true)
}
