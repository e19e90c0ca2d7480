//! `env -S`: one word that is split into several, as on the first line of a script.

use hookshell_process::text;
use hookshell_utility::{Args, Environment, Unsupported};

/// The words of a call with those of `-S` in its place.
pub(super) fn expand(argv: &Args, env: &Environment) -> Result<Args, Unsupported> {
    let mut words: Vec<Vec<u8>> = argv.iter_from(0).map(<[u8]>::to_vec).collect();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if word == b"-" || word == b"--" || !word.starts_with(b"-") {
            break;
        }
        let mut taken = None;
        if let Some(long) = word.strip_prefix(b"--") {
            match long {
                b"split-string" => taken = Some((Vec::new(), words.get(at + 1).cloned(), 2)),
                b"unset" | b"chdir" => at += 1,
                _ => {
                    if let Some(text) = long.strip_prefix(b"split-string=") {
                        taken = Some((Vec::new(), Some(text.to_vec()), 1));
                    }
                }
            }
        } else {
            for (place, letter) in word.iter().enumerate().skip(1) {
                let rest = word.get(place + 1..).unwrap_or_default();
                match letter {
                    b'u' | b'C' => {
                        at += usize::from(rest.is_empty());
                        break;
                    }
                    b'S' => {
                        let before =
                            if place > 1 { word.get(..place).unwrap_or_default().to_vec() } else { Vec::new() };
                        taken = Some(if rest.is_empty() {
                            (before, words.get(at + 1).cloned(), 2)
                        } else {
                            (before, Some(rest.to_vec()), 1)
                        });
                        break;
                    }
                    _ => {}
                }
            }
        }
        match taken {
            None => at += 1,
            Some((before, text, used)) => {
                let text = text.ok_or_else(|| Unsupported::option(b"-S"))?;
                let parts = split(&text, env)?;
                let before = (!before.is_empty()).then_some(before);
                let end = (at + used).min(words.len());
                words.splice(at..end, before.into_iter().chain(parts));
            }
        }
    }
    Ok(words.iter().collect())
}

/// Splits at blanks outside quotes, and does the escapes and `${NAME}`.
fn split(text: &[u8], env: &Environment) -> Result<Vec<Vec<u8>>, Unsupported> {
    let wrong = |what: &str| Unsupported::mistake(format!("{what} in -S"));
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\'' | b'"' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            b'\'' | b'"' if quote == Some(byte) => quote = None,
            b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' if quote.is_none() => words.extend(word.take()),
            b'#' if quote.is_none() && word.is_none() => break,
            b'\\' if quote == Some(b'\'') && !matches!(text.get(at), Some(b'\\' | b'\'')) => {
                word.get_or_insert_default().push(byte);
            }
            b'\\' => {
                let escape = text.get(at).copied().ok_or_else(|| wrong("a backslash at the end"))?;
                at += 1;
                let byte = match escape {
                    b'"' | b'#' | b'$' | b'\'' | b'\\' => escape,
                    // A blank that separates, but not in quotes.
                    b'_' if quote.is_none() => {
                        words.extend(word.take());
                        continue;
                    }
                    b'_' => b' ',
                    b'c' if quote.is_none() => break,
                    b'f' => b'\x0c',
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => b'\x0b',
                    _ => return Err(wrong("such a sequence")),
                };
                word.get_or_insert_default().push(byte);
            }
            b'$' if quote != Some(b'\'') => {
                let rest = text.get(at..).unwrap_or_default();
                let name = rest.strip_prefix(b"{").and_then(|rest| {
                    let end = rest.iter().position(|byte| *byte == b'}')?;
                    rest.get(..end)
                });
                let valid = |name: &&[u8]| {
                    name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
                        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                };
                let name = name.filter(valid).ok_or_else(|| wrong("such an expansion"))?;
                at += name.len() + 2;
                let value = env.iter().find(|(own, _)| *text::from_os(own) == *name);
                if let Some((_, value)) = value {
                    word.get_or_insert_default().extend_from_slice(&text::from_os(value));
                }
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    if quote.is_some() {
        return Err(wrong("a quote that is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookshell_utility::Args;

    use super::expand;

    #[test]
    fn the_words_of_a_string_stand_in_its_place() {
        let cases: &[(&[&str], Option<&[&str]>)] = &[
            (&["-S", "a b  c", "d"], Some(&["a", "b", "c", "d"])),
            (&["-Sa b"], Some(&["a", "b"])),
            (&["-iS", "A=1 b"], Some(&["-i", "A=1", "b"])),
            (&["--split-string=a 'b c' \"d e\""], Some(&["a", "b c", "d e"])),
            (&["-S", "a\\_b \\tc '\\t' # x"], Some(&["a", "b", "\tc", "\\t"])),
            (&["-S", "x${V}y ${W}"], Some(&["xvy"])),
            (&["-S", "-S 'a b' c"], Some(&["a", "b", "c"])),
            (&["-u", "-S", "a b"], Some(&["-u", "-S", "a b"])),
            (&["a", "-S", "b c"], Some(&["a", "-S", "b c"])),
            (&["-S", "'a"], None),
            (&["-S", "$V"], None),
            (&["-S", "\\q"], None),
            (&["-S"], None),
        ];
        let env = Arc::new(vec![("V".into(), "v".into())]);
        for (words, expected) in cases {
            let argv: Args = ["env"].iter().chain(words.iter()).collect();
            let expected: Option<Args> = expected.map(|expected| ["env"].iter().chain(expected.iter()).collect());
            assert_eq!(expand(&argv, &env).ok(), expected, "{words:?}");
        }
    }
}
