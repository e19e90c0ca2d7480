//! The tokens of a date, as gnulib's `parse_datetime` reads them.

use hookshell_text::civil::{MONTHS, WEEKDAYS};
use hookshell_utility::Unsupported;

/// A number with its sign and digits as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// With its sign.
    pub(super) value: i64,
    pub(super) digits: usize,
}

/// A unit of relative times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Month,
    /// So many days.
    Days(i64),
    Hour,
    Minute,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// Without a sign.
    Unsigned(Number),
    /// With a sign.
    Signed(Number),
    /// With a fraction: whole seconds (rounded down), nanoseconds, has a sign.
    Decimal(i64, u32, bool),
    Month(i64),
    /// 0 is Sunday.
    Weekday(i64),
    /// 12-hour clock: is it after noon?
    Meridian(bool),
    Unit(Unit),
    Ordinal(i64),
    /// `tomorrow` and the like, in days.
    Shift(i64),
    /// `ago` is -1.
    Ago(i64),
    /// Universal time.
    Utc,
    /// A zone's name, in seconds east of UTC.
    Zone(i64),
    /// A name of a daylight saving time, which nothing follows; in seconds east of UTC.
    DaylightZone(i64),
    /// A name of the local zone: is it the one of its daylight saving time?
    Local(Option<bool>),
    /// `DST` after the name of a zone
    Daylight,
    /// The letter T: of ISO 8601, or a military zone.
    T,
    /// `:`, `/`, `,`, `@`
    Mark(u8),
    /// What no date has.
    Unknown,
}

/// Shorter forms of weekdays' names beside those of three letters: Sunday is 0.
const SHORTER_WEEKDAYS: [(&str, usize); 4] = [("TUES", 2), ("WEDNES", 3), ("THUR", 4), ("THURS", 4)];

const UNITS: [(&str, Unit); 10] = [
    ("YEAR", Unit::Year),
    ("MONTH", Unit::Month),
    ("FORTNIGHT", Unit::Days(14)),
    ("WEEK", Unit::Days(7)),
    ("DAY", Unit::Days(1)),
    ("HOUR", Unit::Hour),
    ("MINUTE", Unit::Minute),
    ("MIN", Unit::Minute),
    ("SECOND", Unit::Second),
    ("SEC", Unit::Second),
];

const RELATIVE: [(&str, Token); 20] = [
    ("TOMORROW", Token::Shift(1)),
    ("YESTERDAY", Token::Shift(-1)),
    ("TODAY", Token::Shift(0)),
    ("NOW", Token::Shift(0)),
    ("LAST", Token::Ordinal(-1)),
    ("THIS", Token::Ordinal(0)),
    ("NEXT", Token::Ordinal(1)),
    ("FIRST", Token::Ordinal(1)),
    ("THIRD", Token::Ordinal(3)),
    ("FOURTH", Token::Ordinal(4)),
    ("FIFTH", Token::Ordinal(5)),
    ("SIXTH", Token::Ordinal(6)),
    ("SEVENTH", Token::Ordinal(7)),
    ("EIGHTH", Token::Ordinal(8)),
    ("NINTH", Token::Ordinal(9)),
    ("TENTH", Token::Ordinal(10)),
    ("ELEVENTH", Token::Ordinal(11)),
    ("TWELFTH", Token::Ordinal(12)),
    ("AGO", Token::Ago(-1)),
    ("HENCE", Token::Ago(1)),
];

/// gnulib's names of zones, in minutes east of UTC, and is it a daylight saving time (an hour more)?
const ZONES: [(&str, i64, bool); 47] = [
    ("WET", 0, false),
    ("WEST", 0, true),
    ("BST", 0, true),
    ("ART", -180, false),
    ("BRT", -180, false),
    ("BRST", -180, true),
    ("NST", -210, false),
    ("NDT", -210, true),
    ("AST", -240, false),
    ("ADT", -240, true),
    ("CLT", -240, false),
    ("CLST", -240, true),
    ("EST", -300, false),
    ("EDT", -300, true),
    ("CST", -360, false),
    ("CDT", -360, true),
    ("MST", -420, false),
    ("MDT", -420, true),
    ("PST", -480, false),
    ("PDT", -480, true),
    ("AKST", -540, false),
    ("AKDT", -540, true),
    ("HST", -600, false),
    ("HAST", -600, false),
    ("HADT", -600, true),
    ("SST", -720, false),
    ("WAT", 60, false),
    ("CET", 60, false),
    ("CEST", 60, true),
    ("MET", 60, false),
    ("MEZ", 60, false),
    ("MEST", 60, true),
    ("MESZ", 60, true),
    ("EET", 120, false),
    ("EEST", 120, true),
    ("CAT", 120, false),
    ("SAST", 120, false),
    ("EAT", 180, false),
    ("MSK", 180, false),
    ("MSD", 180, true),
    ("IST", 330, false),
    ("SGT", 480, false),
    ("KST", 540, false),
    ("JST", 540, false),
    ("GST", 600, false),
    ("NZST", 720, false),
    ("NZDT", 720, true),
];

/// The zone of a military letter, in seconds east of UTC; J is nobody's.
fn military(letter: u8) -> Option<i64> {
    let hours = match letter {
        b'A'..=b'I' => i64::from(letter - b'A') + 1,
        b'K'..=b'M' => i64::from(letter - b'K') + 10,
        b'N'..=b'Y' => -i64::from(letter - b'N') - 1,
        _ => return None,
    };
    Some(hours * 3600)
}

/// The names that the local zone has about now: is each its daylight saving time? `None`: one name for both.
pub(super) type LocalNames = Vec<(String, Option<bool>)>;

/// Reads all tokens.
///
/// # Errors
/// A number that the real program may read and this one does not.
pub(super) fn tokens(text: &[u8], local: &LocalNames) -> Result<Vec<Token>, Unsupported> {
    let mut tokens = Vec::new();
    let mut at = 0;
    // The language ends at a NUL, which no argument has.
    while let Some(&byte) = text.get(at) {
        match byte {
            b' ' | b'\t'..=b'\r' => at += 1,
            b'0'..=b'9' | b'-' | b'+' => {
                let sign = match byte {
                    b'-' => -1,
                    b'+' => 1,
                    _ => 0,
                };
                if sign != 0 {
                    at += 1;
                    while text.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t'..=b'\r')) {
                        at += 1;
                    }
                    if !text.get(at).is_some_and(u8::is_ascii_digit) {
                        // A sign alone means nothing.
                        continue;
                    }
                }
                tokens.push(number(text, &mut at, sign)?);
            }
            b'A'..=b'Z' | b'a'..=b'z' => {
                let start = at;
                while text.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'.') {
                    at += 1;
                }
                let token = word(text.get(start..at).unwrap_or_default(), local);
                if token == Token::Unknown {
                    // Whatever follows, this is no date.
                    return Ok(vec![token]);
                }
                tokens.push(token);
            }
            b'(' => match after_comment(text, at) {
                Some(end) => at = end,
                // Its end is the text's.
                None => break,
            },
            b':' | b'/' | b',' | b'@' => {
                tokens.push(Token::Mark(byte));
                at += 1;
            }
            _ => {
                tokens.push(Token::Unknown);
                at += 1;
            }
        }
    }
    Ok(tokens)
}

/// Where the text continues after the comment that begins at `at`; comments nest.
fn after_comment(text: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in text.get(at..)?.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + offset + 1);
        }
    }
    None
}

fn number(text: &[u8], at: &mut usize, sign: i64) -> Result<Token, Unsupported> {
    /// Far below every overflow of what is computed from it, and far above any use.
    const LARGEST: i64 = 1_000_000_000_000_000;
    let start = *at;
    let mut value: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(*at) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        *at += 1;
    }
    if value == i64::MAX {
        return Ok(Token::Unknown);
    }
    if value > LARGEST {
        return Err(Unsupported::new("so large a number in a date"));
    }
    let digits = *at - start;
    let is_fraction = matches!(text.get(*at), Some(b'.' | b',')) && text.get(*at + 1).is_some_and(u8::is_ascii_digit);
    let value = if sign < 0 { -value } else { value };
    if !is_fraction {
        let number = Number { value, digits };
        return Ok(if sign == 0 { Token::Unsigned(number) } else { Token::Signed(number) });
    }
    *at += 1;
    let mut nanos: u32 = 0;
    let mut count = 0;
    let mut has_more = false;
    while let Some(digit @ b'0'..=b'9') = text.get(*at) {
        if count < 9 {
            nanos = nanos * 10 + u32::from(digit - b'0');
            count += 1;
        } else {
            has_more |= *digit != b'0';
        }
        *at += 1;
    }
    for _ in count..9 {
        nanos *= 10;
    }
    let mut seconds = value;
    if sign < 0 {
        // Towards the past, and the fraction counts forward.
        nanos += u32::from(has_more);
        if nanos > 0 {
            seconds -= 1;
            nanos = 1_000_000_000 - nanos;
        }
    }
    Ok(Token::Decimal(seconds, nanos, sign != 0))
}

fn word(word: &[u8], local: &LocalNames) -> Token {
    let upper = word.to_ascii_uppercase();
    let text = std::str::from_utf8(&upper).unwrap_or_default();
    match text {
        "AM" | "A.M." => return Token::Meridian(false),
        "PM" | "P.M." => return Token::Meridian(true),
        _ => {}
    }
    let is_short = text.len() == 3 || (text.len() == 4 && text.ends_with('.'));
    let wanted = if is_short { text.get(..3).unwrap_or(text) } else { text };
    let is_named = |name: &str| {
        name.get(..if is_short { 3 } else { name.len() }).is_some_and(|name| name.eq_ignore_ascii_case(wanted))
    };
    if let Some(index) = MONTHS.iter().position(|name| is_named(name)).or((text == "SEPT").then_some(8)) {
        return Token::Month(i64::try_from(index).unwrap_or(0) + 1);
    }
    let shorter = || SHORTER_WEEKDAYS.iter().find(|(name, _)| *name == text).map(|(_, day)| *day);
    if let Some(day) = WEEKDAYS.iter().position(|name| is_named(name)).or_else(shorter) {
        return Token::Weekday(i64::try_from(day).unwrap_or(0));
    }
    if let Some(zone) = zone_name(text, local) {
        return zone;
    }
    if text == "DST" {
        return Token::Daylight;
    }
    if let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == text) {
        return Token::Unit(*unit);
    }
    if let Some(singular) = text.strip_suffix('S')
        && let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == singular)
    {
        return Token::Unit(*unit);
    }
    if let Some((_, token)) = RELATIVE.iter().find(|(name, _)| *name == text) {
        return *token;
    }
    match upper.as_slice() {
        b"T" => return Token::T,
        b"Z" => return Token::Utc,
        [letter] => {
            if let Some(offset) = military(*letter) {
                return Token::Zone(offset);
            }
        }
        _ => {}
    }
    // A zone's name may have periods: U.T.C.
    let bare: String = text.chars().filter(|letter| *letter != '.').collect();
    let zone = if bare.len() < text.len() { zone_name(&bare, local) } else { None };
    zone.unwrap_or(Token::Unknown)
}

fn zone_name(text: &str, local: &LocalNames) -> Option<Token> {
    if matches!(text, "GMT" | "UT" | "UTC") {
        return Some(Token::Utc);
    }
    if let Some((_, is_daylight)) = local.iter().find(|(name, _)| name == text) {
        return Some(Token::Local(*is_daylight));
    }
    let (_, minutes, is_daylight) = ZONES.iter().find(|(name, ..)| *name == text)?;
    let seconds = minutes * 60;
    Some(if *is_daylight { Token::DaylightZone(seconds + 3600) } else { Token::Zone(seconds) })
}
