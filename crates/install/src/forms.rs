//! What of a config and its side file is there, by the form in which its agent is wired.

use std::path::Path;

use serde_json::Value as Json;

use crate::agent::{Agent, Way};
use crate::error::{Error, Syntax};
use crate::listed::Listed;
use crate::{exec_form, files, side_form, toml_form};

/// The hooks of a config's text.
pub(crate) fn list(agent: Agent, is_toml: bool, text: &str, side: Option<&Json>) -> Result<Vec<Listed>, Syntax> {
    match agent.way() {
        Way::Each(form) => exec_form::list(form, text),
        Way::Line if is_toml => toml_form::list(text, side),
        Way::Line => side_form::list(agent.dialect().unwrap_or_default(), text, side),
        Way::Plugin => Ok(Vec::new()),
    }
}

/// Does a config's text have a line of ours, which reads the hooks from the side file?
pub(crate) fn has_line(agent: Agent, is_toml: bool, text: &str) -> bool {
    let groups = match agent.way() {
        Way::Line if is_toml => toml_form::groups(text),
        Way::Line => side_form::groups(agent.dialect().unwrap_or_default(), text),
        Way::Each(_) | Way::Plugin => return false,
    };
    groups.is_ok_and(|groups| side_form::have_line(&groups))
}

/// What a side file has: its text, and what that is.
pub(crate) fn side_of(path: &Path) -> Result<(Option<String>, Option<Json>), Error> {
    let text = files::read(path)?;
    let value = text.as_deref().map(serde_json::from_str).transpose().map_err(|error| Error::Syntax {
        path: path.to_owned(),
        syntax: Syntax { line: error.line(), column: error.column().max(1), message: without_place(&error) },
    })?;
    Ok((text, value))
}

/// What is wrong, without the place, which is said beside it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}
