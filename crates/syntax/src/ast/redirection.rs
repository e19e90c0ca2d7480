//! Redirections and here-documents.

use std::sync::{Arc, OnceLock};

use bstr::BString;

use super::Word;
use crate::name::Name;
use crate::span::Span;

/// A redirection (XCU 2.7).
#[derive(Debug, Clone, PartialEq)]
pub struct Redirection {
    /// The file descriptor that is redirected; `None` means the operator's default (0 for input, 1 for output).
    pub fd: Option<RedirectionFd>,
    /// What is done.
    pub kind: RedirectionKind,
    /// From the number to the end of the target.
    pub span: Span,
}

/// What stands before the operator of a redirection.
#[derive(Debug, Clone, PartialEq)]
pub enum RedirectionFd {
    /// `2>`
    Number(u32),
    /// bash: `{name}>`: a new descriptor of 10 or more, whose number is assigned to the variable. Boxed: it is large and rare.
    Variable(Box<Name>),
}

/// The operators of redirections with their targets.
#[derive(Debug, Clone, PartialEq)]
pub enum RedirectionKind {
    /// `< word`
    Read(Word),
    /// `> word`
    Write(Word),
    /// `>| word`
    Clobber(Word),
    /// `>> word`
    Append(Word),
    /// `<> word`
    ReadWrite(Word),
    /// `<& word`: a number, `-`, or bash's `n-`
    DuplicateInput(Word),
    /// `>& word`: a number, `-`, bash's `n-`, and bash's `>& file` (both outputs)
    DuplicateOutput(Word),
    /// bash: `&> word`
    WriteBoth(Word),
    /// bash: `&>> word`
    AppendBoth(Word),
    /// `<<` and `<<-`
    HereDocument(Arc<HereDocument>),
    /// bash: `<<< word`
    HereString(Word),
}

impl RedirectionKind {
    /// The word for the file that it opens; `None` where it opens none, or one of its own. `>& word` may copy a descriptor.
    pub fn file(&self) -> Option<&Word> {
        match self {
            Self::Read(word)
            | Self::Write(word)
            | Self::Clobber(word)
            | Self::Append(word)
            | Self::ReadWrite(word)
            | Self::WriteBoth(word)
            | Self::AppendBoth(word) => Some(word),
            Self::DuplicateInput(_) | Self::DuplicateOutput(_) | Self::HereDocument(_) | Self::HereString(_) => None,
        }
    }

    /// All that is expanded in it: the word after the operator, or a here-document's body.
    pub fn word(&self) -> Option<&Word> {
        match self {
            Self::DuplicateInput(word) | Self::DuplicateOutput(word) | Self::HereString(word) => Some(word),
            Self::HereDocument(document) => document.body.get(),
            _ => self.file(),
        }
    }
}

/// A here-document (XCU 2.7.4). The body follows the line it is announced on, so the parser fills it in later; in a
/// tree that the parser has returned it is always set.
#[derive(Debug, PartialEq)]
pub struct HereDocument {
    /// The delimiter after quote removal.
    pub delimiter: BString,
    /// The delimiter was quoted: the body is literal.
    pub quoted: bool,
    /// `<<-`: leading tabs are already removed from the body.
    pub strip_tabs: bool,
    /// The body with its final newline: one literal run when quoted, else text with expansions (as in double
    /// quotes, except that `"` is an ordinary character).
    pub body: OnceLock<Word>,
}
