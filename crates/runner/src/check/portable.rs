//! The strict POSIX opinion.

use std::sync::Arc;

use conch_parser::lexer::Lexer;
use conch_parser::parse::{DefaultParser, ParseError};

use super::{Checker, bashism};

/// conch-parser calls itself for each level: what nests deeper is not given to it.
const DEPTH: u32 = 200;

impl Checker {
    /// What conch-parser does not take in shell code that our own parser has accepted, or what it takes for something else
    /// than bash does, and where.
    pub(super) fn not_portable(&self, source: &Arc<[u8]>) -> Option<(usize, String)> {
        let source = source.clone();
        self.dispatcher
            .call(move || {
                let options = hookshell_syntax::ParseOptions { max_depth: DEPTH, ..super::command::options() };
                let text = std::str::from_utf8(&source).ok()?;
                let program = hookshell_syntax::parse_for_analysis(source.clone(), &options);
                if program.error.is_some() {
                    return None;
                }
                let parser = DefaultParser::new(Lexer::new(text.chars()));
                let refused = parser.into_iter().find_map(Result::err).map(|error| (offset(&error), error.to_string()));
                refused.or_else(|| bashism::first(&program))
            })
            .flatten()
    }
}

/// The byte that an error is about; 0 where it does not say.
fn offset<T>(error: &ParseError<T>) -> usize {
    match error {
        ParseError::BadFd(start, _) | ParseError::BadIdent(_, start) | ParseError::Unmatched(_, start) => start.byte,
        ParseError::BadSubst(_, start) | ParseError::Unexpected(_, start) | ParseError::IncompleteCmd(_, start, ..) => {
            start.byte
        }
        _ => 0,
    }
}
