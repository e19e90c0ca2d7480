//! bash: brace expansion.
//!
//! bash looks for braces in the text of the word, before anything else is expanded, and passes over quoted text and
//! expansions. Here the word has been read already: those are parts, and only unquoted text is looked at.

use bstr::{BString, ByteSlice};

use super::brace_text::BraceWords;
use super::{Parsed, Reader, Start};
use crate::ast::{BraceExpansion, Parameter, ParameterOperation, Word, WordPart, WordParts};
use crate::builder::Builder;
use crate::error::SyntaxErrorCause;

/// How many bytes may be looked at in search of closing braces, per word: `{{{{…` is quadratic.
const MAX_STEPS: usize = 4_000_000;

/// A byte of unquoted text, or a part that is passed over.
#[derive(Clone)]
enum Item {
    Byte(u8),
    Part(WordPart),
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// Replaces the brace expansions in unquoted text of a word that begins at `start` and ends here.
    pub(crate) fn expand_braces(&mut self, parts: WordParts, start: Start) -> Parsed<WordParts> {
        let closes = parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains(&b'}')));
        if !closes {
            return Ok(parts);
        }
        let plain = parts.clone();
        let expanded = self.braces_of_parts(parts)?;
        if interlocks(&expanded, false) || plain.iter().any(opens_in_parameter) || hides_comma(&plain) {
            return Ok(match self.brace_words(start, &plain)? {
                BraceWords::None => plain,
                BraceWords::Some(words) => WordParts::one(words),
                BraceWords::TooMany => expanded,
            });
        }
        Ok(expanded)
    }

    fn braces_of_parts(&mut self, parts: WordParts) -> Parsed<WordParts> {
        let mut items = Vec::new();
        for part in parts {
            match part {
                WordPart::Literal(text) => items.extend(text.iter().map(|&b| Item::Byte(b))),
                part => items.push(Item::Part(part)),
            }
        }
        self.count(items.len())?;
        let mut steps = 0;
        self.braces_in(items, &mut steps).map(WordParts::from)
    }

    fn braces_in(&mut self, items: Vec<Item>, steps: &mut usize) -> Parsed<Vec<WordPart>> {
        self.enter()?;
        let mut builder = Builder::default();
        let mut from = 0;
        let mut at = 0;
        while at < items.len() {
            if !opens(&items, at) {
                at += 1;
                continue;
            }
            let close = closing(&items, at + 1, steps);
            if *steps > MAX_STEPS {
                let cause = SyntaxErrorCause::Invalid("too many braces in a word".into());
                return Err(self.error(cause, self.pos, self.pos));
            }
            let Some(close) = close else {
                at += 1;
                continue;
            };
            let inside = &items[at + 1..close];
            match self.brace(inside, steps)? {
                Some(expansion) => {
                    push(&mut builder, &items[from..at]);
                    builder.push(WordPart::Brace(Box::new(expansion)));
                    at = close + 1;
                    from = at;
                }
                // An invalid sequence stays as it is, with its braces.
                None => at = close + 1,
            }
        }
        push(&mut builder, &items[from..]);
        self.leave();
        Ok(builder.finish_vec())
    }

    fn brace(&mut self, inside: &[Item], steps: &mut usize) -> Parsed<Option<BraceExpansion>> {
        if !inside.iter().any(|item| matches!(item, Item::Byte(b','))) {
            return Ok(sequence(inside));
        }
        let mut alternatives = Vec::new();
        for alternative in split(inside) {
            alternatives.push(self.braces_in(alternative.to_vec(), steps)?);
        }
        Ok(Some(BraceExpansion::Alternatives(alternatives)))
    }
}

fn byte(items: &[Item], at: usize) -> Option<u8> {
    match items.get(at) {
        Some(Item::Byte(byte)) => Some(*byte),
        _ => None,
    }
}

/// Does text on both sides of a brace belong together: `$x{a,b}`, `{$x,y}z`? `followed`: something stands after the
/// parts.
fn interlocks(parts: &[WordPart], followed: bool) -> bool {
    parts.iter().enumerate().any(|(i, part)| {
        let is_last = i + 1 == parts.len();
        let meets = match parts.get(i + 1) {
            Some(next) => matches!(next, WordPart::Brace(_)),
            None => followed,
        };
        match part {
            // In `$${a,b}` bash sees a `${`.
            WordPart::Parameter(expansion) => {
                meets
                    && !expansion.braced
                    && matches!(expansion.parameter, Parameter::Variable(_) | Parameter::ProcessId)
            }
            WordPart::Literal(text) => meets && text.last() == Some(&b'$'),
            WordPart::Brace(brace) => match &**brace {
                BraceExpansion::Alternatives(list) => list.iter().any(|parts| interlocks(parts, !is_last || followed)),
                _ => false,
            },
            _ => false,
        }
    })
}

/// May a quoted comma stand in a sequence? `{a..'b,c'}` has one alternative.
fn hides_comma(parts: &[WordPart]) -> bool {
    parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains_str("..")))
        && parts.iter().any(|part| !matches!(part, WordPart::Literal(_)))
}

/// Is a brace open after `${…}`, or closed that stands before it? bash counts those inside.
fn opens_in_parameter(part: &WordPart) -> bool {
    let WordPart::Parameter(expansion) = part else { return false };
    let words: [Option<&Word>; 2] = match &expansion.operation {
        ParameterOperation::UseDefault(_, word)
        | ParameterOperation::AssignDefault(_, word)
        | ParameterOperation::UseAlternative(_, word)
        | ParameterOperation::RemovePrefix(_, word)
        | ParameterOperation::RemoveSuffix(_, word) => [Some(word), None],
        ParameterOperation::ErrorIfUnset(_, word) | ParameterOperation::ChangeCase(_, word) => [word.as_deref(), None],
        ParameterOperation::Replace(_, pattern, replacement) => [Some(pattern), replacement.as_deref()],
        ParameterOperation::Substring(offset, length) => [Some(&offset.text), length.as_ref().map(|l| &l.text)],
        ParameterOperation::Bad(text) => return memchr::memchr2(b'{', b'}', &text[2.min(text.len())..]).is_some(),
        _ => [None, None],
    };
    words.into_iter().flatten().flat_map(|word| word.parts.iter()).any(|part| match part {
        WordPart::Literal(text) => text.contains(&b'{'),
        part => opens_in_parameter(part),
    })
}

/// Can a brace expansion begin here? `{` and `{}` at the beginning of a word are words.
fn opens(items: &[Item], at: usize) -> bool {
    byte(items, at) == Some(b'{') && !(at == 0 && (items.len() == 1 || byte(items, 1) == Some(b'}')))
}

/// The brace that closes: on the same level, with a `,` or `..` before it.
fn closing(items: &[Item], from: usize, steps: &mut usize) -> Option<usize> {
    let mut level = 0_usize;
    let mut separated = false;
    for at in from..items.len() {
        *steps += 1;
        match byte(items, at) {
            Some(b'{') => level += 1,
            Some(b'}') if level == 0 && separated => return Some(at),
            Some(b'}') if level > 0 => level -= 1,
            Some(b',') if level == 0 => separated = true,
            Some(b'.') if level == 0 && byte(items, at + 1) == Some(b'.') && byte(items, at + 2) != Some(b'}') => {
                separated = true;
            }
            _ => {}
        }
    }
    None
}

/// The alternatives between the commas of this level.
fn split(items: &[Item]) -> Vec<&[Item]> {
    let mut alternatives = Vec::new();
    let mut level = 0_usize;
    let mut from = 0;
    for at in 0..items.len() {
        match byte(items, at) {
            Some(b'{') => level += 1,
            Some(b'}') if level > 0 => level -= 1,
            Some(b',') if level == 0 => {
                alternatives.push(&items[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    alternatives.push(&items[from..]);
    alternatives
}

fn push(builder: &mut Builder, items: &[Item]) {
    let mut text = Vec::new();
    for item in items {
        match item {
            Item::Byte(byte) => text.push(*byte),
            Item::Part(part) => {
                builder.literal(&text);
                text.clear();
                match part {
                    WordPart::Quoted(quoted) => builder.quoted(quoted),
                    part => builder.push(part.clone()),
                }
            }
        }
    }
    builder.literal(&text);
}

/// `first..last[..step]`
fn sequence(items: &[Item]) -> Option<BraceExpansion> {
    let mut text = BString::default();
    for item in items {
        match item {
            Item::Byte(byte) => text.push(*byte),
            Item::Part(_) => return None,
        }
    }
    sequence_of(&text)
}

/// `first..last[..step]`
pub(super) fn sequence_of(text: &[u8]) -> Option<BraceExpansion> {
    let text = std::str::from_utf8(text).ok()?;
    let source = format!("{{{text}}}").into();
    let (first, rest) = text.split_once("..")?;
    let (last, step) = match rest.split_once("..") {
        Some((last, step)) => (last, step.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    if let ([first], [last]) = (first.as_bytes(), last.as_bytes())
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        return Some(BraceExpansion::Characters { first: *first, last: *last, step, source });
    }
    let (start, end) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
    let padded = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
    Some(BraceExpansion::Integers { first: start, last: end, step, width: super::clamp(width), source })
}
