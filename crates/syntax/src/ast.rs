//! The syntax tree of a shell program.
//!
//! Every nested construct is a subtree: command substitutions, parameter expansions, arithmetic, patterns and
//! here-documents are parsed with the unit they stand in, and no word is kept as text to be parsed again at run time
//! (the exceptions are those of the language itself: `eval`, backquotes are parsed once here, arithmetic whose text
//! depends on an expansion).
//!
//! Lists are `Vec`s and nesting is bounded by the parser's depth limit, so dropping, cloning or comparing a tree
//! recurses at most that deep.

use std::sync::{Arc, OnceLock};

use bstr::BString;

pub use crate::broken::BrokenSubstitution;
use crate::name::Name;
use crate::span::Span;

/// Commands with their separators: a *compound_list* or a *complete_command* (XCU 2.10).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The and-or lists in source order.
    pub items: Vec<ListItem>,
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
    pub rest: Vec<(AndOrOp, Pipeline)>,
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
    pub stages: Vec<Stage>,
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
    Simple(Box<SimpleCommand>),
    /// A compound command with its redirections. Behind an `Arc` because functions and background lists keep it.
    Compound(Arc<CompoundCommand>),
    /// A function definition.
    Function(Arc<FunctionDefinition>),
}

/// A simple command (XCU 2.9.1): assignments, words and redirections.
#[derive(Debug, Clone, PartialEq)]
pub struct SimpleCommand {
    /// Assignments before the command name, in order.
    pub assignments: Vec<Assignment>,
    /// The command name and its arguments.
    pub arguments: Vec<Argument>,
    /// Redirections, in order, wherever they stood.
    pub redirections: Vec<Redirection>,
    /// From the first to the last byte. The line is the one that messages and LINENO have: that in which the word behind
    /// the command name ends, or the name itself where none follows (bash).
    pub span: Span,
}

/// One word of a simple command.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// An ordinary word.
    Word(Word),
    /// An argument in the form of an assignment to a declaration utility (`export`, `readonly`; bash: `declare`,
    /// `typeset`, `local`; also behind `command` and `builtin`): it is expanded as an assignment.
    Assignment(Assignment),
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

/// The right side of an assignment.
#[derive(Debug, Clone, PartialEq)]
pub enum AssignmentValue {
    /// A word (empty where nothing stands behind the `=`).
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

/// bash: what stands in `[ ]` behind the name of an array.
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

/// A compound command and the redirections behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct CompoundCommand {
    /// Which one.
    pub kind: Compound,
    /// The redirections that apply to all of it.
    pub redirections: Vec<Redirection>,
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
    /// `until`: the loop goes on while the condition is false.
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
    /// The words behind `in`; `None` without `in` (then `"$@"`).
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
    /// `;;`, or nothing behind the last branch
    Break,
    /// `;&` (POSIX Issue 8): go on with the next branch's commands
    FallThrough,
    /// bash: `;;&`: go on testing patterns
    Continue,
}

/// bash: `coproc`
#[derive(Debug, Clone, PartialEq)]
pub struct Coprocess {
    /// The name; `COPROC` when absent.
    pub name: Option<Name>,
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

/// A redirection (XCU 2.7).
#[derive(Debug, Clone, PartialEq)]
pub struct Redirection {
    /// The file descriptor that is redirected; `None` means the operator's default (0 for input, 1 for output).
    pub fd: Option<RedirectionFd>,
    /// What is done.
    pub kind: RedirectionKind,
    /// From the number to the end of the target.
    pub span: Span,
}

/// What stands before the operator of a redirection.
#[derive(Debug, Clone, PartialEq)]
pub enum RedirectionFd {
    /// `2>`
    Number(u32),
    /// bash: `{name}>`: a new descriptor of 10 or more, whose number is assigned to the variable.
    Variable(Name),
}

/// The operators of redirections with their targets.
#[derive(Debug, Clone, PartialEq)]
pub enum RedirectionKind {
    /// `< word`
    Read(Word),
    /// `> word`
    Write(Word),
    /// `>| word`
    Clobber(Word),
    /// `>> word`
    Append(Word),
    /// `<> word`
    ReadWrite(Word),
    /// `<& word`: a number, `-`, or bash's `n-`
    DuplicateInput(Word),
    /// `>& word`: a number, `-`, bash's `n-`, and bash's `>& file` (both outputs)
    DuplicateOutput(Word),
    /// bash: `&> word`
    WriteBoth(Word),
    /// bash: `&>> word`
    AppendBoth(Word),
    /// `<<` and `<<-`
    HereDocument(Arc<HereDocument>),
    /// bash: `<<< word`
    HereString(Word),
}

/// A here-document (XCU 2.7.4). The body follows the line it is announced on, so the parser fills it in later; in a
/// tree that the parser has returned it is always set.
#[derive(Debug, PartialEq)]
pub struct HereDocument {
    /// The delimiter after quote removal.
    pub delimiter: BString,
    /// The delimiter was quoted: the body is literal.
    pub quoted: bool,
    /// `<<-`: leading tabs are already removed from the body.
    pub strip_tabs: bool,
    /// The body with its final newline: one literal run when quoted, else text with expansions (as in double
    /// quotes, except that `"` is an ordinary character).
    pub body: OnceLock<Word>,
}

/// A word: its parts side by side, to be expanded and joined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Word {
    /// The parts. Adjacent parts of the same literal kind are merged.
    pub parts: Vec<WordPart>,
    /// Computed from the parts by [`Word::new`].
    pub shape: WordShape,
    /// From the first to the last byte.
    pub span: Span,
}

/// What the interpreter may know about a word before it expands it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum WordShape {
    /// The word is these bytes: only literals and quoted text, no pattern character outside quotes, no tilde, no
    /// brace expansion. An empty unquoted word (no parts at all) is `Literal("")` too.
    Literal(BString),
    /// Exactly one double-quoted simple expansion (`"$x"`, `"${x}"`, not `"$@"`): one field, no splitting.
    QuotedParameter,
    /// Anything else.
    #[default]
    General,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum WordPart {
    /// Unquoted literal text (inside `DoubleQuoted`: quoted text). May hold pattern characters, and in the bash
    /// dialect the text of extended patterns (`@(`, `|`, `)`).
    Literal(BString),
    /// Text quoted by a backslash, by single quotes or by `$'…'` (escapes already decoded). May be empty (`''`).
    Quoted(BString),
    /// `"…"` (bash: also `$"…"`); the parts are `Literal`, `Parameter`, `CommandSubstitution`, `Arithmetic` (and
    /// `Quoted` for text inside nested quotes of `"${x#'…'}"`).
    DoubleQuoted(Vec<WordPart>),
    /// `$x`, `${…}`. Shared, because the text and the operands of arithmetic both hold it.
    Parameter(Arc<ParameterExpansion>),
    /// `$(…)` and `` `…` ``
    CommandSubstitution(Arc<CommandSubstitution>),
    /// `$((…))` (bash: also `$[…]`)
    Arithmetic(Arc<Arithmetic>),
    /// bash: `<(…)` and `>(…)`
    ProcessSubstitution(Box<ProcessSubstitution>),
    /// An unquoted tilde-prefix where XCU 2.6.1 allows one, without the `~`: empty for the own home, a login name, or
    /// bash's `+` and `-`.
    Tilde(BString),
    /// bash: a brace expansion.
    Brace(Box<BraceExpansion>),
}

/// bash: `{a,b}` or `{1..9..2}`.
#[derive(Debug, Clone, PartialEq)]
pub enum BraceExpansion {
    /// `{a,b,…}`: two or more alternatives, each any parts.
    Alternatives(Vec<Vec<WordPart>>),
    /// `{first..last[..step]}` of integers; `width` is the zero-padded width (0 for none, sign included).
    Integers {
        /// First value.
        first: i64,
        /// Last value.
        last: i64,
        /// Step as written, 0 where there is none (then 1 or -1).
        step: i64,
        /// Minimum width, padded with zeros; 0 for none.
        width: u32,
        /// The text in the source, for where braces are not expanded.
        source: BString,
    },
    /// `{a..z[..step]}` of ASCII letters.
    Characters {
        /// First letter.
        first: u8,
        /// Last letter.
        last: u8,
        /// Step as written, 0 where there is none.
        step: i64,
        /// The text in the source.
        source: BString,
    },
    /// A word whose braces cannot be told from its parts: `$x{a,b}` is `$xa $xb`, and the brace in `${x%{*}` belongs
    /// to those behind it. Expanded as text where it is read.
    Words {
        /// The text in the source.
        source: BString,
        /// The same without brace expansion.
        plain: Vec<WordPart>,
        /// The words that it is expanded to.
        words: Vec<Vec<WordPart>>,
    },
}

impl BraceExpansion {
    /// The words of a sequence, none for alternatives.
    pub fn sequence(&self) -> impl Iterator<Item = Vec<u8>> + use<> {
        let (first, last, step, width) = match *self {
            Self::Integers { first, last, step, width, .. } => (first, last, step, Some(width as usize)),
            Self::Characters { first, last, step, .. } => (i64::from(first), i64::from(last), step, None),
            Self::Alternatives(_) | Self::Words { .. } => (1, 0, 0, None),
        };
        let size = step.unsigned_abs().max(1);
        let count = match self {
            Self::Integers { .. } | Self::Characters { .. } => first.abs_diff(last) / size + 1,
            _ => 0,
        };
        (0..count).map(move |n| {
            let distance = n.wrapping_mul(size);
            let value = if first <= last {
                first.wrapping_add_unsigned(distance)
            } else {
                first.wrapping_sub_unsigned(distance)
            };
            match width {
                Some(width) => format!("{value:0width$}").into_bytes(),
                None => vec![value as u8],
            }
        })
    }

    /// How many words it is expanded to; braces inside count.
    pub fn count(&self) -> u64 {
        match self {
            Self::Alternatives(list) => list
                .iter()
                .map(|parts| {
                    parts.iter().fold(1_u64, |count, part| match part {
                        WordPart::Brace(inner) => count.saturating_mul(inner.count()),
                        _ => count,
                    })
                })
                .fold(0, u64::saturating_add),
            Self::Words { words, .. } => words.len() as u64,
            Self::Integers { first, last, step, .. } => first.abs_diff(*last) / step.unsigned_abs().max(1) + 1,
            Self::Characters { first, last, step, .. } => {
                u64::from(first.abs_diff(*last)) / step.unsigned_abs().max(1) + 1
            }
        }
    }
}

/// `$(…)` or `` `…` ``.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSubstitution {
    /// The commands. A syntax error inside backquotes is an error of the run, when it is reached (as in bash); inside
    /// `$( )` it fails the parse of the whole unit and never stands here.
    pub body: Result<Arc<List>, Arc<BrokenSubstitution>>,
    /// Written with backquotes.
    pub backquoted: bool,
    /// From `$` or `` ` `` to the closing character.
    pub span: Span,
}

/// bash: `<(…)` or `>(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessSubstitution {
    /// `<(`: the command's output is read. `>(`: what is written becomes the command's input.
    pub read: bool,
    /// The commands.
    pub body: Arc<List>,
}

/// `$x` or `${…}` (XCU 2.6.2).
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterExpansion {
    /// The parameter.
    pub parameter: Parameter,
    /// bash: `${!x…}`: the parameter's value is the name of the one that is expanded.
    pub indirect: bool,
    /// Written with braces: `${x}`.
    pub braced: bool,
    /// What is done with the value.
    pub operation: ParameterOperation,
    /// From `$` to the last byte.
    pub span: Span,
}

/// A parameter (XCU 2.5).
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A variable.
    Variable(Name),
    /// bash: an element or all elements of an array.
    Element(Name, Subscript),
    /// `$1` …, counted from 1.
    Positional(u32),
    /// `$@`
    At,
    /// `$*`
    Star,
    /// `$#`
    Count,
    /// `$?`
    Status,
    /// `$-`
    Options,
    /// `$$`
    ProcessId,
    /// `$!`
    BackgroundId,
    /// `$0`
    Zero,
}

/// The operators of `${…}`.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterOperation {
    /// `$x`, `${x}`
    None,
    /// `${#x}`
    Length,
    /// `${x-word}`, `${x:-word}`
    UseDefault(Check, Word),
    /// `${x=word}`, `${x:=word}`
    AssignDefault(Check, Word),
    /// `${x?word}`, `${x:?word}`; `None` where no word stands
    ErrorIfUnset(Check, Option<Word>),
    /// `${x+word}`, `${x:+word}`
    UseAlternative(Check, Word),
    /// `${x#pattern}`, `${x##pattern}`
    RemovePrefix(MatchLength, Word),
    /// `${x%pattern}`, `${x%%pattern}`
    RemoveSuffix(MatchLength, Word),
    /// bash: `${x:offset[:length]}`
    Substring(Arithmetic, Option<Arithmetic>),
    /// bash: `${x/pattern/replacement}`; `None` where no second slash stands
    Replace(ReplaceScope, Word, Option<Word>),
    /// bash: `${x^pattern}` and its family
    ChangeCase(CaseChange, Option<Word>),
    /// bash: `${x@Q}` and its family; the operator letter
    Transform(u8),
    /// bash: `${!prefix*}` (`star`) and `${!prefix@}`: the names that begin with the variable's name
    Names {
        /// Written with `*`: one field in double quotes.
        star: bool,
    },
    /// bash: `${!name[@]}` and `${!name[*]}`: the keys of an array
    Keys,
    /// Not a valid expansion: an error when it is reached ("bad substitution"), with the text as it stands in the
    /// source.
    Bad(BString),
}

/// Whether an empty value counts as unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Without the colon.
    Unset,
    /// With the colon.
    UnsetOrNull,
}

/// Which match a pattern removal takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchLength {
    /// One `#` or `%`
    Shortest,
    /// Two
    Longest,
}

/// Where `${x/…}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceScope {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Prefix,
    /// `/%`
    Suffix,
}

/// How `${x^…}` changes case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseChange {
    /// `^`
    UpperFirst,
    /// `^^`
    UpperAll,
    /// `,`
    LowerFirst,
    /// `,,`
    LowerAll,
    /// `~`
    ToggleFirst,
    /// `~~`
    ToggleAll,
}

/// An arithmetic expression (XCU 2.6.4).
///
/// POSIX expands the text first and evaluates what comes out. The parser compiles the text anyway, each expansion in
/// it as one operand ([`ArithmeticExpression::Expansion`]): the interpreter expands them first, and as long as each
/// gives an integer literal (digits, no sign) the compiled form means the same. Otherwise (`x='1+2'; $(( $x * 2 ))`)
/// it puts the expansions into the text and parses that. A subscript that holds an expansion (`$(( a[$i] ))`) is always
/// left to the run: `expression` is `None` there.
///
/// Two are equal when their texts are: the rest follows from the text. (Comparing the expansions, which stand in the
/// text too, would take exponential time in nested expressions.)
#[derive(Debug, Clone)]
pub struct Arithmetic {
    /// The text, as in double quotes (quote characters are removed as bash does).
    pub text: Word,
    /// The compiled text; `None` when it is an expression only after its expansions are put in, or is not one at
    /// all (an error when it is evaluated).
    pub expression: Option<ArithmeticExpression>,
    /// The expansions in the order of the text: what [`ArithmeticExpression::Expansion`] counts.
    pub expansions: Vec<ArithmeticExpansion>,
}

/// An expansion in the text of an expression.
#[derive(Debug, Clone)]
pub struct ArithmeticExpansion {
    /// The expansion.
    pub part: WordPart,
    /// It stands in the subscript of a variable. That has it too, and it is no operand.
    pub nested: bool,
}

impl PartialEq for Arithmetic {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A compiled arithmetic expression, in C's terms, on signed 64-bit integers that wrap.
#[derive(Debug, Clone, PartialEq)]
pub enum ArithmeticExpression {
    /// A constant: decimal, `0` octal, `0x`, bash's `base#digits`.
    Number(i64),
    /// A variable; its value is itself an expression.
    Variable(ArithmeticVariable),
    /// The n-th of [`Arithmetic::expansions`].
    Expansion(u32),
    /// `+ - ! ~`
    Unary(UnaryOperator, Box<ArithmeticExpression>),
    /// A binary operator that evaluates both sides (the comma too), and `&&`, `||`, which may not.
    Binary(BinaryOperator, Box<ArithmeticExpression>, Box<ArithmeticExpression>),
    /// Many binary operators in a row that group to the left, as in `1+2+3+…`, so that long sums are not deep trees.
    Chain(Box<ArithmeticChain>),
    /// `condition ? then : else`
    Conditional(Box<[ArithmeticExpression; 3]>),
    /// `variable = value`, `variable op= value`
    Assign(ArithmeticVariable, Option<BinaryOperator>, Box<ArithmeticExpression>),
    /// `++x`, `--x`, `x++`, `x--`
    Step {
        /// The variable.
        variable: ArithmeticVariable,
        /// 1 or -1.
        by: i8,
        /// The value is the one before the step (`x++`).
        postfix: bool,
    },
    /// Where an expression with a syntax error ends: never in a tree of the source, only in what
    /// [`parse_failing_arithmetic`](crate::parse_failing_arithmetic) gives.
    Failed,
}

/// `first op operand op operand …`, grouped to the left. `&&` and `||` evaluate their operand only where they need it.
#[derive(Debug, Clone, PartialEq)]
pub struct ArithmeticChain {
    /// The leftmost operand.
    pub first: ArithmeticExpression,
    /// What is applied to it, in order.
    pub rest: Vec<(BinaryOperator, ArithmeticExpression)>,
}

/// A variable in an arithmetic expression.
#[derive(Debug, Clone, PartialEq)]
pub struct ArithmeticVariable {
    /// The name.
    pub name: Name,
    /// bash: the subscript. Its [`Index::key`] is the raw text between the brackets.
    pub subscript: Option<Box<Subscript>>,
}

/// Unary arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Binary arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `**` (bash)
    Power,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `,` (bash)
    Comma,
}

/// bash: the expression inside `[[ ]]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// `-f word` and its family; the operator's letter. A lone word is `-n word`.
    Unary(u8, Word),
    /// A binary operator.
    Binary(ConditionOperator, Word, Word),
    /// `! expression`
    Not(Box<Condition>),
    /// `a && b && …`: two or more
    And(Vec<Condition>),
    /// `a || b || …`: two or more
    Or(Vec<Condition>),
    /// `( expression )`
    Group(Box<Condition>),
}

/// The binary operators of `[[ ]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionOperator {
    /// `==`: the right side is a pattern
    Match,
    /// `=`: the same
    SingleMatch,
    /// `!=`
    NotMatch,
    /// `=~`
    Regex,
    /// `<`
    Before,
    /// `>`
    After,
    /// `-eq`
    Equal,
    /// `-ne`
    NotEqual,
    /// `-lt`
    Less,
    /// `-le`
    LessEqual,
    /// `-gt`
    Greater,
    /// `-ge`
    GreaterEqual,
    /// `-nt`
    NewerThan,
    /// `-ot`
    OlderThan,
    /// `-ef`
    SameFile,
}

/// One complete command as the parser hands it out, and where the source goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The commands up to the newline that ended the unit.
    pub list: List,
    /// From the first byte (comments and blank lines before it included) to just past the newline and the
    /// here-documents behind it: the next unit starts at `span.end`.
    pub span: Span,
    /// Its here-documents that the end of the source cut off; bash warns of them.
    pub cut_here_documents: Vec<CutHereDocument>,
}

/// A here-document whose delimiter never came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutHereDocument {
    /// The delimiter that is missing.
    pub delimiter: BString,
    /// The line before its body.
    pub line: u32,
    /// The last line of the source.
    pub last_line: u32,
}
