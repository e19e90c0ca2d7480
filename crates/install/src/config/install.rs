//! What `install` makes of a config.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::Config;
use crate::agent::{Agent, Way};
use crate::error::Error;
use crate::files::{self, Owner};
use crate::forms::lost_events;
use crate::json_text::pretty;
use crate::record::{self, Record};
use crate::side_form::{self, Known};
use crate::unit::Unit;
use crate::{exec_form, taken_out, toml_form};

/// What `install` begins with.
struct Start {
    side: Option<Json>,
    /// The side file that this is from.
    side_text: Option<String>,
    /// The config with its original hooks, where a record says it.
    was: Option<String>,
    /// What the side file has of the user's own, where a record says it.
    own: Option<Option<String>>,
}

/// A config as `install` writes it.
struct Wired {
    text: String,
    /// The config with its original hooks.
    was: String,
    /// What its side file is to have, where that is written.
    side: Option<Json>,
    /// The hooks that were moved there.
    moved: Option<Json>,
}

impl Config<'_> {
    /// What is to be wired. Where the config is what was wired before, whether that was brought to its end or the config went back later
    /// (`git checkout`), it is done anew: else the hooks would stand in the side file a second time.
    fn start(&self, side_text: Option<&str>, side: Option<Json>) -> Start {
        let record = self.record.as_ref().map(|(_, _, record)| record);
        let record = record.filter(|record| record.found.is_some() && record.knows_side(side_text, side.as_ref()));
        let (side_text, was, own) = match record {
            Some(record) if record.found.as_deref() == Some(&*self.text) => {
                (record.side_found.clone(), record.was.clone(), record.own.clone())
            }
            Some(record) if record.was == self.text => (record.own.clone(), record.was.clone(), record.own.clone()),
            _ => return Start { side, side_text: side_text.map(str::to_owned), was: None, own: None },
        };
        Start { side: record::json(side_text.as_deref()), side_text, was: Some(was), own: Some(own) }
    }

    /// Notes that the config is wired where the process that wrote it could not.
    fn completion(&self) -> Option<Unit> {
        let (path, text, record) = self.record.as_ref()?;
        if record.is_complete || record.now != self.text {
            return None;
        }
        let ended = Record { is_complete: true, ..record.clone() }.text();
        Some(Unit {
            summary: format!("{}: {}: its hooks are wired", self.agent.name(), self.path.display()),
            config: self.path.clone(),
            changes: vec![self.record_change(path, Some(text.clone()), Some(ended))],
        })
    }

    /// Writes the hooks into the side file again that a line names and that are not there.
    fn bring_back(&self, side: &Path, before: Option<String>, restored: &Json) -> Unit {
        let what = match before {
            Some(_) => "the hooks that were missing in the file of its hooks are back",
            None => "the file of its hooks was missing, and is back",
        };
        Unit {
            summary: format!("{}: {}: {what}", self.agent.name(), self.path.display()),
            config: self.path.clone(),
            changes: vec![self.change(side, before, Some(format!("{}\n", pretty(restored, "  "))))],
        }
    }

    pub(crate) fn install(&self, notes: &mut Vec<String>) -> Result<Option<Unit>, Error> {
        let (path, before, value) =
            if self.agent.way() == Way::Line { self.side()? } else { (PathBuf::new(), None, None) };
        let lost = lost_events(self.agent, self.is_toml(), &self.text, value.as_ref());
        let restored = if lost.is_empty() { None } else { self.restored(value.as_ref(), &lost) };
        if restored.is_none()
            && let Some(error) = self.lost(&path, before.as_deref(), value.as_ref())
        {
            return Err(error);
        }
        let start = self.start(before.as_deref(), restored.clone().or(value));
        let Some(wired) = self.wire(&start, &path)? else { return Ok(None) };
        let left = self.plain(&wired.text)?;
        if left > 0 {
            let hooks =
                if left == 1 { "1 hook stays as it is".to_owned() } else { format!("{left} hooks stay as they are") };
            let advice = if self.is_toml() { ": write each as a table, `[[hooks.EVENT]]`" } else { "" };
            notes.push(format!("{}: {hooks}, in a layout that hookshell does not edit{advice}", self.path.display()));
        }
        if wired.text == self.text {
            return Ok(match restored {
                Some(restored) => Some(self.bring_back(&path, before, &restored)),
                None => self.completion(),
            });
        }
        self.tell(notes);
        self.check_reversible(&wired.text, &wired.was, wired.side.as_ref())?;
        let side_change = wired
            .side
            .as_ref()
            .map(|side| self.change(&path, before.clone(), Some(format!("{}\n", pretty(side, "  ")))));
        let own = self.own_afterwards(&path, &start, &wired, before, notes);
        let record = Record {
            config: self.target.clone(),
            was: wired.was.clone(),
            now: wired.text.clone(),
            side: wired.side,
            found: Some(self.text.clone()),
            side_found: start.side_text,
            own,
            is_complete: false,
        };
        let record_path = Record::path(self.machine, &self.target)?;
        let backup = self.backup();
        let old_backup = files::read(&backup)?;
        let begun = record.text();
        let ended = Record { is_complete: true, ..record }.text();
        let mut changes = vec![
            self.record_change(&record_path, files::read(&record_path)?, Some(begun.clone())),
            self.hidden_change(&backup, old_backup, Some(wired.was)),
        ];
        changes.extend(side_change);
        changes.push(self.own_change(wired.text));
        // Last: a config that goes back to what it was later is not one that was never written.
        changes.push(self.record_change(&record_path, Some(begun), Some(ended)));
        let count = self.plain(&self.text)?.saturating_sub(left);
        let hooks = if count == 1 { "1 hook is".to_owned() } else { format!("{count} hooks are") };
        let way = match self.agent.way() {
            Way::Each(_) => "each for itself",
            _ => "a line for each event",
        };
        let summary = format!("{}: {}: {hooks} wired ({way})", self.agent.name(), self.path.display());
        Ok(Some(Unit { summary, config: self.path.clone(), changes }))
    }

    /// The config with its hooks wired; `None`: its agent's are not.
    fn wire(&self, start: &Start, side_path: &Path) -> Result<Option<Wired>, Error> {
        let syntax = self.syntax();
        let form = match self.agent.way() {
            Way::Each(form) => Some(form),
            Way::Line => None,
            Way::Plugin => return Ok(None),
        };
        if let Some(form) = form {
            let text = exec_form::wire(form, &self.text).map_err(&syntax)?;
            let was = match (&start.was, self.known_text()) {
                (Some(was), _) => was.clone(),
                (None, Some(was)) => exec_form::unwire(form, &self.text, Some(was)).map_err(&syntax)?,
                (None, None) => self.text.clone(),
            };
            return Ok(Some(Wired { text, was, side: None, moved: None }));
        }
        let word = self.side_word(side_path)?;
        let (wired, was) = if self.is_toml() {
            self.check_nothing_added()?;
            let was = self.unwired_toml();
            (toml_form::wire(&self.text, start.side.as_ref(), &word).map_err(&syntax)?, was)
        } else {
            let dialect = self.agent.dialect().unwrap_or_default();
            let wired = side_form::wire(dialect, &self.text, start.side.as_ref(), &word).map_err(&syntax)?;
            let was = match &start.was {
                Some(was) => was.clone(),
                None => self.unwired_json(start.side.as_ref())?.unwrap_or_else(|| self.text.clone()),
            };
            (wired, was)
        };
        let side = (wired.text != self.text).then_some(wired.side);
        Ok(Some(Wired { text: wired.text, was, side, moved: Some(wired.moved) }))
    }

    /// What the side file has of the user's own, once the config is wired.
    fn own_afterwards(
        &self,
        path: &Path,
        start: &Start,
        wired: &Wired,
        before: Option<String>,
        notes: &mut Vec<String>,
    ) -> Option<String> {
        let own = match (&start.own, &self.record) {
            (Some(own), _) => own.clone(),
            // A part of it is wired: what is in the side file is not all the user's.
            (None, record) if wired.was != self.text => record.as_ref().and_then(|(_, _, record)| record.own.clone()),
            (None, _) => before,
        };
        let own = own.and_then(|own| taken_out::without_moved(own, wired.moved.as_ref()));
        let Some(revived) = taken_out::revived(start.side.as_ref(), wired.moved.as_ref()) else { return own };
        self.tell_revived(path, &revived, notes);
        // The config had none of them: they stay there when it gets its own back.
        let more = match record::json(own.as_deref()) {
            Some(own) => side_form::without(revived, Some(&own)),
            None => revived,
        };
        taken_out::with_hooks(own.clone(), &more).or(own)
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

    /// Says which hooks of the side file run again, since a new hook of their event has brought its line back.
    fn tell_revived(&self, path: &Path, revived: &Json, notes: &mut Vec<String>) {
        for (event, _) in side_form::lists(revived) {
            notes.push(format!(
                "{}: what was there for {event} and did not run, as the config had no line for it, runs with the hooks that were moved to it \
                 now: remove there what is not to run",
                path.display()
            ));
        }
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
}
