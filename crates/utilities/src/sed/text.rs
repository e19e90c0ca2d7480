//! Escapes in scripts: `\a \f \n \r \t \v \cX \dNNN \oNNN \xHH`.

/// The character that an escape stands for, and how many bytes behind the letter belong to it. The error: digits that
/// are not all there. `None`: the letter has no such meaning.
pub(crate) fn character(letter: u8, rest: &[u8]) -> Option<Result<(u8, usize), ()>> {
    let number = |length: usize, radix: u32| {
        let digits = rest.get(..length).ok_or(())?;
        let text = std::str::from_utf8(digits).map_err(drop)?;
        if !text.bytes().all(|byte| char::from(byte).is_digit(radix)) {
            return Err(());
        }
        let value = u32::from_str_radix(text, radix).map_err(drop)?;
        Ok((u8::try_from(value).map_err(drop)?, length))
    };
    Some(match letter {
        b'a' => Ok((7, 0)),
        b'f' => Ok((12, 0)),
        b'n' => Ok((b'\n', 0)),
        b'r' => Ok((b'\r', 0)),
        b't' => Ok((b'\t', 0)),
        b'v' => Ok((11, 0)),
        b'c' => match rest.first() {
            Some(&byte) if byte.is_ascii_alphabetic() => Ok((byte.to_ascii_uppercase() ^ 0x40, 1)),
            _ => Err(()),
        },
        b'd' => number(3, 10),
        b'o' => number(3, 8),
        b'x' => number(2, 16),
        _ => return None,
    })
}
