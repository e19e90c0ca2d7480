//! What a program uses, as the walk through it finds it.

use std::collections::{HashMap, HashSet};

use super::reach::Systems;

/// One simple command.
#[derive(Debug)]
pub(super) struct Use {
    /// Where it begins.
    pub(super) offset: usize,
    /// Its words: their text where it is plain, else as they may be written.
    pub(super) words: Vec<String>,
    /// The systems that it is for.
    pub(super) systems: Systems,
    /// What is tried, one after the other, and it is part of: `stat -c %Y x || stat -f %m x`.
    pub(super) tries: Vec<Try>,
    /// The shell that reads it, where it is not that of the program: `bash -c 'x'`.
    pub(super) shell: Option<String>,
}

/// One of several that are tried, or of the branches of an `if` that tries a command out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Try {
    /// Which of the program's groups.
    pub(super) group: usize,
    /// Which of the group.
    pub(super) side: usize,
}

/// Something at a place that some systems do not have.
#[derive(Debug)]
pub(super) struct Mention<T> {
    /// Where it is.
    pub(super) offset: usize,
    /// What.
    pub(super) what: T,
    /// The systems that the code is for.
    pub(super) systems: Systems,
}

/// What a program uses.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) uses: Vec<Use>,
    /// What is asked for before it is run (`command -v jq`), and its own functions.
    pub(super) known: HashSet<String>,
    /// Absolute paths.
    pub(super) paths: Vec<Mention<String>>,
    /// What the syntax has from bash 4 on.
    pub(super) new_syntax: Vec<Mention<&'static str>>,
    /// Is bash's version asked for? What an old one does then is the script's to say.
    pub(super) asks_for_version: bool,
    /// The groups of which one is enough, and how many each has.
    pub(super) groups: HashMap<usize, usize>,
}
