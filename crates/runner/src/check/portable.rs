//! Shell code that not every sh takes.

use std::sync::Arc;

#[cfg(feature = "portable")]
use hookshell_syntax::Program;
use hookshell_syntax::{Dialect, ParseOptions, parse_for_analysis, parse_program};

use super::{Checker, bashism};

impl Checker {
    /// What not every POSIX shell takes of valid shell code, and where; what only our parser for POSIX refuses has its words.
    pub(super) fn not_portable(&self, source: &Arc<[u8]>) -> Vec<(usize, String)> {
        let source = source.clone();
        let found = self.dispatcher.call(move || {
            let options = super::command::options();
            let program = parse_for_analysis(source.clone(), &options);
            if program.error.is_some() {
                return Vec::new();
            }
            let mut found = bashism::all(&program);
            if found.is_empty() {
                let posix = ParseOptions { dialect: Dialect::Posix, ..options };
                let refused = parse_program(source, &posix).error;
                found.extend(
                    refused
                        .map(|error| (usize::try_from(error.span.start).unwrap_or_default(), error.cause.to_string())),
                );
            }
            #[cfg(feature = "portable")]
            if found.is_empty() {
                found.extend(second_opinion(&program));
            }
            found
        });
        found.unwrap_or_default()
    }
}

/// What conch-parser, which is strict about POSIX, refuses of shell code that nothing else has been found in.
#[cfg(feature = "portable")]
fn second_opinion(program: &Program) -> Option<(usize, String)> {
    use conch_parser::lexer::Lexer;
    use conch_parser::parse::{DefaultParser, ParseError};

    /// It calls itself for each level: what nests deeper is not given to it.
    const DEPTH: u32 = 200;

    let options = ParseOptions { max_depth: DEPTH, ..super::command::options() };
    let text = std::str::from_utf8(&program.source).ok().filter(|text| !is_misread(text))?;
    if parse_for_analysis(Arc::clone(&program.source), &options).error.is_some() {
        return None;
    }
    let refused = DefaultParser::new(Lexer::new(text.chars())).into_iter().find_map(Result::err)?;
    let place = match refused {
        ParseError::BadFd(start, _) | ParseError::BadIdent(_, start) | ParseError::Unmatched(_, start) => start.byte,
        ParseError::BadSubst(_, start) | ParseError::Unexpected(_, start) | ParseError::IncompleteCmd(_, start, ..) => {
            start.byte
        }
        _ => 0,
    };
    Some((place, refused.to_string()))
}

/// A command substitution in an arithmetic expansion: conch-parser refuses that, and every sh takes it.
#[cfg(feature = "portable")]
fn is_misread(text: &str) -> bool {
    text.split("$((").skip(1).any(|rest| {
        let line = rest.lines().next().unwrap_or_default();
        line.contains("$(") || line.contains('`')
    })
}
