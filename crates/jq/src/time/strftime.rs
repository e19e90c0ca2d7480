//! `strftime` and `strflocaltime`: a time written by a format.

use hookshell_text::civil::{BrokenDown, Field};
use hookshell_utility::zone::Zone;

use super::{Tm, gmtime, localtime};
use crate::ops::Outcome;
use crate::value::{Value, error};

/// A zone as formats show it in 1.7.1: its standard time, whatever the time of the year.
struct Named {
    name: String,
    /// Seconds east of UTC.
    offset: i64,
}

impl Named {
    pub(super) fn of(zone: &Zone) -> Self {
        // A January and a July.
        let [january, july] = [1_704_067_200, 1_719_792_000].map(|seconds| zone.at(seconds));
        let standard = if january.is_daylight { july } else { january };
        Self { name: standard.name.clone(), offset: standard.seconds }
    }
}

/// `strftime`, and `strflocaltime` (`local`).
pub(crate) fn strftime(value: &Value, format: &Value, zone: &Zone, local: bool) -> Outcome {
    let name = if local { "strflocaltime/1" } else { "strftime/1" };
    let parsed = match value {
        number if number.is_number() && local => localtime(number, zone)?,
        number if number.is_number() => gmtime(number)?,
        Value::Array(_) => value.clone(),
        _ => return error(format!("{name} requires parsed datetime inputs")),
    };
    let Value::String(format) = format else {
        return error(format!("{name} requires a string format"));
    };
    let Some(tm) = Tm::of(&parsed) else {
        return error(format!("{name} requires parsed datetime inputs"));
    };
    let text = render(format.split('\0').next().unwrap_or_default(), &tm, &Named::of(zone), format.len() + 100);
    if text.is_empty() || text.len() >= format.len() + 100 {
        return error(format!("{name}: unknown system failure"));
    }
    Ok(Value::from(text))
}

/// How a conversion is written: its flags, its width and its modifier.
#[derive(Debug, Default, Clone, Copy)]
struct Style {
    /// `-`, `_` or `0`
    pad: Option<char>,
    /// `^`
    upper: bool,
    /// `#`
    swap: bool,
    width: usize,
    /// `E` or `O`
    modifier: Option<char>,
}

impl Style {
    /// A number of at least so many digits. The width counts as digits, unless the flag says otherwise.
    pub(super) fn number(&self, value: i64, digits: usize, pad: char) -> String {
        let text = value.to_string();
        let digits = digits.max(self.width);
        let padding = digits.saturating_sub(text.len());
        match (self.pad.unwrap_or(pad), text.strip_prefix('-')) {
            ('-', _) => self.text(text),
            ('_', _) => format!("{}{text}", " ".repeat(padding)),
            (_, Some(rest)) => format!("-{}{rest}", "0".repeat(padding)),
            (_, None) => format!("{}{text}", "0".repeat(padding)),
        }
    }

    /// A text, filled up to the width.
    pub(super) fn text(&self, text: impl Into<String>) -> String {
        let text = text.into();
        let fill = if self.pad == Some('0') { "0" } else { " " };
        format!("{}{text}", fill.repeat(self.width.saturating_sub(text.len())))
    }

    /// A name: `^` and `#` write it in capitals.
    pub(super) fn name(&self, name: &str) -> String {
        self.text(if self.upper || self.swap { name.to_ascii_uppercase() } else { name.to_owned() })
    }
}

/// `strftime` as glibc has it in the C locale: a conversion that it does not know is written as it stands. Ends early where
/// the text is longer than `limit`.
fn render(format: &str, tm: &Tm, zone: &Named, limit: usize) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        if out.len() > limit {
            break;
        }
        let Some(conversion) = rest.strip_prefix('%') else {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        };
        let mut style = Style::default();
        let mut at = conversion.char_indices().peekable();
        while let Some((_, flag)) = at.next_if(|(_, c)| matches!(c, '-' | '_' | '0' | '^' | '#')) {
            match flag {
                '^' => style.upper = true,
                '#' => style.swap = true,
                pad => style.pad = Some(pad),
            }
        }
        while let Some((_, digit)) = at.next_if(|(_, c)| c.is_ascii_digit()) {
            let digit = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or_default();
            style.width = style.width.saturating_mul(10).saturating_add(digit);
        }
        // More is an error all the same.
        style.width = style.width.min(limit + 1);
        style.modifier = at.next_if(|(_, c)| matches!(c, 'E' | 'O')).map(|(_, c)| c);
        let end = at.peek().map_or(conversion.len(), |(end, c)| end + c.len_utf8());
        let letter = at.peek().map(|(_, c)| *c);
        let whole = rest.get(..=end).unwrap_or(rest);
        let converted = letter.and_then(|letter| converted(letter, &style, tm, zone));
        out.push_str(
            &converted
                .unwrap_or_else(|| style.text(if style.upper { whole.to_ascii_uppercase() } else { whole.to_owned() })),
        );
        rest = conversion.get(end..).unwrap_or_default();
    }
    out
}

/// What a conversion stands for; `None`: glibc does not know it.
fn converted(letter: char, style: &Style, tm: &Tm, zone: &Named) -> Option<String> {
    let allowed = match style.modifier {
        None => true,
        Some('E') => "cCxXyYpPrRsTuzZnt%".contains(letter),
        Some(_) => "bBhCdegGHIjklmMpPrRsSTuUVwWyzZnt%".contains(letter),
    };
    if !allowed {
        return None;
    }
    let time = BrokenDown { civil: tm.civil(), weekday: tm.weekday, day_of_year: tm.yearday };
    let number = |value: i64, digits: usize| style.number(value, digits, '0');
    if let Some(field) = u8::try_from(letter).ok().and_then(|letter| time.field(letter)) {
        return Some(match field {
            // Its years are no longer than they must be.
            Field::Number { value, .. } if matches!(letter, 'Y' | 'G') => number(value, 1),
            Field::Number { value, width, fill } => style.number(value, width, char::from(fill)),
            Field::Name(name) => style.name(name),
            Field::Half(half) if style.swap => style.text(half.to_ascii_lowercase()),
            Field::Half(half) | Field::LowerHalf(half) => style.text(half),
            Field::Format(format) => {
                let text = render(&String::from_utf8_lossy(format), tm, zone, usize::MAX / 2);
                style.text(if style.upper { text.to_ascii_uppercase() } else { text })
            }
        });
    }
    Some(match letter {
        'Z' if style.swap => style.text(zone.name.to_ascii_lowercase()),
        'Z' if style.upper => style.text(zone.name.to_ascii_uppercase()),
        'Z' => style.text(zone.name.clone()),
        's' => style.text(tm.seconds().saturating_sub(zone.offset).to_string()),
        // The sign is filled up by itself.
        'z' => format!("{}{}", style.text("+"), number(0, 4)),
        'n' => style.text("\n"),
        't' => style.text("\t"),
        '%' => style.text("%"),
        _ => return None,
    })
}
