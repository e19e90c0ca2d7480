//! Removing a directory tree without recursion and without following a link.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use hookshell_files::file_stat::FileStat;
use hookshell_process::is_missing;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::quote;

use super::rm::{Asks, RmOptions};
use super::stat::kind_name;

/// How one entry is removed and reported.
pub(crate) struct Removal<'a> {
    pub(crate) running: &'a Running<'a>,
    pub(crate) options: RmOptions,
}

impl Removal<'_> {
    /// Removes one file or empty directory; says whether it is gone.
    pub(crate) fn one(&self, path: &Path, name: &[u8], metadata: &Metadata) -> Result<bool, Failure> {
        if !self.may_remove(path, name, metadata)? {
            return Ok(true);
        }
        let removed = if metadata.is_dir() { std::fs::remove_dir(path) } else { remove_file(path, metadata) };
        self.report(name, metadata.is_dir(), removed)
    }

    /// Reports a removal; says whether the entry is gone.
    fn report(&self, name: &[u8], is_dir: bool, removed: io::Result<()>) -> Result<bool, Failure> {
        match removed {
            Ok(()) => {
                if self.options.verbose {
                    let what: &[u8] = if is_dir { b"removed directory " } else { b"removed " };
                    self.running.write(&[what, &quote::always(name), b"\n"].concat())?;
                }
                Ok(true)
            }
            Err(error) if self.options.force && is_missing(&error) => Ok(true),
            Err(error) => {
                self.running.report_error_of("cannot remove", name, &error)?;
                Ok(false)
            }
        }
    }

    fn may_remove(&self, path: &Path, name: &[u8], metadata: &Metadata) -> Result<bool, Failure> {
        let stat = FileStat::of(metadata);
        self.may("remove", kind_name(&stat), name, || stat.is_link() || is_writable(path))
    }

    /// Asks, where that is to be asked for; `is_writable`: the entry is not write-protected.
    fn may(&self, verb: &str, kind: &str, name: &[u8], is_writable: impl FnOnce() -> bool) -> Result<bool, Failure> {
        let at_terminal = || self.running.context().stdin().is_some_and(|stdin| stdin.is_terminal());
        let asks = match self.options.asks {
            Asks::Never => return Ok(true),
            Asks::Always => true,
            Asks::Protected if !at_terminal() => return Ok(true),
            Asks::Protected => false,
        };
        let protected = match is_writable() {
            true if !asks => return Ok(true),
            true => "",
            false => "write-protected ",
        };
        let question = [format!("{verb} {protected}{kind} ").as_bytes(), &quote::always(name), b"? "].concat();
        self.running.ask(&question)
    }
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.permissions().readonly())
}

#[cfg(unix)]
fn remove_file(path: &Path, _: &Metadata) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// A link to a directory is a directory to Windows.
#[cfg(not(unix))]
fn remove_file(path: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.is_symlink() {
        std::fs::remove_file(path).or_else(|_| std::fs::remove_dir(path))
    } else {
        std::fs::remove_file(path)
    }
}

#[cfg(unix)]
pub(crate) use unix::remove_tree;

/// What stands between a directory's name and an entry's: nothing where the directory is named with its slash.
fn separator(shown: &[u8]) -> &'static [u8] {
    if shown.ends_with(b"/") { b"" } else { b"/" }
}

#[cfg(unix)]
mod unix {
    use std::ffi::CString;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat, unlinkat};

    use super::{Failure, Path, Removal, RmOptions, Running, io, quote, separator};

    /// How many directories are held open at once; deeper ones reopen their parents as `..` and compare.
    const OPEN_LIMIT: usize = 32;

    struct Frame {
        /// The directory; closed while we are far below it.
        fd: Option<OwnedFd>,
        id: (u64, u64),
        /// Its name in the directory above.
        name: CString,
        /// The length of the whole name that leads to it, for messages.
        shown_len: usize,
        entries: Vec<CString>,
        /// All below is gone. What is not has been reported: that a directory is not empty says no more.
        complete: bool,
        /// A directory in it is to stay, and so it does itself. (After a file that is to stay, GNU's asks all the same.)
        kept: bool,
        /// It was asked for that it goes.
        asked: bool,
    }

    impl Frame {
        /// What is asked; an empty directory is asked for once.
        fn verb(&self) -> &'static str {
            if self.entries.is_empty() { "remove" } else { "descend into" }
        }
    }

    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// Removes the directory at `path` and all below it; says whether all is gone. Each step is relative to an open
    /// directory and follows no link, so that nobody can lead it elsewhere meanwhile.
    pub(crate) fn remove_tree(
        running: &Running<'_>,
        path: &Path,
        name: &[u8],
        options: RmOptions,
    ) -> Result<bool, Failure> {
        let removal = Removal { running, options };
        let Ok(top) = CString::new(path.as_os_str().as_bytes()) else {
            return removal.report(name, true, Err(io::ErrorKind::NotFound.into()));
        };
        let mut shown = name.to_vec();
        let device = options.one_file_system.then(|| statat(CWD, &*top, AtFlags::SYMLINK_NOFOLLOW).ok()).flatten();
        let device = device.map(|stat| stat.st_dev);
        let opened = openat(CWD, &*top, DIRECTORY, Mode::empty()).map_err(io::Error::from);
        let mut stack = match opened.and_then(|fd| frame(fd, top.clone(), shown.len())) {
            Ok(frame) => vec![frame],
            Err(error) => {
                // An empty directory that may not be read can still be removed.
                return match std::fs::remove_dir(path) {
                    Ok(()) => removal.report(name, true, Ok(())),
                    Err(_) => removal.report(name, true, Err(error)),
                };
            }
        };
        if let Some(frame) = stack.first_mut() {
            if !removal.may(frame.verb(), "directory", name, || super::is_writable(path))? {
                return Ok(true);
            }
            frame.asked = frame.entries.is_empty();
        }
        loop {
            running.check()?;
            let Some(frame) = stack.last_mut() else {
                return Ok(true);
            };
            shown.truncate(frame.shown_len);
            let Some(entry) = frame.entries.pop() else {
                match removal.leave(&mut stack, path, &shown)? {
                    Some(is_gone) => return Ok(is_gone),
                    None => continue,
                }
            };
            shown.extend_from_slice(separator(&shown));
            shown.extend_from_slice(entry.as_bytes());
            let Some(fd) = &frame.fd else {
                return removal.report(&shown, false, Err(io::ErrorKind::NotFound.into()));
            };
            let stat = statat(fd, &*entry, AtFlags::SYMLINK_NOFOLLOW);
            let is_dir = stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
            if !is_dir {
                removal.remove_entry(frame, stat.as_ref().ok(), &entry, &shown)?;
            } else if device.is_some_and(|device| stat.is_ok_and(|stat| stat.st_dev != device)) {
                let text = [&b"skipping "[..], &quote::always(&shown), b", since it's on a different device"].concat();
                running.message(&text)?;
                frame.complete = false;
            } else {
                let opened = openat(fd, &*entry, DIRECTORY, Mode::empty()).map_err(io::Error::from);
                match opened.and_then(|fd| self::frame(fd, entry.clone(), shown.len())) {
                    Ok(child) => removal.enter(&mut stack, child, &shown)?,
                    Err(error) => {
                        // One that is empty can be removed all the same.
                        let removed = unlink(frame, &entry, AtFlags::REMOVEDIR).map_err(|_| error);
                        frame.complete &= removal.report(&shown, true, removed)?;
                    }
                }
            }
        }
    }

    impl Removal<'_> {
        /// All entries of the innermost directory have been looked at: removes it. Whether all is gone, where it was the last one.
        fn leave(&self, stack: &mut Vec<Frame>, path: &Path, shown: &[u8]) -> Result<Option<bool>, Failure> {
            let Some(done) = stack.pop() else {
                return Ok(Some(true));
            };
            let reopened = stack.last_mut().map_or(Ok(()), |parent| reopen(parent, &done));
            if let Err(error) = reopened {
                self.report(shown, true, Err(error))?;
                return Ok(Some(false));
            }
            let is_writable = || match stack.last().and_then(|parent| parent.fd.as_ref()) {
                Some(fd) => is_writable(fd, &done.name),
                None => super::is_writable(path),
            };
            let may = || self.may("remove", "directory", shown, is_writable);
            let stays = !done.complete || done.kept || !done.asked && !may()?;
            let Some(parent) = stack.last_mut() else {
                return match stays {
                    true => Ok(Some(done.complete)),
                    false => self.report(shown, true, std::fs::remove_dir(path)).map(Some),
                };
            };
            if stays {
                (parent.kept, parent.complete) = (true, parent.complete && done.complete);
            } else {
                let removed = unlink(parent, &done.name, AtFlags::REMOVEDIR);
                parent.complete &= self.report(shown, true, removed)?;
            }
            Ok(None)
        }

        /// Removes an entry that is no directory, or of which nothing is known.
        fn remove_entry(
            &self,
            frame: &mut Frame,
            stat: Option<&Stat>,
            entry: &CString,
            shown: &[u8],
        ) -> Result<(), Failure> {
            let kind = stat.map_or("file", kind_of);
            let is_link = stat.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
            let is_writable = || is_link || frame.fd.as_ref().is_some_and(|fd| is_writable(fd, entry));
            if self.may("remove", kind, shown, is_writable)? {
                let removed = unlink(frame, entry, AtFlags::empty());
                frame.complete &= self.report(shown, false, removed)?;
            }
            Ok(())
        }

        /// Its entries are next, where it may be entered.
        fn enter(&self, stack: &mut Vec<Frame>, mut child: Frame, shown: &[u8]) -> Result<(), Failure> {
            if let Some(parent) = stack.last_mut() {
                let is_writable = || parent.fd.as_ref().is_some_and(|fd| is_writable(fd, &child.name));
                if !self.may(child.verb(), "directory", shown, is_writable)? {
                    parent.kept = true;
                    return Ok(());
                }
            }
            child.asked = child.entries.is_empty();
            if let Some(far) = stack.len().checked_sub(OPEN_LIMIT)
                && let Some(frame) = stack.get_mut(far)
            {
                frame.fd = None;
            }
            stack.push(child);
            Ok(())
        }
    }

    fn frame(fd: OwnedFd, name: CString, shown_len: usize) -> io::Result<Frame> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&fd)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                entries.push(entry.file_name().to_owned());
            }
        }
        // They go in the order in which they are read.
        entries.reverse();
        let id = id_of(&fd)?;
        Ok(Frame { fd: Some(fd), id, name, shown_len, entries, complete: true, kept: false, asked: false })
    }

    /// Opens a closed parent again by way of its child, if it still is where it was.
    fn reopen(parent: &mut Frame, child: &Frame) -> io::Result<()> {
        if parent.fd.is_some() {
            return Ok(());
        }
        let Some(below) = &child.fd else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let fd = openat(below, "..", DIRECTORY, Mode::empty())?;
        if id_of(&fd)? != parent.id {
            return Err(io::Error::other("the directory was moved meanwhile"));
        }
        parent.fd = Some(fd);
        Ok(())
    }

    fn id_of(fd: &OwnedFd) -> io::Result<(u64, u64)> {
        let stat = fstat(fd)?;
        #[allow(
            clippy::useless_conversion,
            clippy::unnecessary_cast,
            reason = "the fields' types differ between systems"
        )]
        Ok((stat.st_dev as u64, stat.st_ino as u64))
    }

    fn kind_of(stat: &Stat) -> &'static str {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if stat.st_size == 0 => "regular empty file",
            FileType::RegularFile => "regular file",
            FileType::Directory => "directory",
            FileType::Symlink => "symbolic link",
            FileType::Fifo => "fifo",
            FileType::Socket => "socket",
            FileType::CharacterDevice => "character special file",
            FileType::BlockDevice => "block special file",
            FileType::Unknown => "weird file",
        }
    }

    /// May the entry be written?
    fn is_writable(directory: &OwnedFd, name: &CString) -> bool {
        rustix::fs::accessat(directory, &**name, rustix::fs::Access::WRITE_OK, AtFlags::empty()).is_ok()
    }

    fn unlink(frame: &Frame, name: &CString, flags: AtFlags) -> io::Result<()> {
        match &frame.fd {
            Some(fd) => Ok(unlinkat(fd, &**name, flags)?),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Removes the directory at `path` and all below it; says whether all is gone.
#[cfg(not(unix))]
pub(crate) fn remove_tree(
    running: &Running<'_>,
    path: &Path,
    name: &[u8],
    options: RmOptions,
) -> Result<bool, Failure> {
    use hookshell_process::text;
    struct Frame {
        path: std::path::PathBuf,
        shown: Vec<u8>,
        entries: Vec<std::ffi::OsString>,
        /// All below is gone. What is not has been reported: that a directory is not empty says no more.
        complete: bool,
        /// A directory in it is to stay, and so it does itself. (After a file that is to stay, GNU's asks all the same.)
        kept: bool,
        /// It was asked for that it goes.
        asked: bool,
    }
    let removal = Removal { running, options };
    let open = |path: &Path, shown: Vec<u8>| -> io::Result<Frame> {
        let entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        Ok(Frame { path: path.to_owned(), shown, entries, complete: true, kept: false, asked: false })
    };
    let may_enter = |frame: &mut Frame| -> Result<bool, Failure> {
        frame.asked = frame.entries.is_empty();
        let verb = if frame.asked { "remove" } else { "descend into" };
        removal.may(verb, "directory", &frame.shown, || is_writable(&frame.path))
    };
    let mut stack = match open(path, name.to_vec()) {
        Ok(mut frame) => match may_enter(&mut frame)? {
            true => vec![frame],
            false => return Ok(true),
        },
        Err(error) => return removal.report(name, true, Err(error)),
    };
    loop {
        running.check()?;
        let Some(frame) = stack.last_mut() else {
            return Ok(true);
        };
        let Some(entry) = frame.entries.pop() else {
            let Some(done) = stack.pop() else {
                return Ok(true);
            };
            let may = || removal.may("remove", "directory", &done.shown, || is_writable(&done.path));
            if !done.complete || done.kept || !done.asked && !may()? {
                match stack.last_mut() {
                    None => return Ok(done.complete),
                    Some(parent) => (parent.kept, parent.complete) = (true, parent.complete && done.complete),
                }
                continue;
            }
            let gone = removal.report(&done.shown, true, std::fs::remove_dir(&done.path))?;
            match stack.last_mut() {
                None => return Ok(gone),
                Some(parent) => parent.complete &= gone,
            }
            continue;
        };
        let path = frame.path.join(&entry);
        let shown = [&frame.shown[..], separator(&frame.shown), &text::from_os(&entry)].concat();
        let metadata = path.symlink_metadata();
        // A link or junction to a directory is no directory here: it is removed and not entered.
        if metadata.as_ref().is_ok_and(|metadata| metadata.is_dir()) {
            match open(&path, shown.clone()) {
                Ok(mut child) => match may_enter(&mut child)? {
                    true => stack.push(child),
                    false => frame.kept = true,
                },
                Err(error) => frame.complete &= removal.report(&shown, true, Err(error))?,
            }
        } else {
            if let Ok(metadata) = &metadata
                && !removal.may_remove(&path, &shown, metadata)?
            {
                continue;
            }
            let removed = metadata.and_then(|metadata| remove_file(&path, &metadata));
            frame.complete &= removal.report(&shown, false, removed)?;
        }
    }
}
