//! Times: the C locale, glibc's formats.

use hookshell_text::civil::{BrokenDown, Civil, Field, MONTHS, WEEKDAYS, day_number};
use hookshell_utility::zone::Zone;

use super::ops::Outcome;
use super::value::{Value, error};

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

/// The number of a date's day, months from 0.
fn days(year: i64, month: i64, day: i64) -> i64 {
    day_number(year, month + 1, day)
}

impl Tm {
    fn at(seconds: i64) -> Option<Self> {
        let BrokenDown { civil, weekday, day_of_year } = BrokenDown::from(Civil::from_seconds(seconds));
        let Civil { year, month, day, hour, minute, second } = civil;
        // C's years are an int.
        if i32::try_from(year - 1900).is_err() {
            return None;
        }
        Some(Self { year, month: month - 1, day, hour, minute, second, weekday, yearday: day_of_year })
    }

    fn civil(&self) -> Civil {
        let Self { year, month, day, hour, minute, second, .. } = *self;
        Civil { year, month: month + 1, day, hour, minute, second }
    }

    fn seconds(&self) -> i64 {
        self.civil().seconds()
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
    let text = render(format.split('\0').next().unwrap_or_default(), &tm, &Named::of(zone), format.len() + 100);
    if text.is_empty() || text.len() >= format.len() + 100 {
        return error(format!("{name}: unknown system failure"));
    }
    Ok(Value::from(text))
}

/// How a conversion is written: its flags, its width and its modifier.
#[derive(Debug, Default, Clone, Copy)]
struct Style {
    /// `-`, `_` or `0`
    pad: Option<char>,
    /// `^`
    upper: bool,
    /// `#`
    swap: bool,
    width: usize,
    /// `E` or `O`
    modifier: Option<char>,
}

impl Style {
    /// A number of at least so many digits. The width counts as digits, unless the flag says otherwise.
    fn number(&self, value: i64, digits: usize, pad: char) -> String {
        let text = value.to_string();
        let digits = digits.max(self.width);
        let padding = digits.saturating_sub(text.len());
        match (self.pad.unwrap_or(pad), text.strip_prefix('-')) {
            ('-', _) => self.text(text),
            ('_', _) => format!("{}{text}", " ".repeat(padding)),
            (_, Some(rest)) => format!("-{}{rest}", "0".repeat(padding)),
            (_, None) => format!("{}{text}", "0".repeat(padding)),
        }
    }

    /// A text, filled up to the width.
    fn text(&self, text: impl Into<String>) -> String {
        let text = text.into();
        let fill = if self.pad == Some('0') { "0" } else { " " };
        format!("{}{text}", fill.repeat(self.width.saturating_sub(text.len())))
    }

    /// A name: `^` and `#` write it in capitals.
    fn name(&self, name: &str) -> String {
        self.text(if self.upper || self.swap { name.to_ascii_uppercase() } else { name.to_owned() })
    }
}

/// `strftime` as glibc has it in the C locale: a conversion that it does not know is written as it stands. Ends early where
/// the text is longer than `limit`.
fn render(format: &str, tm: &Tm, zone: &Named, limit: usize) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        if out.len() > limit {
            break;
        }
        let Some(conversion) = rest.strip_prefix('%') else {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        };
        let mut style = Style::default();
        let mut at = conversion.char_indices().peekable();
        while let Some((_, flag)) = at.next_if(|(_, c)| matches!(c, '-' | '_' | '0' | '^' | '#')) {
            match flag {
                '^' => style.upper = true,
                '#' => style.swap = true,
                pad => style.pad = Some(pad),
            }
        }
        while let Some((_, digit)) = at.next_if(|(_, c)| c.is_ascii_digit()) {
            let digit = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or_default();
            style.width = style.width.saturating_mul(10).saturating_add(digit);
        }
        // More is an error all the same.
        style.width = style.width.min(limit + 1);
        style.modifier = at.next_if(|(_, c)| matches!(c, 'E' | 'O')).map(|(_, c)| c);
        let end = at.peek().map_or(conversion.len(), |(end, c)| end + c.len_utf8());
        let letter = at.peek().map(|(_, c)| *c);
        let whole = rest.get(..=end).unwrap_or(rest);
        let converted = letter.and_then(|letter| converted(letter, &style, tm, zone));
        out.push_str(
            &converted
                .unwrap_or_else(|| style.text(if style.upper { whole.to_ascii_uppercase() } else { whole.to_owned() })),
        );
        rest = conversion.get(end..).unwrap_or_default();
    }
    out
}

/// What a conversion stands for; `None`: glibc does not know it.
fn converted(letter: char, style: &Style, tm: &Tm, zone: &Named) -> Option<String> {
    let allowed = match style.modifier {
        None => true,
        Some('E') => "cCxXyYpPrRsTuzZnt%".contains(letter),
        Some(_) => "bBhCdegGHIjklmMpPrRsSTuUVwWyzZnt%".contains(letter),
    };
    if !allowed {
        return None;
    }
    let time = BrokenDown { civil: tm.civil(), weekday: tm.weekday, day_of_year: tm.yearday };
    let number = |value: i64, digits: usize| style.number(value, digits, '0');
    if let Some(field) = u8::try_from(letter).ok().and_then(|letter| time.field(letter)) {
        return Some(match field {
            // Its years are no longer than they must be.
            Field::Number { value, .. } if matches!(letter, 'Y' | 'G') => number(value, 1),
            Field::Number { value, width, fill } => style.number(value, width, char::from(fill)),
            Field::Name(name) => style.name(name),
            Field::Half(half) if style.swap => style.text(half.to_ascii_lowercase()),
            Field::Half(half) | Field::LowerHalf(half) => style.text(half),
            Field::Format(format) => {
                let text = render(&String::from_utf8_lossy(format), tm, zone, usize::MAX / 2);
                style.text(if style.upper { text.to_ascii_uppercase() } else { text })
            }
        });
    }
    Some(match letter {
        'Z' if style.swap => style.text(zone.name.to_ascii_lowercase()),
        'Z' if style.upper => style.text(zone.name.to_ascii_uppercase()),
        'Z' => style.text(zone.name.clone()),
        's' => style.text(tm.seconds().saturating_sub(zone.offset).to_string()),
        // The sign is filled up by itself.
        'z' => format!("{}{}", style.text("+"), number(0, 4)),
        'n' => style.text("\n"),
        't' => style.text("\t"),
        '%' => style.text("%"),
        _ => return None,
    })
}

/// `strptime`; the zone is for seconds since 1970 (`%s`).
pub(super) fn strptime(value: &Value, format: &Value, zone: &Zone) -> Outcome {
    let (Value::String(text), Value::String(format)) = (value, format) else {
        return error("strptime/1 requires string inputs and arguments");
    };
    let text = text.split('\0').next().unwrap_or_default();
    let format = format.split('\0').next().unwrap_or_default();
    let mut reader = Reader {
        rest: text.as_bytes(),
        zone,
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
    /// The first two digits of the year, and whether the others were given too.
    century: Option<i64>,
    in_century: bool,
    /// The week of the year, and the day of the week that it begins with.
    week: Option<(i64, i64)>,
}

struct Reader<'a> {
    rest: &'a [u8],
    zone: &'a Zone,
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
        if let Some(century) = has.century {
            tm.year = century * 100 + if has.in_century { tm.year.rem_euclid(100) } else { 0 };
        }
        if !has.date {
            return tm;
        }
        if has.yearday && !has.weekday && !(has.month && has.day) {
            let number = days(tm.year, 0, 1) + tm.yearday;
            let Civil { month, day, .. } = Civil::from_seconds(number * 86_400);
            tm.month = if has.month { tm.month } else { month - 1 };
            tm.day = if has.day { tm.day } else { day };
        }
        let number = days(tm.year, tm.month, 1) + tm.day - 1;
        if !has.weekday {
            tm.weekday = (number + 4).rem_euclid(7);
        }
        if !has.yearday {
            tm.yearday = number - days(tm.year, 0, 1);
        }
        if let Some((week, begins)) = has.week
            && has.weekday
        {
            let first = (days(tm.year, 0, 1) + 4).rem_euclid(7);
            let in_week = (tm.weekday + 7 - begins).rem_euclid(7);
            let offset = (7 - (first - begins)).rem_euclid(7);
            let yearday = offset + (week - 1) * 7 + in_week;
            if !has.yearday {
                tm.yearday = yearday;
            }
            if !has.month || !has.day {
                let date = Civil::from_seconds((days(tm.year, 0, 1) + yearday) * 86_400);
                let (month, day) = (date.month - 1, date.day);
                tm.month = if has.month { tm.month } else { month };
                tm.day = if has.day { tm.day } else { day };
            }
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
            // Flags of `strftime` say nothing here.
            let mut letter = chars.by_ref().find(|c| !b"-_0^#".contains(c))?;
            if let b'E' | b'O' = letter {
                let known: &[u8] = if letter == b'E' { b"cCxXyY" } else { b"bBhdeHIlmMSUVWwy" };
                letter = chars.next().filter(|letter| known.contains(letter))?;
            }
            match letter {
                b'Y' => {
                    self.tm.year = self.number(0, 9999, 4)?;
                    (self.has.date, self.has.century, self.has.in_century) = (true, None, false);
                }
                b'C' => {
                    self.has.century = Some(self.number(0, 99, 2)?);
                    self.has.date = true;
                }
                b's' => {
                    let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let (text, rest) = self.rest.split_at_checked(digits).filter(|_| digits > 0)?;
                    let seconds = text
                        .iter()
                        .fold(0_i64, |value, digit| value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')));
                    self.tm = Tm::at(seconds.checked_add(self.zone.at(seconds).seconds)?)?;
                    self.rest = rest;
                }
                b'U' | b'W' => {
                    self.has.week = Some((self.number(0, 53, 2)?, i64::from(letter == b'W')));
                }
                b'V' => {
                    self.number(0, 53, 2)?;
                }
                b'g' => {
                    self.number(0, 99, 2)?;
                }
                b'G' => {
                    let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    self.rest = self.rest.get(digits..).filter(|_| digits > 0)?;
                }
                b'y' => {
                    (self.has.date, self.has.in_century) = (true, true);
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
                    self.tm.weekday = self.name(&WEEKDAYS)?;
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
