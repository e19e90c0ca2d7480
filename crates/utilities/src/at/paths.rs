//! By whole paths.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookshell_process::{Opening, system};

use super::{Listed, moved};
use crate::files::stat_of::{DIRECTORY, FileStat, LINK, REGULAR};

#[derive(Clone)]
pub(crate) struct Place {
    path: PathBuf,
}

#[derive(Clone)]
pub(crate) struct Dir {
    path: PathBuf,
}

pub(crate) struct Pinned {
    path: PathBuf,
    pub(crate) stat: FileStat,
}

impl Place {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn stat(&self) -> io::Result<FileStat> {
        self.look(true)
    }

    pub(crate) fn lstat(&self) -> io::Result<FileStat> {
        self.look(false)
    }

    pub(crate) fn look(&self, follows: bool) -> io::Result<FileStat> {
        let metadata = if follows { self.path.metadata() } else { self.path.symlink_metadata() };
        metadata.map(|metadata| FileStat::of(&metadata))
    }

    pub(crate) fn read_link(&self) -> io::Result<PathBuf> {
        fs::read_link(&self.path)
    }

    pub(crate) fn open_dir(&self, follows: bool) -> io::Result<Dir> {
        if !self.look(follows)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Dir { path: self.path.clone() })
    }

    pub(crate) fn open(&self, opening: &Opening) -> io::Result<File> {
        opening.open(&self.path)
    }

    pub(crate) fn pin(&self, follows: bool) -> io::Result<Pinned> {
        Ok(Pinned { stat: self.look(follows)?, path: self.path.clone() })
    }

    /// A link to a directory is a directory to Windows.
    pub(crate) fn remove_file(&self) -> io::Result<()> {
        if self.path.is_symlink() {
            fs::remove_file(&self.path).or_else(|_| fs::remove_dir(&self.path))
        } else {
            fs::remove_file(&self.path)
        }
    }

    pub(crate) fn remove_dir(&self) -> io::Result<()> {
        fs::remove_dir(&self.path)
    }

    pub(crate) fn make_dir(&self, _: u32) -> io::Result<()> {
        fs::create_dir(&self.path).map_err(hookshell_process::of_creation)
    }

    pub(crate) fn make_symlink(&self, target: &Path) -> io::Result<()> {
        crate::files::ln::symlink(&hookshell_process::text::from_path(target), &self.path)
    }

    pub(crate) fn make_fifo(&self, mode: u32) -> io::Result<()> {
        hookshell_process::make_fifo(&self.path, mode)
    }

    pub(crate) fn make_link_to(&self, other: &Self) -> io::Result<()> {
        fs::hard_link(&other.path, &self.path)
    }

    pub(crate) fn rename_to(&self, new: &Self) -> io::Result<()> {
        fs::rename(&self.path, &new.path)
    }

    pub(crate) fn may(&self, access: system::Access) -> bool {
        system::access(&self.path, access)
    }

    pub(crate) fn set_link_owner(&self, _: &FileStat) {}

    pub(crate) fn set_link_times(&self, _: &FileStat) {}
}

impl Dir {
    pub(crate) fn close(&self) {}

    pub(super) fn reopen_from(&self, _: &Self) {}

    pub(crate) fn entry(&self, name: &OsStr) -> Place {
        Place { path: self.path.join(name) }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        real(&self.path) == real(&other.path)
    }

    /// There are no numbers: a directory is not told from another one.
    pub(crate) fn id(&self) -> (u64, u64) {
        (0, 0)
    }

    pub(crate) fn stat(&self) -> io::Result<FileStat> {
        self.path.metadata().map(|metadata| FileStat::of(&metadata))
    }

    pub(crate) fn is_at(&self, _: &Path) -> bool {
        true
    }

    pub(crate) fn file(&self) -> io::Result<File> {
        crate::files::touch::open_directory(&self.path)
    }

    pub(crate) fn list(&self) -> io::Result<Vec<Listed>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            entries.push(Listed { name: entry.file_name(), kind: entry.file_type().ok().and_then(kind_of), inode: 0 });
        }
        Ok(entries)
    }

    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        Ok(fs::read_dir(&self.path)?.next().is_none())
    }

    pub(crate) fn list_as_fts(&self) -> io::Result<Vec<Listed>> {
        let mut entries = self.list()?;
        entries.reverse();
        Ok(entries)
    }
}

impl Pinned {
    /// Of the mode there is the read-only attribute.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
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

pub(crate) fn set_owner(_: &File, _: &FileStat) {}

pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    set_readonly(&file.metadata()?, mode, |permissions| file.set_permissions(permissions))
}

pub(crate) fn set_times(file: &File, stat: &FileStat) -> io::Result<()> {
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
