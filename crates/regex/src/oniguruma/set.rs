//! Sets of characters, and which characters are the same but for case.

/// A set of characters.
#[derive(Debug, Clone, Default)]
pub(super) struct Set {
    pub(super) negated: bool,
    pub(super) ignore_case: bool,
    pub(super) ranges: Vec<(char, char)>,
    /// Classes, and whether each is negated.
    pub(super) classes: Vec<(Class, bool)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Class {
    Digit,
    Word,
    Space,
    Alpha,
    Alnum,
    Upper,
    Lower,
    Blank,
    Cntrl,
    Xdigit,
    Ascii,
}

/// Is it a character of words?
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        regex_syntax::is_word_character(c) || c.is_numeric()
    }
}

/// The character that stands for all that differ from it in case.
pub(super) fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut upper = c.to_uppercase();
    let upper = match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => c,
    };
    let mut lower = upper.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

impl Class {
    fn has(self, c: char) -> bool {
        match self {
            Self::Digit if c.is_ascii() => c.is_ascii_digit(),
            Self::Digit => c.is_numeric() && regex_syntax::is_word_character(c) && !c.is_alphabetic(),
            Self::Word => is_word(c),
            Self::Space => c.is_whitespace(),
            Self::Alpha => c.is_alphabetic(),
            Self::Alnum => c.is_alphabetic() || Self::Digit.has(c),
            Self::Upper => c.is_uppercase(),
            Self::Lower => c.is_lowercase(),
            Self::Blank => c == ' ' || c == '\t',
            Self::Cntrl => c.is_control(),
            Self::Xdigit => c.is_ascii_hexdigit(),
            Self::Ascii => c.is_ascii(),
        }
    }
}

impl Set {
    fn plain(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
            || self.classes.iter().any(|(class, negated)| class.has(c) != *negated)
    }

    pub(super) fn has(&self, c: char) -> bool {
        let mut found = self.plain(c);
        if !found && self.ignore_case {
            let other = fold(c);
            let mut upper = other.to_uppercase();
            found = self.plain(other) || upper.next().is_some_and(|upper_c| self.plain(upper_c));
        }
        found != self.negated
    }
}
