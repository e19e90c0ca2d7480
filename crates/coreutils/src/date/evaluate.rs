//! The time that a date means.

use hookshell_text::civil::Civil;
use hookshell_utility::zone::Zone;

use super::parse::Expression;

/// Seconds and nanoseconds since 1970-01-01 UTC; `None` for a date that does not exist. `now`: the same of now.
pub(crate) fn evaluate(expression: &Expression, now: (i64, u32), zone: &Zone) -> Option<(i64, u32)> {
    if let Some(timestamp) = expression.timestamp {
        return Some(timestamp);
    }
    let mut civil = zone.civil(now.0);
    let mut nanos = now.1;
    let mut is_daylight = Some(zone.at(now.0).is_daylight);
    if let Some((year, month, day)) = expression.date {
        if let Some(year) = year {
            civil.year = full_year(year)?;
        }
        (civil.month, civil.day) = (month, day);
    }
    match expression.time {
        Some((hour, minute, second, fraction, half)) => {
            (civil.hour, civil.minute, civil.second) = (to_24_hours(hour, half)?, minute, second);
            nanos = fraction;
        }
        // Relative times alone count from now.
        None if expression.relative.is_some() && expression.date.is_none() && expression.weekday.is_none() => {}
        None => {
            (civil.hour, civil.minute, civil.second) = (0, 0, 0);
            nanos = 0;
        }
    }
    if expression.date.is_some() || expression.weekday.is_some() || expression.time.is_some() {
        is_daylight = None;
    }
    if let Some(named) = expression.local {
        is_daylight = named;
    }
    let mut start = zone.make(civil, is_daylight);
    let mut found = zone.civil(start);
    let mut is_of_zone = false;
    // `EST` in summer is no time of New York's.
    if let Some(Some(named)) = expression.local
        && zone.at(start).is_daylight != named
    {
        return None;
    }
    if found != civil {
        // A day or an hour that does not exist here. In the zone that is named with it, it may.
        let offset = expression.zone.filter(|_| Civil::from_seconds(civil.seconds()) == civil)?;
        start = civil.seconds() - offset;
        found = civil;
        is_of_zone = true;
    }
    if let (Some((ordinal, day)), None) = (expression.weekday, expression.date) {
        let today = found.weekday();
        let weeks = ordinal - i64::from(ordinal > 0 && today != day);
        found.day += (day - today).rem_euclid(7) + weeks.checked_mul(7)?;
        start = zone.make(found, None);
        found = zone.civil(start);
        is_of_zone = false;
    }
    let relative = expression.relative.unwrap_or_default();
    if relative.year != 0 || relative.month != 0 || relative.day != 0 {
        const FARTHEST: i64 = 1_000_000_000;
        if [relative.year, relative.month, relative.day].iter().any(|count| count.abs() > FARTHEST) {
            return None;
        }
        let moved = Civil {
            year: found.year + relative.year,
            month: found.month + relative.month,
            day: found.day + relative.day,
            ..civil
        };
        start = zone.make(moved, is_daylight);
        is_of_zone = false;
    }
    if let Some(offset) = expression.zone.filter(|_| !is_of_zone) {
        start = start - offset + zone.at(start).seconds;
    }
    let total = i64::from(nanos) + relative.nanos;
    let seconds = relative.hour.checked_mul(3600)?.checked_add(relative.minute.checked_mul(60)?)?;
    let seconds = seconds.checked_add(relative.second)?.checked_add(total.div_euclid(1_000_000_000))?;
    let nanos = u32::try_from(total.rem_euclid(1_000_000_000)).ok()?;
    Some((start.checked_add(seconds)?, nanos))
}

/// Years are counted from 1900 in an int of C.
const LAST_YEAR: i64 = 1900 + i32::MAX as i64;

/// Of two digits: 1969 to 2068.
fn full_year((year, digits): (i64, usize)) -> Option<i64> {
    // Of `17-JUN-+1992` too.
    let year = year.abs();
    let year = match digits {
        2 if year < 69 => year + 2000,
        2 => year + 1900,
        _ => year,
    };
    (0..=LAST_YEAR).contains(&year).then_some(year)
}

fn to_24_hours(hour: i64, half: Option<bool>) -> Option<i64> {
    match half {
        None => (0..24).contains(&hour).then_some(hour),
        Some(_) if !(1..=12).contains(&hour) => None,
        Some(false) => Some(hour % 12),
        Some(true) => Some(hour % 12 + 12),
    }
}
