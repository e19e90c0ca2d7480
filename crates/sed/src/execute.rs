//! Running a sed script.

use std::fs;
use std::io;
use std::sync::Arc;

use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{BUFFER, Failure, Kept, Running, Source, reason};
use hookshell_utility::{ShellCall, Stream};

use hookshell_regex::{Regex, SearchError, Subject};

use super::command_line::CommandLine;
use super::fault::Place;
use super::input::{Edited, Input, Lines, temporary_in};
use super::output::{MAIN, Outputs};
use super::program::{Action, Address, Command, End, Program, Select, Substitution, Translation};
use super::substitute::Workspace;
use super::text::units;

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

/// What is written behind the pattern space at the end of the cycle.
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
    /// The input is at its end: as `Print`, then over (with separate files: with that file).
    Last,
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
    kept: Kept,
    ranges: Vec<Range>,
    appended: Vec<Appended<'m>>,
    replaced: bool,
    last_regex: Option<Regex>,
    /// Why the script does not go on: the message, and the status.
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
                Cycle::Last => {
                    self.end_cycle(true)?;
                    // With separate files the next one goes on.
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
    fn give_up(&mut self, message: Vec<u8>, status: u8) -> Failure {
        self.fault = Some((message, status));
        Failure::Write(io::ErrorKind::InvalidData.into())
    }

    /// An empty expression means the one that was used last, and there is none.
    fn no_regex(&mut self) -> Failure {
        self.give_up(self.options.source.message(Place::Behind, "no previous regular expression"), 1)
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

    fn reset_ranges(&mut self) {
        for command in &self.program.commands {
            if let Select::Range(first, _, number) = &command.select
                && let Some(range) = self.ranges.get_mut(*number)
            {
                *range = if matches!(first, Address::Line(0)) { Range::Active(0) } else { Range::Inactive };
            }
        }
    }

    fn message(&mut self, what: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.outputs.flush()?;
        Ok(self.running.report_error(what, error)?)
    }

    /// Reads the next line into the pattern space, or behind it; `false`: there is none.
    fn read(&mut self, behind: bool) -> Result<bool, Failure> {
        self.append()?;
        self.replaced = false;
        if !behind {
            self.pattern.text.clear();
        }
        loop {
            if self.input.current.is_none() && !self.open_next()? {
                return Ok(false);
            }
            let Some(lines) = &mut self.input.current else { continue };
            match lines.next(self.running, self.options.end, &mut self.pattern.text)? {
                Ok(Some(terminated)) => {
                    self.pattern.terminated = terminated;
                    self.input.line += 1;
                    return Ok(true);
                }
                Ok(None) => {}
                Err(error) => {
                    self.input.unreadable = true;
                    let what = [b"read error on ", self.input.name].concat();
                    self.message(&what, &error)?;
                    return Ok(false);
                }
            }
            self.finish_file()?;
        }
    }

    /// Goes on to the next file that can be read; `false`: there is none.
    fn open_next(&mut self) -> Result<bool, Failure> {
        loop {
            let Some(name) = self.input.waiting.pop_front() else { return Ok(false) };
            self.input.name = name;
            if self.options.source.separate {
                // Each file begins anew, also in the hold space and what `R` reads.
                self.input.line = 0;
                self.reset_ranges();
                self.hold.text.clear();
                self.open_line_files()?;
            }
            if self.options.in_place.is_some() {
                if self.edit(name)? {
                    return Ok(true);
                }
                continue;
            }
            self.outputs.flush()?;
            if let Some(lines) = self.input.open(self.running, name)? {
                self.input.current = Some(lines);
                return Ok(true);
            }
        }
    }

    /// Opens a file that is edited in place, and what takes its place.
    fn edit(&mut self, name: &'a [u8]) -> Result<bool, Failure> {
        self.outputs.flush()?;
        let path = self.running.path(name);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.input.status = 2;
                self.message(&[b"can't read ", name].concat(), &error)?;
                return Ok(false);
            }
        };
        if !metadata.is_file() {
            self.input.status = 4;
            self.running.message(&[b"couldn't edit ", name, b": not a regular file"].concat())?;
            return Ok(false);
        }
        let Some(lines) = self.input.open(self.running, name)? else { return Ok(false) };
        // Of the file that was opened.
        let opened = lines.file().and_then(|file| file.metadata().ok());
        let stat = FileStat::of(&opened.filter(fs::Metadata::is_file).unwrap_or(metadata));
        let holder = path.parent().unwrap_or(&path).to_path_buf();
        let file_name = path.file_name().unwrap_or_default().to_owned();
        let made = hookshell_files::at::Place::at(holder).open_dir(true).and_then(|directory| {
            let made = temporary_in(self.running, &directory, lines.file(), &stat)?;
            Ok((directory, made))
        });
        match made {
            Ok((directory, (temporary, file))) => {
                self.outputs.redirect(Some(file))?;
                self.input.current = Some(lines);
                self.input.edited = Some(Edited { directory, name: file_name, temporary });
                Ok(true)
            }
            Err(error) => {
                self.input.status = 4;
                let directory = path.parent().map(hookshell_process::text::from_path).unwrap_or_default().into_owned();
                let text = format!("couldn't open temporary file {}/sedXXXXXX", String::from_utf8_lossy(&directory));
                self.message(text.as_bytes(), &error)?;
                Ok(false)
            }
        }
    }

    /// The current file is at its end, or what is left of it is not wanted.
    fn finish_file(&mut self) -> Result<(), Failure> {
        self.input.current = None;
        let Some(edited) = self.input.edited.take() else { return Ok(()) };
        self.outputs.redirect(None)?;
        let suffix = self.options.in_place.unwrap_or_default();
        let moved = if suffix.is_empty() {
            Ok(())
        } else {
            let name = hookshell_process::text::from_os(&edited.name);
            let copy = if suffix.contains(&b'*') {
                suffix.split(|byte| *byte == b'*').collect::<Vec<_>>().join(&name[..])
            } else {
                [&name[..], suffix].concat()
            };
            let copy = edited.directory.entry(&hookshell_process::text::to_os(&copy));
            edited.directory.entry(&edited.name).rename_to(&copy)
        };
        let moved = moved.and_then(|()| edited.temporary.rename_to(&edited.directory.entry(&edited.name)));
        if let Err(error) = moved {
            let _ = edited.temporary.remove_file();
            self.input.status = 4;
            self.message(&[b"cannot rename ", self.input.name].concat(), &error)?;
        }
        Ok(())
    }

    /// Is the line that was read the last one?
    fn is_last(&mut self) -> Result<bool, Failure> {
        let end = self.options.end;
        if let Some(lines) = &mut self.input.current
            && lines.has_more(self.running, end)?
        {
            return Ok(false);
        }
        if self.options.source.separate {
            return Ok(true);
        }
        // Files without lines do not count.
        while let Some(name) = self.input.waiting.front().copied() {
            if let Ok(source) = self.running.open(name)? {
                let mut lines = Lines::new(source, self.options.unbuffered);
                if lines.has_more(self.running, end)? {
                    // It is opened again when its turn comes, unless it can be read only once.
                    if name == b"-" || !self.running.path(name).is_file() {
                        self.input.waiting.pop_front();
                        self.input.current = Some(lines);
                        self.input.name = name;
                    }
                    return Ok(false);
                }
            } else {
                self.outputs.flush()?;
                self.input.open(self.running, name)?;
            }
            self.input.waiting.pop_front();
        }
        Ok(true)
    }

    fn matches(&mut self, regex: &'m Option<Regex>) -> Result<bool, Failure> {
        if let Some(regex) = regex {
            self.last_regex = Some(regex.clone());
        }
        let Some(regex) = &self.last_regex else {
            return Err(self.no_regex());
        };
        let running = self.running;
        let interrupt = || running.check().is_err();
        let subject = Subject::new(&self.pattern.text).interruptible(&interrupt);
        let found = regex.is_match(&subject);
        self.judged(found)
    }

    /// What a search that gave no answer means.
    fn judged(&mut self, found: Result<bool, SearchError>) -> Result<bool, Failure> {
        match found {
            Ok(found) => Ok(found),
            Err(SearchError::Interrupted) => {
                self.running.check()?;
                Ok(false)
            }
            Err(SearchError::TooComplex) => Err(Failure::Write(io::Error::other(SearchError::TooComplex.to_string()))),
        }
    }

    fn is_at(&mut self, address: &'m Address) -> Result<bool, Failure> {
        Ok(match address {
            Address::Line(number) => self.input.line == *number,
            Address::Last => self.is_last()?,
            Address::Match(regex) => self.matches(regex)?,
            Address::Step(first, step) => self.input.line >= *first && (self.input.line - first).is_multiple_of(*step),
        })
    }

    fn is_selected(&mut self, select: &'m Select) -> Result<bool, Failure> {
        let (first, end, number) = match select {
            Select::All => return Ok(true),
            Select::One(address) => return self.is_at(address),
            Select::Range(first, end, number) => (first, end, *number),
        };
        let line = self.input.line;
        let state = self.ranges.get(number).copied().unwrap_or(Range::Inactive);
        let (selected, state) = match state {
            Range::Active(limit) => match end {
                End::At(Address::Line(_)) => (line <= limit, if line >= limit { Range::Closed } else { state }),
                // Where `n` or `N` went over the end, the line behind is the last one.
                End::Behind(_) | End::Multiple(_) | End::At(Address::Step(..)) => {
                    (true, if line >= limit { Range::Closed } else { state })
                }
                End::At(address) => (true, if self.is_at(address)? { Range::Closed } else { state }),
            },
            Range::Inactive | Range::Closed => {
                let begins = match first {
                    Address::Line(start) => matches!(state, Range::Inactive) && line >= *start,
                    first => self.is_at(first)?,
                };
                if !begins {
                    (false, state)
                } else {
                    let limit = match end {
                        End::At(Address::Line(limit)) => Some(*limit),
                        End::Behind(count) => Some(line.saturating_add(*count)),
                        End::Multiple(0) => Some(line),
                        End::Multiple(step) => Some(line + (step - line % step)),
                        End::At(Address::Step(first, _)) if line <= *first => Some(*first),
                        End::At(Address::Step(first, step)) => {
                            Some(first.saturating_add((line - first).div_ceil(*step).saturating_mul(*step)))
                        }
                        End::At(_) => None,
                    };
                    match limit {
                        Some(limit) if line >= limit => {
                            let by_number = matches!(first, Address::Line(start) if *start != line);
                            (!by_number || line <= limit, Range::Closed)
                        }
                        limit => (true, Range::Active(limit.unwrap_or(0))),
                    }
                }
            }
        };
        if let Some(place) = self.ranges.get_mut(number) {
            *place = state;
        }
        Ok(selected)
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
                        return Ok(Cycle::Last);
                    }
                    if !self.quiet {
                        self.outputs.line(MAIN, &self.pattern.text, self.pattern.terminated)?;
                    }
                    if !self.read(false)? {
                        return Ok(Cycle::Quit { status: 0, print: false });
                    }
                }
                Action::NextAppend => {
                    if self.is_last()? {
                        return Ok(Cycle::Last);
                    }
                    self.pattern.text.push(self.options.end);
                    if !self.read(true)? {
                        self.pattern.text.pop();
                        return Ok(Cycle::Last);
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

fn translate(translation: &Translation, text: &mut Vec<u8>) {
    match translation {
        Translation::Bytes(table) => {
            for byte in text {
                *byte = table.get(usize::from(*byte)).copied().unwrap_or(*byte);
            }
        }
        Translation::Characters(pairs) => {
            let mut out = Vec::with_capacity(text.len());
            for unit in units(text) {
                let to = pairs.iter().find(|(from, _)| **from == *unit).map_or(unit, |(_, to)| to);
                out.extend_from_slice(to);
            }
            *text = out;
        }
    }
}

/// `l`: the text without ambiguity, in lines of less than `width`.
fn listed(text: &[u8], width: u64, end: u8) -> Vec<u8> {
    let wraps = width > 0;
    let most = usize::try_from(width).unwrap_or(usize::MAX).saturating_sub(1);
    let mut out = Vec::new();
    let mut column = 0;
    for &byte in text {
        let shown: Vec<u8> = match byte {
            b'\\' => b"\\\\".to_vec(),
            7 => b"\\a".to_vec(),
            8 => b"\\b".to_vec(),
            12 => b"\\f".to_vec(),
            b'\n' => b"\\n".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b'\t' => b"\\t".to_vec(),
            11 => b"\\v".to_vec(),
            0x20..=0x7e => vec![byte],
            _ => format!("\\{byte:03o}").into_bytes(),
        };
        if wraps && column + shown.len() > most {
            out.extend_from_slice(&[b'\\', end]);
            column = 0;
        }
        column += shown.len();
        out.extend_from_slice(&shown);
    }
    out.push(b'$');
    out
}
