//! The `printf` utility (POSIX XCU printf, XBD 5) with bash 5.2's extensions.
//!
//! Conversions: `d i o u x X e E f F g G a A c s b q Q n ( )T %`, the flags `# ' - + space 0`, `*` for width and
//! precision; C length modifiers are read and ignored. Widths and precisions of strings count bytes. Floating-point
//! values have the 64-bit mantissa and the range of x87 `long double`, which bash uses on x86-64, and are converted
//! exactly both ways.

mod big;
mod directive;
mod error;
mod escape;
mod float;
mod float_text;
mod integer;
#[cfg(test)]
mod tests;
mod writer;

pub use error::PrintfError;

use writer::Writer;

/// What `printf` asks of the shell that runs it.
pub trait PrintfEnv {
    /// The locale is C or POSIX: each byte is a character.
    fn bytes(&self) -> bool;
    /// The present time in seconds since 1970-01-01 UTC (`%(…)T` with -1 or without an argument).
    fn now(&self) -> i64;
    /// When the shell started (`%(…)T` with -2).
    fn start(&self) -> i64;
    /// The local time zone, by the run's own TZ, at a time in seconds since 1970-01-01 UTC.
    fn zone(&self, seconds: i64) -> crate::strftime::Zone;
    /// The most bytes that one call may write. A larger field is an error before anything is allocated for it.
    fn max_output(&self) -> usize;
}

/// How a call ended.
#[derive(Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Outcome {
    /// Errors and warnings in order.
    pub errors: Vec<PrintfError>,
    /// How much of the output stands before each of the errors.
    pub error_places: Vec<usize>,
    /// A `\c` ended the output.
    pub stop: bool,
    /// The variables that `%n` names and the number of bytes written before it, to be assigned in order.
    pub counts: Vec<(Vec<u8>, i64)>,
}

impl Outcome {
    /// The exit status: 1 when there was an error; warnings do not count.
    #[must_use]
    pub fn status(&self) -> u8 {
        u8::from(self.errors.iter().any(|error| !error.is_warning()))
    }
}

/// Appends what `printf FORMAT ARGUMENTS` prints. The format is used again while arguments are left; missing ones
/// are empty or zero. Everything before an error in the format is written.
pub fn format(format: &[u8], arguments: &[&[u8]], env: &dyn PrintfEnv, out: &mut Vec<u8>) -> Outcome {
    let mut writer = Writer::new(arguments, env, out);
    writer.run(format);
    writer.finish()
}
