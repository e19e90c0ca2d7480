//! Base64 (RFC 4648, with padding): what is not UTF-8 in a message.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Writes padding, and reads what has none, too: not every client's library writes it.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Bytes as base64.
pub fn encode(data: &[u8]) -> String {
    ENGINE.encode(data)
}

/// The bytes of a base64 text; `None`: it is none. Its padding may be missing.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    ENGINE.decode(text).ok()
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
