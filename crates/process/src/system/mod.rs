//! Facts about the process and the system that a shell asks for. Reading only: nothing is changed to find out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(unix)]
mod accounts;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

/// Processor time, as `times` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuTimes {
    /// This process, in user mode: all threads of the host.
    pub user: Duration,
    /// This process, in the kernel.
    pub system: Duration,
    /// Children that have ended and been waited for. Windows does not add them up: zero.
    pub children_user: Duration,
    /// Likewise, in the kernel.
    pub children_system: Duration,
}

/// Who runs this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ids {
    /// Real user id.
    pub uid: u32,
    /// Effective user id.
    pub euid: u32,
    /// Real group id.
    pub gid: u32,
    /// Effective group id.
    pub egid: u32,
}

/// What [`access`] asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// `test -r`.
    Read,
    /// `test -w`.
    Write,
    /// `test -x`.
    Execute,
}

/// A text in the registry, of the machine or of the user who runs this process: `registry_string(false, r"SOFTWARE\\X",
/// "InstallPath")`. `None` if there is none, and on systems without a registry.
#[must_use]
pub fn registry_string(of_user: bool, key: &str, name: &str) -> Option<OsString> {
    #[cfg(windows)]
    return crate::windows::registry_string(of_user, key, name);
    #[cfg(not(windows))]
    {
        let _ = (of_user, key, name);
        None
    }
}

/// The long name of a file on Windows: `C:\\Program Files` of `C:\\PROGRA~1`. `None` if there is no such file, and on other systems.
#[must_use]
pub fn long_path(path: &Path) -> Option<PathBuf> {
    #[cfg(windows)]
    return crate::windows::long_path(path);
    #[cfg(not(windows))]
    {
        let _ = path;
        None
    }
}

/// The short name of a file on Windows: `C:\\PROGRA~1` of `C:\\Program Files`, or the same where the volume has none. `None` if there
/// is no such file, and on other systems.
#[must_use]
pub fn short_path(path: &Path) -> Option<PathBuf> {
    #[cfg(windows)]
    return crate::windows::short_path(path);
    #[cfg(not(windows))]
    {
        let _ = path;
        None
    }
}

/// This process's umask, without changing it (`umask(2)` can only swap). `None` if the system does not tell: everywhere
/// but on Linux, and there without `/proc`.
#[must_use]
pub fn host_umask() -> Option<u32> {
    platform::host_umask()
}

/// The home directory that the user database names for this login name. `None`: no such user. Windows: always `None`.
#[must_use]
pub fn home_of(user: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return accounts::home_of(user);
    #[cfg(not(unix))]
    platform::home_of(user)
}

/// To be called before a host's name is looked up (getaddrinfo(3)). A program with the C library in it then asks files and DNS
/// only: the modules of other services fit their own version of that library. Otherwise, and the second time, it does nothing.
pub fn prepare_host_names() {
    #[cfg(target_os = "linux")]
    accounts::keep_modules_out();
}

/// The processor time used so far; zero where the system does not tell.
#[must_use]
pub fn cpu_times() -> CpuTimes {
    platform::cpu_times()
}

/// Whether the file may be read, written or executed with the effective ids (`faccessat` with `AT_EACCESS`); `false` also when
/// it does not exist. An answer for `test`, not a promise: the file may change before it is opened.
///
/// Windows: readable and writable are tried by opening (a directory is both if it can be listed and is not read-only); executable is a
/// directory, a file with the extension `.exe`, `.com`, `.bat` or `.cmd`, or one that begins with `MZ` or `#!`, as Git Bash
/// has it.
#[must_use]
pub fn access(path: &Path, mode: Access) -> bool {
    platform::access(path, mode)
}

/// The process's user and group ids. Windows has none of the kind: 1000 each, so that no script takes itself for root.
#[must_use]
pub fn ids() -> Ids {
    platform::ids()
}

/// This process's id.
#[must_use]
pub fn process_id() -> u32 {
    std::process::id()
}

/// The id of the process that started this one; 0 if it is not known.
#[must_use]
pub fn parent_id() -> u32 {
    platform::parent_id()
}

/// The names of the programs that this process was started by, its parent's first, at most `limit`. Linux alone tells them: elsewhere
/// there are none.
#[must_use]
pub fn ancestors(limit: usize) -> Vec<OsString> {
    platform::ancestors(limit)
}

/// The machine's name, as `uname -n` says it; empty if it is not known.
#[must_use]
pub fn hostname() -> OsString {
    platform::hostname()
}

/// The supplementary groups of the process. Windows: none.
#[must_use]
pub fn group_ids() -> Vec<u32> {
    #[cfg(unix)]
    return platform::group_ids();
    #[cfg(not(unix))]
    Vec::new()
}

/// The login name of a user id, by the user database; `None`: it has none. Windows: `USERNAME` is the only user there, and the
/// caller's to know.
#[must_use]
pub fn user_name(id: u32) -> Option<Vec<u8>> {
    #[cfg(unix)]
    return accounts::user_name(id);
    #[cfg(not(unix))]
    {
        let _ = id;
        None
    }
}

/// The name of a group id, by the group database; `None`: it has none. Windows: always `None`.
#[must_use]
pub fn group_name(id: u32) -> Option<Vec<u8>> {
    #[cfg(unix)]
    return accounts::group_name(id);
    #[cfg(not(unix))]
    {
        let _ = id;
        None
    }
}

/// The user id and the login group of a login name. Windows: always `None`.
#[must_use]
pub fn user_ids(name: &[u8]) -> Option<(u32, u32)> {
    #[cfg(unix)]
    return accounts::user_ids(name);
    #[cfg(not(unix))]
    {
        let _ = name;
        None
    }
}

/// The ids of the groups that have a user among their members, by the file of groups; `None` if that is not all that there is: with a
/// directory service, and on other systems than Linux.
#[must_use]
pub fn groups_of(user: &[u8]) -> Option<Vec<u32>> {
    #[cfg(target_os = "linux")]
    return accounts::groups_of(user);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = user;
        None
    }
}

/// The id of a group's name. Windows: always `None`.
#[must_use]
pub fn group_id(name: &[u8]) -> Option<u32> {
    #[cfg(unix)]
    return accounts::group_id(name);
    #[cfg(not(unix))]
    {
        let _ = name;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no faccessat")]
    fn access_follows_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a file é");
        std::fs::write(&file, "x").unwrap();
        assert!(access(&file, Access::Read));
        assert!(access(&file, Access::Write));
        assert!(!access(&file, Access::Execute));
        assert!(access(directory.path(), Access::Execute));
        for mode in [Access::Read, Access::Write, Access::Execute] {
            assert!(!access(&directory.path().join("missing"), mode));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no getppid")]
    fn the_process_knows_itself() {
        assert_eq!(process_id(), std::process::id());
        // What Linux starts under Wine has no Windows process as its parent.
        assert!(parent_id() != 0 || std::env::var_os("UNDER_WINE").is_some());
        assert!(!hostname().is_empty());
        let before = cpu_times();
        let mut sum = 0_u64;
        let end = std::time::Instant::now() + Duration::from_secs(10);
        while cpu_times().user == before.user && cpu_times().system == before.system {
            assert!(std::time::Instant::now() < end, "the processor time stands still");
            sum = std::hint::black_box((0..100_000).sum());
        }
        assert_ne!(sum, 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_umask_is_read() {
        assert!(host_umask().unwrap() <= 0o777);
    }

    #[cfg(unix)]
    #[test]
    #[cfg_attr(miri, ignore = "Miri has no getpwnam_r")]
    fn users_and_groups_have_names() {
        assert_eq!(user_name(0).as_deref(), Some(&b"root"[..]));
        assert_eq!(user_ids(b"root"), Some((0, 0)));
        assert_eq!(user_ids(b"no such user, ever"), None);
        assert_eq!(user_name(4_000_000_001), None);
        let group = group_name(0).unwrap();
        assert_eq!(group_id(&group), Some(0));
        assert_eq!(group_id(b"no such group, ever"), None);
    }

    #[cfg(unix)]
    #[test]
    #[cfg_attr(miri, ignore = "Miri has no getpwnam_r")]
    fn homes_come_from_the_user_database() {
        assert_eq!(home_of(b"no such user, ever"), None);
        assert_eq!(home_of(b"a\0b"), None);
        assert_eq!(home_of(b""), None);
        let root = home_of(b"root").unwrap();
        assert!(root.is_absolute(), "{root:?}");
    }
}
