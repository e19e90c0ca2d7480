//! The table of an environment's background jobs.

use std::sync::Arc;

use super::{Death, Job};

/// Why a job specification names no job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoJob {
    Unknown,
    /// It names several.
    Ambiguous,
}

/// A job in the table of `jobs`.
#[derive(Debug, Clone)]
pub(crate) struct JobEntry {
    /// `%n`
    pub(crate) number: u32,
    pub(crate) job: Job,
    pub(crate) command: Vec<u8>,
    /// It was started under job control: `kill -- -ID` reaches it.
    is_group: bool,
    /// Its end was told of (a signal, `jobs`) or waited for: it leaves the table when the next command has started.
    told: bool,
    /// The shell has looked around since it ended.
    seen: bool,
}

impl JobEntry {
    /// Its end was told of, or waited for.
    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    /// It has not ended yet.
    pub(crate) fn is_running(&self) -> bool {
        self.job.try_status().is_none()
    }
}

/// The background jobs of one environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Jobs {
    entries: Vec<JobEntry>,
    /// Those of the environment that this one is a subshell of: listed (`$(jobs -p)`), and no children of this one.
    inherited: Vec<JobEntry>,
    /// Statuses of jobs that were waited for, by id: `wait $!` may be asked again.
    remembered: Vec<(u32, u8)>,
    disabled: Arc<Vec<Vec<u8>>>,
    /// The numbers of `%+` and `%-`; 0: none.
    current: u32,
    previous: u32,
}

/// How many jobs the table holds before those that have ended leave it.
const MOST_ENTRIES: usize = 64;

/// How many ended jobs are remembered (POSIX: at least CHILD_MAX; 25 there).
const REMEMBERED: usize = 1024;

impl Jobs {
    /// The jobs as a subshell sees them: they are not its children.
    pub(crate) fn for_subshell(&mut self) -> Self {
        self.clean_up();
        let has_none = self.entries.is_empty() && self.inherited.is_empty();
        let inherited = if has_none { Vec::new() } else { self.listed().cloned().collect() };
        Self {
            inherited,
            disabled: self.disabled.clone(),
            current: self.current,
            previous: self.previous,
            ..Self::default()
        }
    }

    /// There never was a job, and no built-in is disabled.
    #[inline]
    fn is_blank(&self) -> bool {
        self.entries.is_empty() && self.inherited.is_empty() && self.remembered.is_empty() && self.disabled.is_empty()
    }

    /// Begins a subshell on this thread; what comes of it is given back to [`Self::leave_subshell`].
    #[inline]
    pub(crate) fn enter_subshell(&mut self) -> Option<Box<Self>> {
        if self.is_blank() {
            return None;
        }
        let inner = self.for_subshell();
        Some(Box::new(std::mem::replace(self, inner)))
    }

    /// Ends a subshell on this thread: the jobs are what they were.
    #[inline]
    pub(crate) fn leave_subshell(&mut self, outer: Option<Box<Self>>) {
        match outer {
            None if self.is_blank() => {}
            None => *self = Self::default(),
            Some(outer) => {
                *self = *outer;
                self.look_around();
            }
        }
    }

    /// `is_group`: job control was on, so that the job counts as a process group of its own.
    pub(crate) fn add(&mut self, job: Job, command: Vec<u8>, is_group: bool) -> u32 {
        self.clean_up();
        self.make_room();
        // The number of the last job that has left the table is given out again.
        let number = self.listed().next_back().map_or(1, |last| last.number + 1);
        self.entries.push(JobEntry { number, job, command, is_group, told: false, seen: false });
        self.set_current(number);
        number
    }

    /// A million `:&` or `<(:)` must not pile up: what has ended is only remembered.
    fn make_room(&mut self) {
        if self.entries.len() >= MOST_ENTRIES {
            self.entries.iter_mut().for_each(|entry| entry.told |= !entry.is_running());
            self.clean_up();
        }
    }

    /// Makes a job `%+`; `%-` is then the newest before it that runs.
    fn set_current(&mut self, number: u32) {
        let before = self.entries.iter().rev().find(|entry| (1..number).contains(&entry.number) && entry.is_running());
        self.previous = before.map_or(number, |entry| entry.number);
        self.current = number;
    }

    /// The jobs leave the table whose ends were told of; their statuses are remembered.
    pub(crate) fn clean_up(&mut self) {
        if !self.entries.iter().any(|entry| entry.told && !entry.is_running()) {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        for entry in entries {
            match entry.job.try_status().filter(|_| entry.told) {
                Some(status) => self.remember(entry.job.id(), status),
                None => self.entries.push(entry),
            }
        }
        self.choose_current();
    }

    /// Where `%+` or `%-` has left the table, the newest job that runs is `%+`.
    fn choose_current(&mut self) {
        let is_there = |number: u32| self.entries.iter().any(|entry| entry.number == number);
        if is_there(self.current) && is_there(self.previous) {
            return;
        }
        match self.entries.iter().rev().find(|entry| entry.number > 0 && entry.is_running()).map(|entry| entry.number) {
            Some(number) => self.set_current(number),
            None => (self.current, self.previous) = (0, 0),
        }
    }

    /// The end of these jobs was told of, if they have ended.
    pub(crate) fn set_told(&mut self, is_one: impl Fn(&JobEntry) -> bool) {
        for entry in &mut self.entries {
            entry.told |= is_one(entry) && !entry.is_running();
        }
    }

    /// A command has ended: which jobs have ended meanwhile is known now.
    pub(crate) fn look_around(&mut self) {
        self.clean_up();
        for entry in &mut self.entries {
            entry.seen |= !entry.is_running();
        }
    }

    /// What has ended leaves the table, told of or not, but for the job of this id. Its status is remembered.
    pub(crate) fn forget_ended(&mut self, but: Option<u32>) {
        self.set_told(|entry| entry.number > 0 && Some(entry.job.id()) != but);
        self.clean_up();
    }

    /// `wait` without operands: the ends of those that are known to have ended count as told, but for that of the last job in
    /// the background (`last` is its id). The others are to be waited for.
    pub(crate) fn begin_waiting(&mut self, last: Option<u32>) -> Vec<Job> {
        self.clean_up();
        for entry in &mut self.entries {
            entry.told |= entry.seen && last != Some(entry.job.id());
        }
        self.entries.iter().filter(|entry| !entry.seen).map(|entry| entry.job.clone()).collect()
    }

    /// A process substitution is waited for by its id only.
    pub(crate) fn remember_substitution(&mut self, job: Job) {
        self.make_room();
        self.entries.push(JobEntry { number: 0, job, command: Vec::new(), is_group: false, told: false, seen: false });
    }

    pub(crate) fn remember(&mut self, id: u32, status: u8) {
        self.remembered.retain(|(known, _)| *known != id);
        if self.remembered.len() >= REMEMBERED {
            self.remembered.remove(0);
        }
        self.remembered.push((id, status));
    }

    pub(crate) fn forget_statuses(&mut self) {
        self.remembered.clear();
    }

    pub(crate) fn forget_status(&mut self, id: u32) {
        self.remembered.retain(|(known, _)| *known != id);
    }

    pub(crate) fn remembered(&self, id: u32) -> Option<u8> {
        self.remembered.iter().find(|(known, _)| *known == id).map(|(_, status)| *status)
    }

    pub(crate) fn entries(&self) -> &[JobEntry] {
        &self.entries
    }

    /// The jobs that `jobs` shows: those that run, and those whose end nobody was told of. A substitution shows those of its
    /// parent before its own.
    pub(crate) fn listed(&self) -> impl DoubleEndedIterator<Item = &JobEntry> {
        let own = self.entries.iter().filter(|entry| entry.number > 0);
        self.inherited.iter().chain(own)
    }

    /// The sign that `jobs` puts after the number.
    pub(crate) fn mark(&self, entry: &JobEntry) -> char {
        match entry.number {
            number if number == self.current => '+',
            number if number == self.previous => '-',
            _ => ' ',
        }
    }

    /// The jobs of the environment around this one are listed no more: bash keeps the list in a command substitution, and
    /// for a `jobs` that is the stage of a pipeline.
    #[inline]
    pub(crate) fn leave_inherited(&mut self) {
        self.inherited.clear();
    }

    pub(crate) fn by_id(&self, id: u32) -> Option<&JobEntry> {
        self.entries.iter().find(|entry| entry.job.id() == id)
    }

    /// Does a job of this shell count as a process group with this number?
    pub(crate) fn has_group(&self, id: u32) -> bool {
        self.inherited.iter().chain(&self.entries).any(|entry| entry.is_group && entry.job.id() == id)
    }

    /// The job that `%n`, `%%`, `%+`, `%-`, `%string` or `%?string` names.
    pub(crate) fn by_spec(&self, spec: &[u8]) -> Result<&JobEntry, NoJob> {
        let by_number = |number: u32| self.listed().rev().find(|entry| entry.number == number && number > 0);
        // A string that begins (or is in) more than one job's command names none of them.
        let only = |matches: &dyn Fn(&JobEntry) -> bool| {
            let mut found = self.listed().filter(|entry| matches(entry));
            match (found.next(), found.next()) {
                (Some(_), Some(_)) => Err(NoJob::Ambiguous),
                (first, _) => first.ok_or(NoJob::Unknown),
            }
        };
        let found = match spec.strip_prefix(b"%").ok_or(NoJob::Unknown)? {
            b"" | b"%" | b"+" => by_number(self.current),
            b"-" => by_number(self.previous),
            digits if digits.iter().all(u8::is_ascii_digit) => {
                std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).and_then(by_number)
            }
            [b'?', text @ ..] => return only(&|entry| bstr::ByteSlice::contains_str(&*entry.command, text)),
            text => return only(&|entry| entry.command.starts_with(text)),
        };
        found.ok_or(NoJob::Unknown)
    }

    /// The deaths of jobs that were not told of yet, with their commands.
    pub(crate) fn untold_deaths(&mut self) -> Vec<(Death, Vec<u8>)> {
        let entries = self.entries.iter_mut().filter(|entry| !entry.told && !entry.command.is_empty());
        entries
            .filter_map(|entry| {
                let death = entry.job.death()?;
                entry.told = true;
                Some((death, entry.command.clone()))
            })
            .collect()
    }

    pub(crate) fn forget(&mut self, id: u32) {
        self.entries.retain(|entry| entry.job.id() != id);
        self.choose_current();
    }

    /// It was waited for by its id or number: it is there until the next time that somebody waits.
    pub(crate) fn waited_for(&mut self, id: u32) {
        self.clean_up();
        self.set_told(|entry| entry.number > 0 && entry.job.id() == id);
        self.entries.retain(|entry| entry.number > 0 || entry.job.id() != id);
    }

    /// Takes a job out of the table (bash's `disown`). What `wait` is told of it later is what is known now: bash takes one that
    /// runs for a success.
    pub(crate) fn disown(&mut self, id: u32) {
        let Some(at) = self.entries.iter().position(|entry| entry.job.id() == id) else { return };
        let status = self.entries.remove(at).job.try_status();
        self.remember(id, status.unwrap_or(0));
        self.choose_current();
    }

    pub(crate) fn is_disabled(&self, name: &[u8]) -> bool {
        !self.disabled.is_empty() && self.disabled.iter().any(|n| n == name)
    }

    /// `enable -n name`
    pub(crate) fn set_disabled(&mut self, name: &[u8], disabled: bool) {
        let list = Arc::make_mut(&mut self.disabled);
        list.retain(|n| n != name);
        if disabled {
            list.push(name.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Jobs, MOST_ENTRIES};

    #[test]
    fn substitutions_that_have_ended_leave_the_table_and_are_remembered() {
        let mut jobs = Jobs::default();
        for id in 1..=1000 {
            jobs.remember_substitution(Job::ended(id, 3));
            jobs.look_around();
            assert!(jobs.entries().len() <= MOST_ENTRIES, "{id}");
        }
        assert!(jobs.by_id(1000).is_some());
        assert_eq!(jobs.remembered(1), Some(3));
    }
}
