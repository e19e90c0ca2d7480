//! A sed script that was read.

use hookshell_regex::Regex;

/// A part of a script that was given at once: by `-e`, or in a file. They are joined by newlines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it ends in the script.
    pub(crate) end: usize,
    /// The name of its file.
    pub(crate) file: Option<Vec<u8>>,
}

/// What a script is compiled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) script: Vec<u8>,
    /// What it was put together from.
    pub(crate) pieces: Vec<Piece>,
    /// `--sandbox`: no commands that run programs or touch files.
    pub(crate) sandbox: bool,
    pub(crate) extended: bool,
    /// Each byte is a character.
    pub(crate) bytes: bool,
    /// `-s` and `-i`: `F`, `$` and line numbers mean each file.
    pub(crate) separate: bool,
    /// Lines end with NUL (`-z`).
    pub(crate) null: bool,
    /// `--posix`: without GNU's extensions.
    pub(crate) posix: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) commands: Vec<Command>,
    /// The names of the files that are written.
    pub(crate) outputs: Vec<Vec<u8>>,
    /// The names of the files that `R` reads.
    pub(crate) inputs: Vec<Vec<u8>>,
    /// The script begins with `#n`.
    pub(crate) quiet: bool,
    /// How many ranges there are.
    pub(crate) ranges: usize,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) select: Select,
    pub(crate) negated: bool,
    pub(crate) action: Action,
}

/// Which lines a command is for.
#[derive(Debug)]
pub(crate) enum Select {
    All,
    One(Address),
    /// The last is the number of the range.
    Range(Address, End, usize),
}

#[derive(Debug)]
pub(crate) enum Address {
    /// 0 only as the start of a range.
    Line(u64),
    Last,
    /// `None`: the expression that was used last.
    Match(Option<Regex>),
    Step(u64, u64),
}

/// The end of a range.
#[derive(Debug)]
pub(crate) enum End {
    At(Address),
    /// `+N`
    Lines(u64),
    /// `~N`
    Multiple(u64),
}

/// What a command does. Numbers of commands are places in the list.
#[derive(Debug)]
pub(crate) enum Action {
    /// `{`: where to go when it is not selected.
    Block(usize),
    LineNumber,
    Append(Vec<u8>),
    Insert(Vec<u8>),
    Change(Vec<u8>),
    Jump(usize),
    JumpIfReplaced(usize),
    JumpIfNot(usize),
    Delete,
    DeleteFirst,
    FileName,
    Get,
    GetAppend,
    Hold,
    HoldAppend,
    Exchange,
    /// `e`: a command whose output comes first, or none: the pattern space is one.
    Execute(Option<Vec<u8>>),
    List(Option<u64>),
    Next,
    NextAppend,
    Print,
    PrintFirst,
    Quit {
        status: u8,
        print: bool,
    },
    ReadFile(Vec<u8>),
    /// `0r`: the file comes before the line.
    ReadBefore(Vec<u8>),
    ReadLine(usize),
    Substitute(Box<Substitution>),
    Write(usize),
    WriteFirst(usize),
    Translate(Box<Translation>),
    Zap,
}

#[derive(Debug)]
pub(crate) struct Substitution {
    pub(crate) regex: Option<Regex>,
    pub(crate) parts: Vec<Part>,
    pub(crate) uses_groups: bool,
    pub(crate) global: bool,
    pub(crate) number: u64,
    pub(crate) print: bool,
    /// The result is run as a command, whose output takes its place.
    pub(crate) execute: bool,
    pub(crate) write: Option<usize>,
}

/// A part of a replacement.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(Vec<u8>),
    Group(usize),
    /// `\U`, `\L`, `\E` (`None`).
    Case(Option<Case>),
    /// `\u` and `\l`.
    First(Case),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Upper,
    Lower,
}

/// `y`: for each byte, or for characters.
#[derive(Debug)]
pub(crate) enum Translation {
    Bytes(Box<[u8; 256]>),
    /// What each stands for.
    Characters(Vec<(Character, Character)>),
}

/// The bytes of a character, or one byte that belongs to none.
pub(crate) type Character = Box<[u8]>;
