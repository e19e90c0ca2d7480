//! Keys of the form `+1 -2`, which POSIX took out and scripts still have: fields and characters from 0 on.

use hookshell_utility::options::{LONG_ONLY, OptionSpec};
use hookshell_utility::{Args, Unsupported};

use super::key::{Key, read_key};

/// The keys among the words, and which words they are. A word that would be a key and cannot be read as one is a file.
pub(super) fn find(argv: &Args, options: &[OptionSpec]) -> Result<(Vec<Key>, Vec<usize>), Unsupported> {
    let mut keys = Vec::new();
    let mut taken = Vec::new();
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        if word == b"--" {
            break;
        }
        let next = argv.get(at + 1);
        if takes_next(word, options) {
            at += 2;
            continue;
        }
        let end =
            next.and_then(|next| next.strip_prefix(b"-")).filter(|end| end.first().is_some_and(u8::is_ascii_digit));
        if let Some(key) = word.strip_prefix(b"+").and_then(start) {
            let text = match end {
                None => key,
                Some(end) => {
                    let wrong = || Unsupported::mistake(format!("the key -{}", end.escape_ascii()));
                    taken.push(at + 1);
                    [key, self::end(end).ok_or_else(wrong)?].join(",")
                }
            };
            let wrong = || Unsupported::mistake(format!("the key {}", word.escape_ascii()));
            keys.push(read_key(text.as_bytes()).ok_or_else(wrong)?);
            taken.push(at);
            at += if end.is_some() { 2 } else { 1 };
            continue;
        }
        at += 1;
    }
    Ok((keys, taken))
}

/// Is the word after this one the value of its option?
fn takes_next(word: &[u8], options: &[OptionSpec]) -> bool {
    let needs = |option: &OptionSpec| option.has_value && !option.is_optional;
    if let Some(name) = word.strip_prefix(b"--") {
        return !name.contains(&b'=')
            && options
                .iter()
                .any(|option| needs(option) && !name.is_empty() && option.long.as_bytes().starts_with(name));
    }
    let Some((b'-', letters)) = word.split_first() else { return false };
    let value = letters.iter().position(|letter| {
        options.iter().any(|option| option.short == *letter && *letter < LONG_ONLY && option.has_value)
    });
    value.is_some_and(|at| at + 1 == letters.len())
}

/// `F[.C]OPTIONS` from 0 on.
fn parts(text: &[u8]) -> Option<(u64, u64, &str)> {
    let text = std::str::from_utf8(text).ok()?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number < 1 << 53).unwrap_or(1 << 53);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (field, rest) = text.split_at_checked(digits(text)).filter(|(field, _)| !field.is_empty())?;
    let (character, options) = match rest.strip_prefix('.') {
        None => (0, rest),
        Some(rest) => {
            let (character, options) = rest.split_at_checked(digits(rest)).filter(|(digits, _)| !digits.is_empty())?;
            (number(character), options)
        }
    };
    options.bytes().all(|letter| b"bdfghiMnrRV".contains(&letter)).then(|| (number(field), character, options))
}

/// `+1.2` as `-k` has it.
fn start(text: &[u8]) -> Option<String> {
    let (field, character, options) = parts(text)?;
    Some(format!("{}.{}{options}", field + 1, character + 1))
}

/// `-3.4` as `-k` has it: the field before, where no character of it is meant.
fn end(text: &[u8]) -> Option<String> {
    let (field, character, options) = parts(text)?;
    Some(match character {
        0 => format!("{}{options}", field.max(1)),
        _ => format!("{}.{character}{options}", field + 1),
    })
}

#[cfg(test)]
mod tests {
    use hookshell_utility::Args;

    use super::find;
    use crate::text::sort::command::OPTIONS;
    use crate::text::sort::key::read_key;

    #[test]
    fn keys_are_found_among_the_words() {
        for (line, keys, taken) in [
            ("sort +1", vec!["2.1"], vec![1]),
            ("sort +1 -2 f", vec!["2.1,2"], vec![2, 1]),
            ("sort +0.1n -0.3r f", vec!["1.2n,1.3r"], vec![2, 1]),
            ("sort -t + +1b", vec!["2.1b"], vec![3]),
            ("sort -k +1 f", vec![], vec![]),
            ("sort -- +1", vec![], vec![]),
            ("sort +x +", vec![], vec![]),
            ("sort +1 -n", vec!["2.1"], vec![1]),
        ] {
            let argv: Args = line.split(' ').collect();
            let expected: Vec<_> = keys.iter().map(|key| read_key(key.as_bytes()).unwrap()).collect();
            assert_eq!(find(&argv, OPTIONS), Ok((expected, taken)), "{line}");
        }
        let argv: Args = ["sort", "+1", "-2x"].iter().collect();
        assert!(find(&argv, OPTIONS).is_err());
    }
}
