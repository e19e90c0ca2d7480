//! The user's trust, kept in a file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::policy::{Trust, TrustPolicy};
use super::record::{FileRecord, HookRecord, Project, Records, TrustedProject, VERSION};
use super::scan::{Footprint, ScriptFile, Surroundings, hex, scan};
use crate::config::HookConfig;
use crate::event::HookEvent;
use crate::replace::replace;
use crate::state::{Lock, create_folder, not_private};

/// How long another process may hold the file's lock: it reads, writes and is done.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stack of a thread that reads shell code: enough for the parser's and the tree's depth in a debug build.
const STACK: usize = 32 * 1024 * 1024;

/// Which hooks of projects the user trusts: a file in a folder outside of every project, for its owner only.
///
/// What is trusted is a hook's whole definition and the contents of every file that its command names: the scripts, what
/// shell scripts source, what interpreters are given. Both are kept as SHA-256, by project. Where any of it is not the same
/// any more, the hook is not trusted. Every check reads the files anew, right before the hook is started; what is written
/// between that moment and the one in which an interpreter opens the script is not seen. Nor is what a program reads by
/// itself: the modules that Python imports, what `make` or `npm run` start.
#[derive(Debug, Clone)]
pub struct TrustStore {
    folder: PathBuf,
    env: Vec<(OsString, OsString)>,
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
    /// The file or its folder cannot be written.
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
    #[error("{}: another process has kept it for {} s", file.display(), PATIENCE.as_secs())]
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
    /// The trust that is kept in this folder. `env` is what hooks inherit: commands may name their scripts by it.
    pub fn new(folder: impl Into<PathBuf>, env: Vec<(OsString, OsString)>) -> Self {
        Self { folder: folder.into(), env, project: None, strict: false }
    }

    /// Hooks belong to this project, whatever an event says. The event's project unless set.
    #[must_use]
    pub fn project(mut self, folder: impl Into<PathBuf>) -> Self {
        self.project = Some(folder.into());
        self
    }

    /// Hooks with unknowns ([`Examined::uncertain`]) are not trusted: [`trust`](Self::trust) refuses them, and where one has some
    /// when it is about to run it is untrusted. Not set, that holds for the projects that were trusted by a strict store.
    #[must_use]
    pub fn strict(mut self, is_strict: bool) -> Self {
        self.strict = is_strict;
        self
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.folder.join("trust.json")
    }

    /// What there is to know about a hook that would run in the project's folder.
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
        let mut records = Vec::with_capacity(hooks.len());
        for hook in hooks {
            if let TrustStatus::Impossible(reason) = &hook.status {
                return Err(TrustError::Impossible { hook: hook.command.clone(), reason: reason.clone() });
            }
            if let (true, Some(what)) = (self.strict, hook.uncertain.first()) {
                return Err(TrustError::Unknown { hook: hook.command.clone(), what: what.clone() });
            }
            let record = HookRecord {
                event: hook.event.clone(),
                command: hook.command.clone(),
                definition: hook.definition.clone(),
                files: hook.files.iter().map(record_of).collect(),
            };
            if !records.contains(&record) {
                records.push(record);
            }
        }
        let project =
            Project { trusted: format!("{:.0}", jiff::Timestamp::now()), strict: self.strict, hooks: records };
        self.change(|records| {
            records.projects.insert(key(project_dir), project);
        })
    }

    /// Trusts no hook of the project any more. Was any trusted?
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn revoke(&self, project_dir: &Path) -> Result<bool, TrustError> {
        // Of a folder that is gone only the name is known.
        let keys = [key(project_dir), project_dir.display().to_string()];
        let mut was_trusted = false;
        self.change(|records| was_trusted = keys.iter().any(|key| records.projects.remove(key).is_some()))?;
        Ok(was_trusted)
    }

    /// The projects whose hooks are trusted.
    ///
    /// # Errors
    /// The file cannot be read, or is not to be believed.
    pub fn projects(&self) -> Result<Vec<TrustedProject>, TrustError> {
        Ok(self.read()?.projects.iter().map(|(project, record)| TrustedProject::new(project, record)).collect())
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
            let file = record_of(file);
            let mut same = trusted.iter().filter(|record| record.definition == definition);
            !only_trusted || same.any(|record| record.files.iter().any(|have| is_same(have, &file)))
        };
        // What is recursive runs on a thread that has the stack for it.
        let footprint = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || scan(hook, &surroundings, &looks_through));
            thread.ok().and_then(|thread| thread.join().ok())
        });
        let (status, footprint) = match footprint {
            None => {
                let reason = "its files could not be looked for: there is no thread for it".to_owned();
                (TrustStatus::Impossible(reason), Footprint::default())
            }
            Some(footprint) => match footprint.unreadable.first() {
                Some(unreadable) => (TrustStatus::Impossible(unreadable.clone()), footprint),
                None => (status(hook, &definition, &footprint.files, trusted), footprint),
            },
        };
        Examined {
            status,
            definition,
            files: footprint.files,
            uncertain: footprint.uncertain,
            event: hook.event.to_string(),
            command: hook.command_line(),
        }
    }

    fn read(&self) -> Result<Records, TrustError> {
        let path = self.path();
        let fail = |source| TrustError::Read { file: path.clone(), source };
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Records::default()),
            Err(error) => return Err(fail(error)),
        };
        if let Some(reason) = not_private(&file).map_err(fail)? {
            return Err(TrustError::NotPrivate { file: path, reason });
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(fail)?;
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
        create_folder(&self.folder).map_err(fail)?;
        let lock = self.folder.join("trust.lock");
        let Some(_lock) = Lock::acquire(&lock, PATIENCE).map_err(fail)? else {
            return Err(TrustError::Busy { file: lock });
        };
        let mut records = self.read()?;
        change(&mut records);
        records.version = VERSION;
        let text = serde_json::to_vec_pretty(&records).map_err(|error| fail(error.into()))?;
        let mut file = tempfile::Builder::new().prefix("trust.").tempfile_in(&self.folder).map_err(fail)?;
        file.write_all(&text).map_err(fail)?;
        file.as_file().sync_all().map_err(fail)?;
        replace(file, &path).map_err(fail)
    }
}

impl TrustPolicy for TrustStore {
    fn judge(&self, hook: &HookConfig, event: &HookEvent) -> Trust {
        let project = self.project.as_deref().unwrap_or(event.project_dir());
        let records = match self.read() {
            Ok(records) => records,
            Err(error) => return Trust::Untrusted(format!("what is trusted cannot be read: {error}")),
        };
        // What nobody has trusted is not looked at any closer.
        let record = records.projects.get(&key(project));
        let trusted = record.map(|project| project.hooks.as_slice()).unwrap_or_default();
        let is_strict = self.strict || record.is_some_and(|project| project.strict);
        let mut unknown = None;
        let by_definition = unknown_definition(hook, &definition(hook), trusted);
        let status = by_definition.unwrap_or_else(|| {
            let examined = self.examine_in(hook, project, event.cwd(), &records, true);
            unknown = examined.uncertain.into_iter().next();
            examined.status
        });
        match status {
            TrustStatus::Trusted if is_strict && unknown.is_some() => Trust::Untrusted(format!(
                "trust is strict, and it runs what is only known when it runs: {}",
                unknown.unwrap_or_default()
            )),
            TrustStatus::Trusted => Trust::Trusted,
            TrustStatus::New => {
                Trust::Untrusted("it was found in the project, and nobody has trusted it yet".to_owned())
            }
            TrustStatus::Changed(what) => Trust::Untrusted(format!("it has changed since it was trusted: {what}")),
            TrustStatus::Impossible(why) => Trust::Untrusted(format!("it cannot be trusted: {why}")),
        }
    }
}

/// The status of a hook that is not trusted as it is defined now, whatever the files are that it names.
fn unknown_definition(hook: &HookConfig, definition: &str, trusted: &[HookRecord]) -> Option<TrustStatus> {
    if trusted.iter().any(|record| record.definition == definition) {
        return None;
    }
    let (event, command) = (hook.event.to_string(), hook.command_line());
    Some(match trusted.iter().any(|record| record.event == event && record.command == command) {
        true => TrustStatus::Changed("its settings".to_owned()),
        false => TrustStatus::New,
    })
}

fn status(hook: &HookConfig, definition: &str, files: &[ScriptFile], trusted: &[HookRecord]) -> TrustStatus {
    if let Some(status) = unknown_definition(hook, definition, trusted) {
        return status;
    }
    let mut what = String::new();
    for record in trusted.iter().filter(|record| record.definition == definition) {
        let differs = files.iter().map(record_of).find(|file| !record.files.iter().any(|have| is_same(have, file)));
        match differs {
            None => return TrustStatus::Trusted,
            Some(file) => what = file.path,
        }
    }
    TrustStatus::Changed(what)
}

fn record_of(file: &ScriptFile) -> FileRecord {
    FileRecord { path: file.path.display().to_string(), sha256: file.sha256.clone() }
}

/// The same file with the same contents. Where the system's file names know no case, a path may come in either.
fn is_same(have: &FileRecord, file: &FileRecord) -> bool {
    let is_path = match cfg!(any(windows, target_os = "macos")) {
        true => have.path.to_lowercase() == file.path.to_lowercase(),
        false => have.path == file.path,
    };
    is_path && have.sha256 == file.sha256
}

/// What a project is known by: its folder, links followed.
fn key(project_dir: &Path) -> String {
    let path = project_dir.canonicalize().unwrap_or_else(|_| project_dir.to_owned());
    path.display().to_string()
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
#[path = "tests.rs"]
mod tests;
