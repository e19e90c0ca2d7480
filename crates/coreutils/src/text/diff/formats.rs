//! `-D` and the formats of groups and lines: both files in one, as the formats have it (diffutils 3.8, `ifdef.c`).

use hookshell_utility::Unsupported;
use hookshell_utility::io::Failure;

use super::compare::Change;
use super::print::Printer;

/// The formats that were given, and after [`Formats::complete`] all of them.
#[derive(Debug, Default, Clone)]
pub(super) struct Formats {
    unchanged_line: Option<Vec<u8>>,
    old_line: Option<Vec<u8>>,
    new_line: Option<Vec<u8>>,
    unchanged: Option<Vec<u8>>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    changed: Option<Vec<u8>>,
}

/// Which format an option gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    AllLines,
    UnchangedLine,
    OldLine,
    NewLine,
    Unchanged,
    Old,
    New,
    Changed,
    /// `-D NAME`: all groups.
    Name,
}

impl Formats {
    /// Takes what an option says.
    ///
    /// # Errors
    /// It has said something else before.
    pub(super) fn set(&mut self, which: Which, text: &[u8]) -> Result<(), Unsupported> {
        let give = |place: &mut Option<Vec<u8>>, text: &[u8]| match place {
            Some(before) if before != text => Err(Unsupported::mistake("several formats of one kind")),
            place => {
                *place = Some(text.to_vec());
                Ok(())
            }
        };
        match which {
            Which::AllLines => [&mut self.unchanged_line, &mut self.old_line, &mut self.new_line]
                .into_iter()
                .try_for_each(|place| give(place, text)),
            Which::UnchangedLine => give(&mut self.unchanged_line, text),
            Which::OldLine => give(&mut self.old_line, text),
            Which::NewLine => give(&mut self.new_line, text),
            Which::Unchanged => give(&mut self.unchanged, text),
            Which::Old => give(&mut self.old, text),
            Which::New => give(&mut self.new, text),
            Which::Changed => give(&mut self.changed, text),
            Which::Name => {
                give(&mut self.unchanged, b"%=")?;
                give(&mut self.old, &[b"#ifndef ", text, b"\n%<#endif /* ! ", text, b" */\n"].concat())?;
                give(&mut self.new, &[b"#ifdef ", text, b"\n%>#endif /* ", text, b" */\n"].concat())?;
                let changed = [&b"#ifndef "[..], text, b"\n%<#else /* ", text, b" */\n%>#endif /* ", text, b" */\n"];
                give(&mut self.changed, &changed.concat())
            }
        }
    }

    /// Gives the formats that no option has given.
    pub(super) fn complete(mut self) -> Self {
        for line in [&mut self.unchanged_line, &mut self.old_line, &mut self.new_line] {
            line.get_or_insert_with(|| b"%l\n".to_vec());
        }
        self.unchanged.get_or_insert_with(|| b"%=".to_vec());
        let changed = self.changed.clone();
        let old = self.old.get_or_insert_with(|| changed.clone().unwrap_or_else(|| b"%<".to_vec()));
        let new = self.new.get_or_insert_with(|| changed.clone().unwrap_or_else(|| b"%>".to_vec()));
        self.changed.get_or_insert_with(|| [&old[..], &new[..]].concat());
        self
    }
}

/// A group: the lines of each file, from and up to, counted from 0.
type Group = [(usize, usize); 2];

/// What the letters of a directive stand for.
#[derive(Clone, Copy)]
enum Numbers<'g> {
    Group(&'g Group),
    /// A line, counted from 0.
    Line(usize),
}

impl Numbers<'_> {
    fn of(self, letter: u8) -> Option<usize> {
        let group = match self {
            Self::Line(line) => return (letter == b'n').then_some(line + 1),
            Self::Group(group) => group,
        };
        let (from, to) = group[usize::from(letter.is_ascii_uppercase())];
        Some(match letter.to_ascii_lowercase() {
            b'e' => from,
            b'f' => from + 1,
            b'l' => to,
            b'm' => to + 1,
            b'n' => to - from,
            _ => return None,
        })
    }
}

impl Printer<'_, '_, '_, '_> {
    pub(super) fn formatted(&mut self, changes: &[Change], formats: &Formats) -> Result<(), Failure> {
        let text = |format: &Option<Vec<u8>>| format.clone().unwrap_or_default();
        let (unchanged, old) = (text(&formats.unchanged), text(&formats.old));
        let (new, changed) = (text(&formats.new), text(&formats.changed));
        let mut next = [0, 0];
        for change in changes.iter().filter(|change| !change.ignored) {
            let [left, right] = change.lines;
            if next[0] < left || next[1] < right {
                self.group(&unchanged, 0, true, &[(next[0], left), (next[1], right)], formats)?;
            }
            next = [left + change.deleted, right + change.inserted];
            let format = match (change.deleted, change.inserted) {
                (0, _) => &new,
                (_, 0) => &old,
                _ => &changed,
            };
            self.group(format, 0, true, &[(left, next[0]), (right, next[1])], formats)?;
        }
        let end = [self.left.lines.len(), self.right.lines.len()];
        if next[0] < end[0] || next[1] < end[1] {
            self.group(&unchanged, 0, true, &[(next[0], end[0]), (next[1], end[1])], formats)?;
        }
        Ok(())
    }

    /// Writes a group by a format up to `end` (0: all of it), or only reads the format; says how much of it was read.
    fn group(
        &mut self,
        format: &[u8],
        end: u8,
        writes: bool,
        group: &Group,
        formats: &Formats,
    ) -> Result<usize, Failure> {
        let byte = |at: usize| format.get(at).copied().unwrap_or(0);
        let mut at = 0;
        while at < format.len() && (end == 0 || byte(at) != end) {
            let this = byte(at);
            at += 1;
            if this != b'%' {
                if writes {
                    self.out.byte(this)?;
                }
                continue;
            }
            let (lines, side) = match byte(at) {
                b'<' => (&formats.old_line, 0),
                b'=' => (&formats.unchanged_line, 0),
                b'>' => (&formats.new_line, 1),
                b'(' => {
                    if let Some((is_then, from)) = condition(format, at + 1, group) {
                        at = from;
                        at += self.group(rest(format, at), b':', writes && is_then, group, formats)?;
                        if at < format.len() {
                            at += 1;
                            at += self.group(rest(format, at), b')', writes && !is_then, group, formats)?;
                            at += usize::from(at < format.len());
                        }
                    } else if writes {
                        self.out.byte(b'%')?;
                    }
                    continue;
                }
                b'%' => {
                    at += 1;
                    if writes {
                        self.out.byte(b'%')?;
                    }
                    continue;
                }
                _ => {
                    at += self.directive(rest(format, at), writes, Numbers::Group(group))?;
                    continue;
                }
            };
            at += 1;
            if writes {
                self.lines(lines.as_deref().unwrap_or_default(), side, group[side])?;
            }
        }
        Ok(at)
    }

    fn lines(&mut self, format: &[u8], side: usize, (from, to): (usize, usize)) -> Result<(), Failure> {
        let text = if side == 0 { self.left } else { self.right };
        for (number, line) in text.lines.iter().enumerate().take(to).skip(from) {
            let mut at = 0;
            while let Some(&byte) = format.get(at) {
                at += 1;
                if byte != b'%' {
                    self.out.byte(byte)?;
                    continue;
                }
                match format.get(at) {
                    Some(b'%') => self.out.byte(b'%')?,
                    Some(b'l') => self.text(line.strip_suffix(b"\n").unwrap_or(line))?,
                    Some(b'L') => self.text(line)?,
                    _ => {
                        at += self.directive(rest(format, at), true, Numbers::Line(number))?;
                        continue;
                    }
                }
                at += 1;
            }
        }
        Ok(())
    }

    /// Writes what stands after `%`, a number or a character, and says how long that is; the `%` itself where it is neither.
    fn directive(&mut self, text: &[u8], writes: bool, numbers: Numbers<'_>) -> Result<usize, Failure> {
        let Some((value, length)) = directive(text, numbers) else {
            if writes {
                self.out.byte(b'%')?;
            }
            return Ok(0);
        };
        if writes {
            self.out.push(&value)?;
        }
        Ok(length)
    }
}

fn rest(format: &[u8], at: usize) -> &[u8] {
    format.get(at..).unwrap_or_default()
}

/// `A=B?`, where each is a number or the letter of one: are they equal, and where the two parts begin.
fn condition(format: &[u8], mut at: usize, group: &Group) -> Option<(bool, usize)> {
    let mut values = [0, 0];
    for (value, end) in values.iter_mut().zip(*b"=?") {
        let digits = rest(format, at).iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            *value = std::str::from_utf8(format.get(at..at + digits)?).ok()?.parse().unwrap_or(usize::MAX);
            at += digits;
        } else {
            *value = Numbers::Group(group).of(*format.get(at)?)?;
            at += 1;
        }
        if *format.get(at)? != end {
            return None;
        }
        at += 1;
    }
    Some((values[0] == values[1], at))
}

/// A wider number is no use, and takes memory.
const MOST: usize = 1 << 16;

/// The text of a directive after its `%`, and its length: `c'C'`, or flags, width, precision, `d`, `o`, `x` or `X`, and the
/// letter of a number. `None`: it is none.
fn directive(text: &[u8], numbers: Numbers<'_>) -> Option<(Vec<u8>, usize)> {
    let mut at = text.iter().take_while(|byte| matches!(byte, b'-' | b'\'' | b'0')).count();
    let flags = text.get(..at)?;
    let number = |at: &mut usize| {
        let digits = rest(text, *at).iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(text.get(*at..*at + digits)?).ok()?;
        *at += digits;
        if number.is_empty() { Some(0) } else { number.parse().ok().filter(|number| *number <= MOST) }
    };
    let width = number(&mut at)?;
    let mut precision = None;
    if text.get(at) == Some(&b'.') {
        at += 1;
        precision = Some(number(&mut at)?);
    }
    let (kind, letter) = (*text.get(at)?, *text.get(at + 1)?);
    at += 2;
    if kind == b'c' {
        let (byte, length) = character(text.get(at..)?).filter(|_| letter == b'\'')?;
        return Some((vec![byte], at + length));
    }
    if !matches!(kind, b'd' | b'o' | b'x' | b'X') {
        return None;
    }
    let value = numbers.of(letter)?;
    let least = precision.unwrap_or(1);
    let mut digits = match kind {
        _ if value == 0 && precision == Some(0) => String::new(),
        b'o' => format!("{value:0least$o}"),
        b'x' => format!("{value:0least$x}"),
        b'X' => format!("{value:0least$X}"),
        _ => format!("{value:0least$}"),
    };
    let missing = width.saturating_sub(digits.len());
    if flags.contains(&b'-') {
        digits.push_str(&" ".repeat(missing));
    } else if flags.contains(&b'0') && precision.is_none() {
        digits.insert_str(0, &"0".repeat(missing));
    } else {
        digits.insert_str(0, &" ".repeat(missing));
    }
    Some((digits.into_bytes(), at))
}

/// A character and the quote after it, or up to three octal digits after a backslash; with its length.
fn character(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [] | [b'\'', ..] => None,
        [b'\\', digits @ ..] => {
            let length = digits.iter().position(|byte| *byte == b'\'').filter(|length| (1..=3).contains(length))?;
            let mut value = 0_u32;
            for digit in digits.iter().take(length) {
                value = value * 8 + char::from(*digit).to_digit(8)?;
            }
            Some((value.to_le_bytes()[0], length + 2))
        }
        [byte, b'\'', ..] => Some((*byte, 2)),
        _ => None,
    }
}
