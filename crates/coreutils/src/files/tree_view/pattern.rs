//! tree's own kind of patterns.

/// Do all its brackets and backslashes have what belongs to them?
pub(super) fn is_closed(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = match first {
            b'\\' if after.is_empty() => return false,
            b'\\' => after.get(1..).unwrap_or_default(),
            b'[' => match bracket(after, 0, false) {
                Some((_, rest)) => rest,
                None => return false,
            },
            _ => after,
        };
    }
    true
}

/// Is the byte in the set whose text stands after a `[`? With what stands after the `]`.
fn bracket(text: &[u8], byte: u8, ignore_case: bool) -> Option<(bool, &[u8])> {
    let fold = |byte: u8| if ignore_case { byte.to_ascii_lowercase() } else { byte };
    let (negated, mut rest) = match text.strip_prefix(b"^") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut found = false;
    let one = |rest: &mut &[u8]| -> Option<u8> {
        let (first, after) = rest.split_first()?;
        *rest = after;
        if *first != b'\\' {
            return Some(*first);
        }
        let (second, after) = rest.split_first()?;
        *rest = after;
        Some(*second)
    };
    while rest.first()? != &b']' {
        let low = one(&mut rest)?;
        let high = match rest.strip_prefix(b"-") {
            Some(after) => {
                rest = after;
                one(&mut rest)?
            }
            None => low,
        };
        found |= (fold(low)..=fold(high)).contains(&fold(byte));
    }
    Some((found != negated, rest.get(1..)?))
}

/// Does a pattern of `*`, `?`, `[set]`, `[^set]` and `\x` match the whole name? tree's own kind: not the shell's, in which `[!x]` negates,
/// `[]x]` holds a bracket and `?` is a character of several bytes.
pub(super) fn matches(pattern: &[u8], name: &[u8], ignore_case: bool) -> bool {
    let (mut pattern, mut rest) = (pattern, name);
    // After the last star, and where its text ends.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        let step = match (pattern.split_first(), rest.split_first()) {
            (Some((b'*', after)), _) => {
                star = Some((after, rest));
                pattern = after;
                continue;
            }
            (None, None) => return true,
            (Some((b'?', after)), Some(_)) => Some(after),
            (Some((b'[', after)), Some((byte, _))) => {
                bracket(after, *byte, ignore_case).filter(|(found, _)| *found).map(|(_, rest)| rest)
            }
            (Some((first, after)), Some((byte, _))) => {
                let (literal, after) = match (first, after.split_first()) {
                    (b'\\', Some((escaped, after))) => (escaped, after),
                    _ => (first, after),
                };
                let is_same = if ignore_case { literal.eq_ignore_ascii_case(byte) } else { literal == byte };
                is_same.then_some(after)
            }
            _ => None,
        };
        if let Some(after) = step {
            pattern = after;
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        let Some((after, from)) = star else { return false };
        let Some((_, from)) = from.split_first() else { return false };
        star = Some((after, from));
        pattern = after;
        rest = from;
    }
}

#[cfg(test)]
mod tests {
    use super::{is_closed, matches};

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a.txt.gz", false),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbX", false),
            ("?", "", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[!x]", "!", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes(), false), expected, "{pattern} {name}");
        }
        assert!(matches(b"A[B-D]*", b"ac.txt", true));
        for (pattern, expected) in [("[a", false), ("a\\", false), ("[]a]", true), ("[a-]", false)] {
            assert_eq!(is_closed(pattern.as_bytes()), expected, "{pattern}");
        }
    }
}
