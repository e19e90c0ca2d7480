//! Local time, as the C library computes it from TZ.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::timezone;
use crate::utility::{Environment, Unsupported};

/// A date and time of day in some zone, with the fields of C's `struct tm`, not all of them in their ranges.
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

const DAY: i64 = 86_400;

impl Civil {
    /// Of seconds since 1970-01-01 in that zone's own count.
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
    pub fn seconds(self) -> i64 {
        let year = self.year + (self.month - 1).div_euclid(12);
        let month = (self.month - 1).rem_euclid(12) + 1;
        let shifted = if month <= 2 { year - 1 } else { year };
        let era = shifted.div_euclid(400);
        let year_of_era = shifted.rem_euclid(400);
        let from_march = (month + 9) % 12;
        let day_of_year = (153 * from_march + 2) / 5;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468 + self.day - 1;
        days * DAY + self.hour * 3600 + self.minute * 60 + self.second
    }

    /// 0 is Sunday.
    pub fn weekday(self) -> i64 {
        (self.seconds().div_euclid(DAY) + 4).rem_euclid(7)
    }

    /// 0–365
    pub fn day_of_year(self) -> i64 {
        let first = Self { month: 1, day: 1, ..self };
        (self.seconds() - first.seconds()).div_euclid(DAY)
    }
}

/// What holds in a zone at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offset {
    /// Seconds east of UTC.
    pub seconds: i64,
    /// Is it daylight saving time?
    pub is_daylight: bool,
    /// Its name.
    pub name: String,
}

/// A time zone.
#[derive(Debug, Clone)]
pub struct Zone {
    zone: TimeZone,
    /// It is a rule of POSIX: the C library knows no daylight saving time of one before 1970.
    is_rule: bool,
}

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Self {
        Self { zone: TimeZone::UTC, is_rule: false }
    }

    /// The zone of TZ in the environment, or the system's.
    ///
    /// # Errors
    /// A value that is neither in the time zone database nor one of POSIX: the C library makes UTC by that name of it.
    pub fn of(env: &Environment) -> Result<Self, Unsupported> {
        match env.iter().find(|(name, _)| name == "TZ").map(|(_, value)| value) {
            None => Ok(Self { zone: timezone::of(None), is_rule: false }),
            Some(value) => {
                let unsupported = || Unsupported::mistake(format!("the time zone {}", value.display()));
                Self::named(value.to_str().ok_or_else(unsupported)?)
            }
        }
    }

    /// The zone that a value of TZ names.
    ///
    /// # Errors
    /// As of [`Zone::of`].
    pub fn named(value: &str) -> Result<Self, Unsupported> {
        let unsupported = || Unsupported::mistake(format!("the time zone {value}"));
        let text = value.strip_prefix(':').unwrap_or(value);
        let mut is_rule = false;
        let zone = match text {
            "" | "UTC" | "UTC0" => TimeZone::UTC,
            _ => match timezone::in_database(text) {
                Some(zone) => zone,
                None => {
                    is_rule = true;
                    timezone::by_rule(text).ok_or_else(unsupported)?
                }
            },
        };
        Ok(Self { zone, is_rule })
    }

    /// What holds at a time in seconds since 1970-01-01 UTC.
    pub fn at(&self, seconds: i64) -> Offset {
        let Ok(timestamp) = Timestamp::from_second(seconds) else {
            return Offset { seconds: 0, is_daylight: false, name: "UTC".to_owned() };
        };
        if self.is_rule && seconds < 0 {
            /// From winter to summer of 1970.
            const HALF_YEARS: [i64; 2] = [0, 15_552_000];
            let standard = HALF_YEARS.into_iter().map(|seconds| self.at(seconds)).find(|offset| !offset.is_daylight);
            if let Some(offset) = standard {
                return offset;
            }
        }
        let info = self.zone.to_offset_info(timestamp);
        Offset {
            seconds: info.offset().seconds().into(),
            is_daylight: info.dst().is_dst(),
            name: info.abbreviation().to_owned(),
        }
    }

    /// The local date and time.
    pub fn civil(&self, seconds: i64) -> Civil {
        Civil::from_seconds(seconds.saturating_add(self.at(seconds).seconds))
    }

    /// C's `mktime`: the time that has this local date and time, found as the GNU C library finds it, so that of two times that
    /// are shown alike, and of times that clocks leave out, the same one is taken. `is_daylight`: which of the two is meant.
    pub fn make(&self, civil: Civil, is_daylight: Option<bool>) -> i64 {
        let wanted = civil.seconds();
        // The next guess, from a time and how it is shown.
        let guess = |time: i64| time.saturating_add(wanted - time.saturating_add(self.at(time).seconds));
        let (mut time, mut before, mut before_that) = (wanted, wanted, wanted);
        let mut daylight_before = false;
        for _ in 0..6 {
            let next = guess(time);
            if next == time {
                break;
            }
            let daylight = self.at(time).is_daylight;
            let oscillates = time == before && time != before_that;
            let prefers = match is_daylight {
                None => daylight_before <= daylight,
                Some(wanted) => wanted != daylight,
            };
            if oscillates && prefers {
                return time;
            }
            (before, before_that, time, daylight_before) = (before_that, time, next, daylight);
        }
        let Some(wanted_daylight) = is_daylight.filter(|wanted| *wanted != self.at(time).is_daylight) else {
            return time;
        };
        /// glibc's: shorter than any time between two changes of a zone.
        const STRIDE: i64 = 601_200;
        const FARTHEST: i64 = 536_454_000 / 2 + STRIDE;
        let mut delta = STRIDE;
        while delta < FARTHEST {
            for near in [time - delta, time + delta] {
                if self.at(near).is_daylight == wanted_daylight {
                    return guess(near);
                }
            }
            delta += STRIDE;
        }
        time
    }
}

/// A system time in seconds and nanoseconds since 1970-01-01 UTC.
pub fn since_epoch(time: SystemTime) -> (i64, u32) {
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
