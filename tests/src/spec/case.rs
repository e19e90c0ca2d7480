//! One case.

use std::path::PathBuf;
use std::sync::Arc;

use super::Subject;

/// One case: what is run, and what must come of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file without its ending, from `tests/spec`: `posix/grammar/quoting`.
    pub area: Arc<str>,
    /// The file.
    pub path: Arc<PathBuf>,
    /// The line of the title, counted from 1.
    pub line: usize,
    /// The line after the case's last one that is not blank, counted from 1.
    pub end_line: usize,
    /// The behaviour in words.
    pub title: String,
    /// Items of the index.
    pub covers: Vec<String>,
    /// Programs and properties of the machine.
    pub needs: Vec<String>,
    /// Bundled utilities that it is about: in process PATH leads to no program, and other shells need theirs.
    pub bundled: Vec<String>,
    /// How the script is given.
    pub mode: Mode,
    /// The shell's options, words of its command line.
    pub options: Vec<String>,
    /// `$1` and so on.
    pub args: Vec<Vec<u8>>,
    /// Further environment variables.
    pub env: Vec<(String, Vec<u8>)>,
    /// What is in the directory before the run.
    pub given: Vec<Given>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// The script.
    pub script: Vec<u8>,
    /// What must come of it.
    pub expected: Expectation,
    /// Shells that do something else, and why ours is right.
    pub differs: Vec<(Subject, String)>,
}

/// How the script is given to the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// As the file `../case.sh`, which is `$0`.
    #[default]
    File,
    /// `-c SCRIPT sh`
    Command,
    /// `-s`: on standard input, with what the case has for stdin after it.
    Stdin,
}

/// Something in the directory before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Its path in the directory.
    pub name: String,
    /// Its content; `None` is a directory.
    pub content: Option<Vec<u8>>,
    /// Its permissions, on Unix.
    pub mode: Option<u32>,
}

/// What must come of a case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Standard output.
    pub stdout: Stdout,
    /// The exit status; `None` is not written down and means 0.
    pub status: Option<u8>,
    /// The standard only says "over 0": shells other than ours and bash may have another failing status.
    pub is_any_failure_elsewhere: bool,
    /// Parts of standard error, of our interpreter's and bash's.
    pub stderr_has: Vec<Vec<u8>>,
    /// Files and their content.
    pub leaves: Vec<(String, Vec<u8>)>,
    /// Paths that lead nowhere.
    pub leaves_not: Vec<String>,
    /// The names in the directory, sorted, directories with a slash after.
    pub directory: Option<Vec<String>>,
}

/// Standard output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdout {
    /// Nobody has said yet: the case fails.
    #[default]
    Unrecorded,
    /// It is not looked at.
    Any,
    /// Exactly this.
    Exact(Vec<u8>),
}

impl Case {
    /// The name by which cases are filtered: `posix/grammar/quoting: a backslash before a newline is removed`.
    pub fn name(&self) -> String {
        format!("{}: {}", self.area, self.title)
    }

    /// The place that a developer opens.
    pub fn place(&self) -> String {
        format!("tests/spec/{}.spec:{}", self.area, self.line)
    }

    /// Must every POSIX shell pass it?
    pub fn is_portable(&self) -> bool {
        self.area.starts_with("posix/")
    }

    /// Why `subject` is expected to do something else.
    pub fn differs_for(&self, subject: &Subject) -> Option<&str> {
        let is_same = |other: &Subject| std::mem::discriminant(other) == std::mem::discriminant(subject);
        self.differs.iter().find(|(other, _)| is_same(other)).map(|(_, reason)| reason.as_str())
    }
}
