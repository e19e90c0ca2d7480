//! What `printf` complains about.

use bstr::BString;
use thiserror::Error;

/// An error or warning, in bash's words; the caller puts `printf: ` in front.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PrintfError {
    /// The argument is not a number to its end; what came before was used.
    #[error("{0}: invalid number")]
    InvalidNumber(BString),
    /// The same with a leading zero.
    #[error("{0}: invalid octal number")]
    InvalidOctal(BString),
    /// The same with a leading `0x`.
    #[error("{0}: invalid hex number")]
    InvalidHex(BString),
    /// A warning: the nearest representable value was used.
    #[error("warning: {0}: Numerical result out of range")]
    OutOfRange(BString),
    /// The format ends inside a conversion. Nothing more is written.
    #[error("`{0}': missing format character")]
    MissingCharacter(BString),
    /// An unknown conversion. Nothing more is written.
    #[error("`{}': invalid format character", bstr::BStr::new(std::slice::from_ref(.0)))]
    InvalidCharacter(u8),
    /// A warning: `%(` without `)T`. `None` is the end of the format.
    #[error("warning: `{}': invalid time format specification", .0.map(char::from).unwrap_or(' '))]
    InvalidTimeFormat(Option<u8>),
    /// `\x` without a digit.
    #[error("missing hex digit for \\x")]
    MissingHexDigit,
    /// `\u` or `\U` without a digit.
    #[error("missing unicode digit for \\{}", char::from(*.0))]
    MissingUnicodeDigit(u8),
    /// The operand of `%n` is no variable name. Nothing more is written.
    #[error("`{0}': not a valid identifier")]
    InvalidIdentifier(BString),
    /// A field is larger than the limit. Nothing more is written.
    #[error("limit expansion-bytes of {limit} reached: the output is larger")]
    TooLong {
        /// [`PrintfEnv::max_output`](super::PrintfEnv::max_output).
        limit: usize,
    },
}

impl PrintfError {
    /// Whether the exit status stays 0.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::OutOfRange(_) | Self::InvalidTimeFormat(_) | Self::MissingHexDigit | Self::MissingUnicodeDigit(_)
        )
    }
}
