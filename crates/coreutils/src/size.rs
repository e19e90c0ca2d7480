//! Sizes with suffixes, as coreutils read them.

/// `DIGITS[SUFFIX]`: K, M, G, T, P, E (also `KiB`) are powers of 1024, `kB`, `MB`, … of 1000, `b` is 512, `c` 1 and `w` 2 as
/// far as `units` has them. `None`: it is none, or does not fit.
pub(crate) fn parse_size(text: &[u8], units: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let unit = match suffix.as_bytes() {
        [] => 1,
        [b'b'] if units.contains(&b'b') => 512,
        [b'c'] if units.contains(&b'c') => 1,
        [b'w'] if units.contains(&b'w') => 2,
        [letter, rest @ ..] => {
            let power = match letter {
                b'K' | b'k' => 1,
                b'M' | b'm' => 2,
                b'G' | b'g' => 3,
                b'T' | b't' => 4,
                b'P' => 5,
                b'E' => 6,
                _ => return None,
            };
            let base: u64 = match rest {
                [] | b"iB" => 1024,
                b"B" | b"D" => 1000,
                _ => return None,
            };
            base.checked_pow(power)?
        }
    };
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_are_read() {
        for (text, expected) in [
            ("12", Some(12)),
            ("2b", Some(1024)),
            ("3K", Some(3072)),
            ("3kB", Some(3000)),
            ("1MiB", Some(1 << 20)),
            ("2c", None),
            ("", None),
            ("x", None),
            ("1Kx", None),
            ("99999999999999999999", None),
            ("16E", None),
        ] {
            assert_eq!(parse_size(text.as_bytes(), b"b"), expected, "{text}");
        }
    }
}
