//! The log of hooks' runs.

mod entry;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookshell_process::sync::lock;

pub use self::entry::LogEntry;
use crate::event::Event;
use crate::state::{Lock, create_dir, make_private, owner_only};
use crate::verdict::{HookReport, Verdict};

/// How large a file of the log may become unless the host says otherwise. There are two of them at most.
const DEFAULT_LIMIT: u64 = 1024 * 1024;

/// A log of every hook's run, as lines of JSON in a directory that the host names. The library writes none by itself.
///
/// A verdict's hooks are appended in one write, so that lines of processes that write at once do not mix. A file that
/// would become too large is renamed (`hooks.jsonl` to `hooks.1.jsonl`, of which there is one) and a new one begun: the log
/// takes at most twice its limit and what processes write while it is renamed. The files are their owner's alone.
///
/// ```
/// use hookshell_runner::{Config, Event, HookLog, Runner};
///
/// let directory = tempfile::tempdir()?;
/// let log = HookLog::new(directory.path());
/// let config = Config::parse(r#"{ "hooks": { "SessionStart": [{ "command": "exit 3" }] } }"#, "crush.json")?;
/// let runner = Runner::builder().config(config).build()?;
///
/// let event = Event::session_start("startup", std::env::temp_dir());
/// let verdict = runner.run_blocking(&event);
/// log.append(&event, &verdict)?;
/// assert_eq!(log.entries()?[0].outcome, "ExitCode");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct HookLog {
    directory: PathBuf,
    limit: u64,
    payload: bool,
    /// Held while a line is written: the threads of a process take turns. Between processes the system appends each write
    /// as a whole.
    writing: Arc<Mutex<()>>,
}

impl HookLog {
    /// A log in this directory, which is made when something is written.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), limit: DEFAULT_LIMIT, payload: false, writing: Arc::default() }
    }

    /// The most bytes in one of the two files. 1 MiB unless set.
    #[must_use]
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// Also log what the event and the hooks' outputs hold: the tool's input, the prompt, reasons and standard error. They
    /// may be secret, so they are left out unless it is asked for.
    #[must_use]
    pub fn payload(mut self, payload: bool) -> Self {
        self.payload = payload;
        self
    }

    /// The file that is written.
    pub fn path(&self) -> PathBuf {
        self.directory.join("hooks.jsonl")
    }

    /// The file with what was written before.
    pub fn older(&self) -> PathBuf {
        self.directory.join("hooks.1.jsonl")
    }

    /// Appends a line for each hook of the verdict.
    ///
    /// # Errors
    /// The directory or the file cannot be made or written.
    pub fn append(&self, event: &Event, verdict: &Verdict) -> io::Result<()> {
        self.append_results(event, &verdict.hooks)
    }

    /// Appends a line for a hook that has ended in the background
    /// ([`RunnerBuilder::on_background`](crate::RunnerBuilder::on_background)).
    ///
    /// # Errors
    /// As for [`HookLog::append`].
    pub fn append_result(&self, event: &Event, hook: &HookReport) -> io::Result<()> {
        self.append_results(event, std::slice::from_ref(hook))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// As for [`HookLog::append`].
    pub fn append_entry(&self, entry: &LogEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.append_lines(&line)
    }

    fn append_results(&self, event: &Event, hooks: &[HookReport]) -> io::Result<()> {
        let mut lines = Vec::new();
        for hook in hooks {
            serde_json::to_writer(&mut lines, &LogEntry::new(event, hook, self.payload))?;
            lines.push(b'\n');
        }
        self.append_lines(&lines)
    }

    fn append_lines(&self, lines: &[u8]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let _turn = lock(&self.writing);
        let (mut file, size) = self.open()?;
        if size > 0 && size.saturating_add(lines.len() as u64) > self.limit && self.rotate()? {
            file = self.open()?.0;
        } else if size > 0 && !ends_a_line(&mut file)? {
            // Somebody was stopped within a line, by a full disk or a crash: that line is lost, this one is not.
            return file.write_all(&[b"\n", lines].concat());
        }
        file.write_all(lines)
    }

    /// What was logged, the oldest first. Lines that are not entries are passed over.
    ///
    /// # Errors
    /// A file is there and cannot be read.
    pub fn entries(&self) -> io::Result<Vec<LogEntry>> {
        let mut entries = Vec::new();
        for path in [self.older(), self.path()] {
            match open_to_read(&path) {
                Ok(file) => read_entries(file, &mut entries)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    /// The file, to append to, and its size.
    fn open(&self) -> io::Result<(File, u64)> {
        let open = || owner_only().read(true).append(true).create(true).open(self.path());
        let file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_dir(&self.directory)?;
                open()?
            }
            opened => opened?,
        };
        let size = make_private(&file)?.len();
        Ok((file, size))
    }

    /// Begins a new file, unless another process is about it.
    fn rotate(&self) -> io::Result<bool> {
        let Some(_lock) = Lock::acquire(&self.directory.join("hooks.lock"), Duration::ZERO)? else {
            return Ok(false);
        };
        // Another process may just have done it.
        if self.path().symlink_metadata().is_ok_and(|metadata| metadata.len() > self.limit / 2) {
            fs::rename(self.path(), self.older())?;
        }
        Ok(true)
    }
}

/// Is the last byte of a file that is not empty a line's end?
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Opens a file of the log, which no link leads to. Another one than a regular file is not read: it might not end.
fn open_to_read(path: &Path) -> io::Result<File> {
    let file = owner_only().read(true).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

/// Reads lines of the log.
fn read_entries(from: impl Read, entries: &mut Vec<LogEntry>) -> io::Result<()> {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        entries.extend(serde_json::from_slice::<LogEntry>(&line).ok());
        line.clear();
    }
    Ok(())
}

/// What is written to a log's file after it was first looked at.
#[derive(Debug)]
pub struct LogFollower {
    path: PathBuf,
    file: Option<File>,
    offset: u64,
    /// A line whose end has not come yet.
    partial: Vec<u8>,
}

impl LogFollower {
    /// Follows a log from its present end on.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn new(log: &HookLog) -> io::Result<Self> {
        let path = log.path();
        let offset = match path.symlink_metadata() {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        let mut this = Self { path, file: None, offset, partial: Vec::new() };
        this.open(offset)?;
        Ok(this)
    }

    /// The entries that have come since the last call.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn entries(&mut self) -> io::Result<Vec<LogEntry>> {
        let mut entries = Vec::new();
        self.read(&mut entries)?;
        // A new file was begun. The old one, which is still open, was read to its end.
        if self.path.symlink_metadata().map_or(0, |metadata| metadata.len()) < self.offset || self.file.is_none() {
            self.open(0)?;
            self.read(&mut entries)?;
        }
        Ok(entries)
    }

    fn open(&mut self, offset: u64) -> io::Result<()> {
        self.file = match open_to_read(&self.path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(offset))?;
                Some(file)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        self.offset = offset;
        self.partial.clear();
        Ok(())
    }

    fn read(&mut self, entries: &mut Vec<LogEntry>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        self.offset += file.read_to_end(&mut self.partial)? as u64;
        if let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.partial.split_off(end + 1);
            let lines = std::mem::replace(&mut self.partial, rest);
            read_entries(&*lines, entries)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
