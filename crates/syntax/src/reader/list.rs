//! Lists, and-or lists and pipelines (XCU 2.9.2, 2.9.3).

use smallvec::SmallVec;
use thin_vec::ThinVec;

use super::token::{Keyword, Operator};
use super::{Parsed, Reader, push_thin};
use crate::ast::{AndOr, AndOrOp, LineEnd, List, ListItem, Pipeline, Stage, TimeKeyword};

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// One complete command with the newline after it; `None` if the source ends before one begins.
    pub(crate) fn unit(&mut self) -> Parsed<Option<List>> {
        self.command_position()?;
        if self.at_end() {
            return Ok(None);
        }
        let mut items = SmallVec::<[ListItem; 1]>::new();
        loop {
            items.push(self.list_item()?);
            self.blanks();
            let Some((operator, end)) = self.operator() else {
                if self.at_end() {
                    break;
                }
                return self.unexpected(&[]);
            };
            match operator {
                Operator::Newline => {}
                Operator::Semicolon | Operator::Background => {
                    self.pos = end;
                    if operator == Operator::Background
                        && let Some(item) = items.last_mut()
                    {
                        item.background = true;
                    }
                    self.blanks();
                    if self.has_aliases() {
                        self.substitute_aliases()?;
                    }
                }
                _ => return self.unexpected(&[]),
            }
            if self.at_end() {
                break;
            }
            if self.newline()? {
                // The rest of an alias's text belongs to the unit of its word.
                if !self.in_alias() {
                    return Ok(Some(List { items }));
                }
                self.command_position()?;
                if self.at_end() {
                    break;
                }
            }
        }
        self.end_of_source()?;
        Ok(Some(List { items }))
    }

    /// Commands up to something that ends a list (see [`Reader::at_list_end`]); may be empty.
    pub(crate) fn list(&mut self) -> Parsed<List> {
        self.enter()?;
        let mut items = SmallVec::<[ListItem; 1]>::new();
        loop {
            self.command_position()?;
            if self.at_list_end() {
                break;
            }
            let mut item = self.list_item()?;
            self.blanks();
            if items.len() == 1 {
                // From the second one on there are often some more.
                items.reserve_exact(3);
            }
            if self.peek() == Some(b'\n') {
                item.newline = LineEnd(true);
                items.push(item);
                continue;
            }
            let Some((operator, end)) = self.operator() else {
                items.push(item);
                break;
            };
            match operator {
                Operator::Newline => item.newline = LineEnd(true),
                Operator::Semicolon => self.pos = end,
                Operator::Background => {
                    item.background = true;
                    self.pos = end;
                }
                _ => {
                    items.push(item);
                    break;
                }
            }
            items.push(item);
        }
        self.leave();
        Ok(List { items })
    }

    /// A list with at least one command.
    pub(crate) fn nonempty_list(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if list.items.is_empty() {
            return self.unexpected(&["a command"]);
        }
        Ok(list)
    }

    /// Skips newlines, with the here-documents after them, and blanks.
    pub(crate) fn newlines(&mut self) -> Parsed<()> {
        if self.is_in_source() && self.no_here_documents() {
            self.blank_lines();
            return Ok(());
        }
        loop {
            self.blanks();
            if !self.newline()? {
                return Ok(());
            }
        }
    }

    /// Skips blanks, comments and newlines, where nothing else is to be done at them.
    fn blank_lines(&mut self) {
        let text = self.unspliced;
        let mut pos = self.pos;
        let mut lines = 0;
        while let Some(byte) = text.get(pos) {
            match byte {
                b' ' | b'\t' => pos += 1,
                b'\n' => {
                    pos += 1;
                    lines += 1;
                    // What programs are indented by.
                    while text.get(pos..pos + 4) == Some(b"    ") {
                        pos += 4;
                    }
                }
                b'\\' if text.get(pos + 1) == Some(&b'\n') => {
                    pos += 2;
                    lines += 1;
                }
                b'#' => pos = crate::bytes::find(b'\n', &text[pos..]).map_or(text.len(), |length| pos + length),
                _ => break,
            }
        }
        self.pass_lines(pos, lines);
    }

    /// Skips newlines up to where a command may begin. The alias there may be nothing but newlines too.
    fn command_position(&mut self) -> Parsed<()> {
        loop {
            self.newlines()?;
            if self.has_aliases() {
                self.substitute_aliases()?;
            }
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
        }
    }

    fn list_item(&mut self) -> Parsed<ListItem> {
        let start = self.start();
        let and_or = self.and_or()?;
        Ok(ListItem { and_or, background: false, newline: LineEnd(false), span: self.span(start) })
    }

    fn and_or(&mut self) -> Parsed<AndOr> {
        let first = self.pipeline()?;
        let mut rest = ThinVec::new();
        loop {
            if !matches!(self.peek(), Some(b'\n' | b';')) {
                self.blanks_keeping_end();
            }
            if !matches!(self.peek(), Some(b'&' | b'|' | b'\\')) {
                return Ok(AndOr { first, rest });
            }
            let operator = match self.operator() {
                Some((Operator::And, end)) => {
                    self.pos = end;
                    AndOrOp::And
                }
                Some((Operator::Or, end)) => {
                    self.pos = end;
                    AndOrOp::Or
                }
                _ => return Ok(AndOr { first, rest }),
            };
            self.newlines()?;
            let pipeline = self.pipeline()?;
            push_thin(&mut rest, (operator, pipeline));
        }
    }

    /// Skips blanks, but only if an operator that joins commands follows: the span of a list ends at its last word.
    #[inline]
    fn blanks_keeping_end(&mut self) {
        let text = self.text();
        let mut pos = self.pos;
        while matches!(text.get(pos), Some(b' ' | b'\t')) {
            pos += 1;
        }
        if matches!(text.get(pos), Some(b'&' | b'|' | b'\\')) {
            self.blanks();
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut negated = false;
        let mut time = None;
        let mut prefixed = false;
        let keyword = loop {
            if self.has_aliases() {
                self.substitute_aliases()?;
            }
            self.blanks();
            let keyword = self.keyword();
            match keyword {
                Some((Keyword::Bang, end)) => {
                    self.pos = end;
                    negated = !negated;
                    if !self.bash && prefixed {
                        return self.unexpected(&["a command"]);
                    }
                }
                // bash: in POSIX mode `time -p` is a program.
                Some((Keyword::Time, end)) if self.options.posix_mode && self.has_option_at(end) => break keyword,
                Some((Keyword::Time, end)) => {
                    self.pos = end;
                    time = Some(self.time_options());
                }
                _ => break keyword,
            }
            prefixed = true;
        };
        let mut stages = SmallVec::<[Stage; 1]>::new();
        if prefixed && self.bash && self.ends_bare_prefix(time.is_some() && !negated) {
            return Ok(Pipeline { negated, time, stages });
        }
        let mut command = self.command_at(keyword)?;
        loop {
            self.blanks_keeping_end();
            let may_pipe = matches!(self.peek(), Some(b'|' | b'\\'));
            let (pipe_stderr, more) = match if may_pipe { self.operator() } else { None } {
                Some((Operator::Pipe, end)) => {
                    self.pos = end;
                    (false, true)
                }
                Some((Operator::PipeBoth, end)) => {
                    self.pos = end;
                    (true, true)
                }
                _ => (false, false),
            };
            stages.push(Stage { command, pipe_stderr });
            if !more {
                return Ok(Pipeline { negated, time, stages });
            }
            self.newlines()?;
            command = self.command()?;
        }
    }

    /// bash: does the list end right after `!` or `time`?
    fn ends_bare_prefix(&self, time: bool) -> bool {
        self.at_end()
            || (time && self.in_substitution() && matches!(self.operator(), Some((Operator::RightParenthesis, _))))
            || matches!(self.operator(), Some((Operator::Newline | Operator::Semicolon, _)))
    }

    /// `-p` and `--` after `time`.
    fn time_options(&mut self) -> TimeKeyword {
        let mut posix_format = false;
        self.blanks();
        if self.take_word(b"-p") {
            posix_format = true;
            self.blanks();
        }
        // bash: `--` alone chooses that format too.
        posix_format |= self.take_word(b"--");
        TimeKeyword { posix_format }
    }

    /// Does the next word begin with a `-`?
    fn has_option_at(&self, place: usize) -> bool {
        let text = self.text().get(place..).unwrap_or_default();
        text.iter().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'-')
    }

    /// Reads these bytes if they are a whole word.
    fn take_word(&mut self, word: &[u8]) -> bool {
        let text = &self.text()[self.pos..];
        let found =
            text.starts_with(word) && text.get(word.len()).is_none_or(|&b| crate::bytes::is(b, crate::bytes::META));
        if found {
            self.pos += word.len();
        }
        found
    }
}
