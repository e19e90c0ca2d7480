//! `date`'s formats: gnulib's `nstrftime` in the C locale.

use hookshell_text::civil::{BrokenDown, Civil, Field};
use hookshell_utility::Unsupported;
use hookshell_utility::zone::Offset;

/// What a format shows.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// Seconds since 1970-01-01 UTC.
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
    pub(crate) civil: Civil,
    pub(crate) offset: Offset,
}

/// One conversion specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Conversion {
    /// `-`, `_`, `0` or `+`; the last one counts.
    pad: Option<u8>,
    upper: bool,
    changes_case: bool,
    width: Option<usize>,
    colons: usize,
    letter: u8,
    /// A number after `E` or `O`: the C library makes it, and it is filled as text is.
    is_text: bool,
}

enum Piece<'f> {
    Text(&'f [u8]),
    Conversion(Conversion),
    /// What is no conversion: as it is written, in the width that it names.
    Unknown(Conversion, &'f [u8]),
}

/// Widths beyond this are for the real program.
const WIDEST: usize = 4096;

/// Reads a format's next piece.
fn next_piece(format: &[u8]) -> Result<(Piece<'_>, &[u8]), Unsupported> {
    let at = format.iter().position(|byte| *byte == b'%').unwrap_or(format.len());
    if at > 0 {
        return Ok((Piece::Text(format.get(..at).unwrap_or(format)), format.get(at..).unwrap_or_default()));
    }
    let mut conversion =
        Conversion { pad: None, upper: false, changes_case: false, width: None, colons: 0, letter: 0, is_text: false };
    let mut end = 1;
    loop {
        match format.get(end) {
            Some(&flag @ (b'-' | b'_' | b'0' | b'+')) => conversion.pad = Some(flag),
            Some(b'^') => conversion.upper = true,
            Some(b'#') => conversion.changes_case = true,
            _ => break,
        }
        end += 1;
    }
    while let Some(digit @ b'0'..=b'9') = format.get(end) {
        let width = conversion.width.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        conversion.width = Some(width);
        end += 1;
    }
    let modifier = format.get(end).copied().filter(|byte| matches!(byte, b'E' | b'O'));
    if modifier.is_some() {
        end += 1;
    }
    while format.get(end) == Some(&b':') {
        conversion.colons += 1;
        end += 1;
    }
    conversion.letter = format.get(end).copied().unwrap_or(0);
    let letter = conversion.letter;
    let is_known = match letter {
        b'z' => conversion.colons <= 3 && (conversion.colons == 0 || modifier != Some(b'O')),
        b'%' => end == 1,
        b'c' | b'D' | b'x' | b'F' => conversion.pad.is_none(),
        b'a' | b'A' | b'b' | b'B' | b'C' | b'd' | b'e' | b'g' | b'G' | b'h' | b'H' | b'I' | b'j' | b'k' | b'l'
        | b'm' | b'M' | b'n' | b'N' | b'p' | b'P' | b'q' | b'r' | b'R' | b's' | b'S' | b't' | b'T' | b'u' | b'U'
        | b'V' | b'w' | b'W' | b'X' | b'y' | b'Y' | b'Z' => true,
        _ => false,
    };
    conversion.is_text = match modifier {
        None => false,
        Some(b'E') => matches!(letter, b'y' | b'Y'),
        Some(_) => b"degGHIjklmMSuUVwWyz".contains(&letter),
    };
    // `%-F` and the like, whose parts have rules of their own.
    let is_padded_date = matches!(letter, b'c' | b'D' | b'x' | b'F');
    let modifies = match modifier {
        None => true,
        // Those that the C library's own functions would not let pass, gnulib's does.
        Some(b'E') => b"cCnpPqrRstTuxXyYzZ".contains(&letter),
        Some(_) => b"bBCdegGhHIjklmMnNpPrRsStTuUVwWyzZ".contains(&letter),
    };
    // What is no conversion at all stands for itself, as in C.
    let is_text = letter == 0 || !letter.is_ascii_alphabetic() && letter != b'%';
    if is_text && conversion.width.is_none() && conversion.pad.is_none() && conversion.colons == 0 && modifier.is_none()
    {
        let (text, rest) = format.split_at_checked(end + 1).unwrap_or((format, b""));
        return Ok((Piece::Text(text), rest));
    }
    let colons_fit = letter == b'z' || conversion.colons == 0;
    if conversion.width.is_none_or(|width| width <= WIDEST)
        && (!is_known && !is_padded_date || !modifies || !colons_fit)
    {
        // As glibc and gnulib: what they do not know is printed as it is written, in its width.
        // A colon that no `z` follows, and another `%`, end the text.
        let end = match letter {
            b'%' if conversion.colons == 0 => end,
            _ if conversion.colons > 0 && letter != b'z' => end - conversion.colons + 1,
            letter => end + usize::from(letter != 0),
        };
        return Ok((
            Piece::Unknown(conversion, format.get(..end).unwrap_or(format)),
            format.get(end..).unwrap_or_default(),
        ));
    }
    if !is_known || conversion.width.is_some_and(|width| width > WIDEST) {
        let text = format.get(..=end).unwrap_or(format);
        return Err(Unsupported::new(format!("the conversion {}", text.escape_ascii())));
    }
    if letter == b'N' && conversion.pad == Some(b'-') && conversion.width.is_none() {
        // Zeros that the clock's resolution (1 ns) makes significant stay.
        conversion.pad = None;
    }
    Ok((Piece::Conversion(conversion), format.get(end + 1..).unwrap_or_default()))
}

/// Is every conversion of the format known?
pub(crate) fn check(mut format: &[u8]) -> Result<(), Unsupported> {
    while !format.is_empty() {
        format = next_piece(format)?.1;
    }
    Ok(())
}

/// Appends the moment in a format that was checked.
pub(crate) fn format(out: &mut Vec<u8>, format: &[u8], moment: &Moment) {
    write(out, format, moment, false);
}

fn write(out: &mut Vec<u8>, mut format: &[u8], moment: &Moment, upper: bool) {
    while !format.is_empty() {
        let Ok((piece, rest)) = next_piece(format) else { return };
        format = rest;
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Unknown(conversion, text) => {
                let fill = match conversion.pad {
                    Some(b'-') => None,
                    Some(b'0' | b'+') => Some(b'0'),
                    _ => Some(b' '),
                };
                let missing = conversion.width.unwrap_or(0).saturating_sub(text.len());
                out.extend(fill.into_iter().flat_map(|fill| std::iter::repeat_n(fill, missing)));
                let upper = upper || conversion.upper;
                out.extend(text.iter().map(|byte| if upper { byte.to_ascii_uppercase() } else { *byte }));
            }
            Piece::Conversion(mut conversion) => {
                conversion.upper |= upper;
                convert(out, conversion, moment);
            }
        }
    }
}

fn convert(out: &mut Vec<u8>, conversion: Conversion, moment: &Moment) {
    if conversion.is_text {
        let mut inner = Vec::new();
        convert(&mut inner, Conversion { is_text: false, pad: None, width: None, ..conversion }, moment);
        return text(out, conversion, &inner);
    }
    let time = BrokenDown::from(moment.civil);
    match conversion.letter {
        b'%' => text(out, conversion, b"%"),
        b'n' => text(out, conversion, b"\n"),
        b't' => text(out, conversion, b"\t"),
        b'Z' => lowered(out, conversion, &moment.offset.name),
        b'c' => nested(out, conversion, b"%a %b %e %H:%M:%S %-Y", moment),
        b'F' => {
            let year = Conversion {
                letter: b'Y',
                pad: if conversion.width.is_none() { Some(b'+') } else { None },
                width: Some(conversion.width.map_or(4, |width| width.saturating_sub(6))),
                ..conversion
            };
            let mut inner = Vec::new();
            convert(&mut inner, year, moment);
            write(&mut inner, b"-%m-%d", moment, conversion.upper);
            text(out, conversion, &inner);
        }
        b'N' => nanos(out, conversion, moment.nanos),
        b'q' => number(out, conversion, 1, (moment.civil.month - 1) / 3 + 1, false),
        b's' => number(out, conversion, 1, moment.seconds, false),
        b'z' => zone(out, conversion, moment.offset.seconds),
        letter => match time.field(letter) {
            // gnulib's have four digits.
            Some(Field::Number { value, .. }) if matches!(letter, b'G' | b'Y') => yearish(out, conversion, 4, value),
            Some(Field::Number { value, width, .. }) if matches!(letter, b'C' | b'g' | b'y') => {
                yearish(out, conversion, width, value);
            }
            Some(Field::Number { value, width, fill }) => {
                let pad = conversion.pad.or((fill == b'_').then_some(fill));
                number(out, Conversion { pad, ..conversion }, width, value, false);
            }
            Some(Field::Name(name)) => word(out, conversion, name),
            Some(Field::Half(half)) => lowered(out, conversion, half),
            Some(Field::LowerHalf(half)) => text(out, conversion, half.as_bytes()),
            Some(Field::Format(format)) => nested(out, conversion, format, moment),
            None => {}
        },
    }
}

/// gnulib's `add`: text that is filled from the left.
fn text(out: &mut Vec<u8>, conversion: Conversion, bytes: &[u8]) {
    let width = if conversion.pad == Some(b'-') { 0 } else { conversion.width.unwrap_or(0) };
    let fill = if matches!(conversion.pad, Some(b'0' | b'+')) { b'0' } else { b' ' };
    out.resize(out.len() + width.saturating_sub(bytes.len()), fill);
    out.extend_from_slice(bytes);
}

fn word(out: &mut Vec<u8>, conversion: Conversion, word: &str) {
    if conversion.upper || conversion.changes_case {
        text(out, conversion, word.to_ascii_uppercase().as_bytes());
    } else {
        text(out, conversion, word.as_bytes());
    }
}

/// Words that `#` turns to lower case.
fn lowered(out: &mut Vec<u8>, conversion: Conversion, word: &str) {
    if conversion.changes_case {
        text(out, conversion, word.to_ascii_lowercase().as_bytes());
    } else if conversion.upper {
        text(out, conversion, word.to_ascii_uppercase().as_bytes());
    } else {
        text(out, conversion, word.as_bytes());
    }
}

fn nested(out: &mut Vec<u8>, conversion: Conversion, inner: &[u8], moment: &Moment) {
    let mut bytes = Vec::new();
    write(&mut bytes, inner, moment, conversion.upper);
    text(out, conversion, &bytes);
}

/// Years: `+` shows the sign of those that do not fit.
fn yearish(out: &mut Vec<u8>, conversion: Conversion, digits: usize, value: i64) {
    let largest = if digits == 2 { 99 } else { 9999 };
    let shows_sign =
        conversion.pad == Some(b'+') && (value > largest || conversion.width.is_some_and(|width| width > digits));
    number(out, conversion, digits, value, shows_sign);
}

fn number(out: &mut Vec<u8>, conversion: Conversion, digits: usize, value: i64, shows_sign: bool) {
    signed(out, conversion, digits, value < 0, value.unsigned_abs().to_string().as_bytes(), shows_sign);
}

/// gnulib's `do_number_sign_and_padding`.
fn signed(out: &mut Vec<u8>, conversion: Conversion, digits: usize, is_negative: bool, text: &[u8], shows_sign: bool) {
    let pad = conversion.pad.unwrap_or(b'0');
    let width = conversion.width.unwrap_or(digits);
    let sign: &[u8] = match (is_negative, shows_sign) {
        (true, _) => b"-",
        (false, true) => b"+",
        (false, false) => b"",
    };
    let missing = if pad == b'-' { 0 } else { width.saturating_sub(sign.len() + text.len()) };
    if pad == b'_' {
        out.resize(out.len() + missing, b' ');
        out.extend_from_slice(sign);
    } else {
        out.extend_from_slice(sign);
        out.resize(out.len() + missing, b'0');
    }
    out.extend_from_slice(text);
}

/// A fraction: cut at the width, filled after.
fn nanos(out: &mut Vec<u8>, conversion: Conversion, nanos: u32) {
    let width = conversion.width.filter(|width| *width > 0).unwrap_or(9);
    let digits = format!("{nanos:09}");
    let cut = digits.get(..width.min(9)).unwrap_or(&digits);
    // Zeros at the end are fill, except for a single one.
    let trimmed = cut.trim_end_matches('0');
    let kept = if trimmed.is_empty() { cut.get(..1).unwrap_or(cut) } else { trimmed };
    out.extend_from_slice(kept.as_bytes());
    let fill = match conversion.pad {
        Some(b'-') => return,
        Some(b'_') => b' ',
        _ => b'0',
    };
    out.resize(out.len() + width.saturating_sub(kept.len()), fill);
}

fn zone(out: &mut Vec<u8>, conversion: Conversion, offset: i64) {
    let size = offset.abs();
    let (hours, minutes, seconds) = (size / 3600, size / 60 % 60, size % 60);
    let colons = match conversion.colons {
        3 if seconds != 0 => 2,
        3 if minutes != 0 => 1,
        colons => colons,
    };
    // The digits without the zeros that fill them.
    let (digits, text) = match colons {
        0 => (5, (hours * 100 + minutes).to_string()),
        1 => (6, format!("{hours}:{minutes:02}")),
        2 => (9, format!("{hours}:{minutes:02}:{seconds:02}")),
        _ => (3, hours.to_string()),
    };
    signed(out, conversion, digits, offset < 0, text.as_bytes(), true);
}
