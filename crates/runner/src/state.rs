//! Files in the user's state directory: what is remembered from run to run.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::config::{absolute_variable, local_app_data};

/// The directory of hookshell's state: `$XDG_STATE_HOME/hookshell`, where that variable is not set
/// `~/.local/state/hookshell`; on Windows `%LOCALAPPDATA%\hookshell`. `None` if the environment names no such directory.
/// `env` gives the value of a variable: nothing is read from the process's own environment. It may not exist yet.
pub fn state_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(cfg!(windows), name, &env);
    let parent = if cfg!(windows) {
        local_app_data(&env)
    } else {
        get("XDG_STATE_HOME").or_else(|| Some(get("HOME")?.join(".local").join("state")))
    };
    Some(parent?.join("hookshell"))
}

/// Makes a directory for its owner only, with those above it.
pub(crate) fn create_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// How files for their owner only are opened: the last component is no link, and a FIFO does not wait for its other side. On
/// Windows the user's directory has the right access list, which is inherited.
pub(crate) fn owner_only() -> OpenOptions {
    #[cfg_attr(windows, allow(unused_mut, reason = "there is no mode to set"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    options
}

/// Makes sure that an open file is its owner's alone before something is written to it or taken from it: a wider mode is
/// narrowed. Gives what the system says of it.
///
/// # Errors
/// It is no regular file, has another name, or belongs to another user.
#[cfg(unix)]
pub(crate) fn make_private(file: &File) -> io::Result<Metadata> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let metadata = file.metadata()?;
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    if !metadata.is_file() {
        return refused("it is no regular file".to_owned());
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return refused(format!("it belongs to another user (id {})", metadata.uid()));
    }
    if metadata.nlink() > 1 {
        return refused("it has another name as well (a hard link)".to_owned());
    }
    if metadata.mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(metadata.mode() & 0o700))?;
    }
    Ok(metadata)
}

/// On Windows the access list of the user's directory holds.
#[cfg(not(unix))]
pub(crate) fn make_private(file: &File) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return Ok(metadata);
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is no regular file"))
}

/// Why a file must not be believed: somebody else may read or write it. `None`: it is its owner's alone, and the owner is
/// who we are.
#[cfg(unix)]
pub(crate) fn not_private(file: &File) -> io::Result<Option<String>> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Some("it is no regular file".to_owned()));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Ok(Some(format!("it belongs to another user (id {})", metadata.uid())));
    }
    if metadata.mode() & 0o077 != 0 {
        let mode = metadata.mode() & 0o777;
        return Ok(Some(format!("others may read or write it (mode {mode:o}): chmod 600 makes it yours alone")));
    }
    Ok(None)
}

/// Opens a file that is believed, for reading: one of the owner's alone, in a directory where nobody else may put another in its
/// place. A link is not followed, whoever made it. `Ok(Err)`: it is not to be believed, and why.
pub(crate) fn open_private(path: &Path) -> io::Result<Result<File, String>> {
    // Before it is opened, too: Windows has no flag for it.
    if path.symlink_metadata()?.is_symlink() {
        return Ok(Err(format!("it is a link, which is not followed: put the file itself there{}", leads_to(path))));
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = options.open(path)?;
    if let Some(reason) = not_private(&file)? {
        return Ok(Err(reason));
    }
    Ok(match path.parent().map(not_owners).transpose()?.flatten() {
        Some(reason) => Err(reason),
        None => Ok(file),
    })
}

fn leads_to(link: &Path) -> String {
    link.read_link().map(|end| format!(" (it leads to {})", end.display())).unwrap_or_default()
}

/// Why what stands in a directory must not be believed: somebody else may put it there.
#[cfg(unix)]
fn not_owners(dir: &Path) -> io::Result<Option<String>> {
    use std::os::unix::fs::MetadataExt;
    let metadata = dir.metadata()?;
    let owners = [0, rustix::process::geteuid().as_raw()];
    if !owners.contains(&metadata.uid()) {
        return Ok(Some(format!("its directory belongs to another user (id {})", metadata.uid())));
    }
    let is_open = metadata.mode() & 0o002 != 0;
    Ok(is_open.then(|| "everybody may write into its directory: chmod 700 makes it yours alone".to_owned()))
}

/// On Windows the access list of the user's directory holds.
#[cfg(not(unix))]
fn not_owners(_: &Path) -> io::Result<Option<String>> {
    Ok(None)
}

/// On Windows the access list of the user's directory holds.
#[cfg(not(unix))]
pub(crate) fn not_private(file: &File) -> io::Result<Option<String>> {
    Ok((!file.metadata()?.is_file()).then(|| "it is no regular file".to_owned()))
}

/// How often a lock is tried.
const TURN: Duration = Duration::from_millis(10);

/// A lock between processes, held until it is dropped. The system releases that of a process that is killed.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock on a file of its own; `None` if another process still has it after `max_wait`.
    pub(crate) fn acquire(path: &Path, max_wait: Duration) -> io::Result<Option<Self>> {
        let give_up = Instant::now().checked_add(max_wait);
        loop {
            if let Some(file) = try_lock(path)? {
                return Ok(Some(Self { _file: file }));
            }
            if give_up.is_none_or(|give_up| Instant::now() >= give_up) {
                return Ok(None);
            }
            std::thread::sleep(TURN);
        }
    }
}

#[cfg(unix)]
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{FlockOperation, flock};
    let file = owner_only().write(true).create(true).truncate(false).open(path)?;
    make_private(&file)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(windows)]
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    /// `ERROR_SHARING_VIOLATION`: another process has it open.
    const IN_USE: i32 = 32;
    match owner_only().write(true).create(true).truncate(false).share_mode(0).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(IN_USE) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(any(unix, windows)))]
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    owner_only().write(true).create(true).truncate(false).open(path).map(Some)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Lock, create_dir, owner_only};

    #[test]
    #[cfg(unix)]
    fn the_state_dir() {
        use std::ffi::OsString;
        use std::path::PathBuf;
        type Case = (&'static [(&'static str, &'static str)], Option<&'static str>);
        let cases: [Case; 4] = [
            (&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")], Some("/s/hookshell")),
            (&[("HOME", "/h")], Some("/h/.local/state/hookshell")),
            (&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")], Some("/h/.local/state/hookshell")),
            (&[], None),
        ];
        for (variables, expected) in cases {
            let dir = super::state_dir(|name| {
                variables.iter().find(|(have, _)| *have == name).map(|(_, value)| OsString::from(value))
            });
            assert_eq!(dir, expected.map(PathBuf::from), "{variables:?}");
        }
    }

    #[test]
    fn a_lock_is_held_until_it_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Lock::acquire(&path, Duration::ZERO).unwrap();
        assert!(lock.is_some());
        assert!(Lock::acquire(&path, Duration::from_millis(30)).unwrap().is_none());
        drop(lock);
        assert!(Lock::acquire(&path, Duration::ZERO).unwrap().is_some());
    }

    #[test]
    #[cfg(unix)]
    fn what_is_made_is_the_owners_alone() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a").join("b");
        create_dir(&dir).unwrap();
        assert_eq!(dir.metadata().unwrap().mode() & 0o777, 0o700);
        let file = owner_only().write(true).create(true).truncate(false).open(dir.join("f")).unwrap();
        assert_eq!(super::not_private(&file).unwrap(), None);
        std::fs::set_permissions(dir.join("f"), PermissionsExt::from_mode(0o604)).unwrap();
        let why = "others may read or write it (mode 604): chmod 600 makes it yours alone";
        assert_eq!(super::not_private(&file).unwrap().as_deref(), Some(why));
    }

    #[test]
    #[cfg(not(unix))]
    fn what_is_made_can_be_opened() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a").join("b");
        create_dir(&dir).unwrap();
        owner_only().write(true).create(true).truncate(false).open(dir.join("f")).unwrap();
    }
}
