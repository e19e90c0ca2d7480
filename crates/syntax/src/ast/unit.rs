//! What the parser hands out.

use super::List;
use crate::span::Span;
use crate::warning::{CutHereDocument, HereDocumentWarning};

/// One complete command as the parser hands it out, and where the source continues.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The commands up to the newline that ended the unit.
    pub list: List,
    /// From the first byte (comments and blank lines before it included) to just past the newline and the
    /// here-documents after it: the next unit starts at `span.end`.
    pub span: Span,
    /// What bash warns of in its here-documents.
    pub warnings: Vec<HereDocumentWarning>,
}

impl Unit {
    /// Its here-documents that the end of the source cut off.
    pub fn cut_here_documents(&self) -> impl Iterator<Item = &CutHereDocument> {
        self.warnings.iter().filter_map(|warning| match warning {
            HereDocumentWarning::Cut(cut) => Some(cut),
            HereDocumentWarning::LeftOpen { .. } => None,
        })
    }
}
