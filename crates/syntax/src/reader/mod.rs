//! The recursive-descent reader: bytes in, one complete command out.
//!
//! There is no separate token stream: what a byte means depends on where it stands (XCU 2.3, 2.4), so each production
//! looks at the bytes itself. This module has what all of them share: the source with its alias text spliced in, the
//! place in it, and line counting.

mod alias;
mod array;
mod brace;
mod brace_text;
mod case;
mod command;
mod compound;
mod condition;
mod conditional;
mod cursor;
mod dollar;
mod errors;
mod function;
mod heredoc;
mod limits;
mod list;
mod mark;
mod parameter;
mod parameter_operation;
mod position;
mod quote;
mod redirection;
mod simple;
mod text;
mod tilde;
mod token;
mod word;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use smallvec::SmallVec;
use thin_vec::ThinVec;

use crate::ast::Argument;
use crate::error::SyntaxError;
use crate::options::{Aliases, Dialect, ParseOptions};
use crate::span::Span;
use crate::warning::HereDocumentWarning;

pub(crate) use alias::Region;
pub(crate) use heredoc::Pending;
pub(crate) use position::Start;
pub use quote::decode_dollar_single;
pub use text::{parse_double_quoted, parse_subscript};

/// What a production gives back. The error is boxed: it is large, rare, and on every frame of the recursion.
pub(crate) type Parsed<T> = Result<T, Box<SyntaxError>>;

/// A construct that is open, for the message at the end of the source.
struct Opened {
    what: &'static str,
    line: u32,
}

/// Reads one unit.
///
/// `DIRECT`: the text that is read is the caller's and stays so, without aliases, as that of nearly all programs. Such a
/// reader is compiled without a look at what others have put in.
pub(crate) struct Reader<'s, const DIRECT: bool> {
    source: &'s [u8],
    /// The source with aliases put in, once there is one.
    spliced: Option<Rc<Vec<u8>>>,
    /// A buffer of an earlier reader of the source, to become `spliced`; or empty.
    spare: Vec<u8>,
    /// The next byte to read, in `spliced` or else `source`.
    pub(crate) pos: usize,
    /// Reading ends here: the end of the source, or of a here-document's body.
    limit: usize,
    /// The source up to there: what is read as long as no alias has been put in.
    unspliced: &'s [u8],
    /// Where a text that was taken out of the source (a backquoted command) stands in it.
    base: Option<Span>,
    /// Lines are counted up to here …
    counted: usize,
    /// … and this is the line of that byte.
    line: u32,
    /// Up to here no newline follows that place.
    line_end: usize,
    pub(crate) options: &'s ParseOptions,
    pub(crate) bash: bool,
    pub(crate) aliases: Option<&'s dyn Aliases>,
    depth: u32,
    /// Words, commands and expansions so far.
    nodes: usize,
    /// Above so many nodes the limit and `stop` are looked at.
    unchecked_nodes: usize,
    /// Asked now and then whether to stop.
    stop: Option<&'s dyn Fn() -> bool>,
    opened: SmallVec<[Opened; 6]>,
    /// Here-documents whose bodies follow the next newline.
    pending: Vec<Pending>,
    /// What bash warns of in here-documents.
    warnings: Vec<HereDocumentWarning>,
    /// Alias texts that are being read, outermost first.
    regions: Vec<Region>,
    /// An alias text that ended in a blank has just been left: the next word is checked too.
    check_next: bool,
    /// Bytes of alias text put in so far.
    alias_bytes: usize,
    /// Those of them that stood in the text of another alias.
    nested_alias_bytes: usize,
    /// The place at which a reserved word was looked for last, and what was found there.
    last_keyword: Cell<(usize, Option<(token::Keyword, usize)>)>,
    /// bash: the word being read is an assignment's value, which has tilde-prefixes after each `:`, in `${name-word}` too.
    in_value: bool,
    /// The words of the simple commands that are being read, the innermost last: each list is made in its size.
    arguments: ThinVec<Argument>,
    /// Places (counted from the end) of `((` that turned out not to be arithmetic: they are not tried twice.
    not_arithmetic: HashSet<usize>,
    /// The same for `$((` that are not commands either.
    not_commands: HashMap<usize, Box<SyntaxError>>,
    /// The same for `=(` that is no array, and for words after `coproc` that are not names.
    read_otherwise: HashSet<usize>,
    /// How many `$(` are open.
    substitutions: u32,
    /// In the text of a here-document, and in no command inside it.
    in_here_document: bool,
}

/// A reader for a caller's text without aliases.
pub(crate) fn direct<'s>(source: &'s [u8], offset: usize, line: u32, options: &'s ParseOptions) -> Reader<'s, true> {
    Reader::make(source, offset, line, options, None)
}

/// A reader that puts aliases into the text.
pub(crate) fn splicing<'s>(
    source: &'s [u8],
    offset: usize,
    line: u32,
    options: &'s ParseOptions,
    aliases: Option<&'s dyn Aliases>,
) -> Reader<'s, false> {
    Reader::make(source, offset, line, options, aliases)
}

impl<'s, const DIRECT: bool> Reader<'s, DIRECT> {
    fn make(
        source: &'s [u8],
        offset: usize,
        line: u32,
        options: &'s ParseOptions,
        aliases: Option<&'s dyn Aliases>,
    ) -> Self {
        let pos = offset.min(source.len());
        Self {
            source,
            spliced: None,
            spare: Vec::new(),
            pos,
            limit: source.len(),
            unspliced: source,
            base: None,
            counted: pos,
            line,
            line_end: pos,
            options,
            bash: options.dialect == Dialect::Bash,
            aliases,
            depth: 0,
            nodes: 0,
            unchecked_nodes: options.max_nodes,
            stop: None,
            opened: SmallVec::new(),
            pending: Vec::new(),
            warnings: Vec::new(),
            regions: Vec::new(),
            check_next: false,
            alias_bytes: 0,
            nested_alias_bytes: 0,
            last_keyword: Cell::new((usize::MAX, None)),
            in_value: false,
            arguments: ThinVec::new(),
            not_arithmetic: HashSet::new(),
            not_commands: HashMap::new(),
            read_otherwise: HashSet::new(),
            substitutions: 0,
            in_here_document: false,
        }
    }

    /// A reader for text that was taken out of this one's source at `place` and changed on the way (backslashes, tabs).
    pub(crate) fn nested<'n>(&self, text: &'n [u8], place: Span) -> Reader<'n, false>
    where
        's: 'n,
    {
        let mut reader = splicing(text, 0, place.line, self.options, self.aliases);
        reader.base = Some(place);
        reader.depth = self.depth;
        reader.nodes = self.nodes;
        reader.unchecked_nodes = self.unchecked_nodes;
        reader.stop = self.stop;
        reader.alias_bytes = self.alias_bytes;
        reader.nested_alias_bytes = self.nested_alias_bytes;
        reader
    }

    /// Uses again what another reader of the source has left: its list for the words of commands, and its buffer.
    pub(crate) fn use_again(&mut self, arguments: ThinVec<Argument>, spare: Vec<u8>) {
        self.arguments = arguments;
        self.spare = spare;
    }

    /// For the next reader of the source: the list for the words of commands, which is empty between units, and a buffer that
    /// ends with the source from this place on.
    pub(crate) fn into_kept(mut self) -> (ThinVec<Argument>, Vec<u8>) {
        self.arguments.clear();
        let spare = match self.spliced {
            Some(spliced) if self.base.is_none() => Rc::try_unwrap(spliced).unwrap_or_default(),
            _ => self.spare,
        };
        (self.arguments, spare)
    }

    /// The whole text, alias text included.
    #[inline]
    fn buffer(&self) -> &[u8] {
        match &self.spliced {
            Some(spliced) if !DIRECT => spliced,
            _ => self.source,
        }
    }

    /// The text up to the limit.
    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        match &self.spliced {
            Some(spliced) if !DIRECT => &spliced[..self.limit],
            _ => self.unspliced,
        }
    }

    /// Reading ends at `limit`.
    fn end_at(&mut self, limit: usize) {
        self.limit = limit;
        self.last_keyword.set((usize::MAX, None));
        // Not what is read where aliases have been put in, which may go further.
        self.unspliced = self.source.get(..limit).unwrap_or(self.source);
    }

    /// Is no here-document waiting for the next newline?
    #[inline]
    pub(crate) fn no_here_documents(&self) -> bool {
        self.pending.is_empty()
    }

    /// Is no text of an alias being read?
    #[inline]
    fn outside_aliases(&self) -> bool {
        DIRECT || self.regions.is_empty()
    }

    /// May words be aliases?
    #[inline]
    pub(crate) fn has_aliases(&self) -> bool {
        !DIRECT && self.aliases.is_some()
    }
}

/// Appends to a list that mostly has one element.
pub(crate) fn push<T>(list: &mut Vec<T>, element: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(element);
}

/// The same for a list whose length stands with its elements.
pub(crate) fn push_thin<T>(list: &mut ThinVec<T>, element: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(element);
}

pub(crate) fn clamp(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
