//! `strptime`: a text read by a format.

use hookshell_text::civil::{Civil, MONTHS, WEEKDAYS};
use hookshell_utility::zone::Zone;

use super::{Tm, days};
use crate::ops::Outcome;
use crate::value::{Value, error};

/// `strptime`; the zone is for seconds since 1970 (`%s`).
pub(crate) fn strptime(value: &Value, format: &Value, zone: &Zone) -> Outcome {
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
    pub(super) fn finish(&self) -> Tm {
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

    pub(super) fn skip_spaces(&mut self) {
        while let Some((first, rest)) = self.rest.split_first().filter(|(first, _)| is_space(**first)) {
            let _ = first;
            self.rest = rest;
        }
    }

    pub(super) fn number(&mut self, from: i64, to: i64, mut digits: u32) -> Option<i64> {
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

    pub(super) fn name(&mut self, names: &[&str]) -> Option<i64> {
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

    pub(super) fn zone(&mut self) -> Option<()> {
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

    pub(super) fn read(&mut self, format: &str) -> Option<()> {
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
