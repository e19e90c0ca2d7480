//! Reading one conversion specification.

/// The flags of a conversion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// `#`
    pub(super) alternate: bool,
    /// `-`
    pub(super) left: bool,
    /// `+`
    pub(super) plus: bool,
    /// A space.
    pub(super) space: bool,
    /// `0`
    pub(super) zero: bool,
}

/// A width or precision as the format has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Absent,
    /// `*`: the next argument.
    Argument,
    Number(usize),
}

/// What stands between the `%` and the conversion character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) flags: Flags,
    pub(super) width: Count,
    pub(super) precision: Count,
}

impl Directive {
    /// Reads from `text`, which follows a `%`, up to the conversion character; gives what is left with that
    /// character in front.
    pub(super) fn parse(text: &[u8]) -> (Self, &[u8]) {
        let mut rest = text;
        let mut flags = Flags::default();
        while let [flag, tail @ ..] = rest {
            match flag {
                b'#' => flags.alternate = true,
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'0' => flags.zero = true,
                // Thousands are not grouped in the C and C.UTF-8 locales.
                b'\'' => {}
                _ => break,
            }
            rest = tail;
        }
        let width;
        (width, rest) = count(rest);
        let mut precision = Count::Absent;
        if let [b'.', tail @ ..] = rest {
            (precision, rest) = match tail {
                // A negative precision counts as none.
                [b'-', tail @ ..] => (Count::Absent, count(tail).1),
                tail => match count(tail) {
                    (Count::Absent, tail) => (Count::Number(0), tail),
                    read => read,
                },
            };
        }
        while let [b'h' | b'j' | b'l' | b'L' | b't' | b'z', tail @ ..] = rest {
            rest = tail;
        }
        (Self { flags, width, precision }, rest)
    }
}

fn count(text: &[u8]) -> (Count, &[u8]) {
    if let [b'*', tail @ ..] = text {
        return (Count::Argument, tail);
    }
    let mut rest = text;
    let mut value = 0_usize;
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        rest = tail;
    }
    if rest.len() == text.len() { (Count::Absent, rest) } else { (Count::Number(value), rest) }
}
