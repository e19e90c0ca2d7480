//! By whole paths.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookshell_process::{Opening, system};

use super::{Listed, moved};
use crate::file_stat::{DIRECTORY, FileStat, LINK, REGULAR};

/// A name in a directory, or an absolute path.
#[derive(Clone)]
pub struct Place {
    path: PathBuf,
}

/// A directory, by its path.
#[derive(Clone)]
pub struct Dir {
    path: PathBuf,
}

/// A file as it was when it was looked at.
pub struct Pinned {
    path: PathBuf,
    /// What was there.
    pub stat: FileStat,
}

impl Place {
    /// What the path means now.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// What the system knows of it.
    pub fn stat(&self) -> io::Result<FileStat> {
        self.look(true)
    }

    /// What the name itself is.
    pub fn lstat(&self) -> io::Result<FileStat> {
        self.look(false)
    }

    /// What is there; a link is followed if `follows`.
    pub fn look(&self, follows: bool) -> io::Result<FileStat> {
        let metadata = if follows { self.path.metadata() } else { self.path.symlink_metadata() };
        metadata.map(|metadata| FileStat::of(&metadata))
    }

    /// Where the link leads.
    pub fn read_link(&self) -> io::Result<PathBuf> {
        fs::read_link(&self.path)
    }

    /// Opens it as a directory.
    pub fn open_dir(&self, follows: bool) -> io::Result<Dir> {
        if !self.look(follows)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Dir { path: self.path.clone() })
    }

    /// Opens it.
    pub fn open(&self, opening: &Opening) -> io::Result<File> {
        opening.open(&self.path)
    }

    /// Holds what is there now.
    pub fn pin(&self, follows: bool) -> io::Result<Pinned> {
        Ok(Pinned { stat: self.look(follows)?, path: self.path.clone() })
    }

    /// A link to a directory is a directory to Windows.
    pub fn remove_file(&self) -> io::Result<()> {
        if self.path.is_symlink() {
            fs::remove_file(&self.path).or_else(|_| fs::remove_dir(&self.path))
        } else {
            fs::remove_file(&self.path)
        }
    }

    /// Removes an empty directory.
    pub fn remove_dir(&self) -> io::Result<()> {
        fs::remove_dir(&self.path)
    }

    /// Makes a directory with this mode.
    pub fn make_dir(&self, _: u32) -> io::Result<()> {
        fs::create_dir(&self.path).map_err(hookshell_process::of_creation)
    }

    /// No links are made here: it takes a right that users seldom have.
    pub fn make_symlink(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes a named pipe.
    pub fn make_fifo(&self, mode: u32) -> io::Result<()> {
        hookshell_process::make_fifo(&self.path, mode)
    }

    /// Makes it another name of a file.
    pub fn make_link_to(&self, other: &Self) -> io::Result<()> {
        fs::hard_link(&other.path, &self.path)
    }

    /// Renames it.
    pub fn rename_to(&self, new: &Self) -> io::Result<()> {
        fs::rename(&self.path, &new.path)
    }

    /// Is the access allowed?
    pub fn may(&self, access: system::Access) -> bool {
        system::access(&self.path, access)
    }

    /// Sets the owner of a link.
    pub fn set_link_owner(&self, _: &FileStat) {}

    /// Sets the times of a link.
    pub fn set_link_times(&self, _: &FileStat) {}
}

impl Dir {
    /// Closes it; it is opened again when it is needed.
    pub fn close(&self) {}

    pub(super) fn reopen_from(&self, _: &Self) {}

    /// A name in it.
    pub fn entry(&self, name: &OsStr) -> Place {
        Place { path: self.path.join(name) }
    }

    /// Are they the same directory?
    pub fn is_same(&self, other: &Self) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        real(&self.path) == real(&other.path)
    }

    /// There are no numbers: a directory is not told from another one.
    pub fn id(&self) -> (u64, u64) {
        (0, 0)
    }

    /// What the system knows of it.
    pub fn stat(&self) -> io::Result<FileStat> {
        self.path.metadata().map(|metadata| FileStat::of(&metadata))
    }

    /// Does the path still lead to it?
    pub fn is_at(&self, _: &Path) -> bool {
        true
    }

    /// An open file that it is.
    pub fn file(&self) -> io::Result<File> {
        open_directory(&self.path)
    }

    /// Its entries.
    pub fn list(&self) -> io::Result<Vec<Listed>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            entries.push(Listed { name: entry.file_name(), kind: entry.file_type().ok().and_then(kind_of), inode: 0 });
        }
        Ok(entries)
    }

    /// Has it no entries?
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(fs::read_dir(&self.path)?.next().is_none())
    }

    /// Its entries in the order of `fts`.
    pub fn list_as_fts(&self) -> io::Result<Vec<Listed>> {
        let mut entries = self.list()?;
        entries.reverse();
        Ok(entries)
    }
}

impl Pinned {
    /// Owners are not told here.
    pub fn set_owner(&self, _: Option<u32>, _: Option<u32>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Of the mode there is the read-only attribute.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        let metadata = self.path.metadata()?;
        if metadata.is_symlink() {
            return Err(moved());
        }
        set_readonly(&metadata, mode, |permissions| fs::set_permissions(&self.path, permissions))
    }
}

fn set_readonly(
    metadata: &fs::Metadata,
    mode: u32,
    set: impl FnOnce(fs::Permissions) -> io::Result<()>,
) -> io::Result<()> {
    let mut permissions = metadata.permissions();
    if metadata.is_dir() || permissions.readonly() == (mode & 0o200 == 0) {
        return Ok(());
    }
    permissions.set_readonly(mode & 0o200 == 0);
    set(permissions)
}

/// Sets the owner of an open file to that of another.
pub fn set_owner(_: &File, _: &FileStat) {}

/// Sets the mode of an open file.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    set_readonly(&file.metadata()?, mode, |permissions| file.set_permissions(permissions))
}

/// Sets the times of an open file to those of another.
pub fn set_times(file: &File, stat: &FileStat) -> io::Result<()> {
    let time = |(seconds, nanos): (i64, u32)| {
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let base = if seconds < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(whole)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(whole)
        };
        base.and_then(|base| base.checked_add(Duration::from_nanos(nanos.into())))
    };
    let mut times = FileTimes::new();
    if let Some(accessed) = time(stat.accessed) {
        times = times.set_accessed(accessed);
    }
    if let Some(modified) = time(stat.modified) {
        times = times.set_modified(modified);
    }
    file.set_times(times)
}

fn kind_of(kind: fs::FileType) -> Option<u32> {
    let kinds = [(kind.is_symlink(), LINK), (kind.is_dir(), DIRECTORY), (kind.is_file(), REGULAR)];
    kinds.into_iter().find(|(is, _)| *is).map(|(_, kind)| kind)
}

/// Opens a directory to change what it says of itself.
#[cfg(windows)]
fn open_directory(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    /// Without it no handle to a directory is given.
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FILE_WRITE_ATTRIBUTES: u32 = 0x0100;
    File::options().access_mode(FILE_WRITE_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
}
