//! Writes a difference as a case of tests/spec.

use std::fmt::Write as _;

use super::subject::{FILES, Outcome, STDIN, TIMED_OUT};

/// The case with bash's result as what is expected; what ours did stands in comments before it.
pub(crate) fn render(seed: u64, index: u64, script: &str, bash: &Outcome, ours: &Outcome) -> String {
    let mut text = format!("# seed {seed}, program {index}\n# hookshell: status {}, stdout:\n", status(ours.status));
    for line in String::from_utf8_lossy(&ours.stdout).lines() {
        let _ = writeln!(text, "#   {}", line.escape_debug());
    }
    for (name, outcome) in [("hookshell", ours), ("bash", bash)] {
        for line in String::from_utf8_lossy(&outcome.stderr).lines().take(4) {
            let _ = writeln!(text, "# {name} stderr: {}", line.escape_debug());
        }
    }
    let _ = writeln!(text, "=== (say what it shows)\n--- script");
    text.push_str(&protected(script));
    for (name, content) in FILES {
        let plain = name.trim_end_matches('/');
        if script.contains(plain) || script.contains('*') {
            let _ = write!(text, "--- file \"{name}\"\n{content}");
        }
    }
    if ["read", "mapfile", "cat", "select", "exec"].iter().any(|reader| script.contains(reader)) {
        let _ = write!(text, "--- stdin\n{STDIN}");
    }
    let (plain, escaped) = output(&bash.stdout);
    let _ = write!(text, "--- stdout{}\n{plain}", if escaped { " escaped" } else { "" });
    let _ = writeln!(text, "--- status {}", status(bash.status));
    text
}

fn status(status: i32) -> String {
    if status == TIMED_OUT { "timeout".into() } else { status.to_string() }
}

/// A line that looks like a section has a backslash before it.
fn protected(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start_matches('\\').starts_with("--- ") || line.trim_start_matches('\\').starts_with("=== ") {
            out.push('\\');
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The text, and whether it is written with escapes.
fn output(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text)
            if (text.is_empty() || text.ends_with('\n'))
                && !text.chars().any(|c| c.is_control() && c != '\n')
                && !text.lines().any(|line| line.ends_with(' ')) =>
        {
            (protected(text), false)
        }
        _ => {
            let mut out = String::new();
            for &byte in bytes {
                match byte {
                    b'\n' => out.push_str("\\n"),
                    b'\\' => out.push_str("\\\\"),
                    b' '..=b'~' => out.push(char::from(byte)),
                    _ => {
                        let _ = write!(out, "\\x{byte:02x}");
                    }
                }
            }
            // The line's own newline is no part of it.
            (format!("{}\n", out.strip_suffix("\\n").unwrap_or(&out)), true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{output, protected};

    #[test]
    fn output_is_written_with_escapes_where_it_must_be() {
        let cases: [(&[u8], &str, bool); 6] = [
            (b"", "", false),
            (b"a\nb\n", "a\nb\n", false),
            (b"--- x\n", "\\--- x\n", false),
            (b"no newline", "no newline\n", true),
            (b"blank \n", "blank \n", true),
            (b"\xff\\\t\n", "\\xff\\\\\\x09\n", true),
        ];
        for (bytes, text, escaped) in cases {
            assert_eq!(output(bytes), (text.to_owned(), escaped));
        }
    }

    #[test]
    fn lines_that_look_like_sections_are_protected() {
        assert_eq!(protected("=== a\n\\--- b\nc\n"), "\\=== a\n\\\\--- b\nc\n");
    }
}
