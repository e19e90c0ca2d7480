//! The watch over the files of a trusted hook, from the moment in which it is judged until its result is taken.
//!
//! What runs in process is run from bytes whose hash is compared right then ([`Watch::check`]): between the two there is no
//! moment for anybody. A program opens its files by itself, at a moment that is not known. So nothing is started while a file
//! is being changed; and where anything on the way to one was touched since it was judged ([`Trace`]), although it may be back by now, the program
//! is killed and the hook's result does not count.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use hookshell_dispatch::CodeGuard;
use hookshell_process::sync::lock;
use sha2::{Digest, Sha256};

use super::scan::hex;
use super::sentry::{Heard, Sentry};
use super::trace::{STEP, Trace};
use crate::read_file::read_regular;

/// A larger file is no script: the scan does not list it.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// How many bytes are hashed again around each start, where the stamps of the files are as they were.
const HASHED_AGAIN: u64 = 1024 * 1024;

/// How often files are looked at that are being changed.
const TURNS: usize = 4;

/// How often, and how far apart, a path is looked up that may be being swapped.
const SAMPLES: usize = 8;
const APART: Duration = Duration::from_micros(170);

/// The same files under their names, and how they were when they were judged.
#[derive(Debug)]
pub(super) struct Watch {
    files: Vec<Watched>,
    /// The SHA-256 that the contents must have, by the files' names and by where they are.
    contents: HashMap<PathBuf, Arc<str>>,
    /// Where nothing was.
    absent: HashSet<PathBuf>,
    /// Hears of names that are moved.
    sentry: Option<Sentry>,
    state: Mutex<State>,
    refusal: OnceLock<String>,
}

/// A file, by one of its names.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) named: PathBuf,
    /// Where it is, links followed.
    pub(super) path: PathBuf,
    pub(super) sha256: Arc<str>,
    pub(super) size: u64,
}

#[derive(Debug, Clone)]
struct State {
    /// As they were when they were last looked at and found right, in the order of `files`.
    traces: Vec<Trace>,
    /// Was a program started that may run code of the files?
    has_started: bool,
}

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum Fault {
    /// This.
    Changed(String),
    /// It is being changed just now: it may be right in a moment.
    Fresh(String),
}

impl Watch {
    /// Watches over these files, which were read since `since`.
    ///
    /// # Errors
    /// One of them is not as it was read, or is being changed.
    pub(super) fn new(files: Vec<Watched>, absent: HashSet<PathBuf>, since: SystemTime) -> Result<Self, Fault> {
        let traced = || files.iter().map(trace).collect::<Result<Vec<_>, _>>();
        let first = traced().map_err(Fault::Changed)?;
        // From here on; what was changed before is seen below.
        let sentry = Sentry::over(first.iter().flat_map(Trace::places), first.iter().map(Trace::end));
        let traces = traced().map_err(Fault::Changed)?;
        for ((file, trace), first) in files.iter().zip(&traces).zip(&first) {
            if trace.is_fresh(since) || !trace.is_same(first) {
                return Err(Fault::Fresh(file.named.display().to_string()));
            }
        }
        let named = files.iter().map(|file| (file.named.clone(), Arc::clone(&file.sha256)));
        let there = files.iter().map(|file| (file.path.clone(), Arc::clone(&file.sha256)));
        let contents = there.chain(named).collect();
        let state = Mutex::new(State { traces, has_started: false });
        let watch = Self { files, contents, absent, sentry, state, refusal: OnceLock::new() };
        let may_be_swapped = watch.with(|state| state.traces.iter().any(Trace::may_be_being_swapped));
        match (cfg!(not(unix)) || may_be_swapped).then(|| watch.sample()).flatten() {
            None => Ok(watch),
            Some(fault) => Err(Fault::Fresh(fault)),
        }
    }

    /// Is everything still as it was judged? To be asked before what the hook has given is taken.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn verify(&self) -> Result<(), String> {
        self.refused()?;
        let has_started = self.with(|state| state.has_started);
        match self.compare() {
            None => Ok(()),
            // Nothing but this process has read them, and it compares what it reads.
            Some(_) if !has_started => self.hash_again(u64::MAX).map_or(Ok(()), |fault| self.refuse(fault)),
            Some(fault) => self.refuse(fault),
        }?;
        match has_started {
            true => self.hash_again(HASHED_AGAIN).map_or(Ok(()), |fault| self.refuse(fault)),
            false => Ok(()),
        }
    }

    /// Something that is no command is started, and opens the files by itself.
    pub(super) fn started(&self) {
        self.with(|state| state.has_started = true);
    }

    fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        // Each change is one assignment.
        work(&mut lock(&self.state))
    }

    fn refused(&self) -> Result<(), String> {
        self.refusal.get().map_or(Ok(()), |refusal| Err(refusal.clone()))
    }

    fn refuse<T>(&self, fault: String) -> Result<T, String> {
        Err(self.refusal.get_or_init(|| fault).clone())
    }

    fn expected(&self, path: &Path) -> Option<Arc<str>> {
        if let Some(sha256) = self.contents.get(path) {
            return Some(Arc::clone(sha256));
        }
        self.contents.get(&path.canonicalize().ok()?).cloned()
    }

    /// What was touched since the files were last found right.
    fn compare(&self) -> Option<String> {
        let mut known = self.with(|state| state.traces.clone());
        let (mut is_suspicious, mut was_touched) = (cfg!(not(unix)), None);
        for (file, known) in self.files.iter().zip(&mut known) {
            let changed = || format!("{}: it was changed while the hook ran", file.named.display());
            match trace(file) {
                Err(fault) => return Some(fault),
                Ok(now) if !now.is_same(known) => {
                    if !now.is_only_touched(known) {
                        return Some(changed());
                    }
                    was_touched = was_touched.or_else(|| Some(changed()));
                    *known = now;
                }
                Ok(now) => is_suspicious |= known.may_have_been_swapped(&now),
            }
        }
        // After the look: what comes later is heard the next time.
        match self.sentry.as_ref().map(Sentry::heard) {
            Some(Heard::Changed(name)) => {
                let name = Path::new(&name).display();
                return Some(format!("{name}: it was moved or written while the hook ran"));
            }
            Some(Heard::Nothing) => {
                // Only a mode or an owner was set.
                if was_touched.is_some() {
                    self.with(|state| state.traces = known);
                }
                return None;
            }
            Some(Heard::TooMuch) | None => {}
        }
        was_touched.or_else(|| is_suspicious.then(|| self.sample()).flatten())
    }

    /// What is not as it was in several looks, where one could fall into a lucky moment.
    fn sample(&self) -> Option<String> {
        let known = self.with(|state| state.traces.clone());
        for turn in 0..SAMPLES {
            if turn > 0 {
                std::thread::sleep(APART);
            }
            for (file, known) in self.files.iter().zip(&known) {
                match trace(file) {
                    Ok(now) if now.is_same(known) => {}
                    Ok(_) => return Some(format!("{}: it is being changed", file.named.display())),
                    Err(fault) => return Some(fault),
                }
            }
        }
        None
    }

    /// What has other contents, of the files up to this size in all.
    fn hash_again(&self, most: u64) -> Option<String> {
        let mut left = most;
        for file in &self.files {
            if file.size > left {
                continue;
            }
            left -= file.size;
            match read_regular(&file.path, SIZE_LIMIT) {
                Ok(contents) if hex(&Sha256::digest(&contents)) == *file.sha256 => {}
                Ok(_) => return Some(other_contents(&file.named)),
                Err(error) => return Some(format!("{}: {error}", file.named.display())),
            }
        }
        None
    }

    /// Looks at everything anew: the hook may have set the modes of its files.
    fn judge_again(&self) -> Result<(), String> {
        let mut turn = 0;
        loop {
            turn += 1;
            let since = SystemTime::now();
            if let Some(fault) = self.hash_again(u64::MAX) {
                return Err(fault);
            }
            let traces: Vec<Trace> = self.files.iter().map(trace).collect::<Result<_, _>>()?;
            match self.files.iter().zip(&traces).find(|(_, trace)| trace.is_fresh(since)) {
                None => {
                    self.with(|state| state.traces = traces);
                    return Ok(());
                }
                Some((file, _)) if turn == TURNS => return Err(being_changed(&file.named)),
                Some(_) => std::thread::sleep(STEP),
            }
        }
    }
}

/// The way to a file, which must lead where it did.
fn trace(file: &Watched) -> Result<Trace, String> {
    let trace = Trace::of(&file.named).map_err(|error| format!("{}: {error}", file.named.display()))?;
    match trace.end() == file.path {
        true => Ok(trace),
        false => Err(leads_elsewhere(&file.named, trace.end())),
    }
}

/// What is said of a file whose contents are not those that were trusted.
pub(super) fn other_contents(path: &Path) -> String {
    format!("{}: its contents have changed", path.display())
}

/// What is said of one that another path leads to now.
pub(super) fn leads_elsewhere(path: &Path, end: &Path) -> String {
    format!("{}: it leads to {} now", path.display(), end.display())
}

/// What is said of one that changes all the time.
pub(super) fn being_changed(path: &Path) -> String {
    format!("{}: it is being changed all the time", path.display())
}

/// Does a program of this name run nothing, and leave the contents of files alone? It may set what a stamp is made of.
fn is_harmless(program: &Path) -> bool {
    let name = program.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    matches!(name, "chmod" | "chown" | "chgrp" | "touch" | "mkdir" | "date" | "uname" | "id")
}

impl CodeGuard for Watch {
    fn knows(&self, path: &Path) -> bool {
        self.absent.contains(path) || self.expected(path).is_some()
    }

    fn check(&self, path: &Path, contents: &[u8]) -> Result<(), String> {
        self.refused()?;
        match self.expected(path) {
            Some(sha256) if hex(&Sha256::digest(contents)) == *sha256 => Ok(()),
            Some(_) => self.refuse(other_contents(path)),
            None if self.absent.contains(path) && path.symlink_metadata().is_ok() => {
                self.refuse(format!("{}: it was not there when the hook was started", path.display()))
            }
            None => Ok(()),
        }
    }

    fn before_start(&self, program: &Path) -> Result<(), String> {
        self.refused()?;
        if let Some(fault) = self.compare() {
            if self.with(|state| state.has_started) {
                return self.refuse(fault);
            }
            if let Err(fault) = self.judge_again() {
                return self.refuse(fault);
            }
        }
        if !is_harmless(program) || self.expected(program).is_some() {
            self.started();
        }
        Ok(())
    }

    fn after_start(&self) -> Result<(), String> {
        self.refused()?;
        if !self.with(|state| state.has_started) {
            return Ok(());
        }
        self.compare().or_else(|| self.hash_again(HASHED_AGAIN)).map_or(Ok(()), |fault| self.refuse(fault))
    }

    fn refusal(&self) -> Option<String> {
        self.refusal.get().cloned()
    }

    fn for_copy(&self) -> Arc<dyn CodeGuard> {
        let state = self.state.try_lock().map(|state| state.clone()).unwrap_or_else(|_| State {
            // Another thread just looks: what it finds the copy will find at its next start.
            traces: self.files.iter().filter_map(|file| trace(file).ok()).collect(),
            has_started: true,
        });
        let refusal = OnceLock::new();
        if let Some(known) = self.refusal.get() {
            let _ = refusal.set(known.clone());
        }
        Arc::new(Self {
            files: self.files.clone(),
            contents: self.contents.clone(),
            absent: self.absent.clone(),
            // It is this process's.
            sentry: None,
            state: Mutex::new(state),
            refusal,
        })
    }
}
