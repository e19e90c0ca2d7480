//! What `uninstall` makes of a config.

use serde_json::Value as Json;

use super::Config;
use crate::agent::Way;
use crate::error::Error;
use crate::files;
use crate::forms::{groups, line_events, stranded};
use crate::record::{self, Record};
use crate::side_form::{self, Known};
use crate::unit::Unit;
use crate::{exec_form, taken_out, toml_form};

impl Config<'_> {
    /// Says that the side file has hooks whose line somebody has taken out of the config: they are nowhere else.
    fn tell_stranded(&self, notes: &mut Vec<String>) -> Result<(), Error> {
        if self.agent.way() != Way::Line {
            return Ok(());
        }
        let (path, _, value) = self.side()?;
        let hooks = value.map(|value| stranded(self.agent, self.is_toml(), &self.text, &value)).unwrap_or_default();
        if !hooks.is_empty() {
            notes.push(format!(
                "{}: {} has no line any more that runs what is in it, and it stays: remove it when you like",
                path.display(),
                self.path.display()
            ));
        }
        Ok(())
    }

    /// Takes away what a process has left behind that was ended in the middle: the config itself has its hooks as they were. A config
    /// that went back by other means (`git stash`) may come again: what it needs then stays.
    fn left_behind(&self) -> Result<Option<Unit>, Error> {
        let Some((record_path, text, record)) = &self.record else { return Ok(None) };
        if record.is_complete || record.found.as_ref() != Some(&self.text) && record.was != self.text {
            return Ok(None);
        }
        let mut changes = Vec::new();
        if record.side.is_some() {
            let (path, before, value) = self.side()?;
            if before.is_some() && record.knows_side(before.as_deref(), value.as_ref()) {
                changes.push(self.change(&path, before, record.own.clone()));
            }
        }
        let backup = self.backup();
        if let Some(text) = files::read(&backup)?.filter(|text| *text == record.was) {
            changes.push(self.hidden_change(&backup, Some(text), None));
        }
        // Last: without it nobody would know of the others.
        changes.push(self.record_change(record_path, Some(text.clone()), None));
        let summary = format!(
            "{}: {}: its hooks were as they were; what was left behind is removed",
            self.agent.name(),
            self.path.display()
        );
        Ok(Some(Unit { summary, config: self.path.clone(), changes }))
    }

    /// The config with its original hooks, if they are to be found. What the user has in the side file stays there.
    pub(super) fn unwired_json(&self, side: Option<&Json>) -> Result<Option<String>, Error> {
        let dialect = self.agent.dialect().unwrap_or_default();
        let Some((_, _, record)) = &self.record else {
            return side_form::unwire(dialect, &self.text, None, side).map_err(self.syntax());
        };
        let own = record.own();
        let of_record = side_form::without(record.side.clone().unwrap_or_default(), own.as_ref());
        let side = side.map(|side| side_form::without(side.clone(), own.as_ref()));
        let known = Known { was: &record.was, now: &record.now, side: &of_record };
        side_form::unwire(dialect, &self.text, Some(known), side.as_ref()).map_err(self.syntax())
    }

    pub(crate) fn uninstall(&self, notes: &mut Vec<String>) -> Result<Option<Unit>, Error> {
        let mut changes = Vec::new();
        let syntax = self.syntax();
        let record = self.record.as_ref().map(|(_, _, record)| record);
        let as_left = record.filter(|record| record.now == self.text);
        let unfinished = record.filter(|record| record.is_unfinished(&self.text));
        let mut side = None;
        // What the side file has afterwards.
        let mut left = None;
        let after = match self.agent.way() {
            Way::Each(_) if let Some(record) = as_left.or(unfinished) => record.was.clone(),
            Way::Each(form) => exec_form::unwire(form, &self.text, self.known_text()).map_err(&syntax)?,
            Way::Line => {
                let (path, before, value) = self.side()?;
                let unfinished = unfinished.filter(|record| record.knows_side(before.as_deref(), value.as_ref()));
                let own = record.and_then(Record::own);
                let after = if self.is_toml() {
                    self.check_nothing_added()?;
                    self.unwired_toml()
                } else if let Some(record) = unfinished {
                    record.was.clone()
                } else {
                    let after = self.unwired_json(value.as_ref())?;
                    after.ok_or_else(|| Error::NoOriginals { path: self.path.clone(), side: path.clone() })?
                };
                let stays = value.as_ref().and_then(|value| {
                    let lines = line_events(self.agent, self.is_toml(), &self.text);
                    let back = groups(self.agent, self.is_toml(), &after);
                    taken_out::stays(value, own.as_ref(), &lines, &back)
                });
                let mut is_edited = false;
                if self.is_toml()
                    && let (None, Some(value), Ok(wired)) =
                        (unfinished, &value, toml_form::wire(&after, own.as_ref(), "side"))
                {
                    let moved = side_form::without(value.clone(), stays.as_ref());
                    // One without hooks has nothing to keep.
                    let is_as_left = side_form::say_the_same(&moved, &wired.side);
                    is_edited = after != self.text && !is_as_left && side_form::has_any_hooks(&moved);
                }
                if is_edited {
                    notes.push(format!(
                        "{}: it was changed since the hooks were moved to it, and stays; the config has its hooks as they were",
                        path.display()
                    ));
                } else {
                    let own_text = record.and_then(|record| record.own.clone());
                    left = match stays {
                        // What cannot be written anew stays as it is.
                        Some(stays) => taken_out::with_hooks(own_text, &stays).or_else(|| before.clone()),
                        None => own_text,
                    };
                    if before.is_some() && after != self.text {
                        let left_hooks = record::json(left.as_deref()).filter(side_form::has_any_hooks);
                        notes.extend(left_hooks.map(|left| taken_out::told(&path, &self.path, &left)));
                        changes.push(self.change(&path, before, left.clone()));
                    }
                    side = value;
                }
                after
            }
            Way::Plugin => return Ok(None),
        };
        if after == self.text {
            return match self.left_behind()? {
                Some(unit) => Ok(Some(unit)),
                None => {
                    self.tell_stranded(notes)?;
                    Ok(None)
                }
            };
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
        changes.insert(0, self.own_change(after.clone()));
        if let Some((path, text, record)) = &self.record {
            // Should the process be ended, the next one knows what it was at work on.
            let begun = Record {
                was: after.clone(),
                found: Some(after),
                side,
                side_found: left.clone(),
                own: left,
                is_complete: false,
                ..record.clone()
            };
            changes.insert(0, self.record_change(path, Some(text.clone()), Some(begun.text())));
            changes.push(self.record_change(path, Some(begun.text()), None));
        }
        let summary = format!("{}: {}: its hooks are as they were", self.agent.name(), self.path.display());
        Ok(Some(Unit { summary, config: self.path.clone(), changes }))
    }
}
