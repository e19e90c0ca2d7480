//! Times: the C locale, glibc's formats. Some are refused (`%E…`, and `%s` of `strptime`).

use hookshell_utility::zone::Zone;

use super::ops::{Outcome, error};
use super::resolve::Refusal;
use super::value::Value;

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// C's `struct tm`, the year in full.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Tm {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: i64,
    yearday: i64,
}

/// Seconds since the epoch.
pub(super) fn now() -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "microseconds of this century fit")]
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0.0, |time| time.as_secs() as f64 + f64::from(time.subsec_micros()) / 1e6)
}

/// Days since the epoch of a date in the Gregorian calendar (months from 0).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year.saturating_add(month.div_euclid(12));
    let month = month.rem_euclid(12);
    let shifted = if month < 2 { year.saturating_sub(1) } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 10) % 12) + 2) / 5;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era.saturating_mul(146_097).saturating_add(of_era - 719_468).saturating_add(day - 1)
}

fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12;
    (years + era * 400 + i64::from(month < 2), month, day)
}

impl Tm {
    fn at(seconds: i64) -> Option<Self> {
        let day_number = seconds.div_euclid(86_400);
        let rest = seconds.rem_euclid(86_400);
        let (year, month, day) = civil(day_number);
        // C's years are an int.
        if i32::try_from(year - 1900).is_err() {
            return None;
        }
        Some(Self {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (day_number + 4).rem_euclid(7),
            yearday: day_number - days(year, 0, 1),
        })
    }

    fn seconds(&self) -> i64 {
        days(self.year, self.month, 1)
            .saturating_add(self.day - 1)
            .saturating_mul(86_400)
            .saturating_add(self.hour * 3600 + self.minute * 60 + self.second)
    }

    /// From jq's array of eight numbers.
    fn of(value: &Value) -> Option<Self> {
        let Value::Array(array) = value else {
            return None;
        };
        let mut fields = [0; 8];
        for (at, field) in fields.iter_mut().enumerate() {
            let number = array.items().get(at)?.as_f64()?;
            #[allow(clippy::cast_possible_truncation, reason = "saturates at an int, as on the usual machines")]
            let number = number as i32;
            *field = i64::from(number);
        }
        let [year, month, day, hour, minute, second, weekday, yearday] = fields;
        Some(Self { year, month, day, hour, minute, second, weekday, yearday })
    }

    fn to_value(self, fraction: f64) -> Value {
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let number = |value: i64| Value::Number(value as f64);
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let second = Value::Number(self.second as f64 + fraction);
        Value::array(vec![
            number(self.year),
            number(self.month),
            number(self.day),
            number(self.hour),
            number(self.minute),
            second,
            number(self.weekday),
            number(self.yearday),
        ])
    }
}

/// `gmtime`
pub(super) fn gmtime(value: &Value) -> Outcome {
    broken_down(value, "gmtime", |_| 0)
}

/// `localtime`
pub(super) fn localtime(value: &Value, zone: &Zone) -> Outcome {
    broken_down(value, "localtime", |seconds| zone.at(seconds).seconds)
}

fn broken_down(value: &Value, name: &str, offset: impl Fn(i64) -> i64) -> Outcome {
    let Some(seconds) = value.as_f64() else {
        return error(format!("{name}() requires numeric inputs"));
    };
    const TOO_FAR: &str = "error converting number of seconds since epoch to datetime";
    if !(-9.2e18..9.2e18).contains(&seconds) {
        return error(TOO_FAR);
    }
    #[allow(clippy::cast_possible_truncation, reason = "in range")]
    let whole = seconds as i64;
    match Tm::at(whole.saturating_add(offset(whole))) {
        Some(tm) => Ok(tm.to_value(seconds - seconds.floor())),
        None => error(TOO_FAR),
    }
}

/// `mktime`
pub(super) fn mktime(value: &Value) -> Outcome {
    let Value::Array(array) = value else {
        return error("mktime requires array inputs");
    };
    let Some(tm) = Tm::of(value).filter(|_| array.len() >= 6) else {
        return error("mktime requires parsed datetime inputs");
    };
    match tm.seconds() {
        -1 => error("invalid gmtime representation"),
        #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
        seconds => Ok(Value::Number(seconds as f64)),
    }
}

/// Refuses formats that are not supported.
pub(super) fn check_strftime(format: &str) -> Result<(), Refusal> {
    match render(format, &Tm { year: 2000, day: 1, ..Tm::default() }, &Named { name: String::new(), offset: 0 }) {
        Ok(_) => Ok(()),
        Err(what) => Err(Refusal::Unsupported(what)),
    }
}

/// A zone as formats show it in 1.7.1: its standard time, whatever the time of the year.
struct Named {
    name: String,
    /// Seconds east of UTC.
    offset: i64,
}

impl Named {
    fn of(zone: &Zone) -> Self {
        // A January and a July.
        let [january, july] = [1_704_067_200, 1_719_792_000].map(|seconds| zone.at(seconds));
        let standard = if january.is_daylight { july } else { january };
        Self { name: standard.name.clone(), offset: standard.seconds }
    }
}

/// `strftime`, and `strflocaltime` (`local`).
pub(super) fn strftime(value: &Value, format: &Value, zone: &Zone, local: bool) -> Outcome {
    let name = if local { "strflocaltime/1" } else { "strftime/1" };
    let parsed = match value {
        number if number.is_number() && local => localtime(number, zone)?,
        number if number.is_number() => gmtime(number)?,
        Value::Array(_) => value.clone(),
        _ => return error(format!("{name} requires parsed datetime inputs")),
    };
    let Value::String(format) = format else {
        return error(format!("{name} requires a string format"));
    };
    let Some(tm) = Tm::of(&parsed) else {
        return error(format!("{name} requires parsed datetime inputs"));
    };
    match render(format.split('\0').next().unwrap_or_default(), &tm, &Named::of(zone)) {
        Ok(text) if text.is_empty() || text.len() >= format.len() + 100 => {
            error(format!("{name}: unknown system failure"))
        }
        Ok(text) => Ok(Value::from(text)),
        Err(what) => error(format!("hookshell's jq does not support {what}")),
    }
}

/// The year and week of ISO 8601.
fn iso_week(tm: &Tm) -> (i64, i64) {
    let is_leap = |year: i64| year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    let length = |year: i64| 365 + i64::from(is_leap(year));
    // Days since the Monday of week 1, which has the year's first Thursday.
    let since = |yearday: i64| {
        let big = 3 * 7;
        yearday - (yearday - tm.weekday + 4 + big).rem_euclid(7) + 4 - 1
    };
    let (mut year, mut days) = (tm.year, since(tm.yearday));
    if days < 0 {
        year -= 1;
        days = since(tm.yearday + length(year));
    } else {
        let next = since(tm.yearday - length(year));
        if next >= 0 {
            year += 1;
            days = next;
        }
    }
    (year, days / 7 + 1)
}

fn render(format: &str, tm: &Tm, zone: &Named) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let flag = chars.next_if(|c| matches!(c, '-' | '_' | '0'));
        let Some(conversion) = chars.next() else {
            return Err("a time format that ends with %".to_owned());
        };
        let number = |value: i64, width: usize, pad: char| {
            let text = value.to_string();
            let pad = match flag {
                Some('-') => return text,
                Some('_') => ' ',
                Some(_) => '0',
                None => pad,
            };
            match text.strip_prefix('-') {
                Some(digits) if pad == '0' => format!("-{}{digits}", "0".repeat(width.saturating_sub(text.len()))),
                _ => format!("{}{text}", String::from(pad).repeat(width.saturating_sub(text.len()))),
            }
        };
        let index = |value: i64| usize::try_from(value).unwrap_or(usize::MAX);
        let day = DAYS.get(index(tm.weekday)).copied().unwrap_or("?");
        let month = MONTHS.get(index(tm.month)).copied().unwrap_or("?");
        let short = |name: &'static str| name.get(..3).unwrap_or(name);
        let twelve = if tm.hour % 12 == 0 { 12 } else { tm.hour % 12 };
        let simple = |format: &str| render(format, tm, zone);
        let is_text = matches!(
            conversion,
            'a' | 'A'
                | 's'
                | 'b'
                | 'B'
                | 'h'
                | 'Z'
                | 'z'
                | 'p'
                | 'P'
                | 'c'
                | 'x'
                | 'X'
                | 'r'
                | 'D'
                | 'F'
                | 'T'
                | 'R'
                | 'n'
                | 't'
                | '%'
        );
        if flag.is_some() && is_text {
            return Err("such a time format".to_owned());
        }
        let text = match conversion {
            'Y' => tm.year.to_string(),
            'C' => number(tm.year.div_euclid(100), 2, '0'),
            'y' => number(tm.year.rem_euclid(100), 2, '0'),
            'm' => number(tm.month + 1, 2, '0'),
            'd' => number(tm.day, 2, '0'),
            'e' => number(tm.day, 2, ' '),
            'H' => number(tm.hour, 2, '0'),
            'k' => number(tm.hour, 2, ' '),
            'I' => number(twelve, 2, '0'),
            'l' => number(twelve, 2, ' '),
            'M' => number(tm.minute, 2, '0'),
            'S' => number(tm.second, 2, '0'),
            'j' => number(tm.yearday + 1, 3, '0'),
            'u' => number((tm.weekday + 6).rem_euclid(7) + 1, 1, '0'),
            'w' => number(tm.weekday, 1, '0'),
            'U' => number((tm.yearday + 7 - tm.weekday) / 7, 2, '0'),
            'W' => number((tm.yearday + 7 - (tm.weekday + 6).rem_euclid(7)) / 7, 2, '0'),
            'a' => short(day).to_owned(),
            'A' => day.to_owned(),
            'b' | 'h' => short(month).to_owned(),
            'B' => month.to_owned(),
            'Z' => zone.name.clone(),
            's' => tm.seconds().saturating_sub(zone.offset).to_string(),
            'G' => iso_week(tm).0.to_string(),
            'g' => number(iso_week(tm).0.rem_euclid(100), 2, '0'),
            'V' => number(iso_week(tm).1, 2, '0'),
            'z' => "+0000".to_owned(),
            'p' => (if tm.hour > 11 { "PM" } else { "AM" }).to_owned(),
            'P' => (if tm.hour > 11 { "pm" } else { "am" }).to_owned(),
            'D' | 'x' => simple("%m/%d/%y")?,
            'T' | 'X' => simple("%H:%M:%S")?,
            'R' => simple("%H:%M")?,
            'F' => simple("%Y-%m-%d")?,
            'r' => simple("%I:%M:%S %p")?,
            'c' => simple("%a %b %e %H:%M:%S %Y")?,
            'n' => "\n".to_owned(),
            't' => "\t".to_owned(),
            '%' => "%".to_owned(),
            other => return Err(format!("the time format %{other}")),
        };
        out.push_str(&text);
    }
    Ok(out)
}

/// Refuses what a `strptime` format cannot have.
fn check_format(format: &str) -> Result<(), String> {
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        match chars.next() {
            Some(c) if "YymbBhdeFDHMSTRzZaAntIklpPjwucrxX%".contains(c) => {}
            Some(other) => return Err(format!("the time format %{other} of strptime")),
            None => return Err("a time format that ends with %".to_owned()),
        }
    }
    Ok(())
}

/// Refuses formats that are not supported.
pub(super) fn check_strptime(format: &str) -> Result<(), Refusal> {
    check_format(format).map_err(Refusal::Unsupported)
}

/// `strptime`
pub(super) fn strptime(value: &Value, format: &Value) -> Outcome {
    let (Value::String(text), Value::String(format)) = (value, format) else {
        return error("strptime/1 requires string inputs and arguments");
    };
    let text = text.split('\0').next().unwrap_or_default();
    let format = format.split('\0').next().unwrap_or_default();
    if let Err(what) = check_format(format) {
        return error(format!("hookshell's jq does not support {what}"));
    }
    let mut reader = Reader {
        rest: text.as_bytes(),
        tm: Tm { year: 1900, weekday: 8, yearday: 367, ..Tm::default() },
        has: Has::default(),
    };
    let read = reader.read(format);
    let rest = reader.rest;
    if read.is_none() || rest.first().is_some_and(|byte| !is_space(*byte)) {
        return error(format!("date \"{text}\" does not match format \"{format}\""));
    }
    let tm = reader.finish();
    let mut parsed = tm.to_value(0.0);
    if !rest.is_empty()
        && let Value::Array(array) = &mut parsed
    {
        std::sync::Arc::make_mut(array).push(Value::from(&*String::from_utf8_lossy(rest)));
    }
    Ok(parsed)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Which fields the text has given.
#[derive(Debug, Default)]
struct Has {
    weekday: bool,
    month: bool,
    day: bool,
    yearday: bool,
    /// A part of a date from which weekday and day of the year follow.
    date: bool,
    /// The hour is one of twelve.
    twelve: bool,
    is_pm: bool,
}

struct Reader<'a> {
    rest: &'a [u8],
    tm: Tm,
    has: Has,
}

impl Reader<'_> {
    /// Computes what follows from the fields that were read, as glibc does. A day that was not given is 0.
    fn finish(&self) -> Tm {
        let (mut tm, has) = (self.tm, &self.has);
        if has.twelve && has.is_pm {
            tm.hour += 12;
        }
        if !has.date {
            return tm;
        }
        if has.yearday && !has.weekday && !(has.month && has.day) {
            let (_, month, day) = civil(days(tm.year, 0, 1) + tm.yearday);
            tm.month = if has.month { tm.month } else { month };
            tm.day = if has.day { tm.day } else { day };
        }
        let number = days(tm.year, tm.month, 1) + tm.day - 1;
        if !has.weekday {
            tm.weekday = (number + 4).rem_euclid(7);
        }
        if !has.yearday {
            tm.yearday = number - days(tm.year, 0, 1);
        }
        tm
    }

    fn skip_spaces(&mut self) {
        while let Some((first, rest)) = self.rest.split_first().filter(|(first, _)| is_space(**first)) {
            let _ = first;
            self.rest = rest;
        }
    }

    fn number(&mut self, from: i64, to: i64, mut digits: u32) -> Option<i64> {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let mut value = 0;
        let mut any = false;
        while let Some((digit @ b'0'..=b'9', rest)) = self.rest.split_first() {
            if any && (digits == 0 || value * 10 > to) {
                break;
            }
            value = value * 10 + i64::from(digit - b'0');
            self.rest = rest;
            digits -= 1;
            any = true;
        }
        (any && (from..=to).contains(&value)).then_some(value)
    }

    fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (at, name) in (0..).zip(names) {
            for name in [*name, name.get(..3).unwrap_or(name)] {
                if self.rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes())) {
                    self.rest = self.rest.get(name.len()..).unwrap_or_default();
                    return Some(at);
                }
            }
        }
        None
    }

    fn zone(&mut self) -> Option<()> {
        self.skip_spaces();
        match self.rest {
            [b'Z', rest @ ..] => {
                self.rest = rest;
                Some(())
            }
            [b'+' | b'-', rest @ ..] => {
                self.rest = rest;
                let mut value: u32 = 0;
                let mut count = 0;
                while let Some((digit @ b'0'..=b'9', rest)) = self.rest.split_first().filter(|_| count < 4) {
                    value = value * 10 + u32::from(digit - b'0');
                    self.rest = rest;
                    count += 1;
                    if count == 2
                        && let [b':', rest @ ..] = self.rest
                    {
                        self.rest = rest;
                    }
                }
                match count {
                    2 => value *= 100,
                    4 if value % 100 < 60 => {}
                    _ => return None,
                }
                (value <= 1400).then_some(())
            }
            _ => None,
        }
    }

    fn read(&mut self, format: &str) -> Option<()> {
        let mut chars = format.bytes();
        while let Some(c) = chars.next() {
            if is_space(c) {
                self.skip_spaces();
                continue;
            }
            if c != b'%' {
                let (first, rest) = self.rest.split_first()?;
                if *first != c {
                    return None;
                }
                self.rest = rest;
                continue;
            }
            match chars.next()? {
                b'Y' => {
                    self.tm.year = self.number(0, 9999, 4)?;
                    self.has.date = true;
                }
                b'y' => {
                    self.has.date = true;
                    let year = self.number(0, 99, 2)?;
                    self.tm.year = if year >= 69 { 1900 + year } else { 2000 + year };
                }
                b'm' => {
                    self.tm.month = self.number(1, 12, 2)? - 1;
                    (self.has.month, self.has.date) = (true, true);
                }
                b'd' | b'e' => {
                    self.tm.day = self.number(1, 31, 2)?;
                    (self.has.day, self.has.date) = (true, true);
                }
                b'j' => {
                    self.tm.yearday = self.number(1, 366, 3)? - 1;
                    self.has.yearday = true;
                }
                b'H' | b'k' => {
                    self.tm.hour = self.number(0, 23, 2)?;
                    self.has.twelve = false;
                }
                b'I' | b'l' => {
                    self.tm.hour = self.number(1, 12, 2)? % 12;
                    self.has.twelve = true;
                }
                b'p' | b'P' => {
                    let (half, rest) = self.rest.split_at_checked(2)?;
                    self.has.is_pm = match half.to_ascii_uppercase().as_slice() {
                        b"AM" => false,
                        b"PM" => true,
                        _ => return None,
                    };
                    self.rest = rest;
                }
                b'w' => {
                    self.tm.weekday = self.number(0, 6, 1)?;
                    self.has.weekday = true;
                }
                b'u' => {
                    self.tm.weekday = self.number(1, 7, 1)? % 7;
                    self.has.weekday = true;
                }
                b'c' => self.read("%a %b %e %H:%M:%S %Y")?,
                b'r' => self.read("%I:%M:%S %p")?,
                b'x' => self.read("%m/%d/%y")?,
                b'X' => self.read("%H:%M:%S")?,
                b'M' => self.tm.minute = self.number(0, 59, 2)?,
                b'S' => self.tm.second = self.number(0, 61, 2)?,
                b'T' => self.read("%H:%M:%S")?,
                b'R' => self.read("%H:%M")?,
                b'F' => self.read("%Y-%m-%d")?,
                b'D' => self.read("%m/%d/%y")?,
                b'b' | b'B' | b'h' => {
                    self.tm.month = self.name(&MONTHS)?;
                    (self.has.month, self.has.date) = (true, true);
                }
                b'a' | b'A' => {
                    self.tm.weekday = self.name(&DAYS)?;
                    self.has.weekday = true;
                }
                b'z' => self.zone()?,
                b'Z' => {
                    self.skip_spaces();
                    while let Some((_, rest)) = self.rest.split_first().filter(|(first, _)| !is_space(**first)) {
                        self.rest = rest;
                    }
                }
                b'n' | b't' => self.skip_spaces(),
                b'%' => {
                    let (first, rest) = self.rest.split_first()?;
                    if *first != b'%' {
                        return None;
                    }
                    self.rest = rest;
                }
                _ => return None,
            }
        }
        Some(())
    }
}
