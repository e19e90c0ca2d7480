//! Conditional expressions: the `test` and `[` utilities (POSIX XCU test) with bash's operators, and the file and
//! string operators that `[[ ]]` shares with them.
//!
//! `test` follows POSIX's rules for up to four arguments; beyond them bash's precedence parser reads
//! `! ( ) -a -o`. A word is an operator by its place, so `[ -f = -f ]` compares strings.

mod access;
mod error;
mod file;
mod parser;
#[cfg(test)]
mod tests;
mod unary;

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

pub(crate) use error::TestError;
pub(crate) use file::{Descriptor, FileComparison, FileInfo, FileKind, file_compare};
pub(crate) use parser::test;
pub(crate) use unary::{is_unary, unary};

/// What an expression asks of the shell that runs it.
pub(crate) trait Environment {
    /// The logical working directory, which relative operands are joined to.
    fn cwd(&self) -> &Path;
    /// The directory that `/tmp` stands for on Windows.
    fn temp_dir(&self) -> PathBuf {
        std::env::temp_dir()
    }
    /// `-v NAME`: the variable, element (`a[1]`) or positional parameter is set.
    fn variable_is_set(&self, name: &[u8]) -> bool;
    /// `-R NAME`: the variable is set and is a name reference.
    fn is_nameref(&self, name: &[u8]) -> bool;
    /// `-o NAME`: the shell option is on.
    fn option_is_set(&self, name: &[u8]) -> bool;
    /// `-t FD`.
    fn is_terminal(&self, descriptor: u32) -> bool;
    /// The file of one of the shell's own descriptors: `/dev/fd/N`, `/dev/stdin` and their like.
    fn descriptor(&self, descriptor: u32) -> Option<Descriptor>;
    /// `-x NAME`: the name is that of a bundled utility, and no program has it. `command -v NAME` prints just the name
    /// then, and `[ -x "$(command -v jq)" ]` must be true.
    fn is_bundled_only(&self, name: &[u8]) -> bool {
        let _ = name;
        false
    }
    /// The collating order that `<` and `>` use. In C and C.UTF-8 it is the order of bytes.
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        left.cmp(right)
    }
}
