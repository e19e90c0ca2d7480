//! Text that builtins read and write: escapes, quoting, letter case, modes, options and integers.
//!
//! Everything here is a pure function over bytes.

pub mod case;
pub mod echo;
pub mod escape;
pub mod getopts;
pub mod integer;
pub mod printable;
pub mod quote;
pub mod strftime;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod umask;
