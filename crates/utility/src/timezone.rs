//! The time zone of a run, by its own TZ.

use hookshell_text::strftime::Zone;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The zone that a value of TZ names: the system's own where TZ is unset, UTC where it is empty or names nothing, as in C's
/// `tzset`.
#[must_use]
pub fn of(tz: Option<&[u8]>) -> TimeZone {
    match tz {
        None => system(),
        Some(tz) => {
            let name = std::str::from_utf8(tz).unwrap_or_default();
            let name = name.strip_prefix(':').unwrap_or(name);
            in_database(name).or_else(|| by_rule(name)).unwrap_or(TimeZone::UTC)
        }
    }
}

/// The zone that POSIX's form of TZ describes (XBD 8.3), as the C library of GNU reads it: daylight saving time without its
/// rule begins and ends as in the United States, and a name without an offset is that of UTC. `None`: it has no name.
#[must_use]
pub(crate) fn by_rule(tz: &str) -> Option<TimeZone> {
    let name = tz.split(|character: char| !character.is_ascii_alphabetic()).next().filter(|name| name.len() >= 3);
    TimeZone::posix(tz)
        .or_else(|_| TimeZone::posix(&format!("{tz},M3.2.0,M11.1.0")))
        .ok()
        .or_else(|| TimeZone::posix(&format!("{}0", name?)).ok())
}

/// What holds in a zone at a time in seconds since 1970-01-01 UTC.
#[must_use]
pub fn at(zone: &TimeZone, seconds: i64) -> Zone {
    let Ok(timestamp) = Timestamp::from_second(seconds) else { return Zone::utc() };
    let info = zone.to_offset_info(timestamp);
    Zone { offset: info.offset().seconds(), name: info.abbreviation().to_owned(), daylight: info.dst().is_dst() }
}

/// The database's zone of a name such as `Europe/Berlin`, or on Unix that of a file. `None`: it has no such zone.
#[must_use]
pub(crate) fn in_database(name: &str) -> Option<TimeZone> {
    // One file is read. To ask `TimeZone::get` makes an index of the whole database first: 1,800 files, 9 ms.
    #[cfg(unix)]
    if std::path::Path::new(DIRECTORY).is_dir() {
        let path = std::path::Path::new(DIRECTORY).join(name);
        return if name.is_empty() { None } else { read(&path, name) };
    }
    hookshell_process::while_not_copied(|| TimeZone::get(name)).ok()
}

/// The zone that the system is set to, UTC where it is set to none.
fn system() -> TimeZone {
    #[cfg(unix)]
    if let Some(zone) = read(std::path::Path::new("/etc/localtime"), "/etc/localtime") {
        return zone;
    }
    hookshell_process::while_not_copied(TimeZone::try_system).unwrap_or(TimeZone::UTC)
}

/// Where Unix has the database: tzfile(5).
#[cfg(unix)]
const DIRECTORY: &str = "/usr/share/zoneinfo";

/// The largest file of the database has some 4 KB.
#[cfg(unix)]
const LARGEST_FILE: u64 = 1 << 20;

#[cfg(unix)]
fn read(path: &std::path::Path, name: &str) -> Option<TimeZone> {
    // A name can lead to a directory, or through a link to what has no end.
    let bytes = crate::io::read_file(path, std::path::Path::new("/"), LARGEST_FILE).ok()??;
    TimeZone::tzif(name, &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-07-01 12:00 UTC
    const SUMMER: i64 = 1_719_835_200;

    #[test]
    fn rules_of_posix_need_no_database() {
        for (tz, offset, name) in [
            ("", 0, "UTC"),
            ("UTC0", 0, "UTC"),
            ("XYZ-3:30", 12_600, "XYZ"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", 7_200, "CEST"),
            ("CET-1CEST", 7_200, "CEST"),
            ("no such zone", 0, "UTC"),
            ("../../../etc/passwd", 0, "UTC"),
            ("/dev/zero", 0, "UTC"),
            ("Europe", 0, "Europe"),
            ("Here/There", 0, "Here"),
        ] {
            let zone = at(&of(Some(tz.as_bytes())), SUMMER);
            assert_eq!((zone.offset, zone.name.as_str()), (offset, name), "{tz:?}");
        }
    }

    #[test]
    fn the_database_knows_places() {
        let Some(berlin) = in_database("Europe/Berlin") else {
            // A system without the package tzdata.
            return hookshell_test_support::skip("there is no time zone database");
        };
        let zone = at(&berlin, SUMMER);
        assert_eq!((zone.offset, zone.name.as_str(), zone.daylight), (7_200, "CEST", true));
        assert_eq!(at(&of(Some(b":Asia/Tokyo")), SUMMER).offset, 32_400);
    }
}
