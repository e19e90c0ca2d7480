//! Bracket expressions (XBD 9.3.5), as glibc reads them.

use crate::class::CharClass;
use crate::ctype;
use crate::error::Error;
use crate::syntax::Rules;
use crate::text::INVALID;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    End,
    Unit(u32),
    Collating,
    Equivalence,
    Class,
    Range,
    Close,
    Negation,
}

/// The longest name in `[: :]`, `[. .]` and `[= =]`.
const NAME: usize = 32;

enum Element {
    Unit(u32),
    Class(CharClass),
    /// A collating symbol of several characters: an error, unless another comes first.
    NoSymbol,
}

struct Reader<'p> {
    pattern: &'p [u8],
    at: usize,
    rules: &'p Rules,
}

/// Reads what follows `[`; `at` is after the `]` then.
pub(crate) fn parse(pattern: &[u8], at: &mut usize, rules: &Rules) -> Result<CharClass, Error> {
    let mut reader = Reader { pattern, at: *at, rules };
    let mut class = CharClass::default();
    // What has both cases of each of its characters.
    let mut folded = CharClass::default();
    let (mut token, mut length) = reader.peek();
    if token == Token::End {
        return Err(Error::Pattern);
    }
    let negated = token == Token::Negation;
    if negated {
        reader.at += length;
        (token, length) = reader.peek();
        if token == Token::End {
            return Err(Error::Pattern);
        }
    }
    if token == Token::Close {
        token = Token::Unit(u32::from(b']'));
    }
    let mut first = true;
    loop {
        let start = reader.element(token, length, first)?;
        first = false;
        (token, length) = reader.peek();
        let mut range_end = None;
        if !matches!(start, Element::Class(_)) {
            if token == Token::End {
                return Err(Error::UnmatchedBracket);
            }
            if token == Token::Range {
                let before = reader.at;
                reader.at += length;
                let (second, second_length) = reader.peek();
                match second {
                    Token::End => return Err(Error::UnmatchedBracket),
                    Token::Close => {
                        // The last `-` stands for itself.
                        reader.at = before;
                        token = Token::Unit(u32::from(b'-'));
                    }
                    _ => {
                        range_end = Some(reader.element(second, second_length, true)?);
                        (token, length) = reader.peek();
                    }
                }
            }
        }
        match (start, range_end) {
            (Element::Unit(start), Some(Element::Unit(end))) => {
                if start > end {
                    return Err(Error::RangeEnd);
                }
                class.extend(&[(start, end)]);
            }
            (Element::Class(_), Some(_)) | (_, Some(Element::Class(_))) => return Err(Error::RangeEnd),
            (Element::NoSymbol, _) | (_, Some(Element::NoSymbol)) => return Err(Error::Collation),
            // A byte that is no character fits no list, as glibc has it.
            (Element::Unit(unit), None) if unit >= INVALID => {}
            (Element::Unit(unit), None) => class.extend(&[(unit, unit)]),
            // The named classes have the other cases of their characters already, and a hundred thousand of these.
            (Element::Class(named), None) if named.ranges().len() > 1 => folded.extend(named.ranges()),
            (Element::Class(named), None) => class.extend(named.ranges()),
        }
        match token {
            Token::End => return Err(Error::UnmatchedBracket),
            Token::Close => break,
            _ => {}
        }
    }
    reader.at += length;
    class.normalize();
    if rules.ignore_case {
        class.fold(rules.encoding);
    }
    class.extend(folded.ranges());
    class.normalize();
    if negated {
        class.complement(rules.encoding);
        if rules.newline {
            class.remove(u32::from(b'\n'));
        }
    }
    *at = reader.at;
    Ok(class)
}

impl<'p> Reader<'p> {
    fn peek(&self) -> (Token, usize) {
        let Some((unit, length)) = self.rules.encoding.decode(self.pattern, self.at) else { return (Token::End, 0) };
        let next = self.pattern.get(self.at + 1).copied();
        let token = match u8::try_from(unit).unwrap_or(b'a') {
            b'\\' if self.rules.grammar.awk && next.is_some() => {
                let (unit, length) =
                    self.rules.encoding.decode(self.pattern, self.at + 1).unwrap_or((u32::from(b'\\'), 0));
                return (Token::Unit(unit), 1 + length);
            }
            b'[' => match next {
                Some(b'.') => return (Token::Collating, 2),
                Some(b'=') => return (Token::Equivalence, 2),
                Some(b':') => return (Token::Class, 2),
                _ => Token::Unit(unit),
            },
            // `---` is one minus sign.
            b'-' if next == Some(b'-') && self.pattern.get(self.at + 2) == Some(&b'-') => {
                return (Token::Unit(unit), 3);
            }
            b'-' => Token::Range,
            b']' => Token::Close,
            b'^' => Token::Negation,
            _ => Token::Unit(unit),
        };
        (token, length)
    }

    fn element(&mut self, token: Token, length: usize, accept_hyphen: bool) -> Result<Element, Error> {
        self.at += length;
        Ok(match token {
            Token::Unit(unit) => Element::Unit(unit),
            Token::Collating | Token::Equivalence => {
                let name = self.name(if token == Token::Collating { b'.' } else { b'=' })?;
                match name {
                    [byte] if token == Token::Collating => Element::Unit(u32::from(*byte)),
                    [byte] => Element::Class(CharClass::from_ranges(&[(u32::from(*byte), u32::from(*byte))])),
                    _ if token == Token::Collating => Element::NoSymbol,
                    _ => return Err(Error::Collation),
                }
            }
            Token::Class => {
                let mut name = self.name(b':')?;
                if self.rules.ignore_case && matches!(name, b"upper" | b"lower") {
                    name = b"alpha";
                }
                Element::Class(ctype::named(name, self.rules.encoding).ok_or(Error::ClassName)?)
            }
            Token::Range => {
                // Elsewhere than at the edges it is an error.
                if !accept_hyphen && self.peek().0 != Token::Close {
                    return Err(Error::RangeEnd);
                }
                Element::Unit(u32::from(b'-'))
            }
            Token::Close => Element::Unit(u32::from(b']')),
            Token::Negation => Element::Unit(u32::from(b'^')),
            Token::End => return Err(Error::UnmatchedBracket),
        })
    }

    /// A name up to its delimiter and `]`.
    fn name(&mut self, delimiter: u8) -> Result<&'p [u8], Error> {
        let rest = self.pattern.get(self.at..).unwrap_or_default();
        let end = rest.windows(2).position(|pair| pair == [delimiter, b']']).filter(|end| *end < NAME);
        let end = end.ok_or(Error::UnmatchedBracket)?;
        self.at += end + 2;
        Ok(rest.get(..end).unwrap_or_default())
    }
}
