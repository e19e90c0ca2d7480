//! Words and quoting.

use super::Printer;
use crate::ast::{BraceExpansion, ParameterOperation, Word, WordPart};
use crate::bytes::{NAME, is};

/// Where parts stand, which decides what must be escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Outside quotes.
    Unquoted,
    /// Between double quotes.
    Double,
    /// In the body of a here-document.
    HereDocument,
    /// In the word of `"${x:-…}"`.
    DoubleOperand,
    /// Between double quotes there.
    InnerDouble,
}

impl Printer {
    pub(super) fn word(&mut self, word: &Word) {
        let start = self.out.len();
        self.parts(&word.parts, Context::Unquoted);
        // `'x'` and `\x` are the same in the tree: the length in the source tells which it was.
        let characters = word.parts.iter().filter(|part| is_character(part)).count();
        if characters > 0 && self.shown && word.parts.iter().all(is_flat) {
            let length = word.span.end.saturating_sub(word.span.start) as usize;
            let more = length.checked_sub(self.out.len() - start);
            if more == Some(characters) || more == Some(2 * characters) {
                self.out.truncate(start);
                self.keeps_quotes = true;
                self.parts(&word.parts, Context::Unquoted);
                self.keeps_quotes = false;
            }
        }
    }

    pub(super) fn parts(&mut self, parts: &[WordPart], context: Context) {
        self.parts_before(parts, context, None);
    }

    /// `after`: the byte of text after the parts.
    fn parts_before(&mut self, parts: &[WordPart], context: Context, after: Option<u8>) {
        for (i, part) in parts.iter().enumerate() {
            let next = match parts.get(i + 1) {
                Some(WordPart::Literal(text)) => text.first().copied(),
                // `$x{a,b}` is `$xa $xb`: as it is written, or it would be `${x}a ${x}b`.
                Some(_) => None,
                None => after,
            };
            self.part(part, context, next);
        }
    }

    /// `next`: the byte of text after the part.
    fn part(&mut self, part: &WordPart, context: Context, next: Option<u8>) {
        match part {
            WordPart::Literal(text) => match context {
                Context::Unquoted => self.text(text),
                context => self.double_literal(text, context),
            },
            WordPart::Quoted(text) => match context {
                Context::Unquoted => self.quoted(text),
                _ => self.dollar_quoted(text),
            },
            WordPart::DoubleQuoted(parts) => {
                self.text("\"");
                self.parts(parts, inner_context(context));
                self.text("\"");
            }
            WordPart::QuotedParameter(expansion) => {
                self.text("\"");
                self.parameter(expansion, inner_context(context), false);
                self.text("\"");
            }
            WordPart::Parameter(expansion) => {
                let braces = next.is_some_and(|b| is(b, NAME));
                self.parameter(expansion, context, braces);
            }
            WordPart::CommandSubstitution(substitution) => {
                self.command_substitution(substitution);
            }
            WordPart::Arithmetic(arithmetic) => {
                let (opener, closer) = if arithmetic.bracketed { ("$[", "]") } else { ("$((", "))") };
                self.text(opener);
                self.arithmetic(arithmetic);
                self.text(closer);
            }
            WordPart::ProcessSubstitution(substitution) => {
                self.text(if substitution.read { "<(" } else { ">(" });
                self.substituted(&substitution.body);
                self.text(")");
            }
            WordPart::Tilde(name) => {
                self.text("~");
                self.text(name);
            }
            WordPart::Brace(brace) => self.brace_expansion(brace, next),
        }
    }

    fn quoted(&mut self, text: &[u8]) {
        let mut text = text;
        // `$'` would begin another kind of quoting.
        if self.out.last() == Some(&b'$') && !matches!(text.first(), None | Some(b'\n')) {
            let (decoded, length) = bstr::decode_utf8(text);
            let (character, rest) = text.split_at(length.max(1));
            self.text("\\");
            self.text(character);
            // A part of a character would be quoted together with the rest of it: `''` stands between them.
            if rest.is_empty() && decoded.is_some() {
                return;
            }
            text = rest;
        }
        match text {
            [byte] if is_escapable(*byte) && (!self.keeps_quotes || *byte == b'\'') => self.text([b'\\', *byte]),
            _ => {
                let mut first = true;
                for part in text.split(|&b| b == b'\'') {
                    if !std::mem::take(&mut first) {
                        self.text("\\'");
                    }
                    if !part.is_empty() || text.is_empty() {
                        self.text("'");
                        self.text(part);
                        self.text("'");
                    }
                }
            }
        }
    }

    /// `$'…'`, for quoted text inside double quotes.
    fn dollar_quoted(&mut self, text: &[u8]) {
        self.text("$'");
        for &byte in text {
            match byte {
                b'\\' | b'\'' => self.text([b'\\', byte]),
                // A NUL has no escape: `\000` would end the text.
                0 | 0x20..=0x7e | 0x80.. => self.text([byte]),
                byte => self.text(format!("\\{byte:03o}")),
            }
        }
        self.text("'");
    }

    fn double_literal(&mut self, text: &[u8], context: Context) {
        for (i, &byte) in text.iter().enumerate() {
            let escape = match byte {
                b'$' | b'`' => true,
                b'"' => context != Context::HereDocument,
                b'}' => context == Context::DoubleOperand,
                b'\\' if context == Context::InnerDouble => true,
                // Only where it would escape what follows.
                b'\\' => match text.get(i + 1) {
                    None => true,
                    Some(next) => {
                        matches!(next, b'$' | b'`' | b'\\' | b'"' | b'\n')
                            || (*next == b'}' && context == Context::DoubleOperand)
                    }
                },
                _ => false,
            };
            if escape {
                self.text("\\");
            }
            self.text([byte]);
        }
    }

    fn brace_expansion(&mut self, brace: &BraceExpansion, next: Option<u8>) {
        match brace {
            BraceExpansion::Alternatives(alternatives) => {
                self.text("{");
                for (i, parts) in alternatives.iter().enumerate() {
                    if i > 0 {
                        self.text(",");
                    }
                    self.parts_before(parts, Context::Unquoted, next);
                }
                self.text("}");
            }
            BraceExpansion::Words { source, .. }
            | BraceExpansion::Integers { source, .. }
            | BraceExpansion::Characters { source, .. } => self.text(source),
        }
    }
}

/// Can a backslash quote it outside of quotes?
fn is_escapable(byte: u8) -> bool {
    byte != b'\n' && byte < 0x80
}

/// Is it one quoted character?
fn is_character(part: &WordPart) -> bool {
    matches!(part, WordPart::Quoted(text) if matches!(text.as_slice(), [byte] if is_escapable(*byte) && *byte != b'\''))
}

/// The context of what stands in double quotes that stand in this one.
fn inner_context(context: Context) -> Context {
    match context {
        Context::DoubleOperand => Context::InnerDouble,
        _ => Context::Double,
    }
}

/// Has it no commands or words in it?
fn is_flat(part: &WordPart) -> bool {
    match part {
        WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => true,
        WordPart::DoubleQuoted(parts) => parts.iter().all(is_flat),
        WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => {
            matches!(expansion.operation, ParameterOperation::None)
        }
        _ => false,
    }
}
