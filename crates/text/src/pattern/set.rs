//! Bracket expressions (POSIX XCU 2.14.1, XBD 9.3.5).

use super::Options;
use super::chars::{Class, decode, fold};

/// A compiled bracket expression.
#[derive(Debug, Clone)]
pub(super) struct Set {
    /// The answer for each ASCII character, negation included.
    ascii: u128,
    items: Vec<Item>,
    negated: bool,
    nocase: bool,
}

#[derive(Debug, Clone, Copy)]
enum Item {
    /// First and last character, folded when case does not count.
    Range(u32, u32),
    Class(Class),
}

impl Item {
    /// The ASCII characters that are meant, one bit for each.
    fn ascii(self, nocase: bool) -> u128 {
        /// `A` to `Z`.
        const UPPER: u128 = ((1 << 26) - 1) << b'A';
        match self {
            Self::Range(first, ..) if first >= 128 => 0,
            Self::Range(first, last) => {
                let range = (u128::MAX << first) & (u128::MAX >> (127 - last.min(127)));
                // An upper-case letter is looked for as the lower-case one, 32 bits after it.
                if nocase { (range & !UPPER) | (range >> 32 & UPPER) } else { range }
            }
            Self::Class(class) => class.ascii(),
        }
    }
}

impl Set {
    /// Whether the set contains the character (as it stands in the text).
    #[inline]
    pub(super) fn contains(&self, character: u32) -> bool {
        if character < 128 {
            return self.ascii >> character & 1 == 1;
        }
        self.contains_slowly(character)
    }

    fn contains_slowly(&self, character: u32) -> bool {
        let folded = if self.nocase { fold(character) } else { character };
        let found = self.items.iter().any(|item| match *item {
            Item::Range(first, last) => first <= folded && folded <= last,
            Item::Class(class) => class.contains(character),
        });
        found != self.negated
    }

    /// Reads the bracket expression whose `[` is at `open`. Returns it with the offset after its `]`, or nothing
    /// when it is not closed (the `[` is then an ordinary character).
    pub(super) fn parse(pattern: &[u8], open: usize, options: Options) -> Option<(Self, usize)> {
        let mut parser = Parser { pattern, at: open + 1, options };
        let negated = matches!(parser.peek(), Some(b'!' | b'^'));
        if negated {
            parser.at += 1;
        }
        let items = parser.items()?;
        let found = items.iter().fold(0, |found, item| found | item.ascii(options.nocase));
        let ascii = if negated { !found } else { found };
        Some((Self { ascii, items, negated, nocase: options.nocase }, parser.at))
    }

    /// The offset after the bracket expression that opens at `open`, if it is closed.
    pub(super) fn skip(pattern: &[u8], open: usize, options: Options) -> Option<usize> {
        let mut parser = Parser { pattern, at: open + 1, options };
        if matches!(parser.peek(), Some(b'!' | b'^')) {
            parser.at += 1;
        }
        parser.items()?;
        Some(parser.at)
    }
}

struct Parser<'p> {
    pattern: &'p [u8],
    at: usize,
    options: Options,
}

/// An end point of a range, or what cannot be one.
enum Element {
    Character(u32),
    Class(Class),
    /// An unknown class or collating symbol: it matches nothing.
    Nothing,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn peek_second(&self) -> Option<u8> {
        self.pattern.get(self.at + 1).copied()
    }

    fn items(&mut self) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        let mut first = true;
        loop {
            if self.peek()? == b']' && !first {
                self.at += 1;
                return Some(items);
            }
            first = false;
            let (start, may_start_range) = self.element()?;
            if may_start_range && self.peek()? == b'-' && self.peek_second()? != b']' {
                self.at += 1;
                let (end, _) = self.element()?;
                // A range whose end is before its start, or not a character, matches nothing.
                if let (Element::Character(start), Element::Character(end)) = (start, end) {
                    let (start, end) = (self.fold(start), self.fold(end));
                    if start <= end {
                        items.push(Item::Range(start, end));
                    }
                }
                continue;
            }
            match start {
                Element::Character(character) => {
                    let character = self.fold(character);
                    items.push(Item::Range(character, character));
                }
                Element::Class(class) => items.push(Item::Class(class)),
                Element::Nothing => {}
            }
        }
    }

    fn fold(&self, character: u32) -> u32 {
        if self.options.nocase { fold(character) } else { character }
    }

    /// One member, and whether it may begin a range.
    fn element(&mut self) -> Option<(Element, bool)> {
        match (self.peek()?, self.peek_second()) {
            (b'[', Some(b':')) => {
                if let Some(name) = self.named(b':') {
                    return Some((Class::from_name(&name).map_or(Element::Nothing, Element::Class), false));
                }
            }
            (b'[', Some(b'=')) => {
                if let Some(name) = self.named(b'=') {
                    return Some((self.single(&name), false));
                }
            }
            (b'[', Some(b'.')) => {
                if let Some(name) = self.named(b'.') {
                    let element = match self.single(&name) {
                        Element::Nothing => {
                            collating_symbol(&name).map_or(Element::Nothing, |c| Element::Character(c.into()))
                        }
                        element => element,
                    };
                    return Some((element, true));
                }
            }
            (b'\\', _) => {
                self.at += 1;
                self.peek()?;
            }
            _ => {}
        }
        let (character, length) = decode(self.pattern, self.at, self.options.bytes);
        self.at += length;
        Some((Element::Character(character), true))
    }

    /// The name in `[:name:]`, `[=x=]` or `[.name.]`; the position is moved after it when it is complete.
    fn named(&mut self, delimiter: u8) -> Option<Vec<u8>> {
        let start = self.at + 2;
        // `[.].]` and `[=]=]` name the bracket itself, so the search starts after the first character.
        let from = if delimiter == b':' { start } else { start + 1 };
        let rest = self.pattern.get(from..)?;
        let rest = &rest[..rest.len().min(LONGEST_NAME + 2)];
        let end = from + rest.windows(2).position(|pair| pair == [delimiter, b']'])?;
        let mut name = Vec::new();
        super::unescape(&self.pattern[start..end], &mut name);
        self.at = end + 2;
        Some(name)
    }

    fn single(&self, name: &[u8]) -> Element {
        if name.is_empty() {
            return Element::Nothing;
        }
        match decode(name, 0, self.options.bytes) {
            (character, length) if length == name.len() => Element::Character(character),
            _ => Element::Nothing,
        }
    }
}

/// A longer text is no name, whatever delimiter may follow. The longest known one is `right-curly-bracket`; each of its
/// characters may be escaped.
const LONGEST_NAME: usize = 64;

/// The character that a POSIX portable character name stands for (XBD 6.1), as bash's table has it.
fn collating_symbol(name: &[u8]) -> Option<u8> {
    SYMBOLS.iter().find(|(symbol, _)| symbol.as_bytes() == name).map(|&(_, byte)| byte)
}

const SYMBOLS: &[(&str, u8)] = &[
    ("NUL", 0x00),
    ("SOH", 0x01),
    ("STX", 0x02),
    ("ETX", 0x03),
    ("EOT", 0x04),
    ("ENQ", 0x05),
    ("ACK", 0x06),
    ("alert", 0x07),
    ("BS", 0x08),
    ("backspace", 0x08),
    ("HT", 0x09),
    ("tab", 0x09),
    ("LF", 0x0A),
    ("newline", 0x0A),
    ("VT", 0x0B),
    ("vertical-tab", 0x0B),
    ("FF", 0x0C),
    ("form-feed", 0x0C),
    ("CR", 0x0D),
    ("carriage-return", 0x0D),
    ("SO", 0x0E),
    ("SI", 0x0F),
    ("DLE", 0x10),
    ("DC1", 0x11),
    ("DC2", 0x12),
    ("DC3", 0x13),
    ("DC4", 0x14),
    ("NAK", 0x15),
    ("SYN", 0x16),
    ("ETB", 0x17),
    ("CAN", 0x18),
    ("EM", 0x19),
    ("SUB", 0x1A),
    ("ESC", 0x1B),
    ("IS4", 0x1C),
    ("FS", 0x1C),
    ("IS3", 0x1D),
    ("GS", 0x1D),
    ("IS2", 0x1E),
    ("RS", 0x1E),
    ("IS1", 0x1F),
    ("US", 0x1F),
    ("space", b' '),
    ("exclamation-mark", b'!'),
    ("quotation-mark", b'"'),
    ("number-sign", b'#'),
    ("dollar-sign", b'$'),
    ("percent-sign", b'%'),
    ("ampersand", b'&'),
    ("apostrophe", b'\''),
    ("left-parenthesis", b'('),
    ("right-parenthesis", b')'),
    ("asterisk", b'*'),
    ("plus-sign", b'+'),
    ("comma", b','),
    ("hyphen", b'-'),
    ("hyphen-minus", b'-'),
    ("minus", b'-'),
    ("dash", b'-'),
    ("period", b'.'),
    ("full-stop", b'.'),
    ("slash", b'/'),
    ("solidus", b'/'),
    ("zero", b'0'),
    ("one", b'1'),
    ("two", b'2'),
    ("three", b'3'),
    ("four", b'4'),
    ("five", b'5'),
    ("six", b'6'),
    ("seven", b'7'),
    ("eight", b'8'),
    ("nine", b'9'),
    ("colon", b':'),
    ("semicolon", b';'),
    ("less-than-sign", b'<'),
    ("equals-sign", b'='),
    ("greater-than-sign", b'>'),
    ("question-mark", b'?'),
    ("commercial-at", b'@'),
    ("left-square-bracket", b'['),
    ("backslash", b'\\'),
    ("reverse-solidus", b'\\'),
    ("right-square-bracket", b']'),
    ("circumflex", b'^'),
    ("circumflex-accent", b'^'),
    ("underscore", b'_'),
    ("grave-accent", b'`'),
    ("left-brace", b'{'),
    ("left-curly-bracket", b'{'),
    ("vertical-line", b'|'),
    ("right-brace", b'}'),
    ("right-curly-bracket", b'}'),
    ("tilde", b'~'),
    ("DEL", 0x7F),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_characters_are_answered_as_the_others_are() {
        let classes = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit";
        let mut patterns: Vec<String> = classes.split(' ').map(|class| format!("[[:{class}:]]")).collect();
        for members in
            ["a", "Z", "a-z", "A-Z", "Z-a", "@-[", "\\0-~", " -é", "é-ü", "é-", "a-fX0-9_", "[:digit:]q-s", "z-a"]
        {
            patterns.extend([format!("[{members}]"), format!("[!{members}]")]);
        }
        for pattern in patterns {
            for nocase in [false, true] {
                let options = Options { nocase, ..Options::default() };
                let (set, end) = Set::parse(pattern.as_bytes(), 0, options).unwrap();
                assert_eq!(end, pattern.len());
                for character in 0..128 {
                    assert_eq!(
                        set.contains(character),
                        set.contains_slowly(character),
                        "{pattern} {nocase} {character}"
                    );
                }
            }
        }
    }
}
