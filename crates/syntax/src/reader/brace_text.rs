//! bash: brace expansion of a word's text.
//!
//! Needed where the parts of the word do not show what bash sees, because it looks for braces before anything else has
//! been read: `$x{a,b}` is `$xa $xb`, and a brace inside `${…}` pairs with one after it.

use bstr::ByteSlice;

use super::brace::sequence_of;
use super::parameter::expansion;
use super::{Parsed, Reader, Start};
use crate::ast::{BraceExpansion, Parameter, ParameterOperation, WordPart};
use crate::span::Span;

/// Words that one text is expanded to here; past it the braces are expanded by the parts of the word.
const MAX_WORDS: usize = 4096;
/// Bytes of all those words.
const MAX_BYTES: usize = 1 << 20;
/// How deep braces may nest here.
const MAX_DEPTH: u32 = 64;
/// How many bytes may be looked at in search of closing braces.
const MAX_STEPS: usize = 1_000_000;

/// What a text is expanded to.
pub(super) enum BraceWords {
    /// There is no brace expansion in it.
    None,
    /// Words.
    Some(WordPart),
    /// More than is good for a syntax tree, or nothing that can be read as words.
    TooMany,
}

/// A text with its expansion.
struct Text<'t> {
    bytes: &'t [u8],
    steps: usize,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// The words that the text from `start` to the place is expanded to; `plain` are its parts without that.
    pub(super) fn brace_words(&mut self, start: Start, plain: &[WordPart]) -> Parsed<BraceWords> {
        let mut source = self.text_from(start).to_vec();
        // It would join the line after where the text is printed. (A word ends with a newline in no other way.)
        while source.ends_with(CONTINUATION) {
            source.truncate(source.len() - CONTINUATION.len());
        }
        // So would the backslash at the end of the whole script, which stands for itself.
        if source.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1 {
            source.push(b'\\');
        }
        let span = self.span(start);
        let mut steps = 0;
        let Some(texts) = self.brace_texts(&source, span, &mut steps, 0) else {
            return Ok(BraceWords::TooMany);
        };
        if let [only] = &*texts
            && *only == source
        {
            return Ok(BraceWords::None);
        }
        let mut words = Vec::with_capacity(texts.len());
        for text in &texts {
            let mut reader = self.nested(text, span);
            reader.enter()?;
            match reader.unbraced_word() {
                Ok(word) if reader.at_end() => words.push(word.parts.into_vec()),
                // `{a,$}{x` is `${x` too.
                Err(error) if error.cause.is_incomplete() => words.push(vec![bad_word(text, span)]),
                _ => return Ok(BraceWords::TooMany),
            }
        }
        let source = source.into();
        Ok(BraceWords::Some(WordPart::Brace(Box::new(BraceExpansion::Words { source, plain: plain.to_vec(), words }))))
    }

    /// The texts that a text is expanded to; `None` if a limit is passed.
    fn brace_texts(&self, bytes: &[u8], span: Span, steps: &mut usize, depth: u32) -> Option<Vec<Vec<u8>>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut words = vec![Vec::new()];
        let mut rest = bytes;
        loop {
            let mut text = Text { bytes: rest, steps: *steps };
            let found = self.first_brace(&mut text, span);
            *steps = text.steps;
            if *steps > MAX_STEPS {
                return None;
            }
            let Some((open, close)) = found else {
                words.iter_mut().for_each(|word| join(word, rest));
                return Some(words);
            };
            let (before, inside, after) = (&rest[..open], &rest[open + 1..close], &rest[close + 1..]);
            let alternatives = if has_comma(inside) {
                let mut alternatives = Vec::new();
                for piece in self.pieces(inside, span, steps) {
                    alternatives.extend(self.brace_texts(piece, span, steps, depth + 1)?);
                }
                alternatives
            } else {
                match sequence_of(&inside.replace(CONTINUATION, "")) {
                    Some(sequence) if sequence.count() > MAX_WORDS as u64 => return None,
                    Some(sequence) => sequence.sequence().collect(),
                    // It stays as it is.
                    None => vec![rest[open..=close].to_vec()],
                }
            };
            let size: usize = words.iter().map(|word| word.len() + before.len()).sum();
            let inner: usize = alternatives.iter().map(Vec::len).sum();
            if words.len().saturating_mul(alternatives.len()) > MAX_WORDS
                || size.saturating_mul(alternatives.len()) > MAX_BYTES
                || inner.saturating_mul(words.len()) > MAX_BYTES
            {
                return None;
            }
            let mut next = Vec::with_capacity(words.len() * alternatives.len());
            for word in &words {
                for alternative in &alternatives {
                    let mut combined = word.clone();
                    join(&mut combined, before);
                    join(&mut combined, alternative);
                    next.push(combined);
                }
            }
            words = next;
            rest = after;
        }
    }

    /// The first braces that are a brace expansion.
    fn first_brace(&self, text: &mut Text<'_>, span: Span) -> Option<(usize, usize)> {
        let mut from = 0;
        loop {
            let open = self.gobble(text, span, from, b'{')?;
            if let Some(close) = self.gobble(text, span, open + 1, b'}') {
                return Some((open, close));
            }
            from = open + 1;
        }
    }

    /// The alternatives between the commas.
    fn pieces<'t>(&self, inside: &'t [u8], span: Span, steps: &mut usize) -> Vec<&'t [u8]> {
        let mut text = Text { bytes: inside, steps: *steps };
        let mut pieces = Vec::new();
        let mut from = 0;
        while let Some(comma) = self.gobble(&mut text, span, from, b',') {
            pieces.push(&inside[from..comma]);
            from = comma + 1;
        }
        pieces.push(&inside[from..]);
        *steps = text.steps;
        pieces
    }

    /// The next `wanted` byte on this level outside of quotes and substitutions, as bash finds it: `${` counts as an
    /// open brace, and a closing one needs a `,` or `..` before it.
    fn gobble(&self, text: &mut Text<'_>, span: Span, from: usize, wanted: u8) -> Option<usize> {
        let bytes = text.bytes;
        let mut level = 0_usize;
        let mut separated = wanted != b'}';
        let mut quote = None;
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            text.steps += 1;
            if text.steps > MAX_STEPS {
                return None;
            }
            let next = bytes.get(at + 1).copied();
            if byte == b'$' && next == Some(b'\'') && quote.is_none() {
                at = dollar_quoted_end(bytes, at + 2);
                continue;
            }
            if byte == b'\\' && quote != Some(b'\'') {
                at += 2;
                continue;
            }
            if byte == b'$' && next == Some(b'{') && quote != Some(b'\'') {
                at += 2;
                if quote.is_none() {
                    level += 1;
                }
                continue;
            }
            let substitutes = next == Some(b'(')
                && match quote {
                    None => matches!(byte, b'$' | b'<' | b'>'),
                    Some(quote) => quote == b'"' && byte == b'$',
                };
            if substitutes {
                let after = &bytes[at + 2..];
                let mut reader = self.nested(after, span);
                at = match reader.enter().and_then(|()| reader.substituted_list()) {
                    Ok(_) => at + 2 + reader.pos,
                    // `$((…))`
                    Err(_) => at + 2 + parenthesized(after),
                };
                continue;
            }
            if let Some(closing) = quote {
                if byte == closing {
                    quote = None;
                }
                at += 1;
                continue;
            }
            if matches!(byte, b'"' | b'\'' | b'`') {
                quote = Some(byte);
                at += 1;
                continue;
            }
            if byte == wanted && level == 0 && separated {
                // `{` and `{}` at the beginning stand for themselves.
                if !(wanted == b'{' && at == 0 && matches!(next, None | Some(b'}'))) {
                    return Some(at);
                }
                at += 1;
                continue;
            }
            match byte {
                b'{' => level += 1,
                b'}' if level > 0 => level -= 1,
                b',' if level == 0 => separated = true,
                b'.' if level == 0 && is_followed_by_dot(bytes, at, wanted) => separated = true,
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// A word that cannot be expanded, which is an error once it is reached.
fn bad_word(text: &[u8], span: Span) -> WordPart {
    let operation = ParameterOperation::Bad(text.into());
    WordPart::Parameter(expansion(Parameter::Zero, false, operation, span))
}

/// What joins two lines: the text of the word still has it.
const CONTINUATION: &[u8] = b"\\\n";

/// Are the dot at this place and the next byte `..`, with something else than `wanted` after it?
fn is_followed_by_dot(bytes: &[u8], at: usize, wanted: u8) -> bool {
    let mut rest = bytes.get(at + 1..).unwrap_or_default();
    let mut next = || {
        while let Some(after) = rest.strip_prefix(CONTINUATION) {
            rest = after;
        }
        let (&byte, after) = rest.split_first()?;
        rest = after;
        Some(byte)
    };
    next() == Some(b'.') && next() != Some(wanted)
}

/// Puts text after a word. A `$` and a quote that come together are no `$'…'`.
fn join(word: &mut Vec<u8>, text: &[u8]) {
    if let (Some(b'$'), Some(b'\'' | b'"')) = (word.last(), text.first())
        && word[..word.len() - 1].iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 0
    {
        word.insert(word.len() - 1, b'\\');
    }
    word.extend_from_slice(text);
}

/// After `$'`: after the quote that closes.
fn dollar_quoted_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == b'\'' {
            break;
        }
    }
    at
}

/// Is there a comma that no backslash stands before?
fn has_comma(inside: &[u8]) -> bool {
    let mut bytes = inside.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b',' => return true,
            _ => {}
        }
    }
    false
}

/// The length of the text up to and with the parenthesis that closes.
fn parenthesized(text: &[u8]) -> usize {
    let mut depth = 1_usize;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}
