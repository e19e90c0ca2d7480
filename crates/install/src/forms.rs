//! What of a config and its side file is there, by the form in which its agent is wired.

use std::path::Path;

use serde_json::Value as Json;

use crate::agent::{Agent, Way};
use crate::error::{Error, Syntax};
use crate::listed::{Listed, State};
use crate::{exec_form, files, json_text, side_form, toml_form};

/// The hooks of a config's text.
pub(crate) fn list(agent: Agent, is_toml: bool, text: &str, side: Option<&Json>) -> Result<Vec<Listed>, Syntax> {
    match agent.way() {
        Way::Each(form) => exec_form::list(form, text),
        Way::Line if is_toml => toml_form::list(text, side),
        Way::Line => side_form::list(agent.dialect().unwrap_or_default(), text, side),
        Way::Plugin => Ok(Vec::new()),
    }
}

/// The events of a config's text, each with its hooks and groups, of an agent whose hooks are moved to a side file. What does not
/// parse is an error elsewhere.
pub(crate) fn groups(agent: Agent, is_toml: bool, text: &str) -> Vec<(String, Vec<Json>)> {
    match agent.way() {
        Way::Line if is_toml => toml_form::groups(text),
        Way::Line => side_form::groups(agent.dialect().unwrap_or_default(), text),
        Way::Each(_) | Way::Plugin => return Vec::new(),
    }
    .unwrap_or_default()
}

/// The events for which a config's text has a line of ours, which reads their hooks from the side file.
pub(crate) fn line_events(agent: Agent, is_toml: bool, text: &str) -> Vec<String> {
    let groups = groups(agent, is_toml, text).into_iter();
    groups.filter(|(_, groups)| side_form::have_line(groups)).map(|(event, _)| event).collect()
}

/// The events whose line runs no hook, as the side file has none for them.
pub(crate) fn lost_events(agent: Agent, is_toml: bool, text: &str, side: Option<&Json>) -> Vec<String> {
    let mut events = line_events(agent, is_toml, text);
    events.retain(|event| side.is_none_or(|side| !side_form::has_hooks(side, event)));
    events
}

/// The hooks of the side file that nothing runs, as the config has no line for their event.
pub(crate) fn stranded(agent: Agent, is_toml: bool, text: &str, side: &Json) -> Vec<Listed> {
    let lines = line_events(agent, is_toml, text);
    let lists = side_form::lists(side).filter(|(event, _)| !lines.contains(event));
    lists.flat_map(|(event, list)| side_form::listed_of(event, list, |_| State::Stranded)).collect()
}

/// What a side file has: its text, and what that is; nothing where it is blank.
pub(crate) fn side_of(path: &Path) -> Result<(Option<String>, Option<Json>), Error> {
    let text = files::read(path)?;
    let parsed = text.as_deref().map(json_text::parse).transpose();
    let value = parsed.map_err(|syntax| Error::Syntax { path: path.to_owned(), syntax })?.flatten();
    let value = value.as_ref().map(json_text::data);
    Ok((text, value))
}
