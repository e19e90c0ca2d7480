//! One config: what `install` and `uninstall` make of it.

use std::path::{Path, PathBuf};

use hookshell_agents::Dialect;
use hookshell_contract::Origin;
use serde_json::Value as Json;

use crate::agent::{Agent, ConfigFile, Way};
use crate::command_line::is_plain;
use crate::error::{Error, Syntax};
use crate::files::{self, Change, Owner};
use crate::forms::{groups, line_events, list, lost_events, side_of, stranded};
use crate::json_text::pretty;
use crate::listed::State;
use crate::machine::{Machine, tilde};
use crate::record::{self, Record};
use crate::side_form::{self, Known};
use crate::unit::Unit;
use crate::{exec_form, taken_out, toml_form};

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
        let syntax = self.syntax();
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
        let mut side_change = None;
        let mut side_value = None;
        let mut moved = None;
        let (after, was) = match self.agent.way() {
            Way::Each(form) => {
                let after = exec_form::wire(form, &self.text).map_err(&syntax)?;
                let was = match (start.was, self.known_text()) {
                    (Some(was), _) => was,
                    (None, Some(was)) => exec_form::unwire(form, &self.text, Some(was)).map_err(&syntax)?,
                    (None, None) => self.text.clone(),
                };
                (after, was)
            }
            Way::Line => {
                let word = self.side_word(&path)?;
                let (wired, was) = if self.is_toml() {
                    self.check_nothing_added()?;
                    let was = self.unwired_toml();
                    (toml_form::wire(&self.text, start.side.as_ref(), &word).map_err(&syntax)?, was)
                } else {
                    let dialect = self.agent.dialect().unwrap_or_default();
                    let wired = side_form::wire(dialect, &self.text, start.side.as_ref(), &word).map_err(&syntax)?;
                    let was = match start.was {
                        Some(was) => was,
                        None => self.unwired_json(start.side.as_ref())?.unwrap_or_else(|| self.text.clone()),
                    };
                    (wired, was)
                };
                if wired.text != self.text {
                    let text = format!("{}\n", pretty(&wired.side, "  "));
                    side_change = Some(self.change(&path, before.clone(), Some(text)));
                    side_value = Some(wired.side);
                }
                moved = Some(wired.moved);
                (wired.text, was)
            }
            Way::Plugin => return Ok(None),
        };
        let left = self.plain(&after)?;
        if left > 0 {
            let hooks =
                if left == 1 { "1 hook stays as it is".to_owned() } else { format!("{left} hooks stay as they are") };
            let advice = if self.is_toml() { ": write each as a table, `[[hooks.EVENT]]`" } else { "" };
            notes.push(format!("{}: {hooks}, in a layout that hookshell does not edit{advice}", self.path.display()));
        }
        if after == self.text {
            return Ok(match restored {
                Some(restored) => Some(self.bring_back(&path, before, &restored)),
                None => self.completion(),
            });
        }
        self.tell(notes);
        self.check_reversible(&after, &was, side_value.as_ref())?;
        let own = match (start.own, &self.record) {
            (Some(own), _) => own,
            // A part of it is wired: what is in the side file is not all the user's.
            (None, record) if was != self.text => record.as_ref().and_then(|(_, _, record)| record.own.clone()),
            (None, _) => before,
        };
        let own = own.and_then(|own| taken_out::without_moved(own, moved.as_ref()));
        let revived = taken_out::revived(start.side.as_ref(), moved.as_ref());
        let own = match &revived {
            Some(revived) => {
                self.tell_revived(&path, revived, notes);
                // The config had none of them: they stay there when it gets its own back.
                let more = record::json(own.as_deref())
                    .map_or_else(|| revived.clone(), |own| side_form::without(revived.clone(), Some(&own)));
                taken_out::with_hooks(own.clone(), &more).or(own)
            }
            None => own,
        };
        let record = Record {
            config: self.target.clone(),
            was: was.clone(),
            now: after.clone(),
            side: side_value,
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
            self.hidden_change(&backup, old_backup, Some(was)),
        ];
        changes.extend(side_change);
        changes.push(self.own_change(after.clone()));
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
    fn unwired_json(&self, side: Option<&Json>) -> Result<Option<String>, Error> {
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
