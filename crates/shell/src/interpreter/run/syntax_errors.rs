//! What a syntax error costs, and how it is told.

use hookshell_syntax::{Dialect, HereDocumentWarning, SyntaxError, SyntaxErrorCause, UnclosedConstruct};

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

    /// Warns of here-documents without a body of their own, as bash does.
    pub(super) fn warn_of_here_documents(&mut self, warnings: &[HereDocumentWarning]) {
        for warning in warnings {
            let text = match warning {
                HereDocumentWarning::Cut(cut) => format!(
                    ": line {}: warning: here-document at line {} delimited by end-of-file (wanted `{}')\n",
                    cut.last_line, cut.line, cut.delimiter
                ),
                HereDocumentWarning::LeftOpen { line, count } => format!(
                    ": line {line}: warning: command substitution: {count} unterminated here-document{}\n",
                    if *count == 1 { "" } else { "s" }
                ),
            };
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
        // What ends in a text without an end warns later.
        let is_text = matches!(error.cause, SyntaxErrorCause::Unclosed { construct: UnclosedConstruct::Text, .. });
        if !is_text {
            self.warn_of_here_documents(&error.warnings);
        }
        // Where the last line has no newline, bash adds one: the end of the source is on the line after it.
        let at_end = error.span.start as usize >= source.len();
        let ends_line = source.last().is_none_or(|&byte| byte == b'\n');
        let is_condition = matches!(error.cause, SyntaxErrorCause::InvalidCondition { .. });
        let more = u32::from(at_end && !ends_line && error.cause.is_incomplete() && !is_condition && !is_text);
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
        if let Some(consequence) = error.consequence {
            let lines = u32::try_from(hookshell_syntax::newlines(source)).unwrap_or(u32::MAX);
            text.extend_from_slice(&at_line(lines.saturating_add(1 + u32::from(!ends_line))));
            text.extend_from_slice(consequence.as_bytes());
            text.push(b'\n');
        }
        if let SyntaxErrorCause::ForExpressions { text: expressions, .. } = &error.cause {
            text.extend_from_slice(&prefix);
            text.extend_from_slice(b"syntax error: `");
            text.extend_from_slice(expressions);
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
        if is_text {
            self.warn_of_here_documents(&error.warnings);
        }
    }
}
