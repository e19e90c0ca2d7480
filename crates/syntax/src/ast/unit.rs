//! What the parser hands out.

use bstr::BString;

use super::List;
use crate::span::Span;

/// One complete command as the parser hands it out, and where the source continues.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The commands up to the newline that ended the unit.
    pub list: List,
    /// From the first byte (comments and blank lines before it included) to just past the newline and the
    /// here-documents after it: the next unit starts at `span.end`.
    pub span: Span,
    /// Its here-documents that the end of the source cut off; bash warns of them.
    pub cut_here_documents: Vec<CutHereDocument>,
}

/// A here-document whose delimiter never came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutHereDocument {
    /// The delimiter that is missing.
    pub delimiter: BString,
    /// The line before its body.
    pub line: u32,
    /// The last line of the source.
    pub last_line: u32,
}
