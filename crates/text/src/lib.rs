//! The text rules of POSIX's shell and of bash, as pure functions over bytes: escapes, quoting, letter case, modes, options,
//! integers, patterns, `printf` and `strftime`.
#![forbid(unsafe_code)]

pub mod case;
pub mod civil;
pub mod echo;
pub mod escape;
pub mod getopts;
pub mod integer;
pub mod pattern;
pub mod printable;
pub mod printf;
pub mod quote;
pub mod strftime;
#[cfg(test)]
mod tests;
pub mod umask;
pub mod width;
