//! `date`: write the date and time.

mod evaluate;
mod format;
mod lexer;
mod parse;
mod zone;

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

pub(crate) use self::evaluate::evaluate;
pub(crate) use self::format::{Moment, check as check_format, format};
pub(crate) use self::parse::{Expression, parse as parse_date};
pub(crate) use self::zone::{Civil, Zone};
use crate::io::{Failure, Running};
use crate::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse, value};
use crate::prepare::prepare;
use crate::quote;

/// `date [-u] [-d DATE | -f FILE | -r FILE] [-I[SPEC] | -R | --rfc-3339=SPEC | +FORMAT]` (XCU `date`, GNU's additions). Setting the clock,
/// `-f -`, `--debug` and dates that are not surely read alike are the real program's.
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
}

/// A line of `-f`: its text, and the date with the zone that it names.
type Line = (Vec<u8>, Option<(Expression, Option<Zone>)>);

/// The longest list of dates that is read: each is kept.
const LONGEST_LIST: u64 = 4 << 20;

/// The dates of a file; its lines must be known to be read alike before the command runs.
fn read_lines(call: &UtilityCall<'_>, name: &[u8], zone: &Zone) -> Result<Vec<Line>, Unsupported> {
    let path = call.cwd.join(hookshell_process::text::to_path(name));
    let is_file = name != b"-" && hookshell_utility::special_file(name, call.cwd).is_none() && path.is_file();
    let text = if is_file { crate::io::read_file(&path, LONGEST_LIST).ok() } else { None };
    let text = text.ok_or_else(|| Unsupported::new("dates that are not in a file"))?;
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let (own, rest) = own_zone(line)?;
        let date = parse_date(rest, own.as_ref().unwrap_or(zone))?;
        lines.push((line.to_vec(), date.map(|date| (date, own))));
    }
    Ok(lines)
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
    match (parsed.operands.as_slice(), format) {
        ([], _) => {}
        ([operand], None) if operand.first() == Some(&b'+') => format = operand.get(1..),
        // Setting the clock, or a mistake.
        _ => return Err(Unsupported::new("these operands")),
    }
    let format = format.unwrap_or(b"%a %b %e %H:%M:%S %Z %Y");
    check_format(format)?;
    let zone = if parsed.has(b'u') { Zone::utc() } else { Zone::of(call.env)? };
    if [b'd', b'f', b'r'].iter().filter(|option| parsed.has(**option)).count() > 1 {
        return Err(Unsupported::mistake("-d, -f and -r together"));
    }
    let lines = match parsed.last(b'f') {
        Some(name) => read_lines(call, name, &zone)?,
        None => Vec::new(),
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
    Ok(Command { parsed, format, date, date_zone, zone, lines })
}

/// The word that a beginning of it stands for; they differ in their first letters.
fn precision(spec: &[u8]) -> &[u8] {
    let words: [&[u8]; 5] = [b"date", b"hours", b"minutes", b"seconds", b"ns"];
    words.into_iter().find(|word| !spec.is_empty() && word.starts_with(spec)).unwrap_or(spec)
}

/// `TZ="ZONE" DATE`: the zone that the date is in, and the date.
fn own_zone(text: &[u8]) -> Result<(Option<Zone>, &[u8]), Unsupported> {
    let Some(quoted) = text.trim_ascii_start().strip_prefix(b"TZ=\"") else { return Ok((None, text)) };
    let end = memchr::memchr2(b'"', b'\\', quoted).unwrap_or(0);
    match quoted.get(end..).and_then(|rest| rest.strip_prefix(b"\"")) {
        Some(rest) => Ok((Some(Zone::named(&String::from_utf8_lossy(quoted.get(..end).unwrap_or_default()))?), rest)),
        // With an escape, or without an end.
        None => Err(Unsupported::new("such a time zone in a date")),
    }
}

impl Utility for Date {
    fn name(&self) -> &'static str {
        "date"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

/// A system time in seconds and nanoseconds since 1970-01-01 UTC.
pub(crate) fn since_epoch(time: SystemTime) -> (i64, u32) {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (i64::try_from(after.as_secs()).unwrap_or(i64::MAX), after.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
            match before.subsec_nanos() {
                0 => (-seconds, 0),
                nanos => (-seconds - 1, 1_000_000_000 - nanos),
            }
        }
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
                    running.failed(&quote::if_needed(file), &error)?;
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
    let mut status = 0;
    for (text, date) in &command.lines {
        running.check()?;
        let found = date.as_ref().and_then(|(date, zone)| evaluate(date, now, zone.as_ref().unwrap_or(&command.zone)));
        match found {
            Some((seconds, nanos)) => {
                let mut out = Vec::new();
                format(&mut out, command.format, &Moment::new(&command.zone, seconds, nanos));
                out.push(b'\n');
                running.write(&out)?;
            }
            None => {
                running.message(&[&b"invalid date "[..], &quote::locale(text)].concat())?;
                status = 1;
            }
        }
    }
    Ok(status)
}
