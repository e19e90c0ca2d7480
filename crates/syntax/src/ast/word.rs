//! Words and their parts.

use std::sync::Arc;

use bstr::BString;

use super::invalid_substitution::InvalidSubstitution;
use super::{Arithmetic, List, ParameterExpansion, WordParts};
use crate::span::Span;
use crate::text::Text;

/// A word: its parts side by side, to be expanded and joined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Word {
    /// The parts. Adjacent parts of the same literal kind are merged.
    pub parts: WordParts,
    /// Computed from the parts by [`Word::new`].
    pub shape: WordShape,
    /// From the first to the last byte.
    pub span: Span,
}

/// What the interpreter may know about a word before it expands it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordShape {
    /// The word is known text ([`Word::literal`]): only literals and quoted text, no pattern character outside quotes, no
    /// tilde, no brace expansion. An empty unquoted word (no parts at all) is one too.
    Literal,
    /// Exactly one double-quoted simple expansion (`"$x"`, `"${x}"`, not `"$@"`): one field, no splitting.
    QuotedParameter,
    /// Anything else.
    #[default]
    General,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum WordPart {
    /// Unquoted literal text (inside `DoubleQuoted`: quoted text). May hold pattern characters, and in the bash
    /// dialect the text of extended patterns (`@(`, `|`, `)`).
    Literal(Text),
    /// Text quoted by a backslash, by single quotes or by `$'…'` (escapes already decoded). May be empty (`''`).
    Quoted(Text),
    /// `"…"` (bash: also `$"…"`); the parts are `Literal`, `Parameter`, `CommandSubstitution`, `Arithmetic` (and
    /// `Quoted` for text inside nested quotes of `"${x#'…'}"`).
    DoubleQuoted(Vec<WordPart>),
    /// `"$x"`, `"${…}"`: double quotes around one `Parameter` and nothing else, the commonest argument of all. A
    /// [`Self::double_quoted`] makes it; here-documents and arithmetic, which have no quotes of their own, stay
    /// `DoubleQuoted`.
    QuotedParameter(Arc<ParameterExpansion>),
    /// `$x`, `${…}`. Shared, because the text and the operands of arithmetic both hold it.
    Parameter(Arc<ParameterExpansion>),
    /// `$(…)` and `` `…` ``
    CommandSubstitution(Arc<CommandSubstitution>),
    /// `$((…))` (bash: also `$[…]`)
    Arithmetic(Arc<Arithmetic>),
    /// bash: `<(…)` and `>(…)`
    ProcessSubstitution(Box<ProcessSubstitution>),
    /// An unquoted tilde-prefix where XCU 2.6.1 allows one, without the `~`: empty for the own home, a login name, or
    /// bash's `+` and `-`.
    Tilde(Text),
    /// bash: a brace expansion.
    Brace(Box<BraceExpansion>),
}

impl WordPart {
    /// What stands in double quotes.
    pub fn double_quoted(parts: WordParts) -> Self {
        let mut parts = parts.into_vec();
        match (parts.len(), parts.pop()) {
            (1, Some(Self::Parameter(expansion))) => Self::QuotedParameter(expansion),
            (_, last) => {
                parts.extend(last);
                Self::DoubleQuoted(parts)
            }
        }
    }
}

/// bash: `{a,b}` or `{1..9..2}`.
#[derive(Debug, Clone, PartialEq)]
pub enum BraceExpansion {
    /// `{a,b,…}`: two or more alternatives, each any parts.
    Alternatives(Vec<Vec<WordPart>>),
    /// `{first..last[..step]}` of integers; `width` is the zero-padded width (0 for none, sign included).
    Integers {
        /// First value.
        first: i64,
        /// Last value.
        last: i64,
        /// Step as written, 0 where there is none (then 1 or -1).
        step: i64,
        /// Minimum width, padded with zeros; 0 for none.
        width: u32,
        /// The text in the source, for where braces are not expanded.
        source: BString,
    },
    /// `{a..z[..step]}` of ASCII letters.
    Characters {
        /// First letter.
        first: u8,
        /// Last letter.
        last: u8,
        /// Step as written, 0 where there is none.
        step: i64,
        /// The text in the source.
        source: BString,
    },
    /// A word whose braces cannot be told from its parts: `$x{a,b}` is `$xa $xb`, and the brace in `${x%{*}` belongs
    /// to those after it. Expanded as text where it is read.
    Words {
        /// The text in the source.
        source: BString,
        /// The same without brace expansion.
        plain: Vec<WordPart>,
        /// The words that it is expanded to.
        words: Vec<Vec<WordPart>>,
    },
}

impl BraceExpansion {
    /// The words of a sequence, none for alternatives.
    pub fn sequence(&self) -> impl Iterator<Item = Vec<u8>> + use<> {
        let (first, last, step, width) = match *self {
            Self::Integers { first, last, step, width, .. } => (first, last, step, Some(width as usize)),
            Self::Characters { first, last, step, .. } => (i64::from(first), i64::from(last), step, None),
            Self::Alternatives(_) | Self::Words { .. } => (1, 0, 0, None),
        };
        let size = step.unsigned_abs().max(1);
        let count = match self {
            Self::Integers { .. } | Self::Characters { .. } => first.abs_diff(last) / size + 1,
            _ => 0,
        };
        (0..count).map(move |n| {
            let distance = n.wrapping_mul(size);
            let value = if first <= last {
                first.wrapping_add_unsigned(distance)
            } else {
                first.wrapping_sub_unsigned(distance)
            };
            match width {
                Some(width) => format!("{value:0width$}").into_bytes(),
                None => vec![value as u8],
            }
        })
    }

    /// How many words it is expanded to; braces inside count.
    pub fn count(&self) -> u64 {
        match self {
            Self::Alternatives(list) => list
                .iter()
                .map(|parts| {
                    parts.iter().fold(1_u64, |count, part| match part {
                        WordPart::Brace(inner) => count.saturating_mul(inner.count()),
                        _ => count,
                    })
                })
                .fold(0, u64::saturating_add),
            Self::Words { words, .. } => words.len() as u64,
            Self::Integers { first, last, step, .. } => first.abs_diff(*last) / step.unsigned_abs().max(1) + 1,
            Self::Characters { first, last, step, .. } => {
                u64::from(first.abs_diff(*last)) / step.unsigned_abs().max(1) + 1
            }
        }
    }
}

/// `$(…)` or `` `…` ``.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSubstitution {
    /// The commands. A syntax error inside backquotes is an error of the run, when it is reached (as in bash); inside
    /// `$( )` it fails the parse of the whole unit and never stands here.
    pub body: Result<Arc<List>, Arc<InvalidSubstitution>>,
    /// Written with backquotes.
    pub backquoted: bool,
    /// From `$` or `` ` `` to the closing character.
    pub span: Span,
}

/// bash: `<(…)` or `>(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessSubstitution {
    /// `<(`: the command's output is read. `>(`: what is written becomes the command's input.
    pub read: bool,
    /// The commands.
    pub body: Arc<List>,
}
