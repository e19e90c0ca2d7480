//! Copying files and trees, for `cp`, and for `mv` from one file system to another.

mod existing;
mod file;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hookshell_files::at::{self, Dir, Listed, Place, Way};
use hookshell_files::attributes;
use hookshell_files::file_stat::FileStat;
use hookshell_process::text;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::quote;

pub(crate) use self::existing::{is_link_to, is_same_entry};
use super::backup::Backups;
use super::device::{copy_device, is_device, is_device_name};

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

/// One copy that is made: of what by which name, to where.
#[derive(Clone, Copy)]
struct Item<'i> {
    source: &'i [u8],
    destination: &'i [u8],
    from: &'i Place,
    to: &'i Place,
    /// The original's.
    stat: &'i FileStat,
    /// What is at the destination is to be replaced.
    exists: bool,
    /// What the file that is being replaced is called now.
    backup: Option<&'i [u8]>,
}

pub(crate) struct Copier<'r, 'a> {
    running: &'r Running<'a>,
    pub(crate) is_recursive: bool,
    /// Directories of other file systems than the operand's are copied without what is in them.
    pub(crate) one_file_system: bool,
    pub(crate) follow: Follow,
    pub(crate) preserve: Preserve,
    /// The modes of copies are those of new files, not the originals'.
    pub(crate) plain_modes: bool,
    /// The bytes of files are not copied; those of existing ones stay.
    pub(crate) attributes_only: bool,
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
    linked: HashMap<(u64, u64), Place>,
    /// What this call has made of operands.
    made: HashSet<PathBuf>,
    depth: usize,
    tree: Tree,
}

/// A directory that is being copied.
struct Frame {
    from: Dir,
    to: Dir,
    stat: FileStat,
    is_new: bool,
    /// The last one comes first.
    entries: Vec<Listed>,
    /// How much of the names is the directory's.
    lengths: (usize, usize),
    complete: bool,
}

/// How a copy ended.
enum Step {
    /// It is made, or is not to be: did all go well?
    Done(bool),
    /// It is a directory, whose entries are to be copied.
    Enter(Frame),
}

/// The directory that is an operand, and is copied now.
#[derive(Default)]
struct Tree {
    source: Vec<u8>,
    destination: Vec<u8>,
    /// The file system of the source.
    device: u64,
    /// The first directory that was made.
    first: Option<(u64, u64)>,
    /// That directory was met again: it lies in the source.
    holds_itself: bool,
}

impl<'r, 'a> Copier<'r, 'a> {
    pub(crate) fn new(running: &'r Running<'a>) -> Self {
        Self {
            running,
            is_recursive: false,
            one_file_system: false,
            follow: Follow::Always,
            preserve: Preserve::default(),
            plain_modes: false,
            attributes_only: false,
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

    fn report_failure(&self, doing: &str, name: &[u8], error: &io::Error) -> Result<bool, Failure> {
        self.running.report_error_of(doing, name, error)?;
        Ok(false)
    }

    /// Copies one operand; says whether all went well.
    pub(crate) fn copy(&mut self, source: &[u8], destination: &[u8]) -> Result<bool, Failure> {
        let (from, to) = (Place::at(self.running.path(source)), Place::at(self.running.path(destination)));
        self.depth = 0;
        let frame = match self.one(source, destination, &from, &to)? {
            Step::Done(complete) => return Ok(complete),
            Step::Enter(frame) => frame,
        };
        let (mut source, mut destination) = (source.to_vec(), destination.to_vec());
        let mut ways = (Way::default(), Way::default());
        let mut stack = Vec::new();
        let push = |stack: &mut Vec<Frame>, ways: &mut (Way, Way), frame: Frame| {
            ways.0.enter(frame.from.clone());
            ways.1.enter(frame.to.clone());
            stack.push(frame);
        };
        push(&mut stack, &mut ways, frame);
        loop {
            self.depth = stack.len();
            let Some(frame) = stack.last_mut() else { return Ok(false) };
            source.truncate(frame.lengths.0);
            destination.truncate(frame.lengths.1);
            let Some(entry) = frame.entries.pop().filter(|_| !self.tree.holds_itself) else {
                let Some(frame) = stack.pop() else { return Ok(false) };
                self.depth = stack.len();
                let finished =
                    self.finish_directory(&destination, (&frame.from, &frame.to), &frame.stat, frame.is_new)?;
                ways.0.leave();
                ways.1.leave();
                let complete = frame.complete && finished;
                match stack.last_mut() {
                    Some(above) => above.complete &= complete,
                    None => return Ok(complete),
                }
                continue;
            };
            let name = text::from_os(&entry.name);
            append(&mut source, &name);
            append(&mut destination, &name);
            let (from, to) = (frame.from.entry(&entry.name), frame.to.entry(&entry.name));
            match self.one(&source, &destination, &from, &to)? {
                Step::Done(complete) => frame.complete &= complete,
                Step::Enter(frame) => push(&mut stack, &mut ways, frame),
            }
        }
    }

    /// Copies a file; of a directory itself only.
    fn one(&mut self, source: &[u8], destination: &[u8], from: &Place, to: &Place) -> Result<Step, Failure> {
        self.running.check()?;
        if self.depth == 0
            && self.instead == Instead::Copy
            && (self.is_device(source) || is_device(self.running, destination))
        {
            if self.keeps && to.stat().is_ok() {
                return Ok(Step::Done(true));
            }
            if self.is_verbose {
                let line = [&quote::always(source)[..], b" -> ", &quote::always(destination), b"\n"].concat();
                self.running.write(&line)?;
            }
            return copy_device(self.running, source, destination).map(Step::Done);
        }
        let read = if source.is_empty() { Err(ErrorKind::NotFound.into()) } else { from.look(self.follows()) };
        let stat = match read {
            Ok(stat) => stat,
            Err(error) => return self.report_failure("cannot stat", source, &error).map(Step::Done),
        };
        if stat.is_dir() && !self.is_recursive {
            let text = [&b"-r not specified; omitting directory "[..], &quote::always(source)];
            return self.fail(&text).map(Step::Done);
        }
        // A copy is written through a link; a link replaces one, and a back-up is made of the link. A directory is not copied into
        // one to which a link leads.
        let existing = if destination.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if stat.is_link()
            || stat.is_dir()
            || self.backups.is_some()
            || self.removes
            || self.instead == Instead::Link
        {
            to.lstat()
        } else {
            to.stat().or_else(|error| match to.lstat() {
                // A link that leads in a circle cannot be opened: by force it is replaced.
                Ok(link) if self.force && error.kind() != ErrorKind::NotFound => Ok(link),
                _ => Err(error),
            })
        };
        let existing = match existing {
            Ok(existing) => Some(existing),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return self.report_failure("failed to access", destination, &error).map(Step::Done);
            }
            Err(error) => return self.report_failure("cannot stat", destination, &error).map(Step::Done),
        };
        let exists = existing.is_some();
        let item = Item { source, destination, from, to, stat: &stat, exists, backup: None };
        if let Some(found) = &existing {
            if let Some(result) = self.meets(item, found)? {
                return Ok(Step::Done(result));
            }
            if let Some(backups) = self.backups.as_ref().filter(|_| !found.is_dir()) {
                let backup = match backups.make(self.running, destination) {
                    Ok(name) => name,
                    Err(error) => return self.report_failure("cannot backup", destination, &error).map(Step::Done),
                };
                let done = self.make(Item { exists: false, backup: backup.as_deref(), ..item })?;
                if let (Step::Done(false), Some(backup)) = (&done, backup) {
                    super::backup::undo(self.running, &backup, destination, self.is_verbose)?;
                }
                return Ok(done);
            }
            if self.removes && !found.is_dir() {
                if let Err(error) = to.remove_file() {
                    return self.report_failure("cannot remove", destination, &error).map(Step::Done);
                }
                self.removed(destination)?;
                return self.make(Item { exists: false, ..item });
            }
        } else if !stat.is_dir() && !stat.is_link() && to.lstat().is_ok_and(|link| link.is_link()) {
            self.report(item)?;
            let text = [&b"not writing through dangling symlink "[..], &quote::always(destination)];
            return self.fail(&text).map(Step::Done);
        }
        self.make(item)
    }

    /// Nothing is in the way of the copy, or what `exists` is to be replaced.
    fn make(&mut self, item: Item<'_>) -> Result<Step, Failure> {
        if item.stat.is_dir() { self.directory(item) } else { self.other(item).map(Step::Done) }
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

    fn directory(&mut self, item: Item<'_>) -> Result<Step, Failure> {
        let Item { source, destination, from, to, stat, exists, .. } = item;
        if self.depth == 0 {
            let (source, destination) = (source.to_vec(), destination.to_vec());
            self.tree = Tree { source, destination, device: stat.device, ..Tree::default() };
        }
        // GNU's copies what it comes to before the directory that it made.
        let is_own = match stat.inode {
            0 => self.depth == 0 && is_inside(&to.path(), exists, &from.path()),
            inode => self.tree.first == Some((stat.device, inode)),
        };
        if is_own {
            self.tree.holds_itself = true;
            let text = [&b"cannot copy a directory, "[..], &quote::always(&self.tree.source), b", into itself, "];
            return self.fail(&[&text.concat(), &quote::always(&self.tree.destination)]).map(Step::Done);
        }
        // Whatever the mode, the copies have to get in.
        let mode = stat.mode & 0o7777;
        let during = if self.preserve.mode { mode } else { mode & !self.umask } | 0o700;
        // Nobody else until it has its owner.
        let first = if self.preserve.owner { during & 0o700 } else { during & 0o777 };
        if !exists {
            if let Err(error) = to.make_dir(first) {
                return self.report_failure("cannot create directory", destination, &error).map(Step::Done);
            }
            self.report(item)?;
        }
        // What was made or found is no link; what has become one meanwhile is not entered.
        let made = match to.open_dir(false) {
            Ok(made) => made,
            Err(error) => return self.report_failure("cannot access", destination, &error).map(Step::Done),
        };
        if !exists {
            if self.tree.first.is_none() {
                self.tree.first = made.stat().ok().map(|made| (made.device, made.inode));
            }
            // The host's umask may be such that we cannot get in ourselves.
            if made.stat().is_ok_and(|made| made.mode & 0o700 != 0o700) {
                let _ = made.file().and_then(|made| at::set_mode(&made, first));
            }
        }
        let opened = from.open_seen_dir(self.follows(), stat).and_then(|directory| Ok((directory.list()?, directory)));
        let (mut entries, from) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.report_failure("cannot access", source, &error).map(Step::Done),
        };
        if self.one_file_system && stat.device != self.tree.device {
            entries.clear();
        }
        // GNU's reads the files in this order.
        if cfg!(unix) {
            entries.sort_by_key(|entry| entry.inode);
        }
        entries.reverse();
        let lengths = (source.len(), destination.len());
        Ok(Step::Enter(Frame { from, to: made, stat: *stat, is_new: !exists, entries, lengths, complete: true }))
    }

    /// Gives a directory what the copy of one has of the original, once it has its files; says whether all went well.
    pub(super) fn finish_directory(
        &self,
        destination: &[u8],
        (from, to): (&Dir, &Dir),
        stat: &FileStat,
        is_new: bool,
    ) -> Result<bool, Failure> {
        let kept = self.preserve;
        if !(is_new || kept.owner || kept.attributes || kept.mode || kept.times) {
            return Ok(true);
        }
        let mode = stat.mode & 0o7777;
        let opened = from.file().and_then(|from| Ok((from, to.file()?)));
        let (from, to) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.report_failure("setting attributes for", destination, &error),
        };
        if kept.owner {
            at::set_owner(&to, stat);
        }
        if kept.attributes {
            attributes::copy(&from, &to);
        }
        if kept.mode {
            // The list first: without it the group's bits may say too much.
            attributes::copy_access(&from, &to);
            let _ = at::set_mode(&to, mode);
        } else if is_new {
            let mode = if self.plain_modes { 0o777 } else { mode };
            let _ = at::set_mode(&to, mode & !self.umask & 0o777);
        }
        if kept.times { self.set_times(destination, &to, stat) } else { Ok(true) }
    }

    fn set_times(&self, destination: &[u8], to: &File, stat: &FileStat) -> Result<bool, Failure> {
        match at::set_times(to, stat) {
            Ok(()) => Ok(true),
            Err(error) => self.report_failure("preserving times for", destination, &error),
        }
    }
}

/// A component more.
fn append(name: &mut Vec<u8>, component: &[u8]) {
    if !name.is_empty() && name.last() != Some(&b'/') {
        name.push(b'/');
    }
    name.extend_from_slice(component);
}

/// Would a copy be made in the directory that is copied?
fn is_inside(to: &Path, exists: bool, from: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let holder = if exists { real(to) } else { to.parent().and_then(real) };
    matches!((holder, real(from)), (Some(holder), Some(from)) if holder.starts_with(&from))
}
