//! What kind of file a path leads to.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use hookshell_process::sync::lock;
use hookshell_process::{Lead, Opening, is_refused_link, lead};
use hookshell_shebang::{HEAD_LEN, Head, classify};

/// How many files a prober remembers. A session runs the same few dozen hooks and tools; past that it starts anew.
const CACHE_LIMIT: usize = 256;

/// A file changed more recently than this is not remembered: a second change may get the same time stamp, whose
/// resolution is 2 s on FAT and some network systems.
const SETTLED: Duration = Duration::from_secs(2);

/// Reads what kind of file a path leads to, and remembers it for as long as the file is the same.
#[derive(Debug, Default)]
pub(crate) struct Prober {
    cache: Mutex<Cache>,
}

type Cache = HashMap<PathBuf, (Stamp, Arc<[u8]>)>;

/// What changes when a file's content does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// Unix: device, inode and the time of the last change of any kind, which no program can set.
    identity: [u64; 4],
}

/// The first bytes of a file.
#[derive(Debug, Clone)]
pub(crate) struct Probed {
    head: Option<Arc<[u8]>>,
}

/// Why a file is nothing that can be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProbeError {
    /// Nothing is there.
    #[error("No such file or directory")]
    NotFound,
    /// A directory.
    #[error("Is a directory")]
    IsDirectory,
    /// A directory on the way may not be searched, the file may be neither read nor executed, or it is a device, a pipe or
    /// a socket.
    #[error("Permission denied")]
    PermissionDenied,
    /// Symbolic links that lead in a circle.
    #[error("Too many levels of symbolic links")]
    SymlinkLoop,
    /// Anything else that the system says.
    #[error("{0}")]
    Os(io::Error),
}

impl Probed {
    /// A file of which the contents are known.
    pub(crate) fn of(contents: &[u8]) -> Self {
        Self { head: Some(contents.get(..HEAD_LEN).unwrap_or(contents).into()) }
    }

    /// What the file is by its first bytes; `None` when it may be executed and not read.
    pub(crate) fn head(&self) -> Option<Head<'_>> {
        self.head.as_deref().map(classify)
    }

    /// The first bytes themselves; empty when they may not be read.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.head.as_deref().unwrap_or_default()
    }
}

impl Prober {
    /// Reads the first bytes of the file at an absolute path.
    ///
    /// # Errors
    /// The path leads to no regular file.
    pub(crate) fn probe(&self, path: &Path) -> Result<Probed, ProbeError> {
        self.open(path).map(|(probed, _)| probed)
    }

    /// As [`Prober::probe`]. Gives the file as well, where it had to be opened: what follows those bytes is read from it.
    pub(crate) fn open(&self, path: &Path) -> Result<(Probed, Option<File>), ProbeError> {
        let metadata = std::fs::metadata(path).map_err(ProbeError::from_io)?;
        if metadata.is_dir() {
            return Err(ProbeError::IsDirectory);
        }
        if !metadata.is_file() {
            // Opening a FIFO would wait for a writer. The kernel gives EACCES for all of these.
            return Err(ProbeError::PermissionDenied);
        }
        let stamp = Stamp::of(&metadata);
        if let Some((known, head)) = lock(&self.cache).get(path)
            && *known == stamp
        {
            return Ok((Probed { head: Some(head.clone()) }, None));
        }
        let file = match open(path, true) {
            Ok(file) => file,
            // A program that may be executed and not read.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && may_be_executed(&metadata) => {
                return Ok((Probed { head: None }, None));
            }
            Err(error) => return Err(ProbeError::from_io(error)),
        };
        let mut head = Vec::with_capacity(HEAD_LEN);
        let limit = u64::try_from(HEAD_LEN).unwrap_or(u64::MAX);
        (&file).take(limit).read_to_end(&mut head).map_err(ProbeError::from_io)?;
        let head: Arc<[u8]> = head.into();
        if stamp.is_settled() {
            let mut cache = lock(&self.cache);
            if cache.len() >= CACHE_LIMIT {
                cache.clear();
            }
            cache.insert(path.to_owned(), (stamp, head.clone()));
        }
        Ok((Probed { head: Some(head) }, Some(file)))
    }
}

impl ProbeError {
    fn from_io(error: io::Error) -> Self {
        match error.kind() {
            // ENOTDIR: a file where a directory should be on the way. bash says so too, with status 126.
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            io::ErrorKind::IsADirectory => Self::IsDirectory,
            _ if is_symlink_loop(&error) => Self::SymlinkLoop,
            _ => Self::Os(error),
        }
    }
}

/// Opens a file, but none of this process's: to a script a link to `/dev/stdin` is no program. `at_once`: a FIFO that
/// somebody has put in its place since does not hold it up.
pub(crate) fn open(path: &Path, at_once: bool) -> io::Result<File> {
    match (Opening { nonblocking: at_once, ..Opening::to_read() }).open(path) {
        Err(error)
            if is_refused_link(&error) && !matches!(lead(path, Path::new("/")), Lead::Descriptor(_) | Lead::Host) =>
        {
            File::open(path)
        }
        opened => opened,
    }
}

#[cfg(unix)]
fn is_symlink_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(windows)]
fn is_symlink_loop(error: &io::Error) -> bool {
    // ERROR_CANT_RESOLVE_FILENAME: "the name of the file cannot be resolved by the system".
    error.raw_os_error() == Some(1921)
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { len: metadata.len(), modified: metadata.modified().ok(), identity: identity(metadata) }
    }

    fn is_settled(&self) -> bool {
        let age = |time: SystemTime| SystemTime::now().duration_since(time).unwrap_or_default();
        self.modified.is_some_and(|time| age(time) > SETTLED) && {
            let changed = Duration::from_secs(self.identity[2]);
            cfg!(windows) || age(SystemTime::UNIX_EPOCH + changed) > SETTLED
        }
    }
}

/// Has the file an x bit for anybody?
#[cfg(unix)]
fn may_be_executed(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(windows)]
fn may_be_executed(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> [u64; 4] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev(), metadata.ino(), metadata.ctime().cast_unsigned(), metadata.ctime_nsec().cast_unsigned()]
}

#[cfg(windows)]
fn identity(metadata: &Metadata) -> [u64; 4] {
    use std::os::windows::fs::MetadataExt;
    [metadata.creation_time(), metadata.last_write_time(), 0, 0]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_what_its_first_bytes_say_and_is_read_again_when_it_changes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let prober = Prober::default();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        let probed = prober.probe(&path).unwrap();
        assert!(matches!(probed.head(), Some(Head::Shebang(_))));
        fs::write(&path, "\x7fELF12345\n").unwrap();
        let probed = prober.probe(&path).unwrap();
        assert!(matches!(probed.head(), Some(Head::Binary(_))));
        fs::write(&path, "echo hi").unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        for _ in 0..2 {
            let probed = prober.probe(&path).unwrap();
            assert!(matches!(probed.head(), Some(Head::ShellSource)));
        }
    }

    #[test]
    fn what_is_no_file_says_why() {
        let directory = tempfile::tempdir().unwrap();
        let prober = Prober::default();
        assert!(matches!(prober.probe(directory.path()), Err(ProbeError::IsDirectory)));
        assert!(matches!(prober.probe(&directory.path().join("none")), Err(ProbeError::NotFound)));
        #[cfg(unix)]
        {
            let link = directory.path().join("loop");
            std::os::unix::fs::symlink("loop", &link).unwrap();
            assert!(matches!(prober.probe(&link), Err(ProbeError::SymlinkLoop)));
            assert!(matches!(prober.probe(Path::new("/dev/null")), Err(ProbeError::PermissionDenied)));
            // A superuser reads everything.
            use std::os::unix::fs::PermissionsExt;
            let script = directory.path().join("script");
            fs::write(&script, "echo hi").unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o000)).unwrap();
            if File::open(&script).is_err() {
                assert!(matches!(prober.probe(&script), Err(ProbeError::PermissionDenied)));
                fs::set_permissions(&script, fs::Permissions::from_mode(0o111)).unwrap();
                assert!(prober.probe(&script).unwrap().head().is_none());
            }
        }
    }
}
