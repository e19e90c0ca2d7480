//! Copying files and trees, for `cp`, and for `mv` from one file system to another.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use hookshell_process::{Opening, text};

use super::attributes;
use super::backup::Backups;
use super::device::{copy_device, is_device, is_device_name};
use super::stat_of::FileStat;
use super::target::join;
use crate::io::{Failure, Running};
use crate::quote;

/// Which symbolic links are copied as what they lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    Always,
    /// Those that are operands.
    Operands,
    Never,
}

/// What is made of a file that is no directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instead {
    Copy,
    /// A hard link.
    Link,
    /// A symbolic link.
    Symlink,
}

/// What a copy has of the original besides the content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Preserve {
    pub(crate) mode: bool,
    pub(crate) owner: bool,
    pub(crate) times: bool,
    /// Hard links among the copies.
    pub(crate) links: bool,
    /// Extended attributes.
    pub(crate) attributes: bool,
}

/// Directories nest at most so deep here.
const DEEPEST: usize = 512;

/// How much is copied between two looks at the cancel token.
const BLOCK: usize = 256 * 1024;

/// One copy that is made: of what by which name, to where.
#[derive(Clone, Copy)]
struct Item<'i> {
    source: &'i [u8],
    destination: &'i [u8],
    from: &'i Path,
    to: &'i Path,
    /// The original's.
    metadata: &'i Metadata,
    /// What is at the destination is to be replaced.
    exists: bool,
    /// What the file that is being replaced is called now.
    backup: Option<&'i [u8]>,
}

pub(crate) struct Copier<'r, 'a> {
    running: &'r Running<'a>,
    pub(crate) is_recursive: bool,
    pub(crate) follow: Follow,
    pub(crate) preserve: Preserve,
    /// The modes of copies are those of new files, not the originals'.
    pub(crate) plain_modes: bool,
    /// An existing file is removed, not written to.
    pub(crate) removes: bool,
    pub(crate) instead: Instead,
    /// A file that cannot be opened is removed first.
    pub(crate) force: bool,
    /// Asks before an existing file is replaced.
    pub(crate) asks: bool,
    /// Existing files stay.
    pub(crate) keeps: bool,
    /// Existing files that are as new stay.
    pub(crate) updates: bool,
    pub(crate) is_verbose: bool,
    /// Existing files are renamed.
    pub(crate) backups: Option<Backups>,
    umask: u32,
    /// The copies of files with several links.
    linked: HashMap<(u64, u64), PathBuf>,
    /// What this call has made of operands.
    made: HashSet<PathBuf>,
    depth: usize,
    tree: Tree,
}

/// The folder that is an operand, and is copied now.
#[derive(Default)]
struct Tree {
    source: Vec<u8>,
    destination: Vec<u8>,
    /// The first folder that was made.
    first: Option<(u64, u64)>,
    /// That folder was met again: it lies in the source.
    holds_itself: bool,
}

impl<'r, 'a> Copier<'r, 'a> {
    pub(crate) fn new(running: &'r Running<'a>) -> Self {
        Self {
            running,
            is_recursive: false,
            follow: Follow::Always,
            preserve: Preserve::default(),
            plain_modes: false,
            removes: false,
            instead: Instead::Copy,
            force: false,
            asks: false,
            keeps: false,
            updates: false,
            is_verbose: false,
            backups: None,
            umask: running.context().umask.or_else(hookshell_process::system::host_umask).unwrap_or(0o022),
            linked: HashMap::new(),
            made: HashSet::new(),
            depth: 0,
            tree: Tree::default(),
        }
    }

    /// Is a link that is copied now taken for what it leads to?
    fn follows(&self) -> bool {
        match self.follow {
            Follow::Always => true,
            Follow::Operands => self.depth == 0,
            Follow::Never => false,
        }
    }

    /// Is the source one that is read as a stream? A link that is copied is none.
    fn is_device(&self, source: &[u8]) -> bool {
        if self.follows() { is_device(self.running, source) } else { is_device_name(source) }
    }

    fn fail(&self, parts: &[&[u8]]) -> Result<bool, Failure> {
        self.running.message(&parts.concat())?;
        Ok(false)
    }

    fn failed_to(&self, doing: &str, name: &[u8], error: &io::Error) -> Result<bool, Failure> {
        self.running.failed_to(doing, name, error)?;
        Ok(false)
    }

    /// Copies one operand; says whether all went well.
    pub(crate) fn copy(&mut self, source: &[u8], destination: &[u8]) -> Result<bool, Failure> {
        self.running.check()?;
        let from = self.running.path(source);
        let to = self.running.path(destination);
        if self.instead == Instead::Copy && (self.is_device(source) || is_device(self.running, destination)) {
            if self.keeps && to.exists() {
                return Ok(true);
            }
            if self.is_verbose {
                let line = [&quote::always(source)[..], b" -> ", &quote::always(destination), b"\n"].concat();
                self.running.write(&line)?;
            }
            return copy_device(self.running, source, destination);
        }
        let read = if source.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if self.follows() {
            from.metadata()
        } else {
            from.symlink_metadata()
        };
        let metadata = match read {
            Ok(metadata) => metadata,
            Err(error) => return self.failed_to("cannot stat", source, &error),
        };
        if metadata.is_dir() && !self.is_recursive {
            return self.fail(&[b"-r not specified; omitting directory ", &quote::always(source)]);
        }
        // A copy is written through a link; a link replaces one, and a back-up is made of the link.
        let is_directory = metadata.is_dir() && self.backups.is_some();
        let existing = if destination.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if metadata.is_symlink()
            || self.backups.is_some()
            || (self.removes || self.instead == Instead::Link) && !metadata.is_dir()
        {
            to.symlink_metadata()
                .and_then(|link| if link.is_symlink() && is_directory { to.metadata() } else { Ok(link) })
        } else {
            to.metadata().or_else(|error| match to.symlink_metadata() {
                Ok(link) if metadata.is_dir() => Ok(link),
                // A link that leads in a circle cannot be opened: by force it is replaced.
                Ok(link) if self.force && error.kind() != ErrorKind::NotFound => Ok(link),
                _ => Err(error),
            })
        };
        let existing = match existing {
            Ok(existing) => Some(existing),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return self.failed_to("failed to access", destination, &error);
            }
            Err(error) => return self.failed_to("cannot stat", destination, &error),
        };
        let exists = existing.is_some();
        let item = Item { source, destination, from: &from, to: &to, metadata: &metadata, exists, backup: None };
        if let Some(found) = &existing {
            if let Some(result) = self.meets(item, found)? {
                return Ok(result);
            }
            if let Some(backups) = self.backups.as_ref().filter(|_| !found.is_dir()) {
                let backup = match backups.make(self.running, destination) {
                    Ok(name) => name,
                    Err(error) => return self.failed_to("cannot backup", destination, &error),
                };
                let done = self.make(Item { exists: false, backup: backup.as_deref(), ..item })?;
                if let (false, Some(backup)) = (done, backup) {
                    super::backup::undo(self.running, &backup, destination, self.is_verbose)?;
                }
                return Ok(done);
            }
            if self.removes && !found.is_dir() {
                if let Err(error) = fs::remove_file(&to) {
                    return self.failed_to("cannot remove", destination, &error);
                }
                self.removed(destination)?;
                return self.make(Item { exists: false, ..item });
            }
        } else if !metadata.is_dir() && !metadata.is_symlink() && to.is_symlink() {
            self.report(item)?;
            return self.fail(&[b"not writing through dangling symlink ", &quote::always(destination)]);
        }
        self.make(item)
    }

    /// Nothing is in the way of the copy, or what `exists` is to be replaced.
    fn make(&mut self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { destination, to, metadata, .. } = item;
        if metadata.is_dir() {
            return self.directory(item);
        }
        if self.instead != Instead::Copy {
            return self.other_link(item);
        }
        let stat = FileStat::of(metadata);
        if self.preserve.links && stat.links > 1 && stat.inode != 0 {
            if let Some(first) = self.linked.get(&(stat.device, stat.inode)) {
                if item.exists {
                    let _ = fs::remove_file(to);
                }
                if let Err(error) = fs::hard_link(first, to) {
                    return self.failed_to("cannot create hard link", destination, &error);
                }
                self.report(item)?;
                return Ok(true);
            }
            self.linked.insert((stat.device, stat.inode), to.to_path_buf());
        }
        self.report(item)?;
        // What is in folders may be written over by that of another operand.
        if self.depth == 0 {
            self.made.insert(to.to_path_buf());
        }
        if metadata.is_symlink() {
            return self.link(item);
        }
        if is_fifo(metadata) && self.is_recursive {
            return match hookshell_process::make_fifo(to, stat.mode & 0o777 & !self.umask) {
                Ok(()) => Ok(true),
                Err(error) => self.failed_to("cannot create fifo", destination, &error),
            };
        }
        self.file(item)
    }

    /// `-l` and `-s`: a link instead of a copy.
    fn other_link(&mut self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, exists, .. } = item;
        let is_symbolic = self.instead == Instead::Symlink;
        // Elsewhere a relative name would lead elsewhere.
        self.report(item)?;
        let is_here = || {
            let holder = to.parent().and_then(|holder| holder.canonicalize().ok());
            // What is said where there is no such folder comes later.
            holder.is_none() || holder == self.running.context().cwd.canonicalize().ok()
        };
        if is_symbolic && source.first() != Some(&b'/') && !is_here() {
            return self.fail(&[
                &quote::if_needed(destination),
                b": can make relative symbolic links only in current directory",
            ]);
        }
        if exists && self.force {
            let _ = fs::remove_file(to);
        }
        let made = if is_symbolic {
            super::ln::symlink(source, to)
        } else {
            let real = if self.follows() { from.canonicalize() } else { Ok(from.to_path_buf()) };
            real.and_then(|real| fs::hard_link(real, to))
        };
        if let Err(error) = made {
            let what: &[u8] = if is_symbolic { b"cannot create symbolic link " } else { b"cannot create hard link " };
            let between: &[u8] = b" to ";
            let name = [what, &quote::always(destination), between, &quote::always(source)].concat();
            self.running.failed(&name, &error)?;
            return Ok(false);
        }
        if self.depth == 0 {
            self.made.insert(to.to_path_buf());
        }
        Ok(true)
    }

    /// The destination exists. `Some`: that is the end of it.
    fn meets(&self, item: Item<'_>, existing: &Metadata) -> Result<Option<bool>, Failure> {
        let Item { source, destination, from, to, metadata, .. } = item;
        let is_same = {
            let (a, b) = (FileStat::of(metadata), FileStat::of(existing));
            if a.inode == 0 {
                from.canonicalize().ok().is_some_and(|from| to.canonicalize().is_ok_and(|to| to == from))
            } else {
                (a.device, a.inode) == (b.device, b.inode)
            }
        };
        if metadata.is_dir() {
            if !existing.is_dir() {
                return self
                    .fail(&[
                        b"cannot overwrite non-directory ",
                        &quote::always(destination),
                        b" with directory ",
                        &quote::always(source),
                    ])
                    .map(Some);
            }
            if is_same {
                return self
                    .fail(&[&quote::always(source), b" and ", &quote::always(destination), b" are the same file"])
                    .map(Some);
            }
            return Ok(None);
        }
        // A link to the file itself is in the way as any other file.
        let is_own_link = self.instead == Instead::Symlink && to.is_symlink();
        if let Some(backups) = &self.backups
            && !existing.is_dir()
            && backups.destroys(source, destination)
            && is_there(self.running, backups, source, destination)
        {
            let text = [&b"backing up "[..], &quote::always(destination), b" might destroy source;  "];
            return self.fail(&[&text.concat(), &quote::always(source), b" not copied"]).map(Some);
        }
        // A copy of the link would lead to itself then, and the file be lost.
        let is_same =
            is_same || !self.follows() && self.backups.is_none() && is_link_to(from, metadata, to, existing, false);
        // Renamed, the file would no longer be where a link that is followed leads.
        let is_through_link = self.follows() && from.is_symlink() && !to.is_symlink();
        let is_spared = self.backups.is_some() && !is_through_link && !is_same_entry(from, to);
        if is_same && !is_own_link && !is_spared {
            if self.keeps || self.instead == Instead::Link {
                return Ok(Some(true));
            }
            return self
                .fail(&[&quote::always(source), b" and ", &quote::always(destination), b" are the same file"])
                .map(Some);
        }
        if self.keeps {
            return Ok(Some(true));
        }
        if self.updates && FileStat::of(existing).modified >= FileStat::of(metadata).modified {
            return Ok(Some(true));
        }
        if self.asks && !self.may_replace(destination, to, existing)? {
            return Ok(Some(true));
        }
        if existing.is_dir() {
            return self
                .fail(&[b"cannot overwrite directory ", &quote::always(destination), b" with non-directory"])
                .map(Some);
        }
        if self.made.contains(to) && !self.backups.as_ref().is_some_and(Backups::keeps_all) {
            return self
                .fail(&[
                    b"will not overwrite just-created ",
                    &quote::always(destination),
                    b" with ",
                    &quote::always(source),
                ])
                .map(Some);
        }
        Ok(None)
    }

    /// `-i`
    fn may_replace(&self, destination: &[u8], to: &Path, existing: &Metadata) -> Result<bool, Failure> {
        use hookshell_process::system::{Access, access};
        let stat = FileStat::of(existing);
        if existing.is_symlink() || access(to, Access::Write) {
            return self.running.ask(&[&b"overwrite "[..], &quote::always(destination), b"? "].concat());
        }
        let mode = stat.mode_text();
        let overriding = format!(", overriding mode {:04o} (", stat.mode & 0o7777);
        let name = quote::always(destination);
        // With `-f` the file is removed first.
        let verb: &[u8] = if self.force { b"replace " } else { b"unwritable " };
        let question = if self.force {
            [verb, &name, overriding.as_bytes(), mode.get(1..).unwrap_or_default(), b")? "].concat()
        } else {
            let middle = format!(" (mode {:04o}, ", stat.mode & 0o7777);
            [verb, &name, middle.as_bytes(), mode.get(1..).unwrap_or_default(), b"); try anyway? "].concat()
        };
        self.running.ask(&question)
    }

    /// Tells with `-v` of a file that was in the way.
    fn removed(&self, destination: &[u8]) -> Result<(), Failure> {
        match self.is_verbose {
            true => Ok(self.running.write(&[&b"removed "[..], &quote::always(destination), b"\n"].concat())?),
            false => Ok(()),
        }
    }

    fn report(&self, item: Item<'_>) -> Result<(), Failure> {
        if self.is_verbose {
            let backup = item.backup.map(|name| [b" (backup: ", &quote::always(name)[..], b")"].concat());
            let backup = backup.unwrap_or_default();
            let (source, destination) = (quote::always(item.source), quote::always(item.destination));
            self.running.write(&[&source[..], b" -> ", &destination, &backup, b"\n"].concat())?;
        }
        Ok(())
    }

    fn directory(&mut self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, metadata, exists, .. } = item;
        let stat = FileStat::of(metadata);
        if self.depth == 0 {
            self.tree = Tree { source: source.to_vec(), destination: destination.to_vec(), ..Tree::default() };
        }
        // GNU's copies what it comes to before the folder that it made.
        let is_own = match stat.inode {
            0 => self.depth == 0 && is_inside(to, exists, from),
            inode => self.tree.first == Some((stat.device, inode)),
        };
        if is_own {
            self.tree.holds_itself = true;
            let text = [&b"cannot copy a directory, "[..], &quote::always(&self.tree.source), b", into itself, "];
            return self.fail(&[&text.concat(), &quote::always(&self.tree.destination)]);
        }
        if self.depth >= DEEPEST {
            return self.failed_to("cannot access", source, &ErrorKind::InvalidFilename.into());
        }
        if !exists {
            if let Err(error) = fs::create_dir(to) {
                return self.failed_to("cannot create directory", destination, &error);
            }
            self.report(item)?;
            if self.tree.first.is_none() {
                self.tree.first =
                    to.metadata().ok().map(|made| FileStat::of(&made)).map(|made| (made.device, made.inode));
            }
        }
        let mode = stat.mode & 0o7777;
        // Whatever the mode, the copies have to get in.
        let during = if self.preserve.mode { mode } else { mode & !self.umask } | 0o700;
        if !exists {
            let _ = set_mode(to, during);
        }
        let entries = match fs::read_dir(from).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(mut entries) => {
                sort_by_inode(&mut entries);
                entries
            }
            Err(error) => return self.failed_to("cannot access", source, &error),
        };
        let mut complete = true;
        self.depth += 1;
        for entry in entries {
            let name = entry.file_name();
            let name = text::from_os(&name);
            complete &= self.copy(&join(source, &name), &join(destination, &name))?;
            if self.tree.holds_itself {
                break;
            }
        }
        self.depth -= 1;
        complete &= self.finish_directory(destination, (from, to), metadata, !exists)?;
        Ok(complete)
    }

    /// Gives a folder what the copy of one has of the original, once it has its files; says whether all went well.
    pub(super) fn finish_directory(
        &self,
        destination: &[u8],
        (from, to): (&Path, &Path),
        metadata: &Metadata,
        is_new: bool,
    ) -> Result<bool, Failure> {
        let mode = FileStat::of(metadata).mode & 0o7777;
        if self.preserve.owner {
            set_owner(to, metadata);
        }
        if self.preserve.attributes {
            attributes::copy(from, to);
        }
        if self.preserve.mode {
            let _ = set_mode(to, mode);
            attributes::copy_access(from, to);
        } else if is_new {
            let mode = if self.plain_modes { 0o777 } else { mode };
            let _ = set_mode(to, mode & !self.umask & 0o777);
        }
        if self.preserve.times { self.set_times(destination, to, metadata) } else { Ok(true) }
    }

    fn link(&self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, metadata, exists, .. } = item;
        let target = match fs::read_link(from) {
            Ok(target) => target,
            Err(error) => return self.failed_to("cannot read symbolic link", source, &error),
        };
        if exists && let Err(error) = fs::remove_file(to) {
            return self.failed_to("cannot remove", destination, &error);
        }
        if let Err(error) = super::ln::symlink(&text::from_path(&target), to) {
            return self.failed_to("cannot create symbolic link", destination, &error);
        }
        if self.preserve.owner {
            set_owner(to, metadata);
        }
        if self.preserve.times {
            set_link_times(to, metadata);
        }
        Ok(true)
    }

    fn file(&self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, metadata, exists, .. } = item;
        let mut input = match self.running.open_as(from, Opening::to_read()) {
            Ok(input) => input,
            Err(error) => {
                self.running
                    .failed(&[&b"cannot open "[..], &quote::always(source), b" for reading"].concat(), &error)?;
                return Ok(false);
            }
        };
        let mode = FileStat::of(metadata).mode & 0o7777;
        let wanted = match (self.preserve.mode, self.plain_modes) {
            (true, _) => mode,
            (false, false) => mode & 0o777 & !self.umask,
            (false, true) => 0o666 & !self.umask,
        };
        let mut created = !exists;
        let mut opened = if destination.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if destination.ends_with(b"/") && !exists {
            Err(ErrorKind::NotADirectory.into())
        } else if exists {
            self.running.open_as(to, Opening { truncate: true, ..Opening::to_write() })
        } else {
            create(to, wanted)
        };
        if exists && self.force && opened.is_err() && fs::remove_file(to).is_ok() {
            self.removed(destination)?;
            opened = create(to, wanted);
            created = true;
        }
        let mut output = match opened {
            Ok(output) => output,
            Err(error) => return self.failed_to("cannot create regular file", destination, &error),
        };
        let mut buffer = vec![0; BLOCK.min(usize::try_from(metadata.len()).unwrap_or(BLOCK).max(4096))];
        loop {
            self.running.check()?;
            match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    if let Err(error) = output.write_all(buffer.get(..count).unwrap_or_default()) {
                        return self.failed_to("error writing", destination, &error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.failed_to("error reading", source, &error),
            }
        }
        if self.preserve.owner {
            set_owner(to, metadata);
        }
        if self.preserve.attributes {
            attributes::copy(from, to);
        }
        if self.preserve.mode || created {
            let _ = set_mode(to, wanted);
        }
        if self.preserve.mode {
            attributes::copy_access(from, to);
        }
        if self.preserve.times {
            let times = times_of(metadata);
            if let Err(error) = output.set_times(times) {
                return self.failed_to("preserving times for", destination, &error);
            }
        }
        Ok(true)
    }

    fn set_times(&self, destination: &[u8], to: &Path, metadata: &Metadata) -> Result<bool, Failure> {
        match super::touch::open_directory(to).and_then(|file| file.set_times(times_of(metadata))) {
            Ok(()) => Ok(true),
            Err(error) => self.failed_to("preserving times for", destination, &error),
        }
    }
}

/// Would a copy be made in the folder that is copied?
fn is_inside(to: &Path, exists: bool, from: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let holder = if exists { real(to) } else { to.parent().and_then(real) };
    matches!((holder, real(from)), (Some(holder), Some(from)) if holder.starts_with(&from))
}

/// GNU's reads the files in this order.
#[cfg(unix)]
fn sort_by_inode(entries: &mut [fs::DirEntry]) {
    use std::os::unix::fs::DirEntryExt;
    entries.sort_by_key(DirEntryExt::ino);
}

#[cfg(not(unix))]
fn sort_by_inode(_: &mut [fs::DirEntry]) {}

fn times_of(metadata: &Metadata) -> FileTimes {
    let mut times = FileTimes::new();
    if let Ok(accessed) = metadata.accessed() {
        times = times.set_accessed(accessed);
    }
    if let Ok(modified) = metadata.modified() {
        times = times.set_modified(modified);
    }
    times
}

#[cfg(unix)]
fn create(path: &Path, mode: u32) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).create_new(true).mode(mode & 0o777 | 0o200).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _: u32) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

#[cfg(unix)]
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Of the mode there is the read-only attribute.
#[cfg(not(unix))]
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let metadata = path.metadata()?;
    let mut permissions = metadata.permissions();
    if metadata.is_dir() || permissions.readonly() == (mode & 0o200 == 0) {
        return Ok(());
    }
    permissions.set_readonly(mode & 0o200 == 0);
    fs::set_permissions(path, permissions)
}

/// As far as it is permitted.
#[cfg(unix)]
fn set_owner(path: &Path, metadata: &Metadata) {
    let stat = FileStat::of(metadata);
    if std::os::unix::fs::lchown(path, Some(stat.uid), Some(stat.gid)).is_err() {
        let _ = std::os::unix::fs::lchown(path, None, Some(stat.gid));
    }
}

#[cfg(not(unix))]
fn set_owner(_: &Path, _: &Metadata) {}

#[cfg(unix)]
fn set_link_times(path: &Path, metadata: &Metadata) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
    let stat = FileStat::of(metadata);
    let spec = |(seconds, nanos): (i64, u32)| Timespec { tv_sec: seconds, tv_nsec: nanos.into() };
    let times = Timestamps { last_access: spec(stat.accessed), last_modification: spec(stat.modified) };
    let _ = utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW);
}

#[cfg(not(unix))]
fn set_link_times(_: &Path, _: &Metadata) {}

#[cfg(unix)]
fn is_fifo(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_fifo(_: &Metadata) -> bool {
    false
}

/// The same entry of the same directory.
pub(crate) fn is_same_entry(a: &Path, b: &Path) -> bool {
    let parent =
        |path: &Path| path.parent().map(|parent| parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf()));
    (a.file_name() == b.file_name() || is_other_case(a, b)) && parent(a) == parent(b)
}

/// Is the source a link to the very file that it is to replace? With `moves` one that has other names may go, except where
/// the link leads to this name.
pub(crate) fn is_link_to(from: &Path, source: &Metadata, to: &Path, existing: &Metadata, moves: bool) -> bool {
    if !source.is_symlink() || existing.is_symlink() {
        return false;
    }
    let Ok(real) = from.canonicalize() else { return false };
    if is_same_entry(&real, to) {
        return true;
    }
    let existing = FileStat::of(existing);
    if existing.inode == 0 || moves && existing.links > 1 {
        return false;
    }
    let target = real.metadata().map(|target| FileStat::of(&target));
    target.is_ok_and(|target| (target.device, target.inode) == (existing.device, existing.inode))
}

/// Are the names one on this file system, which ignores case?
fn is_other_case(a: &Path, b: &Path) -> bool {
    let (Some(first), Some(second)) = (a.file_name(), b.file_name()) else { return false };
    let folded = |name: &OsStr| name.to_string_lossy().to_lowercase();
    if folded(first) != folded(second) || a.symlink_metadata().is_err() || b.symlink_metadata().is_err() {
        return false;
    }
    let Some(Ok(entries)) = a.parent().map(fs::read_dir) else { return false };
    // Where it does not, both are there.
    entries.flatten().filter(|entry| entry.file_name() == first || entry.file_name() == second).count() < 2
}

/// Is the name of the back-up that of the source in the same directory?
fn is_there(running: &Running<'_>, backups: &Backups, source: &[u8], destination: &[u8]) -> bool {
    is_same_entry(&running.path(&backups.name(running, destination)), &running.path(source))
}
