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

/// Text and a newline on standard error, where there is text.
pub(crate) fn print_error(text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    writeln!(io::stderr(), "{text}")
}

/// Text on standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// A line on standard error.
pub(crate) fn note(text: &str) {
    // Where it is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "hookshell: {text}");
}

/// Lets go of standard output and error, so that whoever reads them sees their end although this process lives on. On
/// Windows there is no safe call for it: they stay open until the process ends.
pub(crate) fn close() {
    #[cfg(unix)]
    if let Ok(null) = std::fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}
