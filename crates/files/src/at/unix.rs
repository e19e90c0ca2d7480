//! By open directories.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hookshell_process::{Opening, system};
use rustix::fs::{
    Access, AtFlags, CWD, Gid, Mode, OFlags, Timespec, Timestamps, Uid, accessat, chmodat, chownat, fchmod, fchown,
    fstat, futimens, linkat, mkdirat, openat, readlinkat, renameat, statat, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;

use super::{Listed, moved};
use crate::file_stat::FileStat;

/// A name in a directory that is open, or an absolute path.
#[derive(Clone)]
pub struct Place {
    holder: Option<Dir>,
    name: PathBuf,
}

/// A directory that was opened. It may be closed for a while; it is opened again where it was, or not at all.
#[derive(Clone)]
pub struct Dir(Rc<Inner>);

struct Inner {
    fd: RefCell<Option<Rc<OwnedFd>>>,
    id: (u64, u64),
    place: RefCell<Option<Place>>,
    /// It was a link that led there.
    follows: bool,
}

/// A file that can be looked at and changed, though not read: it stays the same whatever happens to its name.
pub struct Pinned {
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has such descriptors"))]
    fd: Option<OwnedFd>,
    #[cfg_attr(target_os = "linux", allow(dead_code, reason = "Linux has descriptors for it"))]
    place: Place,
    /// What was there.
    pub stat: FileStat,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Not by recursion, which would be as deep as the tree.
        let mut place = self.place.take();
        while let Some(Place { holder: Some(Dir(holder)), .. }) = place {
            place = Rc::try_unwrap(holder).ok().and_then(|holder| holder.place.take());
        }
    }
}

fn flags(follows: bool) -> AtFlags {
    if follows { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
}

impl Place {
    /// By an absolute path.
    pub fn at(path: PathBuf) -> Self {
        Self { holder: None, name: path }
    }

    /// Calls the system with the directory and the name in it.
    fn call<T>(&self, call: impl Fn(BorrowedFd<'_>, &Path) -> rustix::io::Result<T>) -> io::Result<T> {
        let retry = |fd: BorrowedFd<'_>| loop {
            match call(fd, &self.name) {
                Err(Errno::INTR) => {}
                result => return Ok(result?),
            }
        };
        match &self.holder {
            None => retry(CWD),
            Some(holder) => retry(holder.fd()?.as_fd()),
        }
    }

    /// Its whole path, which may be longer than the system takes.
    pub fn path(&self) -> PathBuf {
        let mut names = vec![self.name.clone()];
        let mut holder = self.holder.clone();
        while let Some(Dir(inner)) = holder {
            let place = inner.place.borrow();
            let Some(place) = &*place else { break };
            names.push(place.name.clone());
            holder = place.holder.clone();
        }
        names.into_iter().rev().collect()
    }

    /// What it is, a link followed.
    pub fn stat(&self) -> io::Result<FileStat> {
        self.look(true)
    }

    /// What it is itself.
    pub fn lstat(&self) -> io::Result<FileStat> {
        self.look(false)
    }

    /// What is there; a link is followed if `follows`.
    pub fn look(&self, follows: bool) -> io::Result<FileStat> {
        self.call(|fd, name| statat(fd, name, flags(follows))).map(|stat| FileStat::of_stat(&stat))
    }

    /// Where the link leads.
    pub fn read_link(&self) -> io::Result<PathBuf> {
        let text = self.call(|fd, name| readlinkat(fd, name, Vec::new()))?;
        Ok(PathBuf::from(OsString::from_vec(text.into_bytes())))
    }

    /// Opens the directory.
    pub fn open_dir(&self, follows: bool) -> io::Result<Dir> {
        let (fd, id) = self.open_again(follows)?;
        let place = RefCell::new(Some(self.clone()));
        Ok(Dir(Rc::new(Inner { fd: RefCell::new(Some(Rc::new(fd))), id, place, follows })))
    }

    fn open_again(&self, follows: bool) -> io::Result<(OwnedFd, (u64, u64))> {
        let mut how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !follows {
            how |= OFlags::NOFOLLOW;
        }
        let fd = self.call(|fd, name| openat(fd, name, how, Mode::empty())).map_err(|error| {
            // Of a link that is not followed the systems say different things.
            if !follows && error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
                io::ErrorKind::NotADirectory.into()
            } else {
                error
            }
        })?;
        let id = id_of(&fd)?;
        Ok((fd, id))
    }

    /// Opens the file; by no link to an open file of this process.
    pub fn open(&self, opening: &Opening) -> io::Result<File> {
        match &self.holder {
            None => opening.open(&self.name),
            Some(holder) => opening.open_in(holder.fd()?.as_fd(), &self.name),
        }
    }

    /// Holds the file as it is now.
    pub fn pin(&self, follows: bool) -> io::Result<Pinned> {
        #[cfg(target_os = "linux")]
        {
            let mut how = OFlags::PATH | OFlags::CLOEXEC;
            if !follows {
                how |= OFlags::NOFOLLOW;
            }
            let fd = self.call(|fd, name| openat(fd, name, how, Mode::empty()))?;
            let stat = FileStat::of_stat(&fstat(&fd)?);
            Ok(Pinned { fd: Some(fd), place: self.clone(), stat })
        }
        #[cfg(not(target_os = "linux"))]
        {
            // What cannot be opened is changed by its name, and no link followed that is there by then.
            let place = match follows && self.lstat()?.is_link() {
                true => Self::at(self.path().canonicalize()?),
                false => self.clone(),
            };
            let how = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
            let before = place.lstat()?;
            let is_opened = before.is_dir() || before.kind() == crate::file_stat::REGULAR;
            let fd = is_opened.then(|| place.call(|fd, name| openat(fd, name, how, Mode::empty())).ok()).flatten();
            let stat = match &fd {
                Some(fd) => FileStat::of_stat(&fstat(fd)?),
                None => before,
            };
            Ok(Pinned { fd, place, stat })
        }
    }

    /// Removes what is no directory.
    pub fn remove_file(&self) -> io::Result<()> {
        self.call(|fd, name| unlinkat(fd, name, AtFlags::empty()))
    }

    /// Removes an empty directory.
    pub fn remove_dir(&self) -> io::Result<()> {
        self.call(|fd, name| unlinkat(fd, name, AtFlags::REMOVEDIR))
    }

    /// Makes a directory; the process's umask may take bits of the mode away.
    pub fn make_dir(&self, mode: u32) -> io::Result<()> {
        self.call(|fd, name| mkdirat(fd, name, mode_bits(mode)))
    }

    /// Makes a symbolic link with this text.
    pub fn make_symlink(&self, target: &Path) -> io::Result<()> {
        self.call(|fd, name| symlinkat(target, fd, name))
    }

    /// Makes a named pipe.
    pub fn make_fifo(&self, mode: u32) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        return self.call(|fd, name| rustix::fs::mknodat(fd, name, rustix::fs::FileType::Fifo, mode_bits(mode), 0));
        #[cfg(not(target_os = "linux"))]
        hookshell_process::make_fifo(&self.path(), mode)
    }

    /// Gives this name to another file, too.
    pub fn make_link_to(&self, other: &Self) -> io::Result<()> {
        let other_fd = other.holder.as_ref().map(Dir::fd).transpose()?;
        let other_fd = other_fd.as_ref().map_or(CWD, |fd| fd.as_fd());
        self.call(|fd, name| linkat(other_fd, &other.name, fd, name, AtFlags::empty()))
    }

    /// Gives the file another name in the place of this one.
    pub fn rename_to(&self, new: &Self) -> io::Result<()> {
        let new_fd = new.holder.as_ref().map(Dir::fd).transpose()?;
        let new_fd = new_fd.as_ref().map_or(CWD, |fd| fd.as_fd());
        self.call(|fd, name| renameat(fd, name, new_fd, &new.name))
    }

    /// As access(2), with the real ids.
    pub fn may(&self, access: system::Access) -> bool {
        let access = match access {
            system::Access::Read => Access::READ_OK,
            system::Access::Write => Access::WRITE_OK,
            system::Access::Execute => Access::EXEC_OK,
        };
        self.call(|fd, name| accessat(fd, name, access, AtFlags::empty())).is_ok()
    }

    /// Gives a link, as it is, owner and group as far as that is permitted.
    pub fn set_link_owner(&self, stat: &FileStat) {
        let (user, group) = ids_of(stat);
        let set = |user| self.call(|fd, name| chownat(fd, name, user, Some(group), AtFlags::SYMLINK_NOFOLLOW));
        if set(Some(user)).is_err() {
            let _ = set(None);
        }
    }

    /// Gives a link, as it is, the times.
    pub fn set_link_times(&self, stat: &FileStat) {
        let times = times_of(stat);
        let _ = self.call(|fd, name| utimensat(fd, name, &times, AtFlags::SYMLINK_NOFOLLOW));
    }
}

impl Dir {
    /// The descriptor; where it was closed, the directory is opened again by the names that led there, and must be the same.
    fn fd(&self) -> io::Result<Rc<OwnedFd>> {
        if let Some(fd) = &*self.0.fd.borrow() {
            return Ok(fd.clone());
        }
        // Those above that are closed as well, the nearest first.
        let mut closed = vec![self.clone()];
        while let Some(above) = closed.last().and_then(Self::holder)
            && above.0.fd.borrow().is_none()
        {
            closed.push(above);
        }
        let mut last = None;
        for (at, directory) in closed.iter().enumerate().rev() {
            let place = directory.0.place.borrow().clone().ok_or_else(moved)?;
            let (fd, id) = place.open_again(directory.0.follows)?;
            if id != directory.0.id {
                return Err(moved());
            }
            let fd = Rc::new(fd);
            directory.0.fd.replace(Some(fd.clone()));
            // The one above was needed for this one only.
            if let Some(above) = closed.get(at + 1) {
                above.close();
            }
            last = Some(fd);
        }
        last.ok_or_else(moved)
    }

    fn holder(&self) -> Option<Self> {
        self.0.place.borrow().as_ref().and_then(|place| place.holder.clone())
    }

    /// Closes it for now.
    pub fn close(&self) {
        self.0.fd.replace(None);
    }

    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        self.0.fd.borrow().is_some()
    }

    /// Opens it again as what is above a directory, if that is so.
    pub(super) fn reopen_from(&self, below: &Self) {
        if self.0.fd.borrow().is_some() || below.0.follows {
            return;
        }
        let Some(below) = below.0.fd.borrow().clone() else { return };
        let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(fd) = openat(&below, "..", how, Mode::empty())
            && id_of(&fd).is_ok_and(|id| id == self.0.id)
        {
            self.0.fd.replace(Some(Rc::new(fd)));
        }
    }

    /// An entry of it.
    pub fn entry(&self, name: &OsStr) -> Place {
        Place { holder: Some(self.clone()), name: PathBuf::from(name) }
    }

    /// Are they the same directory?
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }

    /// Device and inode.
    pub fn id(&self) -> (u64, u64) {
        self.0.id
    }

    /// What the system knows of it.
    pub fn stat(&self) -> io::Result<FileStat> {
        Ok(FileStat::of_stat(&fstat(&*self.fd()?)?))
    }

    /// Is it what the path leads to now?
    pub fn is_at(&self, path: &Path) -> bool {
        rustix::fs::stat(path).is_ok_and(|stat| {
            let stat = FileStat::of_stat(&stat);
            (stat.device, stat.inode) == self.0.id
        })
    }

    /// A copy of the descriptor.
    pub fn file(&self) -> io::Result<File> {
        Ok(File::from(self.fd()?.try_clone()?))
    }

    /// All entries, in the directory's own order.
    pub fn list(&self) -> io::Result<Vec<Listed>> {
        let mut entries = Vec::new();
        self.each(|entry| {
            entries.push(entry);
            true
        })?;
        Ok(entries)
    }

    /// Has it no entries?
    pub fn is_empty(&self) -> io::Result<bool> {
        let mut is_empty = true;
        self.each(|_| {
            is_empty = false;
            false
        })?;
        Ok(is_empty)
    }

    fn each(&self, mut take: impl FnMut(Listed) -> bool) -> io::Result<()> {
        let fd = self.fd()?;
        for entry in rustix::fs::Dir::read_from(&*fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let listed = Listed {
                name: OsStr::from_bytes(name).to_owned(),
                kind: kind_of(entry.file_type()),
                inode: entry.ino(),
            };
            if !take(listed) {
                break;
            }
        }
        Ok(())
    }

    /// The entries in the order in which gnulib's `fts` gives them, the last one first. It sorts many of them by inode where it
    /// thinks that this helps: on all file systems but Lustre, NFS and tmpfs.
    pub fn list_as_fts(&self) -> io::Result<Vec<Listed>> {
        let mut entries = self.list()?;
        if entries.len() > INODE_SORT && !self.is_unsorted() {
            entries.sort_by_key(|entry| entry.inode);
        }
        entries.reverse();
        Ok(entries)
    }

    #[cfg(target_os = "linux")]
    fn is_unsorted(&self) -> bool {
        const UNSORTED: [i64; 3] = [0x0BD0_0BD0, 0x6969, 0x0102_1994];
        let of = |fd: Rc<OwnedFd>| rustix::fs::fstatfs(&*fd).map_err(io::Error::from);
        self.fd().and_then(of).is_ok_and(|fs| UNSORTED.iter().any(|kind| i128::from(fs.f_type) == i128::from(*kind)))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_unsorted(&self) -> bool {
        true
    }
}

/// Above so many entries GNU's sorts them.
const INODE_SORT: usize = 10_000;

impl Pinned {
    /// Changes owner and group, of a link itself; what is missing stays.
    pub fn set_owner(&self, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
        let (user, group) = (user.map(Uid::from_raw), group.map(Gid::from_raw));
        #[cfg(target_os = "linux")]
        {
            let Some(fd) = &self.fd else { return Err(moved()) };
            Ok(chownat(fd, "", user, group, AtFlags::EMPTY_PATH)?)
        }
        #[cfg(not(target_os = "linux"))]
        match &self.fd {
            Some(fd) => Ok(fchown(fd, user, group)?),
            None => self.place.call(|fd, name| chownat(fd, name, user, group, AtFlags::SYMLINK_NOFOLLOW)),
        }
    }

    /// Changes its mode.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        if self.stat.is_link() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let Some(fd) = &self.fd else { return Err(moved()) };
            // Such a descriptor cannot be changed itself; its name can.
            let name = format!("/proc/self/fd/{}", fd.as_raw_fd());
            match chmodat(CWD, name, mode_bits(mode), AtFlags::empty()) {
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                changed => return Ok(changed?),
            }
            // Without `/proc`: what can be opened.
            let how = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
            let opened = self.place.call(|fd, name| openat(fd, name, how, Mode::empty()))?;
            if id_of(&opened)? != (self.stat.device, self.stat.inode) {
                return Err(moved());
            }
            Ok(fchmod(&opened, mode_bits(mode))?)
        }
        #[cfg(not(target_os = "linux"))]
        match &self.fd {
            Some(fd) => Ok(fchmod(fd, mode_bits(mode))?),
            None => self.place.call(|fd, name| chmodat(fd, name, mode_bits(mode), AtFlags::SYMLINK_NOFOLLOW)),
        }
    }
}

/// Gives an open file owner and group, as far as that is permitted.
pub fn set_owner(file: &File, stat: &FileStat) {
    let (user, group) = ids_of(stat);
    if fchown(file, Some(user), Some(group)).is_err() {
        let _ = fchown(file, None, Some(group));
    }
}

/// Sets the mode of an open file.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fchmod(file, mode_bits(mode))?)
}

/// Sets the times of an open file to those of another.
pub fn set_times(file: &File, stat: &FileStat) -> io::Result<()> {
    Ok(futimens(file, &times_of(stat))?)
}

fn ids_of(stat: &FileStat) -> (Uid, Gid) {
    (Uid::from_raw(stat.uid), Gid::from_raw(stat.gid))
}

fn times_of(stat: &FileStat) -> Timestamps {
    let spec = |(seconds, nanos): (i64, u32)| Timespec { tv_sec: seconds, tv_nsec: nanos.into() };
    Timestamps { last_access: spec(stat.accessed), last_modification: spec(stat.modified) }
}

#[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation, reason = "the type differs between systems")]
fn mode_bits(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as rustix::fs::RawMode)
}

fn id_of(fd: &OwnedFd) -> io::Result<(u64, u64)> {
    let stat = FileStat::of_stat(&fstat(fd)?);
    Ok((stat.device, stat.inode))
}

fn kind_of(kind: rustix::fs::FileType) -> Option<u32> {
    use rustix::fs::FileType;

    use crate::file_stat::{BLOCK, CHARACTER, DIRECTORY, FIFO, LINK, REGULAR, SOCKET};
    Some(match kind {
        FileType::RegularFile => REGULAR,
        FileType::Directory => DIRECTORY,
        FileType::Symlink => LINK,
        FileType::Fifo => FIFO,
        FileType::Socket => SOCKET,
        FileType::CharacterDevice => CHARACTER,
        FileType::BlockDevice => BLOCK,
        FileType::Unknown => return None,
    })
}
