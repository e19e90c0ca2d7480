//! Where `print` writes to, and what `getline` reads from: the open files and commands.

use std::fs::File;
use std::io;
use std::sync::Arc;

use hashbrown::HashMap;
use hookshell_process::{FileKind, is_interrupted};
use hookshell_utility::io::{BUFFER, Failure, Running, Source};
use hookshell_utility::{FdTable, ShellCall, SpecialFile, StartedShell, Stopped, Stream};

use super::ast::RedirectionKind;
use super::input::Reader;

/// An output.
enum Sink {
    Stdout,
    Stream(Arc<Stream>),
    File(File, FileKind),
    /// The command reads the other end of the pipe.
    Command(Arc<Stream>, Box<dyn StartedShell>),
}

/// An open output.
struct Output {
    sink: Sink,
    buffer: Vec<u8>,
    /// Written to at once, as standard error is.
    is_unbuffered: bool,
}

/// A command that is read from.
struct Input {
    reader: Reader,
    command: Option<Box<dyn StartedShell>>,
}

/// What is open of one kind, by name.
#[derive(Default)]
struct Table {
    outputs: HashMap<Box<[u8]>, Output>,
    inputs: HashMap<Box<[u8]>, Input>,
}

/// All that is open: a file and a command may have the same name.
#[derive(Default)]
pub(super) struct Streams {
    files: Table,
    commands: Table,
    /// The outputs in the order in which they were opened; is it a command?
    order: Vec<(bool, Box<[u8]>)>,
}

/// Why an output failed.
pub(super) enum OutputError {
    Failure(Failure),
    System(io::Error),
    /// The command was not started: why.
    Command(String),
}

impl From<Failure> for OutputError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Stopped> for OutputError {
    fn from(stopped: Stopped) -> Self {
        Self::Failure(Failure::Stopped(stopped))
    }
}

fn stop_or(error: io::Error) -> OutputError {
    if is_interrupted(&error) { Stopped::Cancelled.into() } else { OutputError::System(error) }
}

impl Output {
    fn flush(&mut self, running: &Running<'_>, stdout: &mut Vec<u8>) -> Result<(), OutputError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = match &mut self.sink {
            Sink::Stdout => {
                stdout.append(&mut self.buffer);
                Ok(())
            }
            Sink::Stream(stream) => stream.write_all(&self.buffer, running.interrupt()),
            Sink::File(file, kind) => running.interrupt().write_all(file, *kind, &self.buffer),
            Sink::Command(pipe, _) => match pipe.write_all(&self.buffer, running.interrupt()) {
                // The command reads no further: as if SIGPIPE had ended us.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    self.buffer.clear();
                    return Err(Stopped::BrokenPipe.into());
                }
                written => written,
            },
        };
        self.buffer.clear();
        running.check()?;
        written.map_err(stop_or)
    }
}

impl Streams {
    fn table(&mut self, is_command: bool) -> &mut Table {
        if is_command { &mut self.commands } else { &mut self.files }
    }

    /// Starts a command line with one descriptor replaced.
    fn start(running: &Running<'_>, command: &[u8], fd: u32, end: File) -> Result<Box<dyn StartedShell>, String> {
        let mut fds = running.context().fds.clone();
        fds.replace(fd, Some(Arc::new(Stream::from_private_pipe(end))));
        start(running, command, fds)
    }

    fn open(running: &Running<'_>, kind: RedirectionKind, name: &[u8]) -> Result<Output, OutputError> {
        let mut is_unbuffered = false;
        let sink = match kind {
            RedirectionKind::Command => {
                let (reader, writer) = hookshell_process::pipe().map_err(OutputError::System)?;
                let command = Self::start(running, name, 0, reader).map_err(OutputError::Command)?;
                Sink::Command(Arc::new(Stream::from_private_pipe(writer)), command)
            }
            _ => match running.special(name) {
                Some(SpecialFile::Descriptor(1)) => Sink::Stdout,
                Some(SpecialFile::Descriptor(number)) => {
                    is_unbuffered = number == 2;
                    Sink::Stream(running.descriptor(number).map_err(OutputError::System)?)
                }
                Some(SpecialFile::Host) => {
                    return Err(OutputError::System(hookshell_process::host_file_error()));
                }
                Some(SpecialFile::Null | SpecialFile::Device(_)) => Sink::Stream(Arc::new(Stream::null())),
                None => {
                    let file = create(running, name, kind)?.map_err(OutputError::System)?;
                    let kind = FileKind::of(&file);
                    Sink::File(file, kind)
                }
            },
        };
        Ok(Output { sink, buffer: Vec::new(), is_unbuffered })
    }

    /// Writes to a file or command, which is opened where it is not.
    pub(super) fn write(
        &mut self,
        running: &Running<'_>,
        kind: RedirectionKind,
        name: &[u8],
        data: &[u8],
        stdout: &mut Vec<u8>,
    ) -> Result<(), OutputError> {
        let is_command = kind == RedirectionKind::Command;
        if !self.table(is_command).outputs.contains_key(name) {
            // What was printed before stands before what the command prints.
            flush_stdout(running, stdout)?;
            let output = Self::open(running, kind, name)?;
            self.order.push((is_command, name.into()));
            self.table(is_command).outputs.insert(name.into(), output);
        }
        let Some(output) = self.table(is_command).outputs.get_mut(name) else { return Ok(()) };
        if matches!(output.sink, Sink::Stdout) {
            stdout.extend_from_slice(data);
            if stdout.len() >= BUFFER {
                flush_stdout(running, stdout)?;
            }
            return Ok(());
        }
        output.buffer.extend_from_slice(data);
        if output.is_unbuffered || output.buffer.len() >= BUFFER {
            output.flush(running, stdout)?;
        }
        Ok(())
    }

    /// Writes out everything that is buffered.
    pub(super) fn flush(&mut self, running: &Running<'_>, stdout: &mut Vec<u8>) -> Result<(), OutputError> {
        flush_stdout(running, stdout)?;
        for output in self.files.outputs.values_mut().chain(self.commands.outputs.values_mut()) {
            output.flush(running, stdout)?;
        }
        Ok(())
    }

    /// `fflush(name)`: was it open?
    pub(super) fn flush_one(
        &mut self,
        running: &Running<'_>,
        name: &[u8],
        stdout: &mut Vec<u8>,
    ) -> Result<bool, OutputError> {
        let mut found = false;
        for table in [&mut self.files, &mut self.commands] {
            if let Some(output) = table.outputs.get_mut(name) {
                output.flush(running, stdout)?;
                found = true;
            }
        }
        if found {
            flush_stdout(running, stdout)?;
        }
        Ok(found)
    }

    /// The reader of a file or command, which is opened where it is not. `None`: it cannot be opened.
    pub(super) fn reader(
        &mut self,
        running: &Running<'_>,
        is_command: bool,
        name: &[u8],
        stdout: &mut Vec<u8>,
    ) -> Result<Option<&mut Reader>, OutputError> {
        if !self.table(is_command).inputs.contains_key(name) {
            let input = if is_command {
                self.flush(running, stdout)?;
                let (reader, writer) = hookshell_process::pipe().map_err(OutputError::System)?;
                let command = Self::start(running, name, 1, writer).map_err(OutputError::Command)?;
                let source = Source::Stream(Arc::new(Stream::from_private_pipe(reader)));
                Input { reader: Reader::new(source), command: Some(command) }
            } else {
                match running.open_file(name)? {
                    Ok(source) => Input { reader: Reader::new(source), command: None },
                    Err(_) => return Ok(None),
                }
            };
            self.table(is_command).inputs.insert(name.into(), input);
        }
        Ok(self.table(is_command).inputs.get_mut(name).map(|input| &mut input.reader))
    }

    /// `close(name)`: the status of the command, 0 for a file, -1 when nothing of this name is open.
    pub(super) fn close(
        &mut self,
        running: &Running<'_>,
        name: &[u8],
        stdout: &mut Vec<u8>,
    ) -> Result<f64, OutputError> {
        let mut result = -1.0;
        for is_command in [false, true] {
            if let Some(output) = self.table(is_command).outputs.remove(name) {
                self.order.retain(|(kind, known)| *kind != is_command || **known != *name);
                result = close_output(running, output, stdout)?;
            }
            if let Some(Input { reader, command }) = self.table(is_command).inputs.remove(name) {
                // Its end of the pipe first: a command that still writes must see it.
                drop(reader);
                result = match command {
                    Some(mut command) => end_of(&mut *command)?,
                    None => 0.0,
                };
            }
        }
        Ok(result)
    }

    /// Closes everything at the end of the program: the commands that are written to come to their ends, and what was
    /// printed since the last of them began stands after what they print.
    pub(super) fn close_all(&mut self, running: &Running<'_>, stdout: &mut Vec<u8>) -> Result<(), OutputError> {
        let mut result = Ok(());
        for (is_command, name) in std::mem::take(&mut self.order) {
            if let Some(output) = self.table(is_command).outputs.remove(&name)
                && let Err(error) = close_output(running, output, stdout)
                && result.is_ok()
            {
                result = Err(error);
            }
        }
        for (_, Input { reader, command }) in self.files.inputs.drain().chain(self.commands.inputs.drain()) {
            drop(reader);
            if let Some(mut command) = command {
                command.wait()?;
            }
        }
        flush_stdout(running, stdout)?;
        result
    }
}

fn close_output(running: &Running<'_>, mut output: Output, stdout: &mut Vec<u8>) -> Result<f64, OutputError> {
    match output.flush(running, stdout) {
        // What a command leaves unread at its end is nobody's loss.
        Err(OutputError::Failure(Failure::Stopped(Stopped::BrokenPipe)))
            if matches!(output.sink, Sink::Command(..)) => {}
        flushed => flushed?,
    }
    match output.sink {
        Sink::Command(pipe, mut command) => {
            drop(pipe);
            Ok(end_of(&mut *command)?)
        }
        _ => Ok(0.0),
    }
}

/// Writes out what was printed to standard output.
pub(super) fn flush_stdout(running: &Running<'_>, stdout: &mut Vec<u8>) -> Result<(), Failure> {
    if !stdout.is_empty() {
        running.write(stdout)?;
        stdout.clear();
    }
    Ok(())
}

/// Waits for a command line: its status, as `system` and `close` give it.
pub(super) fn end_of(started: &mut dyn StartedShell) -> Result<f64, Stopped> {
    /// What gawk and mawk add to the number of a signal.
    const BY_SIGNAL: u16 = 256;
    let status = started.wait()?;
    Ok(f64::from(started.ended_by().map_or(u16::from(status), |signal| BY_SIGNAL + u16::from(signal))))
}

/// Starts a command line.
pub(super) fn start(running: &Running<'_>, command: &[u8], fds: FdTable) -> Result<Box<dyn StartedShell>, String> {
    let context = running.context();
    context.commands.start_shell(&ShellCall { source: command, env: context.env, cwd: context.cwd, fds })
}

/// Opens a file for writing with the run's umask.
fn create(running: &Running<'_>, name: &[u8], kind: RedirectionKind) -> Result<io::Result<File>, Stopped> {
    if name.is_empty() {
        return Ok(Err(io::ErrorKind::NotFound.into()));
    }
    let path = running.path(name);
    let append = kind == RedirectionKind::Append;
    let opened = running.open_or_create(&path, append).and_then(hookshell_process::Opened::file);
    if opened.as_ref().is_err_and(is_interrupted) {
        return Err(Stopped::Cancelled);
    }
    Ok(opened)
}
