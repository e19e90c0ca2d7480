//! Lexer, parser and syntax tree for the POSIX shell language and the bash dialect.
//!
//! Source bytes go in, a tree with places comes out; there is no I/O here and nothing platform-specific.

pub mod ast;
mod error;
mod name;
mod span;

pub use error::{SyntaxError, SyntaxErrorCause};
pub use name::{Name, hash_name, is_name};
pub use span::{Position, Span};
