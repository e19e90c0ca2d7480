//! The strict POSIX opinion.

use std::sync::Arc;

use conch_parser::lexer::Lexer;
use conch_parser::parse::{DefaultParser, ParseError};

use super::{Checker, bashism};

/// conch-parser calls itself for each level: what nests deeper is not given to it.
const DEPTH: u32 = 200;

impl Checker {
    /// What not every POSIX shell takes of shell code that our own parser has accepted, and where; what only conch-parser refuses has
    /// its words.
    pub(super) fn not_portable(&self, source: &Arc<[u8]>) -> Vec<(usize, String)> {
        let source = source.clone();
        self.dispatcher
            .call(move || {
                let options = hookshell_syntax::ParseOptions { max_depth: DEPTH, ..super::command::options() };
                let text = std::str::from_utf8(&source).ok()?;
                let program = hookshell_syntax::parse_for_analysis(source.clone(), &options);
                if program.error.is_some() {
                    return None;
                }
                let mut found = bashism::all(&program);
                if found.is_empty() {
                    let parser = DefaultParser::new(Lexer::new(text.chars()));
                    let refused = parser.into_iter().find_map(Result::err);
                    found.extend(refused.map(|error| (offset(&error), error.to_string())));
                }
                Some(found)
            })
            .flatten()
            .unwrap_or_default()
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
