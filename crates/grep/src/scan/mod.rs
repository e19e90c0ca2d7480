//! The search in one input, as GNU grep's `grep` function goes about it: whole blocks, and lines only where one matches.

mod print;

use std::io;

use hookshell_regex::{SearchError, Subject};
use hookshell_utility::io::{Failure, MemoryCharge, Running, Source};

use super::colors::Colors;
use super::command::{Binary, Command, List};
use super::line::Output;
use super::matcher::Matcher;

/// What is read at once: GNU's size, because a NUL makes a file binary from its block on.
const BLOCK: usize = 96 * 1024;

/// What a pipe gives at once.
const PIPE: usize = 64 * 1024;

/// Why the search in one input ended early.
#[derive(Debug)]
pub(crate) enum Trouble {
    Read(io::Error),
    Search(SearchError),
}

/// What is known of all inputs.
pub(crate) struct Scanner<'c, 'r, 'a> {
    pub(crate) running: &'r Running<'a>,
    pub(crate) command: &'c Command<'a>,
    pub(crate) matcher: &'c Matcher,
    pub(crate) out: Output<'r, 'a>,
    /// Lines were written: a separator goes before the next group.
    pub(crate) used: bool,
    buffer: Vec<u8>,
    /// Counts the buffer.
    kept: MemoryCharge,
    /// Bytes that are not characters make a file binary.
    judges: bool,
    /// Selected lines are written as they are, with nothing before them and no context.
    bare: bool,
    /// What is written goes to the null device: a file's first match is enough (GNU).
    discards: bool,
}

/// What is known of one input.
struct Input<'n> {
    /// The name before each line.
    name: Option<&'n [u8]>,
    /// After the last line that was written, in the buffer.
    last_out: Option<usize>,
    /// Newlines are counted up to here.
    last_newline: usize,
    newlines: u64,
    /// Bytes before the buffer.
    bytes_before: u64,
    left: u64,
    pending: u64,
    quiet: bool,
    first_match_only: bool,
    encoding_error: bool,
    trouble: Option<SearchError>,
    /// How many texts of this block were judged, one by one at first, and whether the whole block has characters only.
    judged: u32,
    all_characters: Option<bool>,
}

/// So many lines of a block are judged one by one before the block is judged as a whole.
const SINGLY: u32 = 8;

/// The sign between a field and what follows it.
const SELECTED: u8 = b':';
const REJECTED: u8 = b'-';

impl<'c, 'r, 'a> Scanner<'c, 'r, 'a> {
    pub(crate) fn new(
        running: &'r Running<'a>,
        command: &'c Command<'a>,
        matcher: &'c Matcher,
        colors: Option<Colors>,
    ) -> Self {
        let judges = command.binary != Binary::Text && !command.source.bytes;
        let bare = colors.is_none()
            && !command.only_matching
            && !command.numbers
            && !command.offsets
            && !command.initial_tab
            && !command.line_buffered
            && command.before.is_none()
            && command.after.is_none()
            && command.max_count == u64::MAX;
        let discards = running.context().stdout().is_some_and(|out| out.is_null());
        let out = Output::new(running, colors);
        Self {
            running,
            command,
            matcher,
            out,
            used: false,
            buffer: Vec::new(),
            kept: running.keep(),
            judges,
            bare,
            discards,
        }
    }

    /// Searches an input and gives the number of selected lines. `name` stands before the lines, `title` in messages.
    pub(crate) fn search(
        &mut self,
        source: &Source,
        name: Option<&[u8]>,
        title: &[u8],
    ) -> Result<(u64, Option<Trouble>), Failure> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.search_in(source, name, title, &mut buffer);
        self.buffer = buffer;
        result
    }

    fn search_in(
        &mut self,
        source: &Source,
        name: Option<&[u8]>,
        title: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(u64, Option<Trouble>), Failure> {
        let command = self.command;
        let end = command.source.end;
        let mut input = self.input(name);
        let shown = !input.quiet;
        // With `-q` the first match ends it all.
        let by_line = command.max_count != u64::MAX && !command.quiet && leaves_rest(source);
        let mut selected = 0;
        // The number of selected lines when the first NUL was seen.
        let mut binary: Option<u64> = None;
        let mut searched = 0;
        // Context that was read after the last line that counts: others may read it again.
        let mut after_last = 0;
        buffer.clear();
        let trouble = loop {
            let filled = buffer.len();
            let read = if by_line { self.read_line(source, buffer)? } else { self.read_block(source, buffer)? };
            let count = match read {
                Ok(count) => count,
                Err(error) => break Some(Trouble::Read(error)),
            };
            if input.left == 0 {
                after_last += count as u64;
            }
            let new = buffer.get_mut(filled..).unwrap_or_default();
            if binary.is_none() && end != 0 && command.binary != Binary::Text && memchr::memchr(0, new).is_some() {
                if command.binary == Binary::WithoutMatch {
                    return Ok((0, None));
                }
                if !command.count {
                    input.quiet = true;
                    input.first_match_only = true;
                }
                binary = Some(selected);
            }
            if binary.is_some() {
                // NULs end lines; before these there were none.
                new.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = end);
            }
            let at_end = count == 0;
            if at_end && searched < buffer.len() {
                buffer.push(end);
            }
            // What was there before is the beginning of a line, however long, that did not end in it.
            let limit = memchr::memrchr(end, buffer.get(filled..).unwrap_or_default())
                .map_or(searched, |found| filled + found + 1);
            if searched < limit {
                let block = buffer.get(..limit).unwrap_or_default();
                (input.judged, input.all_characters) = (0, None);
                if input.left > 0 {
                    selected += self.lines(block, searched, &mut input)?;
                }
                if let Some(error) = input.trouble {
                    break Some(Trouble::Search(error));
                }
                if input.pending > 0 {
                    self.pending(block, limit, &mut input)?;
                }
                if input.left == 0 && input.pending == 0 || input.first_match_only && binary.unwrap_or(0) < selected {
                    if self.discards && !command.quiet && command.list == List::None {
                        break self.drain(source, buffer)?;
                    }
                    break None;
                }
            }
            if at_end {
                break None;
            }
            searched = limit - self.leave_context(buffer, limit, &mut input);
        };
        if let Source::Stream(stream) = source
            && by_line
            && after_last > 0
        {
            stream.step_back(after_last);
        }
        if shown
            && command.binary == Binary::Message
            && (input.encoding_error || binary.is_some_and(|before| before < selected))
        {
            self.message(&[title, b": binary file matches"].concat())?;
        }
        Ok((selected, trouble))
    }

    /// What is known of an input before it is read.
    fn input<'n>(&self, name: Option<&'n [u8]>) -> Input<'n> {
        let first_match_only = self.command.quiet || self.command.list != List::None || self.discards;
        Input {
            name,
            last_out: None,
            last_newline: 0,
            newlines: 0,
            bytes_before: 0,
            left: self.command.max_count,
            pending: 0,
            quiet: first_match_only || self.command.count,
            first_match_only,
            encoding_error: false,
            trouble: None,
            judged: 0,
            all_characters: None,
        }
    }

    /// Takes the lines before a place out of the buffer, but for those that may be context of the next block; how many bytes.
    fn leave_context(&self, buffer: &mut Vec<u8>, limit: usize, input: &mut Input<'_>) -> usize {
        let end = self.command.source.end;
        let mut keep = limit;
        for _ in 0..self.command.before.unwrap_or(0) {
            if keep == 0 || Some(keep) == input.last_out {
                break;
            }
            keep = line_start(buffer, keep, end);
        }
        input.last_out = (input.last_out == Some(keep)).then_some(0);
        if self.command.numbers {
            input.count_newlines(buffer, keep, end);
        }
        input.last_newline = 0;
        input.bytes_before += keep as u64;
        buffer.drain(..keep);
        keep
    }

    /// A message, after what was written before it.
    pub(crate) fn message(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.out.flush()?;
        Ok(self.running.message(text)?)
    }

    /// Reads standard input to its end, so that nobody else gets what is left of it (GNU does so unless `-q` ends it all).
    fn drain(&mut self, source: &Source, buffer: &mut Vec<u8>) -> Result<Option<Trouble>, Failure> {
        if matches!(source, Source::Stream(_)) {
            loop {
                buffer.clear();
                match self.read_block(source, buffer)? {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) => return Ok(Some(Trouble::Read(error))),
                }
            }
        }
        Ok(None)
    }

    fn read_block(&mut self, source: &Source, buffer: &mut Vec<u8>) -> Result<io::Result<usize>, Failure> {
        let start = buffer.len();
        // What is in memory comes as from a pipe.
        let in_memory = matches!(source, Source::Stream(stream) if stream.file().is_none());
        self.kept.resize(buffer, start + if in_memory { PIPE } else { BLOCK })?;
        let read = self.running.read(source, buffer.get_mut(start..).unwrap_or_default())?;
        buffer.truncate(start + read.as_ref().map_or(0, |count| *count));
        Ok(read)
    }

    /// Reads one line, so that the rest is left to others.
    fn read_line(&mut self, source: &Source, buffer: &mut Vec<u8>) -> Result<io::Result<usize>, Failure> {
        let Source::Stream(stream) = source else { return self.read_block(source, buffer) };
        let start = buffer.len();
        let read = self.running.read_line(stream, self.command.source.end, buffer, &mut self.kept)?;
        Ok(read.map(|_| buffer.len() - start))
    }

    /// Searches lines from `from` on; gives how many were selected.
    fn lines(&mut self, block: &[u8], from: usize, input: &mut Input<'_>) -> Result<u64, Failure> {
        let left_before = input.left;
        let end = self.command.source.end;
        let subject = Subject::new(block);
        let running = self.running;
        let interrupt = || running.check().is_err();
        let mut at = from;
        while at < block.len() {
            let found = match self.matcher.next_line(&subject, block, at, end, &interrupt) {
                Ok(found) => found,
                Err(error) => {
                    input.trouble = Some(error);
                    break;
                }
            };
            if self.command.invert {
                let (start, next) = found.unwrap_or((block.len(), block.len()));
                if at < start {
                    self.selected(block, at, start, input)?;
                    if input.left == 0 || input.first_match_only || input.trouble.is_some() {
                        break;
                    }
                }
                at = next;
            } else {
                let Some((start, next)) = found else { break };
                self.selected(block, start, next, input)?;
                if input.left == 0 || input.first_match_only || input.trouble.is_some() {
                    break;
                }
                at = next;
            }
        }
        Ok(left_before - input.left)
    }
}

impl Input<'_> {
    /// Is a part of the block UTF-8?
    fn has_characters(&mut self, block: &[u8], text: &[u8]) -> bool {
        self.judged = self.judged.saturating_add(1);
        if self.judged <= SINGLY {
            return std::str::from_utf8(text).is_ok();
        }
        *self.all_characters.get_or_insert_with(|| std::str::from_utf8(block).is_ok())
            || std::str::from_utf8(text).is_ok()
    }

    fn count_newlines(&mut self, block: &[u8], to: usize, end: u8) {
        let text = block.get(self.last_newline..to).unwrap_or_default();
        self.newlines += memchr::memchr_iter(end, text).count() as u64;
        self.last_newline = to.max(self.last_newline);
    }
}

/// The start of the line that ends before `at`.
fn line_start(block: &[u8], at: usize, end: u8) -> usize {
    let before = block.get(..at.saturating_sub(1)).unwrap_or_default();
    memchr::memrchr(end, before).map_or(0, |found| found + 1)
}

/// The place after the line that begins at `at`.
fn line_end(block: &[u8], at: usize, end: u8) -> usize {
    let rest = block.get(at..).unwrap_or_default();
    memchr::memchr(end, rest).map_or(block.len(), |found| at + found + 1)
}

/// Can what was not needed be left to the next reader, so that `-m` must leave it?
fn leaves_rest(source: &Source) -> bool {
    matches!(source, Source::Stream(_)) && is_regular(source)
}

/// Is it a file, which can be read again?
pub(crate) fn is_regular(source: &Source) -> bool {
    match source {
        Source::File(..) => true,
        Source::Stream(stream) => stream
            .file()
            .is_some_and(|file| hookshell_process::FileKind::of(file) == hookshell_process::FileKind::Regular),
    }
}
