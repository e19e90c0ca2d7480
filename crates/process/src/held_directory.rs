//! A directory that is found again when it has got another name.

use std::path::{Path, PathBuf};

/// A directory that is held open. Only on Linux: elsewhere the system does not say what an open directory is called now.
#[derive(Debug)]
pub struct HeldDirectory {
    #[cfg(target_os = "linux")]
    directory: std::os::fd::OwnedFd,
}

impl HeldDirectory {
    /// Holds the directory; `None` where it cannot be opened, or where that would be of no use.
    #[must_use]
    pub fn open(path: &Path) -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Mode, OFlags, open};
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            open(path, flags, Mode::empty()).ok().map(|directory| Self { directory })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = path;
            None
        }
    }

    /// What it is called now; `None` where it was removed.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let status = rustix::fs::fstat(&self.directory).ok().filter(|status| status.st_nlink > 0)?;
            let path = std::fs::read_link(format!("/proc/self/fd/{}", self.directory.as_raw_fd())).ok()?;
            // A link that does not lead back is one that another mount or root hides.
            let there = rustix::fs::stat(&path).ok()?;
            (there.st_dev == status.st_dev && there.st_ino == status.st_ino).then_some(path)
        }
        #[cfg(not(target_os = "linux"))]
        {
            None
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::HeldDirectory;

    #[test]
    fn a_directory_is_found_under_its_new_name_and_not_when_it_is_gone() {
        let Ok(around) = tempfile::tempdir() else { return };
        let around = std::fs::canonicalize(around.path()).unwrap_or_default();
        let (old, new) = (around.join("old"), around.join("new"));
        assert!(std::fs::create_dir(&old).is_ok());
        let held = HeldDirectory::open(&old);
        assert_eq!(held.as_ref().and_then(HeldDirectory::path), Some(old.clone()));
        assert!(std::fs::rename(&old, &new).is_ok());
        assert_eq!(held.as_ref().and_then(HeldDirectory::path), Some(new.clone()));
        assert!(std::fs::remove_dir(&new).is_ok());
        assert_eq!(held.as_ref().and_then(HeldDirectory::path), None);
        assert!(HeldDirectory::open(&old).is_none());
    }
}
