//! Shell code that not every sh takes.

use std::sync::Arc;

#[cfg(feature = "portable")]
use hookshell_syntax::ast::{Arithmetic, Redirection, RedirectionKind};
use hookshell_syntax::{Dialect, ParseOptions, parse_for_analysis, parse_program};
#[cfg(feature = "portable")]
use hookshell_syntax::{Program, print_word};

#[cfg(feature = "portable")]
use super::walk::Visitor;
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

/// conch-parser calls itself for each level: what nests deeper is not given to it.
#[cfg(feature = "portable")]
const DEPTH: u32 = 200;
/// Its time grows with the square of the here-documents of a command.
#[cfg(feature = "portable")]
const DOCUMENTS: usize = 200;
/// Nobody's hook is longer, and a file of a project's is not to take minutes.
#[cfg(feature = "portable")]
const LENGTH: usize = 1024 * 1024;

/// What conch-parser, which is strict about POSIX, refuses of shell code that nothing else has been found in.
#[cfg(feature = "portable")]
fn second_opinion(program: &Program) -> Option<(usize, String)> {
    use conch_parser::lexer::Lexer;
    use conch_parser::parse::{DefaultParser, ParseError};

    let options = ParseOptions { max_depth: DEPTH, ..super::command::options() };
    let text = std::str::from_utf8(&program.source).ok().filter(|text| !is_misread(text))?;
    if parse_for_analysis(Arc::clone(&program.source), &options).error.is_some() || costs_too_much(program) {
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

/// Would conch-parser need more stack or time for it than a file of a project's may take? Our parser does not count the
/// parentheses of arithmetic as levels, since it does not call itself for them.
#[cfg(feature = "portable")]
fn costs_too_much(program: &Program) -> bool {
    struct Cost {
        documents: usize,
        is_deep: bool,
    }
    impl Visitor for Cost {
        fn redirection(&mut self, redirected: &Redirection) {
            self.documents += usize::from(matches!(redirected.kind, RedirectionKind::HereDocument(_)));
            super::walk::redirection(self, redirected);
        }

        fn arithmetic(&mut self, arithmetic: &Arithmetic) {
            // What is nested in it stands in its text as well.
            let opened = print_word(&arithmetic.text).iter().filter(|byte| **byte == b'(').count();
            self.is_deep |= opened > DEPTH as usize;
        }
    }
    let mut cost = Cost { documents: 0, is_deep: program.source.len() > LENGTH };
    program.units.iter().for_each(|unit| cost.list(&unit.list));
    cost.is_deep || cost.documents > DOCUMENTS
}

/// A command substitution in an arithmetic expansion: conch-parser refuses that, and every sh takes it.
#[cfg(feature = "portable")]
fn is_misread(text: &str) -> bool {
    text.split("$((").skip(1).any(|rest| {
        let line = rest.lines().next().unwrap_or_default();
        line.contains("$(") || line.contains('`')
    })
}

#[cfg(all(test, feature = "portable"))]
mod tests {
    use std::time::Instant;

    use hookshell_syntax::parse_for_analysis;

    use super::{costs_too_much, second_opinion};
    use crate::check::command::options;

    /// It would take the stack of the process, or minutes: a project's file is not to end who checks it.
    #[test]
    fn scripts_that_nest_deep_are_given_to_no_second_parser() {
        let begin = Instant::now();
        let (open, close) = ("(".repeat(20_000), ")".repeat(20_000));
        for (name, code) in [
            ("parentheses", format!("echo $(({open}1{close}))\n")),
            ("backquotes", format!("echo `echo $(({open}1{close}\n))`\n")),
            ("document", format!("cat <<E\n$(({open}1{close}))\nE\n")),
            ("documents", format!("cat {}\n{}", "<<A ".repeat(20_000), "A\n".repeat(20_000))),
        ] {
            let program = parse_for_analysis(code.into_bytes(), &options());
            assert!(program.error.is_none(), "{name}: {:?}", program.error);
            assert!(costs_too_much(&program), "{name}");
            assert_eq!(second_opinion(&program), None, "{name}");
        }
        assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
        for code in ["echo $(((1 + 2) * (3 + 4)))\n", "cat <<A <<B\na\nA\nb\nB\n"] {
            let program = parse_for_analysis(code.as_bytes(), &options());
            assert!(!costs_too_much(&program), "{code}");
        }
    }
}
