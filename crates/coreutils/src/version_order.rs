//! The order of version numbers: gnulib's `filevercmp`.

use std::cmp::Ordering;

/// Compares as `filenvercmp`: what begins with a dot comes first, and endings like `.tar.gz` count only in the second
/// place.
pub(crate) fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let class = |name: &[u8]| match name {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    };
    let (a, b) = (class(left), class(right));
    if a != b || a < 3 {
        return a.cmp(&b);
    }
    let (a, b) = (without_suffix(left), without_suffix(right));
    compare_parts(a, b).then_with(|| compare_parts(left, right))
}

/// Takes off the file name's extensions (coreutils' manual, "Version sort"): the longest ending
/// `(\.[A-Za-z~][A-Za-z0-9~]*)*`, which may be all of it.
fn without_suffix(name: &[u8]) -> &[u8] {
    let mut rest = name;
    while let Some(dot) = memchr::memrchr(b'.', rest) {
        let (before, extension) = rest.split_at(dot);
        let letters = extension.get(1..).unwrap_or_default();
        let begins = letters.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'~');
        if !begins || !letters.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'~') {
            break;
        }
        rest = before;
    }
    rest
}

fn weight(byte: Option<&u8>) -> i32 {
    match byte {
        None => -1,
        Some(b'0'..=b'9') => 0,
        Some(b'~') => -2,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(byte) => i32::from(*byte) + 256,
    }
}

/// Parts without digits by the weight of their bytes, numbers by their value, in turn.
fn compare_parts(left: &[u8], right: &[u8]) -> Ordering {
    let (mut left, mut right) = (left, right);
    let is_text = |text: &[u8]| text.first().is_some_and(|byte| !byte.is_ascii_digit());
    while !left.is_empty() || !right.is_empty() {
        while is_text(left) || is_text(right) {
            let order = weight(left.first()).cmp(&weight(right.first()));
            if order.is_ne() {
                return order;
            }
            left = left.get(1..).unwrap_or_default();
            right = right.get(1..).unwrap_or_default();
        }
        let (a, a_rest) = number(left);
        let (b, b_rest) = number(right);
        let order = a.len().cmp(&b.len()).then_with(|| a.cmp(b));
        if order.is_ne() {
            return order;
        }
        (left, right) = (a_rest, b_rest);
    }
    Ordering::Equal
}

/// Digits without leading zeros, and what follows.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    let text = text.get(zeros..).unwrap_or_default();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(digits).unwrap_or((text, b""))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::compare;

    #[test]
    fn versions_compare_as_gnulib_does() {
        for (left, right, expected) in [
            ("1.2", "1.10", Less),
            ("a1", "a01", Equal),
            ("1.0~rc1", "1.0", Less),
            ("a.tar.gz", "a-1.tar.gz", Less),
            ("file1.txt", "file10.txt", Less),
            (".", "..", Less),
            (".x", "x", Less),
            (".z", ".0", Less),
            ("", "a", Less),
            ("b", "a", Greater),
        ] {
            assert_eq!(compare(left.as_bytes(), right.as_bytes()), expected, "{left} {right}");
        }
    }
}
