//! Quoting (XCU 2.2).

use super::text::DoubleStop;
use super::{Parsed, Reader};
use crate::ast::WordPart;
use crate::builder::Builder;

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// At an unquoted backslash.
    pub(crate) fn backslash(&mut self, builder: &mut Builder) {
        let text = self.text();
        let begin = self.pos + 1;
        let Some(&byte) = text.get(begin) else {
            // At the very end of the source it stands for itself.
            builder.quoted(b"\\");
            self.pos += 1;
            return;
        };
        if byte == b'\n' {
            self.pos += 2;
            return;
        }
        // A whole character, so that no part ends in the middle of one.
        let length = if byte < 0x80 { 1 } else { bstr::decode_utf8(&text[begin..]).1.max(1) };
        builder.quoted(&text[begin..begin + length]);
        self.pos = begin + length;
    }

    /// At `'`.
    pub(crate) fn single_quoted(&mut self, builder: &mut Builder) -> Parsed<()> {
        let start = self.start();
        let text = self.text();
        let begin = self.pos + 1;
        let Some(length) = crate::bytes::find(b'\'', &text[begin..]) else {
            return self.unclosed("'", start);
        };
        builder.quoted(&text[begin..begin + length]);
        self.pos = begin + length + 1;
        Ok(())
    }

    /// At `"`; gives the quotes and what is between them.
    pub(crate) fn double_quoted(&mut self) -> Parsed<WordPart> {
        self.quoted_up_to(DoubleStop::Quote)
    }

    /// At `"` inside the word of `"${x:-…}"`.
    pub(crate) fn inner_double_quoted(&mut self) -> Parsed<WordPart> {
        self.quoted_up_to(if self.bash { DoubleStop::InnerQuote } else { DoubleStop::Quote })
    }

    fn quoted_up_to(&mut self, stop: DoubleStop) -> Parsed<WordPart> {
        let start = self.start();
        self.pos += 1;
        let parts = self.double_quoted_parts(stop)?;
        if self.peek() != Some(b'"') {
            return self.unclosed("\"", start);
        }
        self.pos += 1;
        Ok(WordPart::double_quoted(parts))
    }

    /// At `$'`, whose quote is at `quote`.
    pub(crate) fn dollar_single(&mut self, builder: &mut Builder, quote: usize) -> Parsed<()> {
        let start = self.start();
        let text = self.text();
        let begin = quote + 1;
        let mut end = begin;
        loop {
            match text.get(end) {
                None => return self.unclosed("'", start),
                Some(b'\'') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        builder.quoted(&decode_dollar_single(&text[begin..end]));
        self.pos = end + 1;
        Ok(())
    }
}

/// Decodes the escapes of `$'…'` (XCU 2.2.4 and bash); `text` is what stands between the quotes.
///
/// A NUL (`\0`, `\x00`, `\u0000`) ends the text up to there, as in bash.
pub fn decode_dollar_single(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while let Some(&byte) = text.get(i) {
        i += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&escape) = text.get(i) else {
            out.push(b'\\');
            break;
        };
        i += 1;
        let decoded = match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' | b'E' => 0x1b,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                let mut digits = 1;
                while digits < 3
                    && let Some(&digit @ b'0'..=b'7') = text.get(i)
                {
                    value = value * 8 + u32::from(digit - b'0');
                    i += 1;
                    digits += 1;
                }
                (value & 0xff) as u8
            }
            b'x' => {
                let braced = text.get(i) == Some(&b'{');
                let begin = if braced { i + 1 } else { i };
                let (value, length) = hexadecimal(&text[begin..], if braced { usize::MAX } else { 2 });
                // bash: `\x{}` is a NUL, which ends the text.
                if length == 0 && !braced {
                    out.extend_from_slice(b"\\x");
                    continue;
                }
                i = begin + length;
                if braced && text.get(i) == Some(&b'}') {
                    i += 1;
                }
                (value & 0xff) as u8
            }
            b'u' | b'U' => {
                let (value, length) = hexadecimal(&text[i..], if escape == b'u' { 4 } else { 8 });
                if length == 0 {
                    out.push(b'\\');
                    out.push(escape);
                    continue;
                }
                i += length;
                if value == 0 {
                    return out;
                }
                push_character(&mut out, value);
                continue;
            }
            b'c' => match text.get(i) {
                Some(&control) => {
                    i += 1;
                    // `\c\\` is one control character.
                    if control == b'\\' && text.get(i) == Some(&b'\\') {
                        i += 1;
                    }
                    if control == b'?' { 0x7f } else { control.to_ascii_uppercase() & 0x1f }
                }
                None => {
                    out.extend_from_slice(b"\\c");
                    break;
                }
            },
            other => {
                out.push(b'\\');
                other
            }
        };
        if decoded == 0 {
            return out;
        }
        out.push(decoded);
    }
    out
}

fn hexadecimal(text: &[u8], most: usize) -> (u32, usize) {
    let mut value: u32 = 0;
    let mut length = 0;
    while length < most
        && let Some(digit) = text.get(length).and_then(|&b| (b as char).to_digit(16))
    {
        value = value.wrapping_mul(16).wrapping_add(digit);
        length += 1;
    }
    (value, length)
}

/// UTF-8, also of what is no Unicode scalar value, as bash encodes it.
fn push_character(out: &mut Vec<u8>, value: u32) {
    match char::from_u32(value) {
        Some(character) => {
            let mut buffer = [0; 4];
            out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
        None => {
            let continuation = |shift: u32| 0x80 | ((value >> shift) & 0x3f) as u8;
            if value < 0x1_0000 {
                out.extend([0xe0 | (value >> 12) as u8, continuation(6), continuation(0)]);
            } else if value < 0x20_0000 {
                out.extend([0xf0 | (value >> 18) as u8, continuation(12), continuation(6), continuation(0)]);
            }
        }
    }
}
