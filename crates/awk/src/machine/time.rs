//! `systime`, `strftime` and `mktime`.

use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_process::text::from_os;
use hookshell_text::strftime::{self, Zone};
use hookshell_utility::io::Running;
use hookshell_utility::timezone;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::Machine;
use crate::fail::Fail;
use crate::value::Value;

/// The longest text that `strftime` makes.
const MAX_TEXT: usize = 64 * 1024;

/// Seconds since 1970-01-01 UTC.
pub(super) fn now() -> i64 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

/// The time zone by the run's own TZ: the system's where it is unset, UTC where it is empty or names nothing.
pub(super) fn zone_of(running: &Running<'_>) -> TimeZone {
    timezone::of(running.context().variable("TZ").map(from_os).as_deref())
}

/// `YYYY MM DD HH MM SS [DST]` in the time zone as seconds; -1 where it is no time. Parts beyond their range carry over.
pub(super) fn mktime(text: &[u8], zone: &TimeZone) -> f64 {
    let text = String::from_utf8_lossy(text);
    let parts: Option<Vec<i64>> = text.split_ascii_whitespace().map(|part| part.parse().ok()).collect();
    let Some([year, month, day, hour, minute, second, ..]) = parts.as_deref() else { return -1.0 };
    let seconds = || -> Option<i64> {
        let months = month.checked_sub(1)?;
        let year = i16::try_from(year.checked_add(months.div_euclid(12))?).ok()?;
        let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
        let first = DateTime::from_parts(Date::new(year, month, 1).ok()?, Time::midnight());
        let hours = day.checked_sub(1)?.checked_mul(24)?.checked_add(*hour)?;
        let minutes = hours.checked_mul(60)?.checked_add(*minute)?;
        let seconds = minutes.checked_mul(60)?.checked_add(*second)?;
        let local = first.checked_add(SignedDuration::from_secs(seconds)).ok()?;
        Some(zone.to_ambiguous_timestamp(local).compatible().ok()?.as_second())
    };
    seconds().map_or(-1.0, |seconds| seconds as f64)
}

impl Machine<'_> {
    /// `strftime(format [, time [, utc]])`
    pub(super) fn strftime(&mut self, arguments: usize) -> Result<(), Fail> {
        let utc = arguments > 2 && self.pop().is_true();
        let seconds = if arguments > 1 { self.pop_number() as i64 } else { now() };
        let format = self.pop().shared_text(&self.convfmt);
        let zone = if utc { Zone::utc() } else { timezone::at(&zone_of(self.running), seconds) };
        let mut out = Vec::new();
        strftime::strftime(&format, seconds, 0, &zone, MAX_TEXT, &mut out);
        let text = self.text(&out);
        self.stack.push(Value::String(text));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::mktime;

    #[test]
    fn mktime_carries_over() {
        let cases: &[(&str, f64)] = &[
            ("1970 01 01 00 00 00", 0.0),
            ("2000 02 29 12 00 00", 951_825_600.0),
            ("1999 14 29 12 00 00", 951_825_600.0),
            ("2000 03 00 12 00 00", 951_825_600.0),
            ("1970 01 01 00 00 -1", -1.0),
            ("1970 01 01", -1.0),
            ("x", -1.0),
        ];
        for (text, expected) in cases {
            assert_eq!(mktime(text.as_bytes(), &TimeZone::UTC), *expected, "{text}");
        }
    }
}
