//! The grammar of dates: gnulib's `parse_datetime.y`, as coreutils 9.1 has it.

use hookshell_utility::Unsupported;
use hookshell_utility::zone::Zone;

use super::lexer::{LocalNames, Number, Token, Unit, tokens};

/// Relative times, summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Relative {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) nanos: i64,
}

/// Year as written and the number of its digits, where one was given; month and day.
pub(super) type Day = (Option<(i64, usize)>, i64, i64);

/// A date that was read. What it does not say is that of now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expression {
    /// `@SECONDS`
    pub(super) timestamp: Option<(i64, u32)>,
    pub(super) date: Option<Day>,
    /// Hour, minute, second, nanosecond, and the half of a 12-hour clock.
    pub(super) time: Option<(i64, i64, i64, u32, Option<bool>)>,
    /// Ordinal and day of the week.
    pub(super) weekday: Option<(i64, i64)>,
    /// Seconds east of UTC.
    pub(super) zone: Option<i64>,
    /// The local zone was named: by which of its two names, if they differ?
    pub(super) local: Option<Option<bool>>,
    pub(super) relative: Option<Relative>,
}

/// Reads a date; `None` when it is none.
///
/// # Errors
/// It has something that the real program may read and this one does not.
pub(crate) fn parse(text: &[u8], zone: &Zone) -> Result<Option<Expression>, Unsupported> {
    let tokens = tokens(text, &local_names(zone))?;
    let mut parser = Parser { tokens: &tokens, found: Expression::default(), times: 0, dates: 0, days: 0, zones: 0 };
    Ok(parser.run().filter(|()| parser.is_single()).map(|()| parser.found))
}

/// As gnulib: the name of now, and the first of another kind in three quarters from now on.
fn local_names(zone: &Zone) -> LocalNames {
    const QUARTER: i64 = 90 * 24 * 60 * 60;
    let (now, _) = super::since_epoch(std::time::SystemTime::now());
    let first = zone.at(now);
    let other = (1..=3).map(|quarter| zone.at(now + quarter * QUARTER)).find(|at| at.is_daylight != first.is_daylight);
    match other {
        Some(other) if other.name == first.name => vec![(first.name, None)],
        Some(other) => vec![(first.name, Some(first.is_daylight)), (other.name, Some(other.is_daylight))],
        None => vec![(first.name, Some(first.is_daylight))],
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    found: Expression,
    times: usize,
    dates: usize,
    days: usize,
    zones: usize,
}

impl Parser<'_> {
    fn is_single(&self) -> bool {
        self.times <= 1 && self.dates <= 1 && self.days <= 1 && self.zones <= 1
    }

    fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(ahead).copied()
    }

    fn skip(&mut self, count: usize) {
        self.tokens = self.tokens.get(count..).unwrap_or_default();
    }

    fn run(&mut self) -> Option<()> {
        if self.peek(0) == Some(Token::Mark(b'@')) {
            let time = match self.peek(1)? {
                Token::Unsigned(number) | Token::Signed(number) => (number.value, 0),
                Token::Decimal(seconds, nanos, _) => (seconds, nanos),
                _ => return None,
            };
            self.found.timestamp = Some(time);
            return (self.tokens.len() == 2).then_some(());
        }
        while let Some(token) = self.peek(0) {
            match token {
                Token::Unsigned(number) => self.number(number)?,
                Token::Signed(number) => {
                    self.skip(1);
                    let unit = self.unit()?;
                    self.relative(number.value, 0, unit)?;
                }
                Token::Decimal(seconds, nanos, _) => {
                    self.skip(1);
                    if self.unit()? != Unit::Second {
                        return None;
                    }
                    self.relative(seconds, nanos, Unit::Second)?;
                }
                Token::Ordinal(ordinal) => match self.peek(1)? {
                    Token::Weekday(day) => {
                        self.skip(2);
                        self.set_weekday(ordinal, day);
                    }
                    Token::Unit(unit) => {
                        self.skip(2);
                        self.relative(ordinal, 0, unit)?;
                    }
                    _ => return None,
                },
                Token::Unit(unit) => {
                    self.skip(1);
                    self.relative(1, 0, unit)?;
                }
                Token::Shift(days) => {
                    self.skip(1);
                    self.add(Relative { day: days, ..Relative::default() }, 1)?;
                }
                Token::Weekday(day) => {
                    self.skip(1);
                    if self.peek(0) == Some(Token::Mark(b',')) {
                        self.skip(1);
                    }
                    self.set_weekday(0, day);
                }
                Token::Month(month) => self.month_first(month)?,
                Token::Utc => self.named_zone(0)?,
                Token::Zone(offset) => self.named_zone(offset)?,
                Token::DaylightZone(offset) => {
                    self.skip(1);
                    self.set_zone(offset);
                }
                Token::Local(is_daylight) => {
                    self.skip(1);
                    self.zones += 1;
                    let with_word = self.peek(0) == Some(Token::Daylight);
                    if with_word {
                        self.skip(1);
                    }
                    self.found.local = Some(if with_word { Some(true) } else { is_daylight });
                }
                // The military zone T, which no offset follows.
                Token::T => {
                    self.skip(1);
                    self.set_zone(-7 * 3600);
                }
                Token::Meridian(_) | Token::Ago(_) | Token::Daylight | Token::Mark(_) | Token::Unknown => return None,
            }
        }
        Some(())
    }

    fn unit(&mut self) -> Option<Unit> {
        let Some(Token::Unit(unit)) = self.peek(0) else { return None };
        self.skip(1);
        Some(unit)
    }

    /// Adds `count` units; the word `ago` may follow.
    fn relative(&mut self, count: i64, nanos: u32, unit: Unit) -> Option<()> {
        let sign = match self.peek(0) {
            Some(Token::Ago(sign)) => {
                self.skip(1);
                sign
            }
            _ => 1,
        };
        let mut added = Relative { nanos: nanos.into(), ..Relative::default() };
        match unit {
            Unit::Year => added.year = count,
            Unit::Month => added.month = count,
            Unit::Days(days) => added.day = count.checked_mul(days)?,
            Unit::Hour => added.hour = count,
            Unit::Minute => added.minute = count,
            Unit::Second => added.second = count,
        }
        self.add(added, sign)
    }

    fn add(&mut self, added: Relative, sign: i64) -> Option<()> {
        let sum = self.found.relative.get_or_insert_default();
        for (sum, added) in [
            (&mut sum.year, added.year),
            (&mut sum.month, added.month),
            (&mut sum.day, added.day),
            (&mut sum.hour, added.hour),
            (&mut sum.minute, added.minute),
            (&mut sum.second, added.second),
            (&mut sum.nanos, added.nanos),
        ] {
            *sum = sum.checked_add(added.checked_mul(sign)?)?;
        }
        Some(())
    }

    fn set_zone(&mut self, offset: i64) {
        self.zones += 1;
        self.found.zone = Some(offset);
    }

    fn set_weekday(&mut self, ordinal: i64, day: i64) {
        self.days += 1;
        self.found.weekday = Some((ordinal, day));
    }

    fn set_date(&mut self, year: Option<(i64, usize)>, month: i64, day: i64) {
        self.dates += 1;
        // A year that was given stays where none is given.
        let year = year.or(self.found.date.and_then(|(year, ..)| year));
        self.found.date = Some((year, month, day));
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: (i64, u32), half: Option<bool>) {
        self.times += 1;
        self.found.time = Some((hour, minute, second.0, second.1, half));
    }

    /// What begins with a number that has no sign.
    fn number(&mut self, first: Number) -> Option<()> {
        match (self.peek(1), self.peek(2), self.peek(3)) {
            (Some(Token::Mark(b':')), Some(Token::Unsigned(minute)), _) => {
                self.skip(3);
                self.time_of_day(first.value, minute.value)
            }
            (Some(Token::Meridian(half)), ..) => {
                self.skip(2);
                self.set_time(first.value, 0, (0, 0), Some(half));
                Some(())
            }
            (Some(Token::Mark(b'/')), Some(Token::Unsigned(second)), third) => {
                if let (Some(Token::Mark(b'/')), Some(Token::Unsigned(third))) = (third, self.peek(4)) {
                    self.skip(5);
                    if first.digits >= 4 {
                        self.set_date(Some((first.value, first.digits)), second.value, third.value);
                    } else {
                        self.set_date(Some((third.value, third.digits)), first.value, second.value);
                    }
                } else {
                    self.skip(3);
                    self.set_date(None, first.value, second.value);
                }
                Some(())
            }
            (Some(Token::Signed(second)), Some(Token::Signed(third)), next) => {
                self.skip(3);
                self.set_date(Some((first.value, first.digits)), -second.value, -third.value);
                if next == Some(Token::T) {
                    self.skip(1);
                    let Some(Token::Unsigned(hour)) = self.peek(0) else { return None };
                    return match (self.peek(1), self.peek(2)) {
                        (Some(Token::Mark(b':')), Some(Token::Unsigned(minute))) => {
                            self.skip(3);
                            self.iso_time(hour.value, minute.value)
                        }
                        (Some(Token::Signed(offset)), _) => {
                            self.skip(2);
                            self.set_time(hour.value, 0, (0, 0), None);
                            self.offset(offset)
                        }
                        _ => None,
                    };
                }
                Some(())
            }
            // All digits, and a relative time after them.
            (Some(Token::Signed(count)), Some(Token::Unit(unit)), _) => {
                self.skip(3);
                self.digits(first);
                // No `ago` here.
                let ago = matches!(self.peek(0), Some(Token::Ago(_)));
                if ago { None } else { self.relative(count.value, 0, unit) }
            }
            (Some(Token::Signed(offset)), ..) => {
                self.skip(2);
                self.set_time(first.value, 0, (0, 0), None);
                self.offset(offset)
            }
            (Some(Token::Month(month)), Some(Token::Signed(year)), _) => {
                self.skip(3);
                self.set_date(Some((-year.value, year.digits)), month, first.value);
                Some(())
            }
            (Some(Token::Month(month)), Some(Token::Unsigned(year)), next) => {
                // A number that begins a time is not the year.
                let _ = next;
                self.skip(3);
                self.set_date(Some((year.value, year.digits)), month, first.value);
                Some(())
            }
            (Some(Token::Month(month)), ..) => {
                self.skip(2);
                self.set_date(None, month, first.value);
                Some(())
            }
            (Some(Token::Weekday(day)), ..) => {
                self.skip(2);
                self.set_weekday(first.value, day);
                Some(())
            }
            (Some(Token::Unit(unit)), ..) => {
                self.skip(2);
                self.relative(first.value, 0, unit)
            }
            _ => {
                self.skip(1);
                self.digits(first);
                Some(())
            }
        }
    }

    /// After hours and minutes.
    fn time_of_day(&mut self, hour: i64, minute: i64) -> Option<()> {
        if let Some(Token::Meridian(half)) = self.peek(0) {
            self.skip(1);
            self.set_time(hour, minute, (0, 0), Some(half));
            return Some(());
        }
        if let Some((second, Token::Meridian(half))) = self.seconds().zip(self.peek(2)) {
            self.skip(3);
            self.set_time(hour, minute, second, Some(half));
            return Some(());
        }
        self.iso_time(hour, minute)
    }

    /// `:SECONDS`
    fn seconds(&self) -> Option<(i64, u32)> {
        if self.peek(0) != Some(Token::Mark(b':')) {
            return None;
        }
        match self.peek(1)? {
            Token::Unsigned(number) => Some((number.value, 0)),
            Token::Decimal(seconds, nanos, false) => Some((seconds, nanos)),
            _ => None,
        }
    }

    /// After hours and minutes: seconds, and how far from UTC.
    fn iso_time(&mut self, hour: i64, minute: i64) -> Option<()> {
        let mut second = (0, 0);
        if self.peek(0) == Some(Token::Mark(b':')) {
            second = self.seconds()?;
            self.skip(2);
        }
        self.set_time(hour, minute, second, None);
        if let Some(Token::Signed(offset)) = self.peek(0) {
            self.skip(1);
            return self.offset(offset);
        }
        Some(())
    }

    /// A distance from UTC; minutes may follow.
    fn offset(&mut self, hours: Number) -> Option<()> {
        self.zones += 1;
        let offset = self.offset_seconds(hours)?;
        self.found.zone = Some(offset);
        Some(())
    }

    fn offset_seconds(&mut self, hours: Number) -> Option<i64> {
        let minutes = match (self.peek(0), self.peek(1)) {
            (Some(Token::Mark(b':')), Some(Token::Unsigned(minutes))) => {
                self.skip(2);
                Some(minutes.value)
            }
            (Some(Token::Mark(b':')), _) => return None,
            _ => None,
        };
        let value = if hours.digits <= 2 && minutes.is_none() { hours.value * 100 } else { hours.value };
        let total = match minutes {
            None => value / 100 * 60 + value % 100,
            // A zero has no sign here, and a minus counts for the minutes too.
            Some(minutes) if value < 0 => value.checked_mul(60)?.checked_sub(minutes)?,
            Some(minutes) => value.checked_mul(60)?.checked_add(minutes)?,
        };
        (-24 * 60..=24 * 60).contains(&total).then_some(total * 60)
    }

    /// After the name of a zone.
    fn named_zone(&mut self, offset: i64) -> Option<()> {
        self.skip(1);
        self.set_zone(offset);
        match (self.peek(0), self.peek(1)) {
            (Some(Token::Daylight), _) => {
                self.skip(1);
                self.found.zone = Some(offset + 3600);
                Some(())
            }
            (Some(Token::Signed(count)), Some(Token::Unit(unit))) => {
                self.skip(2);
                if matches!(self.peek(0), Some(Token::Ago(_))) {
                    return None;
                }
                self.relative(count.value, 0, unit)
            }
            (Some(Token::Signed(hours)), _) => {
                self.skip(1);
                let more = self.offset_seconds(hours)?;
                self.found.zone = Some(offset + more);
                Some(())
            }
            _ => Some(()),
        }
    }

    fn month_first(&mut self, month: i64) -> Option<()> {
        match (self.peek(1)?, self.peek(2), self.peek(3)) {
            (Token::Signed(day), Some(Token::Signed(year)), _) => {
                self.skip(3);
                self.set_date(Some((-year.value, year.digits)), month, -day.value);
            }
            (Token::Unsigned(day), Some(Token::Mark(b',')), Some(Token::Unsigned(year))) => {
                self.skip(4);
                self.set_date(Some((year.value, year.digits)), month, day.value);
            }
            (Token::Unsigned(_), Some(Token::Mark(b',')), _) => return None,
            (Token::Unsigned(day), ..) => {
                self.skip(2);
                self.set_date(None, month, day.value);
            }
            _ => return None,
        }
        Some(())
    }

    /// A number alone: the year, `YYYYMMDD`, or a time.
    fn digits(&mut self, number: Number) {
        let has_year = self.found.date.is_some_and(|(year, ..)| year.is_some());
        if self.dates > 0 && !has_year && self.found.relative.is_none() && (self.times > 0 || number.digits > 2) {
            if let Some((year, ..)) = &mut self.found.date {
                *year = Some((number.value, number.digits));
            }
        } else if number.digits > 4 {
            let year = (number.value / 10_000, number.digits - 4);
            self.set_date(Some(year), number.value / 100 % 100, number.value % 100);
        } else if number.digits <= 2 {
            self.set_time(number.value, 0, (0, 0), None);
        } else {
            self.set_time(number.value / 100, number.value % 100, (0, 0), None);
        }
    }
}
