//! The runners that are kept from event to event, as long as the files that they were made of stay as they are.
//!
//! Nobody watches the files: at each event they are looked for and looked at, as a new process would. What a project's hooks are
//! trusted by is judged anew at each start all the same (`Runner`).

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use hookshell_process::sync::lock;
use hookshell_runner::{Dialect, HookSource, Runner};

use super::stamp::Stamp;

/// How many runners are kept. More only cost that configs are read again.
const MAX_KEPT: usize = 256;

/// How many runners are kept beside them whose config has changed: their background hooks and modules continue until their
/// session ends.
const MAX_RETIRED: usize = 16;

/// What a runner is made of, beside files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) configs: Vec<PathBuf>,
    pub(super) hooks: Vec<PathBuf>,
    pub(super) dialect: Option<Dialect>,
    pub(super) no_hooks: bool,
    pub(super) trust_project: bool,
    pub(super) root: PathBuf,
    pub(super) env: BTreeMap<String, Option<String>>,
    pub(super) dispatch: Vec<String>,
    pub(super) log: (bool, bool),
    /// Of a project's runner: the user's config before it.
    pub(super) after: Option<u64>,
}

/// What was made of a config.
pub(super) struct Loaded<T> {
    /// Another one has another number.
    pub(super) number: u64,
    pub(super) made: T,
}

/// What is made of files, by what else it is made of.
pub(super) struct Cache<T> {
    entries: Mutex<HashMap<Key, Slot<T>>>,
    /// Counts up.
    now: AtomicU64,
}

struct Slot<T> {
    entry: Arc<Mutex<Option<Entry<T>>>>,
    used: u64,
}

struct Entry<T> {
    files: Vec<(HookSource, Stamp)>,
    /// Would a change of the files be seen?
    is_settled: bool,
    loaded: Arc<Loaded<T>>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { entries: Mutex::default(), now: AtomicU64::new(0) }
    }
}

impl<T> Cache<T> {
    /// What is made of these files: what was made before, if they have not changed. `retire` gets what is replaced.
    ///
    /// # Errors
    /// As `make`.
    pub(super) fn get<E>(
        &self,
        key: Key,
        files: Vec<HookSource>,
        make: impl FnOnce(&[HookSource]) -> Result<T, E>,
        retire: impl Fn(Arc<Loaded<T>>),
    ) -> Result<Arc<Loaded<T>>, E> {
        let entry = self.entry(key, &retire);
        let now = SystemTime::now();
        let files: Vec<(HookSource, Stamp)> = files
            .into_iter()
            .map(|file| {
                let stamp = Stamp::of(&file.file.path);
                (file, stamp)
            })
            .collect();
        // Others that want the same wait for it.
        let mut entry = lock(&entry);
        if let Some(known) = entry.as_ref().filter(|known| known.is_settled && known.files == files) {
            return Ok(Arc::clone(&known.loaded));
        }
        let sources: Vec<HookSource> = files.iter().map(|(file, _)| file.clone()).collect();
        let made = make(&sources);
        if let Some(old) = entry.take() {
            retire(old.loaded);
        }
        let number = self.now.fetch_add(1, Ordering::Relaxed);
        let loaded = Arc::new(Loaded { number, made: made? });
        // The stamps are from before they were read: a change meanwhile is seen the next time.
        let is_settled = files.iter().all(|(_, stamp)| stamp.is_settled(now));
        *entry = Some(Entry { files, is_settled, loaded: Arc::clone(&loaded) });
        Ok(loaded)
    }

    fn entry(&self, key: Key, retire: &impl Fn(Arc<Loaded<T>>)) -> Arc<Mutex<Option<Entry<T>>>> {
        let used = self.now.fetch_add(1, Ordering::Relaxed);
        let mut entries = lock(&self.entries);
        let mut oldest = None;
        if entries.len() >= MAX_KEPT && !entries.contains_key(&key) {
            let key = entries.iter().min_by_key(|(_, slot)| slot.used).map(|(key, _)| key.clone());
            oldest = key.and_then(|key| entries.remove(&key));
        }
        let slot = entries.entry(key).or_insert_with(|| Slot { entry: Arc::default(), used });
        slot.used = used;
        let entry = Arc::clone(&slot.entry);
        drop(entries);
        if let Some(old) = oldest.and_then(|slot| lock(&slot.entry).take()) {
            retire(old.loaded);
        }
        entry
    }

    fn all(&self) -> Vec<Arc<Loaded<T>>> {
        let slots: Vec<_> = lock(&self.entries).values().map(|slot| Arc::clone(&slot.entry)).collect();
        slots.iter().filter_map(|entry| lock(entry).as_ref().map(|entry| Arc::clone(&entry.loaded))).collect()
    }

    fn clear(&self) {
        let slots = std::mem::take(&mut *lock(&self.entries));
        for slot in slots.into_values() {
            *lock(&slot.entry) = None;
        }
    }
}

/// What has runners.
pub(super) trait HasRunner {
    /// The runner, where there is one.
    fn runner(&self) -> Option<&Runner>;
}

/// The runners of the user's hooks, and of projects'.
#[derive(Default)]
pub(super) struct Runners {
    pub(super) own: Cache<super::run::Own>,
    pub(super) projects: Cache<super::run::OfProject>,
    retired: Mutex<Vec<Runner>>,
}

impl Runners {
    /// A runner whose config has changed.
    pub(super) fn retire<T: HasRunner>(&self, old: &Loaded<T>) {
        let Some(runner) = old.made.runner() else { return };
        // Only what continues after its event has to be kept.
        let outlives_event = |hook: &hookshell_runner::HookConfig| {
            let kind = hook.kind.as_str();
            hook.is_async || kind == "module" || (kind == "command" && hook.dialect.may_say_async())
        };
        if !runner.config().hooks().iter().any(outlives_event) {
            return;
        }
        let mut retired = lock(&self.retired);
        if retired.len() >= MAX_RETIRED {
            drop(retired.remove(0));
        }
        retired.push(runner.clone());
    }

    /// Ends a session.
    pub(super) fn end_session(&self, session: &str) {
        let retired = lock(&self.retired).clone();
        let own = self.own.all();
        let projects = self.projects.all();
        let kept = own.iter().filter_map(|loaded| loaded.made.runner());
        for runner in kept.chain(projects.iter().filter_map(|loaded| loaded.made.runner())).chain(&retired) {
            runner.end_session(session);
        }
    }

    /// Lets go of all.
    pub(super) fn clear(&self) {
        self.own.clear();
        self.projects.clear();
        lock(&self.retired).clear();
    }
}
