//! Sets of characters.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// A set: its ranges in order, and its ASCII characters as bits.
#[derive(Debug, Clone)]
pub(super) struct Set {
    ascii: u128,
    ranges: Vec<(char, char)>,
}

impl Set {
    pub(super) fn new(class: &ClassUnicode) -> Self {
        let ranges: Vec<(char, char)> = class.ranges().iter().map(|range| (range.start(), range.end())).collect();
        let mut ascii = 0;
        for (from, to) in ranges.iter().take_while(|(from, _)| from.is_ascii()) {
            for code in u32::from(*from)..=u32::from(*to).min(127) {
                ascii |= 1 << code;
            }
        }
        Self { ascii, ranges }
    }

    pub(super) fn has(&self, character: char) -> bool {
        if character.is_ascii() {
            return self.ascii >> u32::from(character) & 1 == 1;
        }
        let at = self.ranges.partition_point(|(_, to)| *to < character);
        self.ranges.get(at).is_some_and(|(from, _)| *from <= character)
    }
}

/// A class that is being built, and how case is ignored in it.
pub(super) fn class(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(from, to)| ClassUnicodeRange::new(*from, *to)))
}

/// With the other cases of its characters; without UTF only ASCII has cases.
pub(super) fn fold(class: &mut ClassUnicode, bytes: bool) {
    if !bytes {
        // Cannot fail: the tables are there (a default feature of regex-syntax). Without them there is only ASCII.
        if class.try_case_fold_simple().is_ok() {
            return;
        }
    }
    let ascii = |low: char, high: char, to: u8| {
        let mut part = class.clone();
        part.intersect(&self::class(&[(low, high)]));
        let moved = |c: char| u8::try_from(c).map_or(c, |byte| char::from(byte ^ to));
        ClassUnicode::new(
            part.ranges().iter().map(|range| ClassUnicodeRange::new(moved(range.start()), moved(range.end()))),
        )
    };
    let (upper, lower) = (ascii('a', 'z', 0x20), ascii('A', 'Z', 0x20));
    class.union(&upper);
    class.union(&lower);
}

/// The characters of a class in the syntax of the crate `regex`.
pub(super) fn parsed(pattern: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        // A class of one character is a literal, and an empty one matches nothing.
        HirKind::Literal(literal) => {
            let only = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(class(&[(only, only)]))
        }
        HirKind::Class(Class::Bytes(class)) => class.to_unicode_class(),
        _ => None,
    }
}
