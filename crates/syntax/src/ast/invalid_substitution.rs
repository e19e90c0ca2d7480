//! Command substitutions that are none.

use std::sync::Arc;

use bstr::BString;

use super::command::List;
use crate::error::SyntaxError;

/// The text in backquotes, where it is no program.
#[derive(Debug, Clone)]
pub struct InvalidSubstitution {
    /// The lines before the error, which run all the same.
    pub before: Arc<List>,
    /// Why the rest could not be read; its place is in the text, whose first line is 1.
    pub error: SyntaxError,
    /// The text, backslashes that quote removed.
    pub text: BString,
}

/// As the places in syntax trees, those of errors take no part in their equality.
impl PartialEq for InvalidSubstitution {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
