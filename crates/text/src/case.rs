//! Letter case: `${x^}`, `${x^^}`, `${x,}`, `${x,,}`, `${x~}`, `${x@U}` and `declare -u`, `-l`, `-c`.

use crate::pattern::decode;

/// How a character is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// To upper case.
    Upper,
    /// To lower case.
    Lower,
    /// To the other case.
    Toggle,
    /// The first character to upper case, all others to lower case (`declare -c`).
    Capitalize,
}

/// Which characters are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The first one only (`^`, `,`, `~`, `@u`).
    First,
    /// All.
    All,
}

/// Appends `text` with the case of its characters changed. Only characters for which `select` holds (the pattern of
/// `${x^^pattern}`, given one character) change. Mappings are one character to one: `ß` stays `ß`. With `bytes` only
/// ASCII letters have case.
pub fn convert(
    text: &[u8],
    case: Case,
    scope: Scope,
    bytes: bool,
    select: &mut dyn FnMut(&[u8]) -> bool,
    out: &mut Vec<u8>,
) {
    out.reserve(text.len());
    let mut at = 0;
    while at < text.len() {
        let (code, length) = decode(text, at, bytes);
        let character = &text[at..at + length];
        if select(character) {
            push(code, character, effective(case, at), out);
        } else {
            out.extend_from_slice(character);
        }
        at += length;
        if scope == Scope::First {
            break;
        }
    }
    out.extend_from_slice(&text[at..]);
}

/// [`convert`] for every character.
pub fn convert_all(text: &[u8], case: Case, bytes: bool, out: &mut Vec<u8>) {
    convert(text, case, Scope::All, bytes, &mut |_| true, out);
}

fn effective(case: Case, at: usize) -> Case {
    match case {
        Case::Capitalize if at == 0 => Case::Upper,
        Case::Capitalize => Case::Lower,
        case => case,
    }
}

fn push(code: u32, character: &[u8], case: Case, out: &mut Vec<u8>) {
    if let &[byte] = character {
        out.push(match case {
            Case::Upper => byte.to_ascii_uppercase(),
            Case::Lower => byte.to_ascii_lowercase(),
            Case::Toggle | Case::Capitalize if byte.is_ascii_uppercase() => byte.to_ascii_lowercase(),
            Case::Toggle | Case::Capitalize => byte.to_ascii_uppercase(),
        });
        return;
    }
    let mapped = char::from_u32(code).and_then(|character| match case {
        Case::Upper => single(character.to_uppercase()),
        // Its mapping has two characters (Unicode); C libraries give the first.
        Case::Lower if character == 'İ' => Some('i'),
        Case::Lower => single(character.to_lowercase()),
        Case::Toggle | Case::Capitalize if character.is_uppercase() => single(character.to_lowercase()),
        Case::Toggle | Case::Capitalize => single(character.to_uppercase()),
    });
    match mapped {
        Some(mapped) => out.extend_from_slice(mapped.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(character),
    }
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}
