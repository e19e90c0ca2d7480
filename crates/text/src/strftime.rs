//! Formatting a time by the C library's `strftime` in the C locale, for `printf '%(…)T'` and prompts.

/// The local time zone at some time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zone {
    /// Seconds east of UTC.
    pub offset: i32,
    /// The abbreviation, as in `CET`.
    pub name: String,
    /// Daylight saving time is in force.
    pub daylight: bool,
}

impl Zone {
    /// Coordinated Universal Time.
    #[must_use]
    pub fn utc() -> Self {
        Self { offset: 0, name: "UTC".to_owned(), daylight: false }
    }
}

/// A time split into the parts of a civil date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Civil {
    year: i64,
    /// 1–12
    month: i64,
    /// 1–31
    day: i64,
    /// 0–365
    day_of_year: i64,
    /// 0 is Sunday.
    weekday: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

const DAY: i64 = 86_400;
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
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Civil {
    fn new(local: i64) -> Self {
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
        let leap = is_leap(year);
        let day_of_year = if month > 2 { from_march + 59 + i64::from(leap) } else { from_march - 306 };
        Self {
            year,
            month,
            day,
            day_of_year,
            weekday: (days + 4).rem_euclid(7),
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// The ISO 8601 year and week.
    fn iso_week(&self) -> (i64, i64) {
        let monday_based = (self.weekday + 6) % 7;
        let week = (self.day_of_year - monday_based + 10) / 7;
        if week < 1 {
            return (self.year - 1, weeks_in(self.year - 1));
        }
        if week > weeks_in(self.year) {
            return (self.year + 1, 1);
        }
        (self.year, week)
    }

    fn hour12(&self) -> i64 {
        match self.hour % 12 {
            0 => 12,
            hour => hour,
        }
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of ISO weeks: 53 when 31 December is a Thursday, or a Friday of a leap year.
fn weeks_in(year: i64) -> i64 {
    let last_day = |year: i64| (year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400)).rem_euclid(7);
    if last_day(year) == 4 || last_day(year - 1) == 3 { 53 } else { 52 }
}

/// The flags between `%` and the conversion character, a GNU extension.
#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    /// `-` no padding, `_` spaces, `0` zeros.
    padding: Option<u8>,
    /// `^`
    upper: bool,
    /// `#`
    opposite: bool,
    width: usize,
}

/// Appends the time `seconds` (since 1970-01-01 UTC) in the given zone. `nanoseconds` serves `%N`, which the C library
/// does not have but `date` does; `printf` passes it through unknown conversions as they stand. Returns false, with
/// `out` unfinished, when the text would be longer than `limit`.
pub fn strftime(format: &[u8], seconds: i64, nanoseconds: u32, zone: &Zone, limit: usize, out: &mut Vec<u8>) -> bool {
    let civil = Civil::new(seconds.saturating_add(zone.offset.into()));
    let mut formatter = Formatter { civil, seconds, nanoseconds, zone, end: out.len().saturating_add(limit), out };
    formatter.run(format)
}

struct Formatter<'a> {
    civil: Civil,
    seconds: i64,
    nanoseconds: u32,
    zone: &'a Zone,
    /// The largest length of `out`.
    end: usize,
    out: &'a mut Vec<u8>,
}

impl Formatter<'_> {
    fn run(&mut self, format: &[u8]) -> bool {
        let mut rest = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            self.out.extend_from_slice(&rest[..at]);
            let specification = &rest[at..];
            let mut modifiers = Modifiers::default();
            let mut length = 1;
            while let Some(&flag) = specification.get(length) {
                match flag {
                    b'-' | b'_' | b'0' => modifiers.padding = Some(flag),
                    b'^' => modifiers.upper = true,
                    b'#' => modifiers.opposite = true,
                    // The C library has `+` for years; here it changes nothing.
                    _ => break,
                }
                length += 1;
            }
            while let Some(digit @ b'0'..=b'9') = specification.get(length) {
                modifiers.width = modifiers.width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                length += 1;
            }
            if matches!(specification.get(length), Some(b'E' | b'O')) {
                length += 1;
            }
            if self.out.len().saturating_add(modifiers.width) > self.end {
                return false;
            }
            match specification.get(length) {
                Some(&conversion) if self.conversion(conversion, modifiers) => rest = &specification[length + 1..],
                Some(_) => {
                    // Unknown: as it stands.
                    self.out.extend_from_slice(&specification[..=length]);
                    rest = &specification[length + 1..];
                }
                None => {
                    self.out.extend_from_slice(specification);
                    rest = &[];
                }
            }
            if self.out.len() > self.end {
                return false;
            }
        }
        self.out.extend_from_slice(rest);
        self.out.len() <= self.end
    }

    fn conversion(&mut self, conversion: u8, modifiers: Modifiers) -> bool {
        let civil = self.civil;
        match conversion {
            b'a' => self.text(&name(&WEEKDAYS, civil.weekday)[..3], modifiers, false),
            b'A' => self.text(name(&WEEKDAYS, civil.weekday), modifiers, false),
            b'b' | b'h' => self.text(&name(&MONTHS, civil.month - 1)[..3], modifiers, false),
            b'B' => self.text(name(&MONTHS, civil.month - 1), modifiers, false),
            b'c' => self.nested(b"%a %b %e %H:%M:%S %Y", modifiers),
            b'C' => self.number(civil.year.div_euclid(100), 2, b'0', modifiers),
            b'd' => self.number(civil.day, 2, b'0', modifiers),
            b'D' | b'x' => self.nested(b"%m/%d/%y", modifiers),
            b'e' => self.number(civil.day, 2, b'_', modifiers),
            b'F' => self.nested(b"%Y-%m-%d", modifiers),
            b'g' => self.number(civil.iso_week().0.rem_euclid(100), 2, b'0', modifiers),
            b'G' => self.number(civil.iso_week().0, 1, b'0', modifiers),
            b'H' => self.number(civil.hour, 2, b'0', modifiers),
            b'I' => self.number(civil.hour12(), 2, b'0', modifiers),
            b'j' => self.number(civil.day_of_year + 1, 3, b'0', modifiers),
            b'k' => self.number(civil.hour, 2, b'_', modifiers),
            b'l' => self.number(civil.hour12(), 2, b'_', modifiers),
            b'm' => self.number(civil.month, 2, b'0', modifiers),
            b'M' => self.number(civil.minute, 2, b'0', modifiers),
            b'n' => self.text("\n", modifiers, false),
            b'N' if self.nanoseconds != 0 => self.number(self.nanoseconds.into(), 9, b'0', modifiers),
            b'p' => {
                let text = if civil.hour < 12 { "AM" } else { "PM" };
                self.text(text, modifiers, true);
            }
            b'P' => self.text(if civil.hour < 12 { "am" } else { "pm" }, modifiers, false),
            b'r' => self.nested(b"%I:%M:%S %p", modifiers),
            b'R' => self.nested(b"%H:%M", modifiers),
            b's' => self.number(self.seconds, 1, b'0', modifiers),
            b'S' => self.number(civil.second, 2, b'0', modifiers),
            b't' => self.text("\t", modifiers, false),
            b'T' | b'X' => self.nested(b"%H:%M:%S", modifiers),
            b'u' => self.number((civil.weekday + 6) % 7 + 1, 1, b'0', modifiers),
            b'U' => self.number((civil.day_of_year - civil.weekday + 7) / 7, 2, b'0', modifiers),
            b'V' => self.number(civil.iso_week().1, 2, b'0', modifiers),
            b'w' => self.number(civil.weekday, 1, b'0', modifiers),
            b'W' => self.number((civil.day_of_year - (civil.weekday + 6) % 7 + 7) / 7, 2, b'0', modifiers),
            b'y' => self.number(civil.year.rem_euclid(100), 2, b'0', modifiers),
            b'Y' => self.number(civil.year, 1, b'0', modifiers),
            b'z' => {
                let minutes = self.zone.offset / 60;
                let text = format!(
                    "{}{:02}{:02}",
                    if minutes < 0 { '-' } else { '+' },
                    minutes.unsigned_abs() / 60,
                    minutes.unsigned_abs() % 60
                );
                self.text(&text, modifiers, false);
            }
            b'Z' => {
                let name = self.zone.name.clone();
                self.text(&name, modifiers, true);
            }
            b'%' => self.text("%", modifiers, false),
            _ => return false,
        }
        true
    }

    fn nested(&mut self, format: &[u8], modifiers: Modifiers) {
        let mut text = Vec::new();
        let mut inner = Formatter {
            civil: self.civil,
            seconds: self.seconds,
            nanoseconds: self.nanoseconds,
            zone: self.zone,
            end: usize::MAX,
            out: &mut text,
        };
        inner.run(format);
        self.text(&String::from_utf8_lossy(&text), modifiers, false);
    }

    /// `lowers`: the `#` flag turns this conversion to lower case, others to upper case.
    fn text(&mut self, text: &str, modifiers: Modifiers, lowers: bool) {
        let text = match (modifiers.opposite, modifiers.upper, lowers) {
            (true, _, true) => text.to_ascii_lowercase(),
            (true, _, false) | (_, true, _) => text.to_ascii_uppercase(),
            _ => text.to_owned(),
        };
        let fill = if modifiers.padding == Some(b'0') { b'0' } else { b' ' };
        let padding = if modifiers.padding == Some(b'-') { 0 } else { modifiers.width.saturating_sub(text.len()) };
        self.out.resize(self.out.len() + padding, fill);
        self.out.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, value: i64, width: usize, padding: u8, modifiers: Modifiers) {
        let digits = value.unsigned_abs().to_string();
        let padding = modifiers.padding.unwrap_or(padding);
        let sign = usize::from(value < 0);
        let width = match padding {
            b'-' => 0,
            _ if modifiers.width > 0 => modifiers.width,
            _ => width + sign,
        };
        let fill = width.saturating_sub(digits.len() + sign);
        if padding == b'_' {
            self.out.resize(self.out.len() + fill, b' ');
        }
        if value < 0 {
            self.out.push(b'-');
        }
        if padding != b'_' {
            self.out.resize(self.out.len() + fill, b'0');
        }
        self.out.extend_from_slice(digits.as_bytes());
    }
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("???")
}
