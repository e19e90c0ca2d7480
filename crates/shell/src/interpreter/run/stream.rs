//! A script that comes from a stream: standard input, or a file that grows.

use std::sync::Arc;

use hookshell_process::is_interrupted;
use hookshell_syntax::ast::Unit;
use hookshell_syntax::{Aliases, ParseOptions, Parser, SyntaxErrorCause};
use hookshell_utility::Stream;

use super::{AliasTable, Next};
use crate::config::Exit;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::incomplete_unit::IncompleteUnit;
use crate::interpreter::exec::Place;
use crate::options::Opt;
use crate::shell::Shell;

/// Would the unit that `text` holds take the next line too? So it is with a here-document whose end is not there yet, and
/// with a line continuation.
fn takes_next_line(text: &[u8], unit: &Unit, options: &ParseOptions, aliases: Option<&AliasTable>) -> bool {
    let is_cut = unit.cut_here_documents().next().is_some();
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

impl Shell {
    /// Runs a script from a stream, unit by unit: no byte after a unit is read before the unit has run, so that its
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
        // `exec <file` in a script that comes from standard input continues in that file.
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
                if at_end && text.ends_with(crate::source_text::BACKSLASH) {
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
                // The unit may continue in the next line.
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
                    self.warn_of_here_documents(&unit.warnings);
                    if let Next::End = self.run_unit(&unit.list, Place::Within)? {
                        return NEXT;
                    }
                }
            }
        }
    }
}
