//! Dates of the Gregorian calendar, and what `strftime` shows of them in the C locale.

/// The months, January first.
pub const MONTHS: [&str; 12] = [
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

/// The days of a week, Sunday first.
pub const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A date and time of day in some zone, not all fields in their ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// Of the Gregorian calendar.
    pub year: i64,
    /// 1–12
    pub month: i64,
    /// 1–31
    pub day: i64,
    /// 0–23
    pub hour: i64,
    /// 0–59
    pub minute: i64,
    /// 0–60
    pub second: i64,
}

/// The number of a day, 1970-01-01 being 0. Months beyond 1–12 are those of other years, days are counted on.
#[must_use]
pub fn day_number(year: i64, month: i64, day: i64) -> i64 {
    // As in `Civil::from_seconds`.
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let from_march = (month + 9) % 12;
    let day_of_year = (153 * from_march + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468 + day - 1
}

/// How many days a year has.
#[must_use]
pub(crate) fn days_in(year: i64) -> i64 {
    365 + i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
}

impl Civil {
    /// Of seconds since 1970-01-01 in that zone's own count.
    #[must_use]
    pub fn from_seconds(local: i64) -> Self {
        let days = local.div_euclid(DAY);
        let rest = local.rem_euclid(DAY);
        // Years from March, 400-year eras: the leap day is then the last of a year (Howard Hinnant, days_from_civil).
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * from_march + 2) / 153;
        let day = from_march - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    /// Seconds since 1970-01-01, fields beyond their ranges counted on.
    #[must_use]
    pub fn seconds(self) -> i64 {
        day_number(self.year, self.month, self.day) * DAY + self.hour * 3600 + self.minute * 60 + self.second
    }

    /// 0 is Sunday.
    #[must_use]
    pub fn weekday(self) -> i64 {
        (self.seconds().div_euclid(DAY) + 4).rem_euclid(7)
    }

    /// 0–365
    #[must_use]
    pub fn day_of_year(self) -> i64 {
        self.seconds().div_euclid(DAY) - day_number(self.year, 1, 1)
    }
}

/// C's `struct tm`. Who fills it may give a week day that is not that of the date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenDown {
    /// The date and the time of day.
    pub civil: Civil,
    /// 0 is Sunday.
    pub weekday: i64,
    /// 0–365
    pub day_of_year: i64,
}

impl From<Civil> for BrokenDown {
    fn from(civil: Civil) -> Self {
        Self { civil, weekday: civil.weekday(), day_of_year: civil.day_of_year() }
    }
}

/// What a conversion of `strftime` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// A number.
    Number {
        /// The number.
        value: i64,
        /// How many digits it has at least.
        width: usize,
        /// What makes it that wide, as the flag for it: `0`, or `_` for blanks.
        fill: u8,
    },
    /// A month or a day of the week.
    Name(&'static str),
    /// `AM` or `PM`.
    Half(&'static str),
    /// `am` or `pm`.
    LowerHalf(&'static str),
    /// What another format shows.
    Format(&'static [u8]),
}

impl BrokenDown {
    /// What a conversion shows of the date and the time of day. `None`: it is none, or one that shows something else (a zone, a
    /// fraction, the seconds since 1970, a character).
    #[must_use]
    pub fn field(&self, conversion: u8) -> Option<Field> {
        let civil = self.civil;
        let filled = |value: i64, width: usize| Field::Number { value, width, fill: b'0' };
        let spaced = |value: i64| Field::Number { value, width: 2, fill: b'_' };
        let monday_based = (self.weekday + 6).rem_euclid(7);
        let is_morning = civil.hour < 12;
        Some(match conversion {
            b'a' => Field::Name(short(name(&WEEKDAYS, self.weekday))),
            b'A' => Field::Name(name(&WEEKDAYS, self.weekday)),
            b'b' | b'h' => Field::Name(short(name(&MONTHS, civil.month - 1))),
            b'B' => Field::Name(name(&MONTHS, civil.month - 1)),
            b'c' => Field::Format(b"%a %b %e %H:%M:%S %Y"),
            b'C' => filled(civil.year.div_euclid(100), 2),
            b'd' => filled(civil.day, 2),
            b'D' | b'x' => Field::Format(b"%m/%d/%y"),
            b'e' => spaced(civil.day),
            b'F' => Field::Format(b"%Y-%m-%d"),
            b'g' => filled(self.iso_week().0.rem_euclid(100), 2),
            b'G' => filled(self.iso_week().0, 1),
            b'H' => filled(civil.hour, 2),
            b'I' => filled(self.hour12(), 2),
            b'j' => filled(self.day_of_year + 1, 3),
            b'k' => spaced(civil.hour),
            b'l' => spaced(self.hour12()),
            b'm' => filled(civil.month, 2),
            b'M' => filled(civil.minute, 2),
            b'p' => Field::Half(if is_morning { "AM" } else { "PM" }),
            b'P' => Field::LowerHalf(if is_morning { "am" } else { "pm" }),
            b'r' => Field::Format(b"%I:%M:%S %p"),
            b'R' => Field::Format(b"%H:%M"),
            b'S' => filled(civil.second, 2),
            b'T' | b'X' => Field::Format(b"%H:%M:%S"),
            b'u' => filled(monday_based + 1, 1),
            b'U' => filled((self.day_of_year - self.weekday + 7) / 7, 2),
            b'V' => filled(self.iso_week().1, 2),
            b'w' => filled(self.weekday, 1),
            b'W' => filled((self.day_of_year - monday_based + 7) / 7, 2),
            b'y' => filled(civil.year.rem_euclid(100), 2),
            b'Y' => filled(civil.year, 1),
            _ => return None,
        })
    }

    /// The ISO 8601 year and week.
    fn iso_week(&self) -> (i64, i64) {
        let year = self.civil.year;
        // Days since the Monday of week 1, which has the year's first Thursday.
        let since = |day_of_year: i64| day_of_year - (day_of_year - self.weekday + 4).rem_euclid(7) + 3;
        let days = since(self.day_of_year);
        if days < 0 {
            return (year - 1, since(self.day_of_year + days_in(year - 1)) / 7 + 1);
        }
        match since(self.day_of_year - days_in(year)) {
            next if next >= 0 => (year + 1, next / 7 + 1),
            _ => (year, days / 7 + 1),
        }
    }

    fn hour12(&self) -> i64 {
        match self.civil.hour % 12 {
            0 => 12,
            hour => hour,
        }
    }
}

fn short(name: &'static str) -> &'static str {
    name.get(..3).unwrap_or(name)
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_and_its_number_lead_to_each_other() {
        for (number, year, month, day) in
            [(0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (20_785, 2026, 11, 28), (-719_528, 0, 1, 1)]
        {
            assert_eq!(day_number(year, month, day), number);
            let civil = Civil::from_seconds(number * DAY + 3661);
            assert_eq!(civil, Civil { year, month, day, hour: 1, minute: 1, second: 1 });
            assert_eq!(civil.seconds(), number * DAY + 3661);
        }
        // Fields beyond their ranges.
        assert_eq!(day_number(2026, 14, 1), day_number(2027, 2, 1));
        assert_eq!(day_number(2026, 0, 32), day_number(2026, 1, 1));
    }

    #[test]
    fn weeks_are_those_of_iso_8601() {
        for (year, month, day, expected) in [
            (2026, 1, 1, (2026, 1)),
            (2027, 1, 1, (2026, 53)),
            (2024, 12, 30, (2025, 1)),
            (2021, 1, 3, (2020, 53)),
            (2023, 1, 1, (2022, 52)),
            (2020, 12, 31, (2020, 53)),
        ] {
            let civil = Civil { year, month, day, hour: 23, minute: 59, second: 59 };
            assert_eq!(BrokenDown::from(civil).iso_week(), expected, "{year}-{month}-{day}");
        }
    }
}
