//! The control characters that have a letter.

/// The character that the escape of a letter is, where one letter says it all (`\t`): the same six in PCRE and in Oniguruma.
pub fn control_character(letter: char) -> Option<char> {
    Some(match letter {
        't' => '\t',
        'n' => '\n',
        'r' => '\r',
        'f' => '\x0c',
        'a' => '\x07',
        'e' => '\x1b',
        _ => return None,
    })
}
