//! Syntax errors: a cause and a place.

use bstr::BString;
use thiserror::Error;

use crate::span::{Position, Span};
use crate::warning::HereDocumentWarning;

/// What the parser could not read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{position}: {cause}")]
pub struct SyntaxError {
    /// What is wrong.
    pub cause: SyntaxErrorCause,
    /// The bytes concerned.
    pub span: Span,
    /// Line and column of the first of them.
    pub position: Position,
    /// It is in the list of an array: bash drops the line that it is in, and what stands before it of the same command, and
    /// reads on after that.
    pub drops_line: bool,
    /// It is in the commands of `$(`, `<(` or `>(`: bash ends the shell, where `eval` or `.` reads it too, and a command string has the
    /// status 127.
    pub in_substitution: bool,
    /// What bash warns of in the here-documents before it, before it tells of the error.
    pub warnings: Box<[HereDocumentWarning]>,
    /// What bash says of the end of the source after it, where the text without an end stands in a construct.
    pub consequence: Option<&'static str>,
}

/// Why a program is not one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SyntaxErrorCause {
    /// A token stands where the grammar wants another.
    #[error("syntax error near unexpected token `{found}'{}", expected_text(.expected))]
    Unexpected {
        /// The token as it stands in the source; `newline` for a line's end.
        found: BString,
        /// What could stand there, in words (`"then"`, `a command`); may be empty.
        expected: Vec<&'static str>,
    },
    /// The source ends inside a construct.
    #[error("syntax error: unexpected end of file{}{}", opened_text(.opened), expected_text(.expected))]
    UnexpectedEnd {
        /// The construct that is open and the line where it was opened (`if`, `"`, `$(`), if there is one.
        opened: Option<(BString, u32)>,
        /// What is missing.
        expected: Vec<&'static str>,
    },
    /// A quote, `$(`, `${`, `$((`, or backquote is not closed.
    #[error("unexpected EOF while looking for matching `{closer}'")]
    Unclosed {
        /// The closing text that is missing.
        closer: &'static str,
        /// What it closes.
        construct: UnclosedConstruct,
    },
    /// A construct of bash in the POSIX dialect.
    #[error("{construct} is not in the POSIX shell language")]
    NotPosix {
        /// The construct, in words.
        construct: &'static str,
    },
    /// Constructs are nested deeper than the limit.
    #[error("limit parse-depth of {limit} reached: commands and expansions are nested deeper")]
    TooDeep {
        /// The limit in force.
        limit: u32,
    },
    /// One complete command has more words, commands and expansions than the limit.
    #[error("limit parse-nodes of {limit} reached: a command has more words and expansions")]
    TooLarge {
        /// The limit in force.
        limit: usize,
    },
    /// The reader was told to stop ([`Parser::next_unit_with_stop`](crate::Parser::next_unit_with_stop)): no error of the source.
    #[error("stopped before the end of the command was read")]
    Stopped,
    /// A condition of `[[ ]]` that cannot be read, or expressions of `for ((` that end with one `)`.
    #[error("{message}")]
    InvalidCondition {
        /// What is wrong with it.
        message: String,
        /// The lines of the `(` that are open in it, the innermost first.
        groups: Vec<u32>,
        /// Nothing of the source is left after it.
        at_end: bool,
    },
    /// The expressions of `for ((` are not three.
    #[error("syntax error: {problem}")]
    ForExpressions {
        /// What is wrong with them.
        problem: &'static str,
        /// They, and the parentheses.
        text: BString,
    },
    /// Something else that bash calls a syntax error.
    #[error("{0}")]
    Invalid(String),
}

/// What is not closed; bash's exit status depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnclosedConstruct {
    /// Text: a quote, `${`, `$((`, a backquote.
    Text,
    /// The commands in `$(`.
    Commands,
    /// Anything inside the `( )` of an array.
    Array,
}

fn expected_text(expected: &[&str]) -> String {
    match expected {
        [] => String::new(),
        list => format!(" (expected {})", list.join(" or ")),
    }
}

fn opened_text(opened: &Option<(BString, u32)>) -> String {
    match opened {
        Some((what, line)) => format!(" in `{what}' opened on line {line}"),
        None => String::new(),
    }
}

impl SyntaxErrorCause {
    /// Would more input cure it? (An interactive reader, or one that reads line by line, asks for more then.)
    pub fn is_incomplete(&self) -> bool {
        matches!(self, Self::UnexpectedEnd { .. } | Self::Unclosed { .. } | Self::InvalidCondition { at_end: true, .. })
    }

    /// The exit status of a shell whose script holds the error, after a command with the status `last`: 2, except that
    /// bash keeps `last` for an error inside `[[ ]]`, keeps it, if it is not 0, where the source ends inside a text or inside
    /// `[[ ]]`, and has 1 for an array.
    pub fn exit_status(&self, last: u8) -> u8 {
        match self {
            Self::Unclosed { construct: UnclosedConstruct::Array, .. } => 1,
            Self::Unclosed { construct: UnclosedConstruct::Text, .. } if last != 0 => last,
            Self::InvalidCondition { at_end, .. } if last != 0 || !at_end => last,
            _ => 2,
        }
    }

    /// Was a limit reached?
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::TooDeep { .. } | Self::TooLarge { .. })
    }

    /// Does it end the reading as a whole: a limit, or the wish to stop?
    pub(crate) fn is_final(&self) -> bool {
        self.is_limit() || *self == Self::Stopped
    }

    /// Is there no use in reading the text another way?
    pub(crate) fn is_final_for_attempt(&self) -> bool {
        self.is_incomplete() || self.is_final()
    }
}
