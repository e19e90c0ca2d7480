//! What bash warns of in a source that it reads all the same.

use bstr::BString;

/// What bash warns of: the script runs all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HereDocumentWarning {
    /// The end of the source cut a here-document off.
    Cut(CutHereDocument),
    /// The `)` of `$(` stands on the line that announces here-documents: their bodies follow the line of the outer command.
    LeftOpen {
        /// The line of the `)`.
        line: u32,
        /// So many are announced there.
        count: usize,
    },
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
