//! Escapes in scripts: `\a \f \n \r \t \v \cX \dNNN \oNNN \xHH`.

/// The character that an escape stands for, and how many bytes after the letter belong to it. `None`: the letter has no such
/// meaning.
pub(crate) fn character(letter: u8, rest: &[u8]) -> Option<(u8, usize)> {
    // With no digit the letter is itself; of a number that is too large the low eight bits count.
    let number = |most: usize, radix: u32| {
        let mut value = 0;
        let mut length = 0;
        while let Some(digit) =
            rest.get(length).filter(|_| length < most).and_then(|byte| char::from(*byte).to_digit(radix))
        {
            value = value * radix + digit;
            length += 1;
        }
        let [.., byte] = value.to_be_bytes();
        (if length == 0 { letter } else { byte }, length)
    };
    Some(match letter {
        b'a' => (7, 0),
        b'f' => (12, 0),
        b'n' => (b'\n', 0),
        b'r' => (b'\r', 0),
        b't' => (b'\t', 0),
        b'v' => (11, 0),
        b'c' => {
            let byte = *rest.first()?;
            // A backslash is written twice; see `is_recursive`.
            (byte.to_ascii_uppercase() ^ 0x40, if byte == b'\\' { 2 } else { 1 })
        }
        b'd' => number(3, 10),
        b'o' => number(3, 8),
        b'x' => number(2, 16),
        _ => return None,
    })
}

/// Is it `\c\x`?
pub(crate) fn is_recursive(letter: u8, rest: &[u8]) -> bool {
    letter == b'c' && rest.first() == Some(&b'\\') && rest.get(1) != Some(&b'\\')
}

/// The characters of a text in UTF-8; a byte that belongs to none stands alone.
pub(crate) fn units(text: &[u8]) -> Vec<&[u8]> {
    let mut units = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        units.extend(valid.char_indices().filter_map(|(at, c)| valid.as_bytes().get(at..at + c.len_utf8())));
        units.extend(chunk.invalid().chunks(1));
    }
    units
}
