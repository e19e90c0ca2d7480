//! What a syntax error costs, and how it is told.

use hookshell_syntax::ast::Unit;
use hookshell_syntax::{Dialect, SyntaxError, SyntaxErrorCause};

use crate::flow::{Divert, Flow, divert};
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// Where bash reads on after a syntax error that costs only its line, in the list of an array.
    pub(super) fn resume_after_error(&self, error: &SyntaxError, source: &[u8]) -> Option<(usize, u32)> {
        if !error.drops_line || self.env.dialect == Dialect::Posix || self.opt(Opt::Posix) || self.opt(Opt::Errexit) {
            return None;
        }
        let start = (error.span.start as usize).min(source.len());
        let end = memchr::memchr(b'\n', &source[start..]).map_or(source.len(), |at| start + at + 1);
        Some((end, error.position.line.saturating_add(1)))
    }

    /// Says what the error is; what it costs is dropped as by an expansion error.
    pub(super) fn drop_line(&mut self, error: &SyntaxError, source: &[u8], reader: Option<&str>) {
        let reader = reader.or(self.host.is_command_string.then_some("-c"));
        self.write_syntax_error(error, source, reader);
        self.env.status = 1;
        self.pipe_status_of_one();
    }

    /// `set -v`: shows the lines from `start` up to the one that cannot be read.
    pub(super) fn echo_broken(&mut self, error: &SyntaxError, text: &[u8], start: usize) {
        let at = (error.span.start as usize).min(text.len());
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1);
        self.echo_read(text.get(start..end).unwrap_or_default());
    }

    /// Warns of here-documents that the end of the source cut off, as bash does.
    pub(super) fn warn_of_cut(&mut self, unit: &Unit) {
        for cut in &unit.cut_here_documents {
            let text = format!(
                ": line {}: warning: here-document at line {} delimited by end-of-file (wanted `{}')\n",
                cut.last_line, cut.line, cut.delimiter
            );
            let text = [&*self.context.source, text.as_bytes()].concat();
            self.write_error(&text);
        }
    }

    pub(super) fn report_syntax_error(&mut self, error: &SyntaxError, source: &[u8]) -> Flow {
        let reader = self.host.is_command_string.then_some("-c");
        self.write_syntax_error(error, source, reader);
        self.env.status = match self.env.status {
            last if error.in_substitution => self.status_of_substituted(error.cause.exit_status(last)),
            _ if self.ends_at_errors() => 2,
            last => error.cause.exit_status(last),
        };
        self.scratch.syntax_error = Some(Box::new(error.clone()));
        divert(Divert::Exit)
    }

    /// What an error in the commands of a substitution ends the shell with, as an expansion that fails (`${x?}`) does.
    pub(super) fn status_of_substituted(&self, status: u8) -> u8 {
        if self.host.is_command_string { 127 } else { status.max(1) }
    }

    /// bash: where errexit counts, a syntax error and a file that `.` cannot read end the shell at once: the line of the error is
    /// not shown and no ERR trap runs.
    pub(crate) fn ends_at_errors(&self) -> bool {
        self.env.dialect == Dialect::Bash && self.opt(Opt::Errexit) && !self.context.ignores_errexit()
    }

    /// Writes a syntax error in bash's shape: the message, then the line that it is in. `reader` is what read the text
    /// if that is no file.
    pub(crate) fn write_syntax_error(&mut self, error: &SyntaxError, source: &[u8], reader: Option<&str>) {
        let mut origin = self.context.source.to_vec();
        if let Some(reader) = reader {
            origin.extend_from_slice(b": ");
            origin.extend_from_slice(reader.as_bytes());
        }
        // Where the last line has no newline, bash adds one: the end of the source is on the line after it.
        let at_end = error.span.start as usize >= source.len() && source.last().is_some_and(|&b| b != b'\n');
        let is_condition = matches!(error.cause, SyntaxErrorCause::InvalidCondition { .. });
        let more = u32::from(at_end && error.cause.is_incomplete() && !is_condition);
        let at_line = |line: u32| [&*origin, format!(": line {line}: ").as_bytes()].concat();
        let prefix = at_line(error.position.line.saturating_add(more));
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
        // bash: each group around it has no end either.
        if let SyntaxErrorCause::InvalidCondition { groups, .. } = &error.cause {
            for line in groups {
                text.extend_from_slice(&at_line(*line));
                text.extend_from_slice(b"expected `)'\n");
            }
        }
        self.write_error(&text);
    }
}
