//! `-printf`.

use hookshell_files::file_stat::{FileStat, kind_letter};
use hookshell_process::{system, text};
use hookshell_utility::Unsupported;
use hookshell_utility::zone::Zone;

use super::entry::Entry;
use super::expression::Time;
use crate::date::{Moment, format};

/// A format, read.
#[derive(Debug)]
pub(super) struct Format {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    Text(Vec<u8>),
    Directive(Directive),
}

#[derive(Debug, Clone, Copy)]
struct Directive {
    letter: u8,
    /// After `%A`, `%C` and `%T`.
    time: u8,
    to_left: bool,
    zeros: bool,
    width: usize,
    /// Of a text at most so many bytes, of a number at least so many digits.
    precision: Option<usize>,
    /// `+`, a blank or nothing before a number.
    sign: Option<u8>,
    /// `#`: a 0 before an octal number.
    is_marked: bool,
}

/// The widest field, and the most digits of a number: a call has bounded memory.
const MOST: usize = 4096;

/// What may stand after `%T`: `@`, `+` and conversions of C's `strftime`. All others stand for themselves.
const TIMES: &[u8] = b"@+aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%";

impl Format {
    /// Reads a format. What is no directive and no escape stands for itself, with a warning.
    ///
    /// # Errors
    /// A directive that is not done here.
    pub(super) fn parse(format: &[u8], warnings: &mut Vec<Vec<u8>>) -> Result<Self, Unsupported> {
        let mut pieces = Vec::new();
        let mut literal = Vec::new();
        let mut rest = format;
        loop {
            match rest {
                [] => break,
                [b'\\', tail @ ..] => match (escape(tail), tail) {
                    (Some((byte, length)), _) => {
                        literal.push(byte);
                        rest = tail.get(length..).unwrap_or_default();
                    }
                    (None, []) => {
                        warnings.push(b"warning: escape `\\' followed by nothing at all".to_vec());
                        literal.push(b'\\');
                        rest = tail;
                    }
                    // `\c` ends the output.
                    (None, [b'c', ..]) => break,
                    (None, [other, tail @ ..]) => {
                        warnings.push([b"warning: unrecognized escape `\\", &[*other][..], b"'"].concat());
                        literal.extend_from_slice(&[b'\\', *other]);
                        rest = tail;
                    }
                },
                [b'%', b'%', tail @ ..] => {
                    literal.push(b'%');
                    rest = tail;
                }
                [b'%', tail @ ..] if let Some((text, length)) = unknown(tail) => {
                    let letter = tail.get(length - 1).copied().unwrap_or_default();
                    warnings.push([b"warning: unrecognized format directive `%", &[letter][..], b"'"].concat());
                    literal.push(b'%');
                    literal.extend_from_slice(text);
                    rest = tail.get(length..).unwrap_or_default();
                }
                [b'%', kind @ (b'A' | b'C' | b'T')] => {
                    let text = b"' should be followed by another character";
                    warnings.push([b"warning: format directive `%", &[*kind][..], text].concat());
                    literal.extend_from_slice(rest);
                    break;
                }
                [b'%', tail @ ..] => {
                    let (directive, length) = directive(tail)
                        .ok_or_else(|| Unsupported::mistake(format!("the format {}", format.escape_ascii())))?;
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                    pieces.push(Piece::Directive(directive));
                    rest = tail.get(length..).unwrap_or_default();
                }
                [byte, tail @ ..] => {
                    literal.push(*byte);
                    rest = tail;
                }
            }
        }
        pieces.push(Piece::Text(literal));
        Ok(Self { pieces })
    }

    /// Appends an entry in this format.
    pub(super) fn write(&self, out: &mut Vec<u8>, entry: &Entry, zone: &Zone) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Directive(directive) => {
                    let mut value = directive.value(entry, zone);
                    // The C library fills numbers only with zeros, see `lay_out`.
                    let is_number = matches!(directive.letter, b'd' | b'm');
                    if is_number {
                        directive.lay_out(&mut value);
                    } else {
                        value.truncate(directive.precision.unwrap_or(usize::MAX));
                    }
                    let missing = directive.width.saturating_sub(value.len());
                    if !directive.to_left {
                        out.resize(out.len() + missing, b' ');
                    }
                    out.extend_from_slice(&value);
                    if directive.to_left {
                        out.resize(out.len() + missing, b' ');
                    }
                }
            }
        }
    }
}

/// The byte that stands for an escape sequence, and its length after the backslash. `\c` is not here.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let byte = match text.first()? {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' => b'\\',
        b'0'..=b'7' => {
            let digits = text.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (value, count) =
                digits.fold((0_u32, 0), |(value, count), digit| (value * 8 + u32::from(digit - b'0'), count + 1));
            return Some((u8::try_from(value & 0xff).ok()?, count));
        }
        _ => return None,
    };
    Some((byte, 1))
}

/// What no version of `find` has for a directive: its text, and its length after the `%`. `%{`, `%[` and `%(` are reserved.
fn unknown(text: &[u8]) -> Option<(&[u8], usize)> {
    let length = text.iter().take_while(|byte| b"-+ #.0123456789".contains(byte)).count() + 1;
    let letter = *text.get(length - 1)?;
    let is_known = letter == b'%' || b"aAbBcCdDfFgGhHiklmMnpPsStTuUyYZ".contains(&letter);
    (letter.is_ascii_graphic() && !is_known && !b"{[(".contains(&letter)).then_some((text.get(..length)?, length))
}

/// A directive and its length after the `%`.
fn directive(text: &[u8]) -> Option<(Directive, usize)> {
    let mut directive = Directive {
        letter: 0,
        time: 0,
        to_left: false,
        zeros: false,
        width: 0,
        precision: None,
        sign: None,
        is_marked: false,
    };
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'-' => directive.to_left = true,
            b'0' => directive.zeros = true,
            b'+' => directive.sign = Some(b'+'),
            b' ' => directive.sign = directive.sign.or(Some(b' ')),
            b'#' => directive.is_marked = true,
            _ => break,
        }
        at += 1;
    }
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        directive.width = directive.width * 10 + usize::from(digit - b'0');
        at += 1;
        if directive.width > MOST {
            return None;
        }
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        let mut precision = 0;
        while let Some(digit @ b'0'..=b'9') = text.get(at) {
            precision = (precision * 10 + usize::from(digit - b'0')).min(1 << 20);
            at += 1;
        }
        directive.precision = Some(precision);
    }
    directive.letter = *text.get(at)?;
    at += 1;
    // Of a text it is only the most that is shown.
    if matches!(directive.letter, b'd' | b'm') && directive.precision.is_some_and(|digits| digits > MOST) {
        return None;
    }
    match directive.letter {
        b'A' | b'C' | b'T' => {
            directive.time = *text.get(at)?;
            Some((directive, at + 1))
        }
        b'a' | b'b' | b'c' | b'd' | b'D' | b'f' | b'g' | b'G' | b'h' | b'H' | b'i' | b'k' | b'l' | b'm' | b'M'
        | b'n' | b'p' | b'P' | b's' | b't' | b'u' | b'U' | b'y' | b'Y' => Some((directive, at)),
        _ => None,
    }
}

impl Directive {
    /// The digits of a number with its sign; zeros up to the width stand after the sign.
    fn lay_out(self, digits: &mut Vec<u8>) {
        if self.is_marked && self.letter == b'm' && !digits.starts_with(b"0") {
            digits.insert(0, b'0');
        }
        let sign = self.sign.filter(|_| self.letter == b'd');
        let mut least = self.precision.unwrap_or(0);
        if self.zeros && !self.to_left && self.precision.is_none() {
            least = self.width.saturating_sub(usize::from(sign.is_some()));
        }
        if self.precision == Some(0) && digits.as_slice() == b"0" && !self.is_marked {
            digits.clear();
        }
        let missing = least.saturating_sub(digits.len());
        digits.splice(0..0, sign.into_iter().chain(std::iter::repeat_n(b'0', missing)));
    }

    fn value(self, entry: &Entry, zone: &Zone) -> Vec<u8> {
        match self.letter {
            b'p' => return entry.shown.clone(),
            b'f' => {
                let mut name = entry.base_name().to_vec();
                // gnulib's `base_name` keeps one of the slashes after an operand.
                if entry.shown.ends_with(b"/") && name != b"/" {
                    name.push(b'/');
                }
                return name;
            }
            b'h' => return leading_directories(&entry.shown),
            b'H' => return entry.shown.get(..entry.start_length).unwrap_or_default().to_vec(),
            b'P' => {
                let rest = entry.shown.get(entry.start_length..).unwrap_or_default();
                return rest.strip_prefix(b"/").unwrap_or(rest).to_vec();
            }
            b'd' => return entry.depth.to_string().into_bytes(),
            b'l' => {
                // Only of what is a link to the test of types too.
                let is_link = entry.stat().is_some_and(FileStat::is_link);
                let target = is_link.then(|| entry.place.read_link().ok()).flatten();
                return target.map_or_else(Vec::new, |target| text::from_os(target.as_os_str()).to_vec());
            }
            b'y' => return vec![entry.kind().map_or(b'U', letter)],
            b'Y' => {
                let is_link = entry.kind() == Some(hookshell_files::file_stat::LINK);
                return match (is_link, entry.kind()) {
                    (false, kind) => vec![kind.map_or(b'U', letter)],
                    (true, _) => vec![entry.target_kind().map_or_else(|letter| letter, letter)],
                };
            }
            _ => {}
        }
        let Some(stat) = entry.stat() else { return Vec::new() };
        match self.letter {
            b'a' => show_time(Time::Accessed.of(stat), b't', zone),
            b'c' => show_time(Time::Changed.of(stat), b't', zone),
            b't' => show_time(Time::Modified.of(stat), b't', zone),
            b'A' => show_time(Time::Accessed.of(stat), self.time, zone),
            b'C' => show_time(Time::Changed.of(stat), self.time, zone),
            b'T' => show_time(Time::Modified.of(stat), self.time, zone),
            b'b' => stat.blocks.to_string().into_bytes(),
            b'k' => stat.blocks.div_ceil(2).to_string().into_bytes(),
            b'D' => stat.device.to_string().into_bytes(),
            b'g' => name_or_number(system::group_name(stat.gid), stat.gid),
            b'G' => stat.gid.to_string().into_bytes(),
            b'u' => name_or_number(system::user_name(stat.uid), stat.uid),
            b'U' => stat.uid.to_string().into_bytes(),
            b'i' => stat.inode.to_string().into_bytes(),
            b'm' => format!("{:o}", stat.mode & 0o7777).into_bytes(),
            b'M' => stat.mode_text().to_vec(),
            b'n' => stat.links.to_string().into_bytes(),
            _ => stat.size.to_string().into_bytes(),
        }
    }
}

fn letter(kind: u32) -> u8 {
    match kind_letter(kind) {
        b'-' => b'f',
        letter => letter,
    }
}

fn name_or_number(name: Option<Vec<u8>>, id: u32) -> Vec<u8> {
    name.unwrap_or_else(|| id.to_string().into_bytes())
}

/// Everything before the last slash; `.` where there is none.
fn leading_directories(path: &[u8]) -> Vec<u8> {
    match path.iter().rposition(|byte| *byte == b'/') {
        None => b".".to_vec(),
        Some(at) => path.get(..at).unwrap_or_default().to_vec(),
    }
}

/// A time; where seconds are shown they have a fraction of ten digits.
fn show_time((seconds, nanos): (i64, u32), how: u8, zone: &Zone) -> Vec<u8> {
    let moment = Moment::new(zone, seconds, nanos);
    let mut out = Vec::new();
    let shape: &[u8] = match how {
        b'@' => b"%s.%N0",
        b'+' => b"%Y-%m-%d+%H:%M:%S.%N0",
        b'S' => b"%S.%N0",
        b'T' | b'X' => b"%H:%M:%S.%N0",
        b't' => b"%a %b %e %H:%M:%S.%N0 %Y",
        b's' => b"%s",
        how if !TIMES.contains(&how) => return vec![b'%', how],
        _ => {
            format(&mut out, &[b'%', how], &moment);
            return out;
        }
    };
    format(&mut out, shape, &moment);
    out
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn fields_wider_than_memory_allows_are_refused() {
        let parse = |format: &str| Format::parse(format.as_bytes(), &mut Vec::new());
        for format in ["%4096p", "%.4096d", "%.4096m", "%.1048576p"] {
            assert!(parse(format).is_ok(), "{format}");
        }
        for format in ["%4097p", "%.4097d", "%.4097m", "%.99999999999999999999d"] {
            assert!(parse(format).is_err(), "{format}");
        }
    }
}
