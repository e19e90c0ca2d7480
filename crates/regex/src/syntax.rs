//! The grammars of the programs that use regular expressions.

use crate::text::Encoding;

/// Which program's grammar: glibc's `RE_SYNTAX_…` of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// `regcomp` without REG_EXTENDED.
    Basic,
    /// `regcomp` with REG_EXTENDED: `[[ =~ ]]`.
    Extended,
    /// `grep`, `grep -G`.
    Grep,
    /// `grep -E`.
    Egrep,
    /// `sed`.
    SedBasic,
    /// `sed -E`.
    SedExtended,
    /// `expr STRING : REGEX`.
    Expr,
    /// gawk, whose lexer has resolved the escapes of its own: `\y` is a word boundary, there are no back-references,
    /// and a backslash escapes in a bracket expression too.
    Awk,
}

/// glibc's syntax bits, as far as they differ.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Grammar {
    /// ERE's operators need no backslash.
    pub(crate) extended: bool,
    /// A newline separates alternatives.
    pub(crate) newline_alt: bool,
    /// `\{` at the start and `a**` are errors.
    pub(crate) context_invalid_dup: bool,
    /// A repetition at the start is an error.
    pub(crate) context_invalid_ops: bool,
    /// A repetition at the start stands for nothing.
    pub(crate) context_indep_ops: bool,
    /// `^` and `$` are anchors anywhere.
    pub(crate) context_indep_anchors: bool,
    /// `)` without `(` stands for itself.
    pub(crate) unmatched_right_paren_ord: bool,
    /// What is no interval stands for itself.
    pub(crate) invalid_interval_ord: bool,
    /// `.` does not match NUL.
    pub(crate) dot_not_null: bool,
    /// gawk's: see [`Syntax::Awk`].
    pub(crate) awk: bool,
}

/// The parts of the grammar that options change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) grammar: Grammar,
    pub(crate) encoding: Encoding,
    pub(crate) ignore_case: bool,
    /// `.` and `[^…]` do not match a newline.
    pub(crate) newline: bool,
    /// No character set has this byte.
    pub(crate) never: Option<u8>,
}

impl Syntax {
    pub(crate) fn grammar(self) -> Grammar {
        let basic = Grammar { context_invalid_dup: true, dot_not_null: true, ..Grammar::default() };
        let extended = Grammar {
            extended: true,
            context_indep_anchors: true,
            context_indep_ops: true,
            context_invalid_ops: true,
            unmatched_right_paren_ord: true,
            dot_not_null: true,
            ..Grammar::default()
        };
        match self {
            Self::Basic => basic,
            Self::Extended => extended,
            Self::Grep => Grammar { newline_alt: true, context_invalid_dup: false, dot_not_null: false, ..basic },
            Self::Egrep => Grammar {
                newline_alt: true,
                context_invalid_ops: false,
                invalid_interval_ord: true,
                dot_not_null: false,
                ..extended
            },
            Self::SedBasic => Grammar { dot_not_null: false, ..basic },
            Self::SedExtended => Grammar { dot_not_null: false, unmatched_right_paren_ord: false, ..extended },
            Self::Expr => Grammar { context_invalid_dup: false, ..basic },
            Self::Awk => Grammar {
                context_indep_ops: false,
                context_invalid_ops: false,
                invalid_interval_ord: true,
                dot_not_null: false,
                awk: true,
                ..extended
            },
        }
    }
}
