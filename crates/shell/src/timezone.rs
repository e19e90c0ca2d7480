//! The time zone of a run, by its own TZ.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::text::strftime::Zone;

/// The zone that a value of TZ names, at a time in seconds since 1970-01-01 UTC; the system's own where TZ is unset, UTC
/// where it is empty or names nothing.
pub(crate) fn zone(tz: Option<&[u8]>, seconds: i64) -> Zone {
    let zone = match tz.and_then(|tz| std::str::from_utf8(tz).ok()) {
        None => TimeZone::try_system().unwrap_or(TimeZone::UTC),
        Some("") => TimeZone::UTC,
        Some(name) => {
            let name = name.strip_prefix(':').unwrap_or(name);
            TimeZone::get(name).or_else(|_| TimeZone::posix(name)).unwrap_or(TimeZone::UTC)
        }
    };
    let Ok(timestamp) = Timestamp::from_second(seconds) else { return Zone::utc() };
    let info = zone.to_offset_info(timestamp);
    Zone { offset: info.offset().seconds(), name: info.abbreviation().to_owned(), daylight: info.dst().is_dst() }
}
