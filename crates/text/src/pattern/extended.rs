//! The matcher for patterns with groups.
//!
//! A set of positions is carried through the pattern: from the set of places where an element may start comes the
//! set of places where it may end. Sets are sorted lists of ranges, so `*` is one range however long the text is.
//! Only `!(…)` depends on the single start that it is asked for; its answers are kept per start.

use std::ops::Range;

use hashbrown::HashMap;

use super::Options;
use super::chars::{decode_all, fold};
use super::parse::{GroupKind, Node};
use super::set::Set;

/// A pattern with groups.
#[derive(Debug, Clone)]
pub(super) struct Extended {
    elements: Vec<Element>,
    options: Options,
}

#[derive(Debug, Clone)]
enum Element {
    /// Characters, folded when case does not count.
    Literal(Vec<u32>),
    Any,
    Star,
    Set(Box<Set>),
    Group(GroupKind, Vec<Vec<Element>>),
    /// A negated group and its number among them.
    Not(usize, Vec<Vec<Element>>),
}

impl Extended {
    pub(super) fn new(nodes: Vec<Node>, options: Options) -> Self {
        let mut negations = 0;
        Self { elements: convert(nodes, options, &mut negations), options }
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        let subject = Subject::new(text, self.options);
        let end = subject.characters.len();
        Run::new(&subject, false).ends(&self.elements, Positions::one(0)).contains(end)
    }

    /// The length in bytes of the longest or shortest matching prefix.
    pub(super) fn prefix(&self, text: &[u8], longest: bool) -> Option<usize> {
        let subject = Subject::new(text, self.options);
        let ends = Run::new(&subject, false).ends(&self.elements, Positions::one(0));
        let end = if longest { ends.last() } else { ends.first() };
        end.map(|end| subject.offset(end))
    }

    /// The offset of the longest or shortest matching suffix: a prefix of the text read backwards.
    pub(super) fn suffix(&self, text: &[u8], longest: bool) -> Option<usize> {
        let subject = Subject::new(text, self.options);
        let length = subject.characters.len();
        let starts = Run::new(&subject, true).ends(&self.elements, Positions::one(0));
        let start = if longest { starts.last() } else { starts.first() };
        start.map(|start| subject.offset(length - start))
    }

    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let subject = Subject::new(text.get(from..)?, self.options);
        let length = subject.characters.len();
        // Backwards from every place at once: all places where a match starts.
        let starts = Run::new(&subject, true).ends(&self.elements, Positions::span(0, length));
        let start = length - starts.last()?;
        let end = Run::new(&subject, false).ends(&self.elements, Positions::one(start)).last()?;
        Some(from + subject.offset(start)..from + subject.offset(end))
    }
}

fn convert(nodes: Vec<Node>, options: Options, negations: &mut usize) -> Vec<Element> {
    let convert_all = |alternatives: Vec<Vec<Node>>, negations: &mut usize| {
        alternatives.into_iter().map(|nodes| convert(nodes, options, negations)).collect()
    };
    nodes
        .into_iter()
        .map(|node| match node {
            Node::Literal(text) => Element::Literal(
                decode_all(&text, options.bytes)
                    .map(|(_, character)| if options.nocase { fold(character) } else { character })
                    .collect(),
            ),
            Node::Any => Element::Any,
            Node::Star => Element::Star,
            Node::Set(set) => Element::Set(set),
            Node::Group(GroupKind::Not, alternatives) => {
                *negations += 1;
                let number = *negations;
                Element::Not(number, convert_all(alternatives, negations))
            }
            Node::Group(kind, alternatives) => Element::Group(kind, convert_all(alternatives, negations)),
        })
        .collect()
}

/// A text as characters, with the byte offset of each.
struct Subject {
    characters: Vec<u32>,
    /// Lower case of each, when case does not count.
    folded: Option<Vec<u32>>,
    offsets: Vec<usize>,
    length: usize,
}

impl Subject {
    fn new(text: &[u8], options: Options) -> Self {
        let (offsets, characters): (Vec<usize>, Vec<u32>) = decode_all(text, options.bytes).unzip();
        let folded = options.nocase.then(|| characters.iter().map(|&character| fold(character)).collect());
        Self { characters, folded, offsets, length: text.len() }
    }

    fn offset(&self, position: usize) -> usize {
        self.offsets.get(position).copied().unwrap_or(self.length)
    }
}

/// A set of positions: sorted, disjoint, inclusive ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Positions(Vec<(usize, usize)>);

impl Positions {
    fn one(position: usize) -> Self {
        Self::span(position, position)
    }

    fn span(first: usize, last: usize) -> Self {
        Self(vec![(first, last)])
    }

    fn first(&self) -> Option<usize> {
        self.0.first().map(|&(first, _)| first)
    }

    fn last(&self) -> Option<usize> {
        self.0.last().map(|&(_, last)| last)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn contains(&self, position: usize) -> bool {
        let index = self.0.partition_point(|&(_, last)| last < position);
        self.0.get(index).is_some_and(|&(first, _)| first <= position)
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flat_map(|&(first, last)| first..=last)
    }

    /// Appends a position that is not below any other.
    fn push(&mut self, position: usize) {
        match self.0.last_mut() {
            Some((_, last)) if *last == position => {}
            Some((_, last)) if *last + 1 == position => *last = position,
            _ => self.0.push((position, position)),
        }
    }

    fn union(&self, other: &Self) -> Self {
        let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.0 <= b.0 => left.next(),
                (_, Some(_)) => right.next(),
                (Some(_), None) => left.next(),
                (None, None) => break,
            };
            let Some(&(first, last)) = next else { break };
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 >= first => *end = (*end).max(last),
                _ => ranges.push((first, last)),
            }
        }
        Self(ranges)
    }

    /// Adds another set, at the cost of what is not in front of it: repetitions find later places again and again.
    fn absorb(&mut self, other: &Self) {
        let Some(first) = other.first() else { return };
        let after = self.0.split_off(self.0.partition_point(|&(_, last)| last + 1 < first));
        self.0.extend(Self(after).union(other).0);
    }

    /// What is in `first..=last` and not in the set.
    fn complement(&self, first: usize, last: usize) -> Self {
        let mut ranges = Vec::new();
        let mut next = first;
        for &(start, end) in &self.0 {
            if start > next {
                ranges.push((next, (start - 1).min(last)));
            }
            next = next.max(end + 1);
            if next > last {
                return Self(ranges);
            }
        }
        if next <= last {
            ranges.push((next, last));
        }
        Self(ranges)
    }

    fn minus(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let least = self.first().unwrap_or(0);
        let mut index = other.0.partition_point(|&(_, end)| end < least);
        for &(first, last) in &self.0 {
            let mut next = first;
            while other.0.get(index).is_some_and(|&(_, end)| end < next) {
                index += 1;
            }
            let mut at = index;
            while let Some(&(start, end)) = other.0.get(at).filter(|&&(start, _)| start <= last) {
                if start > next {
                    ranges.push((next, start - 1));
                }
                next = next.max(end + 1);
                at += 1;
            }
            if next <= last {
                ranges.push((next, last));
            }
        }
        Self(ranges)
    }
}

/// One walk through a pattern over one text, forwards or backwards.
struct Run<'t> {
    subject: &'t Subject,
    backwards: bool,
    length: usize,
    /// The places where a negated group that starts at a place can end.
    memo: HashMap<(usize, usize), Positions>,
}

impl<'t> Run<'t> {
    fn new(subject: &'t Subject, backwards: bool) -> Self {
        Self { subject, backwards, length: subject.characters.len(), memo: HashMap::new() }
    }

    fn index(&self, position: usize) -> usize {
        if self.backwards { self.length - 1 - position } else { position }
    }

    fn ends(&mut self, elements: &[Element], starts: Positions) -> Positions {
        let mut positions = starts;
        for index in 0..elements.len() {
            if positions.is_empty() {
                break;
            }
            let element = &elements[if self.backwards { elements.len() - 1 - index } else { index }];
            positions = self.step(element, positions);
        }
        positions
    }

    fn step(&mut self, element: &Element, starts: Positions) -> Positions {
        match element {
            Element::Star => match starts.first() {
                Some(first) => Positions::span(first, self.length),
                None => starts,
            },
            Element::Any => {
                let mut ends = Positions::default();
                for &(first, last) in &starts.0 {
                    if first < self.length {
                        ends.0.push((first + 1, last.min(self.length - 1) + 1));
                    }
                }
                ends
            }
            Element::Set(set) => {
                self.advance(&starts, 1, |run, at| set.contains(run.subject.characters[run.index(at)]))
            }
            Element::Literal(text) => self.advance(&starts, text.len(), |run, at| run.has_literal(text, at)),
            Element::Group(kind, alternatives) => self.group(*kind, alternatives, starts),
            Element::Not(number, alternatives) => self.negation(*number, alternatives, &starts),
        }
    }

    /// The starts from which `matches` holds, moved by `length` characters.
    fn advance(&self, starts: &Positions, length: usize, matches: impl Fn(&Self, usize) -> bool) -> Positions {
        let mut ends = Positions::default();
        for start in starts.iter() {
            if start + length > self.length {
                break;
            }
            if matches(self, start) {
                ends.push(start + length);
            }
        }
        ends
    }

    fn has_literal(&self, text: &[u32], at: usize) -> bool {
        let characters = self.subject.folded.as_ref().unwrap_or(&self.subject.characters);
        if self.backwards {
            let end = self.length - at;
            characters[end - text.len()..end] == *text
        } else {
            characters[at..at + text.len()] == *text
        }
    }

    fn alternatives(&mut self, alternatives: &[Vec<Element>], starts: &Positions) -> Positions {
        let mut ends = Positions::default();
        for alternative in alternatives {
            ends = ends.union(&self.ends(alternative, starts.clone()));
        }
        ends
    }

    fn group(&mut self, kind: GroupKind, alternatives: &[Vec<Element>], starts: Positions) -> Positions {
        let once = self.alternatives(alternatives, &starts);
        match kind {
            GroupKind::One | GroupKind::Not => once,
            GroupKind::Optional => starts.union(&once),
            GroupKind::Any | GroupKind::Some => {
                let mut all = if kind == GroupKind::Any { starts.union(&once) } else { once.clone() };
                let mut fresh = if kind == GroupKind::Any { once.minus(&starts) } else { once };
                while !fresh.is_empty() {
                    let next = self.alternatives(alternatives, &fresh);
                    fresh = next.minus(&all);
                    all.absorb(&fresh);
                }
                all
            }
        }
    }

    /// Everything from a start on that the alternatives do not match from there.
    fn negation(&mut self, number: usize, alternatives: &[Vec<Element>], starts: &Positions) -> Positions {
        let mut ends = Positions::default();
        let Some(least) = starts.first() else {
            return ends;
        };
        for start in starts.iter() {
            let key = (number, start);
            let from_here = match self.memo.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let excluded = self.alternatives(alternatives, &Positions::one(start));
                    let found = excluded.complement(start, self.length);
                    self.memo.insert(key, found.clone());
                    found
                }
            };
            ends = ends.union(&from_here);
            // Usually two starts already reach every later place.
            if ends.0 == [(least, self.length)] {
                break;
            }
        }
        ends
    }
}
