//! Utilities that read and write text and bytes.

mod cat;
mod count;
mod head;
mod tail;

use hookshell_shell::Utility;

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(cat::Cat), Box::new(head::Head), Box::new(tail::Tail)]
}
