//! One config: what `install` and `uninstall` make of it.

mod install;
mod uninstall;

use std::path::{Path, PathBuf};

use hookshell_agents::Dialect;
use hookshell_contract::Origin;
use serde_json::Value as Json;

use crate::agent::{Agent, ConfigFile, Way};
use crate::command_line::is_plain;
use crate::error::{Error, Syntax};
use crate::files::{self, Change, Owner};
use crate::forms::{list, lost_events, side_of};
use crate::listed::State;
use crate::machine::{Machine, tilde};
use crate::record::Record;
use crate::{side_form, toml_form};

/// A config that is looked at.
pub(crate) struct Config<'m> {
    machine: &'m Machine,
    agent: Agent,
    /// As it was found.
    path: PathBuf,
    /// Links followed.
    pub(crate) target: PathBuf,
    owner: Owner,
    text: String,
    record: Option<(PathBuf, String, Record)>,
}

/// What is appended to the name of a config for its backup.
const BACKUP: &str = ".hookshell-backup";

impl<'m> Config<'m> {
    pub(crate) fn read(machine: &'m Machine, file: &ConfigFile) -> Result<Option<Self>, Error> {
        let owner = match (file.origin, machine.project()) {
            (Origin::Project, Some(project)) => Owner::Project(project.to_owned()),
            _ => Owner::User,
        };
        let Some(text) = files::read(&file.path)? else { return Ok(None) };
        let target = files::target(&file.path, &owner)?;
        let record = match Record::path(machine, &target) {
            Ok(path) => Record::read(&path, &target)?.map(|(text, record)| (path, text, record)),
            Err(_) => None,
        };
        Ok(Some(Self { machine, agent: file.agent, path: file.path.clone(), target, owner, text, record }))
    }

    fn is_toml(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "toml")
    }

    fn syntax(&self) -> impl Fn(Syntax) -> Error {
        let path = self.path.clone();
        move |syntax| Error::Syntax { path: path.clone(), syntax }
    }

    fn known_text(&self) -> Option<&str> {
        self.record.as_ref().map(|(_, _, record)| &*record.was)
    }

    /// The side file, its text, and what is in it.
    fn side(&self) -> Result<(PathBuf, Option<String>, Option<Json>), Error> {
        let path = Dialect::side_file(&self.path);
        let (text, value) = side_of(&path)?;
        Ok((path, text, value))
    }

    /// The side file's path as a line names it: a plain word.
    fn side_word(&self, side: &Path) -> Result<String, Error> {
        let slashes = |path: &Path| path.to_string_lossy().replace('\\', "/");
        let word = match &self.owner {
            Owner::Project(root) => slashes(side.strip_prefix(root).unwrap_or(side)),
            Owner::User => tilde(side, self.machine.home().as_deref()).unwrap_or_else(|| slashes(side)),
        };
        if is_plain(&word) { Ok(word) } else { Err(Error::NotPlain { path: self.path.clone(), word }) }
    }

    fn change(&self, path: &Path, before: Option<String>, after: Option<String>) -> Change {
        Change {
            path: path.to_owned(),
            shown: path.to_owned(),
            before,
            after,
            is_private: matches!(self.owner, Owner::User),
            is_shown: true,
            owner: self.owner.clone(),
        }
    }

    /// The TOML without what was written into it. Where nothing was, a comment that begins as ours do is the user's.
    fn unwired_toml(&self) -> String {
        match self.record.is_some() || toml_form::is_wired(&self.text) {
            true => toml_form::unwire(&self.text),
            false => self.text.clone(),
        }
    }

    /// Does its agent see hooks in it?
    pub(crate) fn has_hooks(&self) -> bool {
        list(self.agent, self.is_toml(), &self.text, None).is_ok_and(|hooks| !hooks.is_empty())
    }

    /// The agent that reads it here.
    pub(crate) fn agent(&self) -> Agent {
        self.agent
    }

    /// Why it is left alone: another agent that has hooks in the same file is wired there.
    pub(crate) fn shared_with(&self, other: Agent) -> Error {
        Error::Shared { path: self.path.clone(), target: self.target.clone(), other: other.name() }
    }

    /// The change of the config itself.
    fn own_change(&self, after: String) -> Change {
        Change { shown: self.path.clone(), ..self.change(&self.target, Some(self.text.clone()), Some(after)) }
    }

    /// A change of what only we read.
    fn hidden_change(&self, path: &Path, before: Option<String>, after: Option<String>) -> Change {
        Change { is_private: true, is_shown: false, ..self.change(path, before, after) }
    }

    /// A change of its record. Records are the user's, wherever the config is.
    fn record_change(&self, path: &Path, before: Option<String>, after: Option<String>) -> Change {
        Change { owner: Owner::User, ..self.hidden_change(path, before, after) }
    }

    fn backup(&self) -> PathBuf {
        let mut name = self.target.clone().into_os_string();
        name.push(BACKUP);
        PathBuf::from(name)
    }

    /// The side file with the hooks of these events, which it has no more, where the record of this config knows them.
    fn restored(&self, side: Option<&Json>, lost: &[String]) -> Option<Json> {
        let (_, _, record) = self.record.as_ref()?;
        let known = record.side.as_ref()?;
        lost.iter().all(|event| side_form::has_hooks(known, event)).then(|| side_form::with_events(side, lost, known))
    }

    /// Why hooks of the config do not run that were moved to the side file; `None`: all of them are there.
    fn lost(&self, side: &Path, text: Option<&str>, value: Option<&Json>) -> Option<Error> {
        let events = lost_events(self.agent, self.is_toml(), &self.text, value);
        if events.is_empty() {
            return None;
        }
        let is_known = self.restored(value, &events).is_some();
        let events = if text.is_some() { events } else { Vec::new() };
        Some(Error::HooksLost { path: self.path.clone(), side: side.to_owned(), events, is_known })
    }

    /// Likewise, of a config file.
    pub(crate) fn hooks_lost(machine: &Machine, file: &ConfigFile) -> Option<Error> {
        let config = Config::read(machine, file).ok().flatten().filter(|config| config.agent.way() == Way::Line)?;
        let (side, text, value) = config.side().ok()?;
        config.lost(&side, text.as_deref(), value.as_ref())
    }

    /// How many hooks of a text of the config could be wired and are not.
    fn plain(&self, text: &str) -> Result<usize, Error> {
        let listed = list(self.agent, self.is_toml(), text, None).map_err(self.syntax())?;
        Ok(listed.iter().filter(|hook| hook.state == State::Plain).count())
    }

    /// Is everything of a TOML config there without hookshell's line?
    fn check_nothing_added(&self) -> Result<(), Error> {
        let events = toml_form::added(&self.text);
        if events.is_empty() { Ok(()) } else { Err(Error::HooksAdded { path: self.path.clone(), events }) }
    }
}
