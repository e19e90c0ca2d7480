//! What GNU's programs refuse in bracket expressions.

/// Is it `[:space:]`, where `[[:space:]]` was meant? `inside` is what stands in the brackets, after a `^`. As gnulib's dfa.c, which
/// lets it pass where there is a range or a class in it, or nothing but colons.
pub fn is_bare_class(inside: &[u8]) -> bool {
    let [b':', name @ .., b':'] = inside else { return false };
    let is_range = |name: &[u8]| name.windows(3).any(|three| three[1] == b'-');
    name.iter().any(|byte| *byte != b':') && !name.contains(&b'[') && !is_range(name)
}

#[cfg(test)]
mod tests {
    use super::is_bare_class;

    #[test]
    fn a_class_without_its_brackets_is_known() {
        for (inside, expected) in [
            (":space:", true),
            (":a::", true),
            ("::", false),
            (":::", false),
            (":a:b", false),
            ("a:b:", false),
            (":a-c:", false),
            (":[:digit:]:", false),
        ] {
            assert_eq!(is_bare_class(inside.as_bytes()), expected, "{inside}");
        }
    }
}
