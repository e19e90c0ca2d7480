//! The inputs of a run: files or standard input, read as jq reads them, a line or 4095 bytes at a time. That decides
//! the line numbers of messages, and where wrong UTF-8 is cut in raw lines.

use std::io;
use std::sync::Arc;

use hookshell_utility::io::{BUFFER, Failure, MemoryCharge, Running, Source, reason};

use super::read::{Flags, Parser, Step};
use super::text::repaired;
use super::value::{Array, Value};

/// The most that jq's `fgets` takes at once.
const PIECE: usize = 4095;

/// What comes next.
pub(super) enum Next {
    Value(Value),
    End,
    /// A message of the parser.
    Error(String),
}

/// The inputs of a run.
pub(super) struct Inputs<'a> {
    names: Vec<&'a [u8]>,
    next_name: usize,
    source: Option<Source>,
    filename: Option<Value>,
    /// Newlines that were read of the current file.
    line: u64,
    buffer: Vec<u8>,
    /// The part of the buffer that was not given out.
    start: usize,
    end: usize,
    at_end: bool,
    /// The piece that the parser works on: bounds in the buffer.
    piece: (usize, usize),
    last: bool,
    parser: Option<Parser>,
    slurped: Option<Slurped>,
    /// Counts what the input that is being read takes.
    kept: Option<MemoryCharge>,
    /// About how many bytes that is.
    taken: usize,
    /// What reading failed with: jq says it when it continues to the next file.
    unread: Option<String>,
    /// How many files could not be read.
    pub(super) failures: usize,
}

enum Slurped {
    Values(Array),
    Text(String),
}

impl<'a> Inputs<'a> {
    /// Inputs from files; from standard input where there is none.
    pub(super) fn new(files: &[&'a [u8]], raw: bool, slurp: bool, flags: Flags) -> Self {
        Self {
            names: if files.is_empty() { vec![b"-"] } else { files.to_vec() },
            next_name: 0,
            source: None,
            filename: None,
            line: 0,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            at_end: false,
            piece: (0, 0),
            last: false,
            parser: (!raw).then(|| Parser::with(flags)),
            slurped: match (slurp, raw) {
                (false, _) => None,
                (true, true) => Some(Slurped::Text(String::new())),
                (true, false) => Some(Slurped::Values(Array::default())),
            },
            kept: None,
            taken: 0,
            unread: None,
            failures: 0,
        }
    }

    /// The file's name and the line, for messages.
    pub(super) fn position(&self) -> String {
        match &self.filename {
            Some(Value::String(name)) => format!("{name}:{}", self.line),
            _ => "<unknown>".to_owned(),
        }
    }

    pub(super) fn filename(&self) -> Value {
        self.filename.clone().unwrap_or(Value::Null)
    }

    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next piece; `true`: it is the last.
    fn read_more(
        &mut self,
        running: &Running<'_>,
        before: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let exhausted = self.at_end && self.start == self.end;
        if self.source.is_none() || exhausted {
            if let Some(message) = self.unread.take() {
                before()?;
                running.message(message.as_bytes())?;
            }
            if self.source.take().is_some() {
                self.filename = None;
                self.line = 0;
            }
            if let Some(&name) = self.names.get(self.next_name) {
                self.next_name += 1;
                (self.start, self.end, self.at_end) = (0, 0, false);
                let standard = name == b"-";
                let opened = if standard { running.open(name)? } else { running.open_file(name)? };
                self.filename = Some(if standard { "<stdin>".into() } else { Value::from(&*repaired(name)) });
                self.line = 0;
                match opened {
                    Ok(source) => self.source = Some(source),
                    Err(error) if standard => {
                        before()?;
                        running.message(format!("error: {}", reason(&error)).as_bytes())?;
                        self.failures += 1;
                    }
                    Err(error) => {
                        before()?;
                        let text = [b"error: Could not open file ", name, b": ", reason(&error).as_bytes()].concat();
                        running.message(&text)?;
                        self.failures += 1;
                    }
                }
            }
        }
        self.piece = (self.start, self.start);
        if self.source.is_some() {
            self.fill(running, before)?;
        }
        let more_files = self.next_name < self.names.len();
        Ok(!more_files && (self.source.is_none() || (self.at_end && self.start == self.end)))
    }

    /// Takes a piece from the buffer, reading as needed.
    fn fill(&mut self, running: &Running<'_>, before: &mut dyn FnMut() -> Result<(), Failure>) -> Result<(), Failure> {
        let mut searched = 0;
        loop {
            let available = self.buffer.get(self.start..self.end).unwrap_or_default();
            let limit = available.len().min(PIECE);
            let found = memchr::memchr(b'\n', available.get(searched..limit).unwrap_or_default());
            if let Some(at) = found {
                let end = self.start + searched + at + 1;
                self.piece = (self.start, end);
                self.start = end;
                self.line += 1;
                return Ok(());
            }
            if limit == PIECE || self.at_end {
                let end = self.start + limit;
                let text = self.buffer.get(self.start..end).unwrap_or_default();
                // A NUL ends a piece without a newline, except in raw input.
                let cut = match &self.parser {
                    Some(_) => memchr::memchr(0, text).unwrap_or(text.len()),
                    None => text.len(),
                };
                self.piece = (self.start, self.start + cut);
                self.start = end;
                return Ok(());
            }
            searched = limit;
            if self.start > 0 && self.end + BUFFER > self.buffer.len() {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.buffer.len() < self.end + BUFFER {
                self.buffer.resize(self.end + BUFFER, 0);
            }
            let Some(source) = &self.source else {
                return Ok(());
            };
            before()?;
            let space = self.buffer.get_mut(self.end..).unwrap_or_default();
            match running.read(source, space)? {
                Ok(0) => self.at_end = true,
                Ok(count) => self.end += count,
                Err(error) => {
                    self.unreadable(&error);
                    return Ok(());
                }
            }
        }
    }

    fn unreadable(&mut self, error: &io::Error) {
        self.unread = Some(format!("error: {}", reason(error)));
        self.failures += 1;
        self.at_end = true;
        self.start = self.end;
        self.piece = (self.end, self.end);
    }

    /// What the last input is counted as, in bytes.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// The next input. `before` is called before anything waits or a message is written.
    pub(super) fn next(
        &mut self,
        running: &Running<'_>,
        before: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<Next, Failure> {
        let mut raw: Option<String> = None;
        let mut read_last = false;
        self.taken = 0;
        loop {
            running.check()?;
            self.taken += self.parser.as_mut().map_or(0, Parser::take_made);
            let slurped = match &self.slurped {
                Some(Slurped::Values(values)) => values.coming(PIECE),
                _ => 0,
            };
            let coming = self.parser.as_ref().map_or(0, |parser| parser.coming(PIECE)) + slurped;
            self.kept.get_or_insert_with(|| running.keep()).set(self.taken + coming)?;
            let mut has_more = false;
            if self.parser.is_none() {
                self.last = self.read_more(running, before)?;
                read_last = self.last;
                // A text that grows is there twice now and then.
                self.taken += 2 * (self.piece.1 - self.piece.0);
                let piece = self.buffer.get(self.piece.0..self.piece.1).unwrap_or_default();
                if !piece.is_empty() {
                    match &mut self.slurped {
                        Some(Slurped::Text(text)) => text.push_str(&repaired(piece)),
                        _ => {
                            let line = raw.get_or_insert_default();
                            if let Some(text) = piece.strip_suffix(b"\n") {
                                line.push_str(&repaired(text));
                                return Ok(Next::Value(Value::from(std::mem::take(line))));
                            }
                            line.push_str(&repaired(piece));
                        }
                    }
                }
            } else {
                if self.piece.0 == self.piece.1 {
                    self.last = self.read_more(running, before)?;
                    read_last = self.last;
                    self.taken += self.piece.1 - self.piece.0;
                    let piece = self.buffer.get(self.piece.0..self.piece.1).unwrap_or_default();
                    if let Some(parser) = &mut self.parser {
                        self.piece.0 += parser.skip_mark(piece);
                    }
                }
                let piece = self.buffer.get(self.piece.0..self.piece.1).unwrap_or_default();
                let Some(parser) = &mut self.parser else {
                    return Ok(Next::End);
                };
                let step = parser.step(piece, self.last);
                match step {
                    Step::Error(message) => {
                        self.piece.0 = self.piece.1;
                        return Ok(Next::Error(message));
                    }
                    Step::Wrong(message, used) => {
                        self.piece.0 += used;
                        return Ok(Next::Error(message));
                    }
                    Step::More => {
                        self.piece.0 = self.piece.1;
                        read_last = self.last;
                    }
                    Step::Nothing(used) => {
                        self.piece.0 += used;
                        has_more = self.slurped.is_some() && self.piece.0 != self.piece.1;
                    }
                    Step::Value(value, used) => {
                        self.piece.0 += used;
                        match &mut self.slurped {
                            Some(Slurped::Values(values)) => {
                                values.push(value);
                                // After the last value there may be more of the piece, or the end to find.
                                has_more = self.piece.0 != self.piece.1;
                            }
                            _ => return Ok(Next::Value(value)),
                        }
                    }
                }
            }
            if read_last && !has_more {
                break;
            }
        }
        if let Some(line) = raw {
            return Ok(Next::Value(Value::from(line)));
        }
        Ok(match self.slurped.take() {
            Some(Slurped::Values(values)) => Next::Value(Value::Array(Arc::new(values))),
            Some(Slurped::Text(text)) => Next::Value(Value::from(text)),
            None => Next::End,
        })
    }
}
