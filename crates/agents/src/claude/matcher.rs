//! Matchers as Claude Code reads them, and what they are tested against.

use std::borrow::Cow;

use crate::condition::alternatives;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::tools;

/// Is a matcher a list of exact names?
pub(super) fn is_names(pattern: &str, event: EventKind) -> bool {
    let is_narrow = !takes_lists(event);
    let is_plain = |byte: u8| match byte {
        b' ' | b',' | b'-' => !is_narrow,
        _ => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|'),
    };
    !pattern.is_empty() && pattern.bytes().all(is_plain)
}

/// Do blanks, `,` and `-` stand in lists of names on this event, too? On others what has them is a regular expression.
fn takes_lists(event: EventKind) -> bool {
    !matches!(event, EventKind::FileChanged | EventKind::StopFailure)
}

/// `*` and blanks are everything. Where rules as permissions are written stand, of which one would match no tool as a regular
/// expression, they are those rules: it was meant so.
pub(crate) fn regex_or_rules(
    pattern: &str,
    regex: impl Fn(&str) -> Result<Matcher, MatcherError>,
) -> Result<Matcher, MatcherError> {
    if matches!(pattern.trim(), "" | "*") {
        return Ok(Matcher::default());
    }
    // The calls of an MCP server's tool have no rules: `mcp__git__(push|pull)` is a regular expression.
    let is_rule = |part: &str| part.contains('(') && !tools::is_mcp(part);
    let is_useful = |part: &str| {
        // One that is larger counts as useful: as a regular expression it is for everything.
        const SIZE_LIMIT: usize = 64 * 1024;
        regex(part).is_ok_and(|mut matcher| {
            matcher.limit_size(SIZE_LIMIT);
            tools::any_known(|name| matcher.matches(name))
        })
    };
    let parts = alternatives(pattern);
    if parts.iter().all(|part| is_rule(part) || !part.contains('('))
        && parts.iter().any(|part| is_rule(part) && !is_useful(part))
        && let Some(Ok(rules)) = Matcher::rules(pattern, |name| tools::is_known(name) || tools::is_mcp(name))
    {
        return Ok(rules);
    }
    regex(pattern)
}

/// The tool's names, or what the event has instead.
pub(crate) fn subjects(event: &Event, dialect: Dialect) -> Option<Vec<Cow<'_, str>>> {
    match event.tool_name() {
        Some(name) => Some(tools::names(name, dialect)),
        // Of the file its name counts, wherever it lies.
        None if event.name() == EventKind::FileChanged => {
            event.matched().map(|path| vec![path.rsplit(['/', '\\']).next().unwrap_or(path).into()])
        }
        None => event.matched().map(|matched| vec![matched.into()]),
    }
}
