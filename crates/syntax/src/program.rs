//! Whole programs, and the parser that reads them one complete command at a time.

use std::sync::Arc;

use thin_vec::ThinVec;

use crate::ast::{Argument, Unit};
use crate::error::{SyntaxError, SyntaxErrorCause};
use crate::options::{Aliases, ParseOptions};
use crate::reader::{Reader, clamp, direct, splicing};
use crate::span::Span;

/// Reads a source text one complete command at a time.
///
/// A shell runs each complete command before it reads the next one, because a command may change how the rest is read
/// (aliases, `shopt -s extglob`) and because what follows `exit` is never read at all.
///
/// ```
/// use hookshell_syntax::{ParseOptions, Parser};
///
/// let mut parser = Parser::new(b"echo one\necho two\n");
/// let options = ParseOptions::default();
/// let unit = parser.next_unit(&options, None)?.expect("a command");
/// assert_eq!(unit.list.items.len(), 1);
/// assert_eq!((parser.offset(), parser.line()), (9, 2));
/// # Ok::<(), hookshell_syntax::SyntaxError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parser<'s> {
    source: &'s [u8],
    offset: usize,
    line: u32,
    /// Words, commands and expansions read so far.
    nodes: usize,
    /// An empty list whose memory the next unit uses.
    arguments: ThinVec<Argument>,
    /// The source with room in front of it, which the next unit that uses an alias puts its text into.
    spare: Vec<u8>,
}

impl<'s> Parser<'s> {
    /// Reads from the beginning of `source`.
    pub fn new(source: &'s [u8]) -> Self {
        Self::at(source, 0, 1)
    }

    /// Continues at `offset`, which is on `line`. Places come out as those of a parser that got there by itself.
    pub fn at(source: &'s [u8], offset: usize, line: u32) -> Self {
        Self { source, offset: offset.min(source.len()), line, nodes: 0, arguments: ThinVec::new(), spare: Vec::new() }
    }

    /// Where the next unit begins.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line of [`Self::offset`].
    pub fn line(&self) -> u32 {
        self.line
    }

    /// One complete command, up to its newline and the here-documents after it. `None` at the end of the source.
    ///
    /// After an error the place is still where the unit began.
    ///
    /// # Errors
    /// The source is no program of the dialect from here on, or is one only with more text after it
    /// ([`is_incomplete`](crate::SyntaxErrorCause::is_incomplete)).
    pub fn next_unit(
        &mut self,
        options: &ParseOptions,
        aliases: Option<&dyn Aliases>,
    ) -> Result<Option<Unit>, SyntaxError> {
        self.read(options, aliases, None)
    }

    /// As [`Self::next_unit`]; `stop` is asked every few thousand words, commands and expansions whether to give up.
    ///
    /// # Errors
    /// Those of [`Self::next_unit`], and [`Stopped`](crate::SyntaxErrorCause::Stopped) when `stop` said so.
    pub fn next_unit_with_stop(
        &mut self,
        options: &ParseOptions,
        aliases: Option<&dyn Aliases>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Unit>, SyntaxError> {
        self.read(options, aliases, Some(stop))
    }

    /// As [`Self::next_unit`], for who looks at a program and does not run it, and so cannot know what its `shopt` has
    /// done: a command that is none without bash's extended patterns is read with them where `may_be_on` says so of the
    /// text that stands before it.
    ///
    /// # Errors
    /// Those of [`Self::next_unit`].
    pub fn next_unit_unrun(
        &mut self,
        options: &ParseOptions,
        may_be_on: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Option<Unit>, SyntaxError> {
        let before = self.source.get(..self.offset).unwrap_or_default();
        match self.read(options, None, None) {
            Err(error) if !error.cause.is_final() && !options.extglob && may_be_on(before) => {
                self.read(&ParseOptions { extglob: true, ..options.clone() }, None, None)
            }
            read => read,
        }
    }

    fn read(
        &mut self,
        options: &ParseOptions,
        aliases: Option<&dyn Aliases>,
        stop: Option<&dyn Fn() -> bool>,
    ) -> Result<Option<Unit>, SyntaxError> {
        if aliases.is_some() {
            return self.read_by(splicing(self.source, self.offset, self.line, options, aliases), stop);
        }
        self.read_by(direct(self.source, self.offset, self.line, options), stop)
    }

    // Inlined, so that the reader is made where it stays.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_by<'r, const DIRECT: bool>(
        &mut self,
        mut reader: Reader<'r, DIRECT>,
        stop: Option<&'r dyn Fn() -> bool>,
    ) -> Result<Option<Unit>, SyntaxError> {
        if let Some(stop) = stop {
            reader.stop_where(stop);
        }
        reader.use_again(std::mem::take(&mut self.arguments), std::mem::take(&mut self.spare));
        let start = reader.start();
        let list = match reader.unit() {
            Ok(list) => list,
            Err(error) => return Err(*reader.with_warnings(error)),
        };
        let span = Span { end: clamp(reader.source_position()), ..reader.span(start) };
        self.line = reader.current_line();
        self.offset = reader.source_position();
        self.nodes = self.nodes.saturating_add(reader.nodes());
        let warnings = reader.take_warnings();
        (self.arguments, self.spare) = reader.into_kept();
        Ok(list.map(|list| Unit { list, span, warnings }))
    }
}

/// A program that has been read to its end, to its first syntax error, or as far as [`parse_beginning`] does.
#[derive(Debug, Clone)]
pub struct Program {
    /// The text.
    pub source: Arc<[u8]>,
    /// The complete commands before the error, in order.
    pub units: Vec<Arc<Unit>>,
    /// Why the rest could not be read. A shell runs `units` first.
    pub error: Option<SyntaxError>,
    /// Where the part of the source begins that has not been read (offset and line); of a program that was read whole `None`.
    pub rest: Option<(usize, u32)>,
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Program>();
};

/// How many words, commands and expansions [`parse_beginning`] reads before it leaves the rest for later.
const BEGINNING_NODES: usize = 100_000;

/// Reads a whole program with the same options throughout and no aliases.
pub fn parse_program(source: impl Into<Arc<[u8]>>, options: &ParseOptions) -> Program {
    parse_up_to(source.into(), options, usize::MAX, None)
}

/// Reads a whole program as [`parse_program`] does, for who looks at it and does not run it: with extended patterns after a
/// command that has the word `extglob`, where there would be a syntax error without them.
pub fn parse_for_analysis(source: impl Into<Arc<[u8]>>, options: &ParseOptions) -> Program {
    let source = source.into();
    let is_named = |before: &[u8]| before.windows(EXTGLOB.len()).any(|window| window == EXTGLOB);
    let (mut units, mut error) = (Vec::new(), None);
    let mut parser = Parser::new(&source);
    // Looked for once it matters, and only until it was found.
    let mut is_on = false;
    loop {
        let unit = parser.next_unit_unrun(options, |before| {
            is_on = is_on || is_named(before);
            is_on
        });
        match unit {
            Ok(Some(unit)) => units.push(Arc::new(unit)),
            Ok(None) => break,
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    Program { source, units, error, rest: None }
}

/// The option of bash's `shopt`.
const EXTGLOB: &[u8] = b"extglob";

/// Reads a program as [`parse_program`] does, but only the beginning of a very large one, for a shell that continues at
/// [`Program::rest`] when it has run that: the tree takes many times the memory of the text.
pub fn parse_beginning(source: impl Into<Arc<[u8]>>, options: &ParseOptions) -> Program {
    parse_up_to(source.into(), options, BEGINNING_NODES, None)
}

/// Reads a program as [`parse_beginning`] does, and less of it where `stop` says so, which is asked every few thousand words,
/// commands and expansions: what is left is the program's [`rest`](Program::rest).
pub fn parse_prefix_with_stop(
    source: impl Into<Arc<[u8]>>,
    options: &ParseOptions,
    stop: &dyn Fn() -> bool,
) -> Program {
    parse_up_to(source.into(), options, BEGINNING_NODES, Some(stop))
}

fn parse_up_to(source: Arc<[u8]>, options: &ParseOptions, nodes: usize, stop: Option<&dyn Fn() -> bool>) -> Program {
    let mut units = Vec::new();
    let mut parser = Parser::new(&source);
    let (mut error, mut rest) = (None, None);
    loop {
        match parser.read(options, None, stop) {
            Ok(Some(unit)) => units.push(Arc::new(unit)),
            Ok(None) => break,
            Err(found) if found.cause == SyntaxErrorCause::Stopped => {
                rest = Some((parser.offset, parser.line));
                break;
            }
            Err(found) => {
                error = Some(found);
                break;
            }
        }
        if parser.nodes > nodes {
            rest = Some((parser.offset, parser.line));
            break;
        }
    }
    Program { source, units, error, rest }
}
