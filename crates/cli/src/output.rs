//! What the commands print.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// A value as JSON on standard output: one line, or indented where a person reads it.
pub(crate) fn print_json(value: &impl Serialize) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }?;
    stdout.write_all(harmless_json(&text).as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// A verdict as JSON: one line, or indented where a person reads it.
pub(crate) fn verdict_json(verdict: &impl Serialize) -> io::Result<String> {
    let is_terminal = io::stdout().is_terminal();
    let text = if is_terminal { serde_json::to_string_pretty(verdict) } else { serde_json::to_string(verdict) };
    Ok(text? + "\n")
}

/// A verdict on standard output. Every failure is one here: the standard library takes a stream that is closed, or open for
/// reading only, for one that has taken everything.
///
/// `must_be_read`: what it says is said nowhere else, and a standard output that nobody can read is a failure too: one that
/// was closed, which is the null device then, and the null device itself.
pub(crate) fn print_verdict(text: &str, must_be_read: bool) -> io::Result<()> {
    if must_be_read && nobody_reads() {
        return Err(io::Error::other("it is closed or the null device"));
    }
    write_all(text.as_bytes())
}

#[cfg(unix)]
fn nobody_reads() -> bool {
    use rustix::fs::{FileType, fstat, stat};

    let is_device = |mode| FileType::from_raw_mode(mode) == FileType::CharacterDevice;
    let (Ok(stdout), Ok(null)) = (fstat(io::stdout()), stat("/dev/null")) else { return false };
    is_device(stdout.st_mode) && is_device(null.st_mode) && stdout.st_rdev == null.st_rdev
}

#[cfg(windows)]
fn nobody_reads() -> bool {
    use std::os::windows::io::AsRawHandle;

    io::stdout().as_raw_handle().is_null()
}

#[cfg(unix)]
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    let stdout = io::stdout();
    while !bytes.is_empty() {
        match rustix::io::write(&stdout, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Whoever reads it has made it non-blocking.
            Err(Errno::AGAIN) => {
                let mut writable = [PollFd::new(&stdout, PollFlags::OUT)];
                match poll(&mut writable, None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_all(bytes: &[u8]) -> io::Result<()> {
    use std::os::windows::io::AsRawHandle;

    if io::stdout().as_raw_handle().is_null() {
        return Err(io::Error::other("it is closed"));
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Text and a newline on standard error, where there is text.
pub(crate) fn print_error(text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    writeln!(io::stderr(), "{text}")
}

/// Text on standard error, as it is.
pub(crate) fn print_to_stderr(text: &str) -> io::Result<()> {
    io::stderr().write_all(text.as_bytes())
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

/// Such a text on one line. A line that a file's name or a config's text starts could be a command for a CI's runner: `::error::`.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.replace('\n', "\\n");
    // The runner passes over blanks before it.
    match text.trim_start().strip_prefix("::") {
        Some(rest) => {
            visible(&format!("{}\\u{{3a}}:{rest}", text.get(..text.len() - rest.len() - 2).unwrap_or_default()))
        }
        None => visible(&text),
    }
}

/// A text that can hide nothing on a terminal: control characters, and what changes the direction of a text or has no
/// width, are written as escapes. So is what the runners of GitHub and Azure take for a command wherever it stands in a line:
/// `##[error]`, `##vso[task.setvariable …]`.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            '#' if is_runner_command(text.get(at..).unwrap_or_default()) => shown.extend(character.escape_unicode()),
            '\n' | '\t' => shown.push(character),
            other if is_hidden(other) => shown.extend(other.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown
}

/// The same JSON, in which nothing is hidden and no command of a runner begins: its strings have `\u0023` for the first of two `#`, and
/// likewise for what is hidden. (`::` is a command at the beginning of a line alone, and a line of JSON begins with no string's text.)
pub(crate) fn harmless_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for (at, character) in json.char_indices() {
        let is_first_of_two = character == '#' && json.get(at + 1..).is_some_and(|rest| rest.starts_with('#'));
        if is_first_of_two || character != '\n' && is_hidden(character) {
            // What is hidden is in the basic plane: one escape is enough.
            text.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            text.push(character);
        }
    }
    text
}

/// Does a command of a CI's runner begin here: `##[NAME]`, `##vso[`? A pattern (`${x##[a-z]}`) is none.
fn is_runner_command(text: &str) -> bool {
    /// Shorter ones are no commands' names.
    const SHORTEST: usize = 4;
    let Some(rest) = text.strip_prefix("##") else { return false };
    let word = |text: &str| text.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(text.len());
    match rest.strip_prefix('[') {
        Some(rest) => word(rest) >= SHORTEST && rest.get(word(rest)..).is_some_and(|end| end.starts_with([']', ' '])),
        None => word(rest) > 0 && rest.get(word(rest)..).is_some_and(|end| end.starts_with('[')),
    }
}

/// Does it move the cursor, change the direction of a text, end a line elsewhere, or have no width?
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{61c}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}'
        )
}

#[cfg(test)]
mod tests {
    use super::{harmless_json, one_line, visible};

    #[test]
    fn nothing_is_hidden_on_a_terminal() {
        let cases = [
            ("plain é\n\ttext", "plain é\n\ttext"),
            ("rm -rf /\r./ok.sh", "rm -rf /\\u{d}./ok.sh"),
            ("\u{1b}[2K\u{1b}[1A", "\\u{1b}[2K\\u{1b}[1A"),
            ("a\u{202e}b\u{200b}", "a\\u{202e}b\\u{200b}"),
            ("a\u{2028}b\u{61c}", "a\\u{2028}b\\u{61c}"),
            ("a##[error]b", "a\\u{23}#[error]b"),
            ("##[stop-commands x]", "\\u{23}#[stop-commands x]"),
            ("x ##vso[task.setvariable a]", "x \\u{23}#vso[task.setvariable a]"),
            ("${x##[a-z]} ${y##[[:blank:]]} ## [x] ##", "${x##[a-z]} ${y##[[:blank:]]} ## [x] ##"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
        let cases =
            [("a\n::b", "a\\n::b"), ("::error::x", "\\u{3a}:error::x"), (" \t::x", " \t\\u{3a}:x"), (":x::", ":x::")];
        for (text, shown) in cases {
            assert_eq!(one_line(text), shown);
        }
    }

    #[test]
    fn json_starts_no_command_of_a_runner_and_says_the_same() {
        let cases = [
            "##[error]",
            "###[error]x",
            "\\##vso[task.setvariable a]",
            "a\u{9b}31m\u{202e}\u{7f}",
            "\u{1}\n::error::x",
            "#",
            "${x##*/}",
        ];
        for text in cases {
            let value = serde_json::json!({ text: [text] });
            for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap_or_default()] {
                let harmless = harmless_json(&json);
                let hidden = |c: char| c != '\n' && super::is_hidden(c);
                assert!(!harmless.contains("##") && !harmless.contains(hidden), "{harmless}");
                assert!(!harmless.lines().any(|line| line.trim_start().starts_with("::")), "{harmless}");
                assert_eq!(
                    serde_json::from_str::<serde_json::Value>(&harmless).ok(),
                    Some(value.clone()),
                    "{harmless}"
                );
            }
        }
    }
}
