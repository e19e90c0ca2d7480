//! Running whole programs, unit by unit.

mod ending;
mod stream;
mod syntax_errors;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::Interrupt;
use hookshell_syntax::ast::{AndOr, Command, Compound, List};
use hookshell_syntax::{Aliases, Dialect, ParseOptions, Parser, Program, SyntaxError, SyntaxErrorCause};
use hookshell_utility::CancelReason;

use crate::config::Exit;
use crate::context::{Frame, Text};
use crate::flow::{Divert, Flow, NEXT, divert};
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

/// Is a list of one command such a one that bash needs no process of its own for? A program there has the process id of what
/// the list was made an environment for, so that a signal to `$!` reaches it.
pub(crate) fn ends_as_program(and_or: &AndOr) -> bool {
    let [stage] = &*and_or.first.stages else { return false };
    if !and_or.rest.is_empty() || and_or.first.negated || and_or.first.time.is_some() {
        return false;
    }
    match &stage.command {
        Command::Simple(_) => true,
        // Redirections of a command that is alone are made in its process.
        Command::Compound(compound) => {
            matches!(&compound.kind, Compound::Subshell(list) if ends_in_program(list))
        }
        Command::Function(_) => false,
    }
}

/// Does the list of a subshell end so?
pub(crate) fn ends_in_program(list: &List) -> bool {
    let is_alone = matches!(&*list.items, [item] if !item.background && ends_as_program(&item.and_or));
    is_alone || ends_in_simple(list)
}

/// Whether the script continues after a unit.
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
            self.context.uses_bash_command = hookshell_syntax::contains(source, b"BASH_COMMAND");
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
            self.warn_of_here_documents(&unit.warnings);
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
                    self.warn_of_here_documents(&unit.warnings);
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
        self.look_at_jobs();
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
        let error = match self.run_units(text, line, Some(reader))? {
            Ok(ran) => {
                self.nothing_ran(ran);
                return NEXT;
            }
            Err(error) => error,
        };
        if error.in_substitution && reader == Text::Eval.reader() {
            self.env.status = self.status_of_substituted(1);
            return divert(Divert::Exit);
        }
        self.env.status = error.cause.exit_status(2);
        if self.ends_at_errors() {
            self.env.status = 2;
            return divert(Divert::Exit);
        }
        if self.opt(Opt::Posix) && !survives_error {
            return divert(Divert::Exit);
        }
        // bash 5.2: `eval` of a syntax error fails with 2 and the script continues.
        NEXT
    }

    /// Runs one command of a text after the other. Gives whether there was one, or the syntax error that ends the text, which was
    /// written.
    fn run_units(&mut self, text: &[u8], line: u32, reader: Option<&str>) -> Flow<Result<bool, Box<SyntaxError>>> {
        self.look_for_bash_command(text);
        let mut parser = Parser::at(text, 0, line);
        let mut ran = false;
        loop {
            self.look_at_jobs();
            let options = self.parse_options();
            let start = parser.offset();
            let error = match self.next_unit(&mut parser, &options) {
                Ok(Some(unit)) => {
                    ran = true;
                    self.echo_read(&text[start..parser.offset()]);
                    self.warn_of_here_documents(&unit.warnings);
                    self.context.line = last_line(text, &unit);
                    self.run_nested_unit(&unit.list)?;
                    continue;
                }
                Ok(None) => return ControlFlow::Continue(Ok(ran)),
                Err(error) if error.cause == SyntaxErrorCause::Stopped => return divert(Divert::Stop),
                Err(error) => error,
            };
            let Some((offset, line)) = self.resume_after_error(&error, text) else {
                self.echo_broken(&error, text, start);
                self.write_syntax_error(&error, text, reader);
                return ControlFlow::Continue(Err(Box::new(error)));
            };
            self.write_syntax_error(&error, text, reader);
            self.env.status = 1;
            if self.context.subshell.depth > 0 {
                return divert(Divert::Exit);
            }
            ran = true;
            parser = Parser::at(text, offset, line);
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
        let error = match self.run_units(source, 1, None)? {
            Ok(ran) => return ControlFlow::Continue(ran),
            Err(error) => error,
        };
        if error.in_substitution {
            self.env.status = self.status_of_substituted(1);
            return divert(Divert::Exit);
        }
        // An array without an end is 1, whatever else it is inside.
        self.env.status = if error.cause.exit_status(2) == 1 { 1 } else { 2 };
        let ends = is_fatal || self.ends_at_errors();
        if ends { divert(Divert::Exit) } else { ControlFlow::Continue(true) }
    }
}
