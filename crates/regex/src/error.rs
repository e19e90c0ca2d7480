//! What is wrong with an expression or a search.

/// Why a text is no regular expression: the C library's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Error {
    /// REG_BADPAT
    #[error("Invalid regular expression")]
    Pattern,
    /// REG_ECOLLATE
    #[error("Invalid collation character")]
    Collation,
    /// REG_ECTYPE
    #[error("Invalid character class name")]
    ClassName,
    /// REG_EESCAPE
    #[error("Trailing backslash")]
    TrailingBackslash,
    /// REG_ESUBREG
    #[error("Invalid back reference")]
    BackReference,
    /// REG_EBRACK
    #[error("Unmatched [, [^, [:, [., or [=")]
    UnmatchedBracket,
    /// REG_EPAREN
    #[error("Unmatched ( or \\(")]
    UnmatchedOpen,
    /// REG_ERPAREN
    #[error("Unmatched ) or \\)")]
    UnmatchedClose,
    /// REG_EBRACE
    #[error("Unmatched \\{{")]
    UnmatchedBrace,
    /// REG_BADBR
    #[error("Invalid content of \\{{\\}}")]
    BraceContent,
    /// REG_ERANGE
    #[error("Invalid range end")]
    RangeEnd,
    /// REG_BADRPT
    #[error("Invalid preceding regular expression")]
    Repetition,
    /// REG_ESIZE: more than 32767 repetitions.
    #[error("Regular expression too big")]
    TooBig,
    /// REG_ESPACE: beyond what is compiled here; the C library may take it.
    #[error("Memory exhausted")]
    Memory,
}

/// Why a search gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SearchError {
    /// The subject's interrupt said so.
    #[error("interrupted")]
    Interrupted,
    /// It took more steps or memory than is allowed.
    #[error("the regular expression is too complex for this text")]
    TooComplex,
}
