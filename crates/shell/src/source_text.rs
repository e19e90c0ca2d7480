//! The text of a script as the shell reads it.

use std::borrow::Cow;

/// Shell source as the parser wants it: without a byte order mark, in UTF-8 where a UTF-16 mark says that it is not,
/// and with LF line ends where the first line ends with CRLF.
///
/// Only then: a script whose first line ends with LF keeps every CR, for it may be data (`tr -d '\r'` written out).
pub fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match utf16(bytes) {
        Some(text) => Cow::Owned(text.into_bytes()),
        None => Cow::Borrowed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
    };
    let first_line_end = text.iter().position(|byte| *byte == b'\n');
    match first_line_end {
        Some(end) if end > 0 && text.get(end - 1) == Some(&b'\r') => {
            let mut unix = Vec::with_capacity(text.len());
            let mut rest: &[u8] = &text;
            while let Some(at) = rest.windows(2).position(|pair| pair == b"\r\n") {
                let (line, after) = rest.split_at(at);
                unix.extend_from_slice(line);
                rest = after.get(1..).unwrap_or_default();
            }
            unix.extend_from_slice(rest);
            Cow::Owned(unix)
        }
        _ => text,
    }
}

/// As [`decode`], of a script that a shell is started with, in a file or on standard input. There a backslash at the very end joins its
/// line with nothing, as if a line end stood after it; in command strings, `eval` and files of `.` it stays.
pub fn decode_script(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut text = decode(bytes);
    if text.ends_with(BACKSLASH) {
        text.to_mut().push(b'\n');
    }
    text
}

/// See [`decode_script`].
pub(crate) const BACKSLASH: &[u8] = b"\\";

/// Is the text UTF-16, by its byte order mark or by the NULs that ASCII has in it?
pub fn is_utf16(bytes: &[u8]) -> bool {
    units_of(bytes).is_some()
}

/// How a unit of UTF-16 is read; `None` of other text.
fn units_of(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        // Without a mark. No script in another encoding has a NUL in its first characters.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(u16::from_le_bytes),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(u16::from_be_bytes),
        _ => None,
    }
}

fn utf16(bytes: &[u8]) -> Option<String> {
    let from = units_of(bytes)?;
    let units: Vec<u16> = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(from)).collect();
    Some(String::from_utf16_lossy(units.strip_prefix(&[0xfeff]).unwrap_or(&units)))
}

#[cfg(test)]
mod tests {
    use super::{decode, decode_script, is_utf16};

    #[test]
    fn line_ends_and_marks_are_taken_off() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"echo a\r\necho b\r\n", b"echo a\necho b\n"),
            (b"echo a\r\necho b\necho c\r", b"echo a\necho b\necho c\r"),
            (b"echo a\necho b\r\n", b"echo a\necho b\r\n"),
            (b"\r\n\r\n", b"\n\n"),
            (b"\xef\xbb\xbfecho", b"echo"),
            (b"\xef\xbb\xbfecho\r\nx\r\n", b"echo\nx\n"),
            (b"\xff\xfee\0c\0h\0o\0\r\0\n\0", b"echo\n"),
            (b"\xfe\xff\0e\0\xe9", b"e\xc3\xa9"),
            (b"", b""),
            (b"\n", b"\n"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(decode(bytes).escape_ascii().to_string(), expected.escape_ascii().to_string());
        }
        assert!(is_utf16(b"\xff\xfe") && !is_utf16(b"\xef\xbb\xbf"));
        assert!(is_utf16(b"e\0c\0") && is_utf16(b"\0e\0c") && !is_utf16(b"e\0\0\0") && !is_utf16(b"e\0c"));
        assert_eq!(&*decode(b"e\0:\0\r\0\n\0:\0"), b"e:\n:");
    }

    #[test]
    fn a_backslash_at_the_end_of_a_script_has_a_line_end_after_it() {
        assert_eq!(&*decode_script(b"echo a\\"), b"echo a\\\n");
        assert_eq!(&*decode_script(b"echo a\r\necho b\\"), b"echo a\necho b\\\n");
        assert_eq!(&*decode_script(b"echo a"), b"echo a");
        assert_eq!(&*decode(b"echo a\\"), b"echo a\\");
    }
}
