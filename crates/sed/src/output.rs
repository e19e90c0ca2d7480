//! Where sed writes.

use std::fs::File;
use std::io::{self, Write};

use hookshell_files::mode::create_file;
use hookshell_process::Opening;
use hookshell_utility::SpecialFile;
use hookshell_utility::io::{BUFFER, Failure, Running};

/// What a sink leads to.
enum Target {
    Stdout,
    Stderr,
    File(File),
    /// The null device, which is not a file everywhere.
    Null,
}

struct Sink {
    target: Target,
    /// The last line that was written had no newline: the next one brings it.
    open: bool,
    data: Vec<u8>,
}

/// All outputs of a run.
pub(crate) struct Outputs<'r, 'a> {
    running: &'r Running<'a>,
    stdout: Vec<u8>,
    sinks: Vec<Sink>,
    end: u8,
    unbuffered: bool,
}

/// The output that lines are printed to: standard output, or the file that is edited in place.
pub(crate) const MAIN: usize = 0;

impl<'r, 'a> Outputs<'r, 'a> {
    /// Opens the files; the error is a name and what is wrong with it.
    pub(crate) fn open(
        running: &'r Running<'a>,
        names: &[Vec<u8>],
        end: u8,
        unbuffered: bool,
    ) -> Result<Self, (Vec<u8>, io::Error)> {
        let sink = |target| Sink { target, open: false, data: Vec::new() };
        let mut sinks = vec![sink(Target::Stdout)];
        for name in names {
            sinks.push(sink(match &name[..] {
                b"/dev/stdout" => Target::Stdout,
                b"/dev/stderr" => Target::Stderr,
                _ => match running.special(name) {
                    Some(SpecialFile::Null) => Target::Null,
                    Some(SpecialFile::Descriptor(1)) => Target::Stdout,
                    Some(SpecialFile::Descriptor(2)) => Target::Stderr,
                    _ => {
                        let opening = Opening { truncate: true, ..Opening::to_write() };
                        let path = running.path(name);
                        let opened = match running.open_as(&path, opening) {
                            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                                create_file(running.context(), &path)
                            }
                            opened => opened,
                        };
                        Target::File(opened.map_err(|error| (name.clone(), error))?)
                    }
                },
            }));
        }
        Ok(Self { running, stdout: Vec::new(), sinks, end, unbuffered })
    }

    /// Leads the main output to a file, or back to standard output.
    pub(crate) fn redirect(&mut self, file: Option<File>) -> Result<(), Failure> {
        self.flush_sink(MAIN)?;
        if let Some(sink) = self.sinks.get_mut(MAIN) {
            sink.target = file.map_or(Target::Stdout, Target::File);
            sink.open = false;
        }
        Ok(())
    }

    /// Writes a line; without its newline where it had none.
    pub(crate) fn line(&mut self, sink: usize, text: &[u8], terminated: bool) -> Result<(), Failure> {
        let end = self.end;
        self.close_line(sink)?;
        let buffer = self.buffer(sink);
        buffer.extend_from_slice(text);
        if terminated {
            buffer.push(end);
        }
        if let Some(sink) = self.sinks.get_mut(sink) {
            sink.open = !terminated;
        }
        self.settle(sink)
    }

    /// Writes a text as it is.
    pub(crate) fn text(&mut self, sink: usize, text: &[u8]) -> Result<(), Failure> {
        self.close_line(sink)?;
        self.buffer(sink).extend_from_slice(text);
        self.settle(sink)
    }

    /// Adds the newline that is missing.
    fn close_line(&mut self, sink: usize) -> Result<(), Failure> {
        let end = self.end;
        if let Some(known) = self.sinks.get_mut(sink)
            && std::mem::take(&mut known.open)
        {
            self.buffer(sink).push(end);
        }
        Ok(())
    }

    fn buffer(&mut self, sink: usize) -> &mut Vec<u8> {
        match self.sinks.get_mut(sink) {
            Some(Sink { target: Target::File(_) | Target::Stderr | Target::Null, data, .. }) => data,
            _ => &mut self.stdout,
        }
    }

    fn settle(&mut self, sink: usize) -> Result<(), Failure> {
        // Standard error is never buffered.
        let at_once = matches!(self.sinks.get(sink), Some(Sink { target: Target::Stderr, .. }));
        if at_once || self.buffer(sink).len() >= BUFFER { self.flush_sink(sink) } else { Ok(()) }
    }

    fn flush_sink(&mut self, sink: usize) -> Result<(), Failure> {
        match self.sinks.get_mut(sink) {
            Some(Sink { target: Target::File(file), data, .. }) => {
                let written = file.write_all(data);
                data.clear();
                written.map_err(Failure::Write)
            }
            Some(Sink { target: Target::Null, data, .. }) => {
                data.clear();
                Ok(())
            }
            Some(Sink { target: Target::Stderr, data, .. }) => {
                let data = std::mem::take(data);
                match self.running.context().stderr() {
                    Some(stderr) => stderr.write_all(&data, self.running.interrupt()).map_err(Failure::Write),
                    None => Ok(()),
                }
            }
            _ => {
                let written = self.running.write(&self.stdout);
                self.stdout.clear();
                written
            }
        }
    }

    /// Writes everything out.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        for sink in 0..self.sinks.len() {
            self.flush_sink(sink)?;
        }
        Ok(())
    }

    /// At the end of a cycle: where each line is to be seen at once.
    pub(crate) fn cycle(&mut self) -> Result<(), Failure> {
        if self.unbuffered { self.flush() } else { Ok(()) }
    }
}
