//! The tokens of a date, as gnulib's `parse_datetime` reads them.

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
    /// The letter T.
    T,
    /// `:`, `/`, `,`, `@`
    Mark(u8),
    /// What no date has.
    Unknown,
}

const MONTHS: [&str; 13] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
    "SEPT",
];

const WEEKDAYS: [(&str, i64); 11] = [
    ("SUNDAY", 0),
    ("MONDAY", 1),
    ("TUESDAY", 2),
    ("TUES", 2),
    ("WEDNESDAY", 3),
    ("WEDNES", 3),
    ("THURSDAY", 4),
    ("THUR", 4),
    ("THURS", 4),
    ("FRIDAY", 5),
    ("SATURDAY", 6),
];

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

/// Names of zones: where the local zone has such a name, that one is meant.
const ZONES: [(&str, i64); 12] = [
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
    ("CET", 1),
    ("CEST", 2),
    ("EEST", 3),
    ("JST", 9),
];

/// Names that the real program knows.
const OTHER_ZONES: [&str; 36] = [
    "WET", "WEST", "BST", "ART", "BRT", "BRST", "NST", "NDT", "AST", "ADT", "CLT", "CLST", "AKST", "AKDT", "HST",
    "HAST", "HADT", "SST", "WAT", "MET", "MEZ", "MEST", "MESZ", "EET", "CAT", "SAST", "EAT", "MSK", "MSD", "IST",
    "SGT", "KST", "GST", "NZST", "NZDT", "DST",
];

/// Reads all tokens. `is_utc`: the local zone is UTC, and so no other zone's name is its own.
///
/// # Errors
/// A word that the real program may know and this one does not.
pub(super) fn tokens(text: &[u8], is_utc: bool) -> Result<Vec<Token>, Unsupported> {
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
                let token = word(text.get(start..at).unwrap_or_default(), is_utc)?;
                // Anywhere but in ISO 8601 it is a military zone.
                if token == Token::T
                    && !matches!(tokens.as_slice(), [.., Token::Unsigned(_), Token::Signed(_), Token::Signed(_)])
                {
                    return Err(Unsupported::new("the zone T in a date"));
                }
                if token == Token::Unknown {
                    // Whatever follows, this is no date.
                    return Ok(vec![token]);
                }
                tokens.push(token);
            }
            b'(' => return Err(Unsupported::new("a comment in a date")),
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

fn number(text: &[u8], at: &mut usize, sign: i64) -> Result<Token, Unsupported> {
    /// Far below every overflow of what is computed from it, and far above any use.
    const LARGEST: i64 = 1_000_000_000_000_000;
    let start = *at;
    let mut value: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(*at) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        *at += 1;
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

fn word(word: &[u8], is_utc: bool) -> Result<Token, Unsupported> {
    let upper = word.to_ascii_uppercase();
    let text = std::str::from_utf8(&upper).unwrap_or_default();
    match text {
        "AM" | "A.M." => return Ok(Token::Meridian(false)),
        "PM" | "P.M." => return Ok(Token::Meridian(true)),
        _ => {}
    }
    let is_short = text.len() == 3 || (text.len() == 4 && text.ends_with('.'));
    let matches = |name: &str| if is_short { name.get(..3) == text.get(..3) } else { name == text };
    if let Some(index) = MONTHS.iter().position(|name| matches(name)) {
        let month = if index == 12 { 9 } else { i64::try_from(index).unwrap_or(0) + 1 };
        return Ok(Token::Month(month));
    }
    if let Some((_, day)) = WEEKDAYS.iter().find(|(name, _)| matches(name)) {
        return Ok(Token::Weekday(*day));
    }
    let unsupported = || Err(Unsupported::new(format!("{} in a date", word.escape_ascii())));
    if matches!(text, "GMT" | "UT" | "UTC") {
        return Ok(Token::Utc);
    }
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| *name == text) {
        return if is_utc { Ok(Token::Zone(hours * 3600)) } else { unsupported() };
    }
    if let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == text) {
        return Ok(Token::Unit(*unit));
    }
    if let Some(singular) = text.strip_suffix('S')
        && let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == singular)
    {
        return Ok(Token::Unit(*unit));
    }
    if let Some((_, token)) = RELATIVE.iter().find(|(name, _)| *name == text) {
        return Ok(*token);
    }
    match text {
        "T" => Ok(Token::T),
        "Z" => Ok(Token::Utc),
        // Names of the local zone have at most five letters, and military zones a single one.
        _ if text.contains('.') || text.len() == 1 || OTHER_ZONES.contains(&text) => unsupported(),
        _ if is_utc || text.len() > 5 => Ok(Token::Unknown),
        _ => unsupported(),
    }
}
