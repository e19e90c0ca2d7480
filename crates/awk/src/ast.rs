//! The syntax tree of an awk program. Names are resolved to slots while it is read.

/// A whole program.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// The actions of all `BEGIN` rules, in order.
    pub(super) begin: Vec<Vec<Statement>>,
    /// The rules for records.
    pub(super) rules: Vec<Rule>,
    /// The actions of all `END` rules, in order.
    pub(super) end: Vec<Vec<Statement>>,
    /// The functions; calls know them by their index.
    pub(super) functions: Vec<Function>,
    /// The names of the global variables; the first are awk's own ([`SPECIAL_NAMES`]).
    pub(super) globals: Vec<Box<[u8]>>,
    /// Which globals are arrays.
    pub(super) global_arrays: Vec<bool>,
    /// What the awks do not agree on, where the program has such a thing.
    pub(super) differing: Option<&'static str>,
}

/// awk's own variables: their slots are their positions here.
pub(super) const SPECIAL_NAMES: [&[u8]; 19] = [
    b"NF",
    b"NR",
    b"FNR",
    b"FS",
    b"OFS",
    b"ORS",
    b"RS",
    b"SUBSEP",
    b"CONVFMT",
    b"OFMT",
    b"FPAT",
    b"IGNORECASE",
    b"RSTART",
    b"RLENGTH",
    b"FILENAME",
    b"ARGC",
    b"ENVIRON",
    b"ARGV",
    b"PROCINFO",
];

/// The slots of awk's own variables.
pub(super) mod slot {
    pub(crate) const NF: u32 = 0;
    pub(crate) const NR: u32 = 1;
    pub(crate) const FNR: u32 = 2;
    pub(crate) const FS: u32 = 3;
    pub(crate) const OFS: u32 = 4;
    pub(crate) const ORS: u32 = 5;
    pub(crate) const RS: u32 = 6;
    pub(crate) const SUBSEP: u32 = 7;
    pub(crate) const CONVFMT: u32 = 8;
    pub(crate) const OFMT: u32 = 9;
    /// gawk's: what a field looks like.
    pub(crate) const FPAT: u32 = 10;
    /// gawk's: upper and lower case are one.
    pub(crate) const IGNORECASE: u32 = 11;
    pub(crate) const RSTART: u32 = 12;
    pub(crate) const RLENGTH: u32 = 13;
    pub(crate) const FILENAME: u32 = 14;
    pub(crate) const ARGC: u32 = 15;
    pub(crate) const ENVIRON: u32 = 16;
    pub(crate) const ARGV: u32 = 17;
    /// gawk's, of which there is only the order of loops over arrays.
    pub(crate) const PROCINFO: u32 = 18;
    /// Loading these takes more than a look at the slot.
    pub(crate) const COMPUTED: u32 = 3;
    /// Storing to these does more than that.
    pub(crate) const WATCHED: u32 = 12;
}

/// A pattern and its action.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) pattern: Pattern,
    /// `None`: the record is printed.
    pub(super) action: Option<Vec<Statement>>,
}

#[derive(Debug)]
pub(super) enum Pattern {
    Always,
    Expression(Expr),
    Range(Expr, Expr),
}

/// A user's function.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: Box<[u8]>,
    /// Which parameters are arrays.
    pub(super) parameters: Vec<bool>,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Statement {
    Expression(Expr),
    Print {
        arguments: Vec<Expr>,
        to: Option<Redirection>,
    },
    Printf {
        arguments: Vec<Expr>,
        to: Option<Redirection>,
    },
    /// The arms of an `if … else if …`, and the last `else`.
    If {
        arms: Vec<(Expr, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Expr,
        body: Vec<Statement>,
    },
    DoWhile {
        body: Vec<Statement>,
        condition: Expr,
    },
    For {
        start: Option<Box<Statement>>,
        condition: Option<Expr>,
        step: Option<Box<Statement>>,
        body: Vec<Statement>,
    },
    ForIn {
        variable: Expr,
        array: Variable,
        body: Vec<Statement>,
    },
    Block(Vec<Statement>),
    Delete {
        array: Variable,
        subscript: Option<Vec<Expr>>,
    },
    Next,
    NextFile,
    Break,
    Continue,
    Exit(Option<Expr>),
    Return(Option<Expr>),
}

/// Where `print` writes to.
#[derive(Debug)]
pub(super) struct Redirection {
    pub(super) kind: RedirectionKind,
    pub(super) name: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RedirectionKind {
    /// `>`
    Truncate,
    /// `>>`
    Append,
    /// `|`
    Command,
}

/// A variable by its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    Global(u32),
    Local(u32),
}

#[derive(Debug)]
pub(super) enum Expr {
    Number(f64),
    String(Box<[u8]>),
    /// A regular expression on its own: does the record match it?
    Regex(Box<[u8]>),
    Variable(Variable),
    Element(Variable, Vec<Expr>),
    Field(Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignWith(Arithmetic, Box<Expr>, Box<Expr>),
    Increment {
        place: Box<Expr>,
        by: f64,
        before: bool,
    },
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    In(Vec<Expr>, Variable),
    Match {
        text: Box<Expr>,
        regex: Box<Expr>,
        negated: bool,
    },
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Concat(Vec<Expr>),
    Binary(Arithmetic, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    /// A place in parentheses, which makes it a value.
    Parenthesized(Box<Expr>),
    /// `(a, b)`: only before `in` and as the arguments of `print`.
    Group(Vec<Expr>),
    Getline {
        from: GetlineSource,
        into: Option<Box<Expr>>,
    },
    Call(u32, Vec<Expr>),
    Builtin(Builtin, Vec<Expr>),
}

#[derive(Debug)]
pub(super) enum GetlineSource {
    Input,
    File(Box<Expr>),
    Command(Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    And,
    Asort,
    Asorti,
    Atan2,
    Close,
    Compl,
    Cos,
    Exp,
    Fflush,
    Gensub,
    Gsub,
    Index,
    Int,
    Length,
    Log,
    Lshift,
    Match,
    Mktime,
    Or,
    Rand,
    Rshift,
    Sin,
    Split,
    Sprintf,
    Sqrt,
    Srand,
    Strftime,
    Strtonum,
    Sub,
    Substr,
    System,
    Systime,
    Tolower,
    Toupper,
    Xor,
}

impl Builtin {
    /// The built-in of this name, and how many arguments it takes.
    pub(super) fn find(name: &[u8]) -> Option<(Self, usize, usize)> {
        Some(match name {
            b"atan2" => (Self::Atan2, 2, 2),
            b"close" => (Self::Close, 1, 1),
            b"cos" => (Self::Cos, 1, 1),
            b"exp" => (Self::Exp, 1, 1),
            b"fflush" => (Self::Fflush, 0, 1),
            b"gensub" => (Self::Gensub, 3, 4),
            b"gsub" => (Self::Gsub, 2, 3),
            b"index" => (Self::Index, 2, 2),
            b"int" => (Self::Int, 1, 1),
            b"length" => (Self::Length, 0, 1),
            b"log" => (Self::Log, 1, 1),
            b"match" => (Self::Match, 2, 3),
            b"mktime" => (Self::Mktime, 1, 1),
            b"rand" => (Self::Rand, 0, 0),
            b"sin" => (Self::Sin, 1, 1),
            b"split" => (Self::Split, 2, 3),
            b"sprintf" => (Self::Sprintf, 1, usize::MAX),
            b"sqrt" => (Self::Sqrt, 1, 1),
            b"srand" => (Self::Srand, 0, 1),
            b"strftime" => (Self::Strftime, 1, 3),
            b"sub" => (Self::Sub, 2, 3),
            b"substr" => (Self::Substr, 2, 3),
            b"system" => (Self::System, 1, 1),
            b"systime" => (Self::Systime, 0, 0),
            b"tolower" => (Self::Tolower, 1, 1),
            b"toupper" => (Self::Toupper, 1, 1),
            _ => return Self::find_of_gawk(name),
        })
    }

    /// The same for functions that only gawk has: a program may define its own by such a name.
    pub(super) fn find_of_gawk(name: &[u8]) -> Option<(Self, usize, usize)> {
        Some(match name {
            b"and" => (Self::And, 2, usize::MAX),
            b"asort" => (Self::Asort, 1, 2),
            b"asorti" => (Self::Asorti, 1, 2),
            b"compl" => (Self::Compl, 1, 1),
            b"lshift" => (Self::Lshift, 2, 2),
            b"or" => (Self::Or, 2, usize::MAX),
            b"rshift" => (Self::Rshift, 2, 2),
            b"strtonum" => (Self::Strtonum, 1, 1),
            b"xor" => (Self::Xor, 2, usize::MAX),
            _ => return None,
        })
    }
}
