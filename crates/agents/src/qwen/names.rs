//! How Qwen Code's matchers name tools.

use crate::matcher::{Matcher, MatcherError};

/// Reads a matcher: a name or alias that is exactly the tool's, each of a list that `|` separates, or else all of it as an
/// unanchored regular expression of JavaScript's on the name that payloads have. `*` and `.*` are everything, alone and in a list.
///
/// # Errors
/// It is no regular expression, and no list whose names could count all the same.
pub(super) fn matcher(pattern: &str) -> Result<Matcher, MatcherError> {
    let trimmed = trim(pattern);
    let is_all = |entry: &str| matches!(entry, "*" | ".*");
    if trimmed.is_empty() || is_all(trimmed) {
        return Ok(Matcher::default());
    }
    let is_list = trimmed.contains('|') && !trimmed.starts_with(['^', '(']);
    if !is_list {
        return Ok(Matcher::names_or_regex(pattern, vec![trimmed.to_owned()], Some(Matcher::of_javascript(trimmed)?)));
    }
    let entries: Vec<&str> = entries(trimmed).into_iter().map(trim_entry).filter(|entry| !entry.is_empty()).collect();
    if entries.iter().any(|entry| is_all(entry)) {
        return Ok(Matcher::default());
    }
    let names = std::iter::once(trimmed).chain(entries.iter().copied()).map(str::to_owned).collect();
    let regex = match entries.is_empty() {
        true => None,
        false => match Matcher::of_javascript(&entries.join("|")) {
            Ok(regex) => Some(regex),
            // Of several the names still count.
            Err(_) if entries.len() > 1 => None,
            Err(error) => return Err(error.into()),
        },
    };
    Ok(Matcher::names_or_regex(pattern, names, regex))
}

/// The parts between the `|` that stand in no parentheses and no brackets, and after no backslash.
fn entries(pattern: &str) -> Vec<&str> {
    let (mut entries, mut start) = (Vec::new(), 0);
    let (mut is_escaped, mut in_class, mut depth) = (false, false, 0_usize);
    for (at, character) in pattern.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ']' if in_class => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                entries.push(pattern.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    entries.push(pattern.get(start..).unwrap_or_default());
    entries
}

/// Without the blanks around it; one that a backslash escapes stays.
fn trim(pattern: &str) -> &str {
    trim_entry(pattern)
}

fn trim_entry(entry: &str) -> &str {
    let start = entry.trim_start();
    let mut end = start.len();
    while let Some(last) =
        start.get(..end).and_then(|text| text.chars().next_back()).filter(|last| last.is_whitespace())
    {
        let before = end - last.len_utf8();
        let backslashes =
            start.get(..before).unwrap_or_default().bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 1 {
            break;
        }
        end = before;
    }
    start.get(..end).unwrap_or_default()
}
