//! Ends of commands that were not run, for tests and fuzz targets.

use hookshell_dispatch::End;
#[cfg(test)]
use hookshell_dispatch::{StartFailure, StartFailureKind};
use hookshell_syntax::{Position, Span, SyntaxError, SyntaxErrorCause};

/// A program `c` that was not started.
#[cfg(test)]
pub(crate) fn not_started(kind: StartFailureKind, message: &str) -> End {
    End::NotStarted(StartFailure { kind, command: "c".to_owned(), message: message.to_owned(), status: 127 })
}

/// Shell code in which a `fi` is expected.
#[cfg(test)]
pub(crate) fn missing_fi() -> End {
    syntax_error("x".to_owned(), vec!["`fi`"])
}

/// Shell code in which something was found that was not expected.
pub(super) fn syntax_error(found: String, expected: Vec<&'static str>) -> End {
    End::SyntaxError(Box::new(SyntaxError {
        cause: SyntaxErrorCause::Unexpected { found: found.into(), expected },
        span: Span::default(),
        position: Position { line: 1, column: 1 },
        drops_line: false,
        in_substitution: false,
        warnings: Box::default(),
        consequence: None,
    }))
}
