//! What differs from the expectation, for a person to read.

use std::fmt::Write;

use super::bytes::escape;
use super::{Case, Expectation, Left, Outcome, Stdout, Subject};

/// What differs from the expectation, one text per aspect; empty when all is as it must be.
pub(crate) fn differences(case: &Case, subject: &Subject, outcome: &Outcome) -> Vec<String> {
    let Expectation { stdout, status, is_any_failure_elsewhere, stderr_has, leaves, leaves_not, directory } =
        &case.expected;
    let mut found: Vec<String> = outcome.trouble.iter().cloned().collect();
    match stdout {
        Stdout::Unrecorded => {
            found.push(format!(
                "it has no `--- stdout` section: `cargo xtask spec --record {}` asks bash, then review it",
                case.place().rsplit_once(':').map_or("FILE", |(file, _)| file)
            ));
        }
        Stdout::Any => {}
        Stdout::Exact(expected) if *expected == outcome.stdout => {}
        Stdout::Exact(expected) => found.push(format!("stdout:\n{}", diff(expected, &outcome.stdout))),
    }
    let expected = status.unwrap_or(0);
    let is_elsewhere = matches!(subject, Subject::Dash | Subject::Busybox);
    let is_right = expected == outcome.status || (*is_any_failure_elsewhere && is_elsewhere && outcome.status != 0);
    if !is_right && outcome.trouble.is_none() {
        found.push(format!("status: expected {expected}, found {}", outcome.status));
    }
    if subject.has_our_messages() {
        for part in stderr_has {
            if !bstr::ByteSlice::contains_str(&*outcome.stderr, part) {
                found.push(format!("stderr does not have {:?}", String::from_utf8_lossy(part)));
            }
        }
    }
    for (name, content) in leaves {
        match outcome.left.get(name) {
            Some(Left::File(found)) if found == content => {}
            Some(Left::File(other)) => found.push(format!("file {name}:\n{}", diff(content, other))),
            Some(_) => found.push(format!("file {name}: it is no file")),
            None => found.push(format!("file {name}: it is not there")),
        }
    }
    for name in leaves_not {
        if outcome.left.contains_key(name) {
            found.push(format!("file {name}: it must not be there"));
        }
    }
    if let Some(expected) = directory {
        let names: Vec<String> = outcome
            .left
            .iter()
            .map(|(name, left)| if *left == Left::Directory { format!("{name}/") } else { name.clone() })
            .collect();
        if names != *expected {
            let lines = |names: &[String]| names.iter().flat_map(|name| format!("{name}\n").into_bytes()).collect();
            let (expected, names): (Vec<u8>, Vec<u8>) = (lines(expected), lines(&names));
            found.push(format!("directory:\n{}", diff(&expected, &names)));
        }
    }
    if !found.is_empty() && !outcome.stderr.is_empty() {
        found.push(format!("stderr was:\n{}", quoted("  ", &outcome.stderr)));
    }
    found
}

/// Lines of context around what differs.
const CONTEXT: usize = 2;

/// Lines shown of each side.
const MOST: usize = 30;

/// Both texts without what they have in common at their ends.
fn diff(expected: &[u8], found: &[u8]) -> String {
    let (expected, found) = (lines(expected), lines(found));
    let same_start = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let (expected_rest, found_rest) = (&expected[same_start..], &found[same_start..]);
    let same_end = expected_rest.iter().rev().zip(found_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut text = String::new();
    let mut show = |mark: &str, lines: &[&[u8]]| {
        for line in lines.iter().take(MOST) {
            let ending = if line.ends_with(b"\n") { "" } else { "   (no newline)" };
            let line = String::from_utf8_lossy(&escape(line.strip_suffix(b"\n").unwrap_or(line))).into_owned();
            let _ = writeln!(text, "    {mark} {line}{ending}");
        }
        if lines.len() > MOST {
            let _ = writeln!(text, "    {mark} ({} more lines)", lines.len() - MOST);
        }
    };
    show(" ", &expected[same_start.saturating_sub(CONTEXT)..same_start]);
    show("-", &expected_rest[..expected_rest.len() - same_end]);
    show("+", &found_rest[..found_rest.len() - same_end]);
    let end = &expected_rest[expected_rest.len() - same_end..];
    show(" ", &end[..end.len().min(CONTEXT)]);
    text.pop();
    text
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn quoted(mark: &str, text: &[u8]) -> String {
    let shown: Vec<String> = lines(text)
        .iter()
        .take(MOST)
        .map(|line| format!("  {mark}{}", String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line))))
        .collect();
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn a_diff_shows_the_lines_that_differ_with_context() {
        let text = diff(b"a\nb\nc\nold\nd\n", b"a\nb\nc\nnew \nd\n");
        assert_eq!(text, "      b\n      c\n    - old\n    + new\\x20\n      d");
        assert_eq!(diff(b"x\n", b"x"), "    - x\n    + x   (no newline)");
    }
}
