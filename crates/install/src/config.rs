//! One config: what `install` and `uninstall` make of it.

use std::path::{Path, PathBuf};

use hookshell_agents::Dialect;
use hookshell_contract::Origin;
use serde_json::Value as Json;

use crate::agent::{Agent, ConfigFile, Way};
use crate::command_line::is_plain;
use crate::error::{Error, Syntax};
use crate::files::{self, Change, Owner};
use crate::json_text::pretty;
use crate::listed::State;
use crate::machine::{Machine, tilde};
use crate::plan::Unit;
use crate::record::Record;
use crate::side_form::{self, Known};
use crate::status::list;
use crate::{exec_form, toml_form};

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
        let text = files::read(&path)?;
        let value = match &text {
            Some(text) => Some(serde_json::from_str(text).map_err(|error| Error::Syntax {
                path: path.clone(),
                syntax: Syntax { line: error.line(), column: error.column(), message: error.to_string() },
            })?),
            None => None,
        };
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

    /// The change of the config itself.
    fn own_change(&self, after: String) -> Change {
        Change { shown: self.path.clone(), ..self.change(&self.target, Some(self.text.clone()), Some(after)) }
    }

    /// A change of what only we read.
    fn hidden_change(&self, path: &Path, before: Option<String>, after: Option<String>) -> Change {
        Change { is_private: true, is_shown: false, ..self.change(path, before, after) }
    }

    fn backup(&self) -> PathBuf {
        let mut name = self.target.clone().into_os_string();
        name.push(BACKUP);
        PathBuf::from(name)
    }

    pub(crate) fn install(&self, notes: &mut Vec<String>) -> Result<Option<Unit>, Error> {
        let syntax = self.syntax();
        let mut side_change = None;
        let mut side_value = None;
        let (after, was) = match self.agent.way() {
            Way::Each(form) => {
                let after = exec_form::wire(form, &self.text).map_err(&syntax)?;
                let was = match self.known_text() {
                    Some(was) => exec_form::unwire(form, &self.text, Some(was)).map_err(&syntax)?,
                    None => self.text.clone(),
                };
                (after, was)
            }
            Way::Line => {
                let (path, before, value) = self.side()?;
                // What was not brought to its end is done anew.
                let value = value.filter(|value| !self.is_left_behind(value));
                let word = self.side_word(&path)?;
                let (after, new, was) = if self.is_toml() {
                    let was = toml_form::unwire(&self.text);
                    let (after, new) = toml_form::wire(&self.text, value.as_ref(), &word).map_err(&syntax)?;
                    (after, new, was)
                } else {
                    let dialect = self.agent.dialect().unwrap_or_default();
                    let wired = side_form::wire(dialect, &self.text, value.as_ref(), &word).map_err(&syntax)?;
                    let was = match self.record.as_ref() {
                        Some((_, _, record)) => {
                            self.unwired_json(record, value.as_ref())?.unwrap_or_else(|| self.text.clone())
                        }
                        None => self.text.clone(),
                    };
                    (wired.text, wired.side, was)
                };
                if after != self.text {
                    let text = format!("{}\n", pretty(&new, "  "));
                    side_change = Some(self.change(&path, before, Some(text)));
                    side_value = Some(new);
                }
                (after, was)
            }
            Way::Plugin => return Ok(None),
        };
        if after == self.text {
            return Ok(None);
        }
        self.tell(notes);
        self.check_reversible(&after, &was, side_value.as_ref())?;
        let record = Record { config: self.target.clone(), was: was.clone(), now: after.clone(), side: side_value };
        let record_path = Record::path(self.machine, &self.target)?;
        let backup = self.backup();
        let old_backup = files::read(&backup)?;
        let mut changes = vec![
            self.hidden_change(&record_path, files::read(&record_path)?, Some(record.text())),
            self.hidden_change(&backup, old_backup, Some(was)),
        ];
        // Records are the user's, wherever the config is.
        if let Some(record) = changes.first_mut() {
            record.owner = Owner::User;
        }
        changes.extend(side_change);
        changes.push(self.own_change(after.clone()));
        let count = self.plain(&self.text)?.saturating_sub(self.plain(&after)?);
        let hooks = if count == 1 { "1 hook is".to_owned() } else { format!("{count} hooks are") };
        let way = match self.agent.way() {
            Way::Each(_) => "each for itself",
            _ => "a line for each event",
        };
        let summary = format!("{}: {}: {hooks} wired ({way})", self.agent.name(), self.path.display());
        Ok(Some(Unit { summary, changes }))
    }

    /// What the user has to do or to know for the agent to run what was written.
    fn tell(&self, notes: &mut Vec<String>) {
        let path = self.path.display();
        match (self.agent, &self.owner) {
            (Agent::Codex, _) => notes.push(format!(
                "{path}: Codex asks again for each hook that was changed: start `codex` and trust them in `/hooks`, until then it skips them"
            )),
            (Agent::Claude, Owner::Project(_)) if self.machine.find(Agent::Copilot).is_some() => notes.push(format!(
                "{path}: Copilot CLI reads this file too, but not `args`: there `hookshell` runs without a hook"
            )),
            _ => {}
        }
        if let (Way::Line, Owner::Project(_)) = (self.agent.way(), &self.owner) {
            notes.push(format!(
                "{path}: its hooks are a project's: `hookshell trust --dialect {}` shows them, and lets them run",
                self.agent.dialect().unwrap_or_default().as_str()
            ));
        }
    }

    /// How many hooks of a text of the config could be wired and are not.
    fn plain(&self, text: &str) -> Result<usize, Error> {
        let listed = list(self.agent, self.is_toml(), text, None).map_err(self.syntax())?;
        Ok(listed.iter().filter(|hook| hook.state == State::Plain).count())
    }

    /// Would what is written be taken back exactly?
    fn check_reversible(&self, now: &str, was: &str, side: Option<&Json>) -> Result<(), Error> {
        let back = match self.agent.way() {
            Way::Each(form) => exec_form::unwire(form, now, Some(was)).ok(),
            Way::Line if self.is_toml() => toml_form::list(now, None).ok().map(|_| toml_form::unwire(now)),
            Way::Line => {
                let side = side.cloned().unwrap_or_default();
                let known = Known { was, now, side: &side };
                side_form::unwire(self.agent.dialect().unwrap_or_default(), now, Some(known), Some(&side))
                    .ok()
                    .flatten()
            }
            Way::Plugin => None,
        };
        if back.as_deref() == Some(was) { Ok(()) } else { Err(Error::NotReversible { path: self.path.clone() }) }
    }

    /// Is this side file from an `install` that was ended before the config was written, or an `uninstall` that was ended after it?
    fn is_left_behind(&self, side: &Json) -> bool {
        let is_it =
            |(_, _, record): &(PathBuf, String, Record)| record.was == self.text && record.side.as_ref() == Some(side);
        self.record.as_ref().is_some_and(is_it)
    }

    /// Takes away what a process has left behind that was ended in the middle: the config itself has its hooks as they were.
    fn left_behind(&self) -> Result<Option<Unit>, Error> {
        let Some((record_path, text, record)) = &self.record else { return Ok(None) };
        if record.was != self.text {
            return Ok(None);
        }
        let mut changes = Vec::new();
        if record.side.is_some() {
            let (path, before, value) = self.side()?;
            if value.is_some_and(|value| self.is_left_behind(&value)) {
                changes.push(self.change(&path, before, None));
            }
        }
        let backup = self.backup();
        if let Some(text) = files::read(&backup)?.filter(|text| *text == record.was) {
            changes.push(self.hidden_change(&backup, Some(text), None));
        }
        // Last: without it nobody would know of the others.
        changes.push(Change { owner: Owner::User, ..self.hidden_change(record_path, Some(text.clone()), None) });
        let summary = format!(
            "{}: {}: its hooks were as they were; what was left behind is removed",
            self.agent.name(),
            self.path.display()
        );
        Ok(Some(Unit { summary, changes }))
    }

    fn unwired_json(&self, record: &Record, side: Option<&Json>) -> Result<Option<String>, Error> {
        let of_record = record.side.clone().unwrap_or_default();
        let known = Known { was: &record.was, now: &record.now, side: &of_record };
        side_form::unwire(self.agent.dialect().unwrap_or_default(), &self.text, Some(known), side)
            .map_err(self.syntax())
    }

    pub(crate) fn uninstall(&self, notes: &mut Vec<String>) -> Result<Option<Unit>, Error> {
        let mut changes = Vec::new();
        let syntax = self.syntax();
        let as_left = self.record.as_ref().map(|(_, _, record)| record).filter(|record| record.now == self.text);
        let after = match self.agent.way() {
            Way::Each(_) if let Some(record) = as_left => record.was.clone(),
            Way::Each(form) => exec_form::unwire(form, &self.text, self.known_text()).map_err(&syntax)?,
            Way::Line => {
                let (path, before, value) = self.side()?;
                let mut keeps_side = false;
                let after = if self.is_toml() {
                    let after = toml_form::unwire(&self.text);
                    if let (Some(value), Ok((_, expected))) = (&value, toml_form::wire(&after, None, "side")) {
                        keeps_side = *value != expected;
                    }
                    after
                } else {
                    let dialect = self.agent.dialect().unwrap_or_default();
                    let after = match self.record.as_ref() {
                        Some((_, _, record)) => self.unwired_json(record, value.as_ref())?,
                        None => side_form::unwire(dialect, &self.text, None, value.as_ref()).map_err(&syntax)?,
                    };
                    after.ok_or_else(|| Error::NoOriginals { path: self.path.clone(), side: path.clone() })?
                };
                if keeps_side {
                    notes.push(format!(
                        "{}: it was changed since the hooks were moved to it, and stays; the config has its hooks as they were",
                        path.display()
                    ));
                } else if before.is_some() && after != self.text {
                    changes.push(self.change(&path, before, None));
                }
                after
            }
            Way::Plugin => return Ok(None),
        };
        if after == self.text {
            return self.left_behind();
        }
        let backup = self.backup();
        match files::read(&backup)? {
            Some(text) if text == after => changes.push(self.hidden_change(&backup, Some(text), None)),
            Some(_) => notes.push(format!(
                "{}: the config was changed since; this backup of it stays: remove it when you like",
                backup.display()
            )),
            None => {}
        }
        if let Some((path, text, _)) = &self.record {
            changes.push(Change { owner: Owner::User, ..self.hidden_change(path, Some(text.clone()), None) });
        }
        changes.insert(0, self.own_change(after));
        let summary = format!("{}: {}: its hooks are as they were", self.agent.name(), self.path.display());
        Ok(Some(Unit { summary, changes }))
    }
}
