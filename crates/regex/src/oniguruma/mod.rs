//! Regular expressions as Oniguruma runs them for jq: Perl's syntax, leftmost, first alternative first, by a back-tracking machine
//! that can be asked to stop.
//!
//! Not supported: `\G`, `\X`, `\g`, `\p{In…}` (blocks), conditions, absent groups, look-behind of unbounded length, two groups of
//! one name, and the flag `l`.

mod compile;
mod machine;
mod parse;
mod property;
mod set;

pub use compile::Regex;
pub use machine::{Machine, Matched};
pub use parse::{Fault, Options};
