//! Ends of commands, for tests.

use hookshell_dispatch::{End, StartFailure, StartFailureKind};
use hookshell_syntax::{Position, Span, SyntaxError, SyntaxErrorCause};

/// A program `c` that was not started.
pub(crate) fn not_started(kind: StartFailureKind, message: &str) -> End {
    End::NotStarted(StartFailure { kind, command: "c".to_owned(), message: message.to_owned(), status: 127 })
}

/// Shell code in which a `fi` is expected.
pub(crate) fn syntax_error() -> End {
    End::SyntaxError(Box::new(SyntaxError {
        cause: SyntaxErrorCause::Unexpected { found: "x".into(), expected: vec!["`fi`"] },
        span: Span::default(),
        position: Position { line: 1, column: 1 },
        drops_line: false,
        in_substitution: false,
        warnings: Box::default(),
        consequence: None,
    }))
}
