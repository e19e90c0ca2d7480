//! The nearest known word, for "did you mean".

/// The candidate that `word` was most likely meant to be: at most a third of its letters differ, case not counted.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = fold(word);
    // A config key or event name is short; a longer word is no typo of one, and the table below is quadratic.
    if wanted.len() > 64 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &fold(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(wanted.len()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Is `word` nothing but a slip of the pen for `meant`: another case, or one letter that is wrong, missing or too much? What is
/// only [near](nearest) may be a word of its own, that is not known here.
pub fn is_slip(word: &str, meant: &str) -> bool {
    let (word, meant) = (fold(word), fold(meant));
    word.len().abs_diff(meant.len()) <= 1 && distance(&word, &meant) <= 1
}

/// Letters in lower case, `_` and `-` left out: what a person types differently without meaning it.
pub fn fold(word: &str) -> Vec<char> {
    word.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Levenshtein distance.
pub fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        for (slot, b) in row.iter_mut().skip(1).zip(right) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = *slot;
            *slot = replaced.min(diagonal + 1).min(before + 1);
            before = *slot;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(left.len())
}

#[cfg(test)]
mod tests {
    use super::{is_slip, nearest};

    #[test]
    fn finds_what_was_meant() {
        let keys = ["matcher", "command", "timeout", "on_failure"];
        let cases = [
            ("comand", Some("command")),
            ("matchers", Some("matcher")),
            ("onFailure", Some("on_failure")),
            ("TIMEOUT", Some("timeout")),
            ("time_out", Some("timeout")),
            ("description", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, keys), expected, "{word:?}");
        }
    }
    #[test]
    fn a_slip_of_the_pen_is_one_letter() {
        for word in ["PreTooluse", "pre_tool_use", "PreToolUs", "PreToolUsee", "PreToolUze"] {
            assert!(is_slip(word, "PreToolUse"), "{word}");
        }
        for (word, near) in [("Setup", "Stop"), ("PostCompact", "PreCompact"), ("webhooks", "hooks"), ("", "ab")] {
            assert!(!is_slip(word, near), "{word}");
        }
    }
}
