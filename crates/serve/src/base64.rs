//! Base64 (RFC 4648, with padding), fast enough for a command's output.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64.
pub fn encode(data: &[u8]) -> String {
    let mut text = String::with_capacity(data.len().div_ceil(3) * 4);
    let letter = |six: u32| char::from(ALPHABET[(six & 63) as usize]);
    let (groups, rest) = data.as_chunks::<3>();
    for [first, second, third] in groups {
        let all = u32::from(*first) << 16 | u32::from(*second) << 8 | u32::from(*third);
        text.extend([letter(all >> 18), letter(all >> 12), letter(all >> 6), letter(all)]);
    }
    match rest {
        [first] => {
            let all = u32::from(*first) << 16;
            text.extend([letter(all >> 18), letter(all >> 12), '=', '=']);
        }
        [first, second] => {
            let all = u32::from(*first) << 16 | u32::from(*second) << 8;
            text.extend([letter(all >> 18), letter(all >> 12), letter(all >> 6), '=']);
        }
        _ => {}
    }
    text
}

/// The bytes of a base64 text; `None`: it is none. Its padding may be missing.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut data = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut all, mut bits) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        all = all << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            data.push((all >> bits & 255) as u8);
        }
    }
    // A single letter is no byte.
    (text.len() % 4 != 1).then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (data, text) in cases {
            assert_eq!(encode(data.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(data.as_bytes()));
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(decode("Zg"), Some(b"f".to_vec()));
        for wrong in ["A", "A*==", "é", "AAAAA", "A=A="] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
