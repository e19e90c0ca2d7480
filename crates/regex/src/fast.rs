//! The search by automata, for expressions without back-references.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use memchr::memmem;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::meta;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::look::LookMatcher;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{self, Hir, HirKind};

use crate::ast::{Look, Node};
use crate::class::CharClass;
use crate::error::Error;
use crate::lookaround::Places;
use crate::subject::Span;
use crate::text::{Encoding, INVALID, encode};

/// How many caches of an automaton's searches are kept for the next ones. Else regex-automata keeps one for each processor, and
/// their number costs thirteen system calls on Linux (the control groups are asked, too).
pub const SEARCH_CACHES: usize = 4;

/// Which texts it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// ASCII only: the sets of characters are small.
    Ascii,
    /// Any.
    Full,
    /// Any; it matches too much: conditions that the automata do not judge are left out.
    Relaxed,
}

/// A compiled automaton.
#[derive(Debug)]
pub(crate) struct Fast {
    leftmost: Leftmost,
    /// Finds the longest end; `None`: every match has the same length.
    longest: Option<Longest>,
    /// No text matches: in ASCII nothing has a character that is not.
    never: bool,
}

/// Finds the leftmost match.
#[derive(Debug)]
enum Leftmost {
    /// One text. An automaton for a long one that repeats itself has quadratic size, and its search quadratic time.
    Literal(Box<memmem::Finder<'static>>),
    Automaton(Box<Automaton>),
}

/// After how many bytes an expression gets its whole automaton, where that is small. To make it takes longer than to search some
/// lines, and what a hook asks of `grep` is often one line; it searches up to twice as fast as the one whose states are made when a
/// text needs them, and only it looks for the beginnings of matches first.
const MUCH_TEXT: usize = 256 * 1024;

/// Searches with the states that the texts need, and much text with all of them.
#[derive(Debug)]
struct Automaton {
    hir: Hir,
    line_end: u8,
    size: usize,
    lazy: meta::Regex,
    searched: AtomicUsize,
    whole: OnceLock<Option<meta::Regex>>,
}

#[derive(Debug)]
struct Longest {
    automaton: DFA,
    caches: Mutex<Vec<Cache>>,
}

impl Fast {
    /// Compiles an expression; one that would take more than `size` bytes is an error (`(a{1000}){1000}`).
    pub(crate) fn compile(node: &Node, places: Places, variant: Variant, size: usize) -> Result<Self, Error> {
        let hir = Translation { places, variant }.node(node);
        let end = places.line_end.unwrap_or(b'\n');
        let leftmost = match hir.kind() {
            HirKind::Literal(text) => Leftmost::Literal(Box::new(memmem::Finder::new(&text.0).into_owned())),
            _ => Leftmost::Automaton(Box::new(Automaton::compile(&hir, end, size)?)),
        };
        let properties = hir.properties();
        let fixed = properties.minimum_len().is_some() && properties.minimum_len() == properties.maximum_len();
        let longest = if fixed || variant == Variant::Relaxed {
            None
        } else {
            let mut looks = LookMatcher::new();
            looks.set_line_terminator(end);
            let nfa = thompson::Compiler::new()
                .configure(
                    thompson::Config::new()
                        .utf8(false)
                        .nfa_size_limit(Some(size))
                        .which_captures(WhichCaptures::None)
                        .look_matcher(looks),
                )
                .build_from_hir(&hir)
                .map_err(|_| Error::Memory)?;
            let automaton = DFA::builder()
                .configure(DFA::config().match_kind(MatchKind::All).skip_cache_capacity_check(true))
                .build_from_nfa(nfa)
                .map_err(|_| Error::Memory)?;
            Some(Longest { automaton, caches: Mutex::default() })
        };
        Ok(Self { leftmost, longest, never: never_matches(&hir) })
    }

    pub(crate) fn is_match(&self, text: &[u8], start: usize) -> bool {
        !self.never && self.leftmost.earliest_end(text, start).is_some()
    }

    /// The place where the first match ends at the earliest.
    pub(crate) fn earliest_end(&self, text: &[u8], start: usize) -> Option<usize> {
        if self.never {
            return None;
        }
        self.leftmost.earliest_end(text, start)
    }

    /// The start of the leftmost match.
    pub(crate) fn leftmost_start(&self, text: &[u8], start: usize) -> Option<usize> {
        self.leftmost.find(text, start).map(|found| found.0)
    }

    /// The leftmost-longest match. The error: the automaton gave up.
    pub(crate) fn find(&self, text: &[u8], start: usize) -> Result<Option<Span>, ()> {
        let Some((start, end)) = self.leftmost.find(text, start) else {
            return Ok(None);
        };
        match &self.longest {
            Some(longest) if end < text.len() => Ok(Some((start, longest.end(text, start)?.unwrap_or(end)))),
            _ => Ok(Some((start, end))),
        }
    }
}

impl Leftmost {
    fn find(&self, text: &[u8], start: usize) -> Option<Span> {
        match self {
            Self::Literal(finder) => {
                let found = start + finder.find(text.get(start..)?)?;
                Some((found, found + finder.needle().len()))
            }
            Self::Automaton(automaton) => {
                let found =
                    automaton.regex(text.len() - start.min(text.len())).find(Input::new(text).range(start..))?;
                Some((found.start(), found.end()))
            }
        }
    }

    fn earliest_end(&self, text: &[u8], start: usize) -> Option<usize> {
        match self {
            Self::Literal(_) => self.find(text, start).map(|found| found.1),
            Self::Automaton(automaton) => {
                let input = Input::new(text).range(start..).earliest(true);
                automaton.regex(text.len() - start.min(text.len())).search_half(&input).map(|found| found.offset())
            }
        }
    }
}

impl Automaton {
    fn compile(hir: &Hir, line_end: u8, size: usize) -> Result<Self, Error> {
        let lazy = regex(hir, line_end, size, false).ok_or(Error::Memory)?;
        Ok(Self { hir: hir.clone(), line_end, size, lazy, searched: AtomicUsize::new(0), whole: OnceLock::new() })
    }

    /// What searches so many bytes.
    fn regex(&self, bytes: usize) -> &meta::Regex {
        if let Some(whole) = self.whole.get() {
            return whole.as_ref().unwrap_or(&self.lazy);
        }
        // Only an estimate of what is worth it: what another thread adds at the same time may be lost.
        let searched = self.searched.load(Ordering::Relaxed).saturating_add(bytes);
        self.searched.store(searched, Ordering::Relaxed);
        if searched < MUCH_TEXT {
            return &self.lazy;
        }
        self.whole.get_or_init(|| regex(&self.hir, self.line_end, self.size, true)).as_ref().unwrap_or(&self.lazy)
    }
}

/// `None`: it would take too much room. `whole`: a small one has all its states from the beginning.
fn regex(hir: &Hir, line_end: u8, size: usize, whole: bool) -> Option<meta::Regex> {
    meta::Builder::new()
        .configure(
            meta::Config::new()
                .utf8_empty(false)
                .nfa_size_limit(Some(size))
                .which_captures(WhichCaptures::Implicit)
                .hybrid_cache_capacity(cache_capacity(hir))
                .dfa(whole)
                // Made of an automaton of its own, which takes as long as all else of a small expression.
                .auto_prefilter(whole)
                .pool_capacity(SEARCH_CACHES)
                .line_terminator(line_end),
        )
        .build_from_hir(hir)
        .ok()
}

/// The least room that automata are given for the states which a search has made.
const LEAST_CACHE: usize = 2 << 20;

/// The most: it suffices for the largest automaton that is compiled.
const MOST_CACHE: usize = 64 << 20;

/// What the room has to hold for each state of the nondeterministic automaton.
const PER_STATE: usize = 64;

/// The room for the states that a search makes. Where it has not enough for a few of them, all is searched without any: thousands
/// of patterns cost so many steps for each byte then.
fn cache_capacity(hir: &Hir) -> usize {
    weight(hir).saturating_mul(PER_STATE).clamp(LEAST_CACHE, MOST_CACHE)
}

/// About how many states the nondeterministic automaton has.
fn weight(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(text) => text.0.len(),
        HirKind::Class(_) => 8,
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min).max(1);
            weight(&repeated.sub).saturating_add(1).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => weight(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(parts.len(), |sum, part| sum.saturating_add(weight(part)))
        }
    }
}

impl Longest {
    fn end(&self, text: &[u8], start: usize) -> Result<Option<usize>, ()> {
        let kept = self.caches.lock().ok().and_then(|mut caches| caches.pop());
        let mut cache = kept.unwrap_or_else(|| self.automaton.create_cache());
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let found = self.automaton.try_search_fwd(&mut cache, &input);
        if let Ok(mut caches) = self.caches.lock()
            && caches.len() < SEARCH_CACHES
        {
            caches.push(cache);
        }
        found.map(|found| found.map(|found| found.offset())).map_err(drop)
    }
}

/// Does it match no text at all?
fn never_matches(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(class) => class.is_empty(),
        HirKind::Capture(capture) => never_matches(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && never_matches(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().any(never_matches),
        HirKind::Alternation(parts) => parts.iter().all(never_matches),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => false,
    }
}

struct Translation {
    places: Places,
    variant: Variant,
}

impl Translation {
    fn node(&self, node: &Node) -> Hir {
        match node {
            Node::Empty => Hir::empty(),
            Node::Unit(unit) => {
                let mut bytes = Vec::new();
                encode(*unit, self.places.encoding, &mut bytes);
                Hir::literal(bytes)
            }
            Node::Class(class) => self.class(class),
            Node::Look(look) => self.look(*look),
            // Only where matching too much does no harm.
            Node::BackReference(_) => Hir::repetition(hir::Repetition {
                min: 0,
                max: None,
                greedy: self.is_greedy(),
                sub: Box::new(self.class(&self.anything())),
            }),
            Node::Group(_, inside) => self.node(inside),
            Node::Concat(nodes) => Hir::concat(nodes.iter().map(|node| self.node(node)).collect()),
            Node::Alternation(nodes) => Hir::alternation(nodes.iter().map(|node| self.node(node)).collect()),
            Node::Repeat { node, min, max } => Hir::repetition(hir::Repetition {
                min: *min,
                max: *max,
                greedy: self.is_greedy(),
                sub: Box::new(self.node(node)),
            }),
        }
    }

    /// Of a relaxed expression only the start counts, which is the same for the shortest match; the longest may be at the
    /// end of a long line, each time.
    fn is_greedy(&self) -> bool {
        self.variant != Variant::Relaxed
    }

    fn anything(&self) -> CharClass {
        let mut class = CharClass::all(Encoding::Bytes);
        if let Some(end) = self.places.line_end {
            class.remove(u32::from(end));
        }
        class
    }

    fn class(&self, class: &CharClass) -> Hir {
        let ranges = class.ranges().iter().copied();
        let as_bytes = self.places.encoding == Encoding::Bytes
            || self.variant == Variant::Ascii
            || class.ranges().iter().all(|range| range.1 < 128);
        if as_bytes || self.variant == Variant::Relaxed && class.ranges().last().is_some_and(|range| range.1 >= INVALID)
        {
            let last = if self.variant == Variant::Ascii { 0x7f } else { 0xff };
            let bytes = ranges
                .filter(|range| range.0 <= last)
                .map(|(start, end)| hir::ClassBytesRange::new(low(start), low(end.min(last))));
            let mut bytes = hir::ClassBytes::new(bytes);
            if !as_bytes {
                // It has bytes that are not characters: any byte that is not ASCII.
                bytes.push(hir::ClassBytesRange::new(0x80, 0xff));
            }
            return Hir::class(hir::Class::Bytes(bytes));
        }
        let characters = ranges.filter(|range| range.0 < INVALID).filter_map(|(start, end)| {
            // The ends of a range are characters unless they are surrogates, which no text has.
            let start = char::from_u32(start).unwrap_or('\u{e000}');
            let end = char::from_u32(end.min(0x10_ffff)).unwrap_or('\u{d7ff}');
            (start <= end).then(|| hir::ClassUnicodeRange::new(start, end))
        });
        Hir::class(hir::Class::Unicode(hir::ClassUnicode::new(characters)))
    }

    fn look(&self, look: Look) -> Hir {
        if self.variant == Variant::Relaxed && look.is_of_words() {
            return Hir::empty();
        }
        let lines = self.places.line_end.is_some();
        Hir::look(match look {
            Look::LineStart if lines => hir::Look::StartLF,
            Look::LineEnd if lines => hir::Look::EndLF,
            Look::LineStart | Look::TextStart => hir::Look::Start,
            Look::LineEnd | Look::TextEnd => hir::Look::End,
            Look::WordStart => hir::Look::WordStartAscii,
            Look::WordEnd => hir::Look::WordEndAscii,
            Look::Boundary => hir::Look::WordAscii,
            Look::NotBoundary => hir::Look::WordAsciiNegate,
            Look::NotAfterWord => hir::Look::WordStartHalfAscii,
            Look::NotBeforeWord => hir::Look::WordEndHalfAscii,
        })
    }
}

fn low(unit: u32) -> u8 {
    unit.to_le_bytes()[0]
}
