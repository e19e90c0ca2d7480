//! A denial in a text that is no JSON at all: in the words of its lines.

use super::{Denial, is_deny_word};

/// A denial that is no JSON at all: a text that is only such a word, or whose first or last line begins with `DENY`.
pub fn of_lines(text: &str) -> Option<Denial> {
    let text = text.trim();
    let mut lines = text.lines();
    let word = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let is_denied = is_deny_word(word) || lines.next().is_some_and(is_loud) || lines.next_back().is_some_and(is_loud);
    is_denied.then(|| Denial { said: "it says DENY".to_owned(), halts: false })
}

fn is_loud(line: &str) -> bool {
    of_line(line).is_some_and(|(word, _)| matches!(word, "DENY" | "DENIED"))
}

/// The word with which a line denies, and what stands after it. Before it may stand a list's marker, emphasis, quotes and a
/// label: `- **Final answer:** DENY, …`. `DENY` and `DENIED` in upper case deny whatever follows; another such word where it
/// stands for itself (`Denied.`, `deny: …`).
pub fn of_line(line: &str) -> Option<(&str, &str)> {
    const LABELS: &[&str] = &[
        "answer",
        "verdict",
        "decision",
        "conclusion",
        "result",
        "ruling",
        "final",
        "judgment",
        "judgement",
        "response",
        "recommendation",
        "output",
        "so",
        "therefore",
        "thus",
    ];
    let mut line = line;
    // A few markers and labels.
    for _ in 0..8 {
        line = line.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let end = line.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(line.len());
        let (word, rest) = line.split_at_checked(end)?;
        if is_deny_word(word) {
            let is_part =
                rest.starts_with(['-', '_', '\'', '’']) && rest.chars().nth(1).is_some_and(char::is_alphanumeric);
            if is_part {
                return None;
            }
            let after = rest.trim_start_matches([' ', '\t', '*', '_', '`', '"', '\'', '”', '’', ')', ']', '}']);
            let is_alone = after.is_empty() || after.starts_with([':', '.', ',', ';', '!', '-', '–', '—', '<', '(']);
            return (is_alone || matches!(word, "DENY" | "DENIED")).then_some((word, rest));
        }
        if word.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(['.', ')']) {
            line = rest;
            continue;
        }
        // `Final answer:`, `My verdict is`.
        let label =
            ["my", "the", "is", "i", "final"].iter().chain(LABELS).any(|label| word.eq_ignore_ascii_case(label));
        if word.is_empty() || !label {
            return None;
        }
        line = rest;
    }
    None
}
