//! What every utility does with its context: reading, writing, messages.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookshell_process::{
    FileKind, Interrupt, Interrupted, Lead, Opened, Opening, host_file_error, is_fifo, is_interrupted, is_missing,
    lead, open_fifo, script_path,
};

use crate::memory::HeldMemory;
use crate::profile::Profile;
use crate::quote;
use crate::special_file::{SpecialFile, special_file, special_name};
use crate::stream::{Piece, Stream};
use crate::utility::{Stopped, Unsupported, UtilityContext};

/// How much is read and written at once.
pub const BUFFER: usize = 64 * 1024;

/// What a line that is kept by itself takes beside its text: its place among others, which have room for more, and what the
/// allocator adds.
pub const PER_LINE: usize = 64;

/// Why a utility cannot continue.
#[derive(Debug)]
pub enum Failure {
    /// The run is over for it.
    Stopped(Stopped),
    /// Standard output does not take it.
    Write(io::Error),
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// A running utility.
pub struct Running<'a> {
    profile: Profile,
    context: &'a UtilityContext<'a>,
    interrupt: &'a Interrupt,
    /// Started when the run was already cancelled, so as a command of a trap: only the hard stop ends it.
    in_grace: bool,
}

/// An input.
pub enum Source {
    /// Standard input.
    Stream(Arc<Stream>),
    /// A file.
    File(File, FileKind),
}

/// The charge for what a utility keeps in memory, against the run's limit for as long as this lives.
#[derive(Debug)]
pub struct MemoryCharge {
    held: HeldMemory,
    name: &'static str,
}

impl MemoryCharge {
    /// It is so many bytes now.
    pub fn set(&mut self, bytes: usize) -> Result<(), Stopped> {
        if self.held.set(bytes, self.name) { Ok(()) } else { Err(Stopped::Cancelled) }
    }

    /// Makes room for `more` elements after those that are there, which are all that this counts: what a full vector grows to is
    /// counted first, and asked of the system.
    pub fn room<T>(&mut self, vector: &mut Vec<T>, more: usize) -> Result<(), Stopped> {
        let (length, before) = (vector.len(), vector.capacity());
        if before - length >= more {
            return Ok(());
        }
        let capacity = length.saturating_add(more).max(before.saturating_mul(2));
        let bytes = capacity.saturating_mul(size_of::<T>());
        // While it is moved it is there twice.
        self.set(bytes.saturating_add(before.saturating_mul(size_of::<T>())))?;
        if vector.try_reserve_exact(capacity - length).is_err() {
            self.held.run_out(self.name);
            return Err(Stopped::Cancelled);
        }
        self.set(bytes)
    }

    /// Makes it `length` long, as [`Vec::resize`] does, with [`Self::room`].
    pub fn resize(&mut self, buffer: &mut Vec<u8>, length: usize) -> Result<(), Stopped> {
        self.room(buffer, length.saturating_sub(buffer.len()))?;
        buffer.resize(length, 0);
        Ok(())
    }
}

impl<'a> Running<'a> {
    /// Runs `body`, which gives the exit status, and turns its failure into what the interpreter wants. GNU's `close_stdout` tells
    /// when standard output cannot be written to.
    pub fn run(
        profile: Profile,
        context: &'a UtilityContext<'a>,
        body: impl FnOnce(&Self) -> Result<u8, Failure>,
    ) -> Result<u8, Stopped> {
        let in_grace = context.cancel.is_cancelled();
        let running = Self {
            profile,
            context,
            interrupt: if in_grace { context.cancel.hard_interrupt() } else { context.cancel.interrupt() },
            in_grace,
        };
        match body(&running) {
            Ok(status) => Ok(status),
            Err(Failure::Stopped(stopped)) => Err(stopped),
            Err(Failure::Write(error)) => {
                let Some(status) = profile.write_error else { return Ok(0) };
                running.message(format!("write error: {}", reason(&error)).as_bytes())?;
                Ok(status)
            }
        }
    }

    /// Says what is not supported; the status is that of a wrong command line.
    pub fn refuse(&self, unsupported: &Unsupported) -> Result<u8, Failure> {
        let name = self.profile.name;
        self.message(format!("hookshell's own {name} does not support {unsupported}").as_bytes())?;
        Ok(unsupported.status(self.profile.usage))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.profile.name
    }

    /// What it works with.
    pub fn context(&self) -> &'a UtilityContext<'a> {
        self.context
    }

    /// Ends the utility when the run was cancelled.
    pub fn check(&self) -> Result<(), Stopped> {
        let stop = if self.in_grace { self.context.cancel.is_killed() } else { self.context.cancel.is_cancelled() };
        if stop { Err(Stopped::Cancelled) } else { Ok(()) }
    }

    /// Something that it keeps in memory.
    pub fn keep(&self) -> MemoryCharge {
        MemoryCharge { held: self.context.memory.hold(), name: self.profile.name }
    }

    /// What blocking calls are made through.
    pub fn interrupt(&self) -> &Interrupt {
        self.interrupt
    }

    /// Writes to standard output.
    pub fn write(&self, data: &[u8]) -> Result<(), Failure> {
        self.check()?;
        if data.is_empty() {
            return Ok(());
        }
        let Some(stdout) = self.context.stdout() else {
            return Err(Failure::Write(closed()));
        };
        stdout.write_all(data, self.interrupt).map_err(|error| match stop_of(&error) {
            Some(stopped) => Failure::Stopped(stopped),
            None => Failure::Write(error),
        })
    }

    /// Writes `NAME: text` and a newline to standard error; a message that cannot be written is lost, as anywhere.
    pub fn message(&self, text: &[u8]) -> Result<(), Stopped> {
        let Some(stderr) = self.context.stderr() else {
            return Ok(());
        };
        let line = [self.profile.name.as_bytes(), b": ", text, b"\n"].concat();
        match stderr.write_all(&line, self.interrupt) {
            Err(error) if is_interrupted(&error) => Err(Stopped::Cancelled),
            _ => Ok(()),
        }
    }

    /// A usage error: the message and GNU's hint; the status is 1.
    pub fn usage(&self, text: &[u8]) -> Result<u8, Failure> {
        let hint = format!("\nTry '{} --help' for more information.", self.profile.name);
        self.message(&[text, hint.as_bytes()].concat())?;
        Ok(1)
    }

    /// Writes a prompt to standard error and reads the answer: does it begin with `y`?
    pub fn ask(&self, question: &[u8]) -> Result<bool, Failure> {
        if let Some(stderr) = self.context.stderr() {
            let prompt = [self.profile.name.as_bytes(), b": ", question].concat();
            let _ = stderr.write_all(&prompt, self.interrupt);
        }
        let Some(stdin) = self.context.stdin() else {
            return Ok(false);
        };
        let mut answer = Vec::new();
        match stdin.read_until(b'\n', &mut answer, BUFFER, self.interrupt) {
            Err(error) if is_interrupted(&error) => Err(Stopped::Cancelled.into()),
            Err(_) => Ok(false),
            Ok(_) => Ok(matches!(answer.first(), Some(b'y' | b'Y'))),
        }
    }

    /// An operand as an absolute path.
    pub fn path(&self, operand: &[u8]) -> PathBuf {
        #[cfg(unix)]
        if let Some(path) = self.path_of_descriptor(operand) {
            return path;
        }
        script_path::resolve(operand, self.context.cwd, || self.temp_dir())
    }

    /// The script's descriptors have other numbers in this process: `/dev/fd/63` of a process substitution is looked at by
    /// the number that it has here.
    #[cfg(unix)]
    fn path_of_descriptor(&self, operand: &[u8]) -> Option<PathBuf> {
        use std::os::fd::AsRawFd as _;
        if !operand.starts_with(b"/") {
            return None;
        }
        let Some(SpecialFile::Descriptor(number)) = special_name(operand) else { return None };
        match self.context.fds.get(number).and_then(|stream| stream.file()) {
            Some(file) => Some(PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()))),
            // Never those of this process, which have nothing to do with the script.
            None if number > 2 => Some(PathBuf::from("/dev/fd/closed")),
            None => None,
        }
    }

    /// An operand in the words of the system, not made absolute: on Windows `C:\x` of `/c/x`.
    pub fn native<'p>(&self, operand: &'p [u8]) -> Cow<'p, [u8]> {
        script_path::native(operand, self.context.cwd, || self.temp_dir())
    }

    /// Where temporary files of the run go.
    pub fn temp_dir(&self) -> PathBuf {
        script_path::temp_dir(|name| self.context.variable(name).map(PathBuf::from))
    }

    /// Opens an operand for reading; `-` is standard input.
    pub fn open(&self, operand: &[u8]) -> Result<io::Result<Source>, Stopped> {
        if operand == b"-" { Ok(self.descriptor(0).map(Source::Stream)) } else { self.open_file(operand) }
    }

    /// An open descriptor of the script's.
    pub fn descriptor(&self, number: u32) -> io::Result<Arc<Stream>> {
        self.context.fds.get(number).cloned().ok_or_else(closed)
    }

    /// Opens a file for reading; `/dev/stdin` and `/dev/fd/N` are the script's own descriptors.
    pub fn open_file(&self, operand: &[u8]) -> Result<io::Result<Source>, Stopped> {
        match special_name(operand) {
            Some(SpecialFile::Descriptor(number)) => return Ok(self.descriptor(number).map(Source::Stream)),
            Some(SpecialFile::Host) => return Ok(Err(host_file_error())),
            Some(SpecialFile::Null) => return Ok(Ok(Source::Stream(Arc::new(Stream::null())))),
            Some(SpecialFile::Device(device)) => {
                return Ok(device.open().map(|stream| Source::Stream(Arc::new(stream))));
            }
            None => {}
        }
        if operand.is_empty() {
            return Ok(Err(ErrorKind::NotFound.into()));
        }
        let path = self.path(operand);
        let opened = if cfg!(windows) && path.is_dir() {
            Err(ErrorKind::IsADirectory.into())
        } else {
            self.open_path(&path, self.opening(Opening::to_read()))
        };
        if opened.as_ref().is_err_and(is_interrupted) {
            return Err(Stopped::Cancelled);
        }
        Ok(opened.and_then(|opened| match opened {
            Opened::Descriptor(number) => self.descriptor(number).map(Source::Stream),
            Opened::File(file) => {
                let kind = FileKind::of(&file);
                Ok(Source::File(file, kind))
            }
        }))
    }

    /// Opens what the path leads to for the script. To open a FIFO waits for its other side, but no longer than the utility runs.
    ///
    /// # Errors
    /// As [`Opening::open_for`]; [`Interrupted`] where the utility is to end, which [`Self::report_error`] makes of it.
    pub(crate) fn open_path(&self, path: &Path, opening: Opening) -> io::Result<Opened> {
        // A pipe of this process's is none of the script's.
        if opening.nonblocking || !is_fifo(path) || lead(path, self.context.cwd) != Lead::Ordinary {
            return opening.open_for(path, self.context.cwd);
        }
        let target = path.to_owned();
        match open_fifo(self.interrupt, path, opening.read, move || opening.open(&target)) {
            Some(opened) => opened.map(Opened::File),
            None => Err(io::Error::new(ErrorKind::Interrupted, Interrupted)),
        }
    }

    /// How files are opened for this script.
    pub fn opening(&self, opening: Opening) -> Opening {
        Opening { guest: self.context.commands.is_guest(), ..opening }
    }

    /// Opens a file that is written to by its own rules; a descriptor of the script's is written to from where it stands.
    pub fn open_as(&self, path: &Path, opening: Opening) -> io::Result<File> {
        match self.open_path(path, self.opening(opening))? {
            Opened::File(file) => Ok(file),
            Opened::Descriptor(number) => match self.descriptor(number)?.file() {
                Some(file) => file.try_clone(),
                None => Err(ErrorKind::Unsupported.into()),
            },
        }
    }

    /// What the operand means beside files: see [`special_file`].
    pub fn special(&self, operand: &[u8]) -> Option<SpecialFile> {
        special_file(operand, self.context.cwd)
    }

    /// Reads once; 0 is the end of the file.
    pub fn read(&self, source: &Source, buffer: &mut [u8]) -> Result<io::Result<usize>, Stopped> {
        self.check()?;
        let read = match source {
            Source::Stream(stream) => stream.read(buffer, self.interrupt),
            Source::File(file, kind) => self.interrupt.read(file, *kind, buffer),
        };
        match read {
            Err(error) if is_interrupted(&error) => Err(Stopped::Cancelled),
            read => Ok(read),
        }
    }

    /// Appends to `line` up to and including the next `delimiter`, and takes nothing after it from a stream that others read too.
    /// Whether it was found; else the stream has ended. `kept` counts the line.
    pub fn read_line(
        &self,
        stream: &Stream,
        delimiter: u8,
        line: &mut Vec<u8>,
        kept: &mut MemoryCharge,
    ) -> Result<io::Result<bool>, Stopped> {
        loop {
            self.check()?;
            // What is ahead is taken in one piece.
            kept.room(line, 2 * BUFFER)?;
            match stream.read_piece_until(delimiter, line, BUFFER, self.interrupt) {
                Ok(Piece::Found) => return Ok(Ok(true)),
                Ok(Piece::End) => return Ok(Ok(false)),
                Ok(Piece::Part) => {}
                Err(error) if is_interrupted(&error) => return Err(Stopped::Cancelled),
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// `NAME: what: reason`.
    pub fn report_error(&self, what: &[u8], error: &io::Error) -> Result<(), Stopped> {
        if is_interrupted(error) {
            return Err(Stopped::Cancelled);
        }
        self.message(&[what, b": ", reason(error).as_bytes()].concat())
    }

    /// `NAME: doing 'name': reason`.
    pub fn report_error_of(&self, doing: &str, name: &[u8], error: &io::Error) -> Result<(), Stopped> {
        self.report_error(&[doing.as_bytes(), b" ", &quote::always(name)].concat(), error)
    }
}

/// The content of a file that a script with this working directory names and that is read as a whole, of at most so many bytes. A
/// file may be longer than its size says, and a file with holes longer than any memory. `None`: it is no regular file, so that it
/// might be one that can be read only once, or that has no end.
///
/// What it is says the file that was opened, and not its name, which may lead elsewhere by then; no FIFO or device is waited for.
///
/// # Errors
/// As the system says, and as it says of names that lead to this process's own files ([`Opening::open`]); [`ErrorKind::IsADirectory`];
/// [`ErrorKind::FileTooLarge`].
pub fn read_file(path: &Path, cwd: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    if is_fifo(path) {
        return Ok(None);
    }
    if cfg!(windows) && path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let opening = Opening { nonblocking: true, ..Opening::to_read() };
    let Opened::File(file) = opening.open_for(path, cwd)? else { return Ok(None) };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Ok(None);
    }
    let mut content = Vec::new();
    if metadata.len() > most || file.take(most.saturating_add(1)).read_to_end(&mut content)? as u64 > most {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(Some(content))
}

/// The longest program, or list of patterns, that is read from a file.
pub const LONGEST_PROGRAM: u64 = 64 << 20;

/// What is left of a descriptor of the script's that an operand names (`-`, `/dev/stdin`, `/dev/fd/N`), for what must be read before a
/// utility runs: its program. `None`: it names none, or one that cannot be read.
pub fn read_descriptor(context: &UtilityContext<'_>, operand: &[u8]) -> Option<Vec<u8>> {
    /// Nothing that is longer is a program.
    const LONGEST: usize = 16 * 1024 * 1024;
    let number = match special_file(operand, context.cwd) {
        _ if operand == b"-" => 0,
        Some(SpecialFile::Descriptor(number)) => number,
        Some(SpecialFile::Null) => return Some(Vec::new()),
        _ => return None,
    };
    let stream = context.fds.get(number)?;
    let mut text = Vec::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        match stream.read(&mut buffer, context.cancel.interrupt()) {
            Ok(0) => return Some(text),
            Ok(count) => text.extend_from_slice(buffer.get(..count)?),
            Err(_) => return None,
        }
        if text.len() > LONGEST {
            return None;
        }
    }
}

/// What a failed write says about the run.
fn stop_of(error: &io::Error) -> Option<Stopped> {
    if error.kind() == ErrorKind::BrokenPipe {
        Some(Stopped::BrokenPipe)
    } else if is_interrupted(error) {
        Some(Stopped::Cancelled)
    } else {
        None
    }
}

fn closed() -> io::Error {
    // EBADF is 9 on every Unix; on Windows ERROR_INVALID_HANDLE is 6.
    io::Error::from_raw_os_error(if cfg!(windows) { 6 } else { 9 })
}

/// The system's text for an error, as `strerror` gives it on Linux.
pub fn reason(error: &io::Error) -> String {
    let known = match error.kind() {
        _ if is_missing(error) => "No such file or directory",
        ErrorKind::PermissionDenied if error.raw_os_error() != Some(1) || cfg!(windows) => "Permission denied",
        ErrorKind::AlreadyExists => "File exists",
        ErrorKind::NotADirectory => "Not a directory",
        ErrorKind::IsADirectory => "Is a directory",
        ErrorKind::DirectoryNotEmpty => "Directory not empty",
        ErrorKind::ReadOnlyFilesystem => "Read-only file system",
        ErrorKind::StorageFull => "No space left on device",
        ErrorKind::FileTooLarge => "File too large",
        _ if cfg!(windows) && error.raw_os_error() == Some(6) => "Bad file descriptor",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(at) => text.get(..at).unwrap_or(&text).to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

    use super::*;

    #[test]
    fn a_file_is_read_as_a_whole_up_to_its_limit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        std::fs::write(&path, "abc").unwrap();
        let read = |path: &Path, most| read_file(path, directory.path(), most);
        assert_eq!(read(&path, 3).unwrap().unwrap(), b"abc");
        assert_eq!(read(&path, 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(directory.path(), 3).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(read(&directory.path().join("none"), 3).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_of_the_scripts_is_not_read_as_one() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("f"), "abc").unwrap();
        let read = |path: &str| read_file(Path::new(path), directory.path(), 10);
        // A device has no end, and a descriptor of this process is none of the script's.
        assert_eq!(read("/dev/zero").unwrap(), None);
        assert_eq!(read("/proc/self/fd/0").unwrap(), None);
        read("/proc/self/environ").unwrap_err();
        // The working directory is the script's.
        assert_eq!(read("/proc/self/cwd/f").unwrap().unwrap(), b"abc");
    }

    #[cfg(unix)]
    #[test]
    fn the_writer_of_a_fifo_is_left_waiting_for_who_reads_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert_eq!(read_file(&path, directory.path(), 10).unwrap(), None);
        let writer = std::thread::spawn({
            let path = path.clone();
            move || File::options().write(true).open(path).and_then(|mut file| io::Write::write_all(&mut file, b"a"))
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(read_file(&path, directory.path(), 10).unwrap(), None);
        assert_eq!(std::fs::read(&path).unwrap(), b"a");
        writer.join().unwrap().unwrap();
    }
}
