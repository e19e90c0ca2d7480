//! Lists, pipelines, simple and compound commands, functions.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;
use thin_vec::ThinVec;

use super::{Arithmetic, Condition, Redirection, Word};
use crate::name::Name;
use crate::span::Span;

/// Commands with their separators: a *compound_list* or a *complete_command* (XCU 2.10).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The and-or lists in source order.
    pub items: SmallVec<[ListItem; 1]>,
}

/// One and-or list and whether `&` follows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListItem {
    /// The and-or list.
    pub and_or: AndOr,
    /// `&` follows: run asynchronously.
    pub background: bool,
    /// A newline ends it, and no `;` or `&`: bash shows commands inside `$( )` in the lines they were written in.
    pub newline: LineEnd,
    /// From the first to the last byte of the and-or list.
    pub span: Span,
}

/// Was a command ended by a newline alone? As a [`Span`], it takes no part in the equality of syntax trees: it says how a
/// list was written.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineEnd(pub bool);

impl PartialEq for LineEnd {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for LineEnd {}

/// Pipelines joined by `&&` and `||`, evaluated from the left with equal precedence.
#[derive(Debug, Clone, PartialEq)]
pub struct AndOr {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others, each with the operator before it.
    pub rest: ThinVec<(AndOrOp, Pipeline)>,
}

/// `&&` or `||`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AndOrOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One or more commands joined by `|`.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// An odd number of `!` stands before it: the status is inverted.
    pub negated: bool,
    /// bash: `time` stands before it.
    pub time: Option<TimeKeyword>,
    /// The commands; empty only for bash's bare `time` or `!`.
    pub stages: SmallVec<[Stage; 1]>,
}

/// The reserved word `time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeKeyword {
    /// `time -p`
    pub posix_format: bool,
}

/// One command of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The command.
    pub command: Command,
    /// bash: `|&` follows, so that standard error goes into the pipe as well.
    pub pipe_stderr: bool,
}

/// A command (XCU 2.9).
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A simple command.
    Simple(SimpleCommand),
    /// A compound command with its redirections. Behind an `Arc` because functions and background lists keep it.
    Compound(Arc<CompoundCommand>),
    /// A function definition.
    Function(Arc<FunctionDefinition>),
}

/// A simple command (XCU 2.9.1): assignments, words and redirections.
#[derive(Debug, Clone, PartialEq)]
pub struct SimpleCommand {
    /// Assignments before the command name, in order.
    pub assignments: ThinVec<Assignment>,
    /// The command name and its arguments.
    pub arguments: ThinVec<Argument>,
    /// Redirections, in order, wherever they stood.
    pub redirections: ThinVec<Redirection>,
    /// From the first to the last byte. The line is the one that messages and LINENO have: that in which the word after
    /// the command name ends, or the name itself where none follows (bash).
    pub span: Span,
}

impl SimpleCommand {
    /// The command name, where it is known without expanding anything.
    pub fn literal_name(&self) -> Option<Cow<'_, [u8]>> {
        match self.arguments.first() {
            Some(Argument::Word(word)) => word.literal(),
            _ => None,
        }
    }
}

/// One word of a simple command.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// An ordinary word.
    Word(Word),
    /// An argument in the form of an assignment to a declaration utility (`export`, `readonly`; bash: `declare`,
    /// `typeset`, `local`; also after `command` and `builtin`): it is expanded as an assignment. Boxed: it is large and rare.
    Assignment(Box<Assignment>),
}

impl Argument {
    /// The assignment of a list, where it is one.
    pub fn list(&self) -> Option<&Assignment> {
        match self {
            Self::Assignment(assignment) if assignment.is_list() => Some(assignment),
            _ => None,
        }
    }
}

/// `name=value`, `name+=value`, `name[subscript]=value`, `name=(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// bash: the subscript.
    pub subscript: Option<Subscript>,
    /// bash: `+=`.
    pub append: bool,
    /// What is assigned.
    pub value: AssignmentValue,
    /// From the name to the end of the value.
    pub span: Span,
}

impl Assignment {
    /// Is it `name=(…)`?
    pub fn is_list(&self) -> bool {
        matches!(self.value, AssignmentValue::Array(_))
    }
}

/// The right side of an assignment.
#[derive(Debug, Clone, PartialEq)]
pub enum AssignmentValue {
    /// A word (empty where nothing stands after the `=`).
    Scalar(Word),
    /// bash: `( … )`.
    Array(Vec<ArrayElement>),
}

/// One element of bash's compound array assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayElement {
    /// `[subscript]=` (never `All`/`Star` by bash's rules, which is checked at run time).
    pub subscript: Option<Subscript>,
    /// `[subscript]+=`.
    pub append: bool,
    /// bash: braces stand in an element with a subscript. An indexed array takes what they are expanded to as words,
    /// `[subscript]=` included.
    pub braced: Option<Box<Word>>,
    /// The value; without a subscript it is split and globbed into any number of elements.
    pub value: Word,
}

/// bash: what stands in `[ ]` after the name of an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Subscript {
    /// `[@]`
    All,
    /// `[*]`
    Star,
    /// Anything else: an arithmetic expression for an indexed array, a key for an associative one; which of the two
    /// is known only at run time, so both readings are kept.
    Index(Box<Index>),
}

/// The two readings of an array subscript; equal when the keys are.
#[derive(Debug, Clone)]
pub struct Index {
    /// As the key of an associative array.
    pub key: Word,
    /// As arithmetic.
    pub arithmetic: Arithmetic,
}

impl PartialEq for Index {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// A compound command and the redirections after it.
#[derive(Debug, Clone, PartialEq)]
pub struct CompoundCommand {
    /// Which one.
    pub kind: Compound,
    /// The redirections that apply to all of it.
    pub redirections: ThinVec<Redirection>,
    /// From the opening to the closing word, redirections included.
    pub span: Span,
}

/// The compound commands (XCU 2.9.4) and bash's.
#[derive(Debug, Clone, PartialEq)]
pub enum Compound {
    /// `{ list; }`
    Brace(List),
    /// `( list )`
    Subshell(List),
    /// `if`/`elif`/`else`
    If(IfClause),
    /// `while` and `until`
    While(WhileClause),
    /// `for name [in words]`
    For(ForClause),
    /// bash: `for ((init; condition; step))`
    ArithmeticFor(Box<ArithmeticForClause>),
    /// `case word in … esac`
    Case(CaseClause),
    /// bash: `select name in words`
    Select(ForClause),
    /// bash: `(( expression ))`
    Arithmetic(Arithmetic),
    /// bash: `[[ expression ]]`
    Condition(Condition),
    /// bash: `coproc [NAME] command` (the interpreter reports it as unsupported)
    Coprocess(Box<Coprocess>),
}

impl Compound {
    /// The lists in it, in their order; those of a coprocess's own command are not among them.
    pub fn lists(&self) -> Vec<&List> {
        match self {
            Self::Brace(list) | Self::Subshell(list) => vec![list],
            Self::If(clause) => {
                let branches = clause.branches.iter().flat_map(|(condition, body)| [condition, body]);
                branches.chain(&clause.otherwise).collect()
            }
            Self::While(clause) => vec![&clause.condition, &clause.body],
            Self::For(clause) | Self::Select(clause) => vec![&clause.body],
            Self::ArithmeticFor(clause) => vec![&clause.body],
            Self::Case(clause) => clause.items.iter().map(|item| &item.body).collect(),
            Self::Arithmetic(_) | Self::Condition(_) | Self::Coprocess(_) => Vec::new(),
        }
    }
}

/// `if … then … elif … else … fi`
#[derive(Debug, Clone, PartialEq)]
pub struct IfClause {
    /// Condition and body of the `if` and of each `elif`.
    pub branches: Vec<(List, List)>,
    /// The body of `else`.
    pub otherwise: Option<List>,
}

/// `while`/`until … do … done`
#[derive(Debug, Clone, PartialEq)]
pub struct WhileClause {
    /// `until`: the loop continues while the condition is false.
    pub until: bool,
    /// The condition.
    pub condition: List,
    /// The body.
    pub body: List,
}

/// `for`/`select name [in words]; do … done`
#[derive(Debug, Clone, PartialEq)]
pub struct ForClause {
    /// The loop variable.
    pub name: Name,
    /// The words after `in`; `None` without `in` (then `"$@"`).
    pub words: Option<Vec<Word>>,
    /// The body.
    pub body: List,
}

/// bash: `for ((init; condition; step)) do … done`; an absent part is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct ArithmeticForClause {
    /// Evaluated once.
    pub init: Option<Arithmetic>,
    /// Evaluated before each turn; absent is true.
    pub condition: Option<Arithmetic>,
    /// Evaluated after each turn.
    pub step: Option<Arithmetic>,
    /// The body.
    pub body: List,
}

/// `case word in … esac`
#[derive(Debug, Clone, PartialEq)]
pub struct CaseClause {
    /// The word that is matched.
    pub subject: Word,
    /// The branches.
    pub items: Vec<CaseItem>,
}

/// One branch of `case`.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseItem {
    /// The patterns between `|`.
    pub patterns: Vec<Word>,
    /// The commands; empty where there are none.
    pub body: List,
    /// How the branch ends.
    pub terminator: CaseTerminator,
}

/// What stands at the end of a branch of `case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseTerminator {
    /// `;;`, or nothing after the last branch
    Break,
    /// `;&` (POSIX Issue 8): continue with the next branch's commands
    FallThrough,
    /// bash: `;;&`: continue testing patterns
    Continue,
}

/// bash: `coproc`
#[derive(Debug, Clone, PartialEq)]
pub struct Coprocess {
    /// What expands to the name; `COPROC` when absent.
    pub name: Option<Word>,
    /// The command.
    pub command: Command,
}

/// `name() compound-command`, bash also `function name [()] compound-command`.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionDefinition {
    /// The function's name (bash allows more than a *name*).
    pub name: Name,
    /// Written with the reserved word `function`.
    pub keyword: bool,
    /// The body; its redirections apply to every call.
    pub body: Arc<CompoundCommand>,
    /// From the name to the end of the body.
    pub span: Span,
}
