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

/// A line on standard error, in which nothing is hidden: it may have a name in it that a project brings along.
pub(crate) fn note(text: &str) {
    // Where it is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "hookshell: {}", visible(text));
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

/// A text that can hide nothing on a terminal: control characters, and what changes the direction of a text or has no
/// width, are written as escapes.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}' => {
                shown.extend(character.escape_unicode());
            }
            other if other.is_control() => shown.extend(other.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_is_hidden_on_a_terminal() {
        let cases = [
            ("plain é\n\ttext", "plain é\n\ttext"),
            ("rm -rf /\r./ok.sh", "rm -rf /\\u{d}./ok.sh"),
            ("\u{1b}[2K\u{1b}[1A", "\\u{1b}[2K\\u{1b}[1A"),
            ("a\u{202e}b\u{200b}", "a\\u{202e}b\\u{200b}"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
    }
}
