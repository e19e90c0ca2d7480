//! What is remembered of a session from runner to runner, and from process to process: `hookshell run` is one for each event.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookshell_process::replace_file;
use hookshell_process::sync::lock;
use serde::{Deserialize, Serialize};

use crate::state::{Lock, create_dir, not_private, owner_only};

/// How long another process may have the lock.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A session that nothing was heard of for so long is over.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The longest name of a file that every file system takes, with what stands after it.
const NAME_LIMIT: usize = 200;

/// Nobody sets more variables than this takes, in bytes.
const SIZE_LIMIT: u64 = 4 * 1024 * 1024;

/// What runners of one process remember of sessions together ([`RunnerBuilder::share_sessions`](crate::RunnerBuilder::share_sessions)),
/// for a host that makes runners anew and has no directory for it. Cheap to clone: clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SessionMemory(Arc<Mutex<HashMap<String, StoredSession>>>);

/// What outlives a runner.
pub(crate) enum Store {
    /// In a directory with a file for each session.
    Files(SessionFiles),
    /// As long as the process.
    Memory(SessionMemory),
}

impl Store {
    /// One in the user's state directory.
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self::Files(SessionFiles { dir: state_dir.join("sessions") })
    }

    /// What is remembered of a session.
    pub(crate) fn load(&self, session: &str) -> StoredSession {
        match self {
            Self::Files(files) => files.load(session),
            Self::Memory(SessionMemory(sessions)) => lock(sessions).get(session).cloned().unwrap_or_default(),
        }
    }

    /// Changes what is remembered of a session. Where that fails, nothing is.
    pub(crate) fn change<R>(&self, session: &str, change: impl FnOnce(&mut StoredSession) -> R) -> R {
        match self {
            Self::Files(files) => files.change(session, change),
            Self::Memory(SessionMemory(sessions)) => change(lock(sessions).entry(session.to_owned()).or_default()),
        }
    }

    /// Forgets a session.
    pub(crate) fn remove(&self, session: &str) {
        match self {
            Self::Files(files) => files.remove(session),
            Self::Memory(SessionMemory(sessions)) => drop(lock(sessions).remove(session)),
        }
    }
}

/// A directory with a file for each session.
pub(crate) struct SessionFiles {
    dir: PathBuf,
}

/// What a file has.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredSession {
    /// Variables that the user's hooks have set.
    pub(crate) env: Vec<(String, String)>,
    /// Those that the project's hooks have set, for the project's hooks.
    pub(crate) project_env: Vec<(String, String)>,
    /// The hooks that have run once.
    pub(crate) done_once: Vec<String>,
}

impl SessionFiles {
    /// A session's file. None where there is no session, or one whose name is too long for a file.
    fn path(&self, session: &str) -> Option<PathBuf> {
        let mut name = String::with_capacity(session.len() + 5);
        for byte in session.bytes() {
            match byte {
                // Upper case is written otherwise: some file systems do not tell `a` from `A`.
                b'a'..=b'z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
                _ => name.push_str(&format!("_{byte:02x}")),
            }
        }
        (!name.is_empty() && name.len() <= NAME_LIMIT).then(|| self.dir.join(name + ".json"))
    }

    /// What is remembered of a session: nothing where it cannot be read, or others could have written it.
    fn load(&self, session: &str) -> StoredSession {
        let Some(path) = self.path(session) else { return StoredSession::default() };
        read(&path).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(file = %path.display(), %error, "what is remembered of a session cannot be read");
            }
            StoredSession::default()
        })
    }

    fn change<R>(&self, session: &str, change: impl FnOnce(&mut StoredSession) -> R) -> R {
        let Some(path) = self.path(session) else { return change(&mut StoredSession::default()) };
        let lock = create_dir(&self.dir).and_then(|()| Lock::acquire(&self.dir.join("lock"), MAX_WAIT));
        let mut kept = self.load(session);
        let result = change(&mut kept);
        if let Err(error) = lock.and_then(|_lock| self.write(&path, &kept)) {
            tracing::warn!(file = %path.display(), %error, "a session cannot be remembered");
        }
        result
    }

    fn write(&self, path: &Path, kept: &StoredSession) -> io::Result<()> {
        self.sweep();
        // Owner-only from its beginning, and there as a whole or not at all.
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.dir)?;
        file.write_all(&serde_json::to_vec(kept)?)?;
        replace_file(file, path)
    }

    fn remove(&self, session: &str) {
        if let Some(path) = self.path(session) {
            // There is none most of the time.
            let _ = fs::remove_file(path);
        }
    }

    /// Forgets sessions that were never ended.
    fn sweep(&self) {
        for entry in self.dir.read_dir().into_iter().flatten().flatten() {
            let age = entry.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
            if matches!(age, Ok(Ok(age)) if age > LONGEST) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn read(path: &Path) -> io::Result<StoredSession> {
    let file = owner_only().read(true).open(path)?;
    if let Some(why) = not_private(&file)? {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let mut text = Vec::new();
    file.take(SIZE_LIMIT).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

#[cfg(test)]
mod tests {
    use super::{SessionMemory, Store};

    #[test]
    fn a_session_is_remembered_until_it_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let env = |session: &str| store.load(session).env;
        assert_eq!(env("s"), []);
        store.change("s", |kept| kept.env.push(("A".to_owned(), "1".to_owned())));
        store.change("s", |kept| kept.done_once.push("h".to_owned()));
        store.change("S/../s", |kept| kept.env.push(("A".to_owned(), "2".to_owned())));
        assert_eq!(env("s"), [("A".to_owned(), "1".to_owned())]);
        assert_eq!(env("S/../s"), [("A".to_owned(), "2".to_owned())]);
        assert_eq!(store.load("s").done_once, ["h"]);
        store.remove("s");
        assert_eq!(env("s"), []);
        // Nothing is remembered of no session, nor of one with a name that no file can have.
        for session in ["".to_owned(), "é".repeat(200)] {
            store.change(&session, |kept| kept.env.push(("A".to_owned(), "3".to_owned())));
            assert_eq!(env(&session), []);
        }
    }

    #[test]
    fn memory_is_shared_by_all_that_have_it() {
        let memory = SessionMemory::default();
        let (one, other) = (Store::Memory(memory.clone()), Store::Memory(memory));
        one.change("s", |kept| kept.done_once.push("h".to_owned()));
        assert_eq!((other.load("s").done_once, other.load("t").done_once.len()), (vec!["h".to_owned()], 0));
        other.remove("s");
        assert!(one.load("s").done_once.is_empty());
    }

    #[test]
    fn what_is_broken_or_not_the_owners_alone_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        store.change("s", |kept| kept.env.push(("A".to_owned(), "1".to_owned())));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let file = dir.path().join("sessions").join("s.json");
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
            assert_eq!(store.load("s").env, []);
            std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        }
        std::fs::write(dir.path().join("sessions").join("s.json"), "{").unwrap();
        assert_eq!(store.load("s").env, []);
        store.change("s", |kept| kept.env.push(("B".to_owned(), "2".to_owned())));
        assert_eq!(store.load("s").env, [("B".to_owned(), "2".to_owned())]);
    }
}
