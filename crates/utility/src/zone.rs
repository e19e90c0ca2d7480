//! Local time, as the C library computes it from TZ.

use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_text::civil::Civil;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::timezone;
use crate::utility::{Environment, Unsupported};

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
