//! Running whole programs, unit by unit.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::{Interrupt, is_interrupted};
use hookshell_syntax::ast::{Command, List};
use hookshell_syntax::{Aliases, Dialect, ParseOptions, Parser, Program, SyntaxError, SyntaxErrorCause};
use hookshell_utility::{CancelReason, Stream};

use crate::config::{Exit, ExitCause};
use crate::context::{Frame, Text};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::incomplete_unit::IncompleteUnit;
use crate::interpreter::exec::Place;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

/// The aliases as the parser asks for them.
struct AliasTable(Arc<std::collections::BTreeMap<Vec<u8>, Vec<u8>>>);

impl Aliases for AliasTable {
    fn alias(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.0.get(name).cloned()
    }
}

/// Would the unit that `text` holds take the next line too? So it is with a here-document whose end is not there yet, and
/// with a line continuation.
fn takes_next_line(
    text: &[u8],
    unit: &hookshell_syntax::ast::Unit,
    options: &ParseOptions,
    aliases: Option<&AliasTable>,
) -> bool {
    let is_cut = !unit.cut_here_documents.is_empty();
    if !is_cut && !text.ends_with(b"\\\n") && memchr::memmem::find(text, b"<<").is_none() {
        return false;
    }
    let longer = [text, b"x\n"].concat();
    let mut parser = Parser::at(&longer, 0, 1);
    match parser.next_unit(options, aliases.map(|a| a as &dyn Aliases)) {
        Ok(_) => parser.offset() > text.len(),
        Err(error) => error.cause.is_incomplete(),
    }
}

/// The line that a unit ends in: what stands for the line of everything in it that has none of its own (bash).
fn last_line(source: &[u8], unit: &hookshell_syntax::ast::Unit) -> u32 {
    let text = source.get(unit.span.start as usize..unit.span.end as usize).unwrap_or_default();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    unit.span.line.saturating_add(u32::try_from(hookshell_syntax::newlines(text)).unwrap_or(u32::MAX))
}

/// Does a list end with a simple command without redirections that bash needs no process of its own for? Of several and-or
/// lists the last has to be that command alone, and the one before it no background list.
pub(crate) fn ends_in_simple(list: &List) -> bool {
    let Some((last, others)) = list.items.split_last() else { return false };
    let is_alone = last.and_or.rest.is_empty();
    if last.background || others.last().is_some_and(|before| before.background || !is_alone) {
        return false;
    }
    let pipeline = last.and_or.rest.last().map_or(&last.and_or.first, |(_, pipeline)| pipeline);
    match &*pipeline.stages {
        [stage] if !pipeline.negated && pipeline.time.is_none() => match &stage.command {
            Command::Simple(simple) => simple.redirections.is_empty(),
            _ => false,
        },
        _ => false,
    }
}

/// What goes on after a unit.
enum Next {
    Unit,
    End,
}

impl Shell {
    /// The options in force for the parser.
    pub fn parse_options(&self) -> ParseOptions {
        ParseOptions {
            extglob: self.opt(Opt::Extglob),
            // Whether braces are expanded is looked at when the word is.
            brace_expansion: self.env.dialect == Dialect::Bash,
            keyword: self.opt(Opt::Keyword),
            posix_mode: self.opt(Opt::Posix),
            ..self.host.limits.parse_options(self.env.dialect)
        }
    }

    /// Parses the next unit with the aliases of now; they are not held while it runs, which may define more.
    pub(crate) fn next_unit(
        &self,
        parser: &mut Parser<'_>,
        options: &ParseOptions,
    ) -> Result<Option<hookshell_syntax::ast::Unit>, SyntaxError> {
        let aliases = self.alias_table();
        parser.next_unit_with_stop(options, aliases.as_ref().map(|a| a as &dyn Aliases), &|| self.is_stopping())
    }

    fn alias_table(&self) -> Option<AliasTable> {
        if self.env.inherited.aliases.is_empty() || !self.opt(Opt::ExpandAliases) {
            return None;
        }
        Some(AliasTable(self.env.inherited.aliases.clone()))
    }

    /// Runs the start-up files of a shell before it runs anything else. Gives how it ended where they end it.
    pub fn run_startup(&mut self, program: &Program) -> Option<Exit> {
        let flow = self.run_program_units(program);
        if flow.is_continue() { None } else { Some(self.finish(flow)) }
    }

    /// Runs a program to its end, the EXIT trap included.
    pub fn run_program(&mut self, program: &Program) -> Exit {
        if self.host.is_command_string && self.env.dialect == Dialect::Bash {
            self.set_initial(b"BASH_EXECUTION_STRING", &program.source, false);
        }
        self.run_to_end(|shell| shell.run_program_units(program))
    }

    fn run_to_end(&mut self, run: impl FnOnce(&mut Self) -> Flow) -> Exit {
        if !self.host.is_nested && self.host.usage.budget.reached().is_some() {
            self.renew();
        }
        let id = self.context.subshell.id;
        let outer = self.host.run.enter(id, self.handled_signals(), self.context.cancel.clone());
        self.context.subshell.reads_at = (!self.host.is_command_string).then(|| self.text_depth());
        let clock = self.start_clock();
        let run = |shell: &mut Self| {
            if std::mem::take(&mut shell.scratch.start_up_due) {
                shell.run_start_up_file()?;
            }
            run(shell)
        };
        let flow = if clock.is_ok() { run(self) } else { self.stop_run("no thread for the time limit".to_owned()) };
        let exit = self.finish(flow);
        self.host.run.leave(id, outer);
        if let Ok(Some(clock)) = clock {
            clock.raise();
        }
        exit
    }

    /// How many texts deep a command stands: of `eval`, traps and sourced files.
    pub(crate) fn text_depth(&self) -> u32 {
        self.context.frames.texts() + self.context.frames.files()
    }

    /// Ends the run when its time is over, until the interrupt that is given is raised.
    fn start_clock(&self) -> std::io::Result<Option<Interrupt>> {
        /// Between the TERM and the KILL.
        const GRACE: Duration = Duration::from_secs(2);
        let Some(time) = self.host.limits.wall_time.filter(|_| !self.host.is_nested) else { return Ok(None) };
        let interrupt = Interrupt::new();
        let (clock, usage, cancel) = (interrupt.clone(), self.host.usage.clone(), self.host.cancel.clone());
        let message = self.host.limits.message(Limit::WallTime, "the script's time is over");
        self.host.pool.run(move || {
            if clock.sleep(time) {
                usage.budget.reach(&message, false);
                cancel.cancel(CancelReason::TimedOut);
                if clock.sleep(GRACE) {
                    usage.budget.stop();
                }
            }
        })?;
        Ok(Some(interrupt))
    }

    /// BASH_COMMAND is kept only for scripts in which it is named.
    fn look_for_bash_command(&mut self, source: &[u8]) {
        if !self.context.uses_bash_command {
            self.context.uses_bash_command = memchr::memmem::find(source, b"BASH_COMMAND").is_some();
        }
    }

    fn run_program_units(&mut self, program: &Program) -> Flow {
        self.look_for_bash_command(&program.source);
        let epoch = self.env.parse_epoch;
        for (index, unit) in program.units.iter().enumerate() {
            // Options or aliases that steer the parser have changed: the rest is read again under them.
            if self.env.parse_epoch != epoch || !self.env.inherited.aliases.is_empty() {
                let (offset, line) = (unit.span.start as usize, unit.span.line);
                return self.run_source_from(&program.source, offset, line);
            }
            if self.opt(Opt::Verbose) {
                let text = program.source.get(unit.span.start as usize..unit.span.end as usize).unwrap_or_default();
                let newline: &[u8] = if text.ends_with(b"\n") || text.is_empty() { b"" } else { b"\n" };
                self.write_error(&[text, newline].concat());
            }
            self.warn_of_cut(unit);
            self.context.line = last_line(&program.source, unit);
            let is_last = index + 1 == program.units.len() && program.error.is_none() && program.rest.is_none();
            let is_end = is_last && self.host.is_command_string && ends_in_simple(&unit.list);
            let place = if is_end { Place::AtEnd } else { Place::Within };
            if let Next::End = self.run_unit(&unit.list, place)? {
                return NEXT;
            }
        }
        if let Some(error) = &program.error {
            if self.env.parse_epoch != epoch || !self.env.inherited.aliases.is_empty() {
                let (offset, line) = program.units.last().map_or((0, 1), |unit| {
                    let end = unit.span.end as usize;
                    let text = program.source.get(unit.span.start as usize..end).unwrap_or_default();
                    let lines = hookshell_syntax::newlines(text);
                    (end, unit.span.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX)))
                });
                return self.run_source_from(&program.source, offset, line);
            }
            if let Some((offset, line)) = self.resume_after_error(error, &program.source) {
                self.drop_line(error, &program.source, None);
                return self.run_source_from(&program.source, offset, line);
            }
            let start = program.units.last().map_or(0, |unit| unit.span.end as usize);
            self.echo_broken(error, &program.source, start);
            return self.report_syntax_error(error, &program.source);
        }
        match program.rest {
            Some((offset, line)) => self.run_source_from(&program.source, offset, line),
            None => NEXT,
        }
    }

    /// Where bash reads on behind a syntax error that costs only its line, in the list of an array.
    fn resume_after_error(&self, error: &SyntaxError, source: &[u8]) -> Option<(usize, u32)> {
        if !error.drops_line || self.env.dialect == Dialect::Posix || self.opt(Opt::Posix) || self.opt(Opt::Errexit) {
            return None;
        }
        let start = (error.span.start as usize).min(source.len());
        let end = memchr::memchr(b'\n', &source[start..]).map_or(source.len(), |at| start + at + 1);
        Some((end, error.position.line.saturating_add(1)))
    }

    /// Says what the error is; what it costs is dropped as by an expansion error.
    fn drop_line(&mut self, error: &SyntaxError, source: &[u8], reader: Option<&str>) {
        let reader = reader.or(self.host.is_command_string.then_some("-c"));
        self.write_syntax_error(error, source, reader);
        self.env.status = 1;
        self.pipe_status_of_one();
    }

    /// Parses and runs a source unit by unit from a place in it on.
    fn run_source_from(&mut self, source: &[u8], offset: usize, line: u32) -> Flow {
        let mut parser = Parser::at(source, offset, line);
        loop {
            let options = self.parse_options();
            let start = parser.offset();
            match self.next_unit(&mut parser, &options) {
                Err(error) if error.cause == SyntaxErrorCause::Stopped => return divert(Divert::Stop),
                Ok(Some(unit)) => {
                    if self.opt(Opt::Verbose) {
                        let text = source.get(start..parser.offset()).unwrap_or_default().to_vec();
                        self.write_error(&text);
                    }
                    self.warn_of_cut(&unit);
                    self.context.line = last_line(source, &unit);
                    if let Next::End = self.run_unit(&unit.list, Place::Within)? {
                        return NEXT;
                    }
                }
                Ok(None) => return NEXT,
                Err(error) => match self.resume_after_error(&error, source) {
                    Some((offset, line)) => {
                        self.drop_line(&error, source, None);
                        parser = Parser::at(source, offset, line);
                    }
                    None => {
                        self.echo_broken(&error, source, start);
                        return self.report_syntax_error(&error, source);
                    }
                },
            }
        }
    }

    /// Runs one unit; an expansion error drops only the rest of it.
    fn run_unit(&mut self, list: &List, place: Place) -> Flow<Next> {
        // bash does not count the commands of a command string.
        if !self.host.is_command_string {
            self.context.commands_read = self.context.commands_read.saturating_add(1);
        }
        if self.opt(Opt::Noexec) {
            return ControlFlow::Continue(Next::Unit);
        }
        match self.run_list_at(list, place) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(Divert::Discard | Divert::TopLevel) => {
                self.pipe_status_of_one();
                // XCU 2.8.1: an expansion error ends a shell that is not interactive. bash does so in POSIX mode only.
                let is_lenient = std::mem::take(&mut self.scratch.is_lenient_discard);
                if self.opt(Opt::Posix) && !is_lenient || self.context.subshell.depth > 0 {
                    return divert(Divert::Exit);
                }
            }
            ControlFlow::Break(other) => return ControlFlow::Break(other),
        }
        if self.opt(Opt::Onecmd) {
            return ControlFlow::Continue(Next::End);
        }
        // bash looks at its jobs whenever it reads a line.
        if !self.jobs.entries().is_empty() {
            self.jobs.clean_up();
        }
        ControlFlow::Continue(Next::Unit)
    }

    /// Runs a unit of `eval`, a trap or a sourced file; an expansion error drops only the rest of that, but ends a
    /// subshell (as bash's `parse_and_execute`).
    fn run_nested_unit(&mut self, list: &List) -> Flow {
        if self.opt(Opt::Noexec) {
            return NEXT;
        }
        match self.run_list(list) {
            ControlFlow::Break(Divert::Discard | Divert::TopLevel) if self.context.subshell.depth > 0 => {
                divert(Divert::Exit)
            }
            ControlFlow::Break(Divert::Discard) => NEXT,
            flow => flow,
        }
    }

    /// Runs text in the current environment: `eval`, traps. `reader` says in error messages what read it.
    pub(crate) fn run_text(&mut self, text: &[u8], reader: Text) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        if self.context.frames.texts() >= self.host.limits.eval_depth {
            return self.exceed(Limit::EvalDepth, format_args!("{} is nested deeper", reader.reader()));
        }
        self.context.depth += 1;
        self.context.frames.enter(Frame::Text(reader));
        let line = self.context.line;
        let shift = std::mem::take(&mut self.context.line_shift);
        let subshell = self.context.subshell.depth;
        let flow = self.run_text_units(text, line, reader.reader());
        self.context.line = line;
        self.context.line_shift = shift;
        debug_assert_eq!(subshell, self.context.subshell.depth);
        self.context.frames.leave();
        self.context.depth -= 1;
        flow
    }

    fn run_text_units(&mut self, text: &[u8], line: u32, reader: &str) -> Flow {
        // bash: an expansion error ends `eval` with 1.
        self.context.subshell.is_own_command = false;
        let survives_error = std::mem::take(&mut self.scratch.survives_syntax_error);
        self.look_for_bash_command(text);
        let mut parser = Parser::at(text, 0, line);
        let mut ran = false;
        loop {
            let options = self.parse_options();
            let start = parser.offset();
            match self.next_unit(&mut parser, &options) {
                Err(error) if error.cause == SyntaxErrorCause::Stopped => return divert(Divert::Stop),
                Ok(Some(unit)) => {
                    ran = true;
                    self.echo_read(&text[start..parser.offset()]);
                    self.warn_of_cut(&unit);
                    self.context.line = last_line(text, &unit);
                    self.run_nested_unit(&unit.list)?;
                }
                Ok(None) => {
                    self.nothing_ran(ran);
                    return NEXT;
                }
                Err(error) if self.resume_after_error(&error, text).is_some() => {
                    self.write_syntax_error(&error, text, Some(reader));
                    self.env.status = 1;
                    if self.context.subshell.depth > 0 {
                        return divert(Divert::Exit);
                    }
                    let Some((offset, line)) = self.resume_after_error(&error, text) else { return NEXT };
                    ran = true;
                    parser = Parser::at(text, offset, line);
                }
                Err(error) => {
                    self.echo_broken(&error, text, start);
                    self.write_syntax_error(&error, text, Some(reader));
                    self.env.status = error.cause.exit_status(0);
                    if self.ends_at_errors() {
                        self.env.status = 2;
                        return divert(Divert::Exit);
                    }
                    if self.opt(Opt::Posix) && !survives_error {
                        return divert(Divert::Exit);
                    }
                    // bash 5.2: `eval` of a syntax error fails with 2 and the script goes on.
                    return NEXT;
                }
            }
        }
    }

    /// A text without a command has succeeded (XCU dot, eval); commands see the status from before it.
    fn nothing_ran(&mut self, ran: bool) {
        if !ran {
            self.env.status = 0;
        }
    }

    /// `set -v`: shows what has been read, as lines.
    fn echo_read(&mut self, text: &[u8]) {
        if self.opt(Opt::Verbose) && !text.is_empty() {
            let end: &[u8] = if text.ends_with(b"\n") { b"" } else { b"\n" };
            self.write_error(&[text, end].concat());
        }
    }

    /// `set -v`: shows the lines from `start` up to the one that cannot be read.
    fn echo_broken(&mut self, error: &SyntaxError, text: &[u8], start: usize) {
        let at = (error.span.start as usize).min(text.len());
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1);
        self.echo_read(text.get(start..end).unwrap_or_default());
    }

    /// Runs a file in the current environment (`.`).
    pub(crate) fn run_sourced(&mut self, source: &[u8], is_fatal: bool) -> Flow<bool> {
        if self.is_too_deep() {
            return self.too_deep().map_continue(|()| true);
        }
        if self.context.frames.files() >= self.host.limits.source_depth {
            return self.exceed(Limit::SourceDepth, "files are sourced by each other deeper").map_continue(|()| true);
        }
        self.context.depth += 1;
        self.context.frames.enter(Frame::Source);
        let line = self.context.line;
        let shift = std::mem::take(&mut self.context.line_shift);
        let flow = self.run_sourced_units(source, is_fatal);
        self.context.line = line;
        self.context.line_shift = shift;
        self.context.frames.leave();
        self.context.depth -= 1;
        flow
    }

    fn run_sourced_units(&mut self, source: &[u8], is_fatal: bool) -> Flow<bool> {
        self.look_for_bash_command(source);
        let mut parser = Parser::new(source);
        let mut ran = false;
        loop {
            let options = self.parse_options();
            let start = parser.offset();
            match self.next_unit(&mut parser, &options) {
                Err(error) if error.cause == SyntaxErrorCause::Stopped => return divert(Divert::Stop),
                Ok(Some(unit)) => {
                    ran = true;
                    self.echo_read(&source[start..parser.offset()]);
                    self.warn_of_cut(&unit);
                    self.context.line = last_line(source, &unit);
                    self.run_nested_unit(&unit.list)?;
                }
                Ok(None) => {
                    return ControlFlow::Continue(ran);
                }
                Err(error) if self.resume_after_error(&error, source).is_some() => {
                    self.write_syntax_error(&error, source, None);
                    self.env.status = 1;
                    if self.context.subshell.depth > 0 {
                        return divert(Divert::Exit);
                    }
                    let Some((offset, line)) = self.resume_after_error(&error, source) else {
                        return ControlFlow::Continue(true);
                    };
                    ran = true;
                    parser = Parser::at(source, offset, line);
                }
                Err(error) => {
                    self.echo_broken(&error, source, start);
                    self.write_syntax_error(&error, source, None);
                    self.env.status = 2;
                    let ends = is_fatal || self.ends_at_errors();
                    return if ends { divert(Divert::Exit) } else { ControlFlow::Continue(true) };
                }
            }
        }
    }

    /// Runs a script from a stream, unit by unit: no byte behind a unit is read before the unit has run, so that its
    /// commands find the rest of the stream.
    pub fn run_stream(&mut self, stream: &Arc<Stream>) -> Exit {
        self.run_to_end(|shell| shell.run_stream_units(stream))
    }

    fn run_stream_units(&mut self, stream: &Arc<Stream>) -> Flow {
        let mut text: Vec<u8> = Vec::new();
        let mut line = 1;
        let mut at_end = false;
        let mut incomplete = IncompleteUnit::Anything;
        let mut first_line = true;
        let mut crlf = false;
        // `exec <file` in a script that comes from standard input goes on in that file.
        let is_stdin = self.env.fds.get(0).is_some_and(|stdin| Arc::ptr_eq(stdin, stream));
        self.context.reads_stdin = true;
        loop {
            if !at_end {
                let before = text.len();
                let current = if is_stdin { self.env.fds.get(0).cloned() } else { Some(stream.clone()) };
                let Some(stream) = current else { return NEXT };
                match stream.read_until(b'\n', &mut text, 1 << 30, &self.context.interrupt) {
                    Ok(found) => at_end = !found,
                    Err(error) if is_interrupted(&error) => return divert(Divert::Stop),
                    Err(_) => at_end = true,
                }
                // As in a file: a byte order mark is taken off, and CRLF line ends are LF where the first line has one.
                if first_line && text.starts_with(b"\xef\xbb\xbf") {
                    text.drain(..3);
                }
                crlf |= first_line && text.ends_with(b"\r\n");
                first_line = false;
                if crlf && text[before.min(text.len())..].ends_with(b"\r\n") {
                    text.truncate(text.len() - 2);
                    text.push(b'\n');
                }
                if self.opt(Opt::Verbose) {
                    let read = text.get(before..).unwrap_or_default().to_vec();
                    self.write_error(&read);
                }
                if !at_end && self.env.inherited.aliases.is_empty() && !incomplete.may_be_in(&text, before) {
                    continue;
                }
            }
            incomplete = IncompleteUnit::Anything;
            if text.is_empty() && at_end {
                return NEXT;
            }
            self.look_for_bash_command(&text);
            let options = self.parse_options();
            let aliases = self.alias_table();
            let mut parser = Parser::at(&text, 0, line);
            let aliases_in_force = aliases.as_ref().map(|a| a as &dyn Aliases);
            match parser.next_unit_with_stop(&options, aliases_in_force, &|| self.is_stopping()) {
                Err(error) if error.cause == SyntaxErrorCause::Stopped => return divert(Divert::Stop),
                // The unit may go on in the next line.
                Err(error) if !at_end && error.cause.is_incomplete() => {
                    incomplete = IncompleteUnit::after(&error);
                    continue;
                }
                // So may the word that is in the wrong place: the rest of `in` or `<<` stands in the next line.
                Err(_) if !at_end && text.ends_with(b"\\\n") => continue,
                Err(error) if self.resume_after_error(&error, &text).is_some() => {
                    let source = std::mem::take(&mut text);
                    if let Some((offset, next_line)) = self.resume_after_error(&error, &source) {
                        self.drop_line(&error, &source, None);
                        text.extend_from_slice(&source[offset..]);
                        line = next_line;
                    }
                }
                Err(error) => {
                    let source = std::mem::take(&mut text);
                    return self.report_syntax_error(&error, &source);
                }
                Ok(None) if at_end => return NEXT,
                Ok(None) => {
                    line = parser.line();
                    text.clear();
                }
                Ok(Some(unit)) => {
                    let (offset, next_line) = (parser.offset(), parser.line());
                    if !at_end && offset >= text.len() && takes_next_line(&text, &unit, &options, aliases.as_ref()) {
                        // A delimiter that is continued is not known yet.
                        if !text.ends_with(b"\\\n") {
                            incomplete = IncompleteUnit::end_of(&unit);
                        }
                        continue;
                    }
                    self.context.line = next_line.saturating_sub(1).max(1);
                    drop(aliases);
                    // A unit that ends where the text does is whole: its newline has been read.
                    text.drain(..offset.min(text.len()));
                    line = next_line;
                    self.warn_of_cut(&unit);
                    if let Next::End = self.run_unit(&unit.list, Place::Within)? {
                        return NEXT;
                    }
                }
            }
        }
    }

    /// Warns of here-documents that the end of the source cut off, as bash does.
    fn warn_of_cut(&mut self, unit: &hookshell_syntax::ast::Unit) {
        for cut in &unit.cut_here_documents {
            let text = format!(
                ": line {}: warning: here-document at line {} delimited by end-of-file (wanted `{}')\n",
                cut.last_line, cut.line, cut.delimiter
            );
            let text = [&*self.context.source, text.as_bytes()].concat();
            self.write_error(&text);
        }
    }

    fn report_syntax_error(&mut self, error: &SyntaxError, source: &[u8]) -> Flow {
        let reader = self.host.is_command_string.then_some("-c");
        self.write_syntax_error(error, source, reader);
        self.env.status = if self.ends_at_errors() { 2 } else { error.cause.exit_status(self.env.status) };
        self.scratch.syntax_error = Some(Box::new(error.clone()));
        divert(Divert::Exit)
    }

    /// bash: where errexit counts, a syntax error and a file that `.` cannot read end the shell at once: the line of the error is
    /// not shown and no ERR trap runs.
    pub(crate) fn ends_at_errors(&self) -> bool {
        self.env.dialect == Dialect::Bash && self.opt(Opt::Errexit) && !self.context.ignores_errexit()
    }

    /// Writes a syntax error in bash's shape: the message, then the line that it is in. `reader` is what read the text
    /// if that is no file.
    pub(crate) fn write_syntax_error(&mut self, error: &SyntaxError, source: &[u8], reader: Option<&str>) {
        let mut prefix = self.context.source.to_vec();
        if let Some(reader) = reader {
            prefix.extend_from_slice(b": ");
            prefix.extend_from_slice(reader.as_bytes());
        }
        // Where the last line has no newline, bash adds one: the end of the source is on the line behind it.
        let at_end = error.span.start as usize >= source.len() && source.last().is_some_and(|&b| b != b'\n');
        let more = u32::from(at_end && error.cause.is_incomplete());
        prefix.extend_from_slice(format!(": line {}: ", error.position.line.saturating_add(more)).as_bytes());
        let mut text = prefix.clone();
        text.extend_from_slice(error.cause.to_string().as_bytes());
        text.push(b'\n');
        if matches!(error.cause, SyntaxErrorCause::Unexpected { .. }) && !self.ends_at_errors() {
            let start = (error.span.start as usize).min(source.len());
            let begin = memchr::memrchr(b'\n', &source[..start]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &source[start..]).map_or(source.len(), |at| start + at);
            text.extend_from_slice(&prefix);
            text.push(b'`');
            text.extend_from_slice(&source[begin..end.max(begin)]);
            text.extend_from_slice(b"'\n");
        }
        self.write_error(&text);
    }

    /// As bash: where a signal ends the shell or a subshell, its EXIT trap still runs, and may take its time.
    pub(crate) fn run_exit_trap_on_signal(&mut self) {
        if !self.traps.has_any()
            || !crate::traps::is_handled_by_exit(self.scratch.died_of)
            || self.host.cancel.is_cancelled()
        {
            return;
        }
        let outer = (self.context.cancel.clone(), self.context.interrupt.clone());
        self.context.cancel = self.host.cancel.child();
        self.context.interrupt = self.context.cancel.interrupt().clone();
        let _ = self.run_exit_trap();
        (self.context.cancel, self.context.interrupt) = outer;
    }

    /// Ends the environment of a whole run.
    fn finish(&mut self, flow: Flow) -> Exit {
        let mut flow = flow;
        // A subshell that was the last command may have sent a signal to this shell.
        if flow.is_continue() {
            flow = self.checkpoint();
        }
        if matches!(flow, ControlFlow::Break(Divert::Stop)) && !self.host.cancel.is_cancelled() {
            // It was busy when a signal of another environment ended it.
            if let Some(signal) = self.deadly_signal() {
                self.scratch.died_of = signal;
                flow = divert(Divert::Die);
            }
        }
        if self.host.usage.budget.reached().is_some() {
            // Of another environment, perhaps: it ends this one as well.
            flow = divert(Divert::Stop);
        }
        if !matches!(flow, ControlFlow::Break(Divert::Stop | Divert::Die)) {
            let exit = self.run_exit_trap();
            if exit.is_break() {
                flow = exit;
            }
        }
        let cause = match flow {
            ControlFlow::Break(Divert::Stop) => {
                self.host.usage.budget.wait_until_told();
                let reached = self.host.usage.budget.reached();
                if let Some(limit) = &reached
                    && !limit.is_told
                    && !self.host.is_nested
                {
                    // The run's own interrupt is raised.
                    let raised = std::mem::replace(&mut self.context.interrupt, Interrupt::new());
                    self.error(&limit.message);
                    self.context.interrupt = raised;
                }
                self.env.status = 143;
                self.run_stop_traps();
                match reached {
                    Some(limit) => {
                        self.env.status = 2;
                        ExitCause::LimitExceeded(limit.message)
                    }
                    None => ExitCause::Cancelled,
                }
            }
            ControlFlow::Break(Divert::Die) => {
                self.run_exit_trap_on_signal();
                self.env.status = 128u8.saturating_add(u8::try_from(self.scratch.died_of).unwrap_or(0));
                ExitCause::Signal(self.scratch.died_of)
            }
            _ => match self.scratch.syntax_error.take() {
                Some(error) => ExitCause::SyntaxError(error),
                None if self.host.run.is_status_lost() => ExitCause::StatusLost,
                None => ExitCause::Normal,
            },
        };
        Exit { status: self.env.status, cause }
    }
}
