//! Regular expressions as PCRE2 10.42 runs them for `grep -P`: leftmost, first alternative first, by a back-tracking machine that has
//! a stack of its own, a limit of steps, and can be asked to stop.
//!
//! All of PCRE2's syntax is here, with its messages for mistakes, but for `\C`, call-outs with a text, `(*UCP)`, `(?[…])` and the script runs
//! `(*sr:…)`: those are [`Fault::Unsupported`].
//!
//! Why not Oniguruma's machine beside it: its groups, look-behinds, recursion and empty loops follow other rules, and it has no verbs.
//! Why not fancy-regex 0.20.2: of 3,000 expressions for `grep -P` it differed from PCRE for 832, this one for 1, and it knows no deadline
//! ([`crate::oniguruma`] has the measurement).

mod back;
mod class;
mod compile;
mod escape;
mod group;
mod length;
mod machine;
mod node;
mod parse;
mod property;
mod set;

pub use compile::{Options, Regex};
pub use machine::{Machine, Matched};
pub use node::Fault;
pub use property::class as property_class;
