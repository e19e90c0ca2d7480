//! What a file descriptor of the interpreter leads to.

mod capture;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use hookshell_process::sync::lock;
use hookshell_process::{FileKind, Interrupt, start_thread};

use self::capture::CaptureState;
pub use self::capture::{Capture, OutputSink};
use crate::budget::Held;
use crate::first_line::FirstLine;

/// What is read ahead from a file at once.
const READ_AHEAD: usize = 32 * 1024;

/// How much a new pipe takes without a reader on every system that we run on; more goes through a file.
const PIPE_ROOM: usize = if cfg!(target_os = "linux") { 64 * 1024 } else { 4096 };

/// A source or sink of bytes: an object of the operating system, or memory of this process.
///
/// A stream in memory is **promoted** when a child first inherits it ([`Stream::share`]): it becomes one OS object that
/// holds the unread rest (or continues what was captured), for built-ins and children alike, to the end of the run. So
/// the order of what built-ins and children write stays, and a child that does not read leaves the input to the next.
#[derive(Debug)]
pub struct Stream {
    /// Set at the start or by promotion, then never changed: everything goes to it.
    os: OnceLock<OsFile>,
    /// Takes the place of `os` when that was shared while bytes read ahead of it were unread.
    relay: OnceLock<OsFile>,
    memory: Mutex<Memory>,
    /// Nobody outside this process holds the other end or the same description, so that reading ahead is not seen.
    /// Ends when a child inherits the stream.
    private: AtomicBool,
    /// What it counts as.
    held: Option<Held>,
}

#[derive(Debug)]
struct OsFile {
    file: Arc<File>,
    kind: FileKind,
}

#[derive(Debug)]
enum Memory {
    /// Reads give end of file, writes vanish.
    Null,
    /// Bytes to be read.
    Input { data: Arc<[u8]>, position: usize },
    /// Bytes are written here.
    Capture(Arc<CaptureState>),
    /// Read ahead from the OS file: the bytes from `position` on.
    ReadAhead { data: Vec<u8>, position: usize },
}

impl Stream {
    fn new(memory: Memory) -> Self {
        Self {
            os: OnceLock::new(),
            relay: OnceLock::new(),
            memory: Mutex::new(memory),
            private: AtomicBool::new(true),
            held: None,
        }
    }

    /// Counts as this for as long as it lives.
    pub fn holding(mut self, held: Held) -> Self {
        self.held = Some(held);
        self
    }

    /// `/dev/null`, without opening it.
    pub fn null() -> Self {
        Self::new(Memory::Null)
    }

    /// Bytes to be read.
    pub fn input(data: impl Into<Arc<[u8]>>) -> Self {
        Self::new(Memory::Input { data: data.into(), position: 0 })
    }

    /// Collects what is written; what goes beyond `limit` bytes is dropped and noted.
    pub fn capture(limit: usize) -> (Self, Capture) {
        Self::capturing(limit, None, Vec::new())
    }

    /// [`Self::capture`], counted as state of the run, into an empty buffer.
    pub fn capture_held(limit: usize, held: Held, buffer: Vec<u8>) -> (Self, Capture) {
        Self::capturing(limit, Some(held), buffer)
    }

    /// [`Self::capture`], whose first line `watch` sees as soon as it is written.
    pub fn capture_watched(limit: usize, watch: FirstLine) -> (Self, Capture) {
        Self::capture_into(limit, None, Vec::new(), None, Some(watch))
    }

    /// Hands on what is written, as it is written, instead of collecting it: [`Capture::take`] gives nothing.
    pub fn forward(sink: Arc<dyn OutputSink>) -> (Self, Capture) {
        Self::capture_into(usize::MAX, None, Vec::new(), Some(sink), None)
    }

    fn capturing(limit: usize, held: Option<Held>, buffer: Vec<u8>) -> (Self, Capture) {
        Self::capture_into(limit, held, buffer, None, None)
    }

    fn capture_into(
        limit: usize,
        held: Option<Held>,
        buffer: Vec<u8>,
        sink: Option<Arc<dyn OutputSink>>,
        watch: Option<FirstLine>,
    ) -> (Self, Capture) {
        let state = Arc::new(CaptureState::new(limit, held, buffer, sink, watch));
        (Self::new(Memory::Capture(state.clone())), Capture::of(state))
    }

    /// An open file, pipe end or terminal that others may share: nothing is read ahead that cannot be given back.
    pub fn from_file(file: File) -> Self {
        Self::with_file(file, false)
    }

    /// The read or write end of a pipe whose other end only this run holds.
    pub fn from_private_pipe(file: File) -> Self {
        Self::with_file(file, true)
    }

    fn with_file(file: File, private: bool) -> Self {
        let kind = FileKind::of(&file);
        let os = OnceLock::new();
        let _ = os.set(OsFile { file: Arc::new(file), kind });
        Self {
            os,
            relay: OnceLock::new(),
            memory: Mutex::new(Memory::ReadAhead { data: Vec::new(), position: 0 }),
            private: AtomicBool::new(private),
            held: None,
        }
    }

    /// The OS object that is read and written.
    fn os(&self) -> Option<&OsFile> {
        self.relay.get().or_else(|| self.os.get())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // A panic of another stage cannot leave the state half-changed: every change is a single assignment.
        lock(&self.memory)
    }

    /// Is it a terminal?
    pub fn is_terminal(&self) -> bool {
        self.os().is_some_and(|os| os.file.is_terminal())
    }

    /// Is it the null device, not yet opened?
    pub fn is_null(&self) -> bool {
        self.os().is_none() && matches!(&*self.memory(), Memory::Null)
    }

    /// Would a read give something (or the end of the file) without waiting? On Windows it is not known of pipes and
    /// consoles: `false`.
    pub fn is_ready(&self) -> bool {
        match &*self.memory() {
            Memory::ReadAhead { data, position } if *position < data.len() => return true,
            _ => {}
        }
        self.os().is_none_or(|os| !os.kind.may_block() || hookshell_process::is_readable(&os.file))
    }

    /// Reads one byte; `None` is the end of the file.
    ///
    /// # Errors
    /// As [`Stream::read`].
    pub fn read_byte(&self, interrupt: &Interrupt) -> io::Result<Option<u8>> {
        let mut byte = [0];
        if let Some(count) = self.read_memory(&mut byte)? {
            return Ok((count > 0).then_some(byte[0]));
        }
        // Reading ahead where that cannot be seen spares a system call for each byte.
        if self.fill(interrupt)? {
            return Ok(match self.read_memory(&mut byte)? {
                Some(1) => Some(byte[0]),
                _ => None,
            });
        }
        Ok((self.read(&mut byte, interrupt)? > 0).then_some(byte[0]))
    }

    /// The OS file behind it, if there is one already.
    pub fn file(&self) -> Option<&Arc<File>> {
        self.os().map(|os| &os.file)
    }

    /// Writes all of `data`, as one write where the stream is a regular file.
    ///
    /// # Errors
    /// As the system says: `BrokenPipe` without a signal, `Interrupted` when `interrupt` was raised.
    pub fn write_all(&self, data: &[u8], interrupt: &Interrupt) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        if self.os().is_none() {
            let memory = self.memory();
            // Promotion happens under the lock: look again.
            if self.os().is_none() {
                return match &*memory {
                    Memory::Null => Ok(()),
                    Memory::Capture(state) => {
                        state.append(data);
                        Ok(())
                    }
                    Memory::Input { .. } | Memory::ReadAhead { .. } => Err(bad_descriptor()),
                };
            }
        }
        match self.os() {
            Some(os) => {
                if os.kind == FileKind::Regular {
                    self.give_back(os);
                }
                interrupt.write_all(&os.file, os.kind, data)
            }
            None => Err(bad_descriptor()),
        }
    }

    /// Reads up to `buffer.len()` bytes; 0 is the end of the file.
    ///
    /// # Errors
    /// As the system says; `Interrupted` when `interrupt` was raised.
    pub fn read(&self, buffer: &mut [u8], interrupt: &Interrupt) -> io::Result<usize> {
        if let Some(count) = self.read_memory(buffer)? {
            return Ok(count);
        }
        match self.os() {
            Some(os) => interrupt.read(&os.file, os.kind, buffer),
            None => Err(bad_descriptor()),
        }
    }

    /// Reads from memory; `None` when the OS file has to be asked.
    fn read_memory(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut memory = self.memory();
        match &mut *memory {
            Memory::Null => Ok(if self.os().is_some() { None } else { Some(0) }),
            Memory::Input { data, position } if self.os().is_none() => {
                let rest = &data[*position..];
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                *position += count;
                Ok(Some(count))
            }
            Memory::ReadAhead { data, position } if *position < data.len() => {
                let rest = &data[*position..];
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                *position += count;
                Ok(Some(count))
            }
            Memory::Capture(_) if self.os().is_none() => Err(bad_descriptor()),
            _ => Ok(None),
        }
    }

    /// As [`Self::read_until`], where all of it is in memory already; otherwise nothing is taken, and it is `false`.
    #[inline]
    pub fn take_buffered(&self, delimiter: u8, out: &mut Vec<u8>) -> bool {
        match &mut *self.memory() {
            Memory::Input { data, position } if self.os().is_none() => take_line(data, position, delimiter, out),
            Memory::ReadAhead { data, position } => take_line(data, position, delimiter, out),
            _ => false,
        }
    }

    /// Appends bytes to `out` up to and including the next `delimiter`, and says whether it was found (else the end of
    /// the file was reached). No byte after the delimiter is taken from a stream that others read as well.
    ///
    /// # Errors
    /// As the system says; `Interrupted` when `interrupt` was raised; `OutOfMemory` past `limit` bytes.
    pub fn read_until(
        &self,
        delimiter: u8,
        out: &mut Vec<u8>,
        limit: usize,
        interrupt: &Interrupt,
    ) -> io::Result<bool> {
        match self.read_piece_until(delimiter, out, limit, interrupt)? {
            Piece::Found => Ok(true),
            Piece::End => Ok(false),
            Piece::Part => Err(io::Error::new(io::ErrorKind::OutOfMemory, "line too long")),
        }
    }

    /// As [`Self::read_until`], but a line that is longer than `limit` comes in pieces: each has a little more than
    /// `limit` bytes.
    ///
    /// # Errors
    /// As the system says; `Interrupted` when `interrupt` was raised.
    pub fn read_piece_until(
        &self,
        delimiter: u8,
        out: &mut Vec<u8>,
        limit: usize,
        interrupt: &Interrupt,
    ) -> io::Result<Piece> {
        let start = out.len();
        loop {
            if out.len() - start > limit {
                return Ok(Piece::Part);
            }
            {
                let mut memory = self.memory();
                let rest: Option<(&[u8], &mut usize)> = match &mut *memory {
                    Memory::Input { data, position } if self.os().is_none() => Some((data, position)),
                    Memory::ReadAhead { data, position } if *position < data.len() => Some((data, position)),
                    Memory::Null if self.os().is_none() => return Ok(Piece::End),
                    Memory::Capture(_) if self.os().is_none() => return Err(bad_descriptor()),
                    _ => None,
                };
                if let Some((data, position)) = rest {
                    let rest = data.get(*position..).unwrap_or_default();
                    let room = limit.saturating_sub(out.len() - start).saturating_add(1);
                    let part = rest.get(..room).unwrap_or(rest);
                    let found = memchr::memchr(delimiter, part);
                    let taken = found.map_or(part.len(), |found| found + 1);
                    out.extend_from_slice(&part[..taken]);
                    *position += taken;
                    if found.is_some() {
                        return Ok(Piece::Found);
                    }
                    if taken < rest.len() {
                        return Ok(Piece::Part);
                    }
                    if self.os().is_none() {
                        return Ok(Piece::End);
                    }
                }
            }
            if !self.fill(interrupt)? {
                // Byte by byte: what follows the delimiter belongs to whoever reads next.
                let Some(os) = self.os() else {
                    return Ok(Piece::End);
                };
                let mut byte = [0];
                if interrupt.read(&os.file, os.kind, &mut byte)? == 0 {
                    return Ok(Piece::End);
                }
                out.push(byte[0]);
                if byte[0] == delimiter {
                    return Ok(Piece::Found);
                }
            } else if self.is_drained() {
                return Ok(Piece::End);
            }
        }
    }

    fn is_drained(&self) -> bool {
        matches!(&*self.memory(), Memory::ReadAhead { data, position } if *position >= data.len())
    }

    /// Reads ahead where that cannot be seen; `false` where it may not be done.
    fn fill(&self, interrupt: &Interrupt) -> io::Result<bool> {
        let Some(os) = self.os() else {
            return Ok(false);
        };
        // Seeking back is exact for a regular file, and nobody else sees a private pipe before it is shared.
        if os.kind != FileKind::Regular && !self.private.load(Ordering::Acquire) {
            return Ok(false);
        }
        let mut buffer = match &mut *self.memory() {
            Memory::ReadAhead { data, .. } => std::mem::take(data),
            _ => return Ok(false),
        };
        buffer.resize(READ_AHEAD, 0);
        let count = match interrupt.read(&os.file, os.kind, &mut buffer) {
            Ok(count) => count,
            Err(error) => {
                *self.memory() = Memory::ReadAhead { data: Vec::new(), position: 0 };
                return Err(error);
            }
        };
        buffer.truncate(count);
        match &mut *self.memory() {
            // Another stage has read ahead at the same time.
            Memory::ReadAhead { data, position } if *position < data.len() => data.extend_from_slice(&buffer),
            memory => *memory = Memory::ReadAhead { data: buffer, position: 0 },
        }
        Ok(true)
    }

    /// Gives what was read ahead from a seekable file back to it.
    fn give_back(&self, os: &OsFile) {
        if let Memory::ReadAhead { data, position } = &mut *self.memory() {
            let unread = data.len() - *position;
            if unread > 0 && os.kind == FileKind::Regular {
                let back = i64::try_from(unread).unwrap_or(i64::MAX);
                // A file that cannot be sought after all keeps the bytes: they are read here first.
                if (&*os.file).seek(SeekFrom::Current(-back)).is_ok() {
                    data.clear();
                    *position = 0;
                }
            } else if unread == 0 {
                data.clear();
                *position = 0;
            }
        }
    }

    /// Lets the last bytes that were read from a regular file be read again; of anything else they are gone.
    pub fn step_back(&self, count: u64) {
        let Some(os) = self.os().filter(|os| os.kind == FileKind::Regular) else { return };
        let count = match &mut *self.memory() {
            Memory::ReadAhead { data, position } => {
                let unread = (data.len() - *position) as u64;
                data.clear();
                *position = 0;
                count.saturating_add(unread)
            }
            _ => count,
        };
        // Nothing else is lost where the system refuses.
        let _ = i64::try_from(count).map(|count| (&*os.file).seek(SeekFrom::Current(-count)));
    }

    /// The OS object for a child to inherit, made now if the stream is still in memory; large input goes through an
    /// unnamed file in `temp_dir` where the system has none without a name.
    ///
    /// # Errors
    /// As the system says (no more descriptors, temporary directory not writable).
    pub fn share(&self, temp_dir: &Path) -> io::Result<Arc<File>> {
        self.share_by(temp_dir, feed)
    }

    /// [`Self::share`] with somebody who makes a pipe that first gives what was read ahead, and then what comes from the file.
    pub fn share_by(
        &self,
        temp_dir: &Path,
        feed: impl FnOnce(Vec<u8>, &Arc<File>) -> io::Result<Arc<File>>,
    ) -> io::Result<Arc<File>> {
        // From now on others read it as well: nothing is read ahead that cannot be given back.
        self.private.store(false, Ordering::Release);
        if let Some(os) = self.os() {
            self.give_back(os);
            return self.share_unread(os, feed);
        }
        let memory = self.memory();
        if let Some(os) = self.os() {
            return Ok(os.file.clone());
        }
        let file = match &*memory {
            Memory::Null | Memory::ReadAhead { .. } => open_null()?,
            Memory::Input { data, position } => input_file(&data[*position..], temp_dir)?,
            Memory::Capture(state) => state.promote()?,
        };
        let kind = FileKind::of(&file);
        let os = OsFile { file: Arc::new(file), kind };
        let file = os.file.clone();
        let _ = self.os.set(os);
        drop(memory);
        // What was unread is in the OS object now.
        let mut memory = self.memory();
        if matches!(&*memory, Memory::Input { .. }) {
            *memory = Memory::ReadAhead { data: Vec::new(), position: 0 };
        }
        Ok(file)
    }

    /// The OS object, with what was read ahead of it and cannot be given back: a pipe takes its place that gives that
    /// first, to this stream as well.
    fn share_unread(
        &self,
        os: &OsFile,
        feed: impl FnOnce(Vec<u8>, &Arc<File>) -> io::Result<Arc<File>>,
    ) -> io::Result<Arc<File>> {
        if let Memory::ReadAhead { data, position } = &mut *self.memory()
            && *position < data.len()
            && self.relay.get().is_none()
        {
            let file = feed(data[*position..].to_vec(), &os.file)?;
            data.clear();
            *position = 0;
            let kind = FileKind::of(&file);
            let _ = self.relay.set(OsFile { file: file.clone(), kind });
            return Ok(file);
        }
        Ok(self.os().map_or_else(|| os.file.clone(), |os| os.file.clone()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A description that another process shares continues where our reader stopped.
        if let Some(os) = self.os() {
            self.give_back(os);
        }
    }
}

/// A pipe that first gives `left` and then everything that comes from `rest`. The thread ends when either side does.
pub fn feed(left: Vec<u8>, rest: &Arc<File>) -> io::Result<Arc<File>> {
    let (reader, mut writer) = hookshell_process::pipe()?;
    let rest = rest.clone();
    start_thread("hookshell-feed", 64 * 1024, move || {
        hookshell_process::block_sigpipe_on_this_thread();
        if writer.write_all(&left).is_ok() {
            let mut buffer = vec![0; READ_AHEAD];
            while let Ok(count) = (&*rest).read(&mut buffer) {
                if count == 0 || writer.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
        }
    })?;
    Ok(Arc::new(reader))
}

fn input_file(data: &[u8], temp_dir: &Path) -> io::Result<File> {
    if data.len() <= PIPE_ROOM {
        let (reader, mut writer) = hookshell_process::pipe()?;
        writer.write_all(data)?;
        return Ok(reader);
    }
    let mut file = hookshell_process::anonymous_file(temp_dir)?;
    file.write_all(data)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Opens the null device for reading and writing.
pub fn open_null() -> io::Result<File> {
    let path = if cfg!(windows) { "NUL" } else { "/dev/null" };
    File::options().read(true).write(true).open(path)
}

/// Appends the bytes up to and including the next `delimiter`, if there is one after `position`.
#[inline]
fn take_line(data: &[u8], position: &mut usize, delimiter: u8, out: &mut Vec<u8>) -> bool {
    let rest = data.get(*position..).unwrap_or_default();
    let Some(found) = memchr::memchr(delimiter, rest) else { return false };
    out.extend_from_slice(&rest[..=found]);
    *position += found + 1;
    true
}

/// What [`Stream::read_piece_until`] has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// What ends with the delimiter.
    Found,
    /// What ends with the file.
    End,
    /// There is more.
    Part,
}

/// What the system says of a descriptor that is not open, or not for this direction.
pub fn bad_descriptor() -> io::Error {
    // EBADF is 9 on every Unix; on Windows ERROR_INVALID_HANDLE is 6.
    io::Error::from_raw_os_error(if cfg!(windows) { 6 } else { 9 })
}
