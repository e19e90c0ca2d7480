//! Walking the trees.

use std::cell::OnceCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use hookshell_files::at::{Dir, Listed, Place, Way};
use hookshell_files::file_stat::{DIRECTORY, FileStat, LINK};
use hookshell_utility::Stream;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::zone::{Zone, since_epoch};

use super::Follow;
use super::entry::{Entry, is_dangling};
use super::execute::Executor;
use super::expression::{Expression, Node, Test, Where};
use super::list;
use super::test::holds;

/// A directory that is being walked.
struct Frame {
    /// Without its name, of which the walk has one for all.
    entry: Entry,
    /// How much of that name is this one's.
    shown_length: usize,
    directory: Dir,
    /// In reverse.
    entries: Vec<Listed>,
}

/// The directories from the operand to where the walk is.
#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    way: Way,
    /// The name of the deepest one.
    shown: Vec<u8>,
}

impl Stack {
    fn push(&mut self, mut entry: Entry, directory: Dir, entries: Vec<Listed>) {
        self.shown = std::mem::take(&mut entry.shown);
        self.way.enter(directory.clone());
        self.frames.push(Frame { entry, shown_length: self.shown.len(), directory, entries });
    }

    /// Leaves a directory.
    fn pop(&mut self) -> Option<Entry> {
        let mut frame = self.frames.pop()?;
        self.way.leave();
        frame.entry.shown = self.shown.get(..frame.shown_length).unwrap_or_default().to_vec();
        self.shown.truncate(self.frames.last().map_or(0, |above| above.shown_length));
        Some(frame.entry)
    }
}

pub(super) struct Walk<'r, 'a> {
    running: &'r Running<'a>,
    expression: &'r Expression<'r>,
    follow: Follow,
    output: Output<'r, 'a>,
    /// The files of `-fprint` and its like.
    files: Vec<Output<'r, 'a>>,
    executor: Executor<'r, 'a>,
    zone: Zone,
    now: (i64, u32),
    status: u8,
    has_quit: bool,
    /// The entry's directory is not entered.
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
            files: files.iter().map(|file| Output::to(running, file.clone())).collect(),
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
        self.files.iter_mut().try_for_each(Output::flush)
    }

    /// Writes to a file of the expression's, or to standard output.
    fn put(&mut self, data: &[u8], place: Where) -> Result<(), Failure> {
        match place.and_then(|at| self.files.get_mut(at)) {
            None => self.output.push(data),
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
        Ok(self.running.report_error(&quote::locale(name), error)?)
    }

    /// Walks the tree at an operand.
    pub(super) fn start(&mut self, operand: &[u8]) -> Result<(), Failure> {
        let entry = Entry {
            shown: operand.to_vec(),
            start_length: operand.len(),
            place: Place::at(self.running.path(operand)),
            holder: None,
            root: Rc::new(self.running.path(operand)),
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
        let mut stack = Stack::default();
        self.enter(&mut stack, entry)?;
        while let Some(frame) = stack.frames.last_mut() {
            self.running.check()?;
            if self.has_quit {
                return Ok(());
            }
            let Some(next) = frame.entries.pop() else {
                if let Some(entry) = stack.pop()
                    && self.expression.depth_first
                {
                    self.visit(&entry)?;
                }
                continue;
            };
            let shown = stack.shown.get(..frame.shown_length).unwrap_or_default();
            let entry = frame.entry.child(shown, &frame.directory, &next, self.follow == Follow::Always);
            self.enter(&mut stack, entry)?;
        }
        Ok(())
    }

    /// Visits an entry; where it is a directory to be walked, it is put on the stack.
    fn enter(&mut self, stack: &mut Stack, entry: Entry) -> Result<(), Failure> {
        if entry.follows
            && entry.kind.is_none_or(|kind| kind == LINK)
            && let Err(error) = entry.place.stat()
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
            if let Some(frame) = stack.frames.iter().find(same) {
                let text = [
                    &b"File system loop detected; "[..],
                    &quote::locale(&entry.shown),
                    b" is part of the same file system loop as ",
                    &quote::locale(stack.shown.get(..frame.shown_length).unwrap_or_default()),
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
        // One that has become a link meanwhile is not entered.
        let opened = entry.place.open_dir(entry.follows);
        match opened.and_then(|directory| Ok((directory.list_as_fts()?, directory))) {
            Ok((entries, directory)) => stack.push(entry, directory, entries),
            Err(error) => {
                self.complain(&entry.shown, &error)?;
                if self.expression.depth_first {
                    self.visit(&entry)?;
                }
            }
        }
        Ok(())
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
            // With the real ids, as `access(2)` has it.
            Test::Access(access) => Ok(entry.place.may(*access)),
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
            return match entry.place.open_dir(entry.follows).and_then(|directory| directory.is_empty()) {
                Ok(is_empty) => Ok(is_empty),
                Err(error) => {
                    self.complain(&entry.shown, &error)?;
                    Ok(false)
                }
            };
        }
        let is_empty = |stat: &FileStat| stat.kind() == hookshell_files::file_stat::REGULAR && stat.size == 0;
        Ok(entry.stat().is_some_and(is_empty))
    }

    fn delete(&mut self, entry: &Entry) -> Result<bool, Failure> {
        if entry.shown == b"." {
            return Ok(true);
        }
        let removed = match entry.place.lstat() {
            Ok(stat) if stat.is_dir() => entry.place.remove_dir(),
            Ok(_) => entry.place.remove_file(),
            Err(error) => Err(error),
        };
        match removed {
            Ok(()) => Ok(true),
            Err(error) => {
                self.status = 1;
                self.output.flush()?;
                self.running.report_error(&[&b"cannot delete "[..], &quote::locale(&entry.shown)].concat(), &error)?;
                Ok(false)
            }
        }
    }
}
