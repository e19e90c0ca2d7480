//! The code that a program is compiled to: a stack machine's.

use std::sync::Arc;

use super::ast::{Arithmetic, Builtin, Comparison, RedirectionKind};
use super::regex::Regex;

/// A compiled program: shared by the calls that have the same text.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) operations: Vec<Operation>,
    pub(super) numbers: Vec<f64>,
    pub(super) strings: Vec<Box<[u8]>>,
    pub(super) regexes: Vec<Arc<Regex>>,
    /// What [`Operation::PrintItems`] prints.
    pub(super) items: Vec<Box<[Item]>>,
    pub(super) functions: Vec<FunctionCode>,
    pub(super) begin: Option<usize>,
    pub(super) rules: Option<usize>,
    pub(super) end: Option<usize>,
    /// The names of the globals, and which are arrays.
    pub(super) globals: Vec<Box<[u8]>>,
    pub(super) global_arrays: Vec<bool>,
    /// The number of range patterns.
    pub(super) ranges: usize,
    /// What the awks do not agree on, where the program has such a thing.
    pub(super) differing: Option<&'static str>,
}

#[derive(Debug)]
pub(super) struct FunctionCode {
    pub(super) name: Box<[u8]>,
    pub(super) entry: usize,
    /// Which parameters are arrays.
    pub(super) parameters: Box<[bool]>,
}

/// Something to be printed that takes no evaluation and changes nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    Field(u32),
    String(u32),
    Number(u32),
    Global(u32),
    Computed(u32),
    Local(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayPlace {
    Global(u32),
    Local(u32),
}

/// What can be assigned to. Its operand (the index of a field, the subscript of an element) is on the stack below the
/// value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Global(u32),
    Local(u32),
    /// One of awk's own variables that is watched.
    Watched(u32),
    Field,
    Element(ArrayPlace),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GetlineFrom {
    Input,
    File,
    Command,
}

/// One step. `→` says what it leaves on the stack for what it takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    /// → number
    Number(u32),
    /// → string
    String(u32),
    /// → nothing yet
    Uninitialized,
    /// → value
    Global(u32),
    Local(u32),
    /// NF, NR or FNR → value
    Computed(u32),
    /// index → value
    Field,
    /// → value
    FieldAt(u32),
    /// subscript → value; the element comes into being
    Element(ArrayPlace),
    /// subscript → is it there?
    In(ArrayPlace),
    /// An array, to be given to a function.
    Array(ArrayPlace),
    /// n values → their texts joined by SUBSEP
    Join(u32),
    /// operand, value → value
    Assign(Place),
    /// operand, value →
    Store(Place),
    /// `texts → `: appends so many texts to a variable.
    Append(Place, u32),
    /// operand, value → new value
    AssignWith(Place, Arithmetic),
    /// operand → old or new value
    Increment {
        place: Place,
        down: bool,
        before: bool,
    },
    /// value →
    Pop,
    /// value, value → number
    Binary(Arithmetic),
    Compare(Comparison),
    /// n values → string
    Concat(u32),
    /// value → number
    Not,
    Negative,
    ToNumber,
    /// value → 0 or 1
    Truth,
    /// Does the record match? → 0 or 1
    MatchRecord(u32),
    /// text → 0 or 1
    Match(u32),
    /// text, regular expression → 0 or 1
    MatchDynamic,
    Jump(usize),
    /// condition →
    JumpIfFalse(usize),
    JumpIfTrue(usize),
    /// Compares and jumps where it does not hold: value, value →
    JumpUnless(Comparison, usize),
    /// Is the range pattern in force? Then jumps.
    JumpInRange(u32, usize),
    SetRange(u32, bool),
    /// n arguments → result
    Call {
        function: u32,
        arguments: u32,
    },
    /// result →
    Return,
    /// Takes a snapshot of the subscripts.
    BeginFor(ArrayPlace),
    /// → the next subscript, or jumps
    NextFor(usize),
    EndFor,
    /// Leaves so many loops over arrays at once.
    DeleteAll(ArrayPlace),
    /// subscript →
    Delete(ArrayPlace),
    Next,
    NextFile,
    /// status →
    Exit,
    ExitAsBefore,
    /// The end of BEGIN, of the rules, of END.
    End,
    PrintRecord,
    PrintItems(u32),
    /// values [, name] →
    Print {
        arguments: u32,
        to: Option<RedirectionKind>,
    },
    Printf {
        arguments: u32,
        to: Option<RedirectionKind>,
    },
    /// [name] → status; what was read is at hand, to be assigned.
    Getline {
        from: GetlineFrom,
        to_record: bool,
    },
    /// operand, status → status
    StoreRead(Place),
    /// arguments → result
    Builtin {
        builtin: Builtin,
        arguments: u32,
    },
    /// array → number
    LengthOfArray(ArrayPlace),
    /// text → number of elements; by FS, by a regular expression, by a value that is on the stack above the text
    SplitByFs(ArrayPlace),
    SplitByRegex(ArrayPlace, u32),
    SplitByValue(ArrayPlace),
    /// text → position
    MatchAt(u32),
    MatchAtDynamic,
    /// text [, regular expression] → position; the groups become elements.
    MatchInto {
        array: ArrayPlace,
        regex: Option<u32>,
    },
    /// → number of elements
    Sort {
        from: ArrayPlace,
        to: ArrayPlace,
        by_index: bool,
    },
    /// operand, [regular expression,] replacement → number of replacements
    Substitute {
        place: Place,
        regex: Option<u32>,
        all: bool,
    },
    /// [regular expression,] replacement, how, text → string
    Gensub {
        regex: Option<u32>,
    },
}
