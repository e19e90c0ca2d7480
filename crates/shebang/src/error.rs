//! Why a `#!` line cannot be run.

/// A `#!` line that `env` refuses, or that hookshell does not run: a cause and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("#! line, byte {}: {cause}; {}", .at + 1, .cause.hint())]
pub struct ShebangError {
    /// The place, as a byte offset in [`Shebang::line`](crate::Shebang::line) (0 is the `#`). In
    /// text that came out of quotes or a variable, the place of the word that it came from.
    pub at: usize,
    /// What is wrong.
    pub cause: ShebangErrorCause,
}

/// What is wrong with a `#!` line.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShebangErrorCause {
    /// `#!/usr/bin/env`: env would start the script again, without end.
    #[error("env is given no command")]
    NoCommand,
    /// `#!/usr/bin/env NAME=VALUE`: the same with a changed environment.
    #[error("env is given the assignment `{assignment}` and no command")]
    AssignmentWithoutCommand {
        /// The last assignment.
        assignment: String,
    },
    /// `env -S '""'`, or `#!/usr/bin/env ` with a blank before the end of the file.
    #[error("the command for env is an empty word")]
    EmptyCommand,
    /// `env -S '=VALUE NAME'`.
    #[error("the assignment `{assignment}` names no variable")]
    EmptyVariableName {
        /// The word as given.
        assignment: String,
    },
    /// An option other than `-S`.
    #[error("env's option `{option}` is not supported")]
    UnsupportedOption {
        /// The option without its value: `-i`, `--unset`.
        option: String,
    },
    /// `-S` with nothing after it: env would split the script's path.
    #[error("env's option `{option}` is given no string")]
    MissingSplitString {
        /// The option as written.
        option: String,
    },
    /// A `'` or `"` without its partner.
    #[error("no closing {quote} for this quote in env's -S string")]
    UnterminatedQuote {
        /// Which one.
        quote: char,
    },
    /// A backslash that ends the string.
    #[error("a backslash ends env's -S string")]
    TrailingBackslash,
    /// A backslash before a character that has no meaning there.
    #[error("`\\{character}` is no escape of env's -S string")]
    UnknownEscape {
        /// The character.
        character: char,
    },
    /// `\c` within double quotes.
    #[error("`\\c` cannot stand within double quotes in env's -S string")]
    StopInDoubleQuotes,
    /// A `$` that does not begin `${NAME}`.
    #[error("env's -S string expands only `${{NAME}}`")]
    UnsupportedExpansion,
    /// More `-S` strings inside each other than anyone writes, as from a variable that holds itself.
    #[error("env's -S strings are nested more than {limit} deep")]
    NestedTooDeep {
        /// The limit.
        limit: usize,
    },
    /// Variables that expand to more than a command line can hold.
    #[error("env's -S string expands to more than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
}

impl ShebangErrorCause {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoCommand => "name the interpreter: #!/usr/bin/env NAME",
            Self::AssignmentWithoutCommand { .. } => {
                "set variables with -S and name the interpreter: #!/usr/bin/env -S VAR=VALUE NAME"
            }
            Self::EmptyCommand => "name the interpreter, and end the line with a newline",
            Self::EmptyVariableName { .. } => "write NAME=VALUE",
            Self::UnsupportedOption { .. } => {
                "only -S STRING and --split-string=STRING are: #!/usr/bin/env -S NAME ARGUMENTS"
            }
            Self::MissingSplitString { .. } => "give the command after it: #!/usr/bin/env -S NAME ARGUMENTS",
            Self::UnterminatedQuote { .. } => "close it, or write \\' or \\\"",
            Self::TrailingBackslash => "write \\\\ for a backslash",
            Self::UnknownEscape { .. } => {
                "the escapes are \\_ \\t \\n \\f \\v \\r \\c \\# \\$ \\\\ \\\" \\', and \\\\ is a backslash"
            }
            Self::StopInDoubleQuotes => "close the quotes before it",
            Self::UnsupportedExpansion => "write ${NAME}, or \\$ for a dollar sign",
            Self::NestedTooDeep { .. } => "write one -S with all words",
            Self::TooLong { .. } => "pass the value in the environment instead",
        }
    }

    pub(crate) fn at(self, at: usize) -> ShebangError {
        ShebangError { at, cause: self }
    }
}

impl ShebangError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.cause.hint()
    }

    /// The exit status that this means: 125 where env itself would fail so (`EXIT_CANCELED`), 127
    /// where it would find no such command, and 126 where it would continue but hookshell does not.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        match self.cause {
            ShebangErrorCause::UnterminatedQuote { .. }
            | ShebangErrorCause::TrailingBackslash
            | ShebangErrorCause::UnknownEscape { .. }
            | ShebangErrorCause::StopInDoubleQuotes
            | ShebangErrorCause::UnsupportedExpansion => 125,
            ShebangErrorCause::EmptyCommand => 127,
            ShebangErrorCause::NoCommand
            | ShebangErrorCause::AssignmentWithoutCommand { .. }
            | ShebangErrorCause::EmptyVariableName { .. }
            | ShebangErrorCause::UnsupportedOption { .. }
            | ShebangErrorCause::MissingSplitString { .. }
            | ShebangErrorCause::NestedTooDeep { .. }
            | ShebangErrorCause::TooLong { .. } => 126,
        }
    }
}
