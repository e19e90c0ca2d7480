//! What the parser is told besides the source.

/// Which language is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// POSIX.1-2024 (Issue 8), XCU chapter 2; bash's syntax is rejected where the standard leaves no room for it.
    Posix,
    /// bash 5.2.
    #[default]
    Bash,
}

/// How deep constructs may be nested by default.
///
/// Every level costs a handful of stack frames in the parser and one in each walk over the tree. The limit is chosen so
/// that parsing, dropping, cloning, comparing and printing all fit into a 2 MiB stack in a debug build (a test shows
/// it); real programs stay below 30.
pub const DEFAULT_MAX_DEPTH: u32 = 128;

/// How many words, commands and expansions one complete command may have by default. Each takes some 250 bytes of memory.
pub const DEFAULT_MAX_NODES: usize = 2_000_000;

/// The settings that change what a source text means. They may change between two complete commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseOptions {
    /// The language.
    pub dialect: Dialect,
    /// bash's `shopt -s extglob`: `?( *( +( @( !(` open an extended pattern in a word.
    pub extglob: bool,
    /// How deep constructs may be nested; past it parsing fails with
    /// [`TooDeep`](crate::SyntaxErrorCause::TooDeep).
    pub max_depth: u32,
    /// How many words, commands and expansions one complete command may have (each operand of arithmetic counts too); past it
    /// parsing fails with [`TooLarge`](crate::SyntaxErrorCause::TooLarge).
    pub max_nodes: usize,
    /// bash's `set -B`: `{a,b}` and `{1..9}` are brace expansions. Never in [`Dialect::Posix`].
    pub brace_expansion: bool,
    /// bash's `set -k`: assignments among the arguments are assignments of the command too.
    pub keyword: bool,
    /// bash's POSIX mode: the operands of a declaration utility after `command` are assignments. Always in
    /// [`Dialect::Posix`].
    pub posix_mode: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::Bash,
            extglob: false,
            max_depth: DEFAULT_MAX_DEPTH,
            max_nodes: DEFAULT_MAX_NODES,
            brace_expansion: true,
            keyword: false,
            posix_mode: false,
        }
    }
}

/// The aliases in force (XCU 2.3.1).
pub trait Aliases {
    /// The value of the alias `name`, if there is one.
    fn alias(&self, name: &[u8]) -> Option<Vec<u8>>;
}
