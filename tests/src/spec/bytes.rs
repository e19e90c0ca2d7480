//! Bytes as a line of a case file.

/// Resolves `\n`, `\t`, `\r`, `\0`, `\e`, `\\` and `\xHH`.
///
/// # Errors
/// The escape that is none of these.
pub(crate) fn unescape(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (value, used) = match rest {
            [b'n', ..] => (b'\n', 1),
            [b't', ..] => (b'\t', 1),
            [b'r', ..] => (b'\r', 1),
            [b'0', ..] => (0, 1),
            [b'e', ..] => (0x1b, 1),
            [b'\\', ..] => (b'\\', 1),
            [b'x', high, low, ..] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (high * 16 + low, 3),
                _ => return Err(bad(rest)),
            },
            _ => return Err(bad(rest)),
        };
        out.push(value);
        rest = rest.get(used..).unwrap_or_default();
    }
    Ok(out)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn bad(rest: &[u8]) -> String {
    let shown = String::from_utf8_lossy(rest.get(..3).unwrap_or(rest)).into_owned();
    format!("\\{shown}: not an escape; there are \\n \\t \\r \\0 \\e \\\\ and \\xHH")
}

/// Does `text` need `escaped` to survive editors and the format?
pub(crate) fn needs_escape(text: &[u8]) -> bool {
    let odd = |byte: &u8| (*byte < b' ' && *byte != b'\n' && *byte != b'\t') || *byte == 0x7f;
    std::str::from_utf8(text).is_err()
        || text.iter().any(odd)
        || text.split(|byte| *byte == b'\n').any(|line| matches!(line.last(), Some(b' ' | b'\t')))
}

/// The inverse of [`unescape`]; newlines and UTF-8 stay, blanks at the end of a line are written as `\xHH` and `\t`.
pub(crate) fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in text.utf8_chunks() {
        let mut characters = chunk.valid().chars().peekable();
        while let Some(character) = characters.next() {
            let at_end = matches!(characters.peek(), None | Some('\n'));
            match character {
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.push(b'\n'),
                '\t' if !at_end => out.push(b'\t'),
                '\t' => out.extend_from_slice(b"\\t"),
                ' ' if at_end => out.extend_from_slice(b"\\x20"),
                character if character.is_control() => {
                    let mut buffer = [0; 4];
                    hex(character.encode_utf8(&mut buffer).as_bytes(), &mut out);
                }
                character => {
                    let mut buffer = [0; 4];
                    out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                }
            }
        }
        hex(chunk.invalid(), &mut out);
    }
    out
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::{escape, unescape};

    #[test]
    fn what_is_escaped_comes_back() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"plain\n", b"plain\n"),
            (b"a \n", b"a\\x20\n"),
            (b"a\t", b"a\\t"),
            (b"a\\b", b"a\\\\b"),
            (b"\xff\x00", b"\\xff\\x00"),
            ("é\u{1b}".as_bytes(), "é\\x1b".as_bytes()),
        ];
        for (bytes, text) in cases {
            assert_eq!(escape(bytes), *text);
            assert_eq!(unescape(text).unwrap(), *bytes);
        }
        assert_eq!(unescape(b"\\e\\0\\r").unwrap(), b"\x1b\0\r");
        assert!(unescape(b"\\q").is_err());
        assert!(unescape(b"\\x1").is_err());
    }
}
