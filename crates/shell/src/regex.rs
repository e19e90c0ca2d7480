//! POSIX extended regular expressions for `[[ =~ ]]`: leftmost-longest.
//!
//! The engine is `regex-automata` with all-matches semantics for the end of the longest match; the groups are then found
//! within that span. Where POSIX leaves a choice between groups the engine's own preference shows.

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, hybrid};

/// A compiled expression.
pub(crate) struct PosixRegex {
    groups: Regex,
    longest: hybrid::dfa::DFA,
}

/// The expression is not one.
#[derive(Debug)]
pub(crate) struct InvalidRegex;

/// Translates a POSIX ERE into the engine's syntax: where POSIX takes a character literally, so must the engine.
fn translate(source: &[u8]) -> Result<String, InvalidRegex> {
    let text = String::from_utf8_lossy(source);
    let mut result = String::with_capacity(text.len() + 8);
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let mut atom_before = false;
    while let Some(&character) = characters.get(at) {
        at += 1;
        match character {
            '\\' => {
                let Some(&next) = characters.get(at) else { return Err(InvalidRegex) };
                at += 1;
                match next {
                    // GNU's own escapes.
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' => {
                        result.push('\\');
                        result.push(next);
                    }
                    '<' => result.push_str(r"\b{start}"),
                    '>' => result.push_str(r"\b{end}"),
                    '`' => result.push_str(r"\A"),
                    '\'' => result.push_str(r"\z"),
                    other => push_literal(other, &mut result),
                }
                atom_before = true;
            }
            '[' => {
                at = bracket(&characters, at, &mut result)?;
                atom_before = true;
            }
            '{' => {
                // An interval only when it is one: `{` elsewhere stands for itself.
                let end = characters[at..].iter().position(|&c| c == '}').map(|n| at + n);
                let body: String = end.map(|end| characters[at..end].iter().collect()).unwrap_or_default();
                match end {
                    Some(end) if atom_before && is_interval(&body) => {
                        let body = if body.starts_with(',') { format!("0{body}") } else { body };
                        result.push('{');
                        result.push_str(&body);
                        result.push('}');
                        at = end + 1;
                    }
                    _ => {
                        result.push_str(r"\{");
                        atom_before = true;
                    }
                }
            }
            '}' => result.push_str(r"\}"),
            '*' | '+' | '?' => {
                if !atom_before {
                    if character == '*' {
                        result.push_str(r"\*");
                        atom_before = true;
                        continue;
                    }
                    return Err(InvalidRegex);
                }
                // Several in a row are one repetition of the other, never a lazy one.
                if result.ends_with(['*', '+', '?', '}']) && !ends_escaped(&result) {
                    result = wrap_last(result);
                }
                result.push(character);
            }
            '(' => {
                result.push('(');
                atom_before = false;
                // `()` is an empty group.
                if characters.get(at) == Some(&')') {
                    atom_before = true;
                }
            }
            '|' => {
                result.push('|');
                atom_before = false;
            }
            ')' => {
                result.push(')');
                atom_before = true;
            }
            '^' => {
                result.push('^');
                atom_before = false;
            }
            '$' => {
                result.push('$');
                atom_before = true;
            }
            '.' => {
                result.push('.');
                atom_before = true;
            }
            other => {
                push_literal(other, &mut result);
                atom_before = true;
            }
        }
    }
    Ok(result)
}

fn ends_escaped(text: &str) -> bool {
    text.trim_end_matches(['*', '+', '?', '}']).chars().rev().take_while(|&c| c == '\\').count() % 2 == 1
}

/// `a*` before another repetition: the whole so far is not regrouped, only the operator is dropped where it changes
/// nothing (`a**` is `a*`).
fn wrap_last(mut text: String) -> String {
    if text.ends_with(['*', '+', '?']) {
        text.pop();
        text.push('*');
        text.pop();
    }
    text
}

fn is_interval(body: &str) -> bool {
    let (low, high) = body.split_once(',').unwrap_or((body, body));
    let number = |text: &str| text.is_empty() || text.bytes().all(|b| b.is_ascii_digit());
    number(low) && number(high) && !(low.is_empty() && high.is_empty())
}

fn push_literal(character: char, out: &mut String) {
    if character.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(character);
}

/// A bracket expression; gives the place behind it.
fn bracket(characters: &[char], start: usize, out: &mut String) -> Result<usize, InvalidRegex> {
    let mut at = start;
    out.push('[');
    if characters.get(at) == Some(&'^') {
        out.push('^');
        at += 1;
    }
    let mut first = true;
    loop {
        let Some(&character) = characters.get(at) else { return Err(InvalidRegex) };
        at += 1;
        match character {
            ']' if !first => break,
            '[' if matches!(characters.get(at), Some(':' | '.' | '=')) => {
                let kind = characters[at];
                let close = (at + 1..characters.len())
                    .find(|&i| characters[i] == kind && characters.get(i + 1) == Some(&']'))
                    .ok_or(InvalidRegex)?;
                let name: String = characters[at + 1..close].iter().collect();
                at = close + 2;
                if kind == ':' {
                    out.push_str("[:");
                    out.push_str(&name);
                    out.push_str(":]");
                } else {
                    let mut letters = name.chars();
                    match (letters.next(), letters.next()) {
                        (Some(letter), None) => push_class_literal(letter, out),
                        _ => return Err(InvalidRegex),
                    }
                }
            }
            '-' if !first && characters.get(at).is_some_and(|&c| c != ']') && !out.ends_with("[^") => out.push('-'),
            other => push_class_literal(other, out),
        }
        first = false;
    }
    out.push(']');
    Ok(at)
}

fn push_class_literal(character: char, out: &mut String) {
    // A backslash is an ordinary character in a POSIX bracket expression; the engine's operators are escaped.
    if matches!(character, '\\' | '[' | ']' | '^' | '-' | '&' | '~') {
        out.push('\\');
    }
    out.push(character);
}

/// Compiles an expression.
pub(crate) fn compile(source: &[u8], ignore_case: bool) -> Result<PosixRegex, InvalidRegex> {
    /// What one expression may take: `(a{1000}){1000}` is an error and not the host's memory.
    const SIZE: usize = 4 * 1024 * 1024;
    let translated = translate(source)?;
    let syntax = syntax::Config::new().utf8(false).case_insensitive(ignore_case).dot_matches_new_line(true);
    let groups = Regex::builder()
        .configure(Regex::config().utf8_empty(false).nfa_size_limit(Some(SIZE)))
        .syntax(syntax)
        .build(&translated)
        .map_err(|_| InvalidRegex)?;
    let longest = hybrid::dfa::DFA::builder()
        .configure(hybrid::dfa::Config::new().match_kind(MatchKind::All))
        .syntax(syntax)
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false).nfa_size_limit(Some(SIZE)))
        .build(&translated)
        .map_err(|_| InvalidRegex)?;
    Ok(PosixRegex { groups, longest })
}

impl PosixRegex {
    /// The leftmost-longest match and its groups; a group that took no part is empty.
    pub(crate) fn captures(&self, subject: &[u8]) -> Option<Vec<Vec<u8>>> {
        let first = self.groups.find(subject)?;
        let mut cache = self.longest.create_cache();
        let input = Input::new(subject).range(first.start()..).anchored(Anchored::Yes);
        let end = match self.longest.try_search_fwd(&mut cache, &input) {
            Ok(Some(found)) => found.offset(),
            _ => first.end(),
        };
        // The groups of a match that ends there: anchored at the start and cut at the end.
        let mut captures = self.groups.create_captures();
        let within = Input::new(subject).range(first.start()..end).anchored(Anchored::Yes);
        self.groups.search_captures(&within, &mut captures);
        if captures.get_match().is_none_or(|m| m.end() != end) {
            captures.clear();
            self.groups.search_captures(&Input::new(&subject[..end]).range(first.start()..), &mut captures);
        }
        let mut items: Vec<Vec<u8>> = (0..captures.group_len())
            .map(|n| captures.get_group(n).map_or(Vec::new(), |span| subject[span.start..span.end].to_vec()))
            .collect();
        if let Some(whole) = items.first_mut() {
            *whole = subject[first.start()..end].to_vec();
        }
        Some(items)
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    fn matches(pattern: &str, subject: &str) -> Option<Vec<String>> {
        let groups = compile(pattern.as_bytes(), false).expect("a pattern").captures(subject.as_bytes())?;
        Some(groups.into_iter().map(|g| String::from_utf8(g).expect("text")).collect())
    }

    #[test]
    fn the_longest_alternative_wins() {
        assert_eq!(matches("ab|abcd", "xabcd"), Some(vec!["abcd".into()]));
        assert_eq!(matches("^(a|ab)(c|bcd)?$", "abcd").map(|g| g[0].clone()), Some("abcd".into()));
        assert_eq!(matches("x*", "aaa"), Some(vec![String::new()]));
        assert_eq!(
            matches("^([a-z]+)-([0-9]{2,3})$", "abc-123"),
            Some(vec!["abc-123".into(), "abc".into(), "123".into()])
        );
    }

    #[test]
    fn what_posix_takes_literally_is_literal() {
        assert_eq!(matches("a{x", "a{x"), Some(vec!["a{x".into()]));
        assert_eq!(matches(r"[\d]+", r"\d5"), Some(vec![r"\d".into()]));
        assert_eq!(matches("[]a]+", "a]b"), Some(vec!["a]".into()]));
        assert_eq!(matches("[[:alpha:]_-]+", "ab_-1"), Some(vec!["ab_-".into()]));
        assert!(compile(b"(", false).is_err());
        assert!(compile(b"a[", false).is_err());
    }
}
