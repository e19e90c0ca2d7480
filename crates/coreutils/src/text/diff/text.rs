//! The text of a file, and which of its lines are equal.

use std::borrow::Cow;

use hashbrown::HashMap;
use hookshell_regex::{Regex, Subject};

use super::compare::{Change, compare};

/// White space that does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    Exact,
    /// Tabs are the blanks that they stand for (`-E`).
    Tabs,
    /// At the end of a line (`-Z`).
    Trailing,
    /// How much there is (`-b`).
    Amount,
    /// Any (`-w`).
    All,
}

/// How lines compare.
#[derive(Debug, Clone)]
pub(super) struct Equality {
    pub(super) space: Space,
    pub(super) fold: bool,
    pub(super) minimal: bool,
    /// Changes of blank lines alone do not count (`-B`).
    pub(super) ignore_blank: bool,
    /// And those of lines that one of these finds (`-I`).
    pub(super) ignored: Vec<Regex>,
}

/// A file's lines.
pub(super) struct Text<'d> {
    /// With their newlines, but for one that is missing at the end.
    pub(super) lines: Vec<&'d [u8]>,
    pub(super) missing_newline: bool,
}

impl<'d> Text<'d> {
    pub(super) fn new(data: &'d [u8]) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for at in memchr::memchr_iter(b'\n', data) {
            lines.push(data.get(start..=at).unwrap_or_default());
            start = at + 1;
        }
        let rest = data.get(start..).unwrap_or_default();
        if !rest.is_empty() {
            lines.push(rest);
        }
        Self { lines, missing_newline: !rest.is_empty() }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Equality {
    /// What is compared of a line.
    fn key(&self, line: &[u8]) -> Vec<u8> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut key = Vec::with_capacity(line.len());
        let mut column = 0;
        for &byte in line {
            if self.space == Space::Tabs {
                let width = if byte == b'\t' { 8 - column % 8 } else { 1 };
                column += width;
                if byte == b'\t' {
                    key.resize(key.len() + width, b' ');
                    continue;
                }
            }
            if self.space >= Space::Amount && is_space(byte) {
                if self.space == Space::Amount && key.last() != Some(&b' ') {
                    key.push(b' ');
                }
                continue;
            }
            key.push(if self.fold { byte.to_ascii_lowercase() } else { byte });
        }
        if self.space >= Space::Trailing {
            while key.last().is_some_and(|byte| is_space(*byte)) {
                key.pop();
            }
        }
        key
    }

    fn is_exact(&self) -> bool {
        self.space == Space::Exact && !self.fold
    }

    /// The changes from one text to the other. `context` lines around them are part of what is compared, as GNU's.
    pub(super) fn changes<'t>(
        &self,
        left: &Text<'t>,
        right: &Text<'t>,
        context: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Vec<Change> {
        let same = left.lines.iter().zip(&right.lines).take_while(|(a, b)| a == b).count();
        let prefix = same.saturating_sub(context);
        let (left_rest, right_rest) =
            (left.lines.get(prefix..).unwrap_or_default(), right.lines.get(prefix..).unwrap_or_default());
        let suffix = if left.missing_newline == right.missing_newline {
            let same = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(a, b)| a == b).count();
            same.saturating_sub(context)
        } else {
            0
        };
        let middle = |lines: &[&[u8]]| lines.len() - suffix;
        let (left_middle, right_middle) = (middle(left_rest), middle(right_rest));
        let mut classes: HashMap<Cow<'t, [u8]>, usize> = HashMap::new();
        let mut classify = |text: &Text<'t>, count: usize| {
            let mut list = Vec::with_capacity(count);
            for line in text.lines.iter().skip(prefix).take(count) {
                let key = if self.is_exact() {
                    Cow::Borrowed(*line)
                } else {
                    let mut key = self.key(line);
                    // A line without its newline equals no other that has it, unless white space does not count there.
                    if self.space <= Space::Tabs && line.last() == Some(&b'\n') {
                        key.push(b'\n');
                    }
                    Cow::Owned(key)
                };
                let next = classes.len();
                list.push(*classes.entry(key).or_insert(next));
            }
            list
        };
        let (left_classes, right_classes) = (classify(left, left_middle), classify(right, right_middle));
        let mut changes = compare(&left_classes, &right_classes, self.minimal, stopped);
        for change in &mut changes {
            change.lines = change.lines.map(|line| line + prefix);
            change.ignored = (self.ignore_blank || !self.ignored.is_empty()) && self.is_ignored(change, left, right);
        }
        changes
    }

    fn is_ignored(&self, change: &Change, left: &Text<'_>, right: &Text<'_>) -> bool {
        let deleted = left.lines.iter().skip(change.lines[0]).take(change.deleted);
        let inserted = right.lines.iter().skip(change.lines[1]).take(change.inserted);
        deleted.chain(inserted).all(|line| {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let blank = text.is_empty() || (self.space >= Space::Trailing && text.iter().all(|byte| is_space(*byte)));
            self.ignore_blank && blank
                || self.ignored.iter().any(|regex| regex.is_match(&Subject::new(text)).unwrap_or(false))
        })
    }
}
