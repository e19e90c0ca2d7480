//! What a file descriptor of the interpreter leads to.

mod capture;
mod read;
mod share;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use hookshell_process::sync::lock;
use hookshell_process::{FileKind, Interrupt};

use self::capture::CaptureState;
pub use self::capture::{Capture, OutputSink};
pub use self::read::Piece;
pub use self::share::feed;
use crate::budget::Held;
use crate::first_line::FirstLine;

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

    /// The OS file that it is, if there is one already.
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
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A description that another process shares continues where our reader stopped.
        if let Some(os) = self.os() {
            self.give_back(os);
        }
    }
}

/// Opens the null device for reading and writing.
pub fn open_null() -> io::Result<File> {
    let path = if cfg!(windows) { "NUL" } else { "/dev/null" };
    File::options().read(true).write(true).open(path)
}

/// What the system says of a descriptor that is not open, or not for this direction.
pub fn bad_descriptor() -> io::Error {
    // EBADF is 9 on every Unix; on Windows ERROR_INVALID_HANDLE is 6.
    io::Error::from_raw_os_error(if cfg!(windows) { 6 } else { 9 })
}
