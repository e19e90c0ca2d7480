//! Lexer, parser and syntax tree for the POSIX shell language and the bash dialect.
//!
//! Source bytes go in, a tree with places comes out; there is no I/O here and nothing platform-specific.
//!
//! A program is read one complete command at a time ([`Parser::next_unit`]), with the options and aliases that are in
//! force by then, as every shell does; [`parse_program`] reads a whole program whose options do not change.
#![forbid(unsafe_code)]

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod arithmetic;
pub mod ast;
mod builder;
mod bytes;
mod error;
mod name;
mod operands;
mod options;
mod print;
mod program;
mod reader;
mod span;
mod text;
mod warning;
mod word_builder;

pub use arithmetic::{
    ArithmeticSyntaxError, ArithmeticSyntaxErrorCause, NumberError, compile_arithmetic, parse_arithmetic,
    parse_failing_arithmetic, parse_number,
};
pub use bytes::{contains, newlines};
pub use error::{SyntaxError, SyntaxErrorCause, UnclosedConstruct};
pub use name::{Name, UNIQUE_HASH, hash_name, is_name};
pub use operands::Operand;
pub use options::{Aliases, DEFAULT_MAX_DEPTH, DEFAULT_MAX_NODES, Dialect, ParseOptions};
pub use print::{
    print_and_or, print_arithmetic, print_assignment, print_assignment_target, print_brace, print_command,
    print_exported_function, print_function, print_list, print_simple, print_word,
};
pub use program::{Parser, Program, parse_beginning, parse_for_analysis, parse_prefix_with_stop, parse_program};
pub use reader::{decode_dollar_single, parse_double_quoted, parse_subscript};
pub use span::{Position, Span};
pub use text::Text;
pub use warning::{CutHereDocument, HereDocumentWarning};
