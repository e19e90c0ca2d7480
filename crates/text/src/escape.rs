//! The backslash escapes that `echo -e`, `printf` and `$'…'` share.

/// Appends the encoding of a code point as bash writes it: UTF-8 carried on up to six bytes, surrogates and all.
/// What does not fit 31 bits is nothing.
pub fn push_utf8(code: u32, out: &mut Vec<u8>) {
    if let Some(character) = char::from_u32(code) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    let (lead, continuation) = match code {
        0..=0xFFFF => (0xE0, 2),
        0x1_0000..=0x1F_FFFF => (0xF0, 3),
        0x20_0000..=0x3FF_FFFF => (0xF8, 4),
        0x400_0000..=0x7FFF_FFFF => (0xFC, 5),
        _ => return,
    };
    // Each shifted part fits its byte by the ranges above.
    out.push(lead | (code >> (6 * continuation)) as u8);
    for part in (0..continuation).rev() {
        out.push(0x80 | (code >> (6 * part) & 0x3F) as u8);
    }
}

/// Appends a `\u` or `\U` character for the locale: outside ASCII the C locale has no such characters, and bash
/// writes the escape itself.
pub(crate) fn push_unicode(code: u32, bytes: bool, out: &mut Vec<u8>) {
    if !bytes || code < 0x80 {
        push_utf8(code, out);
    } else if code <= 0xFFFF {
        out.extend_from_slice(format!("\\u{code:04X}").as_bytes());
    } else {
        out.extend_from_slice(format!("\\U{code:08X}").as_bytes());
    }
}

/// Up to `most` digits of a base at the start of `text`: their value (wrapping) and how many there were.
pub fn digits(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let mut value = 0_u32;
    let mut count = 0;
    while count < most
        && let Some(digit) = text.get(count).and_then(|&byte| char::from(byte).to_digit(base))
    {
        value = value.wrapping_mul(base).wrapping_add(digit);
        count += 1;
    }
    (value, count)
}

/// The control character of a one-letter escape that all dialects have.
#[must_use]
pub fn simple(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1B,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0B,
        b'\\' => b'\\',
        _ => return None,
    })
}
