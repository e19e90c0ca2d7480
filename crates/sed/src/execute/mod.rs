//! Running a sed script.

mod files;
mod select;
mod shown;

use std::io;
use std::sync::Arc;

use hookshell_utility::io::{BUFFER, Failure, MemoryCharge, Running, Source, reason};
use hookshell_utility::{ShellCall, Stream};

use hookshell_regex::Regex;

use self::shown::{listed, translate};
use super::command_line::CommandLine;
use super::fault::Place;
use super::input::{Input, Lines};
use super::output::{MAIN, Outputs};
use super::program::{Action, Command, Program, Select, Substitution};
use super::substitute::Workspace;

/// A line and whether it had its newline.
#[derive(Default)]
struct Line {
    text: Vec<u8>,
    terminated: bool,
}

/// The state of a range.
#[derive(Clone, Copy)]
enum Range {
    Inactive,
    /// Up to this line where the end is a number.
    Active(u64),
    /// It began at a line number and does not begin again.
    Closed,
}

/// What is written after the pattern space at the end of the cycle.
enum Appended<'p> {
    Text(&'p [u8]),
    File(&'p [u8]),
    /// A line with its end, if it had one.
    Line(Vec<u8>),
}

/// How a cycle ended.
enum Cycle {
    /// The pattern space is printed unless `-n`.
    Print,
    /// It is not.
    Silent,
    /// The next cycle begins with what is there.
    Again,
    /// The input is at its end: printed or not, then over (with separate files: with that file).
    Last { print: bool },
    /// Over, with this status.
    Quit { status: u8, print: bool },
}

struct Machine<'m, 'a> {
    running: &'m Running<'a>,
    program: &'m Program,
    options: &'m CommandLine<'a>,
    outputs: Outputs<'m, 'a>,
    input: Input<'a>,
    pattern: Line,
    hold: Line,
    /// Counts both.
    kept: MemoryCharge,
    ranges: Vec<Range>,
    appended: Vec<Appended<'m>>,
    replaced: bool,
    last_regex: Option<Regex>,
    /// Why the script does not continue: the message, and the status.
    fault: Option<(Vec<u8>, u8)>,
    workspace: Workspace,
    /// The files of `R`.
    line_files: Vec<Option<Lines>>,
    quiet: bool,
}

/// Runs a command line.
pub(crate) fn run(running: &Running<'_>, options: &CommandLine<'_>, program: &Program) -> Result<u8, Failure> {
    let outputs = match Outputs::open(running, &program.outputs, options.end, options.unbuffered) {
        Ok(outputs) => outputs,
        Err((name, error)) => {
            running.report_error(&[b"couldn't open file ", &name[..]].concat(), &error)?;
            return Ok(4);
        }
    };
    let mut waiting: std::collections::VecDeque<_> = options.operands.iter().copied().collect();
    if waiting.is_empty() {
        waiting.push_back(b"-");
    }
    let mut machine = Machine {
        running,
        program,
        options,
        outputs,
        input: Input {
            waiting,
            current: None,
            name: b"-",
            line: 0,
            edited: None,
            status: 0,
            unreadable: false,
            unbuffered: options.unbuffered,
        },
        pattern: Line::default(),
        kept: running.keep(),
        hold: Line { text: Vec::new(), terminated: true },
        ranges: vec![Range::Inactive; program.ranges],
        appended: Vec::new(),
        replaced: false,
        last_regex: None,
        fault: None,
        workspace: Workspace::default(),
        line_files: Vec::new(),
        quiet: options.quiet || program.quiet,
    };
    machine.reset_ranges();
    machine.open_line_files()?;
    let result = machine.cycles();
    if result.is_err()
        && let Some(edited) = machine.input.edited.take()
    {
        let _ = edited.temporary.remove_file();
    }
    if let Some((message, status)) = machine.fault.take() {
        machine.outputs.flush()?;
        running.message(&message)?;
        return Ok(status);
    }
    result
}

impl<'m, 'a> Machine<'m, 'a> {
    fn cycles(&mut self) -> Result<u8, Failure> {
        let mut keep = false;
        while keep || self.read(false)? {
            self.running.check()?;
            keep = false;
            match self.cycle()? {
                Cycle::Print => self.end_cycle(true)?,
                Cycle::Silent => self.end_cycle(false)?,
                Cycle::Again => {
                    self.end_cycle(false)?;
                    keep = true;
                }
                Cycle::Last { print } => {
                    self.end_cycle(print)?;
                    // With separate files the next one continues.
                    if !self.options.source.separate {
                        break;
                    }
                }
                Cycle::Quit { status, print } => {
                    if !print {
                        self.appended.clear();
                    }
                    self.end_cycle(print)?;
                    if print {
                        // `q` brings the newline that the last line lacked.
                        self.outputs.text(MAIN, b"")?;
                    }
                    self.finish_file()?;
                    self.outputs.flush()?;
                    return Ok(if self.input.status == 0 { status } else { self.input.status });
                }
            }
        }
        if self.input.unreadable {
            // GNU gives up at once.
            if let Some(edited) = self.input.edited.take() {
                let _ = edited.temporary.remove_file();
            }
            return Ok(4);
        }
        self.finish_file()?;
        self.outputs.flush()?;
        Ok(self.input.status)
    }

    fn end_cycle(&mut self, print: bool) -> Result<(), Failure> {
        if print && !self.quiet {
            self.outputs.line(MAIN, &self.pattern.text, self.pattern.terminated)?;
        }
        self.append()?;
        self.outputs.cycle()
    }

    /// Writes what `a`, `r` and `R` have left.
    fn append(&mut self) -> Result<(), Failure> {
        for appended in std::mem::take(&mut self.appended) {
            match appended {
                Appended::Text(text) => self.outputs.text(MAIN, text)?,
                Appended::Line(text) => self.outputs.text(MAIN, &text)?,
                Appended::File(name) => self.copy_file(name)?,
            }
        }
        Ok(())
    }

    /// Writes what is in a file, if it can be read.
    fn copy_file(&mut self, name: &[u8]) -> Result<(), Failure> {
        self.outputs.text(MAIN, b"")?;
        let source = match self.running.open(name)? {
            Ok(source) => source,
            // Other systems open a directory, and then cannot read it.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Err(self.unreadable(name, &error)),
            Err(_) => return Ok(()),
        };
        let mut buffer = vec![0; BUFFER];
        loop {
            match self.running.read(&source, &mut buffer)? {
                Ok(0) => return Ok(()),
                Ok(count) => self.outputs.text(MAIN, buffer.get(..count).unwrap_or_default())?,
                Err(error) => return Err(self.unreadable(name, &error)),
            }
        }
    }

    /// Ends the script.
    pub(super) fn give_up(&mut self, message: Vec<u8>, status: u8) -> Failure {
        self.fault = Some((message, status));
        Failure::Write(io::ErrorKind::InvalidData.into())
    }

    /// An empty expression means the one that was used last, and there is none.
    fn no_regex(&mut self) -> Failure {
        self.give_up(self.options.source.message(Place::End, "no previous regular expression"), 1)
    }

    /// A file of `r` or `R` was opened, but cannot be read.
    fn unreadable(&mut self, name: &[u8], error: &io::Error) -> Failure {
        self.give_up([b"read error on ", name, b": ", reason(error).as_bytes()].concat(), 4)
    }

    /// Opens the files of `R`, from their beginning.
    fn open_line_files(&mut self) -> Result<(), Failure> {
        self.line_files.clear();
        for name in &self.program.inputs {
            let source = self.running.open(name)?.ok();
            self.line_files.push(source.map(|source| Lines::new(source, self.options.unbuffered)));
        }
        Ok(())
    }

    fn message(&mut self, what: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.outputs.flush()?;
        Ok(self.running.report_error(what, error)?)
    }

    fn cycle(&mut self) -> Result<Cycle, Failure> {
        let program = self.program;
        let mut at = 0;
        let mut steps = 0_u32;
        while let Some(command) = program.commands.get(at) {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1024) {
                self.running.check()?;
            }
            at += 1;
            self.kept
                .set(self.pattern.text.capacity() + self.hold.text.capacity() + self.workspace.result.capacity())?;
            if self.is_selected(&command.select)? == command.negated {
                if let Action::Block(end) = command.action {
                    at = end;
                }
                continue;
            }
            match &command.action {
                Action::Block(_) => {}
                Action::Jump(to) => at = *to,
                Action::JumpIfReplaced(to) => {
                    if std::mem::take(&mut self.replaced) {
                        at = *to;
                    }
                }
                Action::JumpIfNot(to) => {
                    if !std::mem::take(&mut self.replaced) {
                        at = *to;
                    }
                }
                Action::Change(text) => {
                    let inside = match &command.select {
                        Select::Range(_, _, number) if !command.negated => {
                            matches!(self.ranges.get(*number), Some(Range::Active(_)))
                        }
                        _ => false,
                    };
                    if !inside {
                        self.insert(text)?;
                    }
                    return Ok(Cycle::Silent);
                }
                Action::Delete => return Ok(Cycle::Silent),
                Action::DeleteFirst => match memchr::memchr(self.options.end, &self.pattern.text) {
                    None => return Ok(Cycle::Silent),
                    Some(end) => {
                        self.pattern.text.drain(..=end);
                        return Ok(Cycle::Again);
                    }
                },
                Action::Next => {
                    if self.is_last()? {
                        return Ok(Cycle::Last { print: true });
                    }
                    if !self.quiet {
                        self.outputs.line(MAIN, &self.pattern.text, self.pattern.terminated)?;
                    }
                    if !self.read(false)? {
                        return Ok(Cycle::Quit { status: 0, print: false });
                    }
                }
                Action::NextAppend => {
                    // POSIX: what no line follows is not printed. GNU's prints it.
                    let print = !self.options.source.posix;
                    if self.is_last()? {
                        return Ok(Cycle::Last { print });
                    }
                    self.pattern.text.push(self.options.end);
                    if !self.read(true)? {
                        self.pattern.text.pop();
                        return Ok(Cycle::Last { print });
                    }
                }
                Action::Quit { status, print } => return Ok(Cycle::Quit { status: *status, print: *print }),
                Action::Substitute(substitution) => self.substitute(substitution)?,
                _ => self.simple(command)?,
            }
        }
        Ok(Cycle::Print)
    }

    /// The commands after which the next one follows.
    fn simple(&mut self, command: &'m Command) -> Result<(), Failure> {
        let end = self.options.end;
        match &command.action {
            Action::LineNumber => {
                let text = self.input.line.to_string();
                self.outputs.line(MAIN, text.as_bytes(), true)?;
            }
            Action::Append(text) => self.appended.push(Appended::Text(text)),
            Action::Insert(text) => self.insert(text)?,
            Action::FileName => {
                self.outputs.line(MAIN, self.input.name, true)?;
            }
            Action::Get => {
                self.pattern.text.clone_from(&self.hold.text);
                self.pattern.terminated = self.hold.terminated;
            }
            Action::GetAppend => {
                self.pattern.text.push(end);
                self.pattern.text.extend_from_slice(&self.hold.text);
                self.pattern.terminated = self.hold.terminated;
            }
            Action::Hold => {
                self.hold.text.clone_from(&self.pattern.text);
                self.hold.terminated = self.pattern.terminated;
            }
            Action::HoldAppend => {
                self.hold.text.push(end);
                self.hold.text.extend_from_slice(&self.pattern.text);
                self.hold.terminated = self.pattern.terminated;
            }
            Action::Execute(Some(command)) => {
                self.outputs.text(MAIN, b"")?;
                let text = self.command_output(command)?;
                self.outputs.text(MAIN, &text)?;
                self.outputs.flush()?;
            }
            Action::Execute(None) => {
                let command = std::mem::take(&mut self.pattern.text);
                self.pattern.text = self.command_output(&command)?;
                self.pattern.terminated = true;
                if self.pattern.text.last() == Some(&end) {
                    self.pattern.text.pop();
                }
            }
            Action::Exchange => std::mem::swap(&mut self.pattern, &mut self.hold),
            Action::List(width) => {
                let text = listed(&self.pattern.text, width.unwrap_or(self.options.width), end);
                self.outputs.line(MAIN, &text, true)?;
            }
            Action::Print => self.outputs.line(MAIN, &self.pattern.text, self.pattern.terminated)?,
            Action::PrintFirst => self.first_line(MAIN)?,
            Action::ReadBefore(name) => self.copy_file(name)?,
            Action::ReadFile(name) => self.appended.push(Appended::File(name)),
            Action::ReadLine(number) => {
                let mut text = Vec::new();
                let Some(Some(lines)) = self.line_files.get_mut(*number) else { return Ok(()) };
                match lines.next(self.running, end, &mut text)? {
                    Ok(Some(terminated)) => {
                        if terminated {
                            text.push(end);
                        }
                        self.appended.push(Appended::Line(text));
                    }
                    Ok(None) => {}
                    Err(error) => {
                        let name = self.program.inputs.get(*number).map(|name| &name[..]).unwrap_or_default();
                        return Err(self.unreadable(name, &error));
                    }
                }
            }
            Action::Write(number) => self.outputs.line(number + 1, &self.pattern.text, self.pattern.terminated)?,
            Action::WriteFirst(number) => self.first_line(number + 1)?,
            Action::Translate(translation) => translate(translation, &mut self.pattern.text),
            Action::Zap => self.pattern.text.clear(),
            _ => {}
        }
        Ok(())
    }

    /// Writes the text of `i` or `c`. An empty one is no line.
    fn insert(&mut self, text: &[u8]) -> Result<(), Failure> {
        match text.strip_suffix(b"\n") {
            Some(line) => self.outputs.line(MAIN, line, true),
            None => self.outputs.text(MAIN, text),
        }
    }

    /// What a command line writes, as `popen` would run it.
    fn command_output(&mut self, command: &[u8]) -> Result<Vec<u8>, Failure> {
        let context = self.running.context();
        // A NUL ends the text in C.
        let command = command.split(|byte| *byte == 0).next().unwrap_or_default();
        let (reader, writer) = hookshell_process::pipe().map_err(Failure::Write)?;
        let mut fds = context.fds.clone();
        fds.replace(1, Some(Arc::new(Stream::from_private_pipe(writer))));
        let call = ShellCall { source: command, env: context.env, cwd: context.cwd, fds };
        let mut text = Vec::new();
        match context.commands.start_shell(&call) {
            Ok(mut started) => {
                // The pipe ends when the command's end of it is closed: this one is.
                drop(call);
                let source = Source::Stream(Arc::new(Stream::from_private_pipe(reader)));
                let mut buffer = vec![0; BUFFER];
                while let Ok(count @ 1..) = self.running.read(&source, &mut buffer)? {
                    text.extend_from_slice(buffer.get(..count).unwrap_or_default());
                }
                started.wait()?;
            }
            Err(reason) => self.running.message(format!("error in subprocess: {reason}").as_bytes())?,
        }
        Ok(text)
    }

    fn first_line(&mut self, sink: usize) -> Result<(), Failure> {
        match memchr::memchr(self.options.end, &self.pattern.text) {
            Some(end) => self.outputs.line(sink, self.pattern.text.get(..end).unwrap_or_default(), true),
            None => self.outputs.line(sink, &self.pattern.text, self.pattern.terminated),
        }
    }

    fn substitute(&mut self, substitution: &'m Substitution) -> Result<(), Failure> {
        if let Some(regex) = &substitution.regex {
            self.last_regex = Some(regex.clone());
        }
        let Some(regex) = &self.last_regex else {
            return Err(self.no_regex());
        };
        let running = self.running;
        let interrupt = || running.check().is_err();
        let bytes = self.options.source.bytes;
        let others = self.pattern.text.capacity() + self.hold.text.capacity();
        let kept = &mut self.kept;
        let mut fits = |result: usize| kept.set(others + result).is_ok() && running.check().is_ok();
        let replaced = self.workspace.substitute(substitution, regex, &self.pattern.text, bytes, &interrupt, &mut fits);
        if !self.judged(replaced)? {
            return Ok(());
        }
        self.replaced = true;
        std::mem::swap(&mut self.pattern.text, &mut self.workspace.result);
        if substitution.execute {
            let command = std::mem::take(&mut self.pattern.text);
            self.pattern.text = self.command_output(&command)?;
            if self.pattern.text.last() == Some(&self.options.end) {
                self.pattern.text.pop();
            }
        }
        if substitution.print {
            self.outputs.line(MAIN, &self.pattern.text, self.pattern.terminated)?;
        }
        if let Some(number) = substitution.write {
            self.outputs.line(number + 1, &self.pattern.text, self.pattern.terminated)?;
        }
        Ok(())
    }
}
