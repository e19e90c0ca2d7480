//! The user's trust, kept in a file.

mod compare;
mod judge;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookshell_dispatch::Environment;
use hookshell_process::replace_file;
use sha2::{Digest, Sha256};
use thiserror::Error;

use self::compare::{as_trusted_before, is_same, named_path};
use super::path_text;
use super::record::{FileRecord, HookRecord, Project, Records, TrustedProject, VERSION};
use super::scan::{Footprint, ScriptFile, Surroundings, hex, scan};
use super::watch::{Fault, Watch, Watched};
use crate::config::{HookConfig, HookKind};
use crate::state::{Lock, create_dir, open_private};

/// How long another process may hold the file's lock: it reads, writes and is done.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// A larger file is none of ours.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// The stack of a thread that reads shell code: enough for the parser's and the tree's depth in a debug build.
const STACK: usize = 32 * 1024 * 1024;

/// Which hooks of projects the user trusts: a file in a directory outside of every project, for its owner only.
///
/// What is trusted is a hook's whole definition, and where each file that its command names is and what it has: the
/// scripts, what shell scripts source, what interpreters are given. Both are kept as SHA-256, by project. Where any of it is
/// not the same any more, or not there, the hook is not trusted. Every check reads the files anew, right before the hook is
/// started, and they are watched until its result is taken: what runs in process is compared as it is read, and where a
/// program may have read something else the result does not count ([`Admission`](super::Admission)). What a program reads by itself is not seen:
/// the modules that Python imports, what `make` or `npm run` start.
#[derive(Debug, Clone)]
pub struct TrustStore {
    dir: PathBuf,
    env: Environment,
    project: Option<PathBuf>,
    strict: bool,
}

/// What there is to know about a hook before one trusts it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Examined {
    /// Is it trusted as it is now?
    pub status: TrustStatus,
    /// The SHA-256 of its definition, in hexadecimal digits.
    pub definition: String,
    /// The files that it names, as they are now.
    pub files: Vec<ScriptFile>,
    /// Words of its command and its scripts that name a file or a program which is only known when it runs: what they
    /// will name is not covered.
    pub uncertain: Vec<String>,
    event: String,
    command: String,
    /// The paths by which its files are named, and where each leads.
    named: BTreeMap<PathBuf, Option<PathBuf>>,
    /// The files as they were trusted, where they are so still.
    trusted: Vec<FileRecord>,
}

/// Is a hook trusted?
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrustStatus {
    /// As it is now.
    Trusted,
    /// It never was.
    New,
    /// It was, and has changed since: what is different.
    Changed(String),
    /// It cannot be, for this reason.
    Impossible(String),
}

/// Why the trust cannot be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be read, or is none of ours.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file or its directory cannot be written.
    #[error("{}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others than its owner may have written the file, so it is not believed.
    #[error("{}: {reason}", file.display())]
    NotPrivate {
        /// The file.
        file: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// Another process keeps the file.
    #[error("{}: another process has kept it for {} s", file.display(), MAX_WAIT.as_secs())]
    Busy {
        /// The lock's file.
        file: PathBuf,
    },
    /// A hook runs what is only known when it runs, and the trust is strict.
    #[error("{hook}: {what} is only known when it runs")]
    Unknown {
        /// Its command.
        hook: String,
        /// The first of its unknowns.
        what: String,
    },
    /// A hook cannot be trusted.
    #[error("{hook}: {reason}")]
    Impossible {
        /// Its command.
        hook: String,
        /// Why.
        reason: String,
    },
}

impl TrustStore {
    /// The trust that is kept in this directory. `env` is what hooks inherit: commands may name their scripts by it.
    pub fn new(dir: impl Into<PathBuf>, env: impl Into<Environment>) -> Self {
        Self { dir: dir.into(), env: env.into(), project: None, strict: false }
    }

    /// Hooks belong to this project, whatever an event says. The event's project unless set.
    #[must_use]
    pub fn project(mut self, dir: impl Into<PathBuf>) -> Self {
        self.project = Some(dir.into());
        self
    }

    /// Hooks with unknowns ([`Examined::uncertain`]) are not trusted: [`trust`](Self::trust) refuses them, and where one has some
    /// when it is about to run it is untrusted. Not set, that holds for the projects that a strict store has trusted, until that is revoked.
    #[must_use]
    pub fn strict(mut self, is_strict: bool) -> Self {
        self.strict = is_strict;
        self
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.dir.join("trust.json")
    }

    /// What there is to know about a hook that would run in the project's directory.
    ///
    /// # Errors
    /// The file cannot be read, or is not to be believed.
    pub fn examine(&self, hook: &HookConfig, project_dir: &Path) -> Result<Examined, TrustError> {
        Ok(self.examine_in(hook, project_dir, project_dir, &self.read()?, false))
    }

    /// Trusts these hooks of a project as they were when they were examined, and no others of it.
    ///
    /// # Errors
    /// One of them cannot be trusted, or has unknowns and the store is [`strict`](Self::strict), or the file cannot be read or written; then nothing has changed.
    pub fn trust(&self, project_dir: &Path, hooks: &[Examined]) -> Result<(), TrustError> {
        // A strict trust stays strict until it is revoked.
        let is_strict =
            self.strict || self.read()?.projects.get(&key(project_dir)).is_some_and(|project| project.strict);
        let mut records = Vec::with_capacity(hooks.len());
        for hook in hooks {
            if let TrustStatus::Impossible(reason) = &hook.status {
                return Err(TrustError::Impossible { hook: hook.command.clone(), reason: reason.clone() });
            }
            if let (true, Some(what)) = (is_strict, hook.uncertain.first()) {
                return Err(TrustError::Unknown { hook: hook.command.clone(), what: what.clone() });
            }
            let record = HookRecord {
                event: hook.event.clone(),
                command: hook.command.clone(),
                definition: hook.definition.clone(),
                files: hook.records(project_dir),
            };
            if !records.contains(&record) {
                records.push(record);
            }
        }
        let project = Project { trusted: format!("{:.0}", jiff::Timestamp::now()), strict: is_strict, hooks: records };
        self.change(|records| {
            records.projects.insert(key(project_dir), project);
        })
    }

    /// Trusts no hook of the project any more. Was any trusted?
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn revoke(&self, project_dir: &Path) -> Result<bool, TrustError> {
        // Of a directory that is gone only the name is known. The last is what version 1 of the file had.
        let keys = [key(project_dir), path_text::to_text(project_dir), project_dir.display().to_string()];
        let mut was_trusted = false;
        self.change(|records| {
            for key in &keys {
                was_trusted |= records.projects.remove(key).is_some();
            }
        })?;
        Ok(was_trusted)
    }

    /// The projects whose hooks are trusted.
    ///
    /// # Errors
    /// The file cannot be read, or is not to be believed.
    pub fn projects(&self) -> Result<Vec<TrustedProject>, TrustError> {
        Ok(self.read()?.projects.iter().map(|(project, record)| TrustedProject::new(project, record)).collect())
    }

    /// The directory that a project's name stands for in the list of [`projects`](Self::projects).
    pub fn listed_directory(name: &str) -> Option<PathBuf> {
        path_text::to_path(name)
    }

    /// `only_trusted`: what is not as it was trusted is not looked through for what it names.
    fn examine_in(
        &self,
        hook: &HookConfig,
        project_dir: &Path,
        cwd: &Path,
        records: &Records,
        only_trusted: bool,
    ) -> Examined {
        let surroundings = Surroundings { cwd, project: project_dir, env: &self.env };
        let definition = definition(hook);
        let trusted = records.projects.get(&key(project_dir));
        let trusted = trusted.map(|project| project.hooks.as_slice()).unwrap_or_default();
        let looks_through = |file: &ScriptFile| {
            let path = path_text::to_text(&file.path);
            let mut same = trusted.iter().filter(|record| record.definition == definition);
            !only_trusted || same.any(|record| record.files.iter().any(|have| is_same(have, &path, &file.sha256)))
        };
        // What is recursive runs on a thread that has the stack for it.
        let footprint = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || scan(hook, &surroundings, &looks_through));
            thread.ok().and_then(|thread| thread.join().ok())
        });
        let (mut status, footprint) = match footprint {
            None => {
                let reason = "its files could not be looked for: there is no thread for it".to_owned();
                (TrustStatus::Impossible(reason), Footprint::default())
            }
            Some(footprint) => match footprint.unreadable.first() {
                Some(unreadable) => (TrustStatus::Impossible(unreadable.clone()), footprint),
                None => (TrustStatus::Trusted, footprint),
            },
        };
        let mut as_trusted = Vec::new();
        if status == TrustStatus::Trusted {
            match as_trusted_before(hook, &definition, &footprint.files, trusted, project_dir) {
                Ok(record) => as_trusted = record.files.clone(),
                Err(differs) => status = differs,
            }
        }
        Examined {
            status,
            definition,
            files: footprint.files,
            uncertain: footprint.uncertain,
            event: hook.event.to_string(),
            command: line(hook),
            named: footprint.named,
            trusted: as_trusted,
        }
    }

    fn read(&self) -> Result<Records, TrustError> {
        let path = self.path();
        let fail = |source| TrustError::Read { file: path.clone(), source };
        let file = match open_private(&path) {
            Ok(Ok(file)) => file,
            Ok(Err(reason)) => return Err(TrustError::NotPrivate { file: path, reason }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Records::default()),
            Err(error) => return Err(fail(error)),
        };
        let mut text = Vec::new();
        file.take(SIZE_LIMIT).read_to_end(&mut text).map_err(fail)?;
        let records: Records = serde_json::from_slice(&text).map_err(|error| fail(error.into()))?;
        if records.version > VERSION {
            let message = format!("it was written by a newer hookshell (version {} of the file)", records.version);
            return Err(fail(io::Error::other(message)));
        }
        Ok(records)
    }

    /// Reads, changes and replaces the file while no other process does.
    fn change(&self, change: impl FnOnce(&mut Records)) -> Result<(), TrustError> {
        let path = self.path();
        let fail = |source| TrustError::Write { file: path.clone(), source };
        create_dir(&self.dir).map_err(fail)?;
        let lock = self.dir.join("trust.lock");
        let Some(_lock) = Lock::acquire(&lock, MAX_WAIT).map_err(fail)? else {
            return Err(TrustError::Busy { file: lock });
        };
        let mut records = self.read()?;
        change(&mut records);
        records.version = VERSION;
        let text = serde_json::to_vec_pretty(&records).map_err(|error| fail(error.into()))?;
        let mut file = tempfile::Builder::new().prefix("trust.").tempfile_in(&self.dir).map_err(fail)?;
        file.write_all(&text).map_err(fail)?;
        file.as_file().sync_all().map_err(fail)?;
        replace_file(file, &path).map_err(fail)
    }
}

impl Examined {
    /// Its files as they are kept: each by every path by which it is named.
    fn records(&self, project_dir: &Path) -> Vec<FileRecord> {
        let canonical = project_dir.canonicalize().ok();
        let named = |path: &Path| {
            let inside = [Some(project_dir), canonical.as_deref()].into_iter().flatten();
            // The project may be reached by other paths, too.
            let inside = inside.filter_map(|project| path.strip_prefix(project).ok()).next();
            // Only an absolute path can be escaped.
            match inside.and_then(Path::to_str).filter(|inside| !inside.contains(char::REPLACEMENT_CHARACTER)) {
                Some(inside) => format!("./{inside}"),
                None => path_text::to_text(path),
            }
        };
        let mut records = Vec::new();
        for file in &self.files {
            let record = |path: &Path| {
                let (path, sha256) = (named(path), file.sha256.clone());
                FileRecord { named: Some(path), path: path_text::to_text(&file.path), sha256 }
            };
            let before = records.len();
            records.extend(self.names_of(file).map(record));
            if records.len() == before {
                records.push(record(&file.path));
            }
        }
        records.sort_by(|left, right| (&left.path, &left.named).cmp(&(&right.path, &right.named)));
        records.dedup();
        records
    }

    /// The paths by which a file is named.
    fn names_of<'a>(&'a self, file: &'a ScriptFile) -> impl Iterator<Item = &'a Path> {
        let leads_there = |(_, end): &(&PathBuf, &Option<PathBuf>)| end.as_ref() == Some(&file.path);
        self.named.iter().filter(leads_there).map(|(path, _)| path.as_path())
    }

    /// What is to be watched of it, read since `since`: everything that was trusted, also what the hook did not seem to name in
    /// the moment in which it was looked at, by every name.
    fn watch(&self, project_dir: &Path, since: SystemTime) -> Result<Watch, Fault> {
        let size_of = |path: &Path| self.files.iter().find(|file| file.path == path).map_or(0, |file| file.size);
        let mut watched = Vec::new();
        for record in &self.trusted {
            let named = record.named.as_ref().and_then(|named| named_path(named, project_dir));
            let path = path_text::to_path(&record.path);
            if let (Some(named), Some(path)) = (named, path) {
                let size = size_of(&path);
                watched.push(Watched { named, path, sha256: record.sha256.as_str().into(), size });
            }
        }
        for file in &self.files {
            for named in self.names_of(file) {
                if !watched.iter().any(|watched| watched.named == named) {
                    let (named, path) = (named.to_owned(), file.path.clone());
                    watched.push(Watched { named, path, sha256: file.sha256.as_str().into(), size: file.size });
                }
            }
        }
        let is_watched = |path: &Path| watched.iter().any(|watched| watched.named == path);
        let nothing_there = self.named.iter().filter(|(path, end)| end.is_none() && !is_watched(path));
        let absent = nothing_there.map(|(path, _)| path.clone()).collect();
        Watch::new(watched, absent, since)
    }
}

/// What a project is known by: its directory, links followed.
fn key(project_dir: &Path) -> String {
    let path = project_dir.canonicalize().or_else(|_| std::path::absolute(project_dir));
    path_text::to_text(&path.unwrap_or_else(|_| project_dir.to_owned()))
}

/// What a hook is known by for people: its command line, its address, its prompt.
fn line(hook: &HookConfig) -> String {
    match &hook.kind {
        HookKind::Command | HookKind::InProcess(_) => hook.command_line(),
        kind => kind.text().into_owned(),
    }
}

/// The SHA-256 of everything that a hook's config says, but not of where it stands. It is taken of the derived `Debug`
/// text, which names every field: one that is added later cannot be left out by mistake. (Where that text changes with a
/// new version of hookshell, the hook is asked about again.)
fn definition(hook: &HookConfig) -> String {
    let mut hook = hook.clone();
    hook.place = None;
    hook.command_text = None;
    hex(&Sha256::digest(format!("{hook:?}").as_bytes()))
}

#[cfg(test)]
mod tests;
