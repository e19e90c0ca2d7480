//! Subscripts in arithmetic: where they are, and what they are with their quotes and expansions.

use crate::ast::{Word, WordPart, WordParts};
use crate::builder::Builder;
use crate::bytes::{NAME, begins_name, is};
use crate::print::print_word;
use crate::span::Span;

/// Where the subscript ends that begins at `inside`, after the `[`. Brackets nest; quoted ones and those of expansions
/// do not count.
pub(super) fn end(text: &[u8], inside: usize) -> Option<usize> {
    let mut depth = 0_u32;
    let mut at = inside;
    loop {
        match *text.get(at)? {
            b'[' => depth += 1,
            b']' if depth == 0 => return Some(at),
            b']' => depth -= 1,
            b'\\' => at += 1,
            quote @ (b'\'' | b'"') => at = closing(text, at, text.len(), quote).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
}

/// The quote that closes the one at `open`; one that nothing closes is a character as any other.
fn closing(text: &[u8], open: usize, end: usize, quote: u8) -> Option<usize> {
    crate::bytes::find(quote, text.get(open + 1..end)?).map(|found| open + 1 + found)
}

/// Which of the expansions stand in a subscript.
pub(super) fn nested(text: &[u8], marks: &[usize]) -> Vec<bool> {
    let mut nested = vec![false; marks.len()];
    let is_mark = |at: usize| marks.binary_search(&at).is_ok();
    let mut at = 0;
    while at < text.len() {
        if is_mark(at) || !is(text[at], NAME) {
            at += 1;
            continue;
        }
        let begin = at;
        while at < text.len() && is(text[at], NAME) && !is_mark(at) {
            at += 1;
        }
        if begins_name(text[begin])
            && text.get(at) == Some(&b'[')
            && let Some(close) = end(text, at + 1)
        {
            for (flag, mark) in nested.iter_mut().zip(marks) {
                *flag |= (at..close).contains(mark);
            }
            at = close + 1;
        }
    }
    nested
}

/// The parts of an expression with their own text in the place of the expansions that stand in single quotes in a
/// subscript; `None` if there are none. Such a subscript is read when it is evaluated.
pub(super) fn without_quoted(
    parts: &[WordPart],
    text: &[u8],
    marks: &[usize],
    nested: &[bool],
) -> Option<Vec<WordPart>> {
    if !nested.contains(&true) || !text.contains(&b'\'') {
        return None;
    }
    let is_quoted = |mark: usize| {
        let open = text[..mark].iter().rposition(|byte| matches!(byte, b'[' | b']' | b'\'' | b'"'));
        open.is_some_and(|open| text[open] == b'\'')
            && text[..mark].iter().filter(|byte| **byte == b'\'').count() % 2 == 1
            && text[mark..].contains(&b'\'')
    };
    let quoted: Vec<bool> = marks.iter().zip(nested).map(|(mark, nested)| *nested && is_quoted(*mark)).collect();
    if !quoted.contains(&true) {
        return None;
    }
    let mut quoted = quoted.into_iter();
    let mut builder = Builder::default();
    for part in parts {
        match part {
            WordPart::Literal(text) => builder.literal(text),
            WordPart::Quoted(text) => builder.quoted(text),
            expansion if quoted.next() == Some(true) => {
                builder.literal(&print_word(&Word::new(vec![expansion.clone()], Span::default())));
            }
            expansion => builder.push(expansion.clone()),
        }
    }
    Some(builder.finish().into_vec())
}

/// Does a subscript need [`readings`]?
pub(super) fn is_plain(text: &[u8], has_marks: bool) -> bool {
    // Text that came up at run time and has expansions is read when they are made.
    let expands = || !has_marks && text.iter().any(|byte| matches!(byte, b'$' | b'`'));
    !has_marks && (!text.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\')) || expands())
}

/// A subscript as a key, its quotes removed, and as the parts of an expression. `parts` gives the expansion at a place.
pub(super) fn readings<'p>(
    text: &[u8],
    range: std::ops::Range<usize>,
    part: impl Fn(usize) -> Option<&'p WordPart>,
) -> (Vec<WordPart>, Vec<WordPart>) {
    let mut readings = Readings::default();
    // The quotes that are open, and where they end.
    let mut open: Option<(u8, usize)> = None;
    let mut at = range.start;
    while at < range.end {
        let byte = text[at];
        match (part(at), open) {
            // In single quotes it is its own text.
            (Some(part), Some((b'\'', _))) => {
                readings.run.extend_from_slice(&print_word(&Word::new(vec![part.clone()], Span::default())));
            }
            (Some(part), _) => readings.expansion(part),
            (None, Some((_, end))) if at == end => open = None,
            (None, Some((b'\'', _))) => readings.run.push(byte),
            (None, _) if byte == b'\\' && at + 1 < range.end && part(at + 1).is_none() => {
                at += 1;
                readings.run.push(text[at]);
            }
            (None, None) if byte == b'\'' || byte == b'"' => match closing(text, at, range.end, byte) {
                Some(end) => open = Some((byte, end)),
                None => readings.run.push(byte),
            },
            (None, _) => readings.run.push(byte),
        }
        at += 1;
    }
    readings.end_run();
    (readings.key, readings.arithmetic)
}

#[derive(Default)]
struct Readings {
    key: Vec<WordPart>,
    arithmetic: Vec<WordPart>,
    run: Vec<u8>,
}

impl Readings {
    fn end_run(&mut self) {
        if !self.run.is_empty() {
            let text = WordPart::Literal(std::mem::take(&mut self.run).into());
            self.key.push(WordPart::DoubleQuoted(vec![text.clone()]));
            self.arithmetic.push(text);
        }
    }

    fn expansion(&mut self, part: &WordPart) {
        self.end_run();
        self.key.push(WordPart::double_quoted(WordParts::one(part.clone())));
        self.arithmetic.push(part.clone());
    }
}
