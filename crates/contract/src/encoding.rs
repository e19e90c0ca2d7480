//! The encoding of what a hook prints.

use std::borrow::Cow;

/// What a hook printed, as UTF-8: Windows PowerShell and other programs of Windows write UTF-16, with a byte order mark or
/// without one. Everything else is left as it is, a UTF-8 byte order mark included.
pub fn to_utf8(printed: &[u8]) -> Cow<'_, [u8]> {
    let from: fn([u8; 2]) -> u16 = match printed {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        // Without a mark: ASCII text has a NUL in each unit, which no UTF-8 text for an agent has.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => u16::from_le_bytes,
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => u16::from_be_bytes,
        _ => return Cow::Borrowed(printed),
    };
    let units: Vec<u16> = printed.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
    let units = units.strip_prefix(&[0xfeff]).unwrap_or(&units);
    Cow::Owned(String::from_utf16_lossy(units).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::to_utf8;

    #[test]
    fn utf16_is_known_by_its_mark_or_its_nuls() {
        let text = "{\"reason\":\"é 😀\"}\r\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(to_utf8(&little), text.as_bytes());
        assert_eq!(to_utf8(&big), text.as_bytes());
        assert_eq!(to_utf8(&[&[0xff, 0xfe], &little[..]].concat()), text.as_bytes());
        assert_eq!(to_utf8(&[&[0xfe, 0xff], &big[..]].concat()), text.as_bytes());
        for other in [&b""[..], b"a", b"a\0", b"\0\0\0\0", text.as_bytes(), b"\xef\xbb\xbf{}", b"ab\0\0"] {
            assert_eq!(to_utf8(other), other);
        }
    }
}
