//! A denial in a text that is not what it should be: broken or cut off JSON, prose around an object.

use std::borrow::Cow;

use super::{Denial, Key, Keys, denial, fold};

/// A denial anywhere in a text that is not what it should be. Keys may stand in any quotes or none, before `:` or `=`; so may
/// values.
pub fn in_text(text: &str, keys: Keys) -> Option<Denial> {
    let text = clean(text);
    let mut found: Option<Denial> = None;
    for (at, separator) in text.match_indices([':', '=', '：']) {
        let key = word_before(text.get(..at).unwrap_or_default());
        let Some(kind) = keys.find(&fold(key)) else { continue };
        let Some((value, quoted)) = value_after(text.get(at + separator.len()..).unwrap_or_default(), kind) else {
            continue;
        };
        // `block=1` and `ok=0` are what commands look like.
        if separator == "=" && value.len() < 3 {
            continue;
        }
        let denial = denial(key, value, quoted, kind.halts());
        if !denial.halts {
            return Some(denial);
        }
        found.get_or_insert(denial);
    }
    found
}

/// The text of the first member of one of these names, where it is a string: for a reason in JSON that is broken.
pub fn text_of(text: &str, names: &[&str]) -> Option<String> {
    let text = clean(text);
    names.iter().find_map(|name| {
        text.match_indices(':').find_map(|(at, _)| {
            if word_before(text.get(..at)?) != *name {
                return None;
            }
            let value = text.get(at + 1..)?.trim_start().strip_prefix('"')?;
            let end = value.find(['"', '\n']).unwrap_or(value.len());
            let value = value.get(..end)?.trim_end_matches('\\').trim();
            (!value.is_empty()).then(|| value.to_owned())
        })
    })
}

/// Without what hides letters: NULs and other control characters, letters of no width, and JSON's escapes of letters.
fn clean(text: &str) -> Cow<'_, str> {
    let hides = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')
            || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
    };
    if !text.contains("\\u") && !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let escape = rest.strip_prefix("\\u").and_then(|digits| digits.get(..4));
        let escaped = escape.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let escaped = escaped.and_then(|digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?));
        let (letter, length) = match escaped {
            Some(letter) => (letter, 6),
            None => (letter, letter.len_utf8()),
        };
        if !hides(letter) {
            cleaned.push(letter);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    Cow::Owned(cleaned)
}

/// Signs around a key or a value: quotes, their escapes, emphasis, brackets of an array.
fn is_around(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '\\' | '*' | '“' | '”' | '‘' | '’' | '[' | '(')
}

/// The word at the end of a text, its quotes left out.
fn word_before(text: &str) -> &str {
    const LONGEST: usize = 64;
    // A few signs, so that a text of nothing else costs no more.
    let mut end = text.len();
    for letter in text.chars().rev().take(16) {
        if !is_around(letter) {
            break;
        }
        end -= letter.len_utf8();
    }
    let text = text.get(..end).unwrap_or_default();
    let letters = text.char_indices().rev().take(LONGEST);
    let start = letters.take_while(|(_, letter)| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')).last();
    text.get(start.map_or(end, |(at, _)| at)..).unwrap_or_default()
}

/// The value at the start of a text, where it denies, and whether it stands in quotes.
fn value_after(text: &str, kind: Key) -> Option<(&str, bool)> {
    let mut quoted = false;
    let mut from = 0;
    for letter in text.chars().take(32) {
        // `=>` and `==` are separators too.
        if !(is_around(letter) || from == 0 && matches!(letter, '=' | '>')) {
            break;
        }
        quoted |= matches!(letter, '"' | '\'' | '`' | '“' | '‘');
        from += letter.len_utf8();
    }
    let value = text.get(from..)?;
    let end = value.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(value.len());
    let (word, rest) = value.split_at_checked(end)?;
    if word.is_empty() {
        return None;
    }
    if rest.is_empty() && is_beginning(word, kind) {
        return Some((word, quoted));
    }
    if !kind.is_denied_by(word, quoted) {
        return None;
    }
    // In prose: `ok: no problem` and `decision: deny list loaded` deny nothing, `allow: false, since …` does.
    let blanks_off = rest.trim_start_matches([' ', '\t', '*', '_']);
    let is_end = |letter: char| {
        matches!(letter, ',' | '}' | ']' | ')' | ';' | '"' | '\'' | '`' | '\\' | '\n' | '\r' | '”' | '’')
    };
    let ends = quoted || blanks_off.is_empty() || blanks_off.starts_with(is_end);
    let is_number =
        rest.starts_with('.') && rest.get(1..).is_some_and(|more| more.starts_with(|d: char| d.is_ascii_digit()));
    let ends = ends || rest.starts_with(['.', '!']) && !is_number;
    (ends || word.eq_ignore_ascii_case("false")).then_some((word, quoted))
}

/// Is the word what is left of one that denies, where the text was cut off within it?
fn is_beginning(word: &str, kind: Key) -> bool {
    let begins = |whole: &str, least: usize| {
        word.len() >= least
            && word.len() < whole.len()
            && whole.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    match kind {
        Key::Word | Key::Label => begins("deny", 3) || begins("block", 3) || begins("reject", 3),
        Key::Allows | Key::Continue => begins("false", 1),
        Key::Denies | Key::Halt => begins("true", 1),
    }
}
