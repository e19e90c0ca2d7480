//! Bytes that may not be UTF-8.

use std::borrow::Cow;

/// A replacement character for every sequence that is wrong, cut as jq cuts them: at the length that the first byte
/// announces, or before the first byte that does not continue it.
pub(super) fn repaired(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(repair(bytes)),
    }
}

fn repair(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 8);
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let announced = match first {
            0..=0x7f => 1,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let available = announced.min(rest.len());
        let continued = rest
            .iter()
            .take(available)
            .skip(1)
            .take_while(|byte| hookshell_process::text::is_continuation(**byte))
            .count();
        // A sequence that ends with the text is cut off whole.
        let length = if available < announced { available } else { continued + 1 };
        let (sequence, after) = rest.split_at(length.min(rest.len()));
        match std::str::from_utf8(sequence) {
            Ok(text) => out.push_str(text),
            Err(_) => out.push('\u{fffd}'),
        }
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::repaired;

    #[test]
    fn what_is_wrong_is_replaced_as_jq_does() {
        let cases: [(&[u8], &str); 9] = [
            (b"abc", "abc"),
            (b"\xff", "\u{fffd}"),
            (b"a\x80b", "a\u{fffd}b"),
            (b"\xe2\x82", "\u{fffd}"),
            (b"\xe2\x82x", "\u{fffd}x"),
            (b"\xed\xa0\x80x", "\u{fffd}x"),
            (b"\xc0\xafx", "\u{fffd}\u{fffd}x"),
            (b"\xe2x", "\u{fffd}"),
            (b"\xf4\x90\x80\x80", "\u{fffd}"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(repaired(bytes), expected, "{bytes:?}");
        }
    }
}
