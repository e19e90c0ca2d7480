//! The separators of field splitting (XCU 2.6.5).

use bstr::ByteSlice;
use smallvec::SmallVec;

/// IFS, prepared for splitting.
#[derive(Debug, Clone)]
pub(crate) struct Ifs {
    class: [u8; 256],
    /// The separators of more than one byte.
    wide: SmallVec<[SmallVec<[u8; 4]>; 1]>,
    /// The first character, that joins `"$*"`: a space where IFS is unset.
    first: SmallVec<[u8; 4]>,
}

const SEPARATOR: u8 = 1;
const WHITE: u8 = 2;
/// The first byte of a separator of several bytes.
const LEAD: u8 = 4;

impl Ifs {
    /// Of the value of IFS; `None` if it is unset.
    pub(crate) fn new(value: Option<&[u8]>) -> Self {
        let value = value.unwrap_or(b" \t\n");
        let mut class = [0; 256];
        let mut wide = SmallVec::new();
        let mut first = SmallVec::new();
        for (start, end, _) in value.char_indices() {
            let character = &value[start..end];
            if start == 0 {
                first = SmallVec::from_slice(character);
            }
            match character {
                // White space of IFS is, as POSIX allows and bash 5.2 does, everything that isspace() tells.
                &[byte] if matches!(byte, b' ' | b'\t'..=b'\r') => class[usize::from(byte)] = SEPARATOR | WHITE,
                &[byte] => class[usize::from(byte)] |= SEPARATOR,
                [lead, ..] => {
                    class[usize::from(*lead)] |= LEAD;
                    wide.push(SmallVec::from_slice(character));
                }
                [] => {}
            }
        }
        Self { class, wide, first }
    }

    /// The length in bytes of the separator that the text begins with; 0 where it begins with none.
    #[inline]
    pub(crate) fn separator(&self, text: &[u8]) -> usize {
        let Some(&byte) = text.first() else { return 0 };
        match self.class[usize::from(byte)] {
            0 => 0,
            class if class & SEPARATOR != 0 => 1,
            _ => self.wide.iter().find(|wide| text.starts_with(wide)).map_or(0, |wide| wide.len()),
        }
    }

    /// How many bytes stand before the first separator.
    #[inline]
    pub(crate) fn run(&self, text: &[u8]) -> usize {
        let mut at = 0;
        while let Some(found) = text[at..].iter().position(|&byte| self.class[usize::from(byte)] != 0) {
            at += found;
            if self.separator(&text[at..]) > 0 {
                return at;
            }
            at += 1;
        }
        text.len()
    }

    #[inline]
    pub(crate) fn is_white(&self, byte: u8) -> bool {
        self.class[usize::from(byte)] & WHITE != 0
    }

    /// What stands between the parts of `"$*"`.
    pub(crate) fn joiner(&self) -> &[u8] {
        &self.first
    }

    /// Is the first character a separator that is not white space? Then it delimits the elements of an unquoted `$@`
    /// (as bash), and an empty one of them is an empty field.
    pub(crate) fn joiner_delimits(&self) -> bool {
        self.first.first().is_some_and(|&byte| !self.is_white(byte))
    }
}

impl Default for Ifs {
    fn default() -> Self {
        Self::new(None)
    }
}

#[cfg(test)]
mod tests {
    use super::Ifs;

    #[test]
    fn separators_of_several_bytes_are_whole_characters() {
        let ifs = Ifs::new(Some("\u{e9}:".as_bytes()));
        assert_eq!(ifs.separator("\u{e9}x".as_bytes()), 2);
        assert_eq!(ifs.separator("\u{e8}x".as_bytes()), 0);
        assert_eq!(ifs.separator(b":"), 1);
        assert_eq!(ifs.run("a\u{e8}b\u{e9}".as_bytes()), 4);
        assert_eq!(ifs.joiner(), "\u{e9}".as_bytes());
    }
}
