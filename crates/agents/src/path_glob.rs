//! Patterns of paths with slashes, as agents have them: `src/**/*.{ts,tsx}`.

use regex::Regex;

/// The regular expression of a pattern, without anchors: `**` is any text, `*` any within a directory, `?` one character, `[a-z]` one
/// of a set, `{a,b}` either. A bracket or brace that nothing closes is text.
pub fn regex(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    let mut braces = 0_usize;
    while let Some(character) = rest.chars().next() {
        let tail = rest.get(character.len_utf8()..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix("**/") {
            out.push_str("(?:.*/)?");
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("**") {
            out.push_str(".*");
            rest = after;
            continue;
        }
        if character == '['
            && let Some((set, after)) = set(tail)
        {
            out.push_str(&set);
            rest = after;
            continue;
        }
        match character {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '{' if tail.contains('}') => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => out.push('|'),
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = tail;
    }
    out.push_str(&")".repeat(braces));
    out
}

/// The set of characters that `text` continues with after its `[`, and what follows it.
fn set(text: &str) -> Option<(String, &str)> {
    let (negated, body) = match text.strip_prefix(['!', '^']) {
        Some(body) => ("^/", body),
        None => ("", text),
    };
    // A bracket that is the first is one of the set.
    let first = body.chars().next()?.len_utf8();
    let end = first + body.get(first..)?.find(']')?;
    let members: String = body.get(..end)?.chars().fold(String::new(), |mut members, member| {
        if !member.is_alphanumeric() && member != '-' {
            members.push('\\');
        }
        members.push(member);
        members
    });
    let set = format!("[{negated}{members}]");
    // A range that is none, and what else is no set, is plain text.
    Regex::new(&set).is_ok().then(|| (set, body.get(end + 1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::{Regex, regex};

    #[test]
    fn what_nothing_closes_is_text() {
        for (pattern, yes, no) in
            [("{a,b", "{a,b", "a"), ("a[b", "a[b", "ab"), ("[z-a]", "[z-a]", "z"), ("a}b", "a}b", "ab")]
        {
            let regex = Regex::new(&format!("^{}$", regex(pattern))).unwrap();
            assert!(regex.is_match(yes), "{pattern} {yes}");
            assert!(!regex.is_match(no), "{pattern} {no}");
        }
    }
}
