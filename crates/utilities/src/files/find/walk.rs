//! Walking the trees.

use std::cell::OnceCell;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use hookshell_process::{is_missing, system, text};
use hookshell_shell::Stream;

use super::super::stat_of::{DIRECTORY, FileStat, LINK};
use super::Follow;
use super::execute::Executor;
use super::expression::{Expression, Node, Test, Where};
use super::list;
use super::test::holds;
use crate::io::{Failure, Running, reason};
use crate::output::Output;
use crate::quote;
use crate::system::date::{Zone, since_epoch};
use crate::text::output::Output as FileOutput;

/// A file that was come across.
pub(super) struct Entry {
    /// Its name as it is printed.
    pub(super) shown: Vec<u8>,
    /// How much of that is the operand.
    pub(super) start_length: usize,
    pub(super) path: PathBuf,
    pub(super) depth: usize,
    /// As the folder has it.
    kind: Option<u32>,
    stat: OnceCell<Option<FileStat>>,
    follows: bool,
}

/// A folder that is being walked.
struct Frame {
    entry: Entry,
    /// In reverse.
    entries: Vec<std::fs::DirEntry>,
}

/// Above so many entries GNU's sorts them by inode (gnulib's `fts`).
const INODE_SORT: usize = 10_000;

pub(super) struct Walk<'r, 'a> {
    running: &'r Running<'a>,
    expression: &'r Expression<'r>,
    follow: Follow,
    output: Output<'r, 'a>,
    /// The files of `-fprint` and its like.
    files: Vec<FileOutput<'r, 'a>>,
    executor: Executor<'r, 'a>,
    zone: Zone,
    now: (i64, u32),
    status: u8,
    has_quit: bool,
    /// The entry's folder is not entered.
    prunes: bool,
    /// Control characters are not for a terminal.
    at_terminal: bool,
    /// Of the operand.
    device: u64,
}

impl<'r, 'a> Walk<'r, 'a> {
    pub(super) fn new(
        running: &'r Running<'a>,
        expression: &'r Expression<'r>,
        follow: Follow,
        zone: Zone,
        files: &[Arc<Stream>],
    ) -> Self {
        Self {
            running,
            expression,
            follow,
            output: Output::new(running),
            files: files.iter().map(|file| FileOutput::to(running, file.clone())).collect(),
            executor: Executor::new(running, &expression.executions),
            zone,
            now: since_epoch(SystemTime::now()),
            status: 0,
            has_quit: false,
            prunes: false,
            at_terminal: running.context().stdout().is_some_and(|stdout| stdout.is_terminal()),
            device: 0,
        }
    }

    pub(super) fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// The end: runs what was collected.
    pub(super) fn finish(mut self) -> Result<u8, Failure> {
        self.flush()?;
        if self.executor.finish()? {
            self.status = 1;
        }
        Ok(self.status)
    }

    /// Writes what was collected, everywhere.
    fn flush(&mut self) -> Result<(), Failure> {
        self.output.flush()?;
        self.files.iter_mut().try_for_each(FileOutput::flush)
    }

    /// Writes to a file of the expression's, or to standard output.
    fn put(&mut self, data: &[u8], place: Where) -> Result<(), Failure> {
        match place.and_then(|at| self.files.get_mut(at)) {
            None => self.output.write(data),
            Some(file) => {
                file.push(data)?;
                // Standard error has no buffer.
                let is_stderr = place.and_then(|at| self.expression.files.get(at)) == Some(&&b"/dev/stderr"[..]);
                if is_stderr { file.flush() } else { Ok(()) }
            }
        }
    }

    /// `find: ‘NAME’: REASON`
    fn complain(&mut self, name: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.status = 1;
        self.output.flush()?;
        Ok(self.running.failed(&quote::locale(name), error)?)
    }

    /// Walks the tree at an operand.
    pub(super) fn start(&mut self, operand: &[u8]) -> Result<(), Failure> {
        let entry = Entry {
            shown: operand.to_vec(),
            start_length: operand.len(),
            path: self.running.path(operand),
            depth: 0,
            kind: None,
            stat: OnceCell::new(),
            follows: self.follow != Follow::Never,
        };
        let found = if operand.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { entry.read_stat() };
        match found {
            Ok(stat) => {
                self.device = stat.device;
                let _ = entry.stat.set(Some(stat));
            }
            Err(error) => return self.complain(operand, &error),
        }
        let mut stack: Vec<Frame> = Vec::new();
        self.enter(&mut stack, entry)?;
        while let Some(frame) = stack.last_mut() {
            self.running.check()?;
            if self.has_quit {
                return Ok(());
            }
            let Some(next) = frame.entries.pop() else {
                if let Some(frame) = stack.pop()
                    && self.expression.depth_first
                {
                    self.visit(&frame.entry)?;
                }
                continue;
            };
            let entry = frame.entry.child(&next, self.follow == Follow::Always);
            self.enter(&mut stack, entry)?;
        }
        Ok(())
    }

    /// Visits an entry; where it is a folder to be walked, it is put on the stack.
    fn enter(&mut self, stack: &mut Vec<Frame>, entry: Entry) -> Result<(), Failure> {
        if entry.follows
            && entry.kind.is_none_or(|kind| kind == LINK)
            && let Err(error) = entry.path.metadata()
            && !is_dangling(&error)
        {
            // A link that leads in a circle is not visited.
            return self.complain(&entry.shown, &error);
        }
        let is_dir = entry.kind() == Some(DIRECTORY);
        if is_dir
            && entry.follows
            && let Some(stat) = entry.stat()
        {
            let same = |frame: &&Frame| {
                let id = |stat: &FileStat| (stat.device, stat.inode);
                stat.inode != 0 && frame.entry.stat().is_some_and(|other| id(other) == id(stat))
            };
            if let Some(frame) = stack.iter().find(same) {
                let text = [
                    &b"File system loop detected; "[..],
                    &quote::locale(&entry.shown),
                    b" is part of the same file system loop as ",
                    &quote::locale(&frame.entry.shown),
                    b".",
                ];
                self.status = 1;
                self.output.flush()?;
                self.running.message(&text.concat())?;
                return Ok(());
            }
        }
        self.prunes = false;
        if !self.expression.depth_first || !is_dir {
            self.visit(&entry)?;
        }
        let may_enter = is_dir
            && !self.has_quit
            && (!self.prunes || self.expression.depth_first)
            && entry.depth < self.expression.max_depth
            && !(self.expression.one_device && entry.stat().is_some_and(|stat| stat.device != self.device));
        if !may_enter {
            if is_dir && self.expression.depth_first && !self.has_quit {
                self.visit(&entry)?;
            }
            return Ok(());
        }
        match self.read_dir(&entry.path) {
            Ok(entries) => stack.push(Frame { entry, entries }),
            Err(error) => {
                self.complain(&entry.shown, &error)?;
                if self.expression.depth_first {
                    self.visit(&entry)?;
                }
            }
        }
        Ok(())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<std::fs::DirEntry>> {
        let mut entries = std::fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        sort_large(path, &mut entries);
        entries.reverse();
        Ok(entries)
    }

    fn visit(&mut self, entry: &Entry) -> Result<(), Failure> {
        if entry.depth < self.expression.min_depth {
            return Ok(());
        }
        let expression = self.expression;
        self.evaluate(&expression.root, entry).map(drop)
    }

    fn evaluate(&mut self, node: &Node<'_>, entry: &Entry) -> Result<bool, Failure> {
        if self.has_quit {
            return Ok(false);
        }
        match node {
            Node::Not(inner) => Ok(!self.evaluate(inner, entry)?),
            Node::And(nodes) => {
                for inner in nodes {
                    if !self.evaluate(inner, entry)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Or(nodes) => {
                for inner in nodes {
                    if self.evaluate(inner, entry)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::List(nodes) => {
                let mut result = true;
                for inner in nodes {
                    result = self.evaluate(inner, entry)?;
                }
                Ok(result)
            }
            Node::Test(test) => self.test(test, entry),
        }
    }

    fn test(&mut self, test: &Test<'_>, entry: &Entry) -> Result<bool, Failure> {
        match test {
            Test::True => Ok(true),
            Test::False => Ok(false),
            Test::Name(pattern) => Ok(pattern.matches(entry.base_name())),
            Test::Path(pattern) => Ok(pattern.matches(&entry.shown)),
            Test::Kind(kinds, false) => Ok(entry.kind().is_some_and(|kind| kinds.contains(&kind))),
            Test::Kind(kinds, true) => match entry.other_kind() {
                Ok(kind) => Ok(kinds.contains(&kind)),
                Err(error) => {
                    self.complain(&entry.shown, &error)?;
                    Ok(false)
                }
            },
            Test::Access(access) => Ok(is_accessible(entry, *access)),
            Test::Prune => {
                self.prunes = true;
                Ok(true)
            }
            Test::Quit => {
                self.has_quit = true;
                Ok(true)
            }
            Test::Print(end, place) => {
                let at_terminal = place.is_none() && self.at_terminal;
                if at_terminal && *end == b'\n' {
                    let shown: Vec<u8> =
                        entry.shown.iter().map(|byte| if byte.is_ascii_control() { b'?' } else { *byte }).collect();
                    self.put(&shown, *place)?;
                } else {
                    self.put(&entry.shown, *place)?;
                }
                self.put(&[*end], *place)?;
                Ok(true)
            }
            Test::Printf(format, None) => {
                format.write(self.output.buffer(), entry, &self.zone);
                self.output.settle()?;
                Ok(true)
            }
            Test::Printf(format, place) => {
                let mut text = Vec::new();
                format.write(&mut text, entry, &self.zone);
                self.put(&text, *place)?;
                Ok(true)
            }
            Test::List(place) => match entry.stat() {
                Some(stat) => {
                    let line = list::line(entry, stat, &self.zone, self.now);
                    self.put(&line, *place)?;
                    Ok(true)
                }
                None => Ok(false),
            },
            Test::Regex(regex) => Ok(regex.matches(&entry.shown)),
            Test::Execute(index) => {
                self.flush()?;
                let result = self.executor.run(*index, entry)?;
                Ok(result)
            }
            Test::Delete => self.delete(entry),
            Test::Empty => self.is_empty(entry),
            _ => match entry.stat() {
                Some(stat) => Ok(holds(test, entry, stat, self.now)),
                None => {
                    let error = entry.read_stat().err().unwrap_or_else(|| io::ErrorKind::NotFound.into());
                    self.complain(&entry.shown, &error)?;
                    Ok(false)
                }
            },
        }
    }

    fn is_empty(&mut self, entry: &Entry) -> Result<bool, Failure> {
        if entry.kind() == Some(DIRECTORY) {
            return match std::fs::read_dir(&entry.path) {
                Ok(mut entries) => Ok(entries.next().is_none()),
                Err(error) => {
                    self.complain(&entry.shown, &error)?;
                    Ok(false)
                }
            };
        }
        let is_empty = |stat: &FileStat| stat.kind() == super::super::stat_of::REGULAR && stat.size == 0;
        Ok(entry.stat().is_some_and(is_empty))
    }

    fn delete(&mut self, entry: &Entry) -> Result<bool, Failure> {
        if entry.shown == b"." {
            return Ok(true);
        }
        let removed = match entry.path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => std::fs::remove_dir(&entry.path),
            Ok(_) => std::fs::remove_file(&entry.path),
            Err(error) => Err(error),
        };
        match removed {
            Ok(()) => Ok(true),
            Err(error) => {
                self.status = 1;
                self.output.flush()?;
                self.running.failed(&[&b"cannot delete "[..], &quote::locale(&entry.shown)].concat(), &error)?;
                Ok(false)
            }
        }
    }
}

#[cfg(unix)]
fn is_accessible(entry: &Entry, access: system::Access) -> bool {
    // With the real ids, as `access(2)` has it.
    let mode = match access {
        system::Access::Read => rustix::fs::Access::READ_OK,
        system::Access::Write => rustix::fs::Access::WRITE_OK,
        system::Access::Execute => rustix::fs::Access::EXEC_OK,
    };
    rustix::fs::access(&entry.path, mode).is_ok()
}

#[cfg(not(unix))]
fn is_accessible(entry: &Entry, access: system::Access) -> bool {
    system::access(&entry.path, access)
}

/// The entries of a folder in the order in which gnulib's `fts` gives them.
pub(crate) fn sort_large(path: &Path, entries: &mut [std::fs::DirEntry]) {
    if entries.len() > INODE_SORT {
        sort_by_inode(path, entries);
    }
}

/// Where GNU's `fts` thinks that it helps: on all file systems but Lustre, NFS and tmpfs.
#[cfg(target_os = "linux")]
fn sort_by_inode(path: &Path, entries: &mut [std::fs::DirEntry]) {
    use std::os::unix::fs::DirEntryExt;
    const UNSORTED: [i64; 3] = [0x0BD0_0BD0, 0x6969, 0x0102_1994];
    let is_unsorted =
        rustix::fs::statfs(path).is_ok_and(|fs| UNSORTED.iter().any(|kind| i128::from(fs.f_type) == i128::from(*kind)));
    if !is_unsorted {
        entries.sort_by_key(DirEntryExt::ino);
    }
}

#[cfg(not(target_os = "linux"))]
fn sort_by_inode(_: &Path, _: &mut [std::fs::DirEntry]) {}

impl Entry {
    fn child(&self, next: &std::fs::DirEntry, follows: bool) -> Self {
        let name = next.file_name();
        let mut shown = Vec::with_capacity(self.shown.len() + 1 + name.len());
        shown.extend_from_slice(&self.shown);
        if shown.last() != Some(&b'/') && !(cfg!(windows) && shown.last() == Some(&b'\\')) {
            shown.push(b'/');
        }
        shown.extend_from_slice(&text::from_os(&name));
        Self {
            shown,
            start_length: self.start_length,
            path: self.path.join(&name),
            depth: self.depth + 1,
            kind: next.file_type().ok().and_then(kind_of),
            stat: OnceCell::new(),
            follows,
        }
    }

    /// The type: of what a link leads to, where links are followed.
    pub(super) fn kind(&self) -> Option<u32> {
        match self.kind {
            Some(kind) if !self.follows || kind != LINK => Some(kind),
            _ => self.stat().map(FileStat::kind),
        }
    }

    /// The type the other way round: followed where links are not, and of the link itself where they are.
    fn other_kind(&self) -> io::Result<u32> {
        let kind = |metadata: Metadata| FileStat::of(&metadata).kind();
        if self.follows {
            return self.path.symlink_metadata().map(kind);
        }
        match self.path.metadata() {
            Err(error) if is_dangling(&error) => self.path.symlink_metadata().map(kind),
            found => found.map(kind),
        }
    }

    fn metadata(&self) -> io::Result<Metadata> {
        if self.follows {
            // A link that leads nowhere is itself.
            match self.path.metadata() {
                Err(error) if is_dangling(&error) => self.path.symlink_metadata().map_err(|_| error),
                found => found,
            }
        } else {
            self.path.symlink_metadata()
        }
    }

    fn read_stat(&self) -> io::Result<FileStat> {
        self.metadata().map(|metadata| FileStat::of(&metadata))
    }

    pub(super) fn stat(&self) -> Option<&FileStat> {
        self.stat.get_or_init(|| self.read_stat().ok()).as_ref()
    }

    /// The last component, without slashes behind it; of the root a slash.
    pub(super) fn base_name(&self) -> &[u8] {
        let end = self.shown.iter().rposition(|byte| *byte != b'/').map_or(1, |at| at + 1).min(self.shown.len());
        let name = self.shown.get(..end).unwrap_or_default();
        match name.iter().rposition(|byte| *byte == b'/') {
            Some(at) if name.len() > 1 => name.get(at + 1..).unwrap_or_default(),
            _ => name,
        }
    }

    /// The reason for which its type cannot be told, as a letter.
    pub(super) fn target_kind(&self) -> Result<u32, u8> {
        match self.path.metadata() {
            Ok(metadata) => Ok(FileStat::of(&metadata).kind()),
            Err(error) => Err(match reason(&error).as_str() {
                "No such file or directory" | "Not a directory" => b'N',
                "Too many levels of symbolic links" => b'L',
                _ => b'?',
            }),
        }
    }
}

fn is_dangling(error: &io::Error) -> bool {
    is_missing(error) || error.kind() == io::ErrorKind::NotADirectory
}

#[cfg(unix)]
fn kind_of(kind: std::fs::FileType) -> Option<u32> {
    use std::os::unix::fs::FileTypeExt;

    use super::super::stat_of::{BLOCK, CHARACTER, FIFO, REGULAR, SOCKET};
    let kinds = [
        (kind.is_file(), REGULAR),
        (kind.is_dir(), DIRECTORY),
        (kind.is_symlink(), LINK),
        (kind.is_fifo(), FIFO),
        (kind.is_socket(), SOCKET),
        (kind.is_block_device(), BLOCK),
        (kind.is_char_device(), CHARACTER),
    ];
    kinds.into_iter().find(|(is, _)| *is).map(|(_, kind)| kind)
}

#[cfg(not(unix))]
fn kind_of(kind: std::fs::FileType) -> Option<u32> {
    use super::super::stat_of::REGULAR;
    let kinds = [(kind.is_symlink(), LINK), (kind.is_dir(), DIRECTORY), (kind.is_file(), REGULAR)];
    kinds.into_iter().find(|(is, _)| *is).map(|(_, kind)| kind)
}
