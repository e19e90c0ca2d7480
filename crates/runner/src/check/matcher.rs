//! Matchers that match no tool that the hook's agent has.

use std::path::Path;

use hookshell_agents::tools;

use super::code::FindingCode;
use crate::config::HookConfig;
use crate::dialect::Dialect;
use crate::event_kind::EventKind;

/// What is wrong with a hook's matcher, if it matches no tool. Those of MCP servers nobody knows.
pub(crate) fn fault(hook: &HookConfig) -> Option<(FindingCode, String)> {
    let pattern = hook.matcher.pattern()?;
    if !matches!(hook.event, EventKind::PreToolUse | EventKind::PostToolUse | EventKind::PostToolUseFailure)
        || pattern.to_ascii_lowercase().contains("mcp")
        // Of shell events of Cursor's the command's text is matched.
        || hook.dialect_event_name.contains("Shell")
    {
        return None;
    }
    let matches = |tool: &str| hook.matcher.matches(tool);
    if !tools::any_listed(matches) {
        return Some((FindingCode::UnknownTool, format!("the matcher {pattern:?} matches no tool that is known")));
    }
    let dialect = names_of(hook)?;
    if dialect.contract().has_unlisted_tools() && tools::any_unlisted(matches) {
        return None;
    }
    let own = tools::name_instead(|names| hook.matcher.matches_names(names), dialect)?;
    let agent = hook.dialect.agent();
    let text = format!("the matcher {pattern:?} matches no tool of {agent}, which calls it `{own}`");
    Some((FindingCode::ToolOfAnotherAgent, text))
}

/// Whose names of tools count for the hook; `None`: it is not known which tools there are.
pub(crate) fn names_of(hook: &HookConfig) -> Option<Dialect> {
    let contract = hook.dialect.contract();
    // Where a hook stands in no file it is the host's, and so are the tools.
    let knows = contract.knows_tools(hook.place.as_ref().map_or(Path::new(""), |place| place.file.as_ref()));
    knows.then(|| contract.tools_of(hook.dialect, hook.dialect_event_name))
}
