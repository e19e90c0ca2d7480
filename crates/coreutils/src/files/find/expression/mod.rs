//! `find`'s expressions.

mod operands;
mod parser;

use hookshell_text::pattern::Pattern;

use super::printf::Format;
use super::regex::PathRegex;
use crate::date::Expression as Date;

pub(super) use self::parser::read_expression;

/// What is done to each entry.
#[derive(Debug)]
pub(super) enum Node<'a> {
    Not(Box<Node<'a>>),
    /// All, as long as they are true.
    And(Vec<Node<'a>>),
    /// Until one is true.
    Or(Vec<Node<'a>>),
    /// All; the last one counts.
    List(Vec<Node<'a>>),
    Test(Test<'a>),
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    Equal,
    Greater,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) comparison: Comparison,
    pub(super) number: u64,
}

/// One of a file's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Accessed,
    Modified,
    Changed,
}

/// A pattern for names.
#[derive(Debug)]
pub(super) struct NamePattern {
    characters: Pattern,
    /// For names that are not UTF-8.
    bytes: Pattern,
}

impl NamePattern {
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        if std::str::from_utf8(name).is_ok() { self.characters.matches(name) } else { self.bytes.matches(name) }
    }
}

/// A point in time to compare with.
#[derive(Debug)]
pub(super) enum Reference<'a> {
    /// A file's.
    File(&'a [u8], Time),
    Date(Box<Date>, &'a [u8]),
    Known((i64, u32)),
}

#[derive(Debug)]
pub(super) enum Owner<'a> {
    Name(&'a [u8]),
    Id(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PermissionMatch {
    Exact,
    All,
    Any,
}

#[derive(Debug)]
pub(super) enum Test<'a> {
    True,
    False,
    Name(NamePattern),
    Path(NamePattern),
    LinkName(NamePattern),
    /// Types of `struct stat`; of what a link leads to or the other way round.
    Kind(Vec<u32>, bool),
    /// A count of blocks of this size, rounded up.
    Size(Count, u64),
    Empty,
    Permissions(PermissionMatch, [u32; 2]),
    User(Owner<'a>),
    Group(Owner<'a>),
    UserId(Count),
    GroupId(Count),
    NoUser,
    NoGroup,
    Links(Count),
    Inode(Count),
    SameFile(&'a [u8], Option<(u64, u64)>),
    Newer(Time, Reference<'a>),
    /// Age in units of so many seconds, before now or the time that `-daystart` takes for it.
    Age(Time, Comparison, f64, u32, Option<(i64, u32)>),
    /// On a file system of these devices.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux's file systems are listed"))]
    Devices(Vec<u64>),
    Access(hookshell_process::system::Access),
    Prune,
    Quit,
    Delete,
    /// With this after each.
    Print(u8, Where),
    Printf(Format, Where),
    /// As `ls -dils`.
    List(Where),
    Regex(PathRegex),
    /// The index among the commands.
    Execute(usize),
}

/// Where something is written: one of the expression's files; `None`: standard output.
pub(super) type Where = Option<usize>;

/// A command that is run.
#[derive(Debug)]
pub(super) struct Execution<'a> {
    pub(super) words: Vec<&'a [u8]>,
    /// `+`
    pub(super) is_batch: bool,
    /// In the entry's directory.
    pub(super) in_directory: bool,
    /// Only when the answer is yes.
    pub(super) asks: bool,
}

#[derive(Debug)]
pub(super) struct Expression<'a> {
    pub(super) root: Node<'a>,
    pub(super) executions: Vec<Execution<'a>>,
    /// The files that are written.
    pub(super) files: Vec<&'a [u8]>,
    pub(super) max_depth: usize,
    /// `-files0-from`: the file with the operands.
    pub(super) files_from: Option<&'a [u8]>,
    pub(super) min_depth: usize,
    pub(super) depth_first: bool,
    pub(super) one_device: bool,
    pub(super) follows: bool,
    /// Said before the walk.
    pub(super) warnings: Vec<Vec<u8>>,
}

impl Count {
    pub(super) fn holds(self, value: u64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.number,
            Comparison::Equal => value == self.number,
            Comparison::Greater => value > self.number,
        }
    }
}
