//! Shell code that not every sh takes.

use std::sync::Arc;

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
            found
        });
        found.unwrap_or_default()
    }
}
