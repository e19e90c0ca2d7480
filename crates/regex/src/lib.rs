//! POSIX regular expressions with GNU's extensions, on bytes.
//!
//! A match is the leftmost, and of those the longest (XBD 9.1); the groups within it are those that glibc's `regexec`
//! reports, which differ from POSIX's where glibc does (`(a|ab)(c|bcd)` on `abcd` gives `a` and `bcd`). The grammar is
//! glibc's too, in the variants of the programs that use it: [`Syntax`].
//!
//! Expressions without back-references are searched by `regex-automata`; back-references, and word boundaries beside
//! characters that are not ASCII, by a backtracker of our own with a step limit.
//!
//! ```
//! use hookshell_regex::{Builder, Captures, Subject, Syntax};
//!
//! let regex = Builder::new(Syntax::Extended).build(b"(a|ab)c*")?;
//! assert_eq!(regex.find(&Subject::new(b"xabcc")), Ok(Some((1, 5))));
//! let mut captures = Captures::new();
//! assert_eq!(regex.captures(&Subject::new(b"xabcc"), &mut captures), Ok(true));
//! assert_eq!(captures.get(1), Some((1, 3)));
//! # Ok::<(), hookshell_regex::Error>(())
//! ```
#![forbid(unsafe_code)]

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod ast;
mod backtrack;
mod bare_class;
mod bracket;
mod builder;
mod captures;
mod case;
mod class;
mod control;
mod ctype;
mod error;
mod fast;
mod groups;
mod lookaround;
pub mod oniguruma;
mod parse;
pub mod pcre;
mod program;
mod regex;
mod subject;
mod syntax;
mod tables;
mod text;

pub use bare_class::is_bare_class;
pub use builder::{Builder, DEFAULT_SIZE_LIMIT};
pub use captures::Captures;
pub use control::control_character;
pub use error::{Error, SearchError};
pub use fast::SEARCH_CACHES;
pub use regex::Regex;
pub use subject::{Span, Subject};
pub use syntax::Syntax;
