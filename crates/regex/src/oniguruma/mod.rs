//! Regular expressions as Oniguruma runs them for jq: Perl's syntax, leftmost, first alternative first, by a back-tracking machine
//! that can be asked to stop.
//!
//! Not supported: `\G`, `\X`, `\g`, `\p{In…}` (blocks), conditions, absent groups, look-behind of unbounded length, two groups of
//! one name, and the flag `l`.
//!
//! Why not a library: fancy-regex 0.20.2 (with `oniguruma_mode`, `find_not_empty` and `backtrack_limit`) was put in its place on 28 November
//! 2026. Of 30,000 random expressions of the kinds of `random_jq_regex` (with non-ASCII texts) its result was not jq 1.7.1's for 3,474:
//! 2,703 it accepts that jq refuses, so that a filter with a mistake would pass, 589 match elsewhere (`\h`, `{,2}`, `[a-z&&[^b]]`,
//! loops of what can be empty), 182 it cannot run. This one differed for 185, nearly all of them look-behinds that vary in length, and refused
//! 369. It took a quarter of the time. Of 3,000 expressions for `grep -P`, fancy-regex differed from PCRE for 832; what grep makes
//! of this one, with what it refuses left to the real grep, for 1. Nor can it be stopped by a deadline, or be held to a limit of memory.

mod compile;
mod machine;
mod parse;
mod property;
mod set;

pub use compile::Regex;
pub use machine::{Machine, Matched};
pub use parse::{Fault, Options};
