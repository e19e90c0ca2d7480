//! The sets of `tr`.

use hookshell_utility::Unsupported;

/// One element of a set.
#[derive(Debug, Clone, Copy)]
enum Element {
    Byte(u8),
    /// Both ends are within.
    Range(u8, u8),
    Class(Class),
    /// `[=c=]`: in this locale the byte itself.
    Equivalence(u8),
    /// `[c*n]`; 0 stands for as many as the first set needs.
    Repeat(u8, usize),
}

#[derive(Debug, Clone, Copy)]
enum Class {
    Upper,
    Lower,
    Other(fn(u8) -> bool),
}

impl Class {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alnum" => Self::Other(|byte| byte.is_ascii_alphanumeric()),
            b"alpha" => Self::Other(|byte| byte.is_ascii_alphabetic()),
            b"blank" => Self::Other(|byte| matches!(byte, b' ' | b'\t')),
            b"cntrl" => Self::Other(|byte| byte.is_ascii_control()),
            b"digit" => Self::Other(|byte| byte.is_ascii_digit()),
            b"graph" => Self::Other(|byte| byte.is_ascii_graphic()),
            b"lower" => Self::Lower,
            b"print" => Self::Other(|byte| matches!(byte, b' '..=b'~')),
            b"punct" => Self::Other(|byte| byte.is_ascii_punctuation()),
            b"space" => Self::Other(|byte| matches!(byte, b' ' | b'\t'..=b'\r')),
            b"upper" => Self::Upper,
            b"xdigit" => Self::Other(|byte| byte.is_ascii_hexdigit()),
            _ => return None,
        })
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase(),
            Self::Lower => byte.is_ascii_lowercase(),
            Self::Other(test) => test(byte),
        }
    }

    /// May it stand in the second set of a translation?
    fn is_case(self) -> bool {
        matches!(self, Self::Upper | Self::Lower)
    }
}

/// A set as it was written.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    elements: Vec<Element>,
    /// What GNU's warns of.
    pub(super) warnings: Vec<String>,
}

/// The bytes of a set's text, and which of them a backslash stood before.
fn unescape(text: &[u8], warnings: &mut Vec<String>) -> Vec<(u8, bool)> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push((byte, false));
            continue;
        }
        let Some((&letter, after)) = rest.split_first() else {
            warnings.push("an unescaped backslash at end of string is not portable".to_owned());
            bytes.push((byte, false));
            break;
        };
        rest = after;
        let byte = match letter {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'0'..=b'7' => {
                let mut value = u32::from(letter - b'0');
                let mut digits = String::from(char::from(letter));
                for _ in 0..2 {
                    let Some(digit) = rest.first().filter(|digit| matches!(digit, b'0'..=b'7')) else { break };
                    let more = value * 8 + u32::from(digit - b'0');
                    if more > 0o377 {
                        let digit = char::from(*digit);
                        warnings.push(format!(
                            "the ambiguous octal escape \\{digits}{digit} is being\n\tinterpreted as the 2-byte sequence \\0{digits}, {digit}"
                        ));
                        break;
                    }
                    value = more;
                    digits.push(char::from(*digit));
                    rest = rest.get(1..).unwrap_or_default();
                }
                u8::try_from(value).unwrap_or(u8::MAX)
            }
            other => other,
        };
        bytes.push((byte, true));
    }
    bytes
}

impl Set {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Unsupported> {
        let mut warnings = Vec::new();
        let bytes = unescape(text, &mut warnings);
        let is = |at: usize, wanted: u8| bytes.get(at) == Some(&(wanted, false));
        let byte = |at: usize| bytes.get(at).map_or(0, |(byte, _)| *byte);
        let wrong = || Unsupported::mistake(format!("the set {}", text.escape_ascii()));
        let mut elements = Vec::new();
        let mut at = 0;
        while at + 2 < bytes.len() {
            if is(at, b'[') {
                if is(at + 1, b':') || is(at + 1, b'=') {
                    let mark = byte(at + 1);
                    let close = (at + 2..bytes.len() - 1).find(|close| is(*close, mark) && is(close + 1, b']'));
                    if let Some(close) = close {
                        let name: Vec<u8> = (at + 2..close).map(byte).collect();
                        let element = match (mark, &name[..]) {
                            (_, b"") => return Err(wrong()),
                            (b':', name) => Class::named(name).map(Element::Class),
                            (_, [byte]) => Some(Element::Equivalence(*byte)),
                            _ => None,
                        };
                        if let Some(element) = element {
                            elements.push(element);
                            at = close + 2;
                            continue;
                        }
                        // `[:*5]` and `[=*]` are repeats.
                        let digits = (at + 3..bytes.len()).find(|at| !byte(*at).is_ascii_digit());
                        if !(is(at + 2, b'*') && digits.is_some_and(|end| is(end, b']'))) {
                            return Err(wrong());
                        }
                    }
                }
                if is(at + 2, b'*')
                    && let Some(close) = (at + 3..bytes.len())
                        .take_while(|at| bytes.get(*at).is_some_and(|(_, escaped)| !escaped))
                        .find(|at| is(*at, b']'))
                {
                    let digits: Vec<u8> = (at + 3..close).map(byte).collect();
                    let count = repeat_count(&digits).ok_or_else(wrong)?;
                    elements.push(Element::Repeat(byte(at + 1), count));
                    at = close + 1;
                    continue;
                }
            }
            if is(at + 1, b'-') {
                let (first, last) = (byte(at), byte(at + 2));
                if first > last {
                    return Err(wrong());
                }
                elements.push(Element::Range(first, last));
                at += 3;
            } else {
                elements.push(Element::Byte(byte(at)));
                at += 1;
            }
        }
        elements.extend((at..bytes.len()).map(|at| Element::Byte(byte(at))));
        Ok(Self { elements, warnings })
    }

    /// Is there a `[c*]`?
    pub(crate) fn has_filling_repeat(&self) -> bool {
        self.filling_repeats() > 0
    }

    fn filling_repeats(&self) -> usize {
        self.elements.iter().filter(|element| matches!(element, Element::Repeat(_, 0))).count()
    }
}

/// The count of `[c*n]`: octal with a leading 0; nothing is 0. Sets are tables of 256 bytes, so that more is not needed.
fn repeat_count(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() {
        return Some(0);
    }
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    let radix = if text.starts_with('0') { 8 } else { 10 };
    usize::from_str_radix(text, radix).ok().filter(|count| *count < 1 << 30)
}

fn expand(element: Element, out: &mut Vec<u8>) {
    match element {
        Element::Byte(byte) | Element::Equivalence(byte) => out.push(byte),
        Element::Range(first, last) => out.extend(first..=last),
        Element::Class(class) => out.extend((0..=255).filter(|byte| class.has(*byte))),
        // More than every byte once is never looked at.
        Element::Repeat(byte, count) => out.extend(std::iter::repeat_n(byte, count.min(1024))),
    }
}

/// The bytes of a set in their order.
pub(crate) fn bytes_of(set: &Set) -> Vec<u8> {
    let mut bytes = Vec::new();
    for element in &set.elements {
        expand(*element, &mut bytes);
    }
    bytes
}

/// The bytes of a set, or the others.
pub(crate) fn delete_set(set: &Set, complement: bool) -> Box<[bool; 256]> {
    let mut table = squeeze_set(&bytes_of(set));
    if complement {
        table.iter_mut().for_each(|is_in| *is_in = !*is_in);
    }
    table
}

/// A table of these bytes.
pub(crate) fn squeeze_set(bytes: &[u8]) -> Box<[bool; 256]> {
    let mut table = Box::new([false; 256]);
    for byte in bytes {
        if let Some(entry) = table.get_mut(usize::from(*byte)) {
            *entry = true;
        }
    }
    table
}

/// What each byte becomes, and the bytes of the second set.
pub(crate) fn translation(
    first: &Set,
    mut second: Set,
    complement: bool,
    truncate: bool,
) -> Result<(Box<[u8; 256]>, Vec<u8>), Unsupported> {
    if second.filling_repeats() > 1 {
        return Err(Unsupported::mistake("several [c*] in the second set"));
    }
    for element in &second.elements {
        match element {
            Element::Equivalence(_) => return Err(Unsupported::mistake("[=c=] in the second set")),
            Element::Class(class) if !class.is_case() => {
                return Err(Unsupported::mistake("a class but upper and lower in the second set"));
            }
            _ => {}
        }
    }
    let sources: Vec<u8> = if complement {
        let table = delete_set(first, true);
        (0..=255u8).filter(|byte| table.get(usize::from(*byte)).copied().unwrap_or(false)).collect()
    } else {
        bytes_of(first)
    };
    // `[c*]` fills up; where nothing is left to fill it stands for nothing.
    let fixed = bytes_of(&second).len();
    if sources.len() >= fixed {
        for element in &mut second.elements {
            if let Element::Repeat(byte, 0) = *element {
                *element = Element::Repeat(byte, sources.len() - fixed);
            }
        }
    }
    let targets = bytes_of(&second);
    let mut table = Box::new([0; 256]);
    for (entry, byte) in table.iter_mut().zip(0..=255) {
        *entry = byte;
    }
    let mut set = |from: u8, to: u8| {
        if let Some(entry) = table.get_mut(usize::from(from)) {
            *entry = to;
        }
    };
    let has_case = second.elements.iter().any(|element| matches!(element, Element::Class(_)));
    if complement || !has_case {
        let extension = extension(&second, sources.len() > targets.len() && !truncate)?;
        if complement && first.elements.iter().any(|element| matches!(element, Element::Class(_))) {
            let all_one = targets.windows(2).all(|pair| matches!(pair, [left, right] if left == right));
            let covers = if truncate { targets.len() == sources.len() } else { targets.len() <= sources.len() };
            if !(all_one && covers) {
                return Err(Unsupported::mistake("a complemented class that becomes several bytes"));
            }
        }
        let mut next = targets.iter().copied();
        for &from in &sources {
            let Some(to) = next.next().or(extension) else { break };
            set(from, to);
        }
        return Ok((table, targets));
    }
    // Case classes of the second set stand where those of the first do.
    let (left, right) = (flatten(&first.elements), flatten(&second.elements));
    let mut at = 0;
    loop {
        match (left.get(at), right.get(at)) {
            (Some(Item::Case { upper: from }), Some(Item::Case { upper: to })) => {
                for byte in 0..=255u8 {
                    match (from, to) {
                        (true, false) if byte.is_ascii_uppercase() => set(byte, byte.to_ascii_lowercase()),
                        (false, true) if byte.is_ascii_lowercase() => set(byte, byte.to_ascii_uppercase()),
                        _ => {}
                    }
                }
            }
            (_, Some(Item::Case { .. })) => {
                return Err(Unsupported::mistake("[:upper:] or [:lower:] that do not stand in the same place"));
            }
            (Some(Item::Byte(from)), Some(Item::Byte(to))) => set(*from, *to),
            (Some(Item::Case { .. }), _) => return Err(Unsupported::new("a case class beside single bytes")),
            (None, _) => break,
            (Some(Item::Byte(from)), None) => {
                let Some(to) = extension(&second, !truncate)? else { break };
                set(*from, to);
            }
        }
        at += 1;
    }
    Ok((table, targets))
}

/// The last byte of a set, which the first set's rest becomes.
fn extension(second: &Set, needed: bool) -> Result<Option<u8>, Unsupported> {
    if !needed {
        return Ok(None);
    }
    match second.elements.last() {
        None => Err(Unsupported::mistake("an empty second set")),
        Some(Element::Class(_)) => Err(Unsupported::mistake("a shorter second set that ends with a class")),
        Some(Element::Byte(byte) | Element::Range(_, byte) | Element::Equivalence(byte)) => Ok(Some(*byte)),
        Some(Element::Repeat(byte, _)) => Ok(Some(*byte)),
    }
}

enum Item {
    Byte(u8),
    Case { upper: bool },
}

fn flatten(elements: &[Element]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut bytes = Vec::new();
    for &element in elements {
        match element {
            Element::Class(Class::Upper) => items.push(Item::Case { upper: true }),
            Element::Class(Class::Lower) => items.push(Item::Case { upper: false }),
            _ => {
                bytes.clear();
                expand(element, &mut bytes);
                items.extend(bytes.iter().map(|byte| Item::Byte(*byte)));
            }
        }
    }
    items
}
