//! Classes of bytes, in one table.

/// Ends a word: blank, newline, or the first character of an operator.
pub(crate) const META: u16 = 1;
/// Begins quoting or an expansion in unquoted text: `\ ' " $` and the backquote.
pub(crate) const QUOTE: u16 = 2;
/// May begin or end a pattern: `* ? [`.
pub(crate) const GLOB: u16 = 4;
/// `{`
pub(crate) const BRACE: u16 = 8;
/// `~`
pub(crate) const TILDE: u16 = 16;
/// May stand in a name: letters, digits, underscore.
pub(crate) const NAME: u16 = 32;
/// `0` to `9`
pub(crate) const DIGIT: u16 = 64;
/// Special inside double quotes: `\ " $` and the backquote.
pub(crate) const DOUBLE: u16 = 128;
/// `=`
pub(crate) const EQUALS: u16 = 256;

/// The classes of every byte.
pub(crate) static CLASS: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' => META,
            b'\\' | b'"' | b'$' | b'`' => QUOTE | DOUBLE,
            b'\'' => QUOTE,
            b'*' | b'?' | b'[' => GLOB,
            b'{' => BRACE,
            b'~' => TILDE,
            b'=' => EQUALS,
            b'0'..=b'9' => NAME | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => NAME,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// How many newlines there are in a text.
pub fn newlines(text: &[u8]) -> usize {
    // What finds them fast in a long text has to find out first what the processor can do.
    if text.len() < 64 {
        return text.iter().filter(|&&byte| byte == b'\n').count();
    }
    memchr::memchr_iter(b'\n', text).count()
}

/// Is the byte in one of the classes?
#[inline]
pub(crate) fn is(byte: u8, classes: u16) -> bool {
    CLASS[byte as usize] & classes != 0
}

/// Can the byte begin a name?
#[inline]
pub(crate) fn begins_name(byte: u8) -> bool {
    CLASS[byte as usize] & (NAME | DIGIT) == NAME
}

/// So short a text is searched byte by byte. `memchr` asks the processor before its first search what it can do, which takes longer than
/// all searches of a short script, above all in a virtual machine (docs/PERFORMANCE.md).
const SHORT: usize = 1024;

/// Does a text have these bytes, one after the other?
#[inline]
pub fn contains<const LENGTH: usize>(text: &[u8], part: &[u8; LENGTH]) -> bool {
    if text.len() <= SHORT {
        LENGTH == 0 || text.windows(LENGTH).any(|window| window == part)
    } else {
        memchr::memmem::find(text, part).is_some()
    }
}

/// Where the first such byte stands.
#[inline]
pub(crate) fn find(byte: u8, text: &[u8]) -> Option<usize> {
    if text.len() <= SHORT { text.iter().position(|&other| other == byte) } else { memchr::memchr(byte, text) }
}

/// Does a text end in an odd number of backslashes?
pub(crate) fn ends_in_backslash(text: &[u8]) -> bool {
    text.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::{SHORT, contains, find};

    #[test]
    fn a_text_is_searched_alike_on_both_sides_of_the_bound() {
        for length in [0, 1, 11, SHORT - 1, SHORT, SHORT + 1, 4 * SHORT] {
            let blank = vec![b'.'; length];
            assert_eq!((find(b'x', &blank), contains(&blank, b"xyz")), (None, false), "{length}");
            assert!(contains(&blank, b""), "{length}");
            for place in [0, length / 2, length.saturating_sub(3)] {
                let mut text = blank.clone();
                let Some(part) = text.get_mut(place..place + 3) else { continue };
                part.copy_from_slice(b"xyz");
                assert_eq!((find(b'x', &text), contains(&text, b"xyz")), (Some(place), true), "{length} {place}");
                assert!(!contains(&text, b"xyy"), "{length} {place}");
            }
        }
    }
}
