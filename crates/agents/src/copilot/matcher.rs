//! Copilot CLI's matchers: JavaScript's regular expressions that must match a tool's whole name.
//!
//! Seen with version 1.0.102 (`tests/agents/copilot.py`): an event in camel case has Copilot's own names of tools; one in
//! Pascal case has Claude Code's, takes `*` and `**` for everything, and reads a list of plain names (`bash|edit`) as the tools
//! that they name, whosever names they are.

use std::borrow::Cow;

use super::is_claude_style;
use crate::dialect::Dialect;
use crate::matcher::{Matcher, MatcherError};
use crate::tools;

/// What Copilot CLI calls its tools in payloads and matchers of events in Pascal case. Other tools keep their names.
const CLAUDE_NAMES: [(&str, &str); 14] = [
    ("bash", "Bash"),
    ("powershell", "Bash"),
    ("view", "Read"),
    ("create", "Write"),
    ("edit", "Edit"),
    ("apply_patch", "Edit"),
    ("str_replace_editor", "Edit"),
    ("grep", "Grep"),
    ("glob", "Glob"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
    ("task", "Agent"),
    ("update_todo", "TodoWrite"),
    ("ask_user", "AskUserQuestion"),
];

/// Copilot CLI's own name of a tool.
pub(super) fn own_tool_name(tool: &str) -> Cow<'_, str> {
    if CLAUDE_NAMES.iter().any(|(own, _)| *own == tool) {
        return tool.into();
    }
    match CLAUDE_NAMES.iter().find(|(_, claude)| *claude == tool) {
        Some((own, _)) => Cow::Borrowed(own),
        None => tools::own_tool_name(tool, Dialect::Copilot),
    }
}

/// A tool's name where the event is one in Pascal case.
pub(super) fn claude_name(tool: &str) -> Cow<'_, str> {
    let own = own_tool_name(tool);
    match CLAUDE_NAMES.iter().find(|(name, _)| *name == own) {
        Some((_, claude)) => Cow::Borrowed(claude),
        None => own,
    }
}

/// Reads a matcher of an event; `pattern` is not empty.
pub(super) fn read(pattern: &str, dialect_event_name: &str) -> Result<Matcher, MatcherError> {
    if !is_claude_style(dialect_event_name) {
        return Ok(Matcher::anchored_as(&in_our_syntax(pattern)?, pattern)?);
    }
    let trimmed = pattern.trim();
    if matches!(trimmed, "" | "*" | "**") {
        return Ok(Matcher::default());
    }
    let is_plain = trimmed.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'|'));
    if is_plain {
        let names: Vec<Cow<'_, str>> = trimmed.split('|').map(known_name).collect();
        return Ok(Matcher::anchored_as(&names.join("|"), pattern)?);
    }
    Ok(Matcher::anchored_as(&in_our_syntax(trimmed)?, pattern)?)
}

/// The name in Pascal case's payloads of a tool that a list names.
fn known_name(name: &str) -> Cow<'_, str> {
    match name {
        "Task" => "Agent".into(),
        _ => CLAUDE_NAMES.iter().find(|(own, _)| *own == name).map_or(name.into(), |(_, claude)| Cow::Borrowed(claude)),
    }
}

/// The same expression for our engines, which have more than JavaScript's (without its flag `u`) and other literals.
///
/// # Errors
/// What JavaScript does not know: flags without a group, Python's groups, comments.
fn in_our_syntax(pattern: &str) -> Result<Cow<'_, str>, MatcherError> {
    if !pattern.contains(['\\', '{', '?', '[']) {
        return Ok(pattern.into());
    }
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '\\' => {
                let Some(escaped) = after.chars().next() else {
                    return Err(not_javascript("a `\\` at its end"));
                };
                // Of a letter that means nothing after a backslash the letter itself is meant.
                let is_plain = escaped.is_ascii_alphabetic() && !"bBcdDfknrsStuvwWx".contains(escaped);
                if !is_plain {
                    out.push('\\');
                }
                out.push(escaped);
                rest = after.get(escaped.len_utf8()..).unwrap_or_default();
                continue;
            }
            '[' if !in_class && after.starts_with("^]") => {
                out.push_str("(?s:.)");
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            // In JavaScript a bracket in a class is a bracket, and `&&` and `--` are characters.
            '[' if in_class => out.push_str("\\["),
            '&' | '~' | '-' if in_class && after.starts_with(character) => {
                out.push('\\');
                out.push(character);
            }
            '[' => {
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '{' if !in_class && !is_quantifier(after) => out.push_str("\\{"),
            '(' if !in_class && after.starts_with('?') => {
                let kind = after.get(1..).unwrap_or_default();
                if !is_group(kind) {
                    return Err(not_javascript("a group that JavaScript does not know"));
                }
                out.push('(');
            }
            other => out.push(other),
        }
        rest = after;
    }
    Ok(out.into())
}

/// Does `{` begin how often something is repeated?
fn is_quantifier(after: &str) -> bool {
    let Some((inner, _)) = after.split_once('}') else { return false };
    let (least, most) = inner.split_once(',').unwrap_or((inner, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(least) && (most.is_empty() || is_number(most))
}

/// What may follow `(?`: no group, a look, a name, or flags up to a colon.
fn is_group(kind: &str) -> bool {
    let flags = kind.trim_start_matches(['i', 'm', 's', '-']);
    kind.starts_with([':', '=', '!', '<']) || flags.starts_with(':')
}

fn not_javascript(what: &str) -> MatcherError {
    MatcherError::Regex(regex::Error::Syntax(format!("{what}: the expression is JavaScript's")))
}

#[cfg(test)]
mod tests {
    use super::{claude_name, own_tool_name, read};

    /// Each line was tried with the real agent, whose call was `bash`.
    #[test]
    fn a_matcher_matches_what_it_matches_in_the_agent() {
        // The pattern; does it match for `preToolUse`, and for `PreToolUse`? `None`: the hook is left out.
        let cases: [(&str, Option<bool>, Option<bool>); 45] = [
            (" ", Some(false), Some(true)),
            ("bash", Some(true), Some(true)),
            ("^bash$", Some(true), Some(false)),
            ("Bash", Some(false), Some(true)),
            ("ba", Some(false), Some(false)),
            ("ash", Some(false), Some(false)),
            ("*", None, Some(true)),
            ("**", None, Some(true)),
            (".*", Some(true), Some(true)),
            ("bash|edit", Some(true), Some(true)),
            ("Edit|Bash", Some(false), Some(true)),
            ("bash||edit", Some(true), Some(true)),
            ("|bash", Some(true), Some(true)),
            ("BASH", Some(false), Some(false)),
            ("bash,edit", Some(false), Some(false)),
            (" bash", Some(false), Some(true)),
            ("bash\n", Some(false), Some(true)),
            ("Bash ", Some(false), Some(true)),
            ("bash | edit", Some(false), Some(false)),
            ("^(?!mcp)", Some(false), Some(false)),
            (".*(?!mcp)", Some(true), Some(true)),
            ("(?=bash)bash", Some(true), Some(false)),
            ("bash(echo *)", Some(false), Some(false)),
            ("B.*", Some(false), Some(true)),
            ("[Bb]ash", Some(true), Some(true)),
            ("(?i)BASH", None, None),
            ("(?i:BASH)", Some(true), Some(true)),
            ("(?P<n>Bash)", None, None),
            ("(?<n>Bash)", Some(false), Some(true)),
            ("Bash(?#c)", None, None),
            ("\\bbash\\b", Some(true), Some(false)),
            ("\\p{L}+", Some(false), Some(false)),
            ("bas[h", None, None),
            ("bas{", Some(false), Some(false)),
            ("ba{1}sh", Some(true), Some(false)),
            ("[^]*", Some(true), Some(true)),
            ("[[:alpha:]]ash", Some(false), Some(false)),
            ("\\x42ash", Some(false), Some(true)),
            ("\\Bash", Some(false), Some(false)),
            ("Bash\\", None, None),
            ("bash$|bash", Some(true), Some(false)),
            ("bash|B.*", Some(true), Some(true)),
            ("(.)ash", Some(true), Some(true)),
            ("ba(sh)?", Some(true), Some(false)),
            ("*|bash", None, None),
        ];
        for (pattern, camel, pascal) in cases {
            for (dialect_event_name, expected) in [("preToolUse", camel), ("PreToolUse", pascal)] {
                let name = if dialect_event_name == "preToolUse" { own_tool_name("bash") } else { claude_name("bash") };
                let found = read(pattern, dialect_event_name).ok().map(|matcher| matcher.matches(&name));
                assert_eq!(found, expected, "{dialect_event_name} {pattern:?}");
            }
        }
        assert_eq!(read("bash|edit", "PreToolUse").unwrap().pattern(), Some("bash|edit"));
    }

    #[test]
    fn tools_have_two_names() {
        let cases = [
            ("bash", "bash", "Bash"),
            ("Bash", "bash", "Bash"),
            ("view", "view", "Read"),
            ("Write", "create", "Write"),
            ("apply_patch", "apply_patch", "Edit"),
            ("task", "task", "Agent"),
            ("Task", "task", "Agent"),
            ("Agent", "task", "Agent"),
            ("ask_user", "ask_user", "AskUserQuestion"),
            ("sql", "sql", "sql"),
            ("srv-do_it", "srv-do_it", "srv-do_it"),
            ("mcp__srv__do_it", "srv-do_it", "srv-do_it"),
        ];
        for (tool, own, claude) in cases {
            assert_eq!((&*own_tool_name(tool), &*claude_name(tool)), (own, claude), "{tool}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_pattern_panics(pattern: String, is_pascal: bool) {
            let dialect_event_name = if is_pascal { "PreToolUse" } else { "preToolUse" };
            let _ = read(&pattern, dialect_event_name).map(|matcher| matcher.matches("bash"));
        }
    }
}
