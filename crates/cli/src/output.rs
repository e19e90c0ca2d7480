//! What the commands print.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// A value as JSON on standard output: one line, or indented where a person reads it.
pub(crate) fn print_json(value: &impl Serialize) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }?;
    stdout.write_all(text.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// Text on standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
