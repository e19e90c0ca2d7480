//! The escapes of JSON's strings.

use super::super::text::repaired;
use super::super::value::Value;

/// Makes a string of what stands between the quotes.
pub(in super::super) fn unescape(raw: &[u8]) -> Result<Value, &'static str> {
    const CONTROL: &str = "Invalid string: control characters from U+0000 through U+001F must be escaped";
    let plain = memchr::memchr(b'\\', raw).is_none();
    if plain {
        if raw.iter().any(|byte| *byte < 0x20) {
            return Err(CONTROL);
        }
        return Ok(Value::String(repaired(raw).into()));
    }
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            if byte < 0x20 {
                return Err(CONTROL);
            }
            out.push(byte);
            continue;
        }
        let Some((&escape, after)) = rest.split_first() else {
            return Err("Expected escape character at end of string");
        };
        rest = after;
        match escape {
            b'\\' | b'"' | b'/' => out.push(escape),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b't' => out.push(b'\t'),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b'u' => {
                let Some(digits) = rest.get(..4) else {
                    return Err("Invalid \\uXXXX escape");
                };
                let Some(unit) = unhex(digits) else {
                    return Err("Invalid characters in \\uXXXX escape");
                };
                rest = rest.get(4..).unwrap_or_default();
                let mut point = unit;
                if (0xd800..=0xdbff).contains(&unit) {
                    const PAIR: &str = "Invalid \\uXXXX\\uXXXX surrogate pair escape";
                    let low = match rest.get(..6) {
                        Some([b'\\', b'u', digits @ ..]) => unhex(digits).ok_or(PAIR)?,
                        _ => return Err(PAIR),
                    };
                    if !(0xdc00..=0xdfff).contains(&low) {
                        return Err(PAIR);
                    }
                    rest = rest.get(6..).unwrap_or_default();
                    point = 0x10000 + (((unit - 0xd800) << 10) | (low - 0xdc00));
                }
                // A lone low surrogate is encoded as it is by jq, and replaced with the rest that is not UTF-8: as one
                // three-byte sequence.
                let character = char::from_u32(point).unwrap_or('\u{fffd}');
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err("Invalid escape"),
        }
    }
    Ok(Value::String(repaired(&out).into()))
}

fn unhex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}
