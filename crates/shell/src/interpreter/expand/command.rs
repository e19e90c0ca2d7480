//! Command substitution (XCU 2.6.3).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::{
    Argument, Command, CommandSubstitution, InvalidSubstitution, List, Redirection, RedirectionKind, Stage,
};

use crate::context::Frame;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::exec::Place;
use crate::interpreter::run::ends_in_simple;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

/// What a command substitution comes to after its commands.
enum Tail<'a> {
    None,
    /// The content of the file that the last line redirects the standard input to.
    File(&'a Redirection),
    /// A syntax error.
    Error(&'a InvalidSubstitution),
}

impl Shell {
    /// The output of a command substitution without its trailing newlines.
    ///
    /// Commands of the shell itself write into memory: no pipe and no thread.
    pub(crate) fn command_substitution(&mut self, substitution: &CommandSubstitution) -> Flow<Vec<u8>> {
        // bash keeps the newlines before the first command in backquotes, and those alone.
        let begin = substitution.backquoted.then_some(substitution.span.line);
        let mut output = match &substitution.body {
            Err(broken) => self.capture_list(&broken.before, &Tail::Error(broken), begin)?,
            Ok(body) => match redirected_file(body) {
                Some((redirection, 0)) => self.substitute_file(redirection)?,
                // bash reads the commands line by line, and the last line may be such a redirection as well.
                Some((redirection, before)) => {
                    let lines = Arc::new(List { items: body.items[..before].into() });
                    self.capture_list(&lines, &Tail::File(redirection), begin)?
                }
                None => self.capture_list(body, &Tail::None, begin)?,
            },
        };
        while output.last() == Some(&b'\n') {
            output.pop();
        }
        if memchr::memchr(0, &output).is_some() {
            self.error("warning: command substitution: ignored null byte in input");
            output.retain(|&b| b != 0);
        }
        ControlFlow::Continue(output)
    }

    /// Runs a list in a subshell, and what follows it there, and collects its standard output.
    fn capture_list(&mut self, body: &Arc<List>, tail: &Tail<'_>, begin: Option<u32>) -> Flow<Vec<u8>> {
        if self.host.usage.budget.has_too_much_state() {
            self.measure_state()?;
        }
        let (stream, capture) = self.take_capture();
        let keep_errexit = self.opt(Opt::InheritErrexit) || self.opt(Opt::Posix);
        self.context.frames.enter(Frame::CommandSubstitution);
        let replaced_last =
            std::mem::replace(&mut self.scratch.replaced_last, crate::interpreter::exec::last_simple(body));
        // Here and not in the subshell, which has its descriptors as this environment until it changes them.
        let stdout = self.env.fds.replace(1, Some(stream.clone()));
        #[cfg(unix)]
        let own_process = match tail {
            Tail::None => {
                self.run_substitution_process(body, |shell| shell.run_substituted(body, tail, keep_errexit, begin))
            }
            _ => None,
        };
        #[cfg(not(unix))]
        let own_process = None;
        let flow = match own_process {
            Some(flow) => flow,
            None => self.in_subshell(|shell| shell.run_substituted(body, tail, keep_errexit, begin)),
        };
        self.env.fds.replace(1, stdout);
        self.scratch.replaced_last = replaced_last;
        self.scratch.death = None;
        self.context.frames.leave();
        self.report_jobs();
        // bash: without a command it leaves `$?` as it is, and is a success.
        let is_empty = body.items.is_empty() && matches!(tail, Tail::None);
        self.scratch.substitution_status = Some(if is_empty { 0 } else { self.env.status });
        let (stream, capture) = match self.give_capture(stream, capture) {
            Ok(output) => {
                flow?;
                return if self.is_stopping() { divert(Divert::Stop) } else { ControlFlow::Continue(output) };
            }
            Err(busy) => busy,
        };
        let writers = Arc::downgrade(&stream);
        drop(stream);
        let is_stopping = || self.is_stopping();
        // As bash: to the end of file, which a background writer may hold back.
        if writers.strong_count() > 0 {
            self.host.run.wait_for_threads(&|| writers.strong_count() == 0 || is_stopping());
        }
        capture.wait(None, &is_stopping);
        flow?;
        if self.is_stopping() {
            return divert(Divert::Stop);
        }
        ControlFlow::Continue(capture.take())
    }

    /// In the environment of a command substitution.
    fn run_substituted(&mut self, body: &List, tail: &Tail<'_>, keep_errexit: bool, begin: Option<u32>) -> Flow {
        if !keep_errexit {
            self.env.options.set(Opt::Errexit, false);
        }
        let is_at_end = matches!(tail, Tail::None) && ends_in_simple(body);
        self.run_on_line_of_command(body, begin, if is_at_end { Place::AtEnd } else { Place::Within })?;
        match tail {
            Tail::None => {}
            Tail::File(redirection) => return self.write_file(redirection),
            Tail::Error(broken) => {
                let mut error = broken.error.clone();
                error.position.line = self.context.line.saturating_add(error.position.line).saturating_sub(1);
                self.write_syntax_error(&error, &broken.text, Some("command substitution"));
                self.env.status = 2;
            }
        }
        NEXT
    }

    /// bash: `$(<file)`
    fn substitute_file(&mut self, redirection: &Redirection) -> Flow<Vec<u8>> {
        let mut output = Vec::new();
        let mut failed = true;
        let flow = self.in_subshell(|shell| {
            failed = !shell.read_file(redirection, &mut output)?;
            shell.env.status = u8::from(failed);
            NEXT
        });
        self.scratch.substitution_status = Some(u8::from(failed));
        flow?;
        // bash reads the file itself: that it cannot be opened is an error of the shell, wherever the command stands.
        if failed && self.opt(Opt::Errexit) {
            return self.reported();
        }
        ControlFlow::Continue(output)
    }

    /// The commands of `<( )` and `>( )`; bash: `<(<file)` is what is in the file, as `$(<file)` is.
    pub(super) fn run_process_substitution(&mut self, body: &List, read: bool) -> Flow {
        match redirected_file(body) {
            Some((redirection, 0)) if read => self.write_file(redirection),
            _ => {
                let place = if ends_in_simple(body) { Place::AtEnd } else { Place::Within };
                self.run_on_line_of_command(body, None, place)
            }
        }
    }

    /// Runs the commands of a substitution. bash counts their lines from that of the command around it: the line on which the
    /// text begins, or else the first command, is the one that LINENO and messages have for that command.
    fn run_on_line_of_command(&mut self, body: &List, begin: Option<u32>, place: Place) -> Flow {
        let Some(first) = body.items.first() else { return NEXT };
        let shift = self.context.line.wrapping_sub(begin.unwrap_or(first.span.line));
        let outer = std::mem::replace(&mut self.context.line_shift, shift);
        let flow = self.run_list_at(body, place);
        self.context.line_shift = outer;
        flow
    }

    /// The line that LINENO and messages have for what stands here in the source.
    #[inline]
    pub(crate) fn line_of(&self, span: hookshell_syntax::Span) -> u32 {
        span.line.wrapping_add(self.context.line_shift)
    }

    /// Writes what is in the file of a redirection.
    fn write_file(&mut self, redirection: &Redirection) -> Flow {
        let mut text = Vec::new();
        let is_read = self.read_file(redirection, &mut text)?;
        self.env.status = u8::from(!is_read);
        match self.env.fds.get(1).cloned() {
            Some(stream) if !text.is_empty() && stream.write_all(&text, &self.context.interrupt).is_err() => {
                self.checkpoint()
            }
            _ => NEXT,
        }
    }

    /// Reads the file of a redirection of standard input; false, with a message, where that cannot be opened.
    fn read_file(&mut self, redirection: &Redirection, output: &mut Vec<u8>) -> Flow<bool> {
        if !self.redirect(std::slice::from_ref(redirection), None)? {
            return ControlFlow::Continue(false);
        }
        let Some(stream) = self.env.fds.get(0).cloned() else { return ControlFlow::Continue(true) };
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count) = stream.read(&mut buffer, &self.context.interrupt) {
            if count == 0 {
                break;
            }
            output.extend_from_slice(&buffer[..count]);
            if output.len() > self.host.limits.captured_bytes {
                return self.exceed(Limit::CapturedBytes, "the file in a command substitution is larger");
            }
        }
        ControlFlow::Continue(true)
    }
}

/// The redirection of `$(<file)`, and how many lists stand in the lines before it.
fn redirected_file(body: &List) -> Option<(&Redirection, usize)> {
    let (item, before) = body.items.split_last()?;
    if before.last().is_some_and(|item| !item.newline.0) {
        return None;
    }
    if item.background || !item.and_or.rest.is_empty() || item.and_or.first.negated {
        return None;
    }
    let [Stage { command: Command::Simple(simple), .. }] = &*item.and_or.first.stages else { return None };
    let arguments: &[Argument] = &simple.arguments;
    match &*simple.redirections {
        [redirection]
            if arguments.is_empty()
                && simple.assignments.is_empty()
                && redirection.fd.is_none()
                && matches!(redirection.kind, RedirectionKind::Read(_)) =>
        {
            Some((redirection, before.len()))
        }
        _ => None,
    }
}
